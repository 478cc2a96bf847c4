"""Everything the server says in a long conversation is LSP's, word for word: for real clients' own capabilities.

The judge is `lsp_model.py`, which reads lsprotocol's types, made from the metaModel, as a schema. lsprotocol's own reading
and pytest-lsp's checks of what a client can take are second opinions.
"""

from __future__ import annotations

import asyncio
import json
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs
import pytest
import pytest_lsp
from lsprotocol import converters, types
from pytest_lsp.checks import (
    LspSpecificationWarning,
    check_params_against_client_capabilities,
    check_result_against_client_capabilities,
)

from copydesk_server.lsp import prefetch
from copydesk_server.lsp.capabilities import COMMANDS, dig, server_capabilities
from engine_hosts import kill
from lsp_client import BARE, FULL, LspClient, ResponseError
from lsp_desk import APPLIES, RESOLVES, Desk, desk, diagnostic, edit
from lsp_model import faults, faults_of

pytestmark = pytest.mark.slow

CONVERTER = converters.get_converter()
NAMES = ["neovim@v0.11.0", "emacs@v29.1", "visual-studio-code@v1.65.2"]
CLIENTS = {
    **{name: CONVERTER.unstructure(pytest_lsp.client_capabilities(name)) for name in NAMES},
    "applies": APPLIES,
    "full": FULL,
    "bare": BARE,
}
TEXT = "import os\n\n\ndef f(x):\n    return x == None  # \U0001f600\n"
SETTINGS = {
    "lint": "on",
    "recipes": [
        {"title": "Head", "instruction": "say # head\n"},
        {"title": "Nothing", "instruction": "none"},
    ],
}
WHOLE = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}
OURS = {
    "copydesk/status": None,
    "copydesk/hunk": types.TextDocumentEdit,
    "copydesk/retract": None,
}
"""Notifications LSP does not have, and what their member `edit` is."""


class Recorder(LspClient):
    """Remembers which request each id was."""

    def __init__(self, **options: Any) -> None:
        self.methods: dict[int | str, str] = {}
        super().__init__(**options)

    def send(self, message: Mapping[str, Any]) -> None:
        if "method" in message and "id" in message:
            self.methods[message["id"]] = message["method"]
        super().send(message)

    def said(self) -> list[dict[str, Any]]:
        """All that the server has said."""
        return [json.loads(body) for body in self.frames]


def wrong(message: dict[str, Any], methods: Mapping[int | str, str]) -> list[str]:
    """What is wrong with one message of the server's, `copydesk/*` included."""
    method = message.get("method")
    if method in OURS:
        kind = OURS[method]
        return [] if kind is None else faults_of(message["params"]["edit"], kind)
    answers = methods.get(message.get("id")) if method is None else None  # type: ignore[arg-type]
    if answers is not None and answers.startswith("copydesk/") and "result" in message:
        there = message["result"].get("edit")
        return [] if there is None else faults_of(there, types.WorkspaceEdit)
    return faults(message, answers=answers)


# -- the judge itself --------------------------------------------------------------------------------------------------

DIAGNOSTIC = {"range": WHOLE, "message": "m", "severity": 2, "code": "E711", "source": "s"}
GOOD: list[tuple[dict[str, Any], str | None]] = [
    ({"jsonrpc": "2.0", "method": "window/showMessage", "params": {"type": 3, "message": "m"}}, None),
    ({"jsonrpc": "2.0", "method": "$/progress", "params": {"token": 1, "value": {"kind": "begin", "title": "t"}}}, None),
    ({"jsonrpc": "2.0", "id": 1, "result": [{"title": "t", "diagnostics": [DIAGNOSTIC]}]}, "textDocument/codeAction"),
    ({"jsonrpc": "2.0", "id": 1, "result": None}, "shutdown"),
    ({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "m"}}, None),
    ({"jsonrpc": "2.0", "id": "a", "method": "workspace/applyEdit", "params": {"edit": {"documentChanges": [
        {"textDocument": {"uri": "u", "version": 1}, "edits": [{"range": WHOLE, "newText": ""}]}]}}}, None),
]  # fmt: skip


