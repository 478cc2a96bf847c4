"""The most probable different edits: against what sampling draws, without repetition, and without asking the model twice."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from copydesk.decode.departures import Departure, likeliest, worth_following
from copydesk.editor import Document, Editor
from copydesk.program import Copy, Program, Sub
from copydesk.request import Diagnostic, EditRequest
from copydesk.results import EditResult
from copydesk.serving.program_titles import program_title
from copydesk.text.document import Position, apply_edits
from desks import byte_vocabulary, editor
from mock_model import MockModel

DRAWS = 400
NAMES = "totla = 1\ntotlb = 2\ntotal = 3\ntotlc = 4\n\n\ndef f():\n    return totl\n"
MISSPELT = Diagnostic(Position(7, 11), Position(7, 15), "Undefined name `totl`", "F821", "ruff")


def desk_of(kind: str, seed: int, scale: float = 2.0) -> Editor:
    model = MockModel(byte_vocabulary(kind).size, seed=seed, context=0, scale=scale)
    return editor(model, kind)


def drawn(document: Document, request: EditRequest) -> dict[str, float]:
    """How often each text comes of sampling at temperature 1."""
    found = Counter[str]()
    for seed in range(DRAWS):
        result = document.edit(
            EditRequest(**{**_fields(request), "temperature": 1.0, "seed": seed, "candidates": 1})
        )
        found[result.text] += 1
    return {text: count / DRAWS for text, count in found.items()}


def _fields(request: EditRequest) -> dict[str, object]:
    names = ("scope", "diagnostics", "choices", "max_tokens")
    return {name: getattr(request, name) for name in names}


def texts(document: Document, result: EditResult) -> dict[str, float]:
    return {apply_edits(document.text, one.edits): one.probability for one in result.alternatives}


@pytest.mark.parametrize("kind", ["lines", "tags"])
def test_all_of_a_finite_list_are_named_with_the_probabilities_that_sampling_has(kind: str) -> None:
    desk = desk_of(kind, 3, scale=0.7)
    document = desk.open("a.py", NAMES)
    request = EditRequest(diagnostics=[MISSPELT], candidates=16)
    result = document.edit(request)
    named = texts(document, result)
    assert len(named) == len(result.alternatives) > 2
    assert sum(named.values()) == pytest.approx(1.0, abs=1e-6)
    assert list(named.values()) == sorted(named.values(), reverse=True)
    assert (result.law, result.exact) == ("exact", True)
    assert result.text == next(iter(named))
    frequencies = drawn(document, request)
    assert set(frequencies) <= set(named)
    assert sum(abs(p - frequencies.get(text, 0.0)) for text, p in named.items()) / 2 < 0.08
    few = document.edit(EditRequest(diagnostics=[MISSPELT], candidates=2))
    assert texts(document, few) == dict(list(named.items())[:2])
    alone = document.edit(EditRequest(diagnostics=[MISSPELT]))
    assert (alone.text, alone.alternatives) == (result.text, ())
    assert few.counts.forwards == alone.counts.forwards  # what was weighed once is not asked again
    desk.check_integrity()


def test_what_the_model_writes_is_ranked_by_the_law_it_is_sampled_from() -> None:
    desk = desk_of("lines", 5)
    document = desk.open("a.txt", "one\ntwo\nthree\n")
    request = EditRequest(scope=[(2, 2)], choices=["a", "b"], candidates=16)
    result = document.edit(request)
    named = texts(document, result)
    assert len(named) == len(result.alternatives) == 16
    assert (result.law, len({str(one.program) for one in result.alternatives})) == ("local", 16)
    frequencies = drawn(document, request)
    for text, p in list(named.items())[:8]:
        noise = 4 * np.sqrt(p * (1 - p) / DRAWS)
        assert frequencies.get(text, 0.0) > p - noise  # a text may be spelt in other ways, too
    best = max(frequencies.values())
    assert frequencies[next(iter(named))] > best - 0.1
    desk.check_integrity()


def test_free_text_is_searched_without_repetition_and_nothing_streams() -> None:
    desk = desk_of("tags", 8)
    document = desk.open("a.txt", "one\ntwo\nthree\n")
    before = desk.loaded_model.model.forwards  # type: ignore[attr-defined]
    events = list(document.stream(EditRequest(scope=[(2, 2)], candidates=4, max_tokens=60)))
    (result,) = events
    assert isinstance(result, EditResult)
    probabilities = [one.probability for one in result.alternatives]
    assert probabilities == sorted(probabilities, reverse=True)
    assert len(texts(document, result)) == len(probabilities)
    assert sum(probabilities) <= 1.0 + 1e-9
    assert desk.loaded_model.model.forwards - before <= result.counts.forwards  # type: ignore[attr-defined]
    desk.check_integrity()


def test_the_likeliest_that_passes_its_checks_is_taken() -> None:
    """Of two answers the likelier does not parse: it is named, with the reason, and the other is the result."""
    taken = 0
    for seed in range(40):
        desk = desk_of("lines", seed)
        document = desk.open("a.py", "value = 1\n")
        result = document.edit(EditRequest(scope=[(1, 1)], choices=["(", "other = 2"], candidates=6))
        refused = [one.reason for one in result.alternatives]
        if result.status == "edited" and refused[0] is not None:
            first = refused.index(None)
            assert result.program == result.alternatives[first].program
            assert result.reason is None
            taken += 1
    assert taken


def test_candidates_of_requests_served_together_are_those_of_each_alone() -> None:
    desk = desk_of("lines", 5)
    document = desk.open("a.txt", "one\ntwo\nthree\n")
    requests = [EditRequest(scope=[(n, n)], candidates=3, max_tokens=20) for n in (1, 2, 3)]
    alone = [document.edit(request).alternatives for request in requests]
    together: dict[int, EditResult] = {}
    for index, event in desk.edit_all([(document, request) for request in requests]):
        if isinstance(event, EditResult):
            together[index] = event
    assert [together[n].alternatives for n in range(3)] == alone
    desk.check_integrity()


def test_departures_that_cannot_be_among_the_likeliest_are_not_followed() -> None:
    departures = [Departure((k,), -float(k)) for k in range(6)]
    assert worth_following(departures, [], 2) == departures[:2]
    assert worth_following(departures, [-2.5], 2) == departures[:2]
    assert worth_following(departures, [-2.5, -1.5], 9) == departures
    assert worth_following(departures, [-0.5, -1.5, -9.0], 2) == departures[:2]
    assert worth_following(departures, [-0.5, -0.7], 2) == departures[:1]


def test_the_likeliest_places_are_in_order_and_the_first_of_equals_comes_first() -> None:
    values = np.array([0.1, 0.5, 0.5, 0.2, 0.9])
    assert likeliest(values, 3) == [4, 1, 2]
    assert likeliest(values, 5) == [4, 1, 2, 3, 0]


def test_programs_are_told_in_words() -> None:
    views = ["one\n", "two\n", "three\n"]
    told = {
        Program((Copy(1, 3),)): "change nothing",
        Program((Copy(1, 1), Copy(3, 3))): "delete `two`",
        Program((Copy(1, 1),)): "delete 2 lines",
        Program((Copy(1, 1), Sub(2, 2, "w", "x"), Copy(3, 3))): "`w` → `x`",
        Program((Copy(1, 1), Sub(2, 2, " ", " x "), Copy(3, 3))): "insert `x`",
        Program((Copy(1, 1), Sub(2, 2, " ", "\t"), Copy(3, 3))): "change white space",
    }
    assert {program: program_title(program, views) for program in told} == told
