"""A long day of many people, in minutes: the whole protocol process in this one, the real engine in its child, a strict client.

`soak` opens documents, types into them at random, asks for fixes, cancels some, closes and opens again; and then looks for what
is left over. The client keeps its own text by means of its own, and believes nothing.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import json
import random
import re
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import psutil

from copydesk_server.engine_process.flags import SLOTS
from copydesk_server.engine_process.messages import EngineSettings
from copydesk_server.engine_process.worker_main import Channel
from copydesk_server.lsp.app import App
from copydesk_server.lsp.options import Options
from lsp_desk import RESOLVES

CAPABILITIES = {**RESOLVES, "window": {"workDoneProgress": True}}
DEADLINE = 120.0
BREAK = re.compile("\r\n|\r|\n")
PAGE = '''"""Part {n} of something — with an accent é and a \U0001f600."""

import os
import sys


def first_{n}(x, y=None):
    # a comment that is typed into
    if x == None:
        return y
    return x


def second_{n}(values):
    result = []
    for value in values:
        if value != None:
            result.append(value)
    return len(result)


class Thing{n}:
    def __init__(self, name):
        self.name = name

    def same(self, other):
        return other == None or self.name == other.name
'''
TYPED = ["a", " ", "\n", "x = 1\n", "# é\U0001f600\r\n", "    ", ")", "\r"]


@dataclass(frozen=True)
class Size:
    """How much of each."""

    documents: int = 50
    edits: int = 20_000
    fixes: int = 500
    cancels: int = 200
    seed: int = 0
    samples: int = 20


@dataclass
class Report:
    """What was seen. `faults`: everything that must not be; empty in a good world."""

    faults: list[str] = field(default_factory=list)
    memory: list[tuple[int, int, int]] = field(
        default_factory=list
    )  # edits done, bytes here, bytes of the engine
    answers: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0


def serve(channel: Channel, settings: EngineSettings) -> None:
    """The real engine; its status also tells the texts it has."""
    from copydesk_server.engine_process import worker

    class Telling(worker.Worker):
        def figures(self) -> dict[str, Any]:
            texts = {str(doc): _digest(text) for doc, text in self._documents.texts().items()}
            return {**super().figures(), "texts": texts}

    worker.Worker = Telling  # type: ignore[misc]
    worker.serve(channel, settings)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Buffer:
    """A document as the client has it: one string, and positions counted afresh each time."""

    def __init__(self, uri: str, text: str) -> None:
        self.uri, self.text, self.version, self.original = uri, text, 1, text

    def position(self, offset: int) -> dict[str, int]:
        """In UTF-16."""
        start = line = 0
        for found in BREAK.finditer(self.text):
            if found.end() > offset:
                break
            start, line = found.end(), line + 1
        return {"line": line, "character": len(self.text[start:offset].encode("utf-16-le")) // 2}

    def offset(self, position: dict[str, int]) -> int:
        start = 0
        for number, found in enumerate(BREAK.finditer(self.text)):
            if number == position["line"]:
                break
            start = found.end()
        rest = self.text[start:].encode("utf-16-le")[: 2 * position["character"]]
        return start + len(rest.decode("utf-16-le"))


class Client:
    """One strict client, and what the server sends it (a connection, for the server)."""

    failure: str | None = None

    def __init__(self) -> None:
        self.app: App
        self.report = Report()
        self.buffers: dict[str, Buffer] = {}
        self.flying: dict[int, Callable[[dict[str, Any]], None]] = {}
        self._ids = itertools.count(1)
        self._asked: list[dict[str, Any]] = []

    # -- the connection ------------------------------------------------------------------------------------------------

    def send(self, frame: bytes, key: str | None = None) -> None:
        message = json.loads(frame.partition(b"\r\n\r\n")[2])
        if "method" in message:
            if "id" in message:  # not at once: the server may be in the middle of something
                answer = {"id": message["id"], "result": None}
                asyncio.get_running_loop().call_soon(self.say, answer)
            return
        handler = self.flying.pop(message["id"], None)
        if handler is None:
            self.report.faults.append(f"an answer to nothing, or the second one: {message['id']}")
        else:
            handler(message)

    def end(self, why: str) -> None:
        self.failure = why

    def say(self, message: dict[str, Any]) -> None:
        self.app.protocol.receive(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def notify(self, method: str, **params: Any) -> None:
        self.say({"method": method, "params": params})

    def ask(self, method: str, params: Any, handler: Callable[[dict[str, Any]], None]) -> int:
        ident = next(self._ids)
        self.flying[ident] = handler
        self.say({"id": ident, "method": method, "params": params})
        return ident

    # -- documents -----------------------------------------------------------------------------------------------------

    def open(self, uri: str, text: str) -> None:
        self.buffers[uri] = Buffer(uri, text)
        item = {"uri": uri, "languageId": "python", "version": 1, "text": text}
        self.notify("textDocument/didOpen", textDocument=item)

    def close(self, uri: str) -> None:
        self.notify("textDocument/didClose", textDocument={"uri": uri})
        del self.buffers[uri]

    def change(self, buffer: Buffer, start: int, end: int, text: str) -> None:
        """Offsets in code points. Never between the two halves of CR LF: no editor types there."""
        span = {"start": buffer.position(start), "end": buffer.position(end)}
        buffer.text = buffer.text[:start] + text + buffer.text[end:]
        self._changed(buffer, {"range": span, "text": text})

    def replace(self, buffer: Buffer, text: str) -> None:
        buffer.text = text
        self._changed(buffer, {"text": text})

    def _changed(self, buffer: Buffer, change: dict[str, Any]) -> None:
        buffer.version += 1
        identifier = {"uri": buffer.uri, "version": buffer.version}
        self.notify("textDocument/didChange", textDocument=identifier, contentChanges=[change])

    # -- fixes ---------------------------------------------------------------------------------------------------------

    def diagnostics(self, buffer: Buffer) -> list[dict[str, Any]]:
        """What a linter would say of comparisons to None."""
        return [
            {
                "range": {"start": buffer.position(found.start()), "end": buffer.position(found.end())},
                "message": "Comparison to `None` should be `cond is None`",
                "code": "E711",
                "source": "Ruff",
                "severity": 2,
            }
            for found in re.finditer(r"\w+ [=!]= None", buffer.text)
        ]

    def fix(self, buffer: Buffer, diagnostic: dict[str, Any], resolved: Callable[[int], None]) -> None:
        """The light bulb, and the edit of what it shows. resolved: told the id of the second request."""

        def shown(answer: dict[str, Any]) -> None:
            found = answer.get("result") or []
            self.report.answers["actions"] += 1
            for action in found[:1]:
                resolved(
                    self.ask("codeAction/resolve", action, lambda answer: self._resolved(buffer, answer))
                )

        params = {
            "textDocument": {"uri": buffer.uri},
            "range": diagnostic["range"],
            "context": {"diagnostics": [diagnostic], "only": ["quickfix"]},
        }
        self.ask("textDocument/codeAction", params, shown)

    def _resolved(self, buffer: Buffer, answer: dict[str, Any]) -> None:
        if "error" in answer:
            self.report.answers[str(answer["error"]["code"])] += 1
            if answer["error"]["code"] not in (-32800, -32801):
                self.report.faults.append(f"{answer['error']}")
            return
        edit = answer["result"].get("edit")
        self.report.answers["edit" if edit is not None else "no edit"] += 1
        if edit is None:
            return
        (change,) = edit["documentChanges"]
        current = self.buffers.get(buffer.uri)
        if current is not buffer or change["textDocument"]["version"] != buffer.version:
            self.report.faults.append(f"a stale edit of {buffer.uri}")
            return
        # Applied later, as an editor does: the server is in the middle of its answer.
        asyncio.get_running_loop().call_soon(self._apply, buffer, buffer.version, change["edits"])

    def _apply(self, buffer: Buffer, version: int, edits: list[dict[str, Any]]) -> None:
        if buffer.version == version and self.buffers.get(buffer.uri) is buffer:
            for one in reversed(edits):
                start, end = (buffer.offset(one["range"][name]) for name in ("start", "end"))
                self.change(buffer, start, end, one["newText"])


async def soak(
    size: Size, *, said: Callable[[str], None] = lambda _: None, model: str | None = None
) -> Report:
    """The whole of it. said: told of memory as it goes."""
    random_ = random.Random(size.seed)
    client = Client()
    report = client.report
    before = asyncio.all_tasks()
    began = time.monotonic()
    app = App(
        Options(quiet=True, model=model, engine_host="soaking:serve", log_level="error"),
        client,  # type: ignore[arg-type]
        # An edit that comes with its action asks the engine nothing.
        {
            "processId": None,
            "capabilities": CAPABILITIES,
            "initializationOptions": {"copydesk": {"settings": {"precompute": False}}},
        },
    )
    client.app = app
    try:
        client.notify("initialized")
        await until(lambda: app.engine.state == "ready", "the engine")
        for number in range(size.documents):
            client.open(f"untitled:doc{number}.py", PAGE.format(n=number))
        await _work(client, size, random_, said)
        await _quiet(client)
        await _look(client, size)
    finally:
        await app.lifecycle.finish(None)
    await _nothing_left(report, before)
    report.seconds = time.monotonic() - began
    return report


async def _work(client: Client, size: Size, random_: random.Random, said: Callable[[str], None]) -> None:
    deeds = ["edit"] * size.edits + ["fix"] * size.fixes + ["cancel"] * size.cancels
    random_.shuffle(deeds)
    edits, every = 0, max(1, size.edits // size.samples)
    for deed in deeds:
        buffer = random_.choice(list(client.buffers.values()))
        if deed == "edit":
            _type(client, buffer, random_)
            edits += 1
            if edits % every == 0:
                await _sample(client, edits, said)
            if edits % 16 == 0:
                await asyncio.sleep(0)
        else:
            # As many as a model keeps up with, or the end would be one long queue.
            await until(lambda: len(client.flying) < 8, "answers")
            if deed == "fix" and random_.random() < 0.3:
                client.replace(buffer, buffer.original)
            found = client.diagnostics(buffer)
            if not found:
                client.replace(buffer, buffer.original)
                found = client.diagnostics(buffer)
            client.notify("copydesk/diagnostics", uri=buffer.uri, version=buffer.version, diagnostics=found)
            turns = random_.randrange(200) if deed == "cancel" else None
            shown = client.report.answers["actions"]
            client.fix(
                buffer,
                random_.choice(found),
                partial(_cancel_later, client, turns),
            )
            await asyncio.sleep(0)
            if deed == "cancel":  # who types on before the actions are there is shown none
                await until(lambda shown=shown: client.report.answers["actions"] > shown, "actions")  # type: ignore[misc]
            if deed == "fix" and random_.random() < 0.6:  # this person waits; the others type on
                await until(lambda: not client.flying, "a fix")


def _type(client: Client, buffer: Buffer, random_: random.Random) -> None:
    chance = random_.random()
    if chance < 0.01:
        client.close(buffer.uri)
        client.open(buffer.uri, buffer.original)
    elif chance < 0.03 or len(buffer.text) > 2 * len(buffer.original):
        client.replace(buffer, buffer.original)
    else:
        start = random_.randrange(len(buffer.text) + 1)
        end = min(len(buffer.text), start + random_.choice([0, 0, 0, 1, 1, 40]))
        if any(buffer.text[at - 1 : at + 1] == "\r\n" for at in (start, end) if at):
            return
        client.change(buffer, start, end, random_.choice(TYPED))


def _cancel_later(client: Client, turns: int | None, ident: int) -> None:
    """After so many turns of the loop; None: never."""
    if turns is None:
        return
    if turns:
        asyncio.get_running_loop().call_soon(_cancel_later, client, turns - 1, ident)
    elif ident in client.flying:
        client.notify("$/cancelRequest", id=ident)


async def _sample(client: Client, edits: int, said: Callable[[str], None]) -> None:
    status = await client.app.engine.status()
    here = psutil.Process().memory_info().rss
    there = psutil.Process(status["pid"]).memory_info().rss
    client.report.memory.append((edits, here, there, status["cache_bytes"]))
    said(
        f"{edits} edits: {here >> 20} MiB here, {there >> 20} MiB in the engine, {status['cache_bytes'] >> 20} MiB of them "
        f"{status['warm_pages']} warm pages; {len(client.flying)} in flight"
    )


# -- what is left ------------------------------------------------------------------------------------------------------


async def until(ready: Callable[[], bool], what: str) -> None:
    """Let the loop turn until it is so; fails after a long while."""
    end = time.monotonic() + DEADLINE
    while not ready():
        if time.monotonic() > end:
            raise AssertionError(f"waited {DEADLINE:.0f} s for {what}")
        await asyncio.sleep(0.001)


async def _quiet(client: Client) -> None:
    """Every request is answered, and nothing is computed ahead any more."""
    await until(lambda: not client.flying, "the last answers")
    app = client.app
    ahead = app.prefetch
    await until(
        lambda: (
            ahead._timer is None
            and (ahead._task is None or ahead._task.done())
            and not len(app.edits)
            and not len(app.engine._jobs)
        ),
        "fixes computed ahead",
    )


async def _look(client: Client, size: Size) -> None:
    """Both mirrors are the client's text; no slot, job, bar or request is left over; what is closed is let go."""
    app, report = client.app, client.report
    status = await app.engine.status()
    for buffer in client.buffers.values():
        document = app.documents.get(buffer.uri)
        if document is None or document.lines.text != buffer.text:
            report.faults.append(f"the server's text of {buffer.uri} is not the client's")
        elif status["texts"].get(str(document.id)) != _digest(buffer.text):
            report.faults.append(f"the engine's text of {buffer.uri} is not the client's")
    expected = {
        "engine_jobs": 0,
        "engine_documents": size.documents,
        "queue": {"edit": 0, "prefetch": 0},
        "running": None,
    }
    report.faults += [f"{key}: {status[key]}" for key, value in expected.items() if status[key] != value]
    flags = app.engine._jobs.flags
    left = {
        "flag slots": SLOTS - 1 - flags.free,
        "slots of jobs": app.engine._jobs.slots,
        "jobs": len(app.engine._jobs),
        "edit tasks": len(app.edits),
        "progress bars": len(app.bars),
        **app.protocol.pending,
    }
    report.faults += [f"{count} {what} left over" for what, count in left.items() if count]
    for uri in list(client.buffers):
        client.close(uri)
    status = await app.engine.status()
    left = {
        "documents": len(app.documents),
        "documents in the engine": status["engine_documents"],
        "warm pages": status["warm_pages"],
        "fixes ahead": app.prefetch.count,
        "known findings": len(app.diagnostics._known),
        "linted documents": len(app.linting._running) + len(app.linting._timers),
    }
    report.faults += [f"{count} {what} left over after closing" for what, count in left.items() if count]


async def _nothing_left(report: Report, before: set[asyncio.Task[Any]]) -> None:
    await asyncio.sleep(0)
    for task in asyncio.all_tasks() - before:
        report.faults.append(f"a task is left over: {task.get_name()}")
    for child in psutil.Process().children():
        if any("spawn_main" in word for word in child.cmdline()):
            report.faults.append(f"a process is left over: {child.pid}")