@pytest.mark.parametrize(("message", "answers"), GOOD)
def test_the_judge_takes_what_is_right(message: dict[str, Any], answers: str | None) -> None:
    assert faults(message, answers=answers) == []


@pytest.mark.parametrize(("message", "answers"), GOOD)
def test_the_judge_finds_whatever_is_changed(message: dict[str, Any], answers: str | None) -> None:
    """A member more or of another type is found wherever it is; so is one that is missing, where LSP needs it."""
    needed = 0
    for changed, what in _spoilt(message):
        if what == "less":
            needed += bool(faults(changed, answers=answers))
        else:
            assert faults(changed, answers=answers), (what, changed)
    assert needed


def _spoilt(value: Any) -> Iterator[tuple[Any, str]]:
    """`value` with one thing wrong, in every place."""
    if isinstance(value, dict):
        yield {**value, "nobody": 1}, "more"
        for name, item in value.items():
            yield {key: other for key, other in value.items() if key != name}, "less"
            if name not in ("id", "method"):
                yield {**value, name: object}, "other"
            for changed, what in _spoilt(item):
                yield {**value, name: changed}, what
    elif isinstance(value, list):
        for index, item in enumerate(value):
            for changed, what in _spoilt(item):
                yield [*value[:index], changed, *value[index + 1 :]], what
    elif isinstance(value, int):
        yield 2**31, "other"
        yield True, "other"


@pytest.mark.parametrize(
    ("message", "answers", "fault"),
    [
        ({"method": "textDocument/codeAction", "params": {}}, None, "for clients to send"),
        ({"method": "window/showMessage", "id": 1, "params": {"type": 1, "message": ""}}, None, "a notification"),
        ({"method": "workspace/configuration", "params": {"items": []}}, None, "a request"),
        ({"method": "copydesk/hunk", "params": {}}, None, "no method of LSP's"),
        ({"id": 1, "result": None, "error": {"code": 1, "message": ""}}, "shutdown", "either"),
        ({"id": 1, "result": [{"title": "t", "isPreferred": None}]}, "textDocument/codeAction", "null, where"),
        ({"id": 1, "result": [{"title": "t", "kind": 7}]}, "textDocument/codeAction", "kind"),
        ({"method": "$/progress", "params": {"token": 1, "value": {"kind": "over"}}}, None, "no progress"),
        ({"method": "$/progress", "params": {"token": 1, "value": {"kind": "report", "percentage": -1}}}, None, "range"),
    ],
)  # fmt: skip
def test_the_judge_says_what_is_wrong(message: dict[str, Any], answers: str | None, fault: str) -> None:
    found = faults({"jsonrpc": "2.0", **message}, answers=answers)
    assert any(fault in line for line in found), found


# -- the server --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CLIENTS)
def test_capabilities_are_the_metamodels(name: str) -> None:
    result = {"capabilities": server_capabilities(CLIENTS[name]), "serverInfo": {"name": "n", "version": "1"}}
    assert faults({"jsonrpc": "2.0", "id": 1, "result": result}, answers="initialize") == []


@pytest.mark.parametrize("name", CLIENTS)
def test_all_that_is_said_is_the_metamodels(name: str, tmp_path: Path) -> None:
    capabilities = CLIENTS[name]
    with Recorder() as client:
        converse(client, capabilities, tmp_path)
    said = client.said()
    assert {body["id"] for body in said if "result" in body or "error" in body} >= set(client.methods)
    for message in said:
        assert wrong(message, client.methods) == [], message
        second_opinion(message, client.methods, capabilities)
    methods = {body["method"] for body in said if "method" in body}
    expected = {"textDocument/publishDiagnostics", "window/showMessage", "copydesk/hunk", "copydesk/retract"}
    for what, path in ASKS.items():
        if dig(capabilities, *path):
            expected.add(what)
        else:
            assert what not in methods, f"{what}, which {name} cannot"
    if not _resolves(capabilities) and dig(capabilities, "workspace", "applyEdit"):
        expected.add("workspace/applyEdit")
    else:
        expected.discard("workspace/applyEdit")
    assert expected <= methods, expected - methods
    codes = {body["error"]["code"] for body in said if "error" in body}
    assert {-32601, -32602, -32700, -32800, -32801} <= codes


