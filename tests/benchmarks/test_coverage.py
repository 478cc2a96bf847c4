"""Coverage statistics against the plainest implementations of their definitions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.oracle import CodeCost, oracle_program
from copydesk.text.document import split_lines
from copydesk_benchmarks.coverage import (
    MIN_SPANS,
    copied_lines,
    copied_spans,
    line_coverage,
    match_lengths,
    span_histogram,
    speed_bound,
    token_coverage,
    token_coverages,
)
from humaneval import humaneval_cases
from strategies import pairs

tokens = st.lists(st.integers(0, 2), max_size=14)


def contains(before: list[int], run: list[int]) -> bool:
    return any(before[k : k + len(run)] == run for k in range(len(before) - len(run) + 1))


@given(tokens, tokens)
def test_match_lengths(before: list[int], after: list[int]) -> None:
    expected = [
        max(n for n in range(len(after) - j + 1) if contains(before, after[j : j + n]))
        for j in range(len(after))
    ]
    assert match_lengths(before, after) == expected


@given(tokens, tokens, st.integers(1, 5))
def test_copied_spans_are_greedy_and_longest(before: list[int], after: list[int], min_span: int) -> None:
    at, expected = 0, []
    while at < len(after):
        length = max(n for n in range(len(after) - at + 1) if contains(before, after[at : at + n]))
        if length >= min_span:
            expected.append((at, length))
            at += length
        else:
            at += 1
    assert copied_spans(before, after, min_span) == expected
    covered = sum(length for _, length in expected)
    assert token_coverage(before, after, min_span) == (covered / len(after) if after else 1.0)
    assert span_histogram(before, after, min_span).total() == len(expected)
    assert token_coverages(before, after, (min_span,)) == {min_span: token_coverage(before, after, min_span)}


def test_examples() -> None:
    before, after = ["a", "b", "c", "d", "e", "f"], ["a", "b", "x", "d", "e", "f"]
    assert token_coverage(before, after, 1) == 5 / 6
    assert token_coverage(before, after, 3) == 3 / 6
    assert token_coverage(before, after, 4) == 0
    assert span_histogram(before, after) == {2: 1, 3: 1}
    assert line_coverage("a\nb\nc\n", "a\nx\nc\nc\n") == 0.5
    assert line_coverage("", "") == 1
    assert line_coverage("", "a") == 0


@given(pairs())
def test_no_program_covers_more_lines(texts: tuple[str, str]) -> None:
    before, after = texts
    count = len(split_lines(after))
    copied = copied_lines(oracle_program(before, after, subs=False))
    assert copied <= line_coverage(before, after) * count + 1e-9
    assert line_coverage(after, after) == 1


@given(st.lists(st.sampled_from("abc"), max_size=8), st.lists(st.sampled_from("abc"), max_size=8))
def test_line_coverage_is_a_longest_common_subsequence(before: list[str], after: list[str]) -> None:
    best = [0] * (len(before) + 1)
    for line in after:
        row = [0]
        for k, other in enumerate(before):
            row.append(best[k] + 1 if line == other else max(best[k + 1], row[k]))
        best = row
    joined = ["".join(line + "\n" for line in side) for side in (before, after)]
    assert line_coverage(*joined) == (best[-1] / len(after) if after else 1.0)


def test_humaneval_fix_is_mostly_copies() -> None:
    cases = humaneval_cases()
    split = CodeCost().line_tokens
    lines = sum(line_coverage(case.before, case.after) for case in cases) / len(cases)
    assert 0.8 < lines < 1
    previous = 1.0
    totals = [token_coverages(split(case.before), split(case.after)) for case in cases]
    for span in MIN_SPANS:
        mean = sum(total[span] for total in totals) / len(cases)
        assert mean <= previous
        previous = mean
    assert previous > 0.5


def test_two_thousand_tokens_with_repeats() -> None:
    before = [k % 7 for k in range(2_000)]
    after = [*before[:900], -1, *before[901:]]
    assert token_coverages(before, after)[32] == 1999 / 2000


def test_speed_bound() -> None:
    assert speed_bound({}, 0, {}) == 1
    assert speed_bound({}, 10, {8: 4.0}) == 1
    assert speed_bound({8: 2}, 0, {8: 4.0}) == pytest.approx(4)
    assert speed_bound({8: 1}, 8, {8: 4.0}) == pytest.approx(16 / 10)
    # Between entries the time is linear, from one step for one token: s(8) = 4 is 2 steps, s(16) = 4 is 4 steps.
    assert speed_bound({12: 1}, 0, {8: 4.0, 16: 4.0}) == pytest.approx(12 / 3)
    assert speed_bound({1: 5}, 0, {8: 4.0}) == pytest.approx(1)
    assert speed_bound({32: 1}, 0, {8: 4.0, 16: 4.0}) == pytest.approx(4)
