"""Programs that use an editor end as they mean to: no abort, no hang, whatever runs when they do."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading

import pytest

from copydesk.errors import EditorClosedError
from copydesk.request import EditRequest
from copydesk.results import EditResult
from copydesk.serving.fair_lock import FairLock
from desks import editor, settle
from repository import ROOT

ENDINGS = ROOT / "tests" / "support" / "endings.py"
CODES = {"exit_with_3": 3, "exit_in_a_with_block": 3, "exception": 1}


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without fork")
def test_every_way_a_program_can_end() -> None:
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
    done = subprocess.run(
        [sys.executable, ENDINGS], capture_output=True, text=True, env=environment, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "terminate called" not in done.stderr
    statuses = json.loads(done.stdout)
    assert len(statuses) >= 15
    assert None not in statuses.values(), statuses
    # Python ends a program that nobody caught Ctrl-C in by the signal itself.
    assert os.WTERMSIG(statuses.pop("interrupt")) == signal.SIGINT
    assert {way: os.waitstatus_to_exitcode(status) for way, status in statuses.items()} == {
        way: CODES.get(way, 0) for way in statuses
    }


def test_a_closed_editor_says_so() -> None:
    desk = editor()
    document = desk.open("a.txt", "one\ntwo\n")
    settle(desk)
    stream = document.stream(EditRequest(scope=[(1, 2)], temperature=1.0))
    next(stream)
    desk.close()
    desk.close()
    last = list(stream)[-1:]
    assert not last or (isinstance(last[0], EditResult) and last[0].status == "cancelled")
    with pytest.raises(EditorClosedError):
        document.edit(EditRequest(scope=[(1, 1)]))
    with pytest.raises(EditorClosedError):
        desk.open("b.txt", "")
    results = [event for _, event in desk.edit_all([(document, EditRequest(scope=[(1, 1)]))])]
    assert isinstance(results[-1], EditResult)
    assert results[-1].reason == "the editor is closed"


def test_an_interrupt_in_the_queue_keeps_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C while the main thread waits for its turn: the turn is not kept for it."""
    lock = FairLock()
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with lock:
            held.set()
            done.wait()

    class Interrupted:
        """A turn whose owner is interrupted when it waits for it: behind its first acquire, which is never blocked."""

        def __init__(self) -> None:
            self.calls = 0

        def acquire(self) -> None:
            self.calls += 1
            if self.calls == 2:
                raise KeyboardInterrupt

        def release(self) -> None:
            pass

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    monkeypatch.setattr("copydesk.serving.fair_lock.threading.Lock", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        lock.acquire()
    monkeypatch.undo()
    done.set()
    thread.join()
    other = threading.Thread(target=lambda: lock.acquire())
    other.start()
    other.join(10)
    assert not other.is_alive()