ASKS = {
    "window/workDoneProgress/create": ("window", "workDoneProgress"),
    "workspace/configuration": ("workspace", "configuration"),
    "workspace/applyEdit": ("workspace", "applyEdit"),
}
"""What a server may ask of a client, and where the client says that it can."""


def converse(client: Recorder, capabilities: Any, folder: Path) -> None:
    """Everything that there is to say, by a client that can what it says it can."""
    client.settings = SETTINGS
    client.ignore("window/showMessage", "copydesk/status", "copydesk/hunk", "copydesk/retract")
    client.ignore("textDocument/publishDiagnostics")
    client.reply("workspace/applyEdit", lambda params: {"applied": False})
    client.reply("window/showMessageRequest", lambda params: None)
    client.initialize(
        capabilities, folders=[folder], options={"askInstruction": True, "status": True}, process_id=None
    )
    client.notify("workspace/didChangeConfiguration", {"settings": {"copydesk": SETTINGS}})
    uri = client.open((folder / "a.py").as_uri(), TEXT)
    client.ready()
    linted = client.wait("textDocument/publishDiagnostics", lambda params: params["diagnostics"])
    assert [found["code"] for found in linted["diagnostics"]] == ["F401"]
    identifier = {"uri": uri, "version": 1}

    for only in (None, ["quickfix"], ["refactor"], ["source.fixAll.copydesk"], []):
        context = {"diagnostics": linted["diagnostics"], "triggerKind": 1}
        if only is not None:
            context["only"] = only
        params = {"textDocument": {"uri": uri}, "range": WHOLE, "context": context}
        for action in client.request("textDocument/codeAction", params) or []:
            if isinstance(action.get("command"), str):  # a client without action literals is given commands
                command = action
            elif "edit" not in action and "command" not in action:
                client.request("codeAction/resolve", action)
                continue
            else:
                command = action.get("command", {})
            if command.get("command") in COMMANDS:
                arguments = {"command": command["command"], "arguments": command["arguments"]}
                client.request("workspace/executeCommand", {**arguments, "workDoneToken": "command"})
    client.request("textDocument/codeAction", {**params, "textDocument": {"uri": "file:///not/open.py"}})
    if dig(capabilities, "textDocument", "inlineCompletion") is not None:
        place = {"position": {"line": 0, "character": 3}, "context": {"triggerKind": 2}}
        client.request("textDocument/inlineCompletion", {"textDocument": {"uri": uri}, **place})

    ask = {"textDocument": identifier, "range": WHOLE, "workDoneToken": "bar"}
    client.request("copydesk/edit", {**ask, "instruction": "hunks", "token": 7})
    client.request("copydesk/edit", {**ask, "instruction": "say # one\n"})
    client.request("copydesk/edit", {**ask, "diagnostic": linted["diagnostics"][0]})
    for ending in ("cancel", "change", "bar"):
        held = client.ask("copydesk/edit", {**ask, "textDocument": {**identifier}, "instruction": "hold"})
        if ending == "cancel":
            client.cancel(held)
        elif ending == "bar":
            client.notify("window/workDoneProgress/cancel", {"token": "bar"})
        else:  # of the line the engine has planned to edit, for the plan may be known before the change comes
            identifier["version"] = client.change(uri, {"range": WHOLE, "text": TEXT.replace("os", "re")})
        with pytest.raises(ResponseError):
            client.answer(held)
    with pytest.raises(ResponseError):
        client.request("codeAction/resolve", {"title": "t", "data": {"copydesk": "fix"}})
    for method in ("copydesk/noSuchMethod", "textDocument/codeAction"):
        with pytest.raises(ResponseError):
            client.request(method, {})
    client.raw(b"Content-Length: 1\r\n\r\n{")
    with pytest.raises(ResponseError):
        client.answer(None)

    client.notes("window/showMessage")
    kill(client.request("copydesk/status")["pid"])
    client.wait("window/showMessage")
    client.ready()
    client.close(uri)
    client.wait("textDocument/publishDiagnostics", lambda params: not params["diagnostics"])


