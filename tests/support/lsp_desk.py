"""The whole protocol process in a test's own loop, with a scripted engine: messages go in and out as JSON, the rest is real."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any
from unittest import mock

from copydesk.text.document import Encoding, Position, TextEdit, apply_edits
from copydesk_server.applicability import applicability
from copydesk_server.lsp import fix_menu, prefetch
from copydesk_server.lsp.app import App
from copydesk_server.lsp.options import Options
from copydesk_server.verification import Judgement
from fake_engine import FakeEngine

URI = "untitled:a.py"
DEADLINE = 60.0
NEVER = 1e6
RESOLVES: dict[str, Any] = {
    "textDocument": {
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}},
            "isPreferredSupport": True,
            "dataSupport": True,
            "resolveSupport": {"properties": ["edit"]},
        }
    },
    "workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}},
}


def with_actions(**more: Any) -> dict[str, Any]:
    """A client that resolves actions, and can do more with them."""
    document = RESOLVES["textDocument"]
    return {**RESOLVES, "textDocument": {**document, "codeAction": {**document["codeAction"], **more}}}


APPLIES = {
    "textDocument": {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}},
    "workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}},
}


class Wire:
    """Where the server's messages go."""

    failure: str | None = None

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.new = asyncio.Event()

    def send(self, frame: bytes, key: str | None = None) -> None:
        self.sent.append(json.loads(frame.partition(b"\r\n\r\n")[2]))
        self.new.set()

    def end(self, why: str) -> None:
        self.failure = why


