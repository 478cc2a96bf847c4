"""An engine that hangs, or does not keep up: it is noticed, replaced, and costs the server a fixed amount of memory."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from copydesk.request import EditRequest
from copydesk.text.document import Position, TextEdit, TextLines
from copydesk_server.engine_process import client, connection, inbox
from copydesk_server.engine_process.client import Engine
from copydesk_server.engine_process.inbox import Inbox
from copydesk_server.engine_process.messages import EngineSettings
from copydesk_server.engine_process.watchdog import SILENT, STUCK, Watchdog
from engine_hosts import DEADLINE, SCRIPTED, Recorder, run, state, until

FROZEN = pytest.mark.skipif(
    not hasattr(signal, "SIGSTOP"), reason="no way to hold a process in the middle of its work"
)


class Patient(Watchdog):
    """Looks when the test says so."""

    heard_of = 0

    def __init__(self, on_hang: Callable[[str], None]) -> None:
        super().__init__(on_hang, beat=0.01)

    def start(self) -> None:
        self.stop()

    def heard(self) -> None:
        super().heard()
        self.heard_of += 1

    def look(self) -> None:
        self._look()
        if self._timer is not None:
            self._timer.cancel()


async def started() -> tuple[Engine, Patient, Recorder]:
    heard = Recorder()
    engine = Engine(EngineSettings(), heard, backoff=(0.0,), host=SCRIPTED, watchdog=Patient)
    engine.start()
    await state(engine, "ready")
    dog = engine._watchdog
    assert isinstance(dog, Patient)
    return engine, dog, heard


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


@FROZEN
def test_an_engine_that_is_stopped_is_replaced_and_said_to_be_so_once() -> None:
    async def scenario() -> None:
        engine, dog, heard = await started()
        try:
            engine.open(1, "a.py", "python", 1, lambda: "x = 1\n")
            held = engine.submit(1, EditRequest(instruction="hold"), encoding="utf-16")
            await held.planned
            pid = engine.pid
            assert pid is not None
            os.kill(pid, signal.SIGSTOP)
            for _ in range(SILENT + 1):
                dog.look()
            result = await held.result
            assert (result.status, result.lost) == ("failed", True)
            await state(engine, "ready")
            assert engine.pid != pid
            said = [message for now, message in heard.states if now == "restarting"]
            assert said == [
                f"the engine stopped (it gave no sign of life for {SILENT * 0.01:g} seconds); it is started again"
            ]
            job = engine.submit(1, EditRequest(instruction="text"), encoding="utf-16")
            assert (await job.result).reason == "x = 1\n"
        finally:
            await engine.close()

    run(scenario())


def test_an_engine_that_works_for_long_lives() -> None:
    """Its signs of life come from a thread that no forward keeps back."""

    async def scenario() -> None:
        engine, dog, heard = await started()
        try:
            engine.open(1, "a.py", "python", 1, lambda: "x = 1\n")
            engine.submit(1, EditRequest(instruction="hang"), encoding="utf-16")
            pid = engine.pid
            for _ in range(2 * SILENT):
                before = dog.heard_of
                await until(lambda before=before: dog.heard_of > before)  # type: ignore[misc]
                dog.look()
            assert engine.pid == pid
            assert not [now for now, _ in heard.states if now == "restarting"]
        finally:
            await engine.close()

    run(scenario())


def test_the_status_of_an_engine_that_is_busy_is_told_without_its_figures(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scenario() -> None:
        engine, _, _ = await started()
        try:
            engine.open(1, "a.py", "python", 1, lambda: "x = 1\n")
            assert "warm_pages" in await engine.status()
            job = engine.submit(1, EditRequest(instruction="hang"), encoding="utf-16")
            await job.planned
            monkeypatch.setattr(client, "FIGURES", 0.0)
            status = await engine.status()
            assert (status["state"], status["pid"], status["jobs"]) == ("ready", engine.pid, 1)
            assert "warm_pages" not in status
            assert not engine._asked
        finally:
            await engine.close()

    run(scenario())


def test_an_engine_that_does_not_stop_when_it_is_told_to_is_replaced() -> None:
    async def scenario() -> None:
        engine, dog, heard = await started()
        try:
            engine.open(1, "a.py", "python", 1, lambda: "x = 1\n")
            job = engine.submit(1, EditRequest(instruction="hang"), encoding="utf-16")
            await job.planned
            pid = engine.pid
            for _ in range(2 * STUCK):  # as long as nobody wants it to stop it may go on
                dog.heard()
                dog.look()
            job.cancel()
            for _ in range(STUCK + 1):
                dog.heard()
                dog.look()
            await job.result
            await state(engine, "ready")
            assert engine.pid != pid
            assert any("told to stop" in (message or "") for _, message in heard.states)
        finally:
            await engine.close()

    run(scenario())


@FROZEN
def test_an_engine_that_reads_nothing_costs_a_fixed_amount_and_catches_up() -> None:
    async def scenario() -> None:
        engine, _, _ = await started()
        lines = TextLines("x\n")
        other = TextLines("y\n")
        try:
            engine.open(1, "a.py", "python", 0, lambda: lines.text)
            engine.open(2, "b.py", "python", 0, lambda: other.text)
            pid = engine.pid
            assert pid is not None
            with stopped(pid):
                most = 0
                for version in range(1, 1000):
                    edit = TextEdit(Position(0, 0), Position(0, 1 << 16), str(version).ljust(1 << 16, "x"))
                    lines.splice(edit.start, edit.end, edit.new_text)
                    engine.splice(1, version, [edit], "utf-16")
                    assert engine._link is not None
                    most = max(most, engine._link._backlog)
                assert most < connection.BACKLOG + (1 << 17)
                late = engine.submit(1, EditRequest(instruction="text"), encoding="utf-16")
                assert (await late.result).lost, "not one for an old text"
                engine.close_document(2)
                engine.open(3, "c.py", "python", 0, lambda: "z\n")
                engine.close_document(3)  # the child never hears of it
                assert await engine.status()
            await until(lambda: not engine._feed.behind)
            job = engine.submit(1, EditRequest(instruction="text"), encoding="utf-16")
            assert (await job.result).reason == lines.text
            assert (await engine.status())["warm_pages"] == 1
        finally:
            await engine.close()

    run(scenario())


def test_the_childs_inbox_has_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inbox, "PATIENCE", 0.0)
    box = Inbox(limit=100)
    looked = threading.Event()
    messages = [{"kind": "splice", "number": number} for number in range(10)]
    most = 0

    def put() -> None:
        for message in messages:
            box.put(message, 60, looked.set)

    thread = threading.Thread(target=put)
    thread.start()
    assert looked.wait(DEADLINE), "it looks meanwhile whether anybody is left"
    found = []
    for _ in messages:
        most = max(most, box._bytes)
        found.append(box.get())
    thread.join(DEADLINE)
    assert found == messages
    assert most <= 160
