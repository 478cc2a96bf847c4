"""A run over many files on one model: files are opened as lanes become free, told and written as they are done.

Every file in flight gets its turn, so a long one starves nobody; requests of one file come in bursts, so that those on one page
share its prefix. Knows files as tasks and the editor as `serve`; nothing of what is asked, of diagnostics or of terminals.
"""

from __future__ import annotations

import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeAlias

from copydesk.editor import Document, Editor
from copydesk.errors import CopydeskError
from copydesk.request import EditRequest
from copydesk.results import EditResult
from copydesk_server.errors import FileError
from copydesk_server.headless.discover import Place
from copydesk_server.headless.report import FileResult
from copydesk_server.headless.source import Source, read
from copydesk_server.headless.task import FileTask, Fix
from copydesk_server.headless.write import Writer

BURST = 4
"""Requests of one file in a row."""
MOST_LANES = {"cpu": 8, "cuda": 64}
"""More together than this bring nothing on a device, whatever fits in its memory."""
TOKENS_A_LINE = 16
ROW_ROOM = 512

Opened: TypeAlias = FileTask | FileResult
Begin: TypeAlias = Callable[[Source], Opened]
"""What is to be done with a file that was read. May raise CopydeskError: the file has failed, with that."""


def lanes_that_fit(editor: Editor) -> int:
    """How many requests at once the KV budget holds, each on a page of its own."""
    model = editor.toolkit.model
    budget = model.pool.budget
    most = MOST_LANES.get(model.device.type, 8)
    if budget is None:
        return most
    page = min(model.max_positions, editor.toolkit.format.page_lines * TOKENS_A_LINE + ROW_ROOM)
    return max(1, min(most, budget // max(1, page * model.kv_bytes_per_slot)))


class Run:
    """One command over `places`. `writer` None: nothing is written."""

    def __init__(
        self,
        editor: Editor,
        places: Iterator[Place],
        begin: Begin,
        tell: Callable[[FileResult], None],
        *,
        lanes: int,
        writer: Writer | None = None,
        cancel: threading.Event | None = None,
    ) -> None:
        self._editor = editor
        self._places = places
        self._begin = begin
        self._tell = tell
        self._lanes = lanes
        self._writer = writer
        self.cancel = cancel or threading.Event()
        self.stopped = 0  # files that were begun and not done
        self.resumed = 0  # files an earlier part of the run has done
        self._turns: deque[FileTask] = deque()
        self._burst = 0
        self._read_all = False
        self._finished: deque[Opened] = deque()
        self._live: set[FileTask] = set()

    def run(self) -> None:
        """To the end, or until cancelled. Raises JournalError: what cannot be told to the journal is not written."""
        try:
            while not self.cancel.is_set():
                self._serve()
                self._finish()
                if self._read_all and not self._live:
                    break
        finally:
            self.stopped = len(self._live)
            for task in self._live:
                task.close()

    def _serve(self) -> None:
        flight: dict[int, tuple[FileTask, Fix]] = {}
        taken = 0

        def supply() -> tuple[Document, EditRequest] | None:
            nonlocal taken
            given = self._next()
            if given is None:
                return None
            flight[taken] = given
            taken += 1
            return given[0].document, given[1].request

        for index, event in self._editor.serve(supply, self._lanes, cancel=self.cancel):
            if isinstance(event, EditResult):
                task, fix = flight.pop(index)
                if event.status == "cancelled":
                    continue  # the file is begun and not done
                task.answer(fix, event)
                if task.done:
                    self._finished.append(task)
                elif task.ready and task not in self._turns:
                    self._turns.append(task)
            self._finish()

    def _next(self) -> tuple[FileTask, Fix] | None:
        """The next request: files in turn, and a new file whenever fewer are in flight than there are lanes."""
        if len(self._live) < self._lanes and not self._read_all:
            opened = self._open_next()
            if isinstance(opened, FileTask):
                self._live.add(opened)
                (self._finished if opened.done else self._turns).append(opened)
            elif opened is not None:
                self._finished.append(opened)
        while self._turns:
            task = self._turns[0]
            if task.ready and self._burst < BURST:
                self._burst += 1
                return task, task.ready.popleft()
            self._burst = 0
            self._turns.popleft()
            if task.ready:
                self._turns.append(task)
        return None

    # -- files ---------------------------------------------------------------------------------------------------

    def _open_next(self) -> Opened | None:
        """The next file as a task, or what is to be told of it at once; None when there are no more."""
        for place in self._places:
            try:
                source = read(place.path, place.root)
                if self._writer is not None:
                    if self._writer.is_done(source):
                        self.resumed += 1
                        continue
                    why = self._writer.refusal(source)
                    if why is not None:
                        return FileResult(place.path, "refused", why)
                return self._begin(source)
            except CopydeskError as error:
                return FileResult(place.path, "failed", str(error))
        self._read_all = True
        return None

    def _finish(self) -> None:
        while self._finished:
            item = self._finished.popleft()
            if isinstance(item, FileTask):
                self._live.discard(item)
                item.close()
                item = self._result(item)
            self._tell(item)

    def _result(self, task: FileTask) -> FileResult:
        source = task.source
        result = FileResult(
            source.path, task.status, None, source.text, source.encoding, fixes=task.fixes,
            programs=task.programs, counts=task.counts, ms=task.ms,
        )  # fmt: skip
        edits = task.changes.edits()
        try:
            if edits and self._writer is not None:
                self._writer.write(source, task.changes.text)
            elif edits:
                source.encode(task.changes.text)
            elif self._writer is not None:
                self._writer.leave(source)
            result.edits = edits
        except FileError as error:
            result.status, result.error = "refused", str(error)
        except OSError as error:
            result.status, result.error = "failed", f"it could not be written: {error.strerror or error}"
        if result.error is not None:
            result.programs = ()
            for fix in task.fixes:
                fix.applied = False
        return result


@contextmanager
def stopping(cancel: threading.Event) -> Iterator[None]:
    """Within it, Ctrl-C stops the run before its next forward; a second one stops at once."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        if cancel.is_set():
            raise KeyboardInterrupt
        cancel.set()

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
