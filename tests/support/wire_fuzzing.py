"""Everything a client could send, at random: real messages with something wrong about them, and bytes that are none.

`Fuzzer` makes bodies of messages from a seed. `Tally` knows, from the bodies alone, which of them must be answered, and how often
each id was. `fuzz` sends them to a whole protocol process in this one and asserts that it is alive and has answered.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from copydesk_server.engine_process.edit_outcome import EditOutcome
from copydesk_server.lsp import incoming, jsonrpc
from copydesk_server.lsp.app import App
from copydesk_server.lsp.capabilities import ACCEPTED, COMMANDS
from copydesk_server.lsp.options import Options
from fake_engine import FakeEngine, FakeJob
from lsp_client import SCRIPTED, entry, environment
from lsp_desk import RESOLVES, edit, nothing_proposed, verified

URIS = ("untitled:a.py", "untitled:b.py", "file:///nowhere/c.py", "git:/d.py")
TEXT = "import os\n\n\ndef first(x):\n    if x == None:\n        return 1\n"
CAPABILITIES = {
    **RESOLVES,
    "textDocument": {**RESOLVES["textDocument"], "inlineCompletion": {}},
    "window": {"workDoneProgress": True},
    "workspace": {
        **RESOLVES["workspace"],
        "configuration": True,
        "didChangeWatchedFiles": {"dynamicRegistration": True, "relativePatternSupport": True},
    },
}
FOLDER = {"uri": "file:///nowhere", "name": "n"}
SCALARS = (
    *(None, True, False, 0, -1, 7, 1 << 31, 1 << 53, 1 << 64, 10**400, 1.5, 1e300, math.inf, math.nan),
    *("", "x", "\ud800", "\0\x1b[31m", "é\U0001f600", "x" * 2000, "2.0", "exit", "fix"),
)
CONTAINERS: tuple[Callable[[random.Random], Any], ...] = (
    lambda _: [],
    lambda _: [None],
    lambda _: {},
    lambda _: {"": None},
    lambda _: {"uri": "file:///x"},
    lambda _: {"__class__": 1},
    lambda choose: nested(choose.choice((3, 50, 70, 320)), choose.random() < 0.5),
)
BATCH = 100
SESSION = 2500
"""Messages before the server is shut down, a few more are sent, and another one begins."""
DEADLINE = 60.0

Json = Any


def _range(first: int, last: int) -> Json:
    return {"start": {"line": first, "character": 0}, "end": {"line": last, "character": 3}}


def _found() -> Json:
    return {
        "range": _range(4, 4),
        "message": "Comparison to `None`",
        "severity": 2,
        "code": "E711",
        "source": "Ruff",
        "data": {"fix": [1, 2]},
    }


class Fuzzer:
    """Bodies of messages, the same ones for the same seed. `asked`: ids of the server's own requests, to be answered."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.asked: list[Json] = []
        self._ids = 0
        self._versions = Counter[str]()

    def body(self) -> bytes:
        """The next one."""
        chance = self.random.random()
        message = self.message()
        if chance < 0.15:
            return _written(message)
        if chance < 0.9:
            for _ in range(self.random.choice((1, 1, 1, 2, 5))):
                message = self._mutated(message)
            return _written(message)
        return self._garbled(_written(message))

    def message(self) -> dict[str, Json]:
        """A real message."""
        choose = self.random
        uri = choose.choice(URIS)
        version = self._versions[uri]
        document = {"uri": uri, "version": version}
        kind = choose.randrange(17)
        if kind == 0:
            self._versions[uri] = 1
            return _note(
                "textDocument/didOpen",
                textDocument={**document, "version": 1, "languageId": "python", "text": TEXT},
            )
        if kind in (1, 2, 3):
            self._versions[uri] += 1
            changes = [
                {
                    "range": _range(choose.randrange(7), choose.randrange(7)),
                    "text": choose.choice(("", "x", "é\n", "\U0001f600")),
                }
            ]
            return _note(
                "textDocument/didChange",
                textDocument={**document, "version": version + 1},
                contentChanges=changes,
            )
        if kind == 4:
            return _note("textDocument/didClose", textDocument={"uri": uri})
        if kind == 5:
            return self._ask(
                "textDocument/codeAction",
                textDocument={"uri": uri},
                range=_range(4, 4),
                context={"diagnostics": [_found()]},
            )
        if kind == 6:
            return self._ask("codeAction/resolve", title="x", data=self._data(uri))
        if kind == 7:
            command = choose.choice((*COMMANDS, ACCEPTED, "no.such"))
            return self._ask("workspace/executeCommand", command=command, arguments=[self._data(uri)])
        if kind == 8:
            wanted: Json = choose.choice(
                ({"instruction": "say it", "range": _range(0, 2)}, {"diagnostic": _found()})
            )
            return self._ask("copydesk/edit", textDocument=document, token="t", workDoneToken="t", **wanted)
        if kind == 9:
            return self._ask(
                choose.choice(("copydesk/status", "copydesk/program", "textDocument/hover", "nonsense"))
            )
        if kind == 10:
            return _note("copydesk/diagnostics", uri=uri, version=version, diagnostics=[_found()])
        if kind == 11:
            return _note("copydesk/visibleRanges", uri=uri, ranges=[_range(0, 9)])
        if kind == 12:
            return _note("$/cancelRequest", id=choose.randrange(max(1, self._ids - 5), self._ids + 2))
        if kind == 13:
            return choose.choice((
                _note("window/workDoneProgress/cancel", token="t"),
                _note("$/setTrace", value="off"),
                _note("initialized"),
                _note("workspace/didChangeConfiguration", settings={"copydesk": {"inlineCompletions": True}}),
                _note("workspace/didChangeWatchedFiles", changes=[{"uri": uri, "type": 2}]),
                _note("workspace/didChangeWorkspaceFolders", event={"added": [FOLDER], "removed": []}),
            ))  # fmt: skip
        if kind == 14:
            return self._ask("initialize", capabilities={})
        if kind == 15:
            return self._ask(
                "textDocument/inlineCompletion",
                textDocument={"uri": uri},
                position={"line": 4, "character": choose.randrange(12)},
                context={"triggerKind": 1, "selectedCompletionInfo": {"range": _range(4, 4), "text": "x"}},
            )
        ident = choose.choice(self.asked) if self.asked else "never asked"
        return {
            "jsonrpc": "2.0",
            "id": ident,
            **choose.choice(({"result": None}, {"error": {"code": 1, "message": "m"}})),
        }

    def value(self) -> Json:
        """Any JSON value, and some that only Python writes."""
        if self.random.random() < 0.6:
            return self.random.choice(SCALARS)
        return self.random.choice(CONTAINERS)(self.random)

    def _ask(self, method: str, **params: Json) -> dict[str, Json]:
        self._ids += 1
        ident = self._ids if self._ids % 3 else f"id {self._ids}"
        return {"jsonrpc": "2.0", "id": ident, "method": method, "params": params}

    def _data(self, uri: str) -> Json:
        data = {
            "copydesk": self.random.choice(("fix", "rewrite", "fixAll")),
            "uri": uri,
            "version": self._versions[uri],
        }
        place = {"start": {"line": 4, "character": 0}, "end": {"line": 4, "character": 3}}
        diagnostic = {
            **place,
            "message": "Comparison to `None`",
            "code": "E711",
            "source": "Ruff",
            "severity": 2,
            "fixes": [],
        }
        return {**data, "lines": [1, 3], "instruction": "say it", "diagnostic": diagnostic}

    def _mutated(self, message: Json) -> Json:
        """Something about it is wrong."""
        choose = self.random
        if not isinstance(message, dict):
            return message
        kind = choose.randrange(10)
        if kind == 0:
            message["id"] = self.value()
        elif kind == 1:
            message["id"] = choose.randrange(
                1, self._ids + 2
            )  # one that was used, perhaps one being answered
        elif kind == 2:
            message["method"] = choose.choice(
                (*incoming.REQUESTS, *incoming.NOTIFICATIONS, "nonsense", self.value())
            )
        elif kind == 3 and message:
            message.pop(choose.choice(tuple(message)))
        elif kind == 4:
            message[choose.choice(("jsonrpc", "params", "result", "error", "extra"))] = self.value()
        elif kind == 5:
            return choose.choice(([message], [message, message], [], self.value()))
        else:
            _somewhere(message, choose, self.value())
        return message

    def _garbled(self, body: bytes) -> bytes:
        """It is no JSON any more, most likely."""
        choose = self.random
        kind = choose.randrange(5)
        if kind == 0:
            return body[: choose.randrange(len(body) + 1)]
        if kind == 1:
            return choose.randbytes(choose.randrange(50))
        at = choose.randrange(len(body))
        if kind == 2:
            return body[:at] + choose.choice((b"\xff", b"\xed\xa0\x80", b"\0", b"\xc0\xaf")) + body[at:]
        if kind == 3:
            return choose.choice(
                (
                    b"[" * 100_000,
                    b'{"a":' * 5000,
                    b'{"jsonrpc":"2.0","id":1,"method":"m","params":' + b"[" * 900 + b"]" * 900 + b"}",
                )
            )
        return body[:at] + bytes([body[at] ^ (1 << choose.randrange(8))]) + body[at + 1 :]


