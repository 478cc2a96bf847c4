"""Ghost text: the fixes that are there already, where a person types and where all they do is put text in.

A request is answered with what was computed ahead (`prefetch.py`) or proven for a menu (`fix_menu.py`), and never waits: only
what the tool that found the problem was run again for, and what keeps the meaning. Editors ask when something is typed, which is
before any tool has spoken, and LSP has no way to have them ask again. A client of ours is told when there is more to show at the
place of its last question.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from lsprotocol import types

from copydesk.errors import CopydeskError
from copydesk.request import Diagnostic
from copydesk.text.document import Change, Position, TextEdit
from copydesk_server.lsp.capabilities import ACCEPTED
from copydesk_server.lsp.client import Client
from copydesk_server.lsp.diagnostics import DiagnosticStore
from copydesk_server.lsp.documents import OpenDocument
from copydesk_server.lsp.fix_menu import FixMenu
from copydesk_server.lsp.ghost_text import Insertion, extending, insertion
from copydesk_server.lsp.methods import INLINE_COMPLETIONS
from copydesk_server.lsp.prefetch import Prefetch
from copydesk_server.lsp.session_state import SessionState
from copydesk_server.lsp.workspace_edits import lsp_range


@dataclass(slots=True)
class _Asked:
    """The last question about a document, and what has been shown of its version. told: the client was told of more."""

    version: int
    position: types.Position
    told: bool = False
    shown: set[Insertion] = field(default_factory=set)


class InlineCompletions:
    """Offers ghost text. shown and accepted: how many items, each counted once a version; kept in memory alone."""

    def __init__(
        self,
        state: SessionState,
        client: Client,
        diagnostics: DiagnosticStore,
        prefetch: Prefetch,
        menu: FixMenu,
    ) -> None:
        self._state, self._client = state, client
        self._diagnostics, self._prefetch, self._menu = diagnostics, prefetch, menu
        self._asked: dict[str, _Asked] = {}  # by URI
        self.shown = self.accepted = 0
        state.documents.subscribe(lambda _: None, self._on_change, self._on_close)
        prefetch.subscribe(self._on_prefetched)

    def items(self, params: types.InlineCompletionParams) -> list[types.InlineCompletionItem]:
        """What is known of the place, at once. Raises: never."""
        document = self._state.documents.get(params.text_document.uri)
        if document is None or not self._wanted(document):
            return []
        asked = self._asked.get(document.uri)
        if asked is None:
            asked = self._asked[document.uri] = _Asked(document.version, params.position)
        asked.position, asked.told = params.position, False
        found = self._insertions(document, params.position, params.context.selected_completion_info)
        self.shown += len(set(found) - asked.shown)
        asked.shown.update(found)
        return [self._item(document, one) for one in found]

    def accept(self) -> None:
        """The client's person has taken an item."""
        self.accepted += 1

    def _wanted(self, document: OpenDocument) -> bool:
        return self._state.settings.of(document.uri).inline_completions and not document.forgotten

    def _insertions(
        self,
        document: OpenDocument,
        place: types.Position,
        selected: types.SelectedCompletionInfo | None,
    ) -> list[Insertion]:
        """Those that show at `place`, each once."""
        lines, encoding = document.lines, self._state.encoding
        line, column = lines.locate(Position(place.line, place.character), encoding)
        found: dict[Insertion, None] = {}
        for diagnostic, edits in self._confirmed(document):
            try:
                one = insertion(lines, edits, encoding, line, column)
            except CopydeskError:
                continue
            # A fix is kept for as long as its lines are; its finding may be gone for something that was done elsewhere.
            if one is None or not self._diagnostics.reports(document, diagnostic):
                continue
            if selected is not None:
                extended = self._extending(document, one, selected)
                if extended is None:
                    continue
                one = extended
            found.setdefault(one)
        return list(found)

    def _confirmed(self, document: OpenDocument) -> Iterator[tuple[Diagnostic, tuple[TextEdit, ...]]]:
        for diagnostic, outcome in self._prefetch.fixes(document):
            if (outcome.verdict, outcome.applicability) == ("confirmed", "safe"):
                yield diagnostic, outcome.edits
        for diagnostic, fix in self._menu.proven(document):
            judged = fix.judgement
            if judged is not None and (judged.verdict, judged.applicability) == ("confirmed", "safe"):
                yield diagnostic, fix.edits

    def _extending(
        self, document: OpenDocument, one: Insertion, selected: types.SelectedCompletionInfo
    ) -> Insertion | None:
        start, end = selected.range.start, selected.range.end
        if start.line != one.line or end.line != one.line:
            return None
        first, last = (
            document.lines.locate(Position(place.line, place.character), self._state.encoding)[1]
            for place in (start, end)
        )
        return extending(document.lines, one, first, last, selected.text)

    def _item(self, document: OpenDocument, one: Insertion) -> types.InlineCompletionItem:
        lines, encoding = document.lines, self._state.encoding
        start, end = (lines.position(one.line, column, encoding) for column in (one.start, one.end))
        command = types.Command("copydesk: count what is accepted", ACCEPTED)
        return types.InlineCompletionItem(one.text, range=lsp_range(start, end), command=command)

    # -- meanwhile -----------------------------------------------------------------------------------------------------

    def _on_prefetched(self, document: OpenDocument) -> None:
        """Have the client ask again where it would be answered otherwise than it was."""
        asked = self._asked.get(document.uri)
        if (
            asked is None
            or asked.told
            or not self._state.capabilities.refreshes_inline_completions
            or not self._wanted(document)
        ):
            return
        if set(self._insertions(document, asked.position, None)) - asked.shown:
            asked.told = True
            self._client.notify(
                INLINE_COMPLETIONS,
                {
                    "uri": document.uri,
                    "version": document.version,
                    "position": {"line": asked.position.line, "character": asked.position.character},
                },
            )

    def _on_change(self, document: OpenDocument, _changes: list[Change], _edits: list[TextEdit]) -> None:
        self._asked.pop(document.uri, None)

    def _on_close(self, document: OpenDocument) -> None:
        self._asked.pop(document.uri, None)
