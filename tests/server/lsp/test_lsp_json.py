"""Documents of JSON in the language server, with the real engine and the embedded model: no edit breaks them."""

from __future__ import annotations

import json

import pytest

from lsp_client import LspClient
from lsp_desk import applied

TEXT = (
    json.dumps(
        {"name": "x", "version": "1.0.0", "scripts": {"build": "tsc", "test": "jest"}, "private": True},
        indent=2,
    )
    + "\n"
)


@pytest.mark.parametrize(("language", "name"), [("json", "package.json"), ("jsonc", "settings.jsonc")])
def test_an_edit_of_a_json_document_parses(language: str, name: str) -> None:
    with LspClient(host=None) as client:
        client.ignore("textDocument/publishDiagnostics", "copydesk/status")
        client.settings = {"precompute": False, "model": "mini"}
        client.initialize(encodings=["utf-16"])
        uri = client.open(f"untitled:{name}", TEXT, language)
        edited = 0
        for first, last in ((3, 7), (1, 4), (0, 8)):
            asked = {
                "textDocument": {"uri": uri, "version": 1},
                "range": {
                    "start": {"line": first, "character": 0},
                    "end": {"line": last, "character": 0},
                },
                "instruction": "rename build to compile",
            }
            answer = client.request("copydesk/edit", asked)
            assert answer["status"] in ("edited", "unchanged"), answer
            if answer["status"] == "edited":
                assert answer["verdict"] == "checked"
                json.loads(applied(TEXT, answer["edit"], 1, uri))
                edited += 1
        assert edited, "the model changed nothing: the test says nothing"