def _note(method: str, **params: Json) -> dict[str, Json]:
    return {"jsonrpc": "2.0", "method": method, "params": params}


def _written(message: Json) -> bytes:
    return json.dumps(message).encode("ascii")


def nested(depth: int, objects: bool) -> Json:
    """So many lists, or objects, within each other."""
    value: Json = 0
    for _ in range(depth):
        value = {"a": value} if objects else [value]
    return value


def _somewhere(message: Json, choose: random.Random, value: Json) -> None:
    """Put `value` into some place below `message`."""
    place = message
    while True:
        keys: Any = list(place) if isinstance(place, dict) else range(len(place))
        if not keys:
            return
        key = choose.choice(keys)
        inner = place[key]
        if not isinstance(inner, dict | list) or choose.random() < 0.25:
            place[key] = value
            return
        place = inner


# -- what must be answered ---------------------------------------------------------------------------------------------


class Tally:
    """Answers there should be, and those there are, by id. Reads bodies by rules of its own."""

    def __init__(self) -> None:
        self.expected = Counter[int | str]()
        self.answered = Counter[int | str]()

    def sent(self, body: bytes) -> None:
        message = read(body)
        ident = message.get("id") if isinstance(message, dict) else None
        response = (
            isinstance(message, dict)
            and "method" not in message
            and ("result" in message or "error" in message)
        )
        if legal(ident) and not response:
            self.expected[ident] += 1

    def got(self, message: dict[str, Json]) -> None:
        if "method" not in message and message["id"] is not None:
            assert ("result" in message) != ("error" in message), message
            self.answered[message["id"]] += 1

    @property
    def open(self) -> int:
        """Requests that have no answer yet. Raises AssertionError where there are more answers than requests."""
        too_many = self.answered - self.expected
        assert not too_many, f"answered though nobody asked, or twice: {too_many}"
        return sum((self.expected - self.answered).values())


