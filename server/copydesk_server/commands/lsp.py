"""`copydesk lsp`: the language server, on standard input and output, TCP on loopback, or a Unix socket."""

from __future__ import annotations

import argparse

from copydesk_server.lsp import session
from copydesk_server.lsp.options import Options


def options(args: argparse.Namespace) -> Options:
    """The command line as the session takes it."""
    return Options(
        tcp=args.tcp,
        socket=args.socket,
        model=args.model,
        device=args.device,
        dtype=args.dtype,
        seed=args.seed,
        log_file=args.log_file,
        log_level=args.log_level,
        quiet=args.quiet,
        served_model=args.served_model,
    )


def run(args: argparse.Namespace) -> int:
    """Serve one client. Returns 0 after `shutdown`, else 1. Raises TransportError and LogFileError."""
    return session.run(options(args))
