"""A bare client of the language server, made of the standard library alone: JSON-RPC over the server's own streams, or TCP.

    with LspClient() as client:                      # `copydesk lsp` in a process of its own, with a scripted engine
        client.initialize(encodings=["utf-8"])
        client.open("file:///a.py", "x = 1\n")
        answer = client.request("copydesk/edit", {...})
        client.wait("copydesk/hunk", lambda params: params["seq"] == 0)

Nothing is waited for by the clock: whatever is waited for has one generous deadline, which fails. At its end the client shuts
the server down, and fails where a notification was neither waited for nor `ignore`d, where a request of the server's had no
answer ready, where something was answered twice, or where the exit code is not the one expected.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from copydesk.text.document import Encoding, Position, TextEdit, apply_edits
from repository import ROOT

DEADLINE = 120.0
BETWEEN = 0.03
"""Seconds after which a question is asked again where nothing is heard meanwhile."""
SCRIPTED = "engine_hosts:serve"
Json = Any

FULL = {
    "general": {"positionEncodings": ["utf-16"]},
    "window": {"workDoneProgress": True, "showMessage": {}},
    "workspace": {
        "applyEdit": True,
        "configuration": True,
        "didChangeConfiguration": {"dynamicRegistration": True},
        "didChangeWatchedFiles": {"dynamicRegistration": True, "relativePatternSupport": True},
        "workspaceEdit": {"documentChanges": True},
        "workspaceFolders": True,
    },
    "textDocument": {
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["", "quickfix", "refactor", "source"]}},
            "isPreferredSupport": True,
            "disabledSupport": True,
            "dataSupport": True,
            "resolveSupport": {"properties": ["edit"]},
        },
        "inlineCompletion": {},
        "publishDiagnostics": {"versionSupport": True},
    },
}  # fmt: skip
"""What a client like VS Code can do."""
BARE: dict[str, Json] = {}
"""What a client can do that says nothing of itself."""


class ResponseError(Exception):
    """The server answered with an error."""

    def __init__(self, error: Mapping[str, Json]) -> None:
        super().__init__(error)
        self.code: int = error["code"]
        self.message: str = error["message"]
        self.data: Json = error.get("data")


def frame(message: Json) -> bytes:
    """One message as bytes."""
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def edited(text: str, workspace_edit: dict[str, Any] | None) -> tuple[str, list[TextEdit]]:
    """A document's text with a workspace edit of it alone, in UTF-16, and the edits."""
    edits = [
        TextEdit(Position(**edit["range"]["start"]), Position(**edit["range"]["end"]), edit["newText"])
        for change in (workspace_edit or {}).get("documentChanges", [])
        for edit in change["edits"]
    ]
    return apply_edits(text, edits, Encoding.UTF16), edits


