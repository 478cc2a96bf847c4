"""The server's life: what it says of itself, when it answers and when it refuses, how it ends, and what it leaves unsaid."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from lsprotocol import types

from copydesk.text.position import Encoding
from copydesk_server.lsp import capabilities, logs
from copydesk_server.lsp.message_types import converter
from engine_hosts import kill
from lsp_client import BARE, DEADLINE, FULL, LspClient, ResponseError, environment, frame

WHOLE = {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}}


def edit(client: LspClient, uri: str, instruction: str, **more: Any) -> dict[str, Any]:
    """The params of `copydesk/edit`."""
    identifier = {"uri": uri, "version": client.versions[uri]}
    return {"textDocument": identifier, "range": WHOLE, "instruction": instruction, **more}


def gone(pid: int) -> None:
    """Wait until a process that is none of ours is no more."""
    try:
        process = psutil.Process(pid)
        if process.status() != psutil.STATUS_ZOMBIE:
            process.wait(DEADLINE)
    except psutil.NoSuchProcess:
        return


# -- what it offers ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "chosen"),
    [
        (None, Encoding.UTF16),
        ([], Encoding.UTF16),
        (["utf-7"], Encoding.UTF16),
        (["utf-8", "utf-16"], Encoding.UTF8),
        (["utf-7", "utf-32", "utf-8"], Encoding.UTF32),
        (["utf-16"], Encoding.UTF16),
    ],
)
def test_the_encoding_is_the_first_both_know(asked: Any, chosen: Encoding) -> None:
    client = {} if asked is None else {"general": {"positionEncodings": asked}}
    assert capabilities.position_encoding(client) is chosen
    assert capabilities.server_capabilities(client)["positionEncoding"] == chosen.value


@pytest.mark.parametrize(
    "nonsense", [5, "x", [], {"positionEncodings": 5}, {"positionEncodings": [[], {}, None]}]
)
def test_a_client_that_talks_nonsense_of_itself_is_served(nonsense: Any) -> None:
    keys = ("general", "workspace", "window", "textDocument")
    with LspClient() as client:
        client.raw(
            frame(
                {
                    "jsonrpc": "2.0",
                    "id": "first",
                    "method": "initialize",
                    "params": {
                        "processId": "x",
                        "rootUri": 7,
                        "workspaceFolders": [nonsense, {"uri": 1}],
                        "initializationOptions": nonsense,
                        "capabilities": dict.fromkeys(keys, nonsense),
                    },
                }
            )
        )
        assert client.answer("first")["capabilities"]["positionEncoding"] == "utf-16"
        client.notify("initialized")  # without params, which is not LSP's either
        client.ready()


@pytest.mark.parametrize("client", [BARE, FULL], ids=["bare", "full"])
def test_capabilities_are_lsps(client: Any) -> None:
    said = capabilities.server_capabilities(client)
    made = converter()
    structured = made.structure(said, types.ServerCapabilities)
    assert made.unstructure(structured) == said


def test_what_is_offered_is_there() -> None:
    """Capabilities are known before the features are imported; each of them has its handler, and there is no other."""
    script = """
import asyncio, json
from copydesk_server.lsp.app import App
from copydesk_server.lsp.options import Options

class Nobody:
    def send(self, frame): pass
    def end(self, reason=None): pass

async def main():
    params = {"capabilities": {}, "processId": None}
    app = App(Options(engine_host="engine_hosts:serve"), Nobody(), params)
    manager = app.protocol.fm
    print(json.dumps([sorted({*manager.features, *manager.builtin_features}), sorted(manager.commands)]))
    await app.lifecycle.finish(None)

