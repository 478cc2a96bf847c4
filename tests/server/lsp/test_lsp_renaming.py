"""`textDocument/rename` over a real server: several files as one edit, refusals in words, what a client can do."""

from __future__ import annotations

import contextlib
import copy
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from copydesk.text.document import Encoding, Position, TextEdit, apply_edits
from lsp_client import DEADLINE, FULL, LspClient, ResponseError

REFUSED = -32803
SETTINGS = {"precompute": False}


def project(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LspClient]:
    """One client and its server for all tests of `opened`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(cache_folder(tmp_path_factory)))
        with LspClient() as client:
            client.settings = SETTINGS
            client.initialize()
            yield client


@pytest.fixture
def opened(shared: LspClient, tmp_path: Path) -> Iterator[LspClient]:
    """A client whose one folder is the test's own, meanwhile."""
    folder = {"uri": tmp_path.as_uri(), "name": tmp_path.name}
    folders_changed(shared, added=[folder])
    yield shared
    for uri in [uri for uri in shared.versions if uri.startswith(tmp_path.as_uri())]:
        shared.close(uri)
        del shared.versions[uri]
    folders_changed(shared, removed=[folder])


def folders_changed(client: LspClient, **event: Any) -> None:
    event = {"added": [], "removed": [], **event}
    client.notify("workspace/didChangeWorkspaceFolders", {"event": event})


def ask(client: LspClient, uri: str, line: int, character: int, new: str) -> Any:
    place = {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}, "newName": new}
    return client.request("textDocument/rename", place)


def applied(text: str, edits: list[Any], encoding: Encoding = Encoding.UTF16) -> str:
    def place(at: Any) -> Position:
        return Position(at["line"], at["character"])

    made = [
        TextEdit(place(e["range"]["start"]), place(e["range"]["end"]), e["newText"])
        for e in sorted(edits, key=lambda e: (e["range"]["start"]["line"], e["range"]["start"]["character"]))
    ]
    return apply_edits(text, made, encoding)


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's cache folder, one for all tests."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache_folder(tmp_path_factory)))


def cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.getbasetemp() / "cache"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("document_changes", [True, False])
def test_several_files_with_unsaved_texts(tmp_path: Path, encoding: str, document_changes: bool) -> None:
    files = {
        "a.py": "def old():\n    pass\n",
        "b.py": "from a import old\n",
        "c.py": "import a\n\n'𝒳é', a.old()\n",
    }
    project(tmp_path, files)
    capabilities = copy.deepcopy(FULL)
    capabilities["workspace"]["workspaceEdit"]["documentChanges"] = document_changes  # type: ignore[index]
    unsaved = "from a import old\n\nold()\n"
    with LspClient() as client:
        client.settings = SETTINGS
        client.initialize(capabilities, encodings=[encoding], folders=[tmp_path])
        a, b, c = ((tmp_path / name).as_uri() for name in files)
        client.open(a, files["a.py"], version=3)
        client.open(b, "", version=7)
        client.change(b, {"text": unsaved})
        edit = ask(client, a, 0, 5, "new")
    if document_changes:
        assert set(edit) == {"documentChanges"}
        versions = {
            change["textDocument"]["uri"]: change["textDocument"]["version"]
            for change in edit["documentChanges"]
        }
        assert versions == {a: 3, b: 8, c: None}
        changes = {change["textDocument"]["uri"]: change["edits"] for change in edit["documentChanges"]}
    else:
        assert set(edit) == {"changes"}
        changes = edit["changes"]
    known = Encoding(encoding)
    assert applied(files["a.py"], changes[a], known) == "def new():\n    pass\n"
    assert applied(unsaved, changes[b], known) == "from a import new\n\nnew()\n"
    assert applied(files["c.py"], changes[c], known) == "import a\n\n'𝒳é', a.new()\n"


@pytest.mark.parametrize(
    ("files", "line", "character", "new", "reason"),
    [
        ({"a.py": "class A:\n    def old(self): pass\n", "b.py": "def f(z):\n    z.old()\n"}, 1, 9, "new", "b.py:2"),
        ({"a.py": "old = 1\n"}, 0, 0, "class", "keyword"),
        ({"a.py": "old = 1\nnew = 2\n"}, 0, 0, "new", "a.py:2"),
        ({"a.py": "import os\n"}, 0, 8, "new", "module"),
        ({"a.py": "'old'\n"}, 0, 2, "new", "no name to rename"),
        ({"a.py": "x\n"}, 5, 0, "new", "no name at this place"),
    ],
)  # fmt: skip
def test_refusals_are_words(
    opened: LspClient,
    tmp_path: Path,
    files: dict[str, str],
    line: int,
    character: int,
    new: str,
    reason: str,
) -> None:
    project(tmp_path, files)
    uri = opened.open((tmp_path / "a.py").as_uri(), files["a.py"])
    with pytest.raises(ResponseError, match="copydesk renames nothing: ") as error:
        ask(opened, uri, line, character, new)
    assert error.value.code == REFUSED
    assert reason in error.value.message


