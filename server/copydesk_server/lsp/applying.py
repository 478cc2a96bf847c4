"""Whether a client did what `workspace/applyEdit` asked for. Its reply is not believed, the text that follows is compared.

Neovim skips an edit for a version that is gone and still says it applied it, and its changes arrive after its reply; VS Code says
no, and its changes arrive before. So: once the text at that place is what it was to become, all is well. If the reply says no and
nothing has changed there, or the first change after the reply leaves it as it was, the person is told, once.
"""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from copydesk.text.document import Change, Encoding, Position, TextEdit, TextLines, apply_edits, split_lines
from copydesk_server.edit_titles import changed_lines, edit_title
from copydesk_server.engine_process.edit_outcome import EditOutcome
from copydesk_server.lsp.client import Client
from copydesk_server.lsp.documents import OpenDocument
from copydesk_server.lsp.session_state import SessionState
from copydesk_server.lsp.workspace_edits import UNSAFE, workspace_edit


class Applying:
    """All edits that were sent to be applied and are not seen in the text yet."""

    def __init__(self, state: SessionState, client: Client) -> None:
        self._state, self._client = state, client
        self._waiting: list[Expected] = []
        state.documents.subscribe(lambda _: None, self._on_change, self._on_close)

    async def apply(self, document: OpenDocument, outcome: EditOutcome, *, refactoring: bool) -> None:
        """Have the client apply it. refactoring: nothing was wrong with the code. Returns when the client has replied. Raises
        EditError for edits that do not fit.
        """
        capabilities, encoding = self._state.capabilities, self._state.encoding
        caution = UNSAFE if outcome.applicability == "unsafe" and capabilities.change_annotations else None
        edit = workspace_edit(document, outcome.edits, encoding, caution)
        if not capabilities.apply_edit:
            self._client.say_once("no-apply-edit", "copydesk: this editor cannot apply edits from a server.")
            return
        expected = Expected(document, outcome.edits, encoding)
        self._waiting.append(expected)
        label = f"copydesk: {edit_title(changed_lines(document.lines, outcome.edits, encoding))}"
        metadata = (
            types.WorkspaceEditMetadata(is_refactoring=refactoring) if capabilities.edit_metadata else None
        )
        self._replied(expected, await self._client.apply_edit(edit, label, metadata))

    async def apply_files(
        self,
        opened: Sequence[tuple[OpenDocument, Sequence[TextEdit]]],
        edit: types.WorkspaceEdit,
        label: str,
    ) -> None:
        """Have the client apply an edit of several files, which changes these open documents. Returns when the client has
        replied.
        """
        expected = [Expected(document, edits, self._state.encoding) for document, edits in opened]
        self._waiting += expected
        metadata = types.WorkspaceEditMetadata(is_refactoring=False)
        known = self._state.capabilities.edit_metadata
        applied = await self._client.apply_edit(edit, label, metadata if known else None)
        for one in expected:
            self._replied(one, applied)

    def _replied(self, expected: Expected, applied: bool) -> None:
        expected.replied = True
        if expected in self._waiting and not applied and not expected.there:
            self._tell(expected)

    def _on_change(self, document: OpenDocument, changes: list[Change], _edits: list[TextEdit]) -> None:
        for expected in [e for e in self._waiting if e.document is document]:
            expected.changed(changes)
            if expected.there:
                self._waiting.remove(expected)
            elif expected.replied:
                self._tell(expected)

    def _on_close(self, document: OpenDocument) -> None:
        self._waiting = [e for e in self._waiting if e.document is not document]

    def _tell(self, expected: Expected) -> None:
        self._waiting.remove(expected)
        self._client.show_message(
            f"copydesk: the edit of {expected.document.name} was not applied: the text had changed."
        )


class Expected:
    """What a stretch of a document is to become. `there`: it has, as far as was seen."""

    def __init__(self, document: OpenDocument, edits: Sequence[TextEdit], encoding: Encoding) -> None:
        self.document = document
        self.replied = False
        self.there = False
        lines = document.lines.lines
        first = edits[0].start.line
        last = max(edit.end.line + (edit.end.character > 0) for edit in edits)
        own = TextLines("".join(lines[first:last]))
        shifted = [TextEdit(_up(e.start, first), _up(e.end, first), e.new_text) for e in edits]
        self._after = split_lines(apply_edits(own.text, shifted, encoding))
        self._height = len(own)
        self._tops = {
            first
        }  # where it may begin: new lines just there may be the edit's own, or the person's above it

    def changed(self, changes: Sequence[Change]) -> None:
        """The document has. One notification, so the edit is in it as a whole or not at all."""
        met = False
        for change in changes:
            grown = change.new_count - (change.old_end - change.first)
            tops: set[int] = set()
            for top in self._tops:
                if change.first == change.old_end == top:
                    tops |= {top, top + grown}
                    met = True
                elif change.old_end <= top:
                    tops.add(top + grown)
                else:
                    tops.add(top)
                    met = met or change.first <= top + max(self._height, len(self._after))
            self._tops = tops
        lines, count = self.document.lines.lines, len(self._after)
        self.there = met and any(lines[top : top + count] == self._after for top in self._tops)


def _up(position: Position, by: int) -> Position:
    return Position(position.line - by, position.character)
