"""The engine as the protocol process sees it: documents go in, jobs come back, and a process that dies is replaced.

    engine = Engine(EngineSettings(), listener)
    engine.start()
    engine.open(1, "a.py", "python", version=0, text=lambda: mirror.text)
    job = engine.submit(1, EditRequest(instruction="..."), encoding=Encoding.UTF16)
    result = await job.result

Belongs to the event loop: every call is made on its thread and returns at once, but for the coroutines. Each message to the child
is in one queue, in the order of the calls, so that a job is made for exactly the version its document had when it was submitted.
The queue is bounded: where the child does not keep up, documents fall behind, and are sent whole, as they are by then, once there
is room. A child that hangs is replaced like one that died. Where the settings name a command, that is what is started and
replaced, and "child" below means it too: what it says was checked (`message_check.py`).
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from copydesk.request import EditRequest, Range
from copydesk.text.document import Encoding, TextEdit
from copydesk_server.engine_process.child_process import ChildProcess
from copydesk_server.engine_process.command_process import OVERTAKING, CommandProcess
from copydesk_server.engine_process.connection import EngineConnection
from copydesk_server.engine_process.document_feed import DocumentFeed
from copydesk_server.engine_process.edit_outcome import EditOutcome
from copydesk_server.engine_process.engine_state import EngineListener, State
from copydesk_server.engine_process.jobs import EngineJob, HunkEvent, Priority, Retracted
from copydesk_server.engine_process.messages import (
    EngineSettings,
    Message,
    ModelInfo,
    pack_request,
    unpack_edits,
    unpack_info,
    unpack_ranges,
    unpack_result,
)
from copydesk_server.engine_process.pending_jobs import PendingJobs
from copydesk_server.engine_process.round_trip import RoundTrip
from copydesk_server.engine_process.watchdog import Watchdog

log = logging.getLogger(__name__)

HOST = "copydesk_server.engine_process.worker:serve"
BEHIND = "the engine does not keep up"
PING = 2.0
"""Seconds between two looks at how far a command's engine is."""
FIGURES = 5.0
"""Seconds that a child has to tell its figures. Whoever asks for the status wants to know that there is one."""
LOADS = 3
"""A child that dies this many times in a row while loading is not started again. A command is, in the background: a network comes
back by itself."""


