"""Hosts for tests of the proxy: no model, no torch, and they do what an instruction says. Run in a child by name.

The settings' `model` says how loading goes: None (ready at once), "missing" (failed), "dies", "never". A request's instruction
says what becomes of it: "say TEXT" inserts TEXT at the top, "unsure TEXT|TEXT" leaves a choice of texts, "text" tells the
document's text as the reason, "hold" waits for its flag, "hang" waits for nothing, "hunks" streams two and takes them back, "die"
kills the process; anything else is unchanged.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import sys
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from copydesk.text.document import Position, TextEdit, TextLines
from copydesk_server.engine_process.client import Engine
from copydesk_server.engine_process.engine_state import State
from copydesk_server.engine_process.messages import (
    EngineSettings,
    Message,
    ModelInfo,
    pack_edits,
    result_message,
    unpack_edits,
)
from copydesk_server.engine_process.worker_main import Channel

SCRIPTED = "engine_hosts:serve"
DEADLINE = 60.0
T = TypeVar("T")


def kill(pid: int) -> None:
    """As the kernel does when memory runs out; Windows has no such signal and ends the process just as well."""
    os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))


def serve(channel: Channel, settings: EngineSettings) -> None:
    """The scripted host."""
    sys.stdout.write("this must not reach the protocol's stdout\n")
    sys.stdout.flush()
    channel.send({"kind": "progress", "message": "Loading", "percentage": 50})
    if settings.model == "dies":
        os._exit(3)
    if settings.model == "missing":
        channel.send({"kind": "failed", "message": "there is no model of that name"})
        return
    if settings.model == "never":
        while True:
            channel.inbox.get()
    info = {
        "name": settings.model or "scripted", "device": "cpu", "dtype": "float32", "languages": ["python"],
        "page_lines": 64, "kind": "lines", "load_ms": 0.0,
    }  # fmt: skip
    channel.send({"kind": "ready", "info": info})
    documents: dict[int, tuple[int, TextLines]] = {}
    while True:
        message = channel.inbox.get()
        kind = message["kind"]
        if kind == "open":
            documents[message["doc"]] = message["version"], TextLines(message["text"])
        elif kind == "splice":
            _, lines = documents[message["doc"]]
            for edit in unpack_edits(message["changes"]):
                lines.splice(edit.start, edit.end, edit.new_text, message["encoding"])
            documents[message["doc"]] = message["version"], lines
        elif kind == "close":
            documents.pop(message["doc"], None)
        elif kind == "submit":
            version, lines = documents[message["doc"]]
            _answer(channel, message, version, lines.text)
        elif kind == "status":
            channel.send({"kind": "status", "id": message["id"], "figures": {"warm_pages": len(documents)}})


def _answer(channel: Channel, job: Message, version: int, text: str) -> None:
    id, what = job["id"], job["request"]["instruction"] or ""
    if channel.flags[job["slot"]]:
        channel.send(result_message(id, "cancelled", "cancelled", version))
        return
    channel.send({"kind": "planned", "id": id, "scope": [[1, 1]]})
    edit = TextEdit(Position(0, 0), Position(0, 0), what.removeprefix("say "))
    if what == "die":
        kill(os.getpid())
    elif what == "hang":
        threading.Event().wait()
    elif what == "hold":
        while not channel.flags[job["slot"]]:
            pass
        channel.send(result_message(id, "cancelled", "cancelled", version))
    elif what == "hunks":
        for seq in (0, 1):
            channel.send({"kind": "hunk", "id": id, "seq": seq, "edits": pack_edits([edit])})
        channel.send({"kind": "retracted", "id": id, "reason": "it does not parse"})
        channel.send(result_message(id, "refused", "it does not parse", version))
    elif what.startswith("unsure "):
        texts = what.removeprefix("unsure ").split("|")
        alternatives = [
            {
                "title": f"Write {text.strip()}",
                "probability": 0.5**number,
                "edits": pack_edits([TextEdit(Position(0, 0), Position(0, 0), text)]),
                "program": "<program>",
                "reason": None,
                "checked": [],
            }
            for number, text in enumerate(texts, 1)
        ]
        asked = "did you mean one of these?"
        more = {"unsure": True, "alternatives": alternatives}
        channel.send(result_message(id, "refused", asked, version, **more))
    elif what.startswith("say "):
        channel.send(result_message(id, "edited", None, version, edits=pack_edits([edit])))
    else:
        channel.send(result_message(id, "unchanged", text if what == "text" else None, version))


def starved(channel: Channel, settings: EngineSettings) -> None:
    """The real engine, whose first edit asks for more memory than there is."""
    import torch

    from copydesk.editor import Editor
    from copydesk_server.engine_process import worker

    serve, edits = Editor.run_plans, itertools.count()

    def run_plans(self: Editor, *args: Any, **kwargs: Any) -> Any:
        if next(edits) == 0:
            torch.empty(1 << 50, dtype=torch.uint8)
        return serve(self, *args, **kwargs)

    Editor.run_plans = run_plans  # type: ignore[method-assign]
    worker.serve(channel, settings)


class Recorder:
    """A listener that can be waited for."""

    def __init__(self) -> None:
        self.states: list[tuple[State, str | None]] = []
        self.progress: list[tuple[str, int | None]] = []

    def engine_state(self, state: State, message: str | None, model: ModelInfo | None) -> None:
        self.states.append((state, message))

    def engine_progress(self, message: str, percentage: int | None) -> None:
        self.progress.append((message, percentage))


async def until(ready: Callable[[], Any]) -> None:
    """Let the loop turn until it is so. It pauses between two looks: what is waited for is another process's, mostly, which
    would have to share the processor."""
    async with asyncio.timeout(DEADLINE):
        while not ready():
            await asyncio.sleep(0.002)


async def state(engine: Engine, wanted: State) -> None:
    """Wait for a state of the engine."""
    await until(lambda: engine.state == wanted)


def run(main: Coroutine[Any, Any, T]) -> T:
    """A test's own event loop, with a deadline that fails."""

    async def limited() -> T:
        async with asyncio.timeout(2 * DEADLINE):
            return await main

    return asyncio.run(limited())


async def _be_a_parent() -> None:
    """A process with a child, for a test that kills it: tells the child's process id and waits."""
    engine = Engine(EngineSettings(model=sys.argv[1] or None), Recorder(), host=SCRIPTED)
    engine.start()
    await until(lambda: engine.pid is not None)
    if not sys.argv[1]:
        await state(engine, "ready")
    sys.stdout.write(f"{engine.pid}\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_be_a_parent())
