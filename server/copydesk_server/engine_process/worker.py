"""The engine in its own process: documents and jobs of the parent, served by one `Editor`.

Two threads. The inbox applies what the parent says in the order it was said, and plans jobs as they arrive, so that each stands
on the version it was submitted on. The model thread, the process's main one, forwards: first what a person waits for, then pages
to warm, then work ahead of the person, which is stopped before its next forward by anything a person waits for. The only module
of this package that knows the facade; it never sees a client.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from queue import Empty
from typing import TYPE_CHECKING, Any

from copydesk.errors import CopydeskError, DocumentTooLargeError
from copydesk.text.document import Encoding
from copydesk_server.engine_process.messages import (
    EngineSettings,
    Message,
    pack_edits,
    result_message,
    unpack_edits,
    unpack_ranges,
    unpack_request,
)
from copydesk_server.engine_process.queue import Units
from copydesk_server.engine_process.worker_main import Channel, configure_logging
from copydesk_server.permanent import permanent

if TYPE_CHECKING:
    from copydesk.editor import Document, Editor
    from copydesk.serving.plan import Plan

log = logging.getLogger(__name__)

QUIET = 0.1
"""Seconds without a keystroke before pages are warmed again."""
BURST = 64
"""Messages applied under one turn of the lock, where as many have piled up behind a forward."""
UNLOCKED = frozenset({"cancel", "status", "logging", "stop"})
"""What touches no document."""
LATENCIES = 16
"""Results whose times the status tells."""
CANCELLED = "cancelled"


def serve(channel: Channel, settings: EngineSettings) -> None:
    """The child's life: load, say so, serve. Returns where no model can be loaded, having said why."""
    began = time.perf_counter()
    channel.send({"kind": "progress", "message": "Starting the engine", "percentage": None})
    try:
        with permanent():
            from copydesk.editor import Editor

            name = settings.model or "the embedded model"
            channel.send({"kind": "progress", "message": f"Loading {name}", "percentage": None})
            editor = Editor.load(
                settings.model,
                settings.device,
                dtype=settings.dtype,
                cache_bytes=settings.cache_bytes,
                warm=False,
            )
    except CopydeskError as error:
        channel.send({"kind": "failed", "message": str(error)})
        return
    except Exception as error:  # a device, a library or too little memory: to start over would not help
        log.exception("the model could not be loaded")
        channel.send({"kind": "failed", "message": f"the model could not be loaded: {_said(error)}"})
        return
    channel.send({"kind": "ready", "info": info_of(editor, settings, (time.perf_counter() - began) * 1e3)})
    Host(editor, channel).serve()


def info_of(editor: Editor, settings: EngineSettings, load_ms: float) -> Message:
    """What the parent may know of the model."""
    toolkit = editor.toolkit
    format = toolkit.format
    return {
        "name": "embedded" if settings.model is None else settings.model,
        "device": str(toolkit.model.device),
        "dtype": str(toolkit.model.dtype).removeprefix("torch."),
        "languages": [] if format.kind == "rewrite" else list(format.languages),
        "page_lines": format.page_lines,
        "kind": format.kind,
        "load_ms": load_ms,
    }


@dataclass(slots=True, eq=False)
class _Job:
    """One request. `ended`: why it need not go on; `answered`: its result is on its way, and there is one only."""

    id: int
    slot: int
    document: Document | None = None
    plan: Plan | None = None
    unit: Unit | None = None
    ended: str | None = None
    answered: bool = False
    shown: int = 0


@dataclass(slots=True, eq=False)
class Unit:
    """What is decoded together. times in seconds of `time.perf_counter`."""

    ahead: bool
    stream: bool
    encoding: Encoding
    arrived: float
    ends: float | None
    jobs: list[_Job] = field(default_factory=list)


