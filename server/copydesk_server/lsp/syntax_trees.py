"""Syntax trees of open documents, parsed in a thread, and anew only where the text changed."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from copydesk_server.lsp.documents import OpenDocument
from copydesk_server.lsp.session_state import SessionState

if TYPE_CHECKING:
    from tree_sitter import Tree

    from copydesk.syntax.tree import Parsed

MOST_BYTES = 1 << 19
"""Documents of more are not parsed while a person waits."""
KEPT = 4
"""Documents whose trees are kept."""

T = TypeVar("T")


class SyntaxTrees:
    """The newest tree of each document that was asked about."""

    def __init__(self, state: SessionState) -> None:
        self._state = state
        self._parsed: OrderedDict[int, tuple[tuple[str, ...], Parsed]] = OrderedDict()
        self._turn = asyncio.Lock()
        state.documents.subscribe(lambda _: None, lambda *_: None, self._forget)

    def serves(self, document: OpenDocument) -> bool:
        """Whether a document is one that is parsed."""
        most = min(MOST_BYTES, self._state.settings.of(document.uri).max_document_bytes)
        return not document.forgotten and document.size.bytes <= most

    async def compute(
        self, document: OpenDocument, work: Callable[[tuple[str, ...], Tree], T], otherwise: T
    ) -> T:
        """What `work` makes, in a thread, of the document's lines as they are now and their tree; `otherwise` for a language
        without a grammar.
        """
        lines, language, ident = tuple(document.lines.lines), document.language, document.id
        async with self._turn:
            known = self._parsed.get(ident)

            def compute() -> tuple[Parsed | None, T]:
                parsed = _parsed(lines, language, known)
                return parsed, otherwise if parsed is None else work(lines, parsed.tree)

            parsed, found = await asyncio.to_thread(compute)
            if parsed is not None:
                self._parsed[ident] = lines, parsed
                self._parsed.move_to_end(ident)
                while len(self._parsed) > KEPT:
                    self._parsed.popitem(last=False)
            return found

    def _forget(self, document: OpenDocument) -> None:
        self._parsed.pop(document.id, None)


def _parsed(
    lines: tuple[str, ...], language: str, known: tuple[tuple[str, ...], Parsed] | None
) -> Parsed | None:
    """The tree of the lines, by way of an older one."""
    # Not before it is needed: the parsers take longer to import than `initialize` may take.
    from copydesk.syntax.tree import Parsed

    if known is None:
        return Parsed.of(lines, language)
    old, parsed = known
    shortest = min(len(old), len(lines))
    head = 0
    while head < shortest and old[head] == lines[head]:
        head += 1
    if head == len(old) == len(lines):
        return parsed
    tail = 0
    while tail < shortest - head and old[-1 - tail] == lines[-1 - tail]:
        tail += 1
    return parsed.changed(lines, head, tail)
