"""A handler's coroutine as a task, with a deadline: it has exactly one outcome, reported in the turn of the loop it comes about.

A result that waited for the next turn could be overtaken by a change of the document, and would be an edit for a version that is
gone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Protocol, TypeAlias

GRACE = 1.0
"""Seconds that a request whose time is over is given to take back what it has shown."""

Report: TypeAlias = Callable[[BaseException | None, Any], None]
"""(error, result), called once."""


class Deadline(Protocol):
    """When a request is overdue."""

    def start(self, expire: Callable[[], None]) -> Callable[[], None]:
        """Call `expire` once the time is over. Returns what stops the clock."""

    def error(self) -> Exception:
        """What an overdue request is answered with."""


class HandlerTask:
    """`task` runs what `handler` returns, and may be cancelled or watched. deadline: None for notifications."""

    def __init__(
        self, handler: Callable[[], Coroutine[Any, Any, Any]], report: Report, deadline: Deadline | None
    ) -> None:
        self._report: Report | None = report
        self._deadline = deadline
        self._overdue = False
        self._grace: asyncio.TimerHandle | None = None
        self.task = asyncio.ensure_future(self._run(handler))
        self._stop_clock = deadline.start(self._expire) if deadline is not None else None
        # A task that is cancelled before its first step has never begun.
        self.task.add_done_callback(lambda _: self._settle(self._cancelled()))

    async def _run(self, handler: Callable[[], Coroutine[Any, Any, Any]]) -> None:
        try:
            result = await handler()
        except asyncio.CancelledError:
            self._settle(self._cancelled())
        except Exception as error:  # noqa: BLE001  (whoever is told answers it)
            self._settle(error)
        else:
            self._settle(None, result)

    def _cancelled(self) -> BaseException:
        if self._overdue and self._deadline is not None:
            return self._deadline.error()
        return asyncio.CancelledError()

    def _expire(self) -> None:
        # What it has shown is taken back first; but what does not end is not waited for either.
        self._overdue = True
        self._grace = asyncio.get_running_loop().call_later(GRACE, lambda: self._settle(self._cancelled()))
        self.task.cancel()

    def _settle(self, error: BaseException | None, result: Any = None) -> None:
        if self._grace is not None:
            self._grace.cancel()
        report, self._report = self._report, None
        if report is not None:
            if self._stop_clock is not None:
                self._stop_clock()
            report(error, result)
