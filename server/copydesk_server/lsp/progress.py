"""Progress bars: begun by a client's own token, or asked for; ended exactly once; cancelled by the person.

A client without progress bars gets a bar that says nothing, so that callers need not ask.
"""

from __future__ import annotations

import itertools
from asyncio import Future
from collections.abc import Callable
from typing import Any

from lsprotocol import types

from copydesk_server.lsp.background import BackgroundTasks
from copydesk_server.lsp.client import Client


class Bar:
    """One piece of work, from its beginning to `end`. What is reported before the client agreed waits."""

    def __init__(
        self, send: Callable[[object], None], title: str, on_cancel: Callable[[], None] | None
    ) -> None:
        self.cancelled = False
        self._on_cancel = on_cancel
        self.ended = False
        self._open = False
        self._send = send
        self._begin = types.WorkDoneProgressBegin(title=title, cancellable=on_cancel is not None)
        self._last: types.WorkDoneProgressReport | None = None
        self._end: types.WorkDoneProgressEnd | None = None

    def report(self, message: str | None = None, percentage: int | None = None) -> None:
        """Where the work is. Never a text of the document's: other people see progress bars."""
        if self.ended:
            return
        self._last = types.WorkDoneProgressReport(message=message, percentage=percentage)
        if self._open:
            self._send(self._last)

    def end(self, message: str | None = None) -> None:
        """The work is over, one way or the other. Does nothing the second time."""
        if self.ended:
            return
        self.ended = True
        self._end = types.WorkDoneProgressEnd(message=message)
        if self._open:
            self._send(self._end)

    def cancel(self) -> None:
        """The person pressed cancel."""
        if not self.ended and not self.cancelled:
            self.cancelled = True
            if self._on_cancel is not None:
                self._on_cancel()

    def show(self) -> None:
        """The client has agreed: say what has not been said. Work that is over by then is not shown at all."""
        if self.ended:
            return
        self._open = True
        self._send(self._begin)
        if self._last is not None:
            self._send(self._last)


class ProgressBars:
    """All bars that are not ended, by token."""

    def __init__(self, client: Client, tasks: BackgroundTasks, *, can_create: bool) -> None:
        """can_create: whether the client can be asked for a bar (`window/workDoneProgress/create`)."""
        self._client, self._tasks, self._can_create = client, tasks, can_create
        self._numbers = itertools.count(1)
        self._bars: dict[int | str, Bar] = {}
        self._expected: dict[int | str, Future[Any]] = {}
        self._early: set[Future[Any]] = set()

    def __len__(self) -> int:
        return len(self._bars)

    def start(
        self,
        title: str,
        *,
        token: int | str | None = None,
        on_cancel: Callable[[], None] | None = None,
    ) -> Bar:
        """A bar for work that begins now. token: the client's `workDoneToken`, where it is one; without one the client is
        asked for a bar.
        """
        if not isinstance(token, int | str):
            token = None
        name = token if token is not None else f"copydesk-{next(self._numbers)}"

        def send(value: object) -> None:
            self._client.notify(types.PROGRESS, types.ProgressParams(token=name, value=value))
            if isinstance(value, types.WorkDoneProgressEnd):
                self._bars.pop(name, None)

        bar = Bar(send, title, on_cancel)
        if token is not None:
            self._bars[name] = bar
            bar.show()
            if self._expected.pop(token, None) in self._early:
                bar.cancel()
        elif self._can_create:
            self._bars[name] = bar
            self._tasks.spawn(self._ask(name, bar), "progress")
        return bar

    def expect(self, token: int | str, request: Future[Any]) -> None:
        """A request with a `workDoneToken` came; its bar begins when its work does. Until then a cancel is kept for it: both may
        come in one turn of the loop.
        """
        self._expected[token] = request
        request.add_done_callback(lambda _: self._forget(token, request))

    def cancelled(self, token: int | str) -> None:
        """`window/workDoneProgress/cancel`."""
        bar = self._bars.get(token)
        if bar is not None:
            bar.cancel()
        elif token in self._expected:
            self._early.add(self._expected[token])

    def _forget(self, token: int | str, request: Future[Any]) -> None:
        self._early.discard(request)
        if self._expected.get(token) is request:
            del self._expected[token]

    async def _ask(self, token: int | str, bar: Bar) -> None:
        if not await self._client.create_progress(token):
            self._bars.pop(token, None)
            return
        bar.show()
        if bar.ended:
            self._bars.pop(token, None)