def second_opinion(
    message: dict[str, Any], methods: Mapping[int | str, str], capabilities: Mapping[str, Any]
) -> None:
    """lsprotocol reads it and writes the same again; pytest-lsp finds nothing that this client cannot take."""
    method = message.get("method")
    asked = method or methods.get(message.get("id"), "")  # type: ignore[arg-type]
    said = types.METHOD_TO_TYPES.get(asked)
    if said is None or "error" in message:
        return
    if asked == types.TEXT_DOCUMENT_CODE_ACTION:
        for action in message["result"] or ():
            # lsprotocol 2025.0.0 takes any action with a command for a mere command, and makes a text of it.
            _same(action, types.Command if isinstance(action.get("command"), str) else types.CodeAction)
            _can_take(action, dig(capabilities, "textDocument", "codeAction"))
        return
    structured = _same(message, said[0] if method is not None else said[1])
    client = CONVERTER.structure(capabilities, types.ClientCapabilities)
    with warnings.catch_warnings():
        warnings.simplefilter("error", LspSpecificationWarning)
        if method is None:
            check_result_against_client_capabilities(client, asked, structured.result)
        else:
            check_params_against_client_capabilities(client, asked, structured.params)
    if method == types.CLIENT_REGISTER_CAPABILITY:
        for registration in message["params"]["registrations"]:
            space, _, name = registration["method"].partition("/")
            assert dig(capabilities, space, name, "dynamicRegistration")


def _same(value: Any, kind: Any) -> Any:
    structured = CONVERTER.structure(value, kind)
    assert CONVERTER.unstructure(structured, kind) == value
    return structured


def _can_take(action: Mapping[str, Any], can: Any) -> None:
    """pytest-lsp has no check of this."""
    if not isinstance(action.get("command"), str):
        assert dig(can, "codeActionLiteralSupport") is not None
    assert dig(can, "isPreferredSupport") or "isPreferred" not in action
    assert dig(can, "dataSupport") or "data" not in action
    assert dig(can, "disabledSupport") or "disabled" not in action
    assert set(action.get("tags", ())) <= set(dig(can, "tagSupport", "valueSet") or ())
    assert dig(can, "honorsChangeAnnotations") or "changeAnnotations" not in action.get("edit", {})


def _resolves(capabilities: Mapping[str, Any]) -> bool:
    return bool(server_capabilities(capabilities)["codeActionProvider"] is not True) and bool(
        server_capabilities(capabilities)["codeActionProvider"]["resolveProvider"]
    )


def test_a_fix_that_is_there_already_is_the_metamodels(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one message the conversation does not have: an action with its edit, and whether it is preferred."""
    monkeypatch.setattr(prefetch, "CALM", 0.0)

    async def scenario() -> list[dict[str, Any]]:
        async with desk(RESOLVES) as d:
            d.engine.script = lambda made: made.plan((1, 1)) or made.edited(edit((0, 2), (0, 4), "is"))
            d.open("a == None\n")
            found = [diagnostic(0)]
            d.notify("copydesk/diagnostics", {"uri": "untitled:a.py", "version": 1, "diagnostics": found})
            while not d.app.prefetch.count:
                await asyncio.sleep(0)
            return await _actions(d, found)

    (action,) = asyncio.run(asyncio.wait_for(scenario(), 60))
    assert action["isPreferred"] is True
    assert "edit" in action
    message = {"jsonrpc": "2.0", "id": 1, "result": [action]}
    assert faults(message, answers="textDocument/codeAction") == []
    second_opinion(message, {1: "textDocument/codeAction"}, RESOLVES)


async def _actions(d: Desk, found: list[Any]) -> list[dict[str, Any]]:
    return await d.actions((0, 0), diagnostics=found, only=["quickfix"])


def test_the_judge_knows_all_of_lsps_types() -> None:
    """No kind of type in lsprotocol is unknown to it: a newer lsprotocol cannot blind it."""
    for kind in types.ALL_TYPES_MAP.values():
        if isinstance(kind, type) and attrs.has(kind):
            faults_of({}, kind)
            assert faults_of([], kind)
