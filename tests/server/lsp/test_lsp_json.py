"""Documents of JSON in the language server, with the real engine and the embedded model: no edit breaks them, and none is made
that a person has not chosen."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from copydesk.schemas.catalogue import schema_for
from copydesk.schemas.problems import valid
from copydesk_server.lsp.uris import uri_of
from fake_engine import INFO
from lsp_client import LspClient
from lsp_desk import applied, desk, edit, span

pytestmark = pytest.mark.slow

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
        client.initialize(encodings=["utf-16"], options={"alternatives": True})
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
            assert answer["verdict"] in ("unsure", "unchanged"), answer
            for one in answer["alternatives"]:
                assert one["verdict"] == "checked"
                json.loads(applied(TEXT, one["edit"], 1, uri))
                edited += 1
        assert edited, "the model changed nothing: the test says nothing"


@pytest.mark.parametrize("held", [True, False])
def test_an_edit_of_a_package_json_keeps_its_schema(held: bool) -> None:
    """The embedded model writes into `engines` and `private`, where the schema allows objects of strings and booleans."""
    text = TEXT.replace('"private": true', '"engines": {"node": ">=20"},\n  "private": true')
    schema = schema_for("package.json")
    assert schema is not None
    with LspClient(host=None) as client:
        client.ignore("textDocument/publishDiagnostics", "copydesk/status")
        client.settings = {"precompute": False, "model": "mini", "temperature": 1.5, "jsonSchemas": held}
        client.initialize(encodings=["utf-16"], options={"alternatives": True})
        uri = client.open("file:///site/package.json", text, "json")
        edited = valid_after = 0
        for first, last in ((7, 9), (7, 8), (3, 8), (8, 9)):
            asked = {
                "textDocument": {"uri": uri, "version": 1},
                "range": {"start": {"line": first, "character": 0}, "end": {"line": last, "character": 0}},
                "instruction": "rename build to compile",
            }
            answer = client.request("copydesk/edit", asked)
            for one in answer["alternatives"]:
                edited += 1
                after = applied(text, one["edit"], 1, uri)
                json.loads(after)
                valid_after += valid(schema, after)
                assert ("schema" in one["checks"]) == held
        assert edited, "the model changed nothing: the test says nothing"
        if held:
            assert valid_after == edited


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("true", "1", "private: 1 is not valid"),
        ('"version"', '"name"', "the key 'name' stands twice in one object"),
        ("true", "false", None),
    ],
)
def test_what_breaks_the_schema_is_refused_in_words(
    tmp_path: Path, old: str, new: str, reason: str | None
) -> None:
    """Whatever an engine answers, and the person is told why."""

    async def scenario() -> None:
        async with desk(judge=None) as d:
            d.engine.info = replace(INFO, languages=("json",))
            uri = uri_of(tmp_path / "package.json")
            d.open(TEXT, uri, "json")
            asked = {
                "textDocument": {"uri": uri, "version": 1},
                "range": span((0, 0), (8, 0)),
                "instruction": "an edit of the test's",
            }
            ident = d.ask("copydesk/edit", asked)
            job = await d.engine.job(0)
            line = TEXT[: TEXT.index(old)].count("\n")
            column = TEXT.splitlines()[line].index(old)
            job.edited(edit((line, column), (line, column + len(old)), new))
            result = (await d.answer(ident))["result"]
            if reason is None:
                assert (result["status"], result["verdict"], "schema" in result["checks"]) == (
                    "edited", "checked", True,
                )  # fmt: skip
            else:
                assert (result["status"], result["verdict"], result["edit"]) == ("refused", "refused", None)
                assert reason in result["reason"]

    asyncio.run(scenario())