asyncio.run(main())
"""
    methods, commands = json.loads(python(script).stdout)
    assert commands == sorted(capabilities.COMMANDS)
    assert set(methods) == {
        "copydesk/diagnostics", "copydesk/edit", "copydesk/program", "copydesk/status", "copydesk/visibleRanges",
        "exit", "initialized", "shutdown", "$/setTrace",
        "textDocument/didOpen", "textDocument/didChange", "textDocument/didClose",
        "textDocument/codeAction", "codeAction/resolve", "textDocument/prepareRename", "textDocument/rename",
        "textDocument/selectionRange",
        "window/workDoneProgress/cancel",
        "workspace/executeCommand", "workspace/didChangeConfiguration", "workspace/didChangeWatchedFiles",
        "workspace/didChangeWorkspaceFolders",
    }  # fmt: skip


def test_resolving_is_offered_to_those_who_can() -> None:
    def offered(support: Any) -> Any:
        action = {"codeActionLiteralSupport": {}, **support}
        return capabilities.server_capabilities({"textDocument": {"codeAction": action}})[
            "codeActionProvider"
        ]

    assert offered({"dataSupport": True, "resolveSupport": {"properties": ["edit"]}})["resolveProvider"]
    assert not offered({"dataSupport": True, "resolveSupport": {"properties": ["command"]}})[
        "resolveProvider"
    ]
    assert not offered({"resolveSupport": {"properties": ["edit"]}})["resolveProvider"]
    assert not offered({})["resolveProvider"]
    assert capabilities.server_capabilities({})["codeActionProvider"] is True


# -- what it imports ---------------------------------------------------------------------------------------------------


def test_initialize_is_answered_before_pygls_is_imported() -> None:
    """What stands between the process's start and the first answer is the standard library and little else."""
    script = """
import asyncio, sys
from copydesk_server.arguments.parser import build_parser
from copydesk_server.commands import lsp
from copydesk_server.lsp import greeting, jsonrpc

class Client:
    def __init__(self): self.sent = []
    async def frame(self):
        message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}
        return jsonrpc.encode(message).partition(b"\\r\\n\\r\\n")[2]
    def send(self, frame, key=None): self.sent.append(frame)
    def welcome(self): pass

client = Client()
assert asyncio.run(greeting.greet(client)) == {"capabilities": {}}
assert b"positionEncoding" in client.sent[0]
heavy = {"pygls", "lsprotocol", "attr", "cattrs", "psutil", "watchdog", "torch", "numpy", "rich", "tree_sitter"}
found = heavy & {name.partition(".")[0] for name in sys.modules}
sys.exit(f"imported: {found}" if found else 0)
"""
    assert python(script).returncode == 0


def test_the_protocol_process_imports_no_model_library() -> None:
    script = """
import sys
from copydesk_server.lsp import app
heavy = {"torch", "transformers", "llguidance", "tokenizers", "safetensors", "numpy", "watchdog"}
found = heavy & {name.partition(".")[0] for name in sys.modules}
found |= {name for name in ("copydesk.editor", "copydesk.models", "copydesk.grammar") if name in sys.modules}
sys.exit(f"imported: {found}" if found else 0)
"""
    assert python(script).returncode == 0


# -- lifecycle ---------------------------------------------------------------------------------------------------------


def test_requests_before_initialize_are_refused() -> None:
    with LspClient() as client:
        for method in ("shutdown", "textDocument/codeAction", "copydesk/status", "nonsense"):
            with pytest.raises(ResponseError) as error:
                client.request(method, {})
            assert error.value.code == -32002
        client.notify("textDocument/didOpen", {"nonsense": 1})
        client.notify("initialized", {})
        for params in (None, {}, {"capabilities": 1}):
            with pytest.raises(ResponseError) as error:
                client.request("initialize", params)
            assert error.value.code == -32602
        client.initialize(BARE)
        client.barrier()


def test_initialize_comes_once() -> None:
    with LspClient() as client:
        client.initialize(BARE)
        with pytest.raises(ResponseError) as error:
            client.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        assert error.value.code == -32600


def test_requests_after_shutdown_are_refused() -> None:
    with LspClient() as client:
        client.initialize(BARE)
        uri = client.open("file:///a.py", "x\n")
        assert client.request("shutdown") is None
        for method in ("shutdown", "copydesk/status", "textDocument/codeAction"):
            with pytest.raises(ResponseError) as error:
                client.request(method, {})
            assert error.value.code == -32600
        client.close(uri)
        client.expected_code = None
        client.notify("exit")
        assert client.exit_code() == 0


@pytest.mark.parametrize("initialized", [False, True])
def test_exit_without_shutdown_is_1(initialized: bool) -> None:
    with LspClient() as client:
        if initialized:
            client.initialize(BARE)
        client.expected_code = 1
        client.notify("exit")


