"""Settings: one schema as the source; where values come from; what a project may say; what a person is told."""

from __future__ import annotations

import os
import types as stdlib_types
import typing
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine_programs
from copydesk_server.lsp import project, reference, schema
from copydesk_server.lsp.settings import (
    Project,
    Recipe,
    Settings,
    SettingsStore,
    defaults,
    python_name,
    read,
    settings_schema,
)
from lsp_client import BARE, FULL, LspClient, ResponseError
from repository import ROOT

PROPERTIES: dict[str, Any] = settings_schema()["properties"]
PYTHON_TYPES = {"null": type(None), "boolean": bool, "integer": int, "number": float, "string": str}


# -- the schema is the source ------------------------------------------------------------------------------------------


def test_the_dataclass_is_the_schemas() -> None:
    assert {python_name(name) for name in PROPERTIES} == {field.name for field in fields(Settings)}
    hints = typing.get_type_hints(Settings)
    for name, rule in PROPERTIES.items():
        hint = hints[python_name(name)]
        if "enum" in rule:
            assert hint is str
        elif rule["type"] == "array":
            assert typing.get_origin(hint) is tuple
            element = Recipe if rule["items"]["type"] == "object" else PYTHON_TYPES[rule["items"]["type"]]
            assert typing.get_args(hint) == (element, ...)
        else:
            named = rule["type"] if isinstance(rule["type"], list) else [rule["type"]]
            have = set(typing.get_args(hint)) if isinstance(hint, stdlib_types.UnionType) else {hint}
            assert have == {PYTHON_TYPES[one] for one in named}, name


def test_defaults_are_valid_and_every_setting_is_described() -> None:
    for name, rule in PROPERTIES.items():
        assert not list(schema.faults(rule["default"], rule)), name
        assert rule["description"].endswith("."), name
        assert rule["scope"] in ("machine", "resource"), name
    assert read({name: rule["default"] for name, rule in PROPERTIES.items()}) == (defaults(), [])
    assert defaults().lint == "auto"


def test_the_schema_uses_no_word_that_is_not_checked() -> None:
    checked = {
        "type", "enum", "minimum", "exclusiveMinimum", "maximum", "minLength", "maxLength", "maxItems", "items",
        "required", "properties", "additionalProperties",
    }  # fmt: skip
    told = {"description", "default", "scope", "title", "$schema"}

    def walk(rule: dict[str, Any]) -> None:
        assert set(rule) <= checked | told
        for inner in rule.get("properties", {}).values():
            walk(inner)
        if "items" in rule:
            walk(rule["items"])

    walk(dict(settings_schema()))


def test_the_reference_page_is_not_stale() -> None:
    written = (ROOT / "SETTINGS.md").read_text("utf-8")
    assert written == reference.page(), "python -m copydesk_server.lsp.reference > SETTINGS.md"


# -- values ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "fault"),
    [
        ("model", 7, "must be of type string or null"),
        ("device", "tpu", "must be one of `auto`, `cpu`, `cuda`"),
        ("cacheBytes", 5, "must be at least 1048576"),
        ("cacheBytes", True, "must be of type integer or null"),
        ("candidates", 0, "must be at least 1"),
        ("candidates", 1.5, "must be of type integer"),
        ("candidates", 99, "must be at most 16"),
        ("temperature", -1, "must be at least 0"),
        ("temperature", float("nan"), "must be at least 0"),
        ("topP", 0, "must be more than 0"),
        ("precompute", "yes", "must be of type boolean"),
        ("lint", True, "must be one of `off`, `auto`, `on`"),
        ("engine.command", "ssh gpubox", "must be of type array"),
        ("engine.command", ["ssh", ""], "[1] must not be empty"),
        ("ignoredSources", "cSpell", "must be of type array"),
        ("ignoredSources", [""], "[0] must not be empty"),
        ("recipes", [{"title": "t"}], "[0] needs `instruction`"),
        (
            "recipes",
            [{"title": "t", "instruction": "i", "model": "m"}],
            "[0] has `model`, which is not known",
        ),
        ("recipes", [{"title": "t" * 81, "instruction": "i"}], "[0] `title` must have at most 80 characters"),
        ("recipes", [{"title": "t", "instruction": "i"}] * 65, "must have at most 64 entries"),
    ],
)
def test_what_is_not_valid_falls_back_alone(name: str, value: Any, fault: str) -> None:
    found, wrong = read({name: value, "temperature" if name != "temperature" else "topP": 0.5})
    assert wrong == [f"`{name}` {fault}"]
    assert getattr(found, python_name(name)) == getattr(defaults(), python_name(name))
    assert 0.5 in (found.temperature, found.top_p)


