"""A worker for tests of the server. Run in a child by name."""

from __future__ import annotations

import itertools
from typing import Any

from copydesk_server.engine_process.messages import EngineSettings
from copydesk_server.engine_process.worker_main import Channel


def serve(channel: Channel, settings: EngineSettings) -> None:
    """The real engine, whose first edit asks for more memory than there is."""
    import torch

    from copydesk.editor import Editor
    from copydesk_server.engine_process import worker

    run, edits = Editor.run_plans, itertools.count()

    def run_plans(self: Editor, *args: Any, **kwargs: Any) -> Any:
        if next(edits) == 0:
            torch.empty(1 << 50, dtype=torch.uint8)
        return run(self, *args, **kwargs)

    Editor.run_plans = run_plans  # type: ignore[method-assign]
    worker.serve(channel, settings)
