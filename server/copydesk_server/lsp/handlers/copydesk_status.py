"""`copydesk/status`: figures of the server and its engine, without any text of a document."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from copydesk_server.engine_process.client import Engine
from copydesk_server.lsp.inline_completions import InlineCompletions
from copydesk_server.lsp.lint import Linting
from copydesk_server.lsp.session_state import SessionState


def copydesk_status(
    state: SessionState, engine: Engine, linting: Linting, inline_completions: InlineCompletions
) -> Callable[[Any], Awaitable[dict[str, Any]]]:
    """The notification of the same name is `engine_display.py`'s."""

    async def handle(_: Any) -> dict[str, Any]:
        figures = await engine.status()
        return {
            **figures,
            "openDocuments": len(state.documents),
            "linter": linting.linter,
            "positionEncoding": state.encoding.value,
            "inlineCompletions": {
                "shown": inline_completions.shown,
                "accepted": inline_completions.accepted,
            },
        }

    return handle