@given(
    st.dictionaries(
        st.sampled_from([*PROPERTIES, "other"]), st.none() | st.integers() | st.text() | st.lists(st.text())
    )
)
def test_reading_never_fails_and_never_quotes_values(values: dict[str, Any]) -> None:
    found, wrong = read(values)
    for name in PROPERTIES:
        value = getattr(found, python_name(name))
        if any(text.startswith(f"`{name}` ") for text in wrong):
            assert value == getattr(defaults(), python_name(name))
    assert "other" not in " ".join(wrong)


@pytest.mark.parametrize("values", [None, {}, {"trace": {"server": "off"}}, {"model": ""}])
def test_nothing_said_means_the_defaults(values: Any) -> None:
    assert read(values) == (defaults(), [])


@pytest.mark.parametrize(
    ("values", "command"),
    [
        ({"engine": {"command": ["ssh", "gpubox"]}}, ("ssh", "gpubox")),
        ({"engine.command": ["ssh", "gpubox"]}, ("ssh", "gpubox")),
        ({"engine": {}}, ()),
        ({"engine": ["ssh"]}, ()),
    ],
)
def test_a_name_with_a_dot_may_be_nested(values: Any, command: tuple[str, ...]) -> None:
    found, wrong = read(values)
    assert (found.engine_command, wrong) == (command, [])


def test_a_section_that_is_no_object_is_named() -> None:
    assert read([1])[1] == ["the section must be an object"]


class Told:
    def __init__(self) -> None:
        self.complaints: list[tuple[str, str]] = []
        self.store = SettingsStore(lambda key, message: self.complaints.append((key, message)))
        self.changes = 0
        self.store.subscribe(self.changed)

    def changed(self) -> None:
        self.changes += 1


def test_the_innermost_folder_counts() -> None:
    told = Told()
    store = told.store
    store.set_roots(("file:///w", "file:///w/inner", "file:///other"))
    store.set_values(
        {"candidates": 1}, {"file:///w": {"candidates": 2}, "file:///w/inner": {"candidates": 3}}
    )
    assert store.of(None).candidates == 1
    assert store.of("untitled:Untitled-1").candidates == 1
    assert store.of("file:///w/a.py").candidates == 2
    assert store.of("file:///w/inner/a.py").candidates == 3
    assert store.of("file:///w/innermost.py").candidates == 2
    assert store.of("file:///wide/a.py").candidates == 1
    assert store.of("file:///%77/a%20b.py").candidates == 2
    assert store.of("file:///other/a.py").candidates == 1  # the client said nothing of this one
    assert told.changes == 2
    store.set_roots(("file:///other",))
    assert store.of("file:///w/a.py").candidates == 1


def test_a_project_adds_recipes_with_their_origin_and_a_policy() -> None:
    store = Told().store
    store.set_roots(("file:///w",))
    store.set_values({"recipes": [{"title": "mine", "instruction": "i"}]})
    found, wrong = project.parse(
        {"scope_policy": "lines", "recipes": [{"title": "theirs", "instruction": "j"}]}
    )
    assert not wrong
    store.set_project("file:///w", found)
    inside = store.of("file:///w/a.py")
    assert inside.recipes == (Recipe("mine", "i", "settings"), Recipe("theirs", "j", ".copydesk.toml"))
    assert inside.scope_policy == "lines"
    assert store.of(None).recipes == (Recipe("mine", "i"),)
    store.set_project("file:///w", None)
    assert store.of("file:///w/a.py") == store.of(None)


