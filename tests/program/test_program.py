"""Programs: print and parse, legality, resolve and edits, against small examples and against each other."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from copydesk.errors import ProgramError, ProgramSyntaxError
from copydesk.program import Copy, Gen, Op, Program, Sub, SubSpan, escape, sub_span, unescape
from copydesk.text.document import Position, TextEdit, apply_edits, split_lines, terminator
from strategies import ENCODINGS, TAGS, lines, texts

# --------------------------------------------------------------------------------------------------------- printed form


def test_the_printed_form() -> None:
    program = Program((Copy(1, 12), Gen("    if x:\n"), Sub(14, 14, "==", "is"), Copy(15, 15), Gen("end")))
    assert str(program) == (
        '<program>\n<copy lines="1-12"/>\n<gen>\n    if x:\n</gen>\n'
        '<sub lines="14-14"><old>==</old><new>is</new></sub>\n<copy lines="15-15"/>\n<gen>\nend</gen>\n</program>\n'
    )
    assert str(Program()) == "<program>\n</program>\n"


def ops() -> st.SearchStrategy[Op]:
    number = st.integers(0, 10**9 - 1)
    return st.one_of(
        st.builds(Copy, number, number),
        st.builds(Gen, texts(6)),
        st.builds(Sub, number, number, texts(4), texts(4)),
    )


@given(st.lists(ops(), max_size=6))
def test_any_program_parses_back(drawn: list[Op]) -> None:
    program = Program(tuple(drawn))
    assert Program.parse(str(program)) == program
    assert Program.parse(str(program), mode="move") == Program(tuple(drawn), "move")


def test_white_space_between_elements_is_free() -> None:
    text = '\r\n<program> <copy lines="1-2"/>\t<gen>\n a\n</gen><copy lines="3-3"/>\r\n</program>  '
    assert Program.parse(text) == Program((Copy(1, 2), Gen(" a\n"), Copy(3, 3)))


@pytest.mark.parametrize(
    ("text", "line", "column", "reason"),
    [
        ("", 1, 1, "<program>"),
        ("<program>\n", 2, 1, "</program>"),
        ('<program>\n<copy lines="1"/>\n</program>\n', 2, 1, "I-J"),
        ('<program>\r\n\r\n  <copy lines="x-2"/>', 3, 3, "I-J"),
        ("<program>\n<gen>x</gen>\n</program>", 2, 6, r"\n"),
        ("<program>\n<gen>\nx\ny", 3, 1, "</gen>"),
        ("<program>\n<gen>\nx\n</old></gen>\n</program>", 4, 1, r"<\/old>"),
        ('<program>\n<sub lines="1-1"><new>', 2, 18, "<old>"),
        ('<program>\n<sub lines="1-1"><old>a</old><new>b</new>\n', 2, 42, "</sub>"),
        ('<program>\n<sub line="1"/>', 2, 1, "I-J"),
        ("<program>\n</program>\nmore", 3, 1, "after"),
        (f'<program>\n<copy lines="1-{"9" * 5000}"/>', 2, 1, "I-J"),
    ],
)
def test_errors_name_line_and_column(text: str, line: int, column: int, reason: str) -> None:
    with pytest.raises(ProgramSyntaxError) as caught:
        Program.parse(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert reason in caught.value.reason
    assert str(caught.value).startswith(f"line {line}, column {column}: ")


@given(texts())
def test_escaping_is_reversible_and_leaves_no_tag(text: str) -> None:
    escaped = escape(text)
    assert unescape(escaped) == text
    assert not any(tag in escaped for tag in ("</gen>", "</sub>", "</old>", "</new>", "<noeol/>"))


@given(texts())
def test_every_text_without_a_raw_tag_is_somebodys_escape(text: str) -> None:
    assume(not any(tag in text for tag in ("</gen>", "</sub>", "</old>", "</new>", "<noeol/>")))
    assert escape(unescape(text)) == text


def test_escape_examples() -> None:
    assert escape("</gen>") == "<\\/gen>"
    assert escape("<\\/gen>") == "<\\\\/gen>"
    assert escape("<noeol/>") == "<\\noeol/>"
    assert escape("<gen> </program> < /gen>") == "<gen> </program> < /gen>"


# ------------------------------------------------------------------------------------------------------------- sub_span


@pytest.mark.parametrize(
    ("text", "start", "old", "expected"),
    [
        ("foo(a)\n", 1, "a", SubSpan(4, 1, 5, False)),
        ("foo(a)\n", 1, "o", None),  # twice
        ("aaa\n", 1, "aa", None),  # twice, overlapping
        ("foo\n", 1, "", None),
        ("foo\n", 1, "x", None),
        ("foo\n", 2, "f", None),
        ("foo\n", 1, "o\n", SubSpan(2, 1, 4, True)),
        ("foo\n", 1, "foo\n", SubSpan(0, 1, 4, True)),
        ("foo", 1, "oo", SubSpan(1, 1, 3, False)),
        ("foo\nbar\n", 1, "\nb", SubSpan(3, 2, 1, False)),
        ("foo\nbar\n", 1, "o\nbar\n", SubSpan(2, 2, 4, True)),
        ("foo\nbar\n", 1, "bar", None),  # begins in another line
        ("a\nb\nc\nd\n", 1, "a\nb\nc\nd", SubSpan(0, 4, 1, False)),
        ("a\nb\nc\nd\ne\n", 1, "a\nb\nc\nd\ne", None),  # five lines
        ("a\nb\nc\nd\ne\n", 1, "a\nb\nc\nd\n", SubSpan(0, 4, 2, True)),
        ("a\n\n\n", 1, "\n", SubSpan(1, 1, 2, True)),
        ("a\n\n\n", 1, "\n\n", SubSpan(1, 2, 1, True)),
        ("a\r\nb\n", 1, "\r\nb", SubSpan(1, 2, 1, False)),
        ("a\r\nb\n", 1, "\r", None),  # would cut \r\n
        ("a\r\nb\n", 1, "\nb", None),
        ("a\nb\r\n", 1, "\nb\r", None),
        ("a\rb", 1, "a\r", SubSpan(0, 1, 2, True)),
    ],
)
def test_sub_span(text: str, start: int, old: str, expected: SubSpan | None) -> None:
    assert sub_span(split_lines(text), start, old) == expected


@given(lines(5), st.data())
def test_sub_span_is_the_definition(text: str, data: st.DataObject) -> None:
    split = split_lines(text)
    assume(split)
    start = data.draw(st.integers(1, len(split)))
    max_lines = data.draw(st.integers(1, 4))
    at = len("".join(split[: start - 1]))
    begin = data.draw(st.integers(at, at + len(split[start - 1]) - 1))
    end = data.draw(st.integers(begin + 1, len(text)))
    old = text[begin:end]
    places = [k for k in range(at, at + len(split[start - 1])) if text.startswith(old, k)]
    cuts = text[begin - 1 : begin + 1] == "\r\n" or text[end - 1 : end + 1] == "\r\n"
    last, rest = start, end - at
    while rest > len(split[last - 1]):
        rest -= len(split[last - 1])
        last += 1
    expected = None
    if len(places) == 1 and not cuts and last - start < max_lines:
        ends_line = rest == len(split[last - 1]) and bool(terminator(split[last - 1]))
        expected = SubSpan(begin - at, last, rest, ends_line)
    assert sub_span(split, start, old, max_lines) == expected


# ------------------------------------------------------------------------------------------------------------- legality

LEGAL = [
    ("", (), ""),
    ("", (Gen("a"),), "a"),
    ("a\nb\n", (), ""),
    ("a\nb\n", (Copy(1, 2),), "a\nb\n"),
    ("a\nb\nc\n", (Copy(1, 1), Copy(3, 3)), "a\nc\n"),
    ("a\nb", (Copy(1, 1), Gen("x")), "a\nx"),
    ("a\nb", (Gen("x\n"), Copy(2, 2)), "x\nb"),
    ("a\nb\n", (Copy(1, 1), Sub(2, 2, "b", "c\nd"), Gen("e")), "a\nc\nd\ne"),
    ("a\nb\n", (Sub(1, 2, "\nb", ""),), "a\n"),
    ("a\nb\n", (Sub(1, 1, "a\n", "x\ny\n"), Copy(2, 2)), "x\ny\nb\n"),
    ("a\nb", (Copy(1, 1), Sub(2, 2, "b", "c")), "a\nc"),
    ("a", (Sub(1, 1, "a", ""),), ""),
    ("a", (Sub(1, 1, "a", "a\n"),), "a\n"),
    ("x\r\nb\r", (Copy(2, 2),), "b\r"),
    ("a\n", (Sub(1, 1, "a", "a"),), "a\n"),
]


@pytest.mark.parametrize(("text", "legal", "expected"), LEGAL)
def test_legal_programs_resolve(text: str, legal: tuple[Op, ...], expected: str) -> None:
    program = Program(legal)
    assert program.resolve(text) == expected
    assert apply_edits(text, program.edits(text)) == expected
    assert Program(legal, "move").resolve(text) == expected


@pytest.mark.parametrize(
    ("text", "illegal", "reason"),
    [
        ("a\n", (Copy(1, 2),), "op 1: lines 1-2"),
        ("a\n", (Copy(0, 1),), "lines 0-1"),
        ("a\nb\n", (Copy(2, 1),), "lines 2-1"),
        ("a\nb\n", (Copy(2, 2), Copy(1, 1)), "op 2: line 1"),
        ("a\nb\n", (Copy(1, 1), Copy(2, 2)), "continues"),
        ("a\nb\n", (Sub(1, 1, "a", "c"), Copy(1, 2)), "advance"),
        ("a\n", (Gen("x\n"), Gen("y\n")), "gen directly after"),
        ("a\n", (Gen(""),), "empty gen"),
        ("a\n", (Gen("x"), Copy(1, 1)), "without a line break"),
        ("a", (Copy(1, 1), Gen("x\n")), "without a line break"),
        ("a", (Sub(1, 1, "a", "b"), Gen("x\n")), "without a line break"),
        ("a", (Sub(1, 1, "a", "b\n"), Gen("x\n")), "unterminated last line"),
        ("a\n", (Sub(1, 1, "x", "b"),), "exactly once"),
        ("aa\n", (Sub(1, 1, "a", "b"),), "exactly once"),
        ("a\nb\n", (Sub(1, 2, "a", "b"),), "ends in line 1"),
        ("a\nb\n", (Sub(1, 1, "\nb", "b"),), "exactly once"),
        ("a\nb\n", (Sub(1, 1, "a\n", "b"), Copy(2, 2)), "line break"),
        ("a\n", (Sub(1, 1, "a\n", ""),), "line break"),
    ],
)
def test_illegal_programs_are_named(text: str, illegal: tuple[Op, ...], reason: str) -> None:
    program = Program(illegal)
    for call in (program.resolve, program.edits, lambda text: program.validate(split_lines(text))):
        with pytest.raises(ProgramError, match=re.escape(reason)):
            call(text)


def test_a_format_bounds_the_lines_of_a_sub() -> None:
    text = "a\nb\nc\n"
    program = Program((Sub(1, 3, "a\nb\nc", "d"),))
    program.validate(split_lines(text), max_lines=3)
    with pytest.raises(ProgramError, match="more than 2"):
        program.validate(split_lines(text), max_lines=2)


# ---------------------------------------------------------------------------------------------------------------- edits


def edit(start: tuple[int, int], end: tuple[int, int], new_text: str) -> TextEdit:
    return TextEdit(Position(*start), Position(*end), new_text)


@pytest.mark.parametrize(
    ("text", "given_ops", "expected"),
    [
        ("a\nb\n", (Copy(1, 2),), []),
        ("a\nb\n", (), [edit((0, 0), (2, 0), "")]),
        ("a\nb", (), [edit((0, 0), (1, 1), "")]),
        ("a\nb\nc\n", (Copy(1, 1), Gen("x\n"), Copy(3, 3)), [edit((1, 0), (2, 0), "x\n")]),
        ("a\nb\nc\n", (Copy(1, 1), Gen("x\n"), Copy(2, 3)), [edit((1, 0), (1, 0), "x\n")]),
        ("a\nb\nc\n", (Copy(1, 1), Copy(3, 3)), [edit((1, 0), (2, 0), "")]),
        ("a\nb\nc\n", (Copy(1, 3), Gen("d")), [edit((3, 0), (3, 0), "d")]),
        ("a\nb", (Copy(1, 1), Gen("c\n")), [edit((1, 0), (1, 1), "c\n")]),
        ("a\nb\n", (Copy(1, 1), Gen("b\n")), []),  # the same text is no edit
        ("a\n😀==b\n", (Copy(1, 1), Sub(2, 2, "==", "is")), [edit((1, 2), (1, 4), "is")]),
        ("a\nb\nc\n", (Sub(1, 1, "a", "x"), Copy(2, 2), Sub(3, 3, "c\n", "y\n")), [
            edit((0, 0), (0, 1), "x"), edit((2, 0), (3, 0), "y\n")
        ]),
        ("a\nb\nc\n", (Sub(1, 1, "a\n", "x\n"), Gen("y\n"), Copy(3, 3)), [edit((0, 0), (2, 0), "x\ny\n")]),
        ("a\nb(\nc)\n", (Copy(1, 1), Sub(2, 3, "\nc", "")), [edit((1, 2), (2, 1), "")]),
    ],
)  # fmt: skip
def test_edits_are_minimal(text: str, given_ops: tuple[Op, ...], expected: list[TextEdit]) -> None:
    assert Program(given_ops).edits(text) == expected


@pytest.mark.parametrize(
    ("text", "given_ops", "expected"),
    [
        (
            "a\nb\nc\nd\n",
            (Copy(3, 3), Copy(1, 2), Copy(4, 4)),
            [edit((0, 0), (0, 0), "c\n"), edit((2, 0), (3, 0), "")],
        ),
        ("a\nb\n", (Copy(1, 2), Copy(1, 2)), [edit((2, 0), (2, 0), "a\nb\n")]),
        ("a\nb\nc\n", (Copy(1, 2), Copy(2, 3)), [edit((2, 0), (2, 0), "b\n")]),
        (
            "a\nb\nc\n",
            (Copy(3, 3), Sub(2, 2, "b", "x")),
            [edit((0, 0), (2, 0), ""), edit((3, 0), (3, 0), "x\n")],
        ),
    ],
)
def test_move_mode_keeps_the_longest_increasing_run(
    text: str, given_ops: tuple[Op, ...], expected: list[TextEdit]
) -> None:
    program = Program(given_ops, "move")
    edits = program.edits(text)
    assert apply_edits(text, edits) == program.resolve(text)
    if isinstance(given_ops[-1], Sub):  # two runs of one line are as long: either may stay
        assert len(edits) == 2
    else:
        assert edits == expected


@st.composite
def programs(draw: st.DrawFn, mode: str) -> tuple[str, Program]:
    """A document and a legal program for it."""
    text = draw(st.one_of(texts(), lines()))
    split = split_lines(text)
    done, drawn = 0, list[Op]()

    def legal(op: Op) -> bool:
        try:
            Program((*drawn, op), mode).validate(split)  # type: ignore[arg-type]
        except ProgramError:
            return False
        return True

    for _ in range(draw(st.integers(0, 6))):
        low = done + 1 if mode == "edit" else 1
        kind = draw(st.sampled_from(("copy", "gen", "sub")))
        op: Op
        if kind == "gen":
            op = Gen(draw(texts(5)))
        elif low > len(split):
            continue
        else:
            start = draw(st.integers(low, len(split)))
            end = draw(st.integers(start, min(len(split), start + 3)))
            op = Copy(start, end)
            if kind == "sub":
                block = "".join(split[start - 1 : end])
                begin = draw(st.integers(0, len(split[start - 1]) - 1))
                stop = draw(st.integers(begin + 1, len(block)))
                span = sub_span(split, start, block[begin:stop])
                if span is None:
                    continue
                op = Sub(
                    start, span.end_line, block[begin:stop], draw(texts(3)) + ("\n" if span.ends_line else "")
                )
        if legal(op):
            drawn.append(op)
            done = done if isinstance(op, Gen) else op.end
    return text, Program(tuple(drawn), mode)  # type: ignore[arg-type]


def assert_edits_are_ordered_and_apart(edits: list[TextEdit]) -> None:
    assert all(one.end < other.start for one, other in pairwise(edits))


def check(text: str, program: Program) -> None:
    result = program.resolve(text)
    assert Program.parse(str(program), program.mode) == program
    for encoding in ENCODINGS:
        edits = program.edits(text, encoding)
        assert apply_edits(text, edits, encoding) == result
        assert_edits_are_ordered_and_apart(edits)
        assert all(
            apply_edits(text, edits[:k] + edits[k + 1 :], encoding) != result for k in range(len(edits))
        )


@given(programs("edit"))
def test_edits_carry_out_the_program(drawn: tuple[str, Program]) -> None:
    check(*drawn)


@given(programs("move"))
def test_edits_carry_out_moves(drawn: tuple[str, Program]) -> None:
    check(*drawn)


def test_large_moves() -> None:
    text = "".join(f"line {k}\n" for k in range(20_000))
    program = Program((Copy(10_001, 20_000), Copy(1, 10_000)), "move")
    edits = program.edits(text)
    assert len(edits) == 2
    assert apply_edits(text, edits) == program.resolve(text)


def test_tags_in_bodies_are_data() -> None:
    body = "".join(tag + "\n" for tag in TAGS)
    program = Program((Gen(body), Sub(1, 1, "</new>", "</old></sub>"), Copy(2, 2)))
    text = "a </new> b\n</gen>\n"
    assert Program.parse(str(program)) == program
    assert Program.parse(str(program)).resolve(text) == body + "a </old></sub> b\n</gen>\n"
