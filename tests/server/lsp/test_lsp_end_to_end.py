"""Over stdio, with the real engine and the embedded model: from a diagnostic to the text a person has afterwards.

One server for the whole file, since loading a model takes seconds.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from copydesk.text.document import Encoding, apply_edits
from lsp_client import FULL, LspClient, ResponseError
from lsp_desk import applied, edit
from server_tools import the_ruff

NUMBERS = itertools.count(1)
NONE = "def first(x, y):\n    if x == None:\n        return y\n    return x\n"
UNUSED = "import os\nimport sys\n\n\ndef run() -> None:\n    sys.exit(1)\n"


@pytest.fixture(scope="module")
def client() -> Iterator[LspClient]:
    with LspClient(host=None) as client:
        client.ignore("textDocument/publishDiagnostics", "copydesk/status")
        client.settings = {"precompute": False}
        client.initialize(encodings=["utf-16"])
        yield client


def opened(client: LspClient, text: str) -> str:
    return client.open(f"untitled:doc{next(NUMBERS)}.py", text)


def found(text: str, code: str) -> dict[str, Any]:
    """What ruff says of it, as a client has it."""
    (one,) = the_ruff().check(text, None, select=code)
    return {
        "range": {
            "start": {"line": one.start.line, "character": one.start.character},
            "end": {"line": one.end.line, "character": one.end.character},
        },
        "message": one.message,
        "code": one.code,
        "source": "Ruff",
        "severity": 2,
    }


def action_for(client: LspClient, uri: str, diagnostic: dict[str, Any]) -> dict[str, Any]:
    params = {
        "textDocument": {"uri": uri},
        "range": diagnostic["range"],
        "context": {"diagnostics": [diagnostic], "only": ["quickfix"]},
    }
    (action,) = client.request("textDocument/codeAction", params)
    return action


@pytest.mark.parametrize(
    ("text", "code", "expected"),
    [
        (NONE, "E711", NONE.replace("== None", "is None")),
        (UNUSED, "F401", UNUSED.replace("import os\n", "")),
        (
            UNUSED.replace("\n", "\r\n"),
            "F401",
            UNUSED.replace("import os\n", "").replace("\n", "\r\n"),
        ),
    ],
)
def test_a_diagnostic_becomes_an_edit(client: LspClient, text: str, code: str, expected: str) -> None:
    uri = opened(client, text)
    action = action_for(client, uri, found(text, code))
    assert action["title"].startswith("Look for a fix: ")
    resolved = client.request("codeAction/resolve", without_edit(action))
    assert applied(text, resolved["edit"], 1, uri) == expected


def without_edit(action: dict[str, Any]) -> dict[str, Any]:
    """As it comes where the edit is not known in time: it has to be asked for."""
    return {key: value for key, value in action.items() if key != "edit"}


def test_the_edit_moves_with_its_lines_while_it_is_made(client: LspClient) -> None:
    uri = opened(client, NONE)
    ident = client.ask("codeAction/resolve", without_edit(action_for(client, uri, found(NONE, "E711"))))
    head = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
    client.change(uri, {"range": head, "text": "# 😀\n"})
    resolved = client.answer(ident)
    (change,) = resolved["edit"]["documentChanges"]
    version = change["textDocument"]["version"]
    text = {1: NONE, 2: "# 😀\n" + NONE}[version]
    assert applied(text, resolved["edit"], version, uri) == text.replace("== None", "is None")


def test_a_change_of_the_very_line_ends_it(client: LspClient) -> None:
    uri = opened(client, NONE)
    action = action_for(client, uri, found(NONE, "E711"))
    spot = {"start": {"line": 1, "character": 7}, "end": {"line": 1, "character": 8}}
    client.change(uri, {"range": spot, "text": "z"})
    with pytest.raises(ResponseError) as refused:
        client.request("codeAction/resolve", without_edit(action))
    assert refused.value.code == -32801


def test_a_streamed_edit(client: LspClient) -> None:
    uri = opened(client, NONE)
    answer = client.request(
        "copydesk/edit",
        {
            "textDocument": {"uri": uri, "version": 1},
            "diagnostic": found(NONE, "E711"),
            "token": "stream",
            "workDoneToken": "bar",
        },
    )
    assert (answer["status"], answer["verdict"], answer["version"]) == ("edited", "confirmed", 1)
    assert answer["checks"] == ["syntax", "ruff"]
    assert applied(NONE, answer["edit"], 1, uri) == NONE.replace("== None", "is None")
    assert "<program>" in answer["program"]
    assert {"forwards", "covered", "generated"} <= set(answer["counts"])
    hunks = client.notes("copydesk/hunk")
    assert hunks, "the hunk was final before the result"
    assert [hunk["seq"] for hunk in hunks] == list(range(len(hunks)))
    shown = [one for hunk in hunks for one in hunk["edit"]["edits"]]
    (change,) = answer["edit"]["documentChanges"]
    assert shown == change["edits"], "nothing was shown that did not come to be"


def test_the_most_probable_edits_are_named_over_the_wire(client: LspClient) -> None:
    """Finitely many: each with its exact probability. What the model writes: by the local law."""
    text = "totla = 1\ntotlb = 2\ntotlc = 3\n\n\ndef f():\n    return totl\n"
    uri = opened(client, text)
    where = {"textDocument": {"uri": uri, "version": 1}}
    misspelt = {"diagnostic": found(text, "F821"), "candidates": 16}
    result = client.request("copydesk/edit", {**where, **misspelt})
    named = {applied(text, one["edit"], 1, uri): one["probability"] for one in result["alternatives"]}
    assert set(named) == {text.replace("return totl", f"return totl{end}") for end in "abc"}
    assert sum(named.values()) == pytest.approx(1.0, abs=1e-6)
    assert list(named.values()) == sorted(named.values(), reverse=True)
    assert (result["law"], result["exact"], result["alternatives"][0]["edit"]) == (
        "exact",
        True,
        result["edit"],
    )
    lines = {"range": {"start": {"line": 5, "character": 0}, "end": {"line": 7, "character": 0}}}
    request = {**where, **lines, "instruction": "return zero", "candidates": 3}
    result = client.request("copydesk/edit", request)
    probabilities = [one["probability"] for one in result["alternatives"]]
    assert len({one["program"] for one in result["alternatives"]}) == len(probabilities) == 3
    assert probabilities == sorted(probabilities, reverse=True)
    assert (result["law"], sum(probabilities) <= 1.0) == ("local", True)
    if result["status"] == "refused":
        client.wait("window/showMessage")  # there is a better model


def test_a_cancelled_edit_is_answered_once_and_the_engine_goes_on(client: LspClient) -> None:
    uri = opened(client, NONE)
    action = without_edit(action_for(client, uri, found(NONE, "E711")))
    ident = client.ask("codeAction/resolve", action)
    client.cancel(ident)
    # The answer may have been on its way already; `test_lsp_jobs.py` knows the very moment.
    assert error_of(client, ident) in (None, -32800)
    resolved = client.request("codeAction/resolve", action)
    assert applied(NONE, resolved["edit"], 1, uri) == NONE.replace("== None", "is None")


def error_of(client: LspClient, ident: int) -> int | None:
    """The code of the error a request is answered with; None for a result."""
    try:
        client.answer(ident)
    except ResponseError as error:
        return error.code
    return None


def test_ahead_of_the_person_and_through_apply_edit() -> None:
    """A client that cannot resolve: the server applies; and once the fix is known it comes with the action."""
    capabilities = {
        **FULL,
        "textDocument": {
            "codeAction": {"codeActionLiteralSupport": {}, "isPreferredSupport": True, "dataSupport": True}
        },
    }
    with LspClient(host=None) as client:
        client.initialize(capabilities, encodings=["utf-8"])
        uri = opened(client, NONE)
        diagnostic = found(NONE, "E711")
        action = action_for(client, uri, diagnostic)
        client.reply("workspace/applyEdit", lambda params: {"applied": True})
        # With its edit where that was computed in time, else as a command.
        data = action["data"] if "edit" in action else action["command"]["arguments"][0]
        command = {"command": "copydesk.server.apply", "arguments": [data]}
        assert client.request("workspace/executeCommand", command) is None
        asked = client.asked("workspace/applyEdit")
        assert applied(NONE, asked["edit"], 1, uri) == NONE.replace("== None", "is None")
        (change,) = asked["edit"]["documentChanges"]
        (one,) = change["edits"]
        client.change(uri, {"range": one["range"], "text": one["newText"]})
        start, end = (one["range"][name]["character"] for name in ("start", "end"))
        back = NONE.split("\n")[one["range"]["start"]["line"]][start:end]
        client.change(uri, {"range": one["range"] | {"end": end_of(one)}, "text": back})
        client.notify("copydesk/diagnostics", {"uri": uri, "version": 3, "diagnostics": [diagnostic]})
        deadline = time.monotonic() + 60
        while "edit" not in (action := action_for(client, uri, diagnostic)):
            assert time.monotonic() < deadline, "nothing was computed ahead"
            client.news()
        assert action["title"] == "Replace `==` with `is` (copydesk)"
        assert "isPreferred" not in action, "ruff calls its fix unsafe"
        assert (action["data"]["verdict"], action["data"]["applicability"]) == ("confirmed", "unsafe")
        assert applied(NONE, action["edit"], 3, uri) == NONE.replace("== None", "is None")


def end_of(one: dict[str, Any]) -> dict[str, int]:
    start = one["range"]["start"]
    return {"line": start["line"], "character": start["character"] + len(one["newText"].encode())}


def test_positions_are_in_the_clients_units() -> None:
    text = NONE.replace("x == None", "x['😀é'] == None")
    for encoding in ("utf-8", "utf-32"):
        with LspClient(host=None) as client:
            client.settings = {"precompute": False}
            client.initialize(encodings=[encoding])
            uri = opened(client, text)
            diagnostic = found(text, "E711")
            line = text.split("\n")[1]
            for end in diagnostic["range"].values():
                head = line[: end["character"]]
                end["character"] = len(head.encode()) if encoding == "utf-8" else len(head)
            resolved = client.request("codeAction/resolve", action_for(client, uri, diagnostic))
            (change,) = resolved["edit"]["documentChanges"]
            edits = [
                edit(
                    (e["range"]["start"]["line"], e["range"]["start"]["character"]),
                    (e["range"]["end"]["line"], e["range"]["end"]["character"]),
                    e["newText"],
                )
                for e in change["edits"]
            ]
            assert apply_edits(text, edits, Encoding(encoding)) == text.replace("== None", "is None")


def test_with_lint_on_ruffs_own_fix_is_the_edit(tmp_path: Path) -> None:
    """The embedded model has never learnt this rule."""
    text = "def same(x):\n    return 3 == x\n"
    (tmp_path / "ruff.toml").write_text('[lint]\nselect = ["SIM300"]\n')
    with LspClient(host=None) as client:
        client.ignore("copydesk/status")
        client.settings = {"precompute": False, "lint": "on"}
        client.initialize(encodings=["utf-16"])
        uri = client.open((tmp_path / "a.py").as_uri(), text)
        said = client.wait("textDocument/publishDiagnostics", lambda params: params["diagnostics"])
        resolved = client.request("codeAction/resolve", action_for(client, uri, said["diagnostics"][0]))
        assert applied(text, resolved["edit"], 1, uri) == text.replace("3 == x", "x == 3")
        client.close(uri)
        client.wait("textDocument/publishDiagnostics")
