"""The oracle against brute force on tiny texts, against itself on larger ones, and on HumanEvalFix."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copydesk.errors import ProgramError, ScopeError
from copydesk.oracle import CodeCost, Cost, oracle, oracle_program, program_tokens, subs, windows
from copydesk.program import Copy, Gen, Op, Program, Sub, sub_span
from copydesk.text.document import apply_edits, content, split_lines, terminator, view_line
from humaneval import humaneval_cases
from strategies import ENCODINGS, pairs


@dataclass(frozen=True)
class CharCost:
    """Every character is a token; the frames cost what the test says."""

    copy_cost: int = 3
    gen_cost: int = 2
    sub_cost: int = 4

    def line_tokens(self, line: str) -> Sequence[str]:
        return list(line)

    def text_cost(self, text: str) -> int:
        return len(text)


def assert_olds_are_own_tokens(program: Program, before: str, cost: Cost) -> None:
    lines = split_lines(before)
    for op in program.ops:
        if not isinstance(op, Sub):
            continue
        span = sub_span(lines, op.start, op.old)
        assert span is not None
        for line, offset in ((lines[op.start - 1], span.offset), (lines[op.end - 1], span.end_offset)):
            places, at = [0], 0
            for token in cost.line_tokens(view_line(line)):
                at += len(token)
                places.append(at)
            assert offset in places[:-1] or offset == len(line)


def check(before: str, after: str, cost: Cost | None = None, *, subs: bool = True) -> Program:
    """What holds of every oracle program."""
    program = oracle_program(before, after, subs=subs, cost=cost)
    assert program.mode == "edit"
    assert program.resolve(before) == after
    assert Program.parse(str(program)) == program
    assert Program.parse(str(program)).resolve(before) == after
    for encoding in ENCODINGS:
        assert apply_edits(before, program.edits(before, encoding), encoding) == after
    assert_olds_are_own_tokens(program, before, cost or CodeCost())
    assert subs or not any(isinstance(op, Sub) for op in program.ops)
    return program


# ------------------------------------------------------------------------------------------------------------- examples

PYTHON = "import os\n\n\ndef mean(values):\n    total = 0\n    for v in values:\n        total =+ v\n    return total / len(v)\n"


@pytest.mark.parametrize(
    ("before", "after", "ops"),
    [
        ("", "", ()),
        ("", "a\n", (Gen("a\n"),)),
        ("a\nb\n", "", ()),
        (PYTHON, PYTHON, (Copy(1, 8),)),
        (PYTHON, PYTHON.replace("=+", "+="), (Copy(1, 6), Sub(7, 7, "=+", "+="), Copy(8, 8))),
        (PYTHON, PYTHON.replace("len(v)", "len(values)"), (Copy(1, 7), Sub(8, 8, "v", "values"))),
        (PYTHON, PYTHON.replace("import os\n", ""), (Copy(2, 8),)),
        (PYTHON, PYTHON.replace("values:", "values if v:"), (Copy(1, 5), Sub(6, 6, " values", " values if v"), Copy(7, 8))),
        (PYTHON, PYTHON.replace("= 0\n    for", "= 0  # sum\n    for"), (Copy(1, 4), Sub(5, 5, "0", "0  # sum"), Copy(6, 8))),
    ],
)  # fmt: skip
def test_examples(before: str, after: str, ops: tuple[Op, ...]) -> None:
    program = check(before, after)
    if any(isinstance(op, Sub) for op in ops):
        # The anchor is the tokenizer's business; that it is one small sub in the right line is not.
        assert [type(op) for op in program.ops] == [type(op) for op in ops]
        assert [op for op in program.ops if not isinstance(op, Sub)] == [
            op for op in ops if not isinstance(op, Sub)
        ]
    else:
        assert program.ops == ops


@pytest.mark.parametrize(
    ("before", "after", "sub"),
    [
        # An insertion takes one token of left anchor, then one of right.
        ("if alpha beta gamma delta == 1\n", "if alpha beta gamma delta == 1:\n", Sub(1, 1, "1", "1:")),
        (
            "alpha beta gamma delta epsilon\n",
            "alpha beta gamma not delta epsilon\n",
            Sub(1, 1, " gamma", " gamma not"),
        ),
        # Not unique with the left anchor alone, nor with one on each side.
        ("f(x, x, beta, gamma, delta)\n", "f(x, x + 1, beta, gamma, delta)\n", Sub(1, 1, " x", " x + 1")),
        ("a,b,c,d,a,b,e,f,g\n", "a,b,c,d,a,b!,e,f,g\n", Sub(1, 1, ",e", "!,e")),
        # A new terminator is a change like any other.
        ("alpha beta gamma delta epsilon\r\n", "alpha beta gamma delta epsilon\n", Sub(1, 1, "\r\n", "\n")),
        (
            "alpha(beta, gamma,\n    delta, epsilon, zeta)\n",
            "alpha(beta, gamma, delta, epsilon, zeta)\n",
            None,
        ),
    ],
)
def test_subs_take_the_smallest_unique_run(before: str, after: str, sub: Sub | None) -> None:
    program = check(before, after)
    (op,) = program.ops
    assert isinstance(op, Sub)
    if sub is not None:
        assert (op.start, op.end) == (sub.start, sub.end)
        assert len(CodeCost().line_tokens(op.old)) == len(CodeCost().line_tokens(sub.old))
        assert program_tokens(program, before) == program_tokens(Program((sub,)), before)


def test_program_tokens() -> None:
    program = Program((Copy(1, 3), Gen("a = 1\n"), Sub(7, 7, "=+", "+=")))
    # copy 3; gen 2 + "a", " ", "=", " ", "1", "\n"; sub 4 + "=", "+" + "+="
    assert program_tokens(program, PYTHON) == 3 + 2 + 6 + 4 + 2 + 1


# ---------------------------------------------------------------------------------------------------------- brute force


def merged(scope: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    ranges: list[tuple[int, int]] = []
    for start, end in sorted(scope):
        if ranges and start <= ranges[-1][1] + 1:
            ranges[-1] = (ranges[-1][0], max(end, ranges[-1][1]))
        else:
            ranges.append((start, end))
    return ranges


def brute_force(
    before: str, after: str, cost: Cost, *, subs: bool, scope: list[tuple[int, int]] | None
) -> tuple[int, int] | None:
    """(tokens, ops) of a shortest program, by trying every legal op everywhere; tokens are characters."""
    lines = split_lines(before)
    count = len(lines)
    unterminated = bool(lines) and not terminator(lines[-1])
    ranges = [(1, count)] if scope is None else merged(scope)

    def gap(p: int, i: int) -> bool:
        return p + 1 == i or any(s <= p + 1 and i - 1 <= e for s, e in ranges)

    @cache
    def best(p: int, at: int, previous: str) -> tuple[int, int] | None:
        options: list[tuple[int, int]] = []
        if at == len(after) and gap(p, count + 1):
            options.append((0, 0))
        if previous != "sealed":
            for tokens, done, reached, kind in moves(p, at, previous):
                rest = best(done, reached, kind)
                if rest is not None:
                    options.append((tokens + rest[0], 1 + rest[1]))
        return min(options, default=None)

    def step(tokens: int, done: int, at: int, text: str, kind: str) -> list[tuple[int, int, int, str]]:
        if not after.startswith(text, at):
            return []
        if (unterminated and done == count and kind != "gen") or not terminator(text):
            kind = "sealed"
        return [(tokens, done, at + len(text), kind)]

    def moves(p: int, at: int, previous: str) -> list[tuple[int, int, int, str]]:
        found: list[tuple[int, int, int, str]] = []
        for i in range(p + 1, count + 1):
            if not gap(p, i):
                continue
            for j in range(i, count + 1):
                if previous != "copy" or i > p + 1:
                    found += step(cost.copy_cost, j, at, "".join(lines[i - 1 : j]), "copy")
            if not subs or not any(s <= p + 1 and i <= e for s, e in ranges):
                continue
            start = len("".join(lines[: i - 1]))
            for begin in range(start, start + len(lines[i - 1])):
                for end in range(begin + 1, len(before) + 1):
                    old = before[begin:end]
                    span = sub_span(lines, i, old)
                    if span is None or not any(s <= p + 1 and span.end_line <= e for s, e in ranges):
                        continue
                    head, tail = before[start:begin], lines[span.end_line - 1][span.end_offset :]
                    for stop in range(at + len(head), len(after) + 1):
                        new = after[at + len(head) : stop]
                        if span.ends_line and not terminator(new):
                            continue
                        found += step(
                            cost.sub_cost + len(old) + len(new), span.end_line, at, head + new + tail, "sub"
                        )
        if previous != "gen" and any(s - 1 <= p <= e for s, e in ranges):
            for stop in range(at + 1, len(after) + 1):
                # Text that cuts a \r\n is legal and never shorter than the whole lines.
                found += step(cost.gen_cost + stop - at, p, at, after[at:stop], "gen")
        return found

    return best(0, 0, "start")


def short_text(draw: st.DrawFn, breaks: tuple[str, ...], most: int) -> str:
    body = draw(st.lists(st.tuples(st.text("ab", max_size=3), st.sampled_from(breaks)), max_size=most))
    return "".join(map("".join, body)) + draw(st.sampled_from(("", "", "a", "ba")))


@st.composite
def tiny(draw: st.DrawFn) -> tuple[str, str]:
    before = short_text(draw, ("\n",), 3)
    after = short_text(draw, ("\n",), 2)
    if draw(st.booleans()):
        at = draw(st.integers(0, len(before)))
        after = (
            before[:at]
            + draw(st.text("ab\n", max_size=2))
            + before[min(len(before), at + draw(st.integers(0, 2))) :]
        )
    return before, after


frames = st.one_of(
    st.just(CharCost()), st.builds(CharCost, st.integers(1, 6), st.integers(1, 5), st.integers(1, 6))
)


@given(tiny(), frames, st.booleans())
@settings(max_examples=150)
def test_nothing_is_shorter(texts: tuple[str, str], cost: CharCost, subs: bool) -> None:
    before, after = texts
    program = check(before, after, cost, subs=subs)
    assert (program_tokens(program, before, cost), len(program.ops)) == brute_force(
        before, after, cost, subs=subs, scope=None
    )


@given(tiny(), frames, st.data())
@settings(max_examples=150)
def test_nothing_is_shorter_in_a_scope(texts: tuple[str, str], cost: CharCost, data: st.DataObject) -> None:
    before, after = texts
    count = len(split_lines(before))
    start = st.integers(1, count + 1)
    scope = [
        (s, data.draw(st.integers(s - 1, count)))
        for s in data.draw(st.lists(start, max_size=2))
    ]  # fmt: skip
    expected = brute_force(before, after, cost, subs=True, scope=scope)
    if expected is None:
        with pytest.raises(ProgramError):
            oracle_program(before, after, cost=cost, scope=scope)
        return
    program = oracle_program(before, after, cost=cost, scope=scope)
    assert program.resolve(before) == after
    assert (program_tokens(program, before, cost), len(program.ops)) == expected


# ----------------------------------------------------------------------------------------------------------- round trip


@given(pairs(), st.booleans())
@settings(max_examples=300)
def test_round_trip_on_any_text(texts: tuple[str, str], subs: bool) -> None:
    check(*texts, subs=subs)


@given(pairs())
def test_round_trip_when_narrowed(texts: tuple[str, str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(windows, "EXACT_CELLS", 1)
        patch.setattr(windows, "_ANCHOR_CELLS", 4)
        patch.setattr(windows, "_TILE_CELLS", 9)
        check(*texts)


def test_round_trip_on_humaneval_fix() -> None:
    cases = humaneval_cases()
    assert len(cases) == 328
    for case in cases:
        with_subs = check(case.before, case.after)
        without = check(case.before, case.after, subs=False)
        assert program_tokens(with_subs, case.before) <= program_tokens(without, case.before), case.name
        crlf = check(case.before.replace("\n", "\r\n"), case.after.replace("\n", "\r\n"))
        assert program_tokens(crlf, case.before.replace("\n", "\r\n")) == program_tokens(
            with_subs, case.before
        )


def test_narrowing_loses_nothing_on_humaneval_fix() -> None:
    for case in humaneval_cases():
        with pytest.MonkeyPatch.context() as patch:
            for module, name in ((windows, "EXACT_CELLS"), (oracle, "EXACT_CELLS"), (subs, "_EXACT_CELLS")):
                patch.setattr(module, name, 2_500)
            exact = oracle_program(case.before, case.after)
            patch.setattr(windows, "EXACT_CELLS", 1)
            narrowed = oracle_program(case.before, case.after)
        assert program_tokens(narrowed, case.before) == program_tokens(exact, case.before), case.name


# ---------------------------------------------------------------------------------------------------------------- scope


def test_changes_outside_the_scope_are_refused() -> None:
    with pytest.raises(ProgramError, match="outside"):
        oracle_program(PYTHON, PYTHON.replace("=+", "+="), scope=[(1, 3)])
    with pytest.raises(ProgramError, match="outside"):
        oracle_program("a\nb\n", "a\n", scope=[])
    assert oracle_program("a\nb\n", "a\nb\n", scope=[]).ops == (Copy(1, 2),)


def test_an_insertion_point_takes_new_lines_and_no_deletion() -> None:
    program = oracle_program("a\nb\nc\n", "a\nx\nb\nc\n", scope=[(2, 1)])
    assert program.ops == (Copy(1, 1), Gen("x\n"), Copy(2, 3))
    with pytest.raises(ProgramError):
        oracle_program("a\nb\nc\n", "a\nx\nc\n", scope=[(2, 1)])


@pytest.mark.parametrize("scope", [[(0, 1)], [(3, 1)], [(1, 9)], [(5, 4)]])
def test_a_scope_must_fit(scope: list[tuple[int, int]]) -> None:
    with pytest.raises(ScopeError):
        oracle_program("a\nb\n", "a\nb\n", scope=scope)


def test_an_anchor_in_the_wrong_place_is_taken_back() -> None:
    # What lies between the two ranges fits in two places, and only one of them leaves a path.
    filler = "".join(f"line {k}\n" for k in range(60))
    before = "p\n" + filler + "q\n" + "m\n" + "r\n"
    after = "p2\n" + "m\n" + filler + "m\n" + "m\n" + "r2\n"
    program = oracle_program(before, after, scope=[(1, 62), (64, 64)])
    assert program.resolve(before) == after


# ---------------------------------------------------------------------------------------------------------------- speed


def code(lines: int, seed: int) -> list[str]:
    rng = random.Random(seed)
    words = ("value", "total", "self", "items", "key", "index", "result")
    made: list[str] = []
    for k in range(lines):
        kind = rng.random()
        if kind < 0.15:
            made.append("\n")
        elif kind < 0.25:
            made.append("        return None\n")
        else:
            made.append(
                f"    {rng.choice(words)}_{rng.randrange(lines)} = {rng.choice(words)}({k}, {rng.choice(words)})\n"
            )
    return made


@pytest.mark.parametrize("edits", [1, 40, 400])
def test_five_thousand_lines(edits: int) -> None:
    rng = random.Random(edits)
    old = code(5_000, 0)
    new = list(old)
    for _ in range(edits):
        at = rng.randrange(len(new))
        match rng.randrange(3):
            case 0:
                new[at] = content(new[at]) + "  # noted\n"
            case 1:
                del new[at : at + rng.randrange(1, 4)]
            case _:
                new[at:at] = code(rng.randrange(1, 4), at)
    before, after = "".join(old), "".join(new)
    program = oracle_program(before, after)
    assert program.resolve(before) == after
    written = sum(len(op.text) for op in program.ops if isinstance(op, Gen))
    assert written <= edits * 200


def test_texts_without_anything_in_common() -> None:
    before, after = "".join(code(3_000, 1)), "".join(code(3_000, 2))
    assert oracle_program(before, after).resolve(before) == after
    repeated, other = "x\n" * 3_000, "y\n" + "x\n" * 2_990 + "y\n"
    program = oracle_program(repeated, other)
    assert program.resolve(repeated) == other
    assert program_tokens(program, repeated) < 100


@pytest.mark.parametrize(
    "change", [lambda line: line[:-4], lambda line: line + "0,", lambda line: "1," + line]
)
def test_one_very_long_periodic_line(change: Callable[[str], str]) -> None:
    line = "0," * 20_000
    check(line + "\n", change(line) + "\n")