# -- a project's file --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*sorted(set(PROPERTIES) - {"recipes"}), "command", "tcp", "address"])
def test_a_project_sets_nothing_else(name: str, tmp_path: Path) -> None:
    (tmp_path / project.FILE).write_text(f'"{name}" = "x"\n[[recipes]]\ntitle = "t"\ninstruction = "i"\n')
    found, wrong = project.load(tmp_path)
    assert found == Project((Recipe("t", "i", project.FILE),), None)
    assert len(wrong) == 1
    assert wrong[0].startswith(f"`{name}` is not a project's to set")


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"secret = [", "it is not TOML in UTF-8"),
        (b"\xff", "it is not TOML in UTF-8"),
        (b"# " + b"x" * project.MAX_BYTES, "it is too large: 65,538 bytes, at most 65,536 are read"),
        (b"a = " + b"[" * 9000, "it is not TOML in UTF-8"),
    ],
)
def test_what_is_not_toml(content: bytes, fault: str, tmp_path: Path) -> None:
    (tmp_path / project.FILE).write_bytes(content)
    assert project.load(tmp_path) == (None, [fault])


def test_no_file_and_no_access(tmp_path: Path) -> None:
    assert project.load(tmp_path) == (None, [])
    (tmp_path / project.FILE).mkdir()
    assert project.load(tmp_path) == (None, ["it is a directory, not a regular file"])
    assert project.load(tmp_path / project.FILE / "no" / "folder") == (None, [])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a system without named pipes")
def test_a_pipe_holds_nothing_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / project.FILE)
    assert project.load(tmp_path) == (None, ["it is a named pipe, not a regular file"])


def test_a_bad_policy_is_left_out() -> None:
    found, wrong = project.parse({"scope_policy": "everything", "recipes": []})
    assert found == Project()
    assert wrong == ["`scope_policy` must be one of `statement`, `lines`"]


# -- between client and server -----------------------------------------------------------------------------------------


def by_scope(values: dict[str | None, Any]) -> Any:
    return lambda params: [values.get(item.get("scopeUri")) for item in params["items"]]


def titles(client: LspClient, uri: str) -> list[str]:
    """What is offered for the first line: one rewrite per recipe."""
    line = {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}}
    params = {
        "textDocument": {"uri": uri},
        "range": line,
        "context": {"diagnostics": [], "only": ["refactor.rewrite"]},
    }
    return [action["title"] for action in client.request("textDocument/codeAction", params)]


def recipe(title: str) -> dict[str, Any]:
    return {"recipes": [{"title": title, "instruction": "i"}]}


def test_settings_are_pulled_for_every_folder_and_follow_changes(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    (two / project.FILE).write_text('[[recipes]]\ntitle = "theirs"\ninstruction = "i"\n')
    with LspClient() as client:
        client.reply(
            "workspace/configuration", by_scope({None: recipe("mine"), one.as_uri(): recipe("ones")})
        )
        client.initialize(folders=[one, two])
        items = client.asked("workspace/configuration")["items"]
        assert items == [
            {"section": "copydesk"},
            {"section": "copydesk", "scopeUri": one.as_uri()},
            {"section": "copydesk", "scopeUri": two.as_uri()},
        ]
        registered = [
            entry["method"]
            for _ in range(2)
            for entry in client.asked("client/registerCapability")["registrations"]
        ]
        assert set(registered) == {"workspace/didChangeConfiguration", "workspace/didChangeWatchedFiles"}
        client.ready()
        first, second = client.open(f"{one.as_uri()}/a.py", "x\n"), client.open(f"{two.as_uri()}/a.py", "x\n")
        assert any("ones" in title for title in titles(client, first))
        found = titles(client, second)
        assert any("mine" in title for title in found)
        assert any("theirs" in title and project.FILE in title for title in found)
        client.reply("workspace/configuration", by_scope({None: recipe("newer")}))
        client.notify("workspace/didChangeConfiguration", {"settings": None})
        client.asked("workspace/configuration")
        client.barrier()
        assert any("newer" in title for title in titles(client, first))
        client.close(first)


def test_folders_come_and_go(tmp_path: Path) -> None:
    folder = tmp_path / "late"
    folder.mkdir()
    (folder / project.FILE).write_text('[[recipes]]\ntitle = "theirs"\ninstruction = "i"\n')
    with LspClient() as client:
        client.initialize()
        client.ready()
        client.asked("workspace/configuration")
        uri = client.open(f"{folder.as_uri()}/a.py", "x\n")
        assert titles(client, uri) == []
        entry = {"uri": folder.as_uri(), "name": "late"}
        client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [entry], "removed": []}})
        assert any("theirs" in title for title in titles(client, uri))
        asked = client.asked("workspace/configuration")["items"]
        assert asked[1] == {"section": "copydesk", "scopeUri": folder.as_uri()}
        client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": [entry]}})
        assert titles(client, uri) == []


