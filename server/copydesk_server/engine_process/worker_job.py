"""One request in the worker, from its arrival to its result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from copydesk.text.document import Encoding

if TYPE_CHECKING:
    from copydesk.editor import Document
    from copydesk.serving.plan import Plan


@dataclass(slots=True, eq=False)
class WorkerJob:
    """arrived, ends: seconds of `time.perf_counter`; ends is None without a deadline.

    ahead: it gives way to all jobs that are not. ended: why it need not go on. answered: its result is on its way, and there is
    one only. shown: how many hunks were streamed.
    """

    id: int
    slot: int
    ahead: bool
    stream: bool
    encoding: Encoding
    arrived: float
    ends: float | None
    document: Document | None = None
    plan: Plan | None = None
    ended: str | None = None
    answered: bool = False
    shown: int = 0

    @property
    def version(self) -> int:
        """Of the document, as the job stands on it; 0 where there is none."""
        if self.plan is not None:
            return self.plan.snapshot.number
        return self.document.version if self.document is not None else 0
