"""`textDocument/didOpen`, `didChange` and `didClose`."""

from __future__ import annotations

from collections.abc import Callable

from lsprotocol import types

from copydesk_server.lsp.documents import Documents


def did_open(documents: Documents) -> Callable[[types.DidOpenTextDocumentParams], None]:
    """The client edits a document from now on."""

    def handle(params: types.DidOpenTextDocumentParams) -> None:
        documents.open(params.text_document)

    return handle


def did_change(documents: Documents) -> Callable[[types.DidChangeTextDocumentParams], None]:
    """The client's text has changed, one change after the other."""

    def handle(params: types.DidChangeTextDocumentParams) -> None:
        documents.change(params.text_document.uri, params.text_document.version, params.content_changes)

    return handle


def did_close(documents: Documents) -> Callable[[types.DidCloseTextDocumentParams], None]:
    """The document's text is the file system's again."""

    def handle(params: types.DidCloseTextDocumentParams) -> None:
        documents.close(params.text_document.uri)

    return handle
