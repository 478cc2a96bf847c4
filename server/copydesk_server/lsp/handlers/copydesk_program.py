"""`copydesk/program`: the last program that was made for a person."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from copydesk_server.lsp.programs import Programs


def copydesk_program(programs: Programs) -> Callable[[Any], dict[str, Any] | None]:
    """None before the first."""

    def handle(_: Any) -> dict[str, Any] | None:
        return programs.last()

    return handle
