"""`copydesk engine`: the engine alone, on standard input and output, for a language server elsewhere (`engine.command`)."""

from __future__ import annotations

import argparse
from typing import NoReturn

from copydesk_server.engine_process import stdio_main
from copydesk_server.engine_process.messages import EngineSettings

ENGINE = "copydesk_server.engine_process.worker:serve"


def run(args: argparse.Namespace) -> NoReturn:
    """Serve one language server; the process ends with that. Raises EngineProtocolError where there is none."""
    stdio_main.run(
        ENGINE, EngineSettings(args.model, args.device, args.dtype, served_model=args.served_model)
    )
