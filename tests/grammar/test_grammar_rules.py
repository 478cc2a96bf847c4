"""`Rules` against brute force: every program over tiny pages, every scope."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from copydesk.errors import ProgramError, ScopeError
from copydesk.grammar.rules import Rules, State, normalise, spans, violation
from copydesk.program import Copy, Gen, Op, Program, Sub

GENS = ("+\n", "+")


def page(lines: int, unterminated: bool) -> list[str]:
    views = [f"{k}\n" for k in range(1, lines + 1)]
    if unterminated:
        views[-1] = views[-1][:-1]
    return views


def subs_from(lines: int, start: int) -> Iterator[Sub]:
    yield Sub(start, start, f"{start}", "z")
    if start < lines:
        yield Sub(start, start + 1, f"{start}\n{start + 1}", "z")


def every_program(lines: int) -> list[tuple[Op, ...]]:
    """Every sequence of ops that advances, illegal adjacencies included; at most two gens in a row."""

    def behind(position: int, gens: int) -> Iterator[tuple[Op, ...]]:
        yield ()
        if gens < 2:
            for text in GENS:
                yield from ((Gen(text), *rest) for rest in behind(position, gens + 1))
        for start in range(position + 1, lines + 1):
            for end in range(start, lines + 1):
                yield from ((Copy(start, end), *rest) for rest in behind(end, 0))
            for sub in subs_from(lines, start):
                yield from ((sub, *rest) for rest in behind(sub.end, 0))

    # Few gens keep the number of programs down; what may surround a gen does not depend on other gens.
    return [ops for ops in behind(0, 0) if sum(isinstance(op, Gen) for op in ops) <= 3]


def every_scope(lines: int) -> list[tuple[tuple[int, int], ...]]:
    ranges = [(s, e) for s in range(1, lines + 2) for e in range(s - 1, lines + 1)]
    found = {normalise(some) for size in range(4) for some in itertools.combinations(ranges, size)}
    return sorted(found)


def in_scope(ops: tuple[Op, ...], lines: int, scope: tuple[tuple[int, int], ...], at_end: bool) -> bool:
    """What is promised: all deleted, replaced or inserted lines lie in one range; a missing final newline ends the document."""
    done = 0

    def within(first: int, last: int) -> bool:
        return first > last or any(s <= first and last <= e for s, e in scope)

    for op in ops:
        if isinstance(op, Gen):
            if not any(s - 1 <= done <= e for s, e in scope):
                return False
            if not op.text.endswith("\n") and not at_end:
                return False
            continue
        if not within(done + 1, op.start - 1):
            return False
        if isinstance(op, Sub) and not within(done + 1, op.end):
            return False
        done = op.end
    return within(done + 1, lines)


def legal_programs(rules: Rules) -> set[tuple[Op, ...]]:
    """Every program these rules lead through."""

    def behind(state: State) -> Iterator[tuple[Op, ...]]:
        options = rules.options(state)
        assert options, f"dead end at {state}"
        assert ("copy" in options) == bool(rules.copy_starts(state))
        if "end" in options:
            yield ()
        if "copy" in options:
            for start in rules.copy_starts(state):
                ends = rules.copy_ends(state, start)
                assert ends, f"no end for a copy from {start} at {state}"
                for end in itertools.chain(*ends):
                    yield from (
                        (Copy(start, end), *rest) for rest in behind(rules.after_copy(state, start, end))
                    )
        if "gen" in options:
            for text in GENS if rules.may_drop_eol(state) else GENS[:1]:
                after = rules.after_gen(state, not text.endswith("\n"))
                yield from ((Gen(text), *rest) for rest in behind(after))
        if "sub" in options:
            for start in rules.sub_starts(state):
                for sub in subs_from(rules.lines, start):
                    if sub.end <= rules.sub_limit(start):
                        yield from ((sub, *rest) for rest in behind(rules.after_sub(state, sub.end)))

    return {ops for ops in behind(rules.start()) if sum(isinstance(op, Gen) for op in ops) <= 3}


def valid(ops: tuple[Op, ...], views: list[str]) -> bool:
    try:
        Program(ops).validate(views)
    except ProgramError:
        return False
    return True


PAGES = [
    pytest.param(lines, ending, marks=[pytest.mark.slow] if lines > 3 else [])
    for lines in range(5)
    for ending in ("inside", "terminated", "unterminated")
    if lines or ending != "unterminated"
]


@pytest.mark.parametrize(("lines", "ending"), PAGES)
def test_rules_equal_brute_force(lines: int, ending: str) -> None:
    at_end, unterminated = ending != "inside", ending == "unterminated"
    views = page(lines, unterminated)
    programs = [ops for ops in every_program(lines) if valid(ops, views)]
    scopes = every_scope(lines)
    for scope in scopes if lines < 4 else scopes[::9]:
        rules = Rules(lines, scope, unterminated, at_end)
        expected = {ops for ops in programs if in_scope(ops, lines, scope, at_end)}
        assert legal_programs(rules) == expected
        for kind in (Gen, Sub):
            fewer = Rules(lines, scope, unterminated, at_end, gen=kind is not Gen, sub=kind is not Sub)
            without = {ops for ops in expected if not any(isinstance(op, kind) for op in ops)}
            assert legal_programs(fewer) == without
        for ops in programs[:: max(1, len(programs) // 300)]:
            assert (violation(rules, Program(ops), views) is None) == (ops in expected)


def test_spans_are_enumerated_in_order() -> None:
    rules = Rules(4, ((2, 3),), at_end=False)
    assert spans(rules, rules.start()) == [(1, 1), (1, 2), (1, 3), (1, 4)]
    assert spans(rules, State(1, "copy")) == [(3, 3), (3, 4), (4, 4)]


def test_scope_is_normalised() -> None:
    assert Rules(9, ((5, 6), (1, 2), (3, 2), (9, 8))).scope == ((1, 2), (5, 6), (9, 8))
    assert normalise([(1, 4), (2, 3), (5, 4), (6, 7)]) == ((1, 4), (6, 7))


@pytest.mark.parametrize("scope", [(0, 1), (1, 4), (5, 4), (3, 1)])
def test_a_scope_outside_the_page_is_refused(scope: tuple[int, int]) -> None:
    with pytest.raises(ScopeError):
        Rules(3, (scope,))


def test_a_line_without_old_text_starts_no_sub() -> None:
    rules = Rules(3, ((1, 3),), has_old=lambda line, limit: line == 2 and limit == 3)
    assert rules.sub_starts(rules.start()) == (2,)
    assert "sub" not in rules.options(State(2, "copy"))
    assert "sub" not in Rules(3, ((1, 3),), sub=False).options(State())
