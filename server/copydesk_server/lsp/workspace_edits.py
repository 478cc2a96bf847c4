"""The only module that makes LSP edits: always with the version they are for, as `documentChanges`. Only a rename in several
files, for a client that knows no `documentChanges`, comes without.

Each edit is held against the mirror before it leaves: it must lie where it says, on whole characters, beside the others. An
engine that went wrong is caught here, before a client could apply what nobody asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lsprotocol import types

from copydesk.request import Range
from copydesk.text.document import Encoding, Position, TextEdit, TextLines, apply_edits
from copydesk_server.errors import EditError
from copydesk_server.lsp.documents import OpenDocument

UNSAFE = "The code may mean something else after this edit."
"""Why a person is asked before an unsafe edit."""
CAUTION = "copydesk.unsafe"
REVIEW = "copydesk.review"
"""The ids of the annotations: of an unsafe edit, and of an edit of many files. Each has the person asked."""


def workspace_edit(
    document: OpenDocument, edits: Sequence[TextEdit], encoding: Encoding, caution: str | None = None
) -> types.WorkspaceEdit:
    """`edits`, for the document as it stands, in the client's encoding. caution: why the person is to be asked before they are
    applied; for clients alone that know annotations. Raises EditError for edits that do not fit the document.
    """
    check_edits(document.lines, edits, encoding)
    change = text_document_edit(document.uri, document.version, edits)
    edit = types.WorkspaceEdit(document_changes=[change])
    return edit if caution is None else _annotated(edit, CAUTION, "copydesk: unsafe", caution)


def text_document_edit(uri: str, version: int | None, edits: Iterable[TextEdit]) -> types.TextDocumentEdit:
    """Edits of one version of a document, or of a file that is not open, unchecked: a preview may be for a version that is
    gone.
    """
    return types.TextDocumentEdit(
        types.OptionalVersionedTextDocumentIdentifier(uri=uri, version=version),
        [types.TextEdit(lsp_range(edit.start, edit.end), edit.new_text) for edit in edits],
    )


def edit_of_files(
    opened: Sequence[tuple[OpenDocument, Sequence[TextEdit]]],
    closed: Sequence[tuple[str, Sequence[TextEdit]]],
    encoding: Encoding,
    *,
    document_changes: bool,
) -> types.WorkspaceEdit:
    """Edits of open documents as they stand, and of files, by URI, as they lie on disk. Raises EditError."""
    for document, edits in opened:
        check_edits(document.lines, edits, encoding)
    changes = [text_document_edit(document.uri, document.version, edits) for document, edits in opened]
    changes += [text_document_edit(uri, None, edits) for uri, edits in closed]
    if document_changes:
        return types.WorkspaceEdit(document_changes=changes)
    return types.WorkspaceEdit(
        changes={
            change.text_document.uri: [edit for edit in change.edits if isinstance(edit, types.TextEdit)]
            for change in changes
        }
    )


def reviewed(edit: types.WorkspaceEdit, label: str) -> types.WorkspaceEdit:
    """The same edit of files, which its client is to show its person before it is applied."""
    return _annotated(edit, REVIEW, f"copydesk: {label}", "Confirmed by the linter, and safe.")


def _annotated(edit: types.WorkspaceEdit, ident: str, label: str, description: str) -> types.WorkspaceEdit:
    changes = []
    for change in edit.document_changes or ():
        assert isinstance(change, types.TextDocumentEdit)
        annotated = [
            types.AnnotatedTextEdit(ident, one.range, one.new_text)
            for one in change.edits
            if isinstance(one, types.TextEdit)
        ]
        changes.append(types.TextDocumentEdit(change.text_document, annotated))
    annotation = types.ChangeAnnotation(label, needs_confirmation=True, description=description)
    return types.WorkspaceEdit(document_changes=changes, change_annotations={ident: annotation})


def check_edits(
    lines: TextLines, edits: Sequence[TextEdit], encoding: Encoding, scope: Sequence[Range] | None = None
) -> None:
    """Whether `edits` can be applied to `lines` as they are: in order, apart, each position a place of the text.

    scope: also that they touch nothing else. Raises EditError.
    """
    done = Position(0, 0)
    for edit in edits:
        if edit.end < edit.start or edit.start < done:
            raise EditError("edits that overlap or are out of order")
        if lines.clamp(edit.start, encoding) != edit.start or lines.clamp(edit.end, encoding) != edit.end:
            raise EditError("an edit at a place the document does not have")
        if scope is not None and not any(_within(edit, allowed) for allowed in scope):
            raise EditError("an edit outside of what was asked")
        done = edit.end


def text_after(lines: TextLines, edits: Sequence[TextEdit], encoding: Encoding) -> str:
    """The text once `edits` are applied. Raises DocumentError."""
    return apply_edits(lines.text, edits, encoding)


def lsp_range(start: Position, end: Position) -> types.Range:
    """A range in LSP's types."""
    return types.Range(types.Position(start.line, start.character), types.Position(end.line, end.character))


def lines_of_range(lines: TextLines, chosen: types.Range) -> Range:
    """The 1-based lines a selection covers; one that ends at the start of a line does not cover that line.

    The line of a bare cursor; (1, 0) for an empty document. Beyond the end is the end.
    """
    first, last = chosen.start.line, chosen.end.line
    if chosen.end.character == 0 and last > first:
        last -= 1
    count = len(lines)
    first = max(0, min(first, count - 1))
    last = max(first, min(last, count - 1))
    return (first + 1, last + 1) if count else (1, 0)


def _within(edit: TextEdit, scope: Range) -> bool:
    first, last = scope
    return edit.start.line >= first - 1 and (edit.end.line, edit.end.character) <= (last, 0)
