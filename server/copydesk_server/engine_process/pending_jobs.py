"""The jobs without a result, and the cancel flags the child looks at."""

from __future__ import annotations

import logging

from copydesk_server.engine_process.child_process import CONTEXT
from copydesk_server.engine_process.edit_outcome import EditOutcome
from copydesk_server.engine_process.flags import Flags
from copydesk_server.engine_process.jobs import EngineJob

log = logging.getLogger(__name__)

OTHER_VERSION = "the engine answered for another version of the document"


class PendingJobs:
    """By id. A flag's slot is held until the child has answered, also where the job has a result by then."""

    def __init__(self) -> None:
        self.flags = Flags(CONTEXT)
        self._jobs: dict[int, EngineJob] = {}
        self._slots: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._jobs)

    @property
    def slots(self) -> int:
        """How many jobs the child has not answered."""
        return len(self._slots)

    def add(self, job: EngineJob) -> int:
        """Returns the slot of the job's flag."""
        self._jobs[job.id] = job
        slot = self._slots[job.id] = self.flags.acquire()
        return slot

    def get(self, number: int) -> EngineJob | None:
        """The job, as long as it has no result."""
        return self._jobs.get(number)

    def of(self, doc: int) -> list[EngineJob]:
        """The jobs for a document."""
        return [job for job in self._jobs.values() if job.doc == doc]

    def set_flag(self, job: EngineJob) -> bool:
        """Have the child stop before its next forward. False where it has nothing of this job any more."""
        slot = self._slots.get(job.id)
        if slot is not None:
            self.flags.set(slot)
        return slot is not None

    def finish(self, number: int, result: EditOutcome) -> None:
        """Does nothing for a job that has a result."""
        job = self._jobs.pop(number, None)
        if job is not None:
            job.finish(result)

    def answered(self, number: int, result: EditOutcome) -> None:
        """The engine has answered. Edits for another version of the document than the job's are not taken."""
        self.flags.release(self._slots.pop(number, 0))
        job = self._jobs.get(number)
        if job is not None and result.version != job.version and (result.edits or result.alternatives):
            log.error(OTHER_VERSION)
            result = EditOutcome("failed", OTHER_VERSION, job.version, lost=True)
        self.finish(number, result)

    def give_up(self, reason: str, *, lost: bool) -> None:
        """No child will answer what was asked so far."""
        for number, job in list(self._jobs.items()):
            self.finish(number, EditOutcome("failed", reason, job.version, lost=lost))
        if self._slots:
            # The old child may still look at its flags, so the new one gets fresh ones.
            self._slots.clear()
            self.flags = Flags(CONTEXT)
