"""`textDocument/inlineCompletion`: ghost text. Answers at once with what is known already."""

from __future__ import annotations

from collections.abc import Callable

from lsprotocol import types

from copydesk_server.lsp.inline_completions import InlineCompletions


def inline_completion(
    completions: InlineCompletions,
) -> Callable[[types.InlineCompletionParams], list[types.InlineCompletionItem]]:
    """Answers with an empty list where there is nothing to show."""

    def handle(params: types.InlineCompletionParams) -> list[types.InlineCompletionItem]:
        return completions.items(params)

    return handle