class Desk:
    """One client and its server."""

    def __init__(self, app: App, wire: Wire, engine: FakeEngine) -> None:
        self.app, self.wire, self.engine = app, wire, engine
        self._ids = itertools.count(1)
        self._versions: dict[str, int] = {}

    def send(self, message: dict[str, Any]) -> None:
        self.app.protocol.receive(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def notify(self, method: str, params: Any) -> None:
        self.send({"method": method, "params": params})

    def ask(self, method: str, params: Any) -> int:
        ident = next(self._ids)
        self.send({"id": ident, "method": method, "params": params})
        return ident

    async def until(self, found: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first message that is so, sent already or yet to come."""
        async with asyncio.timeout(DEADLINE):
            while True:
                for message in self.wire.sent:
                    if found(message):
                        return message
                self.wire.new.clear()
                await self.wire.new.wait()

    async def answer(self, ident: int) -> dict[str, Any]:
        return await self.until(lambda message: message.get("id") == ident and "method" not in message)

    async def request(self, method: str, params: Any) -> Any:
        answer = await self.answer(self.ask(method, params))
        assert "error" not in answer, answer
        return answer["result"]

    async def settled(self) -> None:
        """Everything that can happen without anybody's doing has happened."""
        for _ in range(20):
            await asyncio.sleep(0)

    def said(self) -> list[str]:
        """The messages shown to the person."""
        return [m["params"]["message"] for m in self.wire.sent if m.get("method") == "window/showMessage"]

    def notified(self, method: str) -> list[Any]:
        return [m["params"] for m in self.wire.sent if m.get("method") == method]

    # -- documents -----------------------------------------------------------------------------------------------------

    def open(self, text: str, uri: str = URI, language: str = "python", version: int = 1) -> None:
        self._versions[uri] = version
        item = {"uri": uri, "languageId": language, "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})

    def change(self, start: tuple[int, int], end: tuple[int, int], text: str, uri: str = URI) -> None:
        self.changes([(start, end, text)], uri)

    def changes(self, changes: list[tuple[tuple[int, int], tuple[int, int], str]], uri: str = URI) -> None:
        self._versions[uri] += 1
        self.notify(
            "textDocument/didChange",
            {
                "textDocument": {"uri": uri, "version": self._versions[uri]},
                "contentChanges": [{"range": span(a, b), "text": text} for a, b, text in changes],
            },
        )

    def close(self, uri: str = URI) -> None:
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def text(self, uri: str = URI) -> str:
        document = self.app.documents.get(uri)
        assert document is not None
        return document.lines.text

    def version(self, uri: str = URI) -> int:
        return self._versions[uri]

    async def actions(
        self,
        start: tuple[int, int],
        end: tuple[int, int] | None = None,
        diagnostics: list[Any] | None = None,
        uri: str = URI,
        **context: Any,
    ) -> list[dict[str, Any]]:
        params = {
            "textDocument": {"uri": uri},
            "range": span(start, end or start),
            "context": {"diagnostics": diagnostics or [], **context},
        }
        found: list[dict[str, Any]] = await self.request("textDocument/codeAction", params)
        return found


def span(start: tuple[int, int], end: tuple[int, int]) -> dict[str, Any]:
    return {
        "start": {"line": start[0], "character": start[1]},
        "end": {"line": end[0], "character": end[1]},
    }


def diagnostic(line: int, message: str = "Comparison to `None`", **more: Any) -> dict[str, Any]:
    return {
        "range": span((line, 0), (line, 3)),
        "message": message,
        "severity": 2,
        "source": "pyflakes",
        **more,
    }


def edit(start: tuple[int, int], end: tuple[int, int], text: str) -> TextEdit:
    return TextEdit(Position(*start), Position(*end), text)


def applied(text: str, workspace_edit: dict[str, Any], version: int, uri: str = URI) -> str:
    """What a strict client makes of it: one document, by its version."""
    (change,) = workspace_edit["documentChanges"]
    assert set(workspace_edit) == {"documentChanges"}
    assert change["textDocument"] == {"uri": uri, "version": version}
    edits = [
        edit(
            (e["range"]["start"]["line"], e["range"]["start"]["character"]),
            (e["range"]["end"]["line"], e["range"]["end"]["character"]),
            e["newText"],
        )
        for e in change["edits"]
    ]
    return apply_edits(text, edits, Encoding.UTF16)


async def verified(before: str, after: str, diagnostics: Any, **_: Any) -> Judgement:
    """A judge who has no doubts."""
    return Judgement("confirmed", None, ("syntax",), applicability(before, after, diagnostics))


def nothing_proposed(_document: Any, _diagnostics: Any) -> None:
    """No tool has a fix of its own."""


@asynccontextmanager
async def desk(
    capabilities: dict[str, Any] | None = None,
    options: dict[str, Any] | None = None,
    judge: Any = verified,
    *,
    propose: Any = nothing_proposed,
    seed: int = 0,
    loads: bool = False,
    tools: bool = False,
) -> AsyncIterator[Desk]:
    """A client that has been initialized. judge: None for the real one, who runs ruff, which then proposes fixes too; propose: in
    ruff's place. seed: of the command line. loads: the engine is not ready before `Desk.engine.loaded()`.

    At the end no request is without its one response, and nothing is left running.

    tools: whether a menu waits for tools, for as long as they take: a slow machine would be in the middle of any test.

    It never becomes calm, unless the test sets `prefetch.CALM` to nothing, for the same reason.
    """
    calm, patience = NEVER if prefetch.CALM else 0.0, DEADLINE if tools else 0.0
    with mock.patch.object(prefetch, "CALM", calm), mock.patch.object(fix_menu, "PATIENCE", patience):
        proposing = None if judge is None else propose
        async with _desk(capabilities, options, judge, proposing, seed, loads) as made:
            yield made


@asynccontextmanager
async def _desk(
    capabilities: dict[str, Any] | None,
    options: dict[str, Any] | None,
    judge: Any,
    propose: Any,
    seed: int,
    loads: bool,
) -> AsyncIterator[Desk]:
    wire = Wire()
    params: dict[str, Any] = {
        "processId": None,
        "capabilities": RESOLVES if capabilities is None else capabilities,
    }
    if options is not None:
        params["initializationOptions"] = {"copydesk": options}
    app = App(
        Options(quiet=True, seed=seed),
        wire,  # type: ignore[arg-type]
        params,
        engine=partial(FakeEngine, loads=loads),  # type: ignore[arg-type]
        propose=propose,
        verify=judge,
    )
    engine: FakeEngine = app.engine  # type: ignore[assignment]
    made = Desk(app, wire, engine)
    made.notify("initialized", {})
    async with asyncio.timeout(DEADLINE):
        await app.started.wait()
    try:
        yield made
        await made.settled()
        answered = [m["id"] for m in wire.sent if "method" not in m]
        asked = list(range(1, next(made._ids)))
        assert sorted(answered) == asked, "one response per request"
    finally:
        await app.lifecycle.finish(None)