def legal(ident: Json) -> bool:
    """Whether a request with this id can be answered under it."""
    if isinstance(ident, str):
        return len(ident) <= 1024
    return type(ident) is int and abs(ident) < 1 << 53


def read(body: bytes) -> Json:
    """The JSON in `body`; None where there is none."""
    if body.count(b"[") + body.count(b"{") > incoming.MAX_CONTAINERS:
        return None
    try:
        return json.loads(body.decode(), parse_constant=_no_json, parse_float=_finite)
    except (ValueError, RecursionError):
        return None


def _no_json(constant: str) -> NoReturn:
    raise ValueError(constant)


def _finite(text: str) -> float:
    if math.isinf(float(text)):
        raise ValueError(text)
    return float(text)


def ends_it(body: bytes) -> bool:
    """Whether the message rightly ends the session, or all that can be asked in it."""
    message = read(body)
    return isinstance(message, dict) and message.get("method") in (
        ("shutdown",) if "id" in message else ("exit",)
    )


# -- a server in this process ------------------------------------------------------------------------------------------


@dataclass
class Report:
    """What was sent and what came back."""

    messages: int = 0
    sessions: int = 0
    requests: int = 0


class Line:
    """Where the server's messages go. Its own requests are answered later, by anything."""

    failure: str | None = None

    def __init__(self, fuzzer: Fuzzer, tally: Tally) -> None:
        self._fuzzer, self._tally = fuzzer, tally
        self.asked: list[Json] = []

    def send(self, frame: bytes, key: str | None = None) -> None:
        message = json.loads(frame.partition(b"\r\n\r\n")[2])
        self._tally.got(message)
        if "method" in message and "id" in message:
            self.asked.append(message["id"])
            self._fuzzer.asked = [*self._fuzzer.asked[-8:], message["id"]]

    def end(self, why: str | None = None) -> None:
        self.failure = why


