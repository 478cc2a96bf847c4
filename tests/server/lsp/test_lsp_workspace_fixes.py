"""All fixes of one kind in the opened folders, over a real server: one edit of several files that a person sees first, made
without any model.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from copydesk.text.document import Encoding, Position, TextEdit, apply_edits
from lsp_client import FULL, LspClient, ResponseError

SETTINGS = {"precompute": False}
TITLE = "Fix all in the workspace, with a preview: unused import (copydesk)"
NOTHING = "no fix that is confirmed and safe"
FILES = {
    "a.py": "import os\nimport sys\n\nprint(sys.argv)\n",
    "pkg/b.py": "import os, re\r\nimport sys\r\n\r\nprint(re, '𝒳é')\r\n",
    "pkg/__init__.py": "import os\n",
    "pkg/clean.py": "import os\n\nprint(os.sep)\n",
    "kept.py": "import os  # noqa: F401\n",
    "shared.py": "import json\nimport re\n",
    "user.py": "from shared import json\n\nprint(json)\n",
    "bom.py": "\ufeffimport os\nx = 1\n",
    "latin.py": "import os\nname = 'é'\n",
    "ignored.py": "import os\n",
}
FIXED = {
    "a.py": "import sys\n\nprint(sys.argv)\n",
    "pkg/b.py": "import re\r\n\r\nprint(re, '𝒳é')\r\n",
    "bom.py": "x = 1\n",
    "shared.py": "import json\n",
}
UNSAVED = "import os\nimport json\n\nprint(json)\n"


def capabilities(*, annotations: bool, resolves: bool = True) -> dict[str, Any]:
    made = copy.deepcopy(FULL)
    workspace, actions = made["workspace"], made["textDocument"]["codeAction"]  # type: ignore[index]
    if annotations:
        workspace["workspaceEdit"]["changeAnnotationSupport"] = {}  # type: ignore[index]
        actions["honorsChangeAnnotations"] = True  # type: ignore[index]
    if not resolves:
        del actions["resolveSupport"]  # type: ignore[attr-defined]
    return made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(text.encode("latin-1" if name == "latin.py" else "utf-8"))
    (tmp_path / "ruff.toml").write_text('exclude = ["ignored.py"]\n')
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/target.txt").write_text("import os\n")
    (tmp_path / "link.py").symlink_to(tmp_path / "outside/target.txt")
    return tmp_path


def unused(line: int = 0, source: str = "Ruff", code: str = "F401") -> dict[str, Any]:
    place = {"start": {"line": line, "character": 7}, "end": {"line": line, "character": 9}}
    said = "`os` imported but unused"
    return {"range": place, "message": said, "code": code, "source": source, "severity": 2}


def action(client: LspClient, uri: str, diagnostic: dict[str, Any] | None = None) -> dict[str, Any] | None:
    params = {
        "textDocument": {"uri": uri},
        "range": (diagnostic or unused())["range"],
        "context": {"diagnostics": [diagnostic or unused()], "only": ["quickfix"], "triggerKind": 1},
    }
    found = client.request("textDocument/codeAction", params)
    return next((one for one in found if one["title"] == TITLE), None)


def known(client: LspClient, uri: str) -> dict[str, Any]:
    found = action(client, uri)
    assert found is not None
    return found


def applied(text: str, edits: list[Any], encoding: Encoding = Encoding.UTF16) -> str:
    def place(at: Any) -> Position:
        return Position(at["line"], at["character"])

    made = [TextEdit(place(e["range"]["start"]), place(e["range"]["end"]), e["newText"]) for e in edits]
    return apply_edits(text, made, encoding)


def texts(edit: dict[str, Any], folder: Path, encoding: Encoding, opened: dict[str, str]) -> dict[str, str]:
    """What the files come to, by name; those that are open by their text there."""
    found = {}
    for change in edit["documentChanges"]:
        name = change["textDocument"]["uri"].removeprefix(folder.as_uri() + "/")
        text = opened.get(name, FILES[name]).removeprefix("\ufeff")
        found[name] = applied(text, change["edits"], encoding)
    return found


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_one_edit_of_all_files_which_its_person_is_to_see_first(folder: Path, encoding: str) -> None:
    with LspClient() as client:
        client.settings = SETTINGS
        client.initialize(capabilities(annotations=True), encodings=[encoding], folders=[folder])
        a = client.open((folder / "a.py").as_uri(), FILES["a.py"], version=3)
        clean = client.open((folder / "pkg/clean.py").as_uri(), "", version=7)
        client.change(clean, {"text": UNSAVED})
        chosen = known(client, a)
        assert "edit" not in chosen
        assert "isPreferred" not in chosen
        edit = client.request("codeAction/resolve", chosen)["edit"]
    found = texts(edit, folder, Encoding(encoding), {"pkg/clean.py": UNSAVED})
    # Not: what ruff leaves out, what `noqa` excuses, links, other encodings than UTF-8; what an `__init__.py` may
    # re-export, and what another file imports from here.
    assert found == {**FIXED, "pkg/clean.py": "import json\n\nprint(json)\n"}
    versions = {one["textDocument"]["uri"]: one["textDocument"]["version"] for one in edit["documentChanges"]}
    assert {uri: version for uri, version in versions.items() if version is not None} == {a: 3, clean: 8}
    annotations = edit["changeAnnotations"]
    used = {one["annotationId"] for change in edit["documentChanges"] for one in change["edits"]}
    assert used == set(annotations)
    assert all(one["needsConfirmation"] is True for one in annotations.values())


def test_a_client_without_annotations_is_asked_by_a_message(folder: Path) -> None:
    with LspClient() as client:
        client.settings = SETTINGS
        client.reply("window/showMessageRequest", lambda params: params["actions"][0])
        client.reply("workspace/applyEdit", lambda params: {"applied": True})
        client.initialize(capabilities(annotations=False), folders=[folder])
        a = client.open((folder / "a.py").as_uri(), FILES["a.py"])
        assert "edit" not in client.request("codeAction/resolve", known(client, a))
        asked = client.asked("window/showMessageRequest")
        assert asked["message"] == "copydesk: fix 5 findings (unused import) in 4 files?"
        assert [one["title"] for one in asked["actions"]] == ["Apply", "Cancel"]
        applying = client.asked("workspace/applyEdit")
        assert texts(applying["edit"], folder, Encoding.UTF16, {}) == FIXED
        assert "changeAnnotations" not in applying["edit"]
        assert applying["label"] == "copydesk: fix 5 findings (unused import) in 4 files"
        client.change(a, {"text": FIXED["a.py"]})


@pytest.mark.parametrize("what", ["cancel", "document", "file"])
def test_nothing_is_applied_where_the_person_or_a_text_is_against_it(folder: Path, what: str) -> None:
    with LspClient() as client:
        client.settings = SETTINGS

        def answer(params: Any) -> Any:
            if what == "document":
                client.change(a, {"text": FILES["a.py"] + "\n"})
            elif what == "file":
                (folder / "bom.py").write_text("import os\nx = 2\n")
            return params["actions"][1 if what == "cancel" else 0]

        client.reply("window/showMessageRequest", answer)
        client.initialize(capabilities(annotations=False), folders=[folder])
        a = client.open((folder / "a.py").as_uri(), FILES["a.py"])
        client.request("codeAction/resolve", known(client, a))
        client.asked("window/showMessageRequest")
        if what != "cancel":
            client.wait("window/showMessage", lambda params: "nothing was applied" in params["message"])
        client.barrier()
        # An edit that was sent would have had no answer ready, which fails at the client's end.


def test_a_command_for_who_cannot_resolve_with_progress(folder: Path) -> None:
    with LspClient() as client:
        client.settings = SETTINGS
        client.reply("workspace/applyEdit", lambda params: {"applied": True})
        client.ignore("$/progress")
        client.initialize(capabilities(annotations=True, resolves=False), folders=[folder])
        a = client.open((folder / "a.py").as_uri(), FILES["a.py"])
        command = known(client, a)["command"]
        client.request(
            "workspace/executeCommand",
            {"command": command["command"], "arguments": command["arguments"], "workDoneToken": "w"},
        )
        applying = client.asked("workspace/applyEdit")
        edit = applying["edit"]
        assert texts(edit, folder, Encoding.UTF16, {}) == FIXED
        assert all(one["needsConfirmation"] for one in edit["changeAnnotations"].values())
        reports = [params["value"] for params in client.notes("$/progress") if params["token"] == "w"]
        assert [reports[0]["kind"], reports[-1]["kind"]] == ["begin", "end"]
        assert reports[0]["cancellable"] is True
        assert any("of" in one.get("message", "") for one in reports[1:-1])
        client.change(a, {"text": FIXED["a.py"]})


def test_it_is_cancelled_by_the_person(folder: Path) -> None:
    with LspClient() as client:
        client.settings = SETTINGS
        client.ignore("$/progress")
        client.initialize(capabilities(annotations=True, resolves=False), folders=[folder])
        a = client.open((folder / "a.py").as_uri(), FILES["a.py"])
        command = known(client, a)["command"]
        asked = {"command": command["command"], "arguments": command["arguments"], "workDoneToken": "w"}
        ident = client.ask("workspace/executeCommand", asked)
        client.notify("window/workDoneProgress/cancel", {"token": "w"})
        with pytest.raises(ResponseError) as stopped:
            client.answer(ident)
        assert stopped.value.code == -32800


def test_a_kind_that_another_tool_reported_is_ruffs_to_find(folder: Path) -> None:
    """Under its own rule, whether or not the folder's configuration selects it."""
    (folder / "ruff.toml").write_text('[lint]\nselect = ["E711"]\n')
    with LspClient() as client:
        client.settings = SETTINGS
        client.initialize(capabilities(annotations=True), folders=[folder])
        a = client.open((folder / "a.py").as_uri(), FILES["a.py"])
        said = unused(source="pyflakes", code="")
        del said["code"]
        chosen = action(client, a, said)
        assert chosen is not None
        edit = client.request("codeAction/resolve", chosen)["edit"]
        found = texts(edit, folder, Encoding.UTF16, {})
        assert found == {**FIXED, "ignored.py": ""}
        client.ignore("window/showMessage")
        # ruff itself does not report it under this configuration.
        own = client.request("codeAction/resolve", known(client, a))
        assert "edit" not in own
        assert NOTHING in client.notes("window/showMessage")[-1]["message"]


