"""Requests are checked where they are built; scopes are normalised against a document's length."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.errors import RequestError, ScopeError
from copydesk.request import Diagnostic, EditRequest, Range, normalise_scope
from copydesk.text.document import Position


@pytest.mark.parametrize(
    ("ranges", "expected"),
    [
        ([], []),
        ([(3, 5)], [(3, 5)]),
        ([(8, 9), (3, 5)], [(3, 5), (8, 9)]),
        ([(3, 5), (4, 4)], [(3, 5)]),
        ([(3, 5), (6, 8)], [(3, 8)]),
        ([(3, 5), (7, 8)], [(3, 5), (7, 8)]),
        ([(3, 5), (6, 5)], [(3, 5)]),  # new text behind line 5 is allowed by 3-5 already
        ([(3, 2), (3, 5)], [(3, 5)]),
        ([(3, 2), (4, 5)], [(3, 2), (4, 5)]),
        ([(3, 2), (3, 2)], [(3, 2)]),
        ([(3, 2), (4, 3)], [(3, 2), (4, 3)]),
        ([(11, 10)], [(11, 10)]),  # the insertion point behind the last line
    ],
)
def test_normalise(ranges: list[Range], expected: list[Range]) -> None:
    assert normalise_scope(ranges, 10) == expected


@pytest.mark.parametrize(
    ("ranges", "words"),
    [
        ([(0, 3)], "start at 0"),
        ([(5, 3)], "5-3 ends before it starts"),
        ([(9, 11)], "lines 9-11 is outside the document, which has 10 lines"),
        ([(11, 11)], "line 11 is outside"),
        ([(12, 11)], "before line 12 is outside"),
        ([(1, 2), (40, 41)], "lines 40-41"),
    ],
)
def test_ranges_outside_the_document_are_named(ranges: list[Range], words: str) -> None:
    with pytest.raises(ScopeError, match=words):
        normalise_scope(ranges, 10)


def _positions(ranges: list[Range]) -> tuple[set[int], set[int]]:
    """The lines a scope opens and the gaps that take new text (gap k lies behind line k)."""
    lines = {n for a, b in ranges for n in range(a, b + 1)}
    gaps = {n for a, b in ranges for n in range(a - 1, b + 1)}
    return lines, gaps


@given(
    st.lists(
        st.tuples(st.integers(1, 21), st.integers(-1, 6)).map(lambda t: (t[0], min(20, t[0] + t[1]))),
        max_size=6,
    )
)
def test_normalising_changes_no_meaning(ranges: list[Range]) -> None:
    scope = normalise_scope(ranges, 20)
    assert _positions(scope) == _positions(ranges)
    assert all(a[1] + 1 < b[0] for a, b in itertools.pairwise(scope))
    assert normalise_scope(scope, 20) == scope


@pytest.mark.parametrize(
    "values",
    [
        {"temperature": -0.1},
        {"temperature": float("nan")},
        {"top_p": 0.0},
        {"top_p": 1.5},
        {"candidates": 0},
        {"max_tokens": 0},
        {"choices": []},
        {"choices": ["a"], "lark": "start: /a/"},
    ],
)
def test_a_request_out_of_range_is_refused(values: dict[str, object]) -> None:
    with pytest.raises(RequestError):
        EditRequest(**values)  # type: ignore[arg-type]


def test_a_request_is_a_value() -> None:
    scope, diagnostics = [(10, 14)], [Diagnostic(Position(9, 0), Position(9, 3), "no")]
    request = EditRequest(scope=scope, diagnostics=diagnostics, instruction=None)
    scope.append((1, 1))
    diagnostics.clear()
    assert request.scope == ((10, 14),)
    assert len(request.diagnostics) == 1
    with pytest.raises(ScopeError):
        EditRequest(scope=[(3, 1)])


@pytest.mark.parametrize(
    ("start", "end", "lines"),
    [((4, 2), (4, 9), (5, 5)), ((4, 2), (6, 1), (5, 7)), ((4, 0), (5, 0), (5, 5)), ((4, 0), (4, 0), (5, 5))],
)
def test_lines_of_a_diagnostic(start: tuple[int, int], end: tuple[int, int], lines: Range) -> None:
    assert Diagnostic(Position(*start), Position(*end), "x").lines == lines


@pytest.mark.parametrize(
    "values",
    [
        (Position(-1, 0), Position(0, 0), "x"),
        (Position(2, 4), Position(2, 3), "x"),
        (Position(0, 0), Position(0, 0), "x", None, None, 5),
    ],
)
def test_a_broken_diagnostic_is_refused(values: tuple[object, ...]) -> None:
    with pytest.raises(RequestError):
        Diagnostic(*values)  # type: ignore[arg-type]
