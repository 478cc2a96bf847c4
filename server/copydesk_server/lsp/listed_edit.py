"""Edits that a menu has named, but that come only once they are chosen.

As a rule an action has its edit with it, and the client applies it where the version is still the one the edit is for. Neovim
does not compare version 0, which is that of every buffer until its first change: there the edit stays here, and the version is
compared when the edit is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pygls.exceptions import JsonRpcInvalidParams

from copydesk.text.document import Position, TextEdit
from copydesk_server.applicability import Applicability
from copydesk_server.lsp.documents import OpenDocument
from copydesk_server.lsp.edit_errors import modified
from copydesk_server.lsp.edit_requests import OURS, EditRequests

KIND = "listed"
"""What an action's data says it is."""


def listed_data(
    document: OpenDocument, edits: Sequence[TextEdit], applicability: Applicability
) -> dict[str, Any]:
    """Edits of the document as it stands, as an action's data."""
    return {
        OURS: KIND,
        "uri": document.uri,
        "version": document.version,
        "edits": [
            [one.start.line, one.start.character, one.end.line, one.end.character, one.new_text]
            for one in edits
        ],
        "applicability": applicability,
    }


def listed_edit(data: Any, requests: EditRequests) -> tuple[OpenDocument, Sequence[TextEdit], Applicability]:
    """What the data is for. Raises JsonRpcInvalidParams; StoppedError where the document has changed."""
    try:
        uri, version = data["uri"], data["version"]
        applicability: Applicability = "unsafe" if data["applicability"] == "unsafe" else "safe"
        edits = [
            TextEdit(Position(int(line), int(character)), Position(int(to_line), int(to_character)), text)
            for line, character, to_line, to_character, text in data["edits"]
        ]
        if not isinstance(uri, str) or not isinstance(version, int):
            raise TypeError
        if not all(isinstance(edit.new_text, str) for edit in edits):
            raise TypeError
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise JsonRpcInvalidParams("the data is not what came with the action") from error
    document, changes = requests.document(uri, version)
    if changes:
        raise modified()
    return document, edits, applicability