class Engine:
    """State "restarting" lasts until the new child is ready. `host`: "module:function", what runs in the child."""

    def __init__(
        self,
        settings: EngineSettings,
        listener: EngineListener,
        *,
        backoff: Sequence[float] = (0.5, 1, 2, 5, 15, 30),
        host: str = HOST,
        watchdog: Callable[[Callable[[str], None]], Watchdog] = Watchdog,
    ) -> None:
        self.state: State = "idle"
        self.info: ModelInfo | None = None
        self.settings = settings
        self._listener = listener
        self._backoff = tuple(backoff)
        self._host = host
        self._message: str | None = None
        self._feed = DocumentFeed()
        self._jobs = PendingJobs()
        self._asked: dict[int, asyncio.Future[Message]] = {}
        self._ids = itertools.count(1)
        self._link: EngineConnection | None = None
        self._ended: set[EngineConnection] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._deaths = 0  # since a job last came back
        self._deaths_loading = 0
        self._watchdog = watchdog(self._on_hang)
        self._hung: str | None = None  # why the child is being killed
        self._round_trip = RoundTrip(lambda number: self._send({"kind": "ping", "id": number}), PING)
        self._reconnects = 0

    @property
    def pid(self) -> int | None:
        """The child's process, once there is one."""
        return self._link.pid if self._link is not None else None

    @property
    def message(self) -> str | None:
        """What the current state was announced with."""
        return self._message

    # -- life ----------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Load the model in a child; returns at once. Does nothing the second time."""
        if self.state == "idle":
            self._set("loading")
            self._begin(self._connect())

    async def close(self) -> None:
        """End the child, also while it loads. Jobs in flight fail. Nothing is left running when this returns."""
        self._set("closed")
        self._drop_link()
        self._give_up("the engine was closed")
        for link in list(self._ended):
            await asyncio.shield(link.gone)

    def configure(self, settings: EngineSettings) -> None:
        """Go on with other settings. Where only logging differs nothing is loaded; otherwise, and also for the very same settings
        (the model's directory was replaced), a new child takes over the open documents and jobs in flight fail.
        """
        before, self.settings = self.settings, settings
        if self.state in ("idle", "closed"):
            return
        if settings != before and settings.same_model(before):
            if self._link is not None:
                file = settings.log_file if settings.command is None else None
                self._link.send({"kind": "logging", "file": file, "level": settings.log_level})
            return
        self._drop_link()
        self._give_up("the model was changed", lost=True)
        self._deaths = self._deaths_loading = 0
        self.info = None
        self._set("loading")
        link = self._connect()
        # Two models at a time may be more than the memory holds.
        waiting = [old.gone for old in self._ended]
        if not waiting:
            self._begin(link)
        else:
            asyncio.gather(*waiting).add_done_callback(lambda _: self._begin(link))

    # -- documents -----------------------------------------------------------------------------------------------------

    def open(self, doc: int, name: str, language: str, version: int, text: Callable[[], str]) -> None:
        """A document to edit, under a number of the caller's. text: its text as it stands, whenever a child needs it."""
        self.close_document(doc)
        self._feed.open(doc, name, language, version, text)

    def splice(self, doc: int, version: int, changes: Sequence[TextEdit], encoding: Encoding | str) -> None:
        """The document changed, and is now at `version`: `changes` were applied one after the other."""
        if not self._feed.splice(doc, version, changes, encoding):
            for job in self._jobs.of(doc):
                job.cancel()
                self._jobs.finish(job.id, EditOutcome("failed", BEHIND, job.version, lost=True))

    def look_at(self, doc: int, ranges: Sequence[Range]) -> None:
        """The person sees these 1-based lines."""
        self._feed.look_at(doc, ranges)

    def close_document(self, doc: int) -> None:
        """Free its pages, and cancel what is asked about it. Does nothing for one that is not open."""
        for job in self._jobs.of(doc):
            job.cancel()
        self._feed.close(doc)

    # -- jobs ----------------------------------------------------------------------------------------------------------

    def submit(
        self,
        doc: int,
        request: EditRequest,
        *,
        priority: Priority = "edit",
        stream: bool = False,
        encoding: Encoding | str,
        deadline: float | None = None,
    ) -> EngineJob:
        """Ask for an edit of the document as it stands. deadline: seconds from now."""
        version = self._feed.version(doc)
        job = EngineJob(next(self._ids), doc, version or 0, self._cancel)
        if version is None:
            job.finish(EditOutcome("failed", "the document is not open", 0))
        elif self._link is None:
            job.finish(EditOutcome("failed", self._message or f"the engine is {self.state}", job.version))
        elif doc in self._feed.behind or self._link.full:
            job.finish(EditOutcome("failed", BEHIND, job.version, lost=True))
        else:
            slot = self._jobs.add(job)
            self._send(
                {
                    "kind": "submit",
                    "id": job.id,
                    "slot": slot,
                    "doc": doc,
                    "request": pack_request(request),
                    "priority": priority,
                    "stream": stream,
                    "encoding": str(encoding),
                    "deadline": deadline,
                }
            )
        return job

    async def status(self) -> dict[str, Any]:
        """State, model, process, documents; from a child that is ready also pages, bytes, budget, queue and latencies (ms).

        A child that is in the middle of something long is not waited for: its figures are left out.
        """
        known: dict[str, Any] = {
            "state": self.state,
            "message": self._message,
            "pid": self.pid,
            "documents": len(self._feed),
            "jobs": len(self._jobs),
        }
        if self.info is not None:
            known |= {name: getattr(self.info, name) for name in ModelInfo.__slots__}
        if (connection := self._connection_figures()) is not None:
            known["connection"] = connection
        if self.state != "ready" or self._link is None or self._link.full:
            return known
        number = next(self._ids)
        answer: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        self._asked[number] = answer
        self._link.send({"kind": "status", "id": number})
        try:
            async with asyncio.timeout(FIGURES):
                return {**(await answer), **known}
        except TimeoutError:
            return known
        finally:
            self._asked.pop(number, None)

    def _connection_figures(self) -> dict[str, Any] | None:
        """Of an engine that is a command."""
        if self.settings.command is None:
            return None
        process = self._link.process if self._link is not None else None
        figures: dict[str, Any] = {"round_trip_ms": self._round_trip.ms, "reconnects": self._reconnects}
        if isinstance(process, CommandProcess):
            figures |= {name: getattr(process, name) for name in ("copydesk", "bytes_sent", "bytes_received")}
        return figures

    def _cancel(self, job: EngineJob) -> None:
        if not self._jobs.set_flag(job):
            return
        self._send({"kind": "cancel", "id": job.id})
        self._watchdog.told_to_stop(job.id)
        if self.state != "ready":  # nothing runs: there is no forward to wait for
            self._jobs.finish(job.id, EditOutcome("cancelled", "cancelled", job.version))

    # -- the child -----------------------------------------------------------------------------------------------------

    def _connect(self) -> EngineConnection:
        """A link that is not started yet. The documents and whatever is sent from now on wait in it, in order."""
        beat, remote = self._watchdog.beat, self.settings.command is not None
        self._link = EngineConnection(
            partial(CommandProcess, self.settings, beat)
            if remote
            else partial(ChildProcess, self._host, self.settings, self._jobs.flags, beat),
            self._on_message,
            self._on_gone,
            self._on_room,
            overtaking=OVERTAKING if remote else frozenset(),
        )
        self._feed.connect(self._link)
        return self._link

    def _begin(self, link: EngineConnection) -> None:
        if link is self._link:
            link.start()
            self._watchdog.start()
            if self.settings.command is not None:
                self._round_trip.start()

    def _on_room(self, link: EngineConnection) -> None:
        if link is self._link:
            self._feed.catch_up()

    def _on_hang(self, reason: str) -> None:
        if self._link is not None:
            self._hung = reason
            self._link.kill()

    def _send(self, message: Message) -> None:
        if self._link is not None:
            self._link.send(message)

    def _drop_link(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._watchdog.stop()
        self._round_trip.stop()
        self._hung = None
        link, self._link = self._link, None
        self._feed.connect(None)
        if link is not None:
            self._ended.add(link)
            link.end()

    def _give_up(self, reason: str, *, lost: bool = False) -> None:
        """No child will answer what was asked so far."""
        self._jobs.give_up(reason, lost=lost)
        for answer in self._asked.values():
            if not answer.done():
                answer.set_result({})

    def _set(self, state: State, message: str | None = None) -> None:
        if state != self.state:
            self.state, self._message = state, message
            self._listener.engine_state(state, message, self.info)

    def _on_gone(self, link: EngineConnection, code: int | None) -> None:
        self._ended.discard(link)
        if link is not self._link:
            return
        self._watchdog.stop()
        self._round_trip.stop()
        self._link, self.info = None, None
        self._feed.connect(None)
        reason = f"the engine stopped ({self._hung or link.fault or _why(code, link.last_words)})"
        self._hung = None
        log.warning("%s", reason)
        loading = self.state != "ready"
        self._deaths += 1
        self._deaths_loading = self._deaths_loading + 1 if loading else 0
        self._give_up(reason, lost=True)
        delay = self._backoff[min(self._deaths, len(self._backoff)) - 1] if self._backoff else 0.0
        loop = asyncio.get_running_loop()
        if self._deaths_loading >= LOADS:
            self._set("failed", f"{reason} {self._deaths_loading} times in a row while loading the model")
            if self.settings.command is not None:  # nothing waits for it: who asks meanwhile is told
                self._timer = loop.call_later(delay, lambda: self._begin(self._connect()))
            return
        self._set("restarting", f"{reason}; it is started again")
        self._timer = loop.call_later(delay, self._begin, self._connect())

    def _on_message(self, link: EngineConnection, message: Message) -> None:
        if link is not self._link:
            return
        kind = message["kind"]
        self._watchdog.heard()
        if kind == "alive":
            return
        if kind == "result":
            self._deaths = 0
            self._watchdog.ended(message["id"])
            self._jobs.answered(message["id"], unpack_result(message))
        elif kind in ("planned", "hunk", "retracted"):
            job = self._jobs.get(message["id"])
            if job is None:
                return
            if kind == "planned":
                job.plan(unpack_ranges(message["scope"]))
            elif kind == "hunk":
                job.show(HunkEvent(message["seq"], unpack_edits(message["edits"])))
            else:
                job.show(Retracted(message["reason"]))
        elif kind == "status":
            answer = self._asked.get(message["id"])
            if answer is not None and not answer.done():
                answer.set_result(message["figures"])
        elif kind == "pong":
            self._round_trip.answered(message["id"])
        elif kind == "progress":
            self._listener.engine_progress(message["message"], message["percentage"])
        elif kind == "ready":
            self.info = unpack_info(message["info"])
            if self.state != "loading":
                self._reconnects += 1
            self._deaths_loading = 0
            if self.settings.command is not None:
                self._round_trip.start()  # what waited for the model is not counted
            self._set("ready")
        elif kind == "failed":
            self.info = None
            self._drop_link()
            self._give_up(message["message"])
            self._set("failed", message["message"])
        elif kind == "resync":
            log.warning("document %d is sent to the engine again", message["doc"])
            self._feed.send(message["doc"])
        else:
            log.error("the engine sent a message of an unknown kind, %r", kind)


def _why(code: int | None, last_words: str | None = None) -> str:
    if code is None:
        return last_words or "it could not be started, or its exit status is unknown"
    if code < 0:
        why = f"killed by signal {-code}" + (", perhaps for want of memory" if code == -9 else "")
    else:
        why = f"exit status {code}"
    return why if last_words is None else f"{why}; {last_words}"
