"""Requests that join while others are decoded: what each says alone, few lanes, and room that has to be waited for."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

import pytest

from copydesk.editor import Document, Editor
from copydesk.errors import OutOfMemoryError
from copydesk.request import Diagnostic, EditRequest
from copydesk.results import EditResult
from copydesk.text.document import Position
from desks import byte_vocabulary, editor
from mock_model import MockModel

Given = tuple[Document, EditRequest]
TEXT = "".join(f"line {n}\n" for n in range(40))


def asks(desk: Editor, count: int, length: int = 20) -> list[Given]:
    return [
        (desk.open(f"{n}.txt", TEXT), EditRequest(scope=[(3, 5)], temperature=1.0, seed=n, max_tokens=length))
        for n in range(count)
    ]


def supply(queue: deque[Given]) -> Callable[[], Given | None]:
    return lambda: queue.popleft() if queue else None


def results(desk: Editor, queue: deque[Given], lanes: int) -> dict[int, EditResult]:
    return {n: event for n, event in desk.serve(supply(queue), lanes) if isinstance(event, EditResult)}


@pytest.mark.parametrize("lanes", [1, 3, 50])
def test_each_says_what_it_says_alone(lanes: int) -> None:
    desk = editor(MockModel(byte_vocabulary().size))
    given = asks(desk, 10)
    alone = [document.edit(request) for document, request in given]
    served = results(desk, deque(given), lanes)
    assert [served[n].program for n in range(10)] == [result.program for result in alone]
    desk.check_integrity()


def test_a_new_one_joins_as_soon_as_a_lane_is_free() -> None:
    model = MockModel(byte_vocabulary().size)
    desk = editor(model)
    given = asks(desk, 1, length=200) + asks(desk, 6, length=1)
    for document, request in given:
        document.edit(request)
    flight: list[int] = []
    done: list[int] = []
    queue = deque(given)

    def next_one() -> Given | None:
        flight.append(len(given) - len(queue) - len(done))
        return queue.popleft() if queue else None

    for index, event in desk.serve(next_one, 2):
        if isinstance(event, EditResult):
            done.append(index)
    assert max(flight) == 1  # one was on its way, a second one was asked for
    assert done[-1] == 0  # the long one starves nobody


def test_results_may_bring_more() -> None:
    desk = editor()
    queue = deque(asks(desk, 1))
    document, _ = queue[0]
    refused = EditRequest(scope=[(90, 91)])
    follow = deque([refused, EditRequest(scope=[(1, 1)], max_tokens=3), refused, refused])
    statuses = []
    for _, event in desk.serve(supply(queue), 4):
        if isinstance(event, EditResult):
            statuses.append(event.status == "failed")
            if follow:
                queue.append((document, follow.popleft()))
    assert statuses == [False, True, False, True, True]


def test_what_has_one_answer_needs_no_page() -> None:
    model = MockModel(byte_vocabulary().size)
    desk = editor(model)
    document = desk.open("a.py", "x = 1\ny = x == None\n")
    at = Diagnostic(Position(1, 4), Position(1, 13), "Comparison to `None` should be `cond is None`", "E711")
    one, other = EditRequest(diagnostics=[at]), EditRequest(scope=[(1, 1)], max_tokens=5)
    served = results(desk, deque([(document, one)]), 2)
    assert (served[0].status, model.forwards) == ("edited", 0)
    assert served[0].counts.prefilled == served[0].counts.forwards == 0
    both = results(desk, deque([(document, one), (document, other)]), 2)
    assert both[0].program == served[0].program
    assert both[1].counts.prefilled > 0
    assert both[1].program == document.edit(other).program
    desk.check_integrity()


def test_a_full_cache_is_waited_for() -> None:
    model = MockModel(byte_vocabulary().size)
    desk = editor(model)
    results(desk, deque(asks(desk, 1)), 1)
    one = desk.cache.nbytes
    small = editor(MockModel(byte_vocabulary().size), cache_bytes=one * 5 // 2)
    served = results(small, deque(asks(small, 8)), 8)
    assert sorted(served) == list(range(8))
    reasons = {result.reason for result in served.values() if result.status == "failed"}
    assert not reasons
    small.check_integrity()


def test_a_cache_too_small_for_one_fails_that_one() -> None:
    desk = editor(cache_bytes=10)
    (result,) = results(desk, deque(asks(desk, 1)), 4).values()
    assert result.status == "failed"


def test_out_of_memory_means_fewer_together() -> None:
    model = MockModel(byte_vocabulary().size)
    desk = editor(model)
    given = asks(desk, 5, length=3)
    alone = [document.edit(request) for document, request in given]  # all pages are warm now
    model.fail_next = OutOfMemoryError("no memory left")
    served = results(desk, deque(given), 4)
    assert [served[n].program for n in range(5)] == [result.program for result in alone]
    model.fail_next = OutOfMemoryError("no memory left")
    served = results(desk, deque(given), 1)
    assert [served[n].status == "failed" for n in range(5)] == [True, False, False, False, False]
    desk.check_integrity()


def test_cancel_ends_those_in_flight_and_asks_for_no_more() -> None:
    desk = editor()
    queue, cancel = deque(asks(desk, 6, length=200)), threading.Event()
    asked = 0

    def next_one() -> Given | None:
        nonlocal asked
        asked += 1
        if asked == 4:
            cancel.set()
        return queue.popleft()

    said = [event for _, event in desk.serve(next_one, 4, cancel=cancel) if isinstance(event, EditResult)]
    assert [result.status for result in said] == ["cancelled"] * 4
    assert len(queue) == 2
    desk.check_integrity()


def test_a_consumer_that_leaves_leaves_nothing_behind() -> None:
    desk = editor()
    stream = desk.serve(supply(deque(asks(desk, 4))), 3)
    next(stream)
    stream.close()  # type: ignore[attr-defined]
    desk.check_integrity()
    assert all(entry.pins == 0 for entry in desk.cache._entries.values())