class Host:
    """`inbox` and `work` are the two threads; `serve` starts one and is the other."""

    def __init__(self, editor: Editor, channel: Channel, *, quiet: float = QUIET) -> None:
        self._editor = editor
        self._channel = channel
        self._quiet = quiet
        self._documents: dict[int, Document] = {}
        self._refused: dict[int, str] = {}  # documents that are not held, and why
        self._jobs: dict[int, _Job] = {}
        self._units: Units[Unit] = Units()
        self._calm_at = 0.0
        self._running: Unit | None = None
        self._closing = False
        self._answering = threading.Lock()
        self._latencies: deque[dict[str, float]] = deque(maxlen=LATENCIES)

    def serve(self) -> None:
        """Until `stop` is said; in a child of the parent, for as long as the process lives."""
        thread = threading.Thread(target=self.inbox, name="inbox", daemon=True)
        thread.start()
        self.work()
        thread.join()

    # -- the inbox -----------------------------------------------------------------------------------------------------

    def inbox(self) -> None:
        """Apply messages for ever, or until `stop`."""
        while not self._closing:
            message: Message | None = self._channel.inbox.get()
            # These need not wait for a forward to end.
            if message is not None and message["kind"] in UNLOCKED:
                self._apply(message)
                continue
            with self._editor.lock:
                for _ in range(BURST):
                    if message is None:
                        break
                    self._apply(message)
                    try:
                        message = self._channel.inbox.get_nowait()
                    except Empty:
                        message = None
                else:
                    if message is not None:
                        self._apply(message)

    def _apply(self, message: Message) -> None:
        kind = message["kind"]
        try:
            if kind == "splice":
                self._splice(message)
            elif kind == "submit":
                self._submit(message)
            elif kind == "cancel":
                job = self._jobs.get(message["id"])
                if job is not None:
                    self._end(job, CANCELLED)
            elif kind == "open":
                self._close(message["doc"])
                self._open(message)
            elif kind == "close":
                self._close(message["doc"])
            elif kind == "look":
                document = self._documents.get(message["doc"])
                ranges = unpack_ranges(message["ranges"])
                if document is not None and ranges:
                    document.look_at(*ranges[0], *ranges[1:])
            elif kind == "status":
                self._channel.send({"kind": "status", "id": message["id"], "figures": self.figures()})
            elif kind == "logging":
                configure_logging(message["file"], message["level"])
            elif kind == "stop":
                self._closing = True
            else:
                log.error("the parent said %r, which nobody here knows", kind)
        except Exception as error:
            # A mirror that missed a change is worse than none: the parent sends the document again.
            log.exception("%s could not be done", kind)
            if kind in ("open", "splice", "look"):
                self._close(message["doc"])
                self._channel.send({"kind": "resync", "doc": message["doc"]})
            elif kind == "submit":
                for asked in message["jobs"]:
                    job = self._jobs.get(asked["id"]) or _Job(asked["id"], asked["slot"])
                    self._answer(job, "failed", _said(error))
        self._units.ring()

    def _open(self, message: Message) -> None:
        doc = message["doc"]
        self._refused.pop(doc, None)
        try:
            self._documents[doc] = self._editor.open(
                message["name"],
                message["text"],
                language=message["language"],
                version=message["version"],
            )
        except DocumentTooLargeError as error:  # to send it again would not help: requests are told
            self._refused[doc] = str(error)

    def _splice(self, message: Message) -> None:
        doc, edits = message["doc"], unpack_edits(message["changes"])
        document = self._documents.get(doc)
        if document is None:
            # It is being sent again; or it was too large, and may not be any more where something was deleted.
            if doc in self._refused and any(edit.end > edit.start for edit in edits):
                del self._refused[doc]
                self._channel.send({"kind": "resync", "doc": doc})
            return
        try:
            for edit in edits:
                document.splice(
                    edit.start,
                    edit.end,
                    edit.new_text,
                    version=message["version"],
                    encoding=message["encoding"],
                )
        except DocumentTooLargeError as error:
            self._close(doc)
            self._refused[doc] = str(error)
            return
        document.version = message["version"]
        self._calm_at = time.monotonic() + self._quiet

    def _close(self, doc: int) -> None:
        self._refused.pop(doc, None)
        document = self._documents.pop(doc, None)
        if document is None:
            return
        document.close()
        for job in [job for job in list(self._jobs.values()) if job.document is document]:
            self._end(job, "the document was closed")

    def _submit(self, message: Message) -> None:
        now = time.perf_counter()
        deadline = message["deadline"]
        unit = Unit(
            message["priority"] == "ahead",
            message["stream"],
            Encoding(message["encoding"]),
            now,
            None if deadline is None else now + deadline,
        )
        for asked in message["jobs"]:
            job = _Job(asked["id"], asked["slot"], unit=unit)
            self._jobs[job.id] = job
            if self._plan(job, asked):
                unit.jobs.append(job)
        if unit.jobs:
            self._units.put(unit)

    def _plan(self, job: _Job, asked: Message) -> bool:
        """Make the job ready, or answer it."""
        document = job.document = self._documents.get(asked["doc"])
        if document is None:
            refused = self._refused.get(asked["doc"])
            if refused is not None:
                self._answer(job, "failed", refused)
            else:
                self._answer(job, "failed", "the document is being read again", lost=True)
            return False
        if self._cancelled(job):
            self._answer(job, CANCELLED, CANCELLED)
            return False
        try:
            job.plan = document.plan(unpack_request(asked["request"]))
        except CopydeskError as error:
            self._answer(job, "failed", str(error))
            return False
        except Exception as error:  # whatever it is, the person is told and the next request is served
            log.exception("a request could not be planned")
            self._answer(job, "failed", _said(error))
            return False
        self._channel.send({"kind": "planned", "id": job.id, "scope": job.plan.scope})
        return True

    def _end(self, job: _Job, reason: str) -> None:
        """A job need not go on. One that waits is answered now, one that runs alone when the model has stopped."""
        job.ended = reason
        unit = job.unit
        if unit is None or job.answered:
            return
        others = [other for other in unit.jobs if not other.answered and other.ended is None]
        if others:
            self._answer(job, CANCELLED, reason)
        elif self._units.withdraw(unit):
            for left in unit.jobs:
                self._answer(left, CANCELLED, reason)

    def figures(self) -> dict[str, Any]:
        """Plain numbers for the status; from any thread."""
        cache, running = self._editor.cache, self._running
        return {
            "warm_pages": len(cache),
            "cache_bytes": cache.nbytes,
            "cache_budget": self._editor.toolkit.model.pool.budget,
            "evictions": cache.evictions,
            "queue": self._units.waiting,
            "running": None if running is None else ("ahead" if running.ahead else "edit"),
            "engine_documents": len(self._documents),
            "engine_jobs": len(self._jobs),
            "latencies": list(self._latencies),
        }

    # -- the model thread ----------------------------------------------------------------------------------------------

    def work(self) -> None:
        """Serve for ever, or until `stop`."""
        while not self._closing:
            unit = self._next()
            if unit is not None:
                self._running = unit
                try:
                    self._run(unit)
                finally:
                    self._running = None

    def _next(self) -> Unit | None:
        """What to decode now. Warms, chunk by chunk, and then waits while there is nothing; None when the bell rang."""
        unit = self._units.take_asked()
        if unit is not None:
            return unit
        rest = self._calm_at - time.monotonic()
        if rest > 0:
            self._units.wait(rest)
            return None
        if self._warmed():
            return None
        unit = self._units.take_ahead()
        if unit is None:
            self._units.wait()
        return unit

    def _warmed(self) -> bool:
        """Whether there was something to warm."""
        try:
            return self._editor.warm_step()
        except Exception:
            # Warming is a courtesy: a request that meets the same trouble reports it.
            log.exception("warming failed")
            return False

    def _run(self, unit: Unit) -> None:
        jobs = [job for job in unit.jobs if not job.answered]
        plans = [
            (job.document, job.plan) for job in jobs if job.document is not None and job.plan is not None
        ]
        started = time.perf_counter()
        stop = _Stop(self, unit, jobs)
        deadline = None if unit.ends is None else max(0.0, unit.ends - started)
        try:
            if not stop.is_set():
                for index, event in self._editor.run_plans(
                    plans, cancel=stop, deadline=deadline, encoding=unit.encoding
                ):
                    self._tell(unit, jobs[index], event, started)
        except Exception as error:  # out of memory, a bug: the person is told and the next request is served
            log.exception("a request failed")
            for job in jobs:
                self._answer(job, "failed", _said(error))
        for document in {job.document for job in jobs if job.document is not None}:
            if document.id not in self._editor.documents:
                document.close()  # pages it was given since
        left = [job for job in jobs if not job.answered]
        if left and stop.gave_way and not all(map(self._cancelled, left)):
            self._units.put_back(unit)
            if not (all(map(self._cancelled, left)) and self._units.withdraw(unit)):
                return  # otherwise a cancel came in between, and found it nowhere
        for job in left:
            self._answer(job, CANCELLED, job.ended or CANCELLED)

    def _tell(self, unit: Unit, job: _Job, event: Any, started: float) -> None:
        from copydesk.results import Hunk, Retraction

        if job.answered:
            return
        if isinstance(event, Hunk):
            if unit.stream:
                self._channel.send(
                    {"kind": "hunk", "id": job.id, "seq": job.shown, "edits": pack_edits(event.edits)}
                )
                job.shown += 1
        elif isinstance(event, Retraction):
            if unit.stream:
                self._channel.send({"kind": "retracted", "id": job.id, "reason": event.reason})
        elif event.status != CANCELLED:  # what was cancelled or gave way is seen to at the end
            queued = (started - unit.arrived) * 1e3
            ms = {"queued": queued, **event.ms}
            self._latencies.append(ms)
            self._answer(
                job,
                event.status,
                event.reason,
                edits=pack_edits(event.edits),
                program=None if event.program is None else str(event.program),
                counts=event.counts.as_dict(),
                ms=ms,
                checked=list(event.checked),
                exact=event.exact,
                log_likelihood=event.log_likelihood,
            )

    # -- both ----------------------------------------------------------------------------------------------------------

    def _cancelled(self, job: _Job) -> bool:
        return job.ended is not None or bool(self._channel.flags[job.slot])

    def _answer(self, job: _Job, status: Any, reason: str | None, **more: Any) -> None:
        """One result per job, whoever comes first."""
        with self._answering:
            if job.answered:
                return
            job.answered = True
            self._jobs.pop(job.id, None)
        version = job.plan.version.number if job.plan is not None else 0
        if job.plan is None and job.document is not None:
            version = job.document.version
        self._channel.send(result_message(job.id, status, reason, version, **more))


class _Stop:
    """Looked at before every forward."""

    def __init__(self, host: Host, unit: Unit, jobs: list[_Job]) -> None:
        self._host = host
        self._unit = unit
        self._jobs = jobs
        self.gave_way = False

    def is_set(self) -> bool:
        if all(job.answered or self._host._cancelled(job) for job in self._jobs):
            return True
        if self._unit.ahead and self._host._units.urgent:
            self.gave_way = True
        return self.gave_way


def _said(error: Exception) -> str:
    """An error nobody expected, in a line."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
