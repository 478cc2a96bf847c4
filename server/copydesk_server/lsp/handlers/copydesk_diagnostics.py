"""`copydesk/diagnostics`: all that a client of ours knows of a document. What cannot be read is left out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lsprotocol import types

from copydesk_server.lsp.capabilities import dig, listed
from copydesk_server.lsp.diagnostics import DiagnosticStore
from copydesk_server.lsp.message_types import Structure


def copydesk_diagnostics(structure: Structure, diagnostics: DiagnosticStore) -> Callable[[Any], None]:
    """Raises JsonRpcInvalidParams for diagnostics that are not LSP's."""

    def handle(params: Any) -> None:
        uri, version = dig(params, "uri"), dig(params, "version")
        found = [structure(item, types.Diagnostic) for item in listed(dig(params, "diagnostics"))]
        if isinstance(uri, str) and (version is None or isinstance(version, int)):
            diagnostics.push(uri, version, found)

    return handle
