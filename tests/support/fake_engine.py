"""An engine that does what a test says, in place of the one with a model: same calls, same jobs, nothing in between.

It keeps its own copy of every document, from what it is told alone, so that a test can see what a job was made for.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from copydesk.request import EditRequest, Range
from copydesk.text.document import Encoding, TextEdit, TextLines
from copydesk_server.engine_process.edit_outcome import EditOutcome
from copydesk_server.engine_process.jobs import EngineJob, Priority
from copydesk_server.engine_process.messages import EngineSettings, ModelInfo

INFO = ModelInfo("fake", "cpu", "float32", ("python",), 64, "rewrite", 1.0)
"""Of a kind that makes of any message what it can."""


@dataclass(eq=False)
class FakeJob:
    """A job as a test sees it. text: what it was made for."""

    job: EngineJob
    request: EditRequest
    priority: Priority
    stream: bool
    text: str
    cancelled: bool = False

    @property
    def done(self) -> bool:
        return self.job.result.done()

    def plan(self, *scope: Range) -> None:
        self.job.plan(scope)

    def edited(self, *edits: TextEdit, **more: Any) -> None:
        """Finish with these edits."""
        self.job.finish(
            EditOutcome("edited", None, self.job.version, edits=edits, program="<program>", **more)
        )

    def finished(self, status: Any, reason: str | None = None, **more: Any) -> None:
        self.job.finish(EditOutcome(status, reason, self.job.version, **more))


@dataclass
class FakeEngine:
    """Starts at once. `script` finishes jobs by itself; without one the test does."""

    settings: EngineSettings
    listener: Any
    host: str = ""
    state: Any = "idle"
    info: ModelInfo | None = None
    pid: int | None = None
    script: Callable[[FakeJob], None] | None = None
    obeys: bool = True  # a cancel ends the job
    loads: bool = False  # `start` begins to load, and `loaded` ends it
    jobs: list[FakeJob] = field(default_factory=list)
    seen: dict[int, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._documents: dict[int, tuple[TextLines, int]] = {}
        self._ids = itertools.count(1)
        self._new = asyncio.Event()

    def start(self) -> None:
        if self.loads:
            self.state = "loading"
            self.listener.engine_state("loading", None, None)
        else:
            self.loaded()

    def loaded(self) -> None:
        self.state, self.info = "ready", INFO
        self.listener.engine_state("ready", None, INFO)

    async def close(self) -> None:
        self.state = "closed"

    def configure(self, settings: EngineSettings) -> None:
        self.settings = settings

    def open(self, doc: int, name: str, language: str, version: int, text: Callable[[], str]) -> None:
        self._documents[doc] = TextLines(text()), version

    def splice(self, doc: int, version: int, changes: Sequence[TextEdit], encoding: Encoding) -> None:
        lines, _ = self._documents[doc]
        for change in changes:
            lines.splice(change.start, change.end, change.new_text, encoding)
        self._documents[doc] = lines, version

    def look_at(self, doc: int, ranges: Any) -> None:
        self.seen[doc] = ranges

    def close_document(self, doc: int) -> None:
        for made in self.jobs:
            if made.job.doc == doc:
                made.job.cancel()
        self._documents.pop(doc, None)

    def submit(
        self,
        doc: int,
        request: EditRequest,
        *,
        priority: Priority = "edit",
        stream: bool = False,
        encoding: Encoding,
        deadline: float | None = None,
    ) -> EngineJob:
        lines, version = self._documents[doc]
        made = FakeJob(
            EngineJob(next(self._ids), doc, version, self._cancel), request, priority, stream, lines.text
        )
        self.jobs.append(made)
        self._new.set()
        if self.script is not None:
            self.script(made)
        return made.job

    async def status(self) -> dict[str, Any]:
        return {"state": self.state}

    def _cancel(self, job: EngineJob) -> None:
        made = next(made for made in self.jobs if made.job is job)
        made.cancelled = True
        if self.obeys:
            made.finished("cancelled", "cancelled")

    async def job(self, number: int) -> FakeJob:
        """The `number`-th job ever submitted (from 0), as soon as there is one."""
        async with asyncio.timeout(60):
            while len(self.jobs) <= number:
                self._new.clear()
                await self._new.wait()
        return self.jobs[number]
