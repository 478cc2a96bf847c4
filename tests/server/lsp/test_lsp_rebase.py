"""Edits carried through changes: tables, and the law that nothing is lost and nothing else is touched."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from copydesk.request import Diagnostic, Range, ToolFix
from copydesk.text.document import Change, Encoding, Position, TextEdit, TextLines, apply_edits, split_lines
from copydesk_server.lsp.rebase import move_diagnostic, move_range, move_ranges, overlap, rebase
from text_offsets import position_at


def edit(start: tuple[int, int], end: tuple[int, int], text: str) -> TextEdit:
    return TextEdit(Position(*start), Position(*end), text)


@pytest.mark.parametrize(
    ("lines", "change", "expected"),
    [
        # Above, below, within.
        ((5, 8), Change(0, 0, 3), (8, 11)),
        ((5, 8), Change(0, 2, 0), (3, 6)),
        ((5, 8), Change(9, 12, 1), (5, 8)),
        ((5, 8), Change(5, 6, 1), None),
        ((5, 8), Change(3, 5, 2), None),
        ((5, 8), Change(7, 9, 2), None),
        ((5, 8), Change(0, 20, 20), None),
        # Touching: new lines above push it down, new lines below leave it alone.
        ((5, 8), Change(4, 4, 2), (7, 10)),
        ((5, 8), Change(2, 4, 1), (4, 7)),
        ((5, 8), Change(8, 8, 2), (5, 8)),
        ((5, 8), Change(8, 9, 0), (5, 8)),
        # An insertion point before line 5.
        ((5, 4), Change(4, 4, 1), None),
        ((5, 4), Change(3, 4, 2), (6, 5)),
        ((5, 4), Change(4, 5, 1), (5, 4)),
        ((5, 4), Change(3, 5, 2), None),
        ((1, 0), Change(0, 0, 1), None),
        # A change that changed nothing.
        ((5, 4), Change(4, 4, 0), (5, 4)),
        ((5, 8), Change(5, 5, 0), (5, 8)),
    ],
)
def test_a_range_moves_or_is_met(lines: Range, change: Change, expected: Range | None) -> None:
    assert move_range(lines, [change]) == expected
    assert move_ranges([lines], [change]) == ((expected,) if expected is not None else None)


def test_changes_count_in_each_others_coordinates() -> None:
    assert move_range((5, 5), [Change(0, 0, 10), Change(14, 15, 1)]) is None
    assert move_range((5, 5), [Change(0, 0, 10), Change(4, 5, 1)]) == (15, 15)
    assert move_range((5, 5), [Change(5, 5, 1), Change(0, 4, 0), Change(1, 2, 7)]) == (1, 1)


def test_an_edit_moves_with_its_own_range() -> None:
    edits = (edit((0, 0), (0, 0), "import os\n"), edit((8, 4), (8, 7), "x"))
    moved = rebase(edits, [(1, 0), (9, 9)], [Change(3, 4, 3)])
    assert moved is not None
    assert moved.edits == (edits[0], edit((10, 4), (10, 7), "x"))
    assert moved.scope == ((1, 0), (11, 11))


def test_new_lines_below_do_not_grow_into_an_edit_without_a_line_break() -> None:
    """The last line is replaced by one without terminator; meanwhile somebody writes another line below."""
    edits = [edit((1, 0), (2, 0), "x")]
    assert rebase(edits, [(2, 2)], [Change(2, 2, 1)]) is None
    assert rebase([edit((1, 0), (2, 0), "x\n")], [(2, 2)], [Change(2, 2, 1)]) is not None


def test_an_edit_outside_its_scope_is_bound_to_its_own_lines() -> None:
    edits = [edit((7, 1), (7, 2), "x")]
    assert rebase(edits, [(1, 2)], [Change(7, 8, 1)]) is None
    moved = rebase(edits, [(1, 2)], [Change(4, 4, 1)])
    assert moved is not None
    assert moved.edits == (edit((8, 1), (8, 2), "x"),)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ((1, 3), (3, 5), True),
        ((1, 3), (4, 5), False),
        ((4, 3), (4, 4), True),
        ((4, 3), (4, 3), True),
        ((4, 3), (5, 9), False),
    ],
)
def test_overlap(a: Range, b: Range, expected: bool) -> None:
    assert overlap(a, b) is overlap(b, a) is expected


def test_a_diagnostic_moves_with_its_lines() -> None:
    found = Diagnostic(Position(4, 2), Position(5, 0), "m", "C", "s", 2)
    moved = move_diagnostic(found, [Change(0, 0, 1), Change(6, 7, 2)])
    assert moved == Diagnostic(Position(5, 2), Position(6, 0), "m", "C", "s", 2)
    assert move_diagnostic(found, [Change(4, 5, 1)]) is None
    # Its end lies at the start of line 5, which it does not cover.
    assert move_diagnostic(found, [Change(5, 6, 1)]) == found


def test_what_a_tool_proposes_moves_each_line_with_its_own() -> None:
    def fix(*lines: int) -> ToolFix:
        return ToolFix(tuple(TextEdit(Position(n, 1), Position(n, 2), "x") for n in lines), len(lines) == 1)

    found = Diagnostic(Position(4, 0), Position(4, 3), "m", fixes=(fix(4), fix(1, 4), fix(9)))
    moved = move_diagnostic(found, [Change(0, 0, 1), Change(7, 7, 1)])
    assert moved is not None
    assert moved.fixes == (fix(5), fix(2, 5), fix(11))
    moved = move_diagnostic(found, [Change(1, 2, 1)])
    assert moved is not None
    assert moved.fixes == (fix(4), fix(9)), "one half of a fix is none"
    assert move_diagnostic(found, [Change(20, 21, 1)]) is found


LINE = st.tuples(
    st.sampled_from(("", "a", "bb", "x = 1", "😀é", "\x0c", "\u2028")),
    st.sampled_from(("\n", "\n", "\r\n", "\r")),
).map("".join)
BLOCK = st.lists(LINE, min_size=1, max_size=4)


def test_whole_lines_that_go_are_those_and_none_like_them() -> None:
    """The scope is the third line, which is like the first."""
    mirror = TextLines("x\ny\nx\nz\n")
    change = mirror.splice(Position(0, 0), Position(2, 0), "")
    assert (change, mirror.text) == (Change(0, 2, 0), "x\nz\n")
    moved = rebase([edit((2, 0), (2, 1), "w")], [(3, 3)], [change])
    assert moved is not None
    assert (moved.edits, moved.scope) == ((edit((0, 0), (0, 1), "w"),), ((1, 1),))


@settings(max_examples=60)
@given(st.data())
def test_a_rebased_edit_is_the_engines_text_with_the_changes_outside(data: st.DataObject) -> None:
    """The law. A document is stretches outside of the scope and stretches within, in turn. The engine rewrites those within, the
    person those outside, each as they like; the edits made before and rebased through what the person did give both."""
    encoding = data.draw(st.sampled_from(list(Encoding)))
    parts = [data.draw(BLOCK) for _ in range(2 * data.draw(st.integers(1, 3)) + 1)]
    # A terminator of its own: what is written in one stretch cannot become half of a `\r\n` with the next.
    parts = [split_lines("".join(lines[:-1]) + lines[-1].rstrip("\r\n") + ".\n") for lines in parts]
    before = "".join("".join(lines) for lines in parts)
    mirror = TextLines(before)
    assert mirror.lines == [line for lines in parts for line in lines]

    scope: list[Range] = []
    edits: list[TextEdit] = []
    written: list[str] = []
    at = 0
    for number, lines in enumerate(parts):
        if number % 2:
            scope.append((at + 1, at + len(lines)))
            own = TextLines("".join(lines))
            made = data.draw(splice_of(own))
            text = apply_edits(own.text, [made], Encoding.UTF32)
            if text and not text.endswith("\n"):
                made, text = TextEdit(made.start, made.end, made.new_text + "\n"), text + "\n"
                text = apply_edits(own.text, [made], Encoding.UTF32)
            written.append(text)
            start, end = (mirror.position(at + p.line, p.character, encoding) for p in (made.start, made.end))
            edits.append(TextEdit(start, end, made.new_text))
        at += len(lines)
    assert apply_edits(before, edits, encoding) == "".join(
        written[k // 2] if k % 2 else "".join(lines) for k, lines in enumerate(parts)
    )

    outside = ["".join(lines) for lines in parts[::2]]
    inside = ["".join(lines) for lines in parts[1::2]]
    changes: list[Change] = []
    for _ in range(data.draw(st.integers(0, 6))):
        k = data.draw(st.integers(0, len(outside) - 1))
        own = TextLines(outside[k])
        made = data.draw(splice_of(own))
        after = apply_edits(own.text, [made], Encoding.UTF32)
        if after and not after.endswith(".\n"):
            continue  # it would have to grow together with what is behind it, and so meet it
        top = sum(len(split_lines(text)) for text in (*outside[:k], *inside[:k]))
        start, end = (mirror.position(top + p.line, p.character, encoding) for p in (made.start, made.end))
        changes.append(mirror.splice(start, end, made.new_text, encoding))
        outside[k] = after
    assert mirror.text == "".join(interleave(outside, inside))

    moved = rebase(edits, scope, changes)
    assert moved is not None, "no change met the scope"
    assert apply_edits(mirror.text, moved.edits, encoding) == "".join(interleave(outside, written))
    assert [mirror.lines[a - 1 : b] for a, b in moved.scope] == [split_lines(text) for text in inside]


@settings(max_examples=60)
@given(st.data())
@example(None)
def test_a_change_within_is_always_met(data: st.DataObject | None) -> None:
    if data is None:
        assert move_range((1, 1), [Change(0, 1, 1)]) is None
        return
    first = data.draw(st.integers(1, 20))
    lines = (first, data.draw(st.integers(first, 24)))
    changes: list[Change] = []
    now: Range | None = lines
    for _ in range(data.draw(st.integers(0, 5))):
        at = data.draw(st.integers(0, 40))
        changes.append(Change(at, at + data.draw(st.integers(0, 3)), data.draw(st.integers(0, 3))))
        now = move_range(lines, changes)
        if now is None:
            return
    hit = data.draw(st.integers(now[0] - 1, now[1] - 1))
    assert move_range(lines, [*changes, Change(hit, hit + 1, data.draw(st.integers(0, 3)))]) is None


@st.composite
def splice_of(draw: st.DrawFn, lines: TextLines) -> TextEdit:
    """A replacement of some characters, or whole lines, of `lines`, in code points."""
    ends = sorted(draw(st.tuples(st.integers(0, len(lines.text)), st.integers(0, len(lines.text)))))
    start, end = (position_at(lines, offset, Encoding.UTF32) for offset in ends)
    if draw(st.booleans()):
        start, end = Position(start.line, 0), Position(end.line, 0)
    return TextEdit(start, end, draw(st.lists(LINE, max_size=3).map("".join)))


def interleave(outside: list[str], inside: list[str]) -> list[str]:
    return [text for pair in zip(outside, [*inside, ""], strict=True) for text in pair]
