"""The jobs that wait for the model in the worker: by priority, each kind in the order it came.

Any thread may put and withdraw; one thread takes.
"""

from __future__ import annotations

import threading
from collections import deque

from copydesk_server.engine_process.worker_job import WorkerJob


class JobQueue:
    """Two queues and one bell: jobs that are `ahead` give way to all others."""

    def __init__(self) -> None:
        self._asked = deque[WorkerJob]()
        self._ahead = deque[WorkerJob]()
        self._bell = threading.Condition()
        self._rung = False

    @property
    def waiting(self) -> dict[str, int]:
        """How many jobs wait, by priority."""
        return {"edit": len(self._asked), "prefetch": len(self._ahead)}

    @property
    def urgent(self) -> bool:
        """Whether something waits that ahead work must give way to. Cheap: asked before every forward."""
        return bool(self._asked)

    def put(self, job: WorkerJob) -> None:
        """It is the last of its kind."""
        with self._bell:
            self._of(job).append(job)
        self.ring()

    def put_back(self, job: WorkerJob) -> None:
        """It is the next of its kind again."""
        with self._bell:
            self._of(job).appendleft(job)
        self.ring()

    def withdraw(self, job: WorkerJob) -> bool:
        """Take it out. False when it does not wait: it runs, or is gone."""
        with self._bell:
            queue = self._of(job)
            if job not in queue:
                return False
            queue.remove(job)
            return True

    def take_asked(self) -> WorkerJob | None:
        """The next job somebody waits for."""
        with self._bell:
            return self._asked.popleft() if self._asked else None

    def take_ahead(self) -> WorkerJob | None:
        """The next job nobody waits for; None also while something urgent waits."""
        with self._bell:
            return self._ahead.popleft() if self._ahead and not self._asked else None

    def ring(self) -> None:
        """There may be something to do."""
        with self._bell:
            self._rung = True
            self._bell.notify_all()

    def wait(self, seconds: float | None = None) -> None:
        """Until the bell rings; at once if it did since the last time."""
        with self._bell:
            if not self._rung:
                self._bell.wait(seconds)
            self._rung = False

    def _of(self, job: WorkerJob) -> deque[WorkerJob]:
        return self._ahead if job.ahead else self._asked
