"""`copydesk/visibleRanges`: what of a document the person sees. Fixes there are computed first, and its pages kept warm."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lsprotocol import types

from copydesk_server.engine_process.client import Engine
from copydesk_server.lsp.capabilities import dig, listed
from copydesk_server.lsp.diagnostics import DiagnosticStore
from copydesk_server.lsp.documents import Documents
from copydesk_server.lsp.message_types import Structure
from copydesk_server.lsp.workspace_edits import lines_of_range


def copydesk_visible_ranges(
    structure: Structure, documents: Documents, engine: Engine, diagnostics: DiagnosticStore
) -> Callable[[Any], None]:
    """Raises JsonRpcInvalidParams for ranges that are not LSP's."""

    def handle(params: Any) -> None:
        uri = dig(params, "uri")
        ranges = [structure(item, types.Range) for item in listed(dig(params, "ranges"))]
        if isinstance(uri, str):
            diagnostics.see(uri, ranges)
            document = documents.get(uri)
            if document is not None:
                engine.look_at(document.id, [lines_of_range(document.lines, seen) for seen in ranges])

    return handle
