"""A folder that is not trusted: neither its project file nor any configuration of ruff counts, whichever way a client says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from copydesk_server.errors import RuffError
from copydesk_server.lsp import project
from copydesk_server.lsp.client_capabilities import ClientCapabilities
from copydesk_server.ruff import Ruff
from lsp_client import BARE, LspClient
from server_tools import the_ruff

TEXT = "import os\n\n\ndef same(x):\n    return x == None\n"
CANARY = "what nobody outside may read"
BASE = {"lint": "on", "precompute": False}
BARE_CLIENT: dict[str, Any] = {
    **BARE,
    "textDocument": {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Its configuration of ruff is one that lies outside, and selects one rule; its project file adds a recipe."""
    (tmp_path / "outside.toml").write_text('[lint]\nselect = ["E711"]\n')
    made = tmp_path / "folder"
    made.mkdir()
    (made / "ruff.toml").write_text('extend = "../outside.toml"\n')
    (made / project.FILE).write_text('[[recipes]]\ntitle = "theirs"\ninstruction = "i"\n')
    return made


def codes(client: LspClient) -> set[str]:
    said = client.wait("textDocument/publishDiagnostics", lambda params: params["diagnostics"])
    return {found["code"] for found in said["diagnostics"]}


def titles(client: LspClient, uri: str) -> str:
    params = {
        "textDocument": {"uri": uri},
        "range": {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}},
        "context": {"diagnostics": [], "only": ["refactor.rewrite"]},
    }
    return " ".join(action["title"] for action in client.request("textDocument/codeAction", params))


@pytest.mark.parametrize(
    ("options", "untrusted"),
    [
        ({"settings": BASE}, False),
        ({"settings": BASE, "untrusted": False}, False),
        ({"settings": BASE, "untrusted": True}, True),
        ({"settings": BASE, "untrusted": "yes"}, True),
        ({"settings": {**BASE, "untrusted": True}}, True),
    ],
)
def test_what_lies_in_the_folder_counts_only_where_it_is_trusted(
    options: dict[str, Any], untrusted: bool, folder: Path
) -> None:
    with LspClient() as client:
        client.ignore("textDocument/publishDiagnostics")
        client.initialize(BARE_CLIENT, folders=[folder], options=options)
        uri = client.open((folder / "a.py").as_uri(), TEXT)
        assert codes(client) == ({"F401"} if untrusted else {"E711"})
        assert ("theirs" in titles(client, uri)) is not untrusted


def test_trust_that_is_given_and_taken_away_counts_at_once(folder: Path) -> None:
    with LspClient() as client:
        client.ignore("textDocument/publishDiagnostics")
        client.initialize(BARE_CLIENT, folders=[folder], options={"settings": {**BASE, "untrusted": True}})
        uri = client.open((folder / "a.py").as_uri(), TEXT)
        assert codes(client) == {"F401"}
        for untrusted, wanted in ((False, {"E711"}), (True, {"F401"})):
            values = {"copydesk": {**BASE, "untrusted": untrusted}}
            client.notify("workspace/didChangeConfiguration", {"settings": values})
            assert codes(client) == wanted
            assert ("theirs" in titles(client, uri)) is not untrusted


def test_a_client_that_says_untrusted_is_not_overruled_by_settings(folder: Path) -> None:
    with LspClient() as client:
        client.ignore("textDocument/publishDiagnostics")
        client.initialize(BARE_CLIENT, folders=[folder], options={"settings": BASE, "untrusted": True})
        values = {"copydesk": {**BASE, "untrusted": False}}
        client.notify("workspace/didChangeConfiguration", {"settings": values})
        uri = client.open((folder / "a.py").as_uri(), TEXT)
        assert codes(client) == {"F401"}
        assert "theirs" not in titles(client, uri)


def test_a_folder_cannot_say_that_it_is_trusted(folder: Path) -> None:
    """Neither by its own values of the setting, nor by its file."""
    (folder / project.FILE).write_text("untrusted = false\n")
    with LspClient() as client:
        client.ignore("textDocument/publishDiagnostics", "window/showMessage")
        values = {None: {**BASE, "untrusted": True}, folder.as_uri(): {**BASE, "untrusted": False}}
        client.reply(
            "workspace/configuration",
            lambda params: [values.get(item.get("scopeUri")) for item in params["items"]],
        )
        client.initialize({**BARE_CLIENT, "workspace": {"configuration": True}}, folders=[folder])
        client.open((folder / "a.py").as_uri(), TEXT)
        assert codes(client) == {"F401"}


@pytest.mark.parametrize("value", [True, 1, "no", None, [], {}])
def test_what_is_not_false_is_untrusted(value: Any) -> None:
    """A client that says it in the wrong words is on the safe side."""
    params = {"capabilities": {}, "initializationOptions": {"copydesk": {"untrusted": value}}}
    assert ClientCapabilities(params).untrusted


def test_an_isolated_ruff_reads_nothing_of_a_folder(tmp_path: Path) -> None:
    """Where it would read configuration, it opens what that extends, and says what it cannot parse there."""
    (tmp_path / "secret").write_text(CANARY)
    (tmp_path / "ruff.toml").write_text('extend = "secret"\n')
    found = the_ruff()
    with pytest.raises(RuffError, match="extended configuration"):
        found.check(TEXT, tmp_path / "a.py")
    isolated = Ruff(found.program, isolated=True)
    assert [d.code for d in isolated.check(TEXT, tmp_path / "a.py")] == ["F401"]
    assert isolated.check("def f(x): ...\n", tmp_path / "a.pyi", select="PYI021") == []
    (tmp_path / "a.py").write_text(TEXT)
    assert [d.code for _, d in isolated.survey([tmp_path / "a.py"])] == ["F401"]