class LspClient:
    """One client and its server. `host`: what runs in the engine's process; None for the real engine. `command`: the program
    and arguments that start the server, in place of those of this tree."""

    def __init__(
        self,
        *arguments: str,
        host: str | None = SCRIPTED,
        tcp: bool = False,
        env: Mapping[str, str] | None = None,
        model: str | None = None,
        command: Sequence[str] | None = None,
        cwd: Path | None = None,
    ) -> None:
        self._news = threading.Condition()
        self._sending = threading.Lock()
        self._ids = itertools.count(1)
        self._answers: dict[int | str | None, Json] = {}
        self._answered: set[int | str] = set()
        self._notes: list[dict[str, Json]] = []
        self._ignored: set[str] = {"$/progress", "$/logTrace"}
        self._faults: list[str] = []
        self._asked: list[dict[str, Json]] = []
        self._replies: dict[str, Callable[[Json], Json]] = {
            "client/registerCapability": lambda params: None,
            "client/unregisterCapability": lambda params: None,
            "window/workDoneProgress/create": lambda params: None,
            "workspace/configuration": lambda params: [self.settings for _ in params["items"]],
        }
        self._closed = False
        self._input_ended = False
        self.silent: set[str] = set()
        """Requests of the server's that are never answered."""
        self.settings: Json = None
        """What `workspace/configuration` is answered with, unless `reply` says otherwise."""
        self.expected_code: int | None = 0
        self.stderr: list[str] = []
        self.frames: list[bytes] = []
        """Every body the server sent, as it sent it."""
        self.token: str | None = None
        """Over TCP: what the server asks for in `initialize`."""
        self.result: dict[str, Json] = {}
        self.versions: dict[str, int] = {}

        options = [*(("--tcp", "127.0.0.1:0") if tcp else ()), *arguments]
        if model is not None:
            options += ["--model", model]
        self.process = subprocess.Popen(
            [*(command or (sys.executable, *entry(host))), *options],
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(env),
        )
        assert self.process.stdout is not None
        threading.Thread(target=self._read_stderr, daemon=True).start()
        self._socket: socket.socket | None = None
        if tcp:
            self.address = self._tcp_address()
            self.token = next(line.split()[-1] for line in self.stderr if "token must be" in line)
            self._socket = socket.create_connection(self.address, timeout=DEADLINE)
            self._input = self._socket.makefile("rb")
        else:
            self._input = self.process.stdout
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    # -- what a test says ----------------------------------------------------------------------------------------------

    def raw(self, data: bytes) -> None:
        """Send bytes as they are."""
        with self._sending:
            if self._input_ended:
                raise BrokenPipeError("the server's input was ended")
            if self._socket is not None:
                self._socket.sendall(data)
            else:
                assert self.process.stdin is not None
                self.process.stdin.write(data)
                self.process.stdin.flush()

    def end_input(self) -> None:
        """End of file for the server. What it still asks is not answered."""
        with self._sending:
            assert self.process.stdin is not None
            self._input_ended = True
            self.process.stdin.close()

    def send(self, message: Mapping[str, Json]) -> None:
        """Send one message."""
        self.raw(frame({"jsonrpc": "2.0", **message}))

    def notify(self, method: str, params: Json = None) -> None:
        """Send a notification."""
        self.send({"method": method, **({"params": params} if params is not None else {})})

    def ask(self, method: str, params: Json = None) -> int:
        """Send a request and do not wait. Returns its id, for `answer` and `cancel`."""
        ident = next(self._ids)
        self.send({"id": ident, "method": method, **({"params": params} if params is not None else {})})
        return ident

    def answer(self, ident: int | str | None) -> Json:
        """Wait for the answer to a request. Raises ResponseError."""
        self._until(lambda: ident in self._answers, f"an answer to {ident}")
        with self._news:
            message = self._answers.pop(ident)
        if "error" in message:
            raise ResponseError(message["error"])
        return message["result"]

    def request(self, method: str, params: Json = None) -> Json:
        """Send a request and wait for its result. Raises ResponseError."""
        return self.answer(self.ask(method, params))

    def cancel(self, ident: int) -> None:
        """`$/cancelRequest`."""
        self.notify("$/cancelRequest", {"id": ident})

    def reply(self, method: str, answer: Callable[[Json], Json]) -> None:
        """How requests of the server's are answered from now on. An ResponseError that it raises is sent as one."""
        with self._news:
            self._replies[method] = answer

    def ignore(self, *methods: str) -> None:
        """Notifications that this test need not wait for."""
        self._ignored.update(methods)

    # -- what a test waits for -----------------------------------------------------------------------------------------

    def wait(self, method: str, wanted: Callable[[Json], bool] = lambda params: True) -> Json:
        """The params of the first notification that is wanted and has not been waited for; it is taken out."""
        found: list[Json] = []

        def seen() -> bool:
            for index, note in enumerate(self._notes):
                if note["method"] == method and wanted(note.get("params")):
                    found.append(self._notes.pop(index).get("params"))
                    return True
            return False

        self._until(seen, method)
        return found[0]

    def asked(self, method: str, wanted: Callable[[Json], bool] = lambda params: True) -> Json:
        """The params of the first request of the server's that is wanted, once it is there. Each is found once."""
        found: list[Json] = []

        def seen() -> bool:
            for index, message in enumerate(self._asked):
                if message["method"] == method and wanted(message.get("params")):
                    found.append(self._asked.pop(index).get("params"))
                    return True
            return False

        self._until(seen, f"the request {method}")
        return found[0]

    def notes(self, method: str) -> list[Json]:
        """Take out all notifications of a method that have come so far."""
        with self._news:
            found = [note.get("params") for note in self._notes if note["method"] == method]
            self._notes[:] = [note for note in self._notes if note["method"] != method]
        return found

    def barrier(self) -> None:
        """Everything sent before this has been handled, but for what handlers left for later."""
        ident = self.ask("copydesk/noSuchMethod")
        self._until(lambda: ident in self._answers, "the barrier")
        with self._news:
            self._answers.pop(ident)

    def status_when(self, wanted: Callable[[Json], bool]) -> dict[str, Json]:
        """The server's status once it is as wanted. It is asked again with `news`: asked without a pause, three processes
        would take the processor from the one that loads."""
        end = time.monotonic() + DEADLINE
        while True:
            status: dict[str, Json] = self.request("copydesk/status")
            if wanted(status):
                return status
            assert time.monotonic() < end, f"waited {DEADLINE:.0f} s for another status than {status}"
            self.news()

    def news(self) -> None:
        """Wait until something comes from the server, or a moment, since not every change is told to every client."""
        with self._news:
            self._news.wait(BETWEEN)

    def ready(self, wanted: Callable[[Json], bool] = lambda status: True) -> dict[str, Json]:
        """The status once the engine is ready, and as wanted besides."""
        return self.status_when(lambda status: status["state"] == "ready" and wanted(status))

    def closed(self) -> None:
        """Wait until the server has closed its side."""
        self._until(lambda: self._closed, "the end of the server's output")

    def exit_code(self) -> int:
        """Wait until the server's process is gone."""
        return self.process.wait(DEADLINE)

    # -- LSP -----------------------------------------------------------------------------------------------------------

    def initialize(
        self,
        capabilities: Json = FULL,
        *,
        encodings: Sequence[str] | None = None,
        folders: Sequence[Path] = (),
        options: Json = None,
        process_id: int | None = None,
        initialized: bool = True,
    ) -> dict[str, Json]:
        """`initialize` and `initialized`. Returns the server's capabilities. `options`: initializationOptions.copydesk."""
        if encodings is not None:
            capabilities = {**capabilities, "general": {"positionEncodings": list(encodings)}}
        params: dict[str, Json] = {
            "processId": process_id,
            "rootUri": None,
            "capabilities": capabilities,
            "workspaceFolders": [{"uri": folder.as_uri(), "name": folder.name} for folder in folders] or None,
        }
        if options is not None:
            params["initializationOptions"] = {"copydesk": options}
        if self.token is not None:
            params.setdefault("initializationOptions", {"copydesk": {}})["copydesk"]["token"] = self.token
        self.result = self.request("initialize", params)
        if initialized:
            self.notify("initialized", {})
        return self.result["capabilities"]

    def open(self, uri: str, text: str, language: str = "python", version: int = 1) -> str:
        """`didOpen`. Returns the URI."""
        self.versions[uri] = version
        item = {"uri": uri, "languageId": language, "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})
        return uri

    def change(self, uri: str, *changes: Json, version: int | None = None) -> int:
        """`didChange`, each change as in LSP. Returns the version it makes."""
        self.versions[uri] = version if version is not None else self.versions[uri] + 1
        identifier = {"uri": uri, "version": self.versions[uri]}
        self.notify("textDocument/didChange", {"textDocument": identifier, "contentChanges": list(changes)})
        return self.versions[uri]

    def close(self, uri: str) -> None:
        """`didClose`."""
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def shutdown(self) -> None:
        """`shutdown` and `exit`."""
        self.request("shutdown")
        self.notify("exit")

    # -- its own life --------------------------------------------------------------------------------------------------

    def __enter__(self) -> LspClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                if self.process.poll() is None and not self._closed and self.expected_code == 0:
                    self.shutdown()
                code = self.exit_code()
                self._reader.join(DEADLINE)
                if self.expected_code is not None:
                    assert code == self.expected_code, (code, "".join(self.stderr))
                left = [note for note in self._notes if note["method"] not in self._ignored]
                assert not left, f"notifications nobody waited for: {left}"
                assert not self._answers, f"answers nobody waited for: {self._answers}"
                assert not self._faults, self._faults
        finally:
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait(DEADLINE)
            if self._socket is not None:
                self._socket.close()
            for stream in (self.process.stdin, self.process.stdout):
                assert stream is not None
                with contextlib.suppress(OSError):  # what was written to a process that is gone
                    stream.close()
            if error is not None and self.stderr:
                sys.stderr.write("the server said:\n" + "".join(self.stderr))

    def _until(self, ready: Callable[[], bool], what: str) -> None:
        with self._news:
            end = time.monotonic() + DEADLINE
            while not ready():
                left = end - time.monotonic()
                if self._closed and not ready():
                    raise AssertionError(f"the server closed before {what}: {''.join(self.stderr)}")
                assert left > 0, f"waited {DEADLINE:.0f} s for {what}"
                self._news.wait(left)

    def _tcp_address(self) -> tuple[str, int]:
        self._until(lambda: any("listening on" in line for line in self.stderr), "the address")
        line = next(line for line in self.stderr if "listening on" in line)
        host, _, port = line.split()[-1].rpartition(":")
        return host, int(port)

    def _read_stderr(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            with self._news:
                self.stderr.append(line.decode(errors="replace"))
                self._news.notify_all()
        self.process.stderr.close()

    def _read(self) -> None:
        try:
            while (body := self._read_frame()) is not None:
                with self._news:
                    self.frames.append(body)
                    self._take(json.loads(body))
                    self._news.notify_all()
        except (OSError, ValueError) as problem:
            with self._news:
                if not self._closed and self.expected_code is not None and not isinstance(problem, OSError):
                    self._faults.append(f"the server's output: {problem}")
        finally:
            with self._news:
                self._closed = True
                self._news.notify_all()

    def _read_frame(self) -> bytes | None:
        length = None
        while True:
            line = self._input.readline()
            if not line:
                return None
            if line == b"\r\n":
                break
            name, _, value = line.partition(b":")
            if name not in (b"Content-Length", b"Content-Type") or not line.endswith(b"\r\n"):
                raise ValueError(f"not a header: {line!r}")
            if name == b"Content-Length":
                length = int(value)
        if length is None:
            raise ValueError("no Content-Length")
        body = self._input.read(length)
        if len(body) != length:
            raise ValueError("the output ended in the middle of a message")
        return body

    def _take(self, message: dict[str, Json]) -> None:
        assert message.get("jsonrpc") == "2.0", message
        if "method" not in message:
            ident = message.get("id")
            if ident in self._answered:
                self._faults.append(f"answered twice: {message}")
            if ident is not None:
                self._answered.add(ident)
            self._answers[ident] = message
        elif "id" not in message:
            self._notes.append(message)
        else:
            self._asked.append(message)
            self._answer_server(message)

    def _answer_server(self, message: dict[str, Json]) -> None:
        if message["method"] in self.silent:
            return
        reply = self._replies.get(message["method"])
        answer: dict[str, Json] = {"id": message["id"]}
        if reply is None:
            self._faults.append(f"nobody answers {message['method']}")
            answer["error"] = {"code": -32601, "message": "no such method"}
        else:
            try:
                answer["result"] = reply(message.get("params"))
            except ResponseError as error:
                answer["error"] = {"code": error.code, "message": error.message}
        with contextlib.suppress(OSError):  # the server has gone meanwhile, which the test will see
            self.send(answer)


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """A server's: the packages of this tree and the tests' own modules, one thread, no hub."""
    path = os.pathsep.join(str(ROOT / name) for name in ("engine", "server", "tests/support"))
    return {
        **os.environ,
        "PYTHONPATH": path,
        "OMP_NUM_THREADS": "1",
        "HF_HUB_OFFLINE": "1",
        **(more or {}),
    }


def entry(host: str | None) -> list[str]:
    """Python's arguments for the language server with this host in the engine's process."""
    if host is None:
        return ["-m", "copydesk_server", "lsp"]
    # The command line itself, but for what runs in the engine's process: there is no option for that.
    script = (
        "import sys; from dataclasses import replace; from copydesk_server.arguments.parser import build_parser;"
        "from copydesk_server.commands.lsp import options; from copydesk_server.lsp import session;"
        "args = build_parser().parse_args(['lsp', *sys.argv[2:]]);"
        "sys.exit(session.run(replace(options(args), engine_host=sys.argv[1])))"
    )
    return ["-c", script, host]