def test_where_there_is_something_to_rename(tmp_path: Path) -> None:
    text = "import os\n\ndef f(𝒳):\n    return x.name + 'x' + os.sep\n"
    with LspClient() as client:
        client.settings = SETTINGS
        said = client.initialize(
            {**FULL, "textDocument": {**FULL["textDocument"], "rename": {"prepareSupport": True}}}
        )
        assert said["renameProvider"] == {"prepareProvider": True, "workDoneProgress": True}
        uri = client.open("untitled:a.py", text)

        def prepare(line: int, character: int) -> Any:
            place = {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}
            return client.request("textDocument/prepareRename", place)

        def span(line: int, start: int, end: int) -> Any:
            return {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}

        assert prepare(2, 5) == {"range": span(2, 4, 5), "placeholder": "f"}
        assert prepare(3, 15) == {"range": span(3, 13, 17), "placeholder": "name"}
        for place, reason in (
            ((0, 8), "module"),
            ((3, 21), "no name to rename"),
            ((1, 0), "no name at this place"),
        ):
            with pytest.raises(ResponseError, match=reason):
                prepare(*place)
        with pytest.raises(ResponseError, match="Python reads"):
            prepare(2, 6)
        other = client.open("untitled:a.js", "x", "javascript")
        with pytest.raises(ResponseError, match="Python alone"):
            client.request(
                "textDocument/prepareRename",
                {"textDocument": {"uri": other}, "position": {"line": 0, "character": 0}},
            )


def test_a_client_without_prepare_support_is_told_less() -> None:
    with LspClient() as client:
        assert client.initialize()["renameProvider"] is True


def test_a_change_meanwhile_makes_it_void(tmp_path: Path) -> None:
    project(tmp_path, {"a.py": "def old(): pass\n", "b.py": "import a\na.old()\n"})
    with LspClient() as client:
        client.settings = SETTINGS
        client.initialize(folders=[tmp_path])
        a = client.open((tmp_path / "a.py").as_uri(), "def old(): pass\n")
        b = client.open((tmp_path / "b.py").as_uri(), "import a\na.old()\n")
        place = {"textDocument": {"uri": a}, "position": {"line": 0, "character": 5}, "newName": "new"}
        ident = client.ask("textDocument/rename", place)
        client.change(b, {"text": "import a\na.old()\na.old()\n"})
        with pytest.raises(ResponseError) as error:
            client.answer(ident)
        assert error.value.code == -32801
        assert len(client.request("textDocument/rename", place)["documentChanges"][1]["edits"]) == 2


def workers(pid: int) -> list[psutil.Process]:
    """The processes below `pid` that rename."""
    found = []
    for child in psutil.Process(pid).children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if any("renaming.worker" in word for word in child.cmdline()):
                found.append(child)
    return found


def test_a_cancelled_rename_leaves_no_process(tmp_path: Path) -> None:
    names = "\n".join(f"v{k} = [old, {k}]" for k in range(4000))
    project(tmp_path, {"a.py": f"old = 1\n{names}\n", "b.py": "def f(z):\n" + "    z.old\n" * 900})
    with LspClient() as client:
        client.settings = SETTINGS
        client.initialize(folders=[tmp_path])
        a = client.open((tmp_path / "a.py").as_uri(), f"old = 1\n{names}\n")
        place = {"textDocument": {"uri": a}, "position": {"line": 0, "character": 1}, "newName": "new"}
        ident = client.ask("textDocument/rename", place)
        while not (started := workers(client.process.pid)):
            os.sched_yield()
        client.cancel(ident)
        with pytest.raises(ResponseError) as error:
            client.answer(ident)
        assert error.value.code == -32800
        assert client.request("copydesk/status")
    for worker in started:
        worker.wait(DEADLINE)


@pytest.mark.parametrize(
    ("instruction", "lines", "reason"),
    [
        ("rename old to new", (0, 1), "used elsewhere, too (b.py)"),
        ("please rename the function `old` to `new` everywhere.", (0, 1), "used elsewhere, too (b.py)"),
        ("rename x to y", (3, 4), "used elsewhere, too (b.py)"),
        ("rename old to class", (0, 1), "keyword"),
    ],
)
def test_an_instruction_renames_no_definition_without_its_callers(
    opened: LspClient, tmp_path: Path, instruction: str, lines: tuple[int, int], reason: str
) -> None:
    files = {
        "a.py": "def old():\n    pass\n\ndef f(x):\n    return x\n",
        "b.py": "import a\n\na.old()\na.f(x=1)\n",
    }
    project(tmp_path, files)
    uri = opened.open((tmp_path / "a.py").as_uri(), files["a.py"])
    span = {"start": {"line": lines[0], "character": 0}, "end": {"line": lines[1], "character": 3}}
    where = {"textDocument": {"uri": uri, "version": 1}, "range": span}
    answer = opened.request("copydesk/edit", {**where, "instruction": instruction})
    assert answer["status"] == "refused"
    assert reason in answer["reason"]
