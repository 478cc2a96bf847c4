"""The engine's host on its two threads, over a mock model whose forwards the test lets through one by one."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
import torch

from copydesk.models.feed import Feed
from copydesk.models.replay import ReplayModel
from copydesk.oracle import oracle_program
from copydesk.program import Program
from copydesk.request import EditRequest
from copydesk.serving.fair_lock import FairLock
from copydesk.serving.plan import script_of
from copydesk.text.document import Position, TextEdit, apply_edits
from copydesk.text.limits import Limits
from copydesk_server.engine_process.edit_outcome import EditOutcome
from copydesk_server.engine_process.flags import SLOTS
from copydesk_server.engine_process.messages import (
    Message,
    decode,
    pack_edits,
    pack_request,
    unpack_edits,
    unpack_result,
)
from copydesk_server.engine_process.worker import Worker
from copydesk_server.engine_process.worker_main import Channel
from desks import byte_vocabulary, editor
from mock_model import MockModel

TEXT = "import os\n\n\ndef f(x):\n    if x == None:\n        return 1\n    return x\n"
DEADLINE = 60.0


class GatedModel(MockModel):
    """With a gate, every forward says that it has begun and waits to be let through."""

    def __init__(self) -> None:
        super().__init__(byte_vocabulary().size)
        self.gate: threading.Semaphore | None = None
        self.begun = threading.Semaphore(0)

    def forward(self, feeds: Sequence[Feed]) -> list[torch.Tensor]:
        if self.gate is not None:
            self.begun.release()
            assert self.gate.acquire(timeout=DEADLINE)
        return super().forward(feeds)

    def hold(self) -> None:
        self.gate = threading.Semaphore(0)

    def wait_begun(self) -> None:
        assert self.begun.acquire(timeout=DEADLINE)

    def let_all(self) -> None:
        gate, self.gate = self.gate, None
        assert gate is not None
        gate.release()


class Bench:
    """A host in this process: what the parent would say goes in, what it would hear is kept."""

    def __init__(self, model: Any) -> None:
        self.desk = editor(model)
        self.flags = bytearray(SLOTS)
        self.heard: list[Message] = []
        self.asked = itertools.count(10**9)
        self._news = threading.Condition()
        self.channel = Channel(self._hear, self.flags)
        self.host = Worker(self.desk, self.channel, quiet=0.0)
        self.thread = threading.Thread(target=self.host.serve)
        self.thread.start()

    def _hear(self, frame: bytes) -> None:
        with self._news:
            self.heard.append(decode(frame))
            self._news.notify_all()

    def say(self, kind: str, **rest: Any) -> None:
        self.channel.inbox.put({"kind": kind, **rest})

    def open(self, text: str = TEXT, doc: int = 1, name: str = "a.txt") -> None:
        self.say("open", doc=doc, name=name, language="", version=0, text=text)

    def splice(self, version: int, *edits: TextEdit, doc: int = 1) -> None:
        self.say("splice", doc=doc, version=version, encoding="utf-16", changes=pack_edits(edits))

    def submit(self, *jobs: tuple[int, EditRequest], doc: int = 1, **options: Any) -> None:
        """Jobs as (id, request); the id is the slot too."""
        rest = {"priority": "edit", "stream": False, "encoding": "utf-16", "deadline": None, **options}
        for id, request in jobs:
            self.say("submit", id=id, slot=id, doc=doc, request=pack_request(request), **rest)

    def all(self, kind: str, id: int) -> list[Message]:
        return [message for message in self.heard if message["kind"] == kind and message.get("id") == id]

    def until(self, ready: Callable[[], Any]) -> Any:
        """Wait for something to be heard."""
        with self._news:
            assert self._news.wait_for(ready, DEADLINE), self.heard
            return ready()

    def result(self, id: int) -> EditOutcome:
        return unpack_result(self.until(lambda: self.all("result", id))[0])

    def order(self) -> list[int]:
        """Jobs in the order of their results."""
        return [message["id"] for message in self.heard if message["kind"] == "result"]

    def warm(self) -> None:
        """Wait until every page in sight is warm and the model thread waits."""
        for number in self.asked:
            self.say("status", id=number)
            self.until(lambda number=number: self.all("status", number))
            if all(not document._cold for document in list(self.desk.documents.values())):
                return

    def queued(self, count: int = 1) -> None:
        """Wait until the inbox waits for the model thread to give way."""
        ends = time.monotonic() + DEADLINE
        while len(self.desk.lock._queue) < count:
            assert time.monotonic() < ends

    def close(self) -> None:
        self.say("stop")
        self.thread.join(DEADLINE)
        assert not self.thread.is_alive()
        self.desk.check_integrity()


@pytest.fixture
def model() -> GatedModel:
    return GatedModel()


@pytest.fixture
def bench(model: GatedModel) -> Iterator[Bench]:
    bench = Bench(model)
    yield bench
    if model.gate is not None:
        model.let_all()
    bench.close()


@pytest.fixture(scope="module")
def long() -> EditRequest:
    """A request that takes several forwards on a warm page."""
    desk = editor(MockModel(byte_vocabulary().size))
    document = desk.open("a.txt", TEXT)
    while desk.warm_step():
        pass
    requests = [EditRequest(scope=[(1, 7)], temperature=1.0, seed=seed, max_tokens=40) for seed in range(40)]
    return next(request for request in requests if document.edit(request).counts.forwards > 8)


def insertion(text: str, line: int = 0) -> TextEdit:
    return TextEdit(Position(line, 0), Position(line, 0), text)


def test_a_job_is_made_for_the_version_it_was_submitted_on(
    bench: Bench, model: GatedModel, long: EditRequest
) -> None:
    texts = {0: TEXT, 1: "# one\n" + TEXT, 2: "# two\n# one\n" + TEXT}
    bench.open()
    bench.warm()
    model.hold()
    bench.submit((1, long))
    model.wait_begun()
    bench.splice(1, insertion("# one\n"))
    bench.submit((2, long))
    bench.splice(2, insertion("# two\n"))
    bench.submit((3, long))
    model.let_all()
    for id in (1, 2, 3):
        result = bench.result(id)
        assert result.version == id - 1
        assert result.program is not None
        before = texts[result.version]
        after = Program.parse(result.program).resolve(before)
        if result.status == "edited":
            assert apply_edits(before, result.edits) == after
    assert bench.order() == [1, 2, 3]


def test_several_changes_of_one_splice_follow_each_other(bench: Bench) -> None:
    bench.open("")
    bench.splice(
        1, insertion("ab\r\n"), TextEdit(Position(0, 1), Position(0, 2), "\U0001f600"), insertion("x", 1)
    )
    bench.splice(2, TextEdit(Position(0, 3), Position(1, 0), ""))
    bench.warm()
    (document,) = bench.desk.documents.values()
    assert (document.text, document.version) == ("a\U0001f600x", 2)


def test_a_keystroke_gets_in_between_two_forwards(bench: Bench, model: GatedModel, long: EditRequest) -> None:
    bench.open()
    bench.warm()
    model.hold()
    bench.submit((1, long))
    model.wait_begun()
    bench.splice(1, insertion("x"))
    bench.say("look", doc=1, ranges=[[1, 3], [5, 6]])
    (document,) = bench.desk.documents.values()
    bench.queued()
    assert document.version == 0
    assert model.gate is not None
    model.gate.release()
    model.wait_begun()  # the next forward begins after the keystroke
    assert (document.version, document._sight) in (
        (1, ((1, 3), (5, 6))),
        (1, ((1, 1),)),
    )
    assert not bench.all("result", 1)
    model.let_all()
    assert bench.result(1).version == 0


def test_a_cancel_stops_before_the_next_forward(bench: Bench, model: GatedModel, long: EditRequest) -> None:
    bench.open()
    bench.warm()
    model.hold()
    bench.submit((1, long))
    model.wait_begun()
    before = model.forwards
    bench.flags[1] = 1  # the flag alone: no message
    model.let_all()
    result = bench.result(1)
    assert (result.status, model.forwards) == ("cancelled", before + 1)
    bench.submit((2, long))
    assert bench.result(2).status != "cancelled"


def test_a_job_that_waits_is_cancelled_while_the_model_is_busy(
    bench: Bench, model: GatedModel, long: EditRequest
) -> None:
    bench.open()
    bench.warm()
    bench.submit((1, long), (2, long))
    bench.result(1), bench.result(2)
    model.hold()
    bench.submit((3, long))
    model.wait_begun()
    # Planning needs the lock, so this job waits for a turn; it is answered without a forward of its own.
    bench.submit((4, long))
    bench.queued()
    assert model.gate is not None
    model.gate.release()
    bench.until(lambda: bench.all("planned", 4))
    bench.say("cancel", id=4)
    assert bench.result(4).status == "cancelled"
    assert not bench.all("result", 3)
    model.let_all()
    assert bench.result(3).status != "cancelled"


def test_ahead_work_gives_way_and_is_put_back(bench: Bench, model: GatedModel, long: EditRequest) -> None:
    bench.open()
    bench.warm()
    model.hold()
    bench.submit((1, long), priority="prefetch")
    model.wait_begun()
    bench.submit((2, long), priority="prefetch")
    bench.submit((3, long))
    assert model.gate is not None
    while not bench.all("planned", 3):  # in one turn of the inbox or in two
        bench.queued()
        model.gate.release()
        model.wait_begun()
    model.let_all()
    results = [bench.result(id) for id in (1, 2, 3)]
    assert bench.order() == [3, 1, 2]
    assert results[0].edits == results[1].edits == results[2].edits
    assert results[0].program == results[2].program


def test_ahead_work_waits_for_pages_in_sight(bench: Bench, model: GatedModel, long: EditRequest) -> None:
    model.hold()
    bench.open("".join(f"value_{n} = {n}\n" for n in range(60)))
    bench.submit((1, EditRequest(scope=[(3, 3)], max_tokens=20)), priority="prefetch")
    model.wait_begun()
    model.let_all()
    result = bench.result(1)
    assert result.counts["prefilled"] == 0
    assert result.counts["reused"] > 0


def test_hunks_come_in_order_and_a_refusal_takes_them_back() -> None:
    lines = [f"value_{n} = {n}\n" for n in range(30)]
    after = list(lines)
    after[4] = "value_4 = 'four'\n"
    after[20:22] = ["joined = 1\n", "more = 2\n"]
    text, wanted = "".join(lines), "".join(after)
    model = ReplayModel(MockModel(byte_vocabulary().size))
    request = EditRequest(scope=[(4, 6), (20, 23)])
    scratch = editor(model)
    plan = scratch.open("a.txt", text).plan(request)
    model.scripts[1] = script_of(scratch.loaded_model, plan, oracle_program(text, wanted))
    bench = Bench(model)
    try:
        bench.open(text)
        bench.submit((1, request), stream=True)
        result = bench.result(1)
        hunks = bench.all("hunk", 1)
        assert [hunk["seq"] for hunk in hunks] == [0, 1]
        assert tuple(edit for hunk in hunks for edit in unpack_edits(hunk["edits"])) == result.edits
        assert apply_edits(text, result.edits) == wanted
        kinds = [message["kind"] for message in bench.heard if message.get("id") == 1]
        assert kinds == ["planned", "hunk", "hunk", "result"]
        bench.submit((2, request))
        assert bench.result(2).edits == result.edits
        assert not bench.all("hunk", 2)

        refused = TEXT.replace("== None:", "== None:  # noqa: E711")
        request = EditRequest(scope=[(5, 5)])
        plan = scratch.open("b.py", TEXT).plan(request)
        model.scripts[1] = script_of(scratch.loaded_model, plan, oracle_program(TEXT, refused))
        bench.say("open", doc=2, name="b.py", language="python", version=7, text=TEXT)
        bench.submit((3, request), doc=2, stream=True)
        result = bench.result(3)
        kinds = [message["kind"] for message in bench.heard if message.get("id") == 3]
        assert kinds == ["planned", "hunk", "retracted", "result"]
        assert (result.status, result.edits, result.version) == ("refused", (), 7)
    finally:
        bench.close()


def test_a_document_that_closes_cancels_what_is_asked_about_it(
    bench: Bench, model: GatedModel, long: EditRequest
) -> None:
    bench.open()
    bench.open(doc=2)
    bench.warm()
    model.hold()
    bench.submit((1, long))
    model.wait_begun()
    bench.submit((2, long))
    bench.submit((3, long), doc=2)
    bench.say("close", doc=1)
    assert model.gate is not None
    # The inbox reads on between two forwards, of which the first job has more than it takes to read these.
    while not bench.all("result", 2):
        bench.queued()
        model.gate.release()
        model.wait_begun()
    model.let_all()
    for id in (1, 2):
        result = bench.result(id)
        assert (result.status, result.reason) == ("cancelled", "the document was closed")
    assert bench.result(3).status != "cancelled"
    bench.submit((4, long))
    assert (bench.result(4).status, bench.result(4).lost) == ("failed", True)
    bench.say("close", doc=2)
    bench.warm()
    assert len(bench.desk.cache) == 0


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("a bug")])
def test_an_error_in_the_model_is_a_failed_result(
    bench: Bench, model: GatedModel, long: EditRequest, error: Exception
) -> None:
    bench.open()
    bench.warm()
    model.fail_next = error
    bench.submit((1, long))
    result = bench.result(1)
    assert result.status == "failed"
    assert result.reason is not None
    assert type(error).__name__ in result.reason
    bench.submit((2, long))
    assert bench.result(2).status in ("edited", "unchanged", "refused")


def test_a_job_that_cannot_be_planned_does_not_keep_others(
    bench: Bench, model: GatedModel, long: EditRequest
) -> None:
    bench.open()
    bench.warm()
    bench.submit((3, long), (4, EditRequest(scope=[(99, 99)])))
    assert bench.result(4).status == "failed"
    assert bench.result(3).status != "failed"


def test_deadlines_count_from_the_arrival(bench: Bench, model: GatedModel, long: EditRequest) -> None:
    bench.open()
    bench.warm()
    before = model.forwards
    bench.submit((1, long), deadline=0.0)
    assert (bench.result(1).status, bench.result(1).reason) == ("refused", "deadline")
    assert model.forwards == before


def test_what_cannot_be_planned_fails_and_a_lost_mirror_is_asked_for(bench: Bench, long: EditRequest) -> None:
    bench.open()
    bench.submit((1, EditRequest(scope=[(50, 60)])))
    result = bench.result(1)
    assert (result.status, result.lost) == ("failed", False)
    assert result.reason is not None
    assert "outside the document" in result.reason
    assert not bench.all("planned", 1)
    bench.splice(1, TextEdit(Position(3, 0), Position(2, 0), "turned round"))
    assert bench.until(lambda: [m for m in bench.heard if m["kind"] == "resync"])[0]["doc"] == 1
    bench.submit((2, long))
    assert bench.result(2).lost
    bench.open()
    bench.submit((3, long))
    assert bench.result(3).status != "failed"


def test_what_is_too_large_is_told_and_not_sent_again_for_ever(long: EditRequest) -> None:
    bench = Bench(MockModel(byte_vocabulary().size))
    bench.desk.limits = Limits(document_bytes=200)
    try:
        bench.open("x = 1\n" * 50)
        bench.submit((1, long))
        result = bench.result(1)
        assert (result.status, result.lost) == ("failed", False)
        assert result.reason is not None
        assert "at most" in result.reason
        bench.splice(1, insertion("typed\n"))
        assert not [m for m in bench.heard if m["kind"] == "resync"]
        # What was deleted may have made it small enough.
        bench.splice(2, TextEdit(Position(1, 0), Position(40, 0), ""))
        bench.until(lambda: [m for m in bench.heard if m["kind"] == "resync"])
        bench.open()
        bench.submit((2, long))
        assert bench.result(2).status != "failed"
        bench.splice(1, insertion("y" * 200))
        bench.submit((3, long))
        assert "at most" in (bench.result(3).reason or "")
    finally:
        bench.close()


def test_the_status_counts(bench: Bench, long: EditRequest) -> None:
    bench.open()
    bench.warm()
    bench.submit((1, long))
    bench.result(1)
    bench.say("status", id=77)
    figures = bench.until(lambda: bench.all("status", 77))[0]["figures"]
    assert figures["warm_pages"] == 1
    assert 0 < figures["cache_bytes"] <= figures["cache_budget"]
    assert figures["queue"] == {"edit": 0, "prefetch": 0}
    assert set(figures["latencies"][0]) == {"queued", "prefill", "decode", "total"}


def test_a_fair_lock_goes_to_whoever_asked_first() -> None:
    lock, order = FairLock(), list[str]()
    with lock, lock:
        lock.give_way()  # held twice: kept
        threads = []
        for name in "abc":
            thread = threading.Thread(target=lambda name=name: _note(lock, order, name))
            thread.start()
            threads.append(thread)
            ends = time.monotonic() + DEADLINE
            while len(lock._queue) < len(threads):
                assert time.monotonic() < ends
        lock.give_way()
        assert order == []
        lock.release()
        lock.give_way()
        assert order == ["a", "b", "c"]
        lock.acquire()
    for thread in threads:
        thread.join(DEADLINE)
    with pytest.raises(RuntimeError, match="holds it"):
        lock.release()


def _note(lock: FairLock, order: list[str], name: str) -> None:
    with lock:
        order.append(name)