def _finish(made: FakeJob) -> None:
    made.plan((1, 2))
    kind = made.job.id % 4
    if kind == 0:
        made.job.finish(EditOutcome("edited", None, made.job.version, (edit((0, 0), (0, 0), "# \n"),)))
    elif kind == 1:
        made.finished("refused", "it does not parse")
    else:
        made.finished("unchanged")


async def fuzz(messages: int, seed: int, *, said: Callable[[int], None] = lambda _: None) -> Report:
    """Send so many. Raises AssertionError where the server does not answer, or answers twice, or would end."""
    fuzzer, report = Fuzzer(seed), Report()
    while report.messages < messages:
        await _session(fuzzer, report, min(SESSION, messages - report.messages))
        report.sessions += 1
        said(report.messages)
    return report


async def _session(fuzzer: Fuzzer, report: Report, messages: int) -> None:
    tally = Tally()
    line = Line(fuzzer, tally)
    fuzzer.asked = []
    params = {"processId": None, "capabilities": CAPABILITIES}
    options = Options(quiet=True, log_level="error")
    server = App(
        options,
        line,  # type: ignore[arg-type]
        params,
        engine=FakeEngine,  # type: ignore[arg-type]
        propose=nothing_proposed,
        verify=verified,
    )
    server.engine.script = _finish  # type: ignore[attr-defined]
    server.protocol.receive(_written(_note("initialized")))
    try:
        while messages > 0:
            for _ in range(min(BATCH, messages)):
                body = fuzzer.body()
                while ends_it(body):
                    body = fuzzer.body()
                tally.sent(body)
                server.protocol.receive(body)
                if fuzzer.random.random() < 0.3:
                    await asyncio.sleep(0)
            report.messages += min(BATCH, messages)
            messages -= BATCH
            await _alive(server, line, tally)
        await _ended(server, fuzzer, tally)
        report.requests += tally.expected.total()
    finally:
        await server.lifecycle.finish(None)


async def _alive(server: App, line: Line, tally: Tally) -> None:
    """The server answers a question it knows, and has answered every other."""
    asked = {"jsonrpc": "2.0", "id": "alive?", "method": "copydesk/status"}
    tally.sent(_written(asked))
    server.protocol.receive(_written(asked))
    async with asyncio.timeout(DEADLINE):
        while tally.open or line.asked:
            for ident in line.asked:
                server.protocol.receive(_written({"jsonrpc": "2.0", "id": ident, "result": None}))
            line.asked = []
            await asyncio.sleep(0)
    assert server.lifecycle.exit_code is None
    assert line.failure is None
    assert not server.protocol.pending["unanswered"]


