"""The command line of `copydesk lsp`, as the server takes it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """What the server was started with. The client's settings take precedence over model, device and dtype."""

    tcp: str | None = None
    socket: str | None = None
    model: str | None = None
    device: str = "auto"
    dtype: str = "auto"
    seed: int = 0
    log_file: str | None = None
    log_level: str | None = None
    quiet: bool = False
    served_model: str | None = None
    engine_host: str | None = None
    """What runs in the engine's process, as `module:function`, where it is not the engine. Not an option of the command line."""
