"""Refactorings as code actions: computed by syntax alone.

An action's edit is computed again when it is chosen, for the text as it is then: it must be the same lines, moved or not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from copydesk.request import Range
from copydesk.text.document import Position, TextEdit, localise, majority_terminator
from copydesk.text.line_edit import LineEdit
from copydesk_server.lsp.documents import OpenDocument
from copydesk_server.lsp.edit_errors import modified
from copydesk_server.lsp.rebase import move_range
from copydesk_server.lsp.session_state import SessionState
from copydesk_server.lsp.syntax_trees import SyntaxTrees
from copydesk_server.lsp.workspace_edits import lines_of_range, workspace_edit

if TYPE_CHECKING:
    from tree_sitter import Tree

    from copydesk.refactorings.menu import MenuEntry

KIND = "refactoring"
"""What an action's data says it is."""
Columns: TypeAlias = tuple[int, int]
"""What is chosen within one line: from one code point of it, 0-based, to another; None where several lines are."""


class RefactoringMenu:
    """The refactorings of each open document."""

    def __init__(self, state: SessionState, trees: SyntaxTrees) -> None:
        self._state, self._trees = state, trees

    def serves(self, document: OpenDocument) -> bool:
        """Whether anything may be offered for a document."""
        return document.language == "python" and self._trees.serves(document)

    async def entries(self, document: OpenDocument, chosen: types.Range) -> list[MenuEntry]:
        """What applies there. None where the document changes meanwhile."""
        if not self.serves(document) or not document.lines.lines:
            return []
        version, selected = document.version, lines_of_range(document.lines, chosen)
        found = await self._compute(document, selected, self._columns(document, chosen))
        return found if document.version == version else []

    def _columns(self, document: OpenDocument, chosen: types.Range) -> Columns | None:
        if chosen.start.line != chosen.end.line:
            return None
        ends = (Position(place.line, place.character) for place in (chosen.start, chosen.end))
        begin, end = (document.lines.locate(place, self._state.encoding)[1] for place in ends)
        return begin, end

    def action(
        self, document: OpenDocument, chosen: types.Range, entry: MenuEntry, shown: str
    ) -> types.CodeAction:
        """An entry as an action of that title; with its edit, where the client cannot ask for it later. Raises EditError."""
        action = types.CodeAction(shown, kind=entry.refactoring.kind)
        if not self._state.capabilities.resolves_edits:
            action.edit = self._edit(document, entry)
            return action
        first, last = lines_of_range(document.lines, chosen)
        action.data = {
            "copydesk": KIND, "uri": document.uri, "version": document.version, "lines": [first, last],
            "columns": self._columns(document, chosen), "digest": _digest(document.lines.lines[first - 1 : last]),
            "title": entry.title, "offset": entry.line - first,
        }  # fmt: skip
        return action

    def _edit(self, document: OpenDocument, entry: MenuEntry) -> types.WorkspaceEdit:
        """Its edit, for the document as it stands. Raises EditError."""
        lines, encoding = document.lines, self._state.encoding
        majority = majority_terminator(lines.lines)
        edits = [
            TextEdit(
                lines.clamp(Position(edit.first - 1, 0), encoding),
                lines.clamp(Position(max(edit.last, edit.first - 1), 0), encoding),
                _localised(lines.lines, edit, majority),
            )
            for edit in entry.edits
        ]
        return workspace_edit(document, edits, encoding)

    async def resolve(self, data: Mapping[str, Any]) -> types.WorkspaceEdit:
        """The edit of an action that was chosen. Raises JsonRpcInvalidParams; StoppedError where its lines have changed."""
        try:
            uri, version, digest = data["uri"], data["version"], data["digest"]
            first, last = int(data["lines"][0]), int(data["lines"][1])
            columns = (int(data["columns"][0]), int(data["columns"][1])) if data["columns"] else None
            wanted = data["title"], data["offset"]
            if not isinstance(uri, str) or not isinstance(version, int):
                raise TypeError
        except (KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
            raise JsonRpcInvalidParams("the data is not what came with the action") from error
        document = self._state.documents.get(uri)
        changes = document.changes_since(version) if document is not None else None
        if document is None or changes is None:
            raise modified()
        there = move_range((first, last), changes)
        count = len(document.lines)
        if there is None or not 1 <= there[0] <= there[1] <= count:
            raise modified()
        if _digest(document.lines.lines[there[0] - 1 : there[1]]) != digest or not self.serves(document):
            raise modified()
        now = document.version
        found = await self._compute(document, there, columns)
        entry = next((one for one in found if (one.title, one.line - there[0]) == wanted), None)
        if entry is None or document.version != now:
            raise modified()
        return self._edit(document, entry)

    async def _compute(
        self, document: OpenDocument, selected: Range, columns: Columns | None
    ) -> list[MenuEntry]:
        def menu(lines: tuple[str, ...], tree: Tree) -> list[MenuEntry]:
            from copydesk.refactorings.menu import menu_at_line, menu_for_expression, menu_for_lines

            if columns is None:
                return menu_for_lines(lines, tree, selected)
            named = menu_for_expression(lines, tree, selected[0], *columns)
            return [*named, *menu_at_line(lines, tree, selected[0])]

        return await self._trees.compute(document, menu, [])


def _localised(lines: Sequence[str], edit: LineEdit, majority: str) -> str:
    replaced = lines[edit.first - 1 : edit.last]
    previous = lines[edit.first - 2] if edit.first > 1 else None
    behind = lines[edit.last] if edit.last < len(lines) else None
    return localise(edit.text, replaced, previous, majority, behind)


def _digest(lines: Sequence[str]) -> str:
    return hashlib.sha256("".join(lines).encode("utf-8", "replace")).hexdigest()
