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
from pathlib import Path
from queue import Empty
from typing import TYPE_CHECKING, Any

from copydesk.errors import CopydeskError
from copydesk.pushdown.languages import PARSED_LANGUAGES
from copydesk.text.document import Encoding
from copydesk_server.engine_process.messages import (
    EngineSettings,
    Message,
    pack_edits,
    result_message,
    unpack_request,
)
from copydesk_server.engine_process.model_fingerprint import model_fingerprint
from copydesk_server.engine_process.queue import JobQueue
from copydesk_server.engine_process.worker_documents import WorkerDocuments
from copydesk_server.engine_process.worker_job import WorkerJob
from copydesk_server.engine_process.worker_main import Channel, configure_logging
from copydesk_server.permanent import permanent

if TYPE_CHECKING:
    from copydesk.editor import Document, Editor

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
            from copydesk.models.installed import default_model

            name = settings.model or default_model()
            channel.send({"kind": "progress", "message": f"Loading {name}", "percentage": None})
            editor = Editor.load(
                settings.model,
                settings.device,
                dtype=settings.dtype,
                cache_bytes=settings.cache_bytes,
                warm=False,
                served_model=settings.served_model,
            )
    except CopydeskError as error:
        channel.send({"kind": "failed", "message": str(error)})
        return
    except Exception as error:  # a device, a library or too little memory: to start over would not help
        log.exception("the model could not be loaded")
        channel.send({"kind": "failed", "message": f"the model could not be loaded: {_said(error)}"})
        return
    channel.send({"kind": "ready", "info": info_of(editor, settings, (time.perf_counter() - began) * 1e3)})
    Worker(editor, channel).serve()


def info_of(editor: Editor, settings: EngineSettings, load_ms: float) -> Message:
    """What the parent may know of the model."""
    from copydesk.models.installed import STANDARD, advice, installed_directory

    loaded_model = editor.loaded_model
    name = loaded_model.model.name if settings.model is None else settings.model
    format, served = loaded_model.format, loaded_model.served
    return {
        "name": name,
        "device": str(loaded_model.model.device) if served is None else served.description.software,
        "dtype": str(loaded_model.model.dtype).removeprefix("torch.") if served is None else "as served",
        "languages": [] if format.kind == "rewrite" else [*format.languages, *PARSED_LANGUAGES],
        "page_lines": format.page_lines,
        "kind": format.kind,
        "load_ms": load_ms,
        "advice": advice(name) if settings.model in (None, STANDARD) else None,
        "chooses": format.chooses,
        "fingerprint": model_fingerprint(installed_directory(name) or Path(name).expanduser()),
    }


