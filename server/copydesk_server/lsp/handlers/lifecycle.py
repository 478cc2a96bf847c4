"""`initialized`, `shutdown`, `exit` and `$/setTrace`. `initialize` is answered before this is imported, by `greeting.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from copydesk_server.lsp.session_lifecycle import Lifecycle


def initialized(lifecycle: Lifecycle) -> Callable[[Any], None]:
    """The client may be asked from now on."""

    def handle(_: Any) -> None:
        lifecycle.begin()

    return handle


def shutdown(lifecycle: Lifecycle) -> Callable[[Any], None]:
    """What is in flight is answered as cancelled, and the model is unloaded."""

    def handle(_: Any) -> None:
        lifecycle.shut_down()

    return handle


def exit(lifecycle: Lifecycle) -> Callable[[Any], None]:
    """The end of the process, whatever is going on."""

    def handle(_: Any) -> None:
        lifecycle.exit()

    return handle


def set_trace() -> Callable[[Any], None]:
    """Accepted and ignored: no traces are sent."""

    def handle(_: Any) -> None:
        return

    return handle
