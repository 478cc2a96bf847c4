"""Provenance: every line of a result knows the op that made it, and the lines concatenate to the result."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.errors import ProgramError
from copydesk.oracle import oracle_program
from copydesk.program import Copy, Gen, Program, Sub
from copydesk.program.provenance import Origin, ResultLine, dropped_lines, provenance
from copydesk.text.document import split_lines

LETTER = {Origin.COPIED: "=", Origin.GENERATED: "+", Origin.SUBSTITUTED: "~"}


def picture(lines: list[ResultLine]) -> list[str]:
    """`=` copied, `+` generated, `~` a sub with its new text in brackets; the ops behind each."""
    return [
        LETTER[line.origin]
        + ",".join(map(str, line.ops))
        + " "
        + "".join(
            f"[{segment.text}]"
            if line.origin is Origin.SUBSTITUTED and segment.origin is Origin.GENERATED
            else segment.text
            for segment in line.segments
        )
        for line in lines
    ]


def check(before: str, ops: list[Copy | Gen | Sub], expected: list[str]) -> None:
    program = Program(tuple(ops))
    lines = provenance(program, before)
    assert picture(lines) == expected
    assert "".join(line.text for line in lines) == program.resolve(before)


def test_copies_and_gens() -> None:
    check(
        "a\nb\nc\n",
        [Copy(1, 1), Gen("x\ny\n"), Copy(3, 3)],
        ["=0 a\n", "+1 x\n", "+1 y\n", "=2 c\n"],
    )


def test_a_sub_marks_its_new_characters_alone() -> None:
    check("a = 1\nb = 2\n", [Copy(1, 1), Sub(2, 2, "2", "22")], ["=0 a = 1\n", "~1 b = [22]\n"])


def test_a_sub_over_two_lines_makes_one() -> None:
    check("f(a,\n  b)\n", [Sub(1, 2, ",\n  b", "")], ["~0 f(a)\n"])


def test_a_sub_that_adds_lines() -> None:
    check("f(a, b)\n", [Sub(1, 1, ", b", ",\n  c,\n  b")], ["~0 f(a[,\n]", "~0 [  c,\n]", "~0 [  b])\n"])


def test_a_missing_final_newline() -> None:
    check("a\nb", [Gen("x\n"), Copy(2, 2)], ["+0 x\n", "=1 b"])


def test_nothing_at_all() -> None:
    check("a\nb\n", [], [])
    assert dropped_lines(Program(()), "a\nb\n") == [1, 2]


def test_dropped_lines_are_those_no_op_takes_up() -> None:
    before = "a\nb\nc\nd\n"
    assert dropped_lines(Program((Copy(1, 1), Gen("x\n"), Sub(3, 3, "c", "C"))), before) == [2, 4]


def test_moved_lines_keep_their_op() -> None:
    program = Program((Copy(2, 2), Copy(1, 2)), mode="move")
    assert picture(provenance(program, "a\nb\n")) == ["=0 b\n", "=1 a\n", "=1 b\n"]


def test_an_illegal_program_is_refused() -> None:
    with pytest.raises(ProgramError):
        provenance(Program((Copy(1, 3),)), "a\n")


PIECES = st.sampled_from(["a", "b = 1", "", "é\U0001f600", "\x0c", "</gen>", "x" * 9, "\ufeff"])
TEXTS = st.lists(st.tuples(PIECES, st.sampled_from(["\n", "\r\n", "\r"])), max_size=8).flatmap(
    lambda lines: st.sampled_from(["", "tail"]).map(lambda last: "".join(a + b for a, b in lines) + last)
)


@given(before=TEXTS, after=TEXTS, subs=st.booleans())
def test_lines_are_the_result_and_copied_text_is_the_documents(before: str, after: str, subs: bool) -> None:
    program = oracle_program(before, after, subs=subs)
    lines = provenance(program, before)
    assert [line.text for line in lines] == split_lines(after)
    assert [line.number for line in lines] == list(range(1, len(lines) + 1))
    generated = "".join(s.text for line in lines for s in line.segments if s.origin is Origin.GENERATED)
    written = "".join(
        op.text if isinstance(op, Gen) else op.new for op in program.ops if not isinstance(op, Copy)
    )
    assert generated == written