def test_a_client_that_cannot_be_asked_sends_them() -> None:
    with LspClient() as client:
        client.initialize({**FULL, "workspace": {}}, options={"settings": recipe("first")})
        client.ready()
        uri = client.open("file:///a.py", "x\n")
        assert any("first" in title for title in titles(client, uri))
        client.notify("workspace/didChangeConfiguration", {"settings": {"copydesk": recipe("second")}})
        assert any("second" in title for title in titles(client, uri))
        client.notify("workspace/didChangeConfiguration", {"settings": {"other": {}}})
        client.notify("workspace/didChangeConfiguration", {"settings": None})
        assert any("second" in title for title in titles(client, uri))


def test_what_is_not_valid_is_said_once(tmp_path: Path) -> None:
    (tmp_path / project.FILE).write_text('model = "theirs"\n')
    with LspClient() as client:
        client.settings = {"lint": "maybe", "candidates": 0}
        client.initialize(folders=[tmp_path])
        client.ready()
        message = client.wait("window/showMessage", lambda params: "settings" in params["message"])
        assert "`lint` must be one of" in message["message"]
        assert "`candidates` must be at least 1" in message["message"]
        about = client.wait("window/showMessage", lambda params: project.FILE in params["message"])
        assert "`model` is not a project's to set" in about["message"]
        for _ in range(3):
            client.notify("workspace/didChangeConfiguration", {"settings": None})
            client.barrier()
        client.settings = {}
        client.notify("workspace/didChangeConfiguration", {"settings": None})
        client.barrier()
        client.settings = {"lint": "maybe"}
        client.notify("workspace/didChangeConfiguration", {"settings": None})
        again = client.wait("window/showMessage")
        assert "`lint`" in again["message"]  # wrong once more is another incident


def test_a_client_that_refuses_is_served_all_the_same() -> None:
    def refuse(_: Any) -> Any:
        raise ResponseError({"code": -32601, "message": "no"})

    with LspClient() as client:
        for method in (
            "workspace/configuration",
            "client/registerCapability",
            "window/workDoneProgress/create",
        ):
            client.reply(method, refuse)
        client.initialize()
        client.ready()


def test_a_client_that_never_answers_is_served_all_the_same() -> None:
    with LspClient() as client:
        client.silent = {"client/registerCapability", "window/workDoneProgress/create"}
        client.initialize()
        client.ready()


@pytest.mark.parametrize("watched_by", ["client", "watchdog"])
def test_a_projects_file_is_read_again_when_it_changes(watched_by: str, tmp_path: Path) -> None:
    file = tmp_path / project.FILE
    with LspClient("--log-level", "info") as client:
        client.initialize(FULL if watched_by == "client" else BARE, folders=[tmp_path])
        client.ready()
        if watched_by == "client":
            wanted = lambda params: params["registrations"][0]["method"].endswith("didChangeWatchedFiles")  # noqa: E731
            options = client.asked("client/registerCapability", wanted)["registrations"][0]["registerOptions"]
            assert {"globPattern": f"**/{project.FILE}"} in options["watchers"]
        else:
            watching(client)
        replace(file, 'command = "rm"\n')
        if watched_by == "client":
            event = {"uri": file.as_uri(), "type": 1}
            client.notify("workspace/didChangeWatchedFiles", {"changes": [event]})
        message = client.wait("window/showMessage")
        assert "`command` is not a project's to set" in message["message"]