async def _ended(server: App, fuzzer: Fuzzer, tally: Tally) -> None:
    """After `shutdown` nothing is done, and all the same every request is answered."""
    bodies = [_written({"jsonrpc": "2.0", "id": "the end", "method": "shutdown"})]
    bodies += [body for _ in range(BATCH // 4) if not ends_it(body := fuzzer.body())]
    for body in bodies:
        tally.sent(body)
        server.protocol.receive(body)
    async with asyncio.timeout(DEADLINE):
        while tally.open:
            await asyncio.sleep(0)


# -- a server in a process of its own ----------------------------------------------------------------------------------


class Served:
    """`copydesk lsp` with a scripted engine, on its own streams. Every message it sends is tallied as it comes."""

    def __init__(self, fuzzer: Fuzzer) -> None:
        self.fuzzer, self.tally = fuzzer, Tally()
        self._news = threading.Condition()
        self._asked: list[Json] = []
        self._ended = False
        self.process = subprocess.Popen(
            [sys.executable, *entry(SCRIPTED), "--log-level", "error"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment(),
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def send(self, *bodies: bytes) -> None:
        """In frames of every form that LSP allows."""
        assert self.process.stdin is not None
        data = bytearray()
        with self._news:
            for body in bodies:
                self.tally.sent(body)
                header = self.fuzzer.random.choice(HEADERS) % len(body)
                data += header + body
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def alive(self) -> None:
        """The server answers a question it knows, and has answered every other."""
        self.send(_written({"jsonrpc": "2.0", "id": "alive?", "method": "copydesk/status"}))
        end = time.monotonic() + DEADLINE
        while True:
            with self._news:
                while self.tally.open and not self._asked:
                    assert not self._ended, "the server has gone"
                    assert self._news.wait(end - time.monotonic()), (
                        f"{self.tally.open} requests without an answer"
                    )
                asked, self._asked = self._asked, []
                if not asked and not self.tally.open:
                    return
            self.send(*(_written({"jsonrpc": "2.0", "id": ident, "result": None}) for ident in asked))

    def end(self) -> int:
        """Shut it down. Returns the exit code."""
        self.send(
            _written({"jsonrpc": "2.0", "id": "the end", "method": "shutdown"}),
            _written({"jsonrpc": "2.0", "method": "exit"}),
        )
        code = self.process.wait(DEADLINE)
        self._reader.join(DEADLINE)
        assert not self.tally.open
        return code

    def close(self) -> None:
        """Leave nothing behind."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(DEADLINE)
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            with contextlib.suppress(OSError):
                stream.close()

    def _read(self) -> None:
        assert self.process.stdout is not None
        frames = jsonrpc.Frames()
        while data := self.process.stdout.read1(1 << 16):  # type: ignore[attr-defined]
            with self._news:
                for body in frames.feed(data):
                    message = json.loads(body)
                    self.tally.got(message)
                    if "method" in message and "id" in message:
                        self._asked.append(message["id"])
                self._news.notify_all()
        with self._news:
            self._ended = True
            self._news.notify_all()


HEADERS = (
    b"Content-Length: %d\r\n\r\n",
    b"content-length:%d\r\n\r\n",
    b"Content-Length: %d\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n",
    b'Content-Type: text/plain; charset="utf8"\r\nContent-Length: %012d\r\n\r\n',
)


def fuzz_process(messages: int, seed: int) -> Report:
    """The same over standard streams: garbage before `initialize`, and after it. Raises AssertionError."""
    fuzzer = Fuzzer(seed)
    served = Served(fuzzer)
    report = Report(messages, 1)
    try:
        early = [
            body for _ in range(BATCH) if not ends_it(body := fuzzer.body()) and b"initialize" not in body
        ]
        served.send(
            *early,
            _written(
                {
                    "jsonrpc": "2.0",
                    "id": 0,
                    "method": "initialize",
                    "params": {"processId": None, "capabilities": CAPABILITIES},
                }
            ),
        )
        served.send(_written(_note("initialized")))
        served.alive()
        for _ in range(max(1, messages // BATCH)):
            served.send(*(body for _ in range(BATCH) if not ends_it(body := fuzzer.body())))
            served.alive()
        report.requests = served.tally.expected.total()
        assert served.end() == 0
    finally:
        served.close()
    return report
