"""`textDocument/selectionRange`: what a selection grows to and shrinks to, by syntax."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING

from lsprotocol import types

from copydesk.text.document import Encoding, Position, TextLines
from copydesk_server.lsp.session_state import SessionState
from copydesk_server.lsp.syntax_trees import SyntaxTrees
from copydesk_server.lsp.workspace_edits import lsp_range

if TYPE_CHECKING:
    from tree_sitter import Point, Tree

Chain = list[tuple["Point", "Point"]]
Answer = list[types.SelectionRange] | None


def selection_range(
    state: SessionState, trees: SyntaxTrees
) -> Callable[[types.SelectionRangeParams], Awaitable[Answer]]:
    """Answers with null for documents that nobody here can parse, or that change meanwhile."""

    async def handle(params: types.SelectionRangeParams) -> Answer:
        document = state.documents.get(params.text_document.uri)
        if document is None or not trees.serves(document):
            return None
        lines, encoding, version = document.lines, state.encoding, document.version
        places = [_bytes(lines, place, encoding) for place in params.positions]

        def chains(_: tuple[str, ...], tree: Tree) -> list[Chain] | None:
            from copydesk.syntax.enclosing import enclosing

            return [enclosing(tree, place.line, place.character) for place in places]

        found = await trees.compute(document, chains, None)
        if found is None or document.version != version:
            return None
        return [_nested(lines, chain, encoding) for chain in found]

    return handle


def _bytes(lines: TextLines, place: types.Position, encoding: Encoding) -> Position:
    line, column = lines.locate(Position(place.line, place.character), encoding)
    return lines.position(line, column, Encoding.UTF8)


def _nested(
    lines: TextLines, chain: Iterable[tuple[Point, Point]], encoding: Encoding
) -> types.SelectionRange:
    whole = types.SelectionRange(lsp_range(Position(0, 0), lines.end(encoding)))
    for start, end in reversed([*chain]):
        begin, stop = (
            lines.position(*lines.locate(Position(point.row, point.column), Encoding.UTF8), encoding)
            for point in (start, end)
        )
        inner = lsp_range(begin, stop)
        if inner != whole.range:
            whole = types.SelectionRange(inner, parent=whole)
    return whole