def test_shutdown_answers_what_is_in_flight() -> None:
    with LspClient() as client:
        client.initialize(BARE)
        uri = client.open("file:///a.py", "x\n")
        client.ready()
        held = client.ask("copydesk/edit", edit(client, uri, "hold"))
        assert client.request("shutdown") is None
        with pytest.raises(ResponseError) as error:
            client.answer(held)
        assert error.value.code == -32800
        client.expected_code = None
        client.notify("exit")
        assert client.exit_code() == 0


@pytest.mark.parametrize("loading", [False, True], ids=["ready", "loading"])
@pytest.mark.parametrize("how", ["exit", "input", "SIGTERM", "SIGKILL"])
def test_nothing_is_left_running(how: str, loading: bool) -> None:
    with LspClient(model="never" if loading else None) as client:
        client.initialize(BARE)
        client.open("file:///a.py", "x\n")
        status = client.status_when(
            lambda status: status["pid"] is not None and (loading or status["state"] == "ready")
        )
        client.expected_code = None
        if how == "exit":
            client.notify("exit")
        elif how == "input":
            client.end_input()
        else:
            client.process.send_signal(getattr(signal, how))
        assert client.exit_code() == (1 if how != "SIGKILL" else -signal.SIGKILL)
        gone(status["pid"])


def test_it_ends_with_its_clients_process() -> None:
    """Though its input stays open: somebody else may hold the other end."""
    parent = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    with LspClient() as client:
        client.initialize(BARE, process_id=parent.pid)
        child = client.ready()["pid"]
        client.expected_code = 1
        parent.kill()  # and not waited for: a dead process that nobody has buried is dead all the same
        assert client.exit_code() == 1
        gone(child)
    parent.wait(DEADLINE)
    assert parent.stdin is not None
    parent.stdin.close()


def test_a_client_that_is_dead_to_begin_with() -> None:
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait(DEADLINE)
    with LspClient() as client:
        client.initialize(BARE, process_id=done.pid)
        client.expected_code = 1


# -- answers -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def served() -> Iterator[LspClient]:
    """One client and its server, for tests after which the server is as it was."""
    with LspClient() as client:
        client.initialize(BARE)
        yield client


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("nonsense", {}, -32601),
        (
            "textDocument/hover",
            {"textDocument": {"uri": "a"}, "position": {"line": 0, "character": 0}},
            -32601,
        ),
        ("textDocument/codeAction", {"textDocument": 7}, -32602),
        ("textDocument/codeAction", None, -32602),
        ("textDocument/codeAction", [1, 2], -32602),
        ("workspace/executeCommand", {"command": "no.such", "arguments": []}, -32602),
    ],
)
def test_bad_requests_are_answered_by_code(served: LspClient, method: str, params: Any, code: int) -> None:
    with pytest.raises(ResponseError) as error:
        served.request(method, params)
    assert error.value.code == code
    assert error.value.data is None


def test_bad_notifications_and_answers_are_ignored() -> None:
    with LspClient() as client:
        client.initialize(BARE)
        client.notify("nonsense", {"a": 1})
        client.notify("textDocument/didOpen", {"textDocument": 7})
        client.notify("textDocument/didChange", {"textDocument": {"uri": "file:///none.py", "version": 1}})
        client.notify("$/cancelRequest", {"id": "never heard of"})
        client.notify("$/cancelRequest")
        client.notify("$/setTrace", {"value": "verbose"})
        client.notify("window/workDoneProgress/cancel", {"token": "never heard of"})
        client.send({"id": "never heard of", "result": None})
        client.send({"id": None, "error": {"code": 1, "message": "m"}})
        client.barrier()