class Worker:
    """`inbox` and `work` are the two threads; `serve` starts one and is the other."""

    def __init__(self, editor: Editor, channel: Channel, *, quiet: float = QUIET) -> None:
        self._editor = editor
        self._channel = channel
        self._quiet = quiet
        self._documents = WorkerDocuments(editor, channel, self._document_closed)
        self._jobs: dict[int, WorkerJob] = {}
        self._queue = JobQueue()
        self._calm_at = 0.0
        self._running: WorkerJob | None = None
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
                if self._documents.splice(message):
                    self._calm_at = time.monotonic() + self._quiet
            elif kind == "submit":
                self._submit(message)
            elif kind == "cancel":
                job = self._jobs.get(message["id"])
                if job is not None:
                    self._end(job, CANCELLED)
            elif kind == "open":
                self._documents.open(message)
            elif kind == "close":
                self._documents.close(message["doc"])
            elif kind == "look":
                self._documents.look_at(message)
            elif kind == "status":
                self._channel.send({"kind": "status", "id": message["id"], "figures": self.figures()})
            elif kind == "logging":
                configure_logging(message["file"], message["level"])
            elif kind == "stop":
                self._closing = True
            else:
                log.error("the parent sent a message of an unknown kind, %r", kind)
        except Exception as error:
            # A mirror that missed a change is worse than none: the parent sends the document again.
            log.exception("%s could not be done", kind)
            if kind in ("open", "splice", "look"):
                self._documents.resync(message["doc"])
            elif kind == "submit":
                job = self._jobs.get(message["id"])
                if job is not None:
                    self._answer(job, "failed", _said(error))
                else:
                    self._channel.send(result_message(message["id"], "failed", _said(error), 0))
        self._queue.ring()

    def _document_closed(self, document: Document) -> None:
        for job in [job for job in list(self._jobs.values()) if job.document is document]:
            self._end(job, "the document was closed")

    def _submit(self, message: Message) -> None:
        now, deadline = time.perf_counter(), message["deadline"]
        job = WorkerJob(
            message["id"],
            message["slot"],
            message["priority"] == "prefetch",
            message["stream"],
            Encoding(message["encoding"]),
            now,
            None if deadline is None else now + deadline,
        )
        self._jobs[job.id] = job
        document = job.document = self._documents.get(message["doc"])
        if document is None:
            reason = self._documents.too_large(message["doc"])
            again = "the document is being read again"
            self._answer(job, "failed", reason or again, lost=reason is None)
        elif self._cancelled(job):
            self._answer(job, CANCELLED, CANCELLED)
        else:
            try:
                job.plan = document.plan(unpack_request(message["request"]))
            except CopydeskError as error:
                self._answer(job, "failed", str(error))
                return
            except Exception as error:  # whatever it is, the person is told and the next request is served
                log.exception("a request could not be planned")
                self._answer(job, "failed", _said(error))
                return
            self._channel.send({"kind": "planned", "id": job.id, "scope": job.plan.scope})
            self._queue.put(job)

    def _end(self, job: WorkerJob, reason: str) -> None:
        """A job need not go on. One that waits is answered now, one that runs when the model has stopped."""
        job.ended = reason
        if self._queue.withdraw(job):
            self._answer(job, CANCELLED, reason)

    def figures(self) -> dict[str, Any]:
        """Plain numbers for the status; from any thread."""
        cache, running = self._editor.cache, self._running
        return {
            "warm_pages": len(cache),
            "cache_bytes": cache.nbytes,
            "cache_budget": self._editor.loaded_model.model.pool.budget,
            "evictions": cache.evictions,
            "queue": self._queue.waiting,
            "running": None if running is None else ("prefetch" if running.ahead else "edit"),
            "engine_documents": len(self._documents),
            "engine_jobs": len(self._jobs),
            "latencies": list(self._latencies),
        }

    # -- the model thread ----------------------------------------------------------------------------------------------

    def work(self) -> None:
        """Serve for ever, or until `stop`."""
        while not self._closing:
            job = self._next()
            if job is not None:
                self._running = job
                try:
                    self._run(job)
                finally:
                    self._running = None

    def _next(self) -> WorkerJob | None:
        """What to decode now. Warms, chunk by chunk, and then waits while there is nothing; None when the bell rang."""
        job = self._queue.take_asked()
        if job is not None:
            return job
        rest = self._calm_at - time.monotonic()
        if rest > 0:
            self._queue.wait(rest)
            return None
        if self._warmed():
            return None
        job = self._queue.take_ahead()
        if job is None:
            self._queue.wait()
        return job

    def _warmed(self) -> bool:
        """Whether there was something to warm."""
        try:
            return self._editor.warm_step()
        except Exception:
            # Warming is a courtesy: a request that meets the same trouble reports it.
            log.exception("warming failed")
            return False

    def _run(self, job: WorkerJob) -> None:
        document, plan = job.document, job.plan
        if document is None or plan is None:
            return
        started = time.perf_counter()
        stop = _Stop(self, job)
        deadline = None if job.ends is None else max(0.0, job.ends - started)
        try:
            if not stop.is_set():
                for _, event in self._editor.run_plans(
                    [(document, plan)], cancel=stop, deadline=deadline, encoding=job.encoding
                ):
                    self._tell(job, event, started)
        except Exception as error:  # out of memory, a bug: the person is told and the next request is served
            log.exception("a request failed")
            self._answer(job, "failed", _said(error))
        if document.id not in self._editor.documents:
            document.close()  # pages it was given since
        if job.answered:
            return
        if stop.gave_way and not self._cancelled(job):
            self._queue.put_back(job)
            if not (self._cancelled(job) and self._queue.withdraw(job)):
                return  # otherwise a cancel came in between, and found it nowhere
        self._answer(job, CANCELLED, job.ended or CANCELLED)

    def _tell(self, job: WorkerJob, event: Any, started: float) -> None:
        from copydesk.results import Hunk, Retraction

        if job.answered:
            return
        if isinstance(event, Hunk):
            if job.stream:
                self._channel.send(
                    {"kind": "hunk", "id": job.id, "seq": job.shown, "edits": pack_edits(event.edits)}
                )
                job.shown += 1
        elif isinstance(event, Retraction):
            if job.stream:
                self._channel.send({"kind": "retracted", "id": job.id, "reason": event.reason})
        elif event.status != CANCELLED:  # what was cancelled or gave way is seen to at the end
            queued = (started - job.arrived) * 1e3
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
                law=event.law,
                unsure=event.unsure,
                log_likelihood=event.log_likelihood,
                confidence=event.confidence,
                known_fix=event.known_fix,
                alternatives=[
                    {
                        "title": one.title,
                        "probability": one.probability,
                        "edits": pack_edits(one.edits),
                        "program": str(one.program),
                        "reason": one.reason,
                        "checked": list(one.checked),
                    }
                    for one in event.alternatives
                ],
            )

    # -- both ----------------------------------------------------------------------------------------------------------

    def _cancelled(self, job: WorkerJob) -> bool:
        return job.ended is not None or bool(self._channel.flags[job.slot])

    def _answer(self, job: WorkerJob, status: Any, reason: str | None, **more: Any) -> None:
        """One result per job, whoever comes first."""
        with self._answering:
            if job.answered:
                return
            job.answered = True
            self._jobs.pop(job.id, None)
        self._channel.send(result_message(job.id, status, reason, job.version, **more))


class _Stop:
    """The cancel flag of a running job, looked at before every forward."""

    def __init__(self, worker: Worker, job: WorkerJob) -> None:
        self._worker, self._job = worker, job
        self.gave_way = False

    def is_set(self) -> bool:
        if self._job.answered or self._worker._cancelled(self._job):
            return True
        if self._job.ahead and self._worker._queue.urgent:
            self.gave_way = True
        return self.gave_way


def _said(error: Exception) -> str:
    """An error nobody expected, in a line."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
