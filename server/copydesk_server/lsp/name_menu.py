"""What may be meant by a name or an attribute that nothing defines, as code actions: every candidate, found by syntax alone.

The engine chooses among the same candidates; where there are several, none of them is preferred.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from copydesk.request import Diagnostic
from copydesk.text.document import Position, TextEdit, localise, majority_terminator
from copydesk.text.line_edit import LineEdit
from copydesk_server.lsp.documents import OpenDocument
from copydesk_server.lsp.session_state import SessionState
from copydesk_server.lsp.workspace_imports import WorkspaceImports

MOST_BYTES = 1 << 19
"""Larger documents are not parsed for a menu."""
MOST_ENTRIES = 8


@dataclass(frozen=True, slots=True)
class NameEntry:
    """One candidate: what it does, in words, and the lines it changes."""

    title: str
    edits: tuple[LineEdit, ...]


class NameMenu:
    """The candidates for each finding about a name."""

    def __init__(self, state: SessionState, imports: WorkspaceImports) -> None:
        self._state, self._imports = state, imports

    async def entries(
        self, document: OpenDocument, diagnostics: Sequence[Diagnostic]
    ) -> dict[Diagnostic, list[NameEntry]]:
        """What may be done about those that are about names. None where the document changes meanwhile. Raises: never."""
        most = min(MOST_BYTES, self._state.settings.of(document.uri).max_document_bytes)
        if document.language != "python" or document.forgotten or document.size.bytes > most:
            return {}
        # Not before it is needed: `initialize` has no time for imports.
        from copydesk.quickfixes.kinds import NAME_KINDS, DiagnosticKind, classify

        about = {*NAME_KINDS, DiagnosticKind.UNKNOWN_ATTRIBUTE}
        asked = [each for each in diagnostics if classify(each) in about]
        if not asked:
            return {}
        lines, version = tuple(document.lines.lines), document.version
        root, path = self._imports.root(document), document.path

        def compute() -> dict[Diagnostic, list[NameEntry]]:
            return {each: self._entries(each, lines, root, path) for each in asked}

        found = await asyncio.to_thread(compute)
        return found if document.version == version else {}

    def edits(self, document: OpenDocument, entry: NameEntry) -> list[TextEdit]:
        """An entry's edits of the document, in the client's encoding."""
        lines, encoding = document.lines, self._state.encoding
        majority = majority_terminator(lines.lines)
        found = []
        for edit in entry.edits:
            previous = lines.lines[edit.first - 2] if edit.first > 1 else None
            behind = lines.lines[edit.last] if edit.last < len(lines.lines) else None
            replaced = lines.lines[edit.first - 1 : edit.last]
            begin = lines.clamp(Position(edit.first - 1, 0), encoding)
            end = lines.clamp(Position(max(edit.last, edit.first - 1), 0), encoding)
            found.append(TextEdit(begin, end, localise(edit.text, replaced, previous, majority, behind)))
        return found

    def _entries(
        self, diagnostic: Diagnostic, lines: Sequence[str], root: Path | None, path: Path | None
    ) -> list[NameEntry]:
        from copydesk.errors import CopydeskError
        from copydesk.quickfixes.registry import quick_fixes
        from copydesk.quickfixes.scope import diagnostic_scope
        from copydesk.request import normalise_scope
        from copydesk.syntax.tree import parse

        asked = diagnostic
        if root is not None:
            (asked,) = self._imports.informed([diagnostic], root, path, "".join(lines), read=False)
        fixes = quick_fixes(asked, lines, "python", parse(lines, "python"))
        try:
            scope = normalise_scope(diagnostic_scope(fixes), len(lines))
        except CopydeskError:
            return []
        candidates = next(fixes.candidates(scope), None)
        found: dict[str, NameEntry] = {}
        for edits in candidates.edits if candidates is not None else ():
            title = _title(edits, lines, diagnostic.start.line + 1)
            found.setdefault(title, NameEntry(title, edits))
        return list(found.values())[:MOST_ENTRIES]


def _title(edits: Sequence[LineEdit], lines: Sequence[str], flagged: int) -> str:
    (edit, *_) = edits
    new = edit.text.rstrip("\r\n")
    if edit.first != flagged or edit.last < edit.first:
        return f"Import: {new.strip()}"
    old = lines[flagged - 1].rstrip("\r\n")
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    begin, end = head, len(new) - tail
    while begin > 0 and (new[begin - 1].isidentifier() or new[begin - 1] in "0123456789."):
        begin -= 1
    while end < len(new) and (new[end].isidentifier() or new[end].isdigit()):
        end += 1
    return f"Change to {new[begin:end]}"
