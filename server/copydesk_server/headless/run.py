"""A run over many files on one model: files are opened as lanes become free, told and written as they are done.

Every file in flight gets its turn, so a long one starves nobody; requests of one file come in bursts, so that those on one page
share its prefix. Files are opened and fixes judged in threads beside the model; results are told and written in the caller's
thread, as files are done. Knows files as tasks and the editor as `serve`; nothing of what is asked, of diagnostics or of
terminals.
"""

from __future__ import annotations

import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from queue import Empty, SimpleQueue
from types import FrameType
from typing import Any, TypeAlias

from copydesk.editor import Document, Editor
from copydesk.errors import CopydeskError
from copydesk.request import EditRequest
from copydesk.results import EditResult
from copydesk_server.errors import FileError
from copydesk_server.headless.discover import Place, is_notebook
from copydesk_server.headless.memory import give_back
from copydesk_server.headless.models import Fix
from copydesk_server.headless.report import FileResult
from copydesk_server.headless.source import Source, read
from copydesk_server.headless.task import FileTask
from copydesk_server.headless.write import Writer

BURST = 4
"""Requests of one file in a row."""
MOST_LANES = {"cpu": 8, "cuda": 64}
"""More together than this bring nothing on a device, whatever fits in its memory."""
JUDGES = 2
"""Threads that open and judge: they wait for ruff, so more than one is of use on few cores."""
TRIMMED_AFTER = 64
"""Files after which freed memory goes back to the system."""
NOTEBOOK = "a notebook: copydesk does not edit cells (ruff check --fix does, or convert it: jupyter nbconvert --to script)"
TOKENS_A_LINE = 16
ROW_ROOM = 512

Opened: TypeAlias = FileTask | FileResult
Begin: TypeAlias = Callable[[Source], Opened]
"""What is to be done with a file that was read. May raise CopydeskError: the file has failed, with that."""


def lanes_that_fit(editor: Editor) -> int:
    """How many requests at once the KV budget holds, each on a page of its own."""
    model = editor.loaded_model.model
    budget = model.pool.budget
    most = MOST_LANES.get(model.device.type, 8)
    if budget is None:
        return most
    page = min(model.max_positions, editor.loaded_model.format.page_lines * TOKENS_A_LINE + ROW_ROOM)
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
        judges: int = JUDGES,
        progress: Callable[[float], None] = lambda _files: None,
    ) -> None:
        """judges: threads that open files and judge fixes while the model decodes; 0: all of it in the caller's. progress: is
        called with how many files are done, those in flight in part, after each answer.
        """
        self._editor = editor
        self._places = places
        self._begin = begin
        self._tell = tell
        self._lanes = lanes
        self._writer = writer
        self.cancel = cancel or threading.Event()
        self.stopped = 0  # files that were begun and not done
        self.resumed = 0  # files an earlier part of the run has done
        self._turns: deque[FileTask] = deque()  # those with something to give, and no others
        self._burst = 0
        self._read_all = False
        self._finished: deque[Opened] = deque()
        self._live: set[FileTask] = set()
        self._judges = judges
        self._progress = progress
        self._pool: Executor = ThreadPoolExecutor(judges, "copydesk-judge") if judges else _Here()
        self._came = SimpleQueue[Future[Opened | None]]()
        self._opening = 0
        self._judging = 0
        self._told = 0

    def run(self) -> None:
        """To the end, or until cancelled. Raises JournalError: what cannot be told to the journal is not written."""
        try:
            while not self.cancel.is_set():
                self._serve()
                self._finish()
                if self._opening or self._judging:
                    self._gather(wait=True)
                elif self._read_all and not self._live:
                    break
        finally:
            self._pool.shutdown(cancel_futures=True)
            while not self._came.empty():
                done = self._came.get()
                item = done.result() if not done.cancelled() and done.exception() is None else None
                if isinstance(item, FileTask):
                    self._live.add(item)
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
                self._progress(self._told + sum(one.share for one in self._live))
                if task.answered:
                    self._judging += 1
                    self._apart(partial(_settled, task))
            self._gather()
            self._finish()

    def _next(self) -> tuple[FileTask, Fix] | None:
        """The next request: files in turn, and new files while fewer are in flight than keep lanes and judges busy."""
        self._gather()
        while len(self._live) + self._opening < self._lanes + self._judges and not self._read_all:
            place = next(self._places, None)
            if place is None:
                self._read_all = True
                break
            self._opening += 1
            self._apart(partial(self._opened, place))
            self._gather()
        if not self._turns:
            return None
        task = self._turns[0]
        given = task, task.ready.popleft()
        self._burst += 1
        # A file with nothing left to give has no turn before it is settled: a thread fills `ready` meanwhile.
        if not task.ready or self._burst == BURST:
            self._burst = 0
            self._turns.popleft()
            if task.ready:
                self._turns.append(task)
        return given

    # -- files ---------------------------------------------------------------------------------------------------

    def _opened(self, place: Place) -> Opened | None:
        """A file as a task, or what is to be told of it at once; None where an earlier part of the run has done it."""
        if is_notebook(place.path):
            return FileResult(place.path, "refused", NOTEBOOK)
        try:
            source = read(place.path, place.root)
            if self._writer is not None:
                if self._writer.is_done(source):
                    return None
                why = self._writer.refusal(source)
                if why is not None:
                    return FileResult(place.path, "refused", why)
            return self._begin(source)
        except CopydeskError as error:
            return FileResult(place.path, "failed", str(error))

    def _apart(self, work: Callable[[], Opened | None]) -> None:
        """Have `work` done beside the model. It waits for forwards at most where it touches a document."""
        self._pool.submit(work).add_done_callback(self._came.put)

    def _gather(self, *, wait: bool = False) -> None:
        """Take what the threads have done; wait: for the first of it, where there is none yet."""
        while self._opening or self._judging:
            try:
                done = self._came.get(block=wait)
            except Empty:
                return
            wait = False
            item = done.result()
            if isinstance(item, FileTask) and item in self._live:
                self._judging -= 1
            else:
                self._opening -= 1
            if isinstance(item, FileTask):
                self._live.add(item)
            if self.cancel.is_set():
                continue  # the Ctrl-C that ends the run ends its linters, too: what they said last counts for nothing
            if item is None:
                self.resumed += 1
            elif isinstance(item, FileTask) and not item.done:
                self._turns.append(item)
            else:
                self._finished.append(item)

    def _finish(self) -> None:
        while self._finished:
            item = self._finished.popleft()
            if isinstance(item, FileTask):
                self._live.discard(item)
                item.close()
                item = self._result(item)
            self._tell(item)
            self._told += 1
            if self._told % TRIMMED_AFTER == 0:
                give_back()

    def _result(self, task: FileTask) -> FileResult:
        source = task.source
        result = FileResult(
            source.path, task.status, None, source.text, source.encoding, fixes=task.fixes,
            counts=task.counts, ms=task.ms,
        )  # fmt: skip
        edits = [] if task.error is not None else task.changes.edits()
        try:
            if task.error is not None:
                result.status, result.error = "failed", task.error
            elif edits and self._writer is not None:
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
            for fix in task.fixes:
                fix.applied = False
        return result


def _settled(task: FileTask) -> FileTask:
    task.settle()
    return task


class _Here(Executor):
    """Runs what it is given at once."""

    def submit(self, work: Callable[..., Any], /, *args: Any, **named: Any) -> Future[Any]:
        future = Future[Any]()
        future.set_result(work(*args, **named))
        return future


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