@pytest.mark.parametrize("watched_by", ["client", "watchdog"])
def test_a_model_directory_that_was_replaced_is_swapped_in(watched_by: str, tmp_path: Path) -> None:
    model = tmp_path / "model"
    write_model(model, "one")
    capabilities = FULL if watched_by == "client" else {**BARE, "window": {"workDoneProgress": True}}
    with LspClient("--log-level", "info", model=str(model)) as client:
        client.initialize(capabilities)
        first = client.ready()
        assert first["name"] == str(model)
        if watched_by == "client":
            wanted = lambda params: "didChangeWatchedFiles" in params["registrations"][0]["method"]  # noqa: E731
            options = client.asked("client/registerCapability", wanted)["registrations"][0]["registerOptions"]
            bases = [watcher["globPattern"] for watcher in options["watchers"]]
            assert {"baseUri": tmp_path.as_uri(), "pattern": "model"} in bases
            assert {"baseUri": model.as_uri(), "pattern": "*"} in bases
        else:
            watching(client)
        write_model(tmp_path / "next", "two")
        os.replace(model, tmp_path / "old")
        os.replace(tmp_path / "next", model)
        if watched_by == "client":
            client.notify(
                "workspace/didChangeWatchedFiles", {"changes": [{"uri": model.as_uri(), "type": 2}]}
            )
        second = client.ready(lambda status: status["pid"] != first["pid"])
        assert second["name"] == str(model)


def test_the_engine_is_a_command_that_the_person_set() -> None:
    with LspClient() as client:
        client.settings = {"engine": {"command": list(engine_programs.SCRIPTED)}, "model": "far"}
        client.initialize()
        status = client.ready()
        assert (status["name"], status["connection"]["reconnects"]) == ("far", 0)
        client.settings = {}
        client.notify("workspace/didChangeConfiguration", {"settings": None})
        assert "connection" not in client.ready(lambda status: status["name"] != "far")


@pytest.mark.parametrize("said_by", ["project file", "folder"])
def test_no_folder_says_what_is_the_engine(said_by: str, tmp_path: Path) -> None:
    trap = ["/bin/sh", "-c", 'touch "$0"', str(tmp_path / "ran")]
    with LspClient() as client:
        if said_by == "folder":
            client.reply(
                "workspace/configuration",
                by_scope({None: {}, tmp_path.as_uri(): {"engine": {"command": trap}}}),
            )
        else:
            (tmp_path / project.FILE).write_text(f"engine.command = {trap}\n")
        client.initialize(folders=[tmp_path])
        assert "connection" not in client.ready()
        if said_by == "project file":
            message = client.wait("window/showMessage")
            assert "`engine` is not a project's to set" in message["message"]
        client.notify("workspace/didChangeConfiguration", {"settings": None})
        client.barrier()
        assert "connection" not in client.ready()
    assert not (tmp_path / "ran").exists()


def test_another_model_is_another_child() -> None:
    with LspClient() as client:
        client.settings = {"model": "one"}
        client.initialize()
        first = client.ready()
        assert first["name"] == "one"
        client.settings = {"model": "missing"}
        client.notify("workspace/didChangeConfiguration", {"settings": None})
        message = client.wait("window/showMessage")
        assert "there is no model of that name" in message["message"]
        assert client.request("copydesk/status")["state"] == "failed"
        client.settings = {"model": "two"}
        client.notify("workspace/didChangeConfiguration", {"settings": None})
        assert client.ready()["name"] == "two"


# -- helpers -----------------------------------------------------------------------------------------------------------


def watching(client: LspClient) -> None:
    """Wait until watchdog watches."""
    client._until(lambda: any("watching" in line for line in client.stderr), "watching")


def write_model(directory: Path, name: str) -> None:
    directory.mkdir()
    (directory / "copydesk.json").write_text(name)


def replace(file: Path, text: str) -> None:
    """As editors save: another file takes its name."""
    other = file.with_suffix(".tmp")
    other.write_text(text)
    os.replace(other, file)
