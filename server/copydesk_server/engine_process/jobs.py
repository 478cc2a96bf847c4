"""One request on its way through the engine, as whoever waits for it sees it.

Belongs to the event loop: every call is made on its thread. `client.py` fills it in.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from copydesk.request import Range
from copydesk.text.document import TextEdit
from copydesk_server.engine_process.edit_outcome import EditOutcome

Priority: TypeAlias = Literal["edit", "prefetch"]
"""`ahead` work is stopped before its next forward by everything else, and put back."""


@dataclass(frozen=True, slots=True)
class HunkEvent:
    """Edits that are final as far as the model goes, for the version the request was made for. A preview: never to be applied."""

    seq: int
    edits: tuple[TextEdit, ...]


@dataclass(frozen=True, slots=True)
class Retracted:
    """The hunks shown so far will not be applied."""

    reason: str


class EngineJob:
    """A submitted request.

    version: of the document, when it was submitted; the one its ranges and edits are for.
    scope:   the 1-based lines it may change, once planned.
    planned: the same as a future, () where planning failed. Never fails.
    result:  always completes, with a result: a dead child, a cancel and errors are results. Whoever cancels this future (a task
             that is cancelled while it awaits it does) cancels the job.
    """

    def __init__(self, id: int, doc: int, version: int, cancel: Callable[[EngineJob], None]) -> None:
        loop = asyncio.get_running_loop()
        self.id = id
        self.doc = doc
        self.version = version
        self.scope: tuple[Range, ...] | None = None
        self.planned: asyncio.Future[tuple[Range, ...]] = loop.create_future()
        self.result: asyncio.Future[EditOutcome] = loop.create_future()
        self.result.add_done_callback(self._when_done)
        self._cancel = cancel
        self._cancelled = False
        self._events: asyncio.Queue[HunkEvent | Retracted | None] = asyncio.Queue()

    async def hunks(self) -> AsyncIterator[HunkEvent | Retracted]:
        """What streams; ends when the result is there, at once for a job that does not stream. For one reader, once."""
        while (event := await self._events.get()) is not None:
            yield event

    def cancel(self) -> None:
        """Stop before the next forward. Does nothing the second time, and nothing once there is a result."""
        if self._cancelled or (self.result.done() and not self.result.cancelled()):
            return
        self._cancelled = True
        self._cancel(self)

    # -- for `client.py` -------------------------------------------------------------------------------------------------

    def plan(self, scope: tuple[Range, ...]) -> None:
        if not self.planned.done():
            self.scope = scope or None
            self.planned.set_result(scope)

    def show(self, event: HunkEvent | Retracted) -> None:
        if not self.result.done():
            self._events.put_nowait(event)

    def finish(self, result: EditOutcome) -> None:
        """Nothing the second time."""
        self.plan(())
        if not self.result.done():
            self.result.set_result(result)

    def _when_done(self, result: asyncio.Future[EditOutcome]) -> None:
        self._events.put_nowait(None)
        if result.cancelled():
            self.cancel()