def test_what_goes_wrong_inside_says_no_text() -> None:
    script = """
import asyncio, json
from copydesk_server.lsp.app import App
from copydesk_server.lsp.options import Options

class Client:
    def __init__(self): self.sent = asyncio.Queue()
    def send(self, frame, key=None): self.sent.put_nowait(json.loads(frame.partition(b"\\r\\n\\r\\n")[2]))
    def end(self, reason=None): pass

def body(ident, method):
    return json.dumps({"jsonrpc": "2.0", "id": ident, "method": method, "params": {}}).encode()

async def main():
    client = Client()
    options = Options(engine_host="engine_hosts:serve")
    app = App(options, client, {"capabilities": {}, "processId": None})
    server = app.server

    @server.feature("copydesk/sync")
    def sync(params): raise ValueError("SECRET")

    @server.feature("copydesk/async")
    async def later(params): raise KeyError("SECRET")

    @server.feature("copydesk/result")
    def result(params): return {"no": object.__new__(object), "json": {1, 2}}

    for ident, name in enumerate(("sync", "async", "result")):
        app.protocol.receive(body(ident, f"copydesk/{name}"))
    print(json.dumps([await client.sent.get() for _ in range(3)]))
    app.protocol.receive(json.dumps({"jsonrpc": "2.0", "method": "copydesk/sync", "params": {}}).encode())
    app.tasks.spawn(later(None), "background")
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    await app.lifecycle.finish(None)
    assert client.sent.empty()

asyncio.run(main())
"""
    done = python(script)
    answers = {answer["id"]: answer["error"] for answer in json.loads(done.stdout)}
    assert {error["code"] for error in answers.values()} == {-32603}
    assert "ValueError" in answers[0]["message"]
    assert "KeyError" in answers[1]["message"]
    assert not any("data" in error for error in answers.values())
    assert "SECRET" not in done.stdout + done.stderr
    assert "ValueError" in done.stderr  # the log says what and where
    assert ", in sync" in done.stderr
    assert "background failed" in done.stderr


def test_cancelled_once() -> None:
    with LspClient() as client:
        client.initialize(BARE)
        uri = client.open("file:///a.py", "x\n")
        client.ready()
        held = client.ask("copydesk/edit", edit(client, uri, "hold"))
        client.barrier()
        client.cancel(held)
        client.cancel(held)
        with pytest.raises(ResponseError) as error:
            client.answer(held)
        assert error.value.code == -32800
        client.cancel(held)
        client.barrier()


# -- progress and status -----------------------------------------------------------------------------------------------


def test_loading_shows_progress() -> None:
    with LspClient() as client:
        client.initialize()
        token = client.asked("window/workDoneProgress/create")["token"]
        begun = client.wait("$/progress", lambda params: params["value"]["kind"] == "begin")
        assert begun["token"] == token
        assert not begun["value"]["cancellable"]
        client.ready()
        assert client.wait("$/progress", lambda params: params["value"]["kind"] == "end")["token"] == token


def test_a_clients_own_bar_cancels_the_work() -> None:
    with LspClient() as client:
        client.initialize(BARE)
        uri = client.open("file:///a.py", "x\n")
        client.ready()
        held = client.ask("copydesk/edit", edit(client, uri, "hold", workDoneToken="mine"))
        begun = client.wait("$/progress", lambda params: params["token"] == "mine")
        assert begun["value"]["kind"] == "begin"
        assert begun["value"]["cancellable"]
        client.notify("window/workDoneProgress/cancel", {"token": "mine"})
        with pytest.raises(ResponseError) as error:
            client.answer(held)
        assert error.value.code == -32800
        ended = client.wait("$/progress", lambda params: params["token"] == "mine")
        assert ended["value"]["kind"] == "end"
        client.notify("window/workDoneProgress/cancel", {"token": "mine"})
        client.barrier()
        assert not [note for note in client.notes("$/progress") if note["token"] == "mine"]


def test_status_is_told_to_those_who_asked() -> None:
    with LspClient() as client:
        client.initialize(BARE, options={"status": True})
        assert client.wait("copydesk/status")["state"] == "loading"
        told = client.wait("copydesk/status")
        assert (told["state"], told["model"], told["device"]) == ("ready", "scripted", "cpu")
        uri = client.open("file:///a.py", "x\n")
        status = client.request("copydesk/status")
        assert (status["openDocuments"], status["warm_pages"], status["positionEncoding"]) == (1, 1, "utf-16")
        client.close(uri)
        client.ignore("copydesk/status")


def test_a_killed_engine_is_one_message_and_a_live_server() -> None:
    with LspClient() as client:
        client.initialize(BARE, options={"status": True})
        client.ignore("copydesk/status")
        uri = client.open("file:///a.py", "x = 1\n")
        client.change(uri, {"range": WHOLE, "text": "y = 2\n"})
        first = client.ready()["pid"]
        kill(first)
        message = client.wait("window/showMessage")
        assert "started again" in message["message"]
        client.wait("copydesk/status", lambda params: params["state"] == "restarting")
        client.wait("copydesk/status", lambda params: params["state"] == "ready")
        again = client.request("copydesk/edit", edit(client, uri, "text"))
        assert again["reason"] == "y = 2\n"  # the new child has the document as it is
        assert client.request("copydesk/status")["pid"] != first