def test_what_is_not_safe_is_left_alone(folder: Path) -> None:
    """`== None` may mean something else than `is None`."""
    (folder / "none.py").write_text("def f(x):\n    return x == None\n")
    with LspClient() as client:
        client.settings = SETTINGS
        client.initialize(capabilities(annotations=True), folders=[folder])
        uri = client.open((folder / "none.py").as_uri(), (folder / "none.py").read_text())
        place = {"start": {"line": 1, "character": 16}, "end": {"line": 1, "character": 20}}
        said = {"range": place, "message": "Comparison to `None` should be `cond is None`", "code": "E711"}
        params = {
            "textDocument": {"uri": uri},
            "range": place,
            "context": {"diagnostics": [{**said, "source": "Ruff", "severity": 2}], "triggerKind": 1},
        }
        actions = client.request("textDocument/codeAction", params)
        (chosen,) = [one for one in actions if "in the workspace" in one["title"]]
        assert "edit" not in client.request("codeAction/resolve", chosen)
        assert NOTHING in client.wait("window/showMessage")["message"]


@pytest.mark.parametrize("why", ["untrusted", "no folder", "elsewhere", "by itself", "no rule"])
def test_where_it_is_not_offered(folder: Path, tmp_path_factory: pytest.TempPathFactory, why: str) -> None:
    with LspClient() as client:
        client.settings = SETTINGS
        options = {"untrusted": True} if why == "untrusted" else {}
        folders = [] if why == "no folder" else [folder]
        client.initialize(capabilities(annotations=True), folders=folders, options=options)
        place = tmp_path_factory.mktemp("elsewhere") if why == "elsewhere" else folder
        uri = client.open((place / "a.py").as_uri(), FILES["a.py"])
        said = unused(source="pylint", code="made-up") if why == "no rule" else unused()
        if why == "no rule":
            said["message"] = "nobody knows"
        params = {
            "textDocument": {"uri": uri},
            "range": said["range"],
            "context": {"diagnostics": [said], "triggerKind": 2 if why == "by itself" else 1},
        }
        found = client.request("textDocument/codeAction", params)
        assert not [one for one in found if "in the workspace" in one["title"]]
        # Nor is it made for a client that asks all the same.
        data = {"copydesk": "fixWorkspace", "uri": uri, "version": 1, "diagnostic": {}}
        with pytest.raises(ResponseError) as refused:
            client.request("codeAction/resolve", {"title": "x", "data": data})
        assert refused.value.code == -32602
        if why != "by itself":
            start, end = said["range"]["start"], said["range"]["end"]
            finding = {"start": start, "end": end, "message": said["message"], "severity": 2}
            finding |= {"code": said["code"], "source": said["source"]}
            with pytest.raises(ResponseError) as refused:
                client.request("codeAction/resolve", {"title": "x", "data": {**data, "diagnostic": finding}})
            assert refused.value.code == -32602