@pytest.mark.parametrize("model", ["missing", "dies"])
def test_a_model_that_cannot_be_loaded_is_a_message_and_a_live_server(model: str) -> None:
    with LspClient(model=model) as client:
        client.initialize(BARE, options={"status": True})
        client.wait("copydesk/status", lambda params: params["state"] == "failed")
        client.ignore("copydesk/status", "window/showMessage")
        failure = client.wait("window/showMessage", lambda params: params["type"] == 1)
        assert failure["message"].startswith("copydesk has no model: ")
        uri = client.open("file:///a.py", "x\n")
        answer = client.request("copydesk/edit", edit(client, uri, "text"))
        assert answer["status"] == "failed"
        assert answer["edit"] is None


# -- the log -----------------------------------------------------------------------------------------------------------

SECRETS = ("DOCUMENTSECRET", "CHANGESECRET", "INSTRUCTIONSECRET", "DIAGNOSTICSECRET", "BADSECRET")


def spill(client: LspClient) -> None:
    """Say everything that must not be logged."""
    client.initialize(FULL)
    uri = client.open("file:///a.py", "DOCUMENTSECRET = 1\n")
    client.change(uri, {"range": WHOLE, "text": "CHANGESECRET = 1\n"})
    client.notify("textDocument/didOpen", {"textDocument": {"text": "BADSECRET"}})
    client.notify("BADSECRET", {"text": "BADSECRET"})
    found = {"range": WHOLE, "severity": 1, "source": "x", "message": "DIAGNOSTICSECRET"}
    client.notify("copydesk/diagnostics", {"uri": uri, "version": 2, "diagnostics": [found]})
    params = {"textDocument": {"uri": uri}, "range": WHOLE, "context": {"diagnostics": [found]}}
    client.request("textDocument/codeAction", params)
    client.ready()
    client.request("copydesk/edit", edit(client, uri, "INSTRUCTIONSECRET"))
    client.request("copydesk/edit", edit(client, uri, "say INSTRUCTIONSECRET"))
    with pytest.raises(ResponseError):
        client.request("textDocument/codeAction", {"textDocument": "BADSECRET"})
    client.raw(b"Content-Length: 10\r\n\r\n{BADSECRET")
    with pytest.raises(ResponseError):
        client.answer(None)
    client.ignore("window/showMessage")


@pytest.mark.parametrize("level", ["error", "warning", "info"])
def test_no_text_is_logged_above_debug(level: str, tmp_path: Path) -> None:
    log = tmp_path / "copydesk.log"
    with LspClient("--log-level", level, "--log-file", str(log)) as client:
        spill(client)
    written = log.read_text() + "".join(client.stderr)
    assert not [secret for secret in SECRETS if secret in written]


def test_debug_logs_what_is_said(tmp_path: Path) -> None:
    log = tmp_path / "copydesk.log"
    with LspClient("--log-level", "debug", "--log-file", str(log)) as client:
        spill(client)
    assert "INSTRUCTIONSECRET" in log.read_text()


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_the_log_is_its_owners(tmp_path: Path) -> None:
    log = tmp_path / "copydesk.log"
    log.write_text("before\n")
    log.chmod(0o644)
    with LspClient("--log-level", "info", "--log-file", str(log)) as client:
        client.initialize(BARE)
        client.barrier()
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    assert log.read_text().startswith("before\n")
    link = tmp_path / "link"
    link.symlink_to(log)
    with pytest.raises(logs.LogFileError):
        logs.Log(file=str(link))


def test_a_log_that_cannot_be_written_is_the_commands_failure(tmp_path: Path) -> None:
    with LspClient("--log-file", str(tmp_path / "none" / "log"), host=None) as client:
        client.expected_code = 2
        client.closed()
    assert "cannot log to" in "".join(client.stderr)


# -- helpers -----------------------------------------------------------------------------------------------------------


def python(script: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=DEADLINE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done
