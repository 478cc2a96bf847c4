"""Lines, positions, splices: `document.py` against LSP 3.17 and against the plainest possible implementation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.errors import DocumentError
from copydesk.text.document import (
    Change,
    Position,
    TextEdit,
    TextLines,
    apply_edits,
    localise,
    majority_terminator,
    split_lines,
    terminator,
    view_line,
    view_text,
)
from strategies import ENCODINGS, NOT_BREAKS, lines, positions, texts
from text_offsets import position_at

# ---------------------------------------------------------------------------------------------------------------- lines


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("a", ["a"]),
        ("a\n", ["a\n"]),
        ("\n", ["\n"]),
        ("a\r\nb\rc\n\nd", ["a\r\n", "b\r", "c\n", "\n", "d"]),
        ("\r\r\n\n\r", ["\r", "\r\n", "\n", "\r"]),
        ("\ufeffa\n", ["\ufeffa\n"]),
        ("".join(NOT_BREAKS), ["".join(NOT_BREAKS)]),
    ],
)
def test_lines_break_where_lsp_says(text: str, expected: list[str]) -> None:
    assert split_lines(text) == expected


@given(texts())
def test_lines_join_to_the_text_and_own_their_terminators(text: str) -> None:
    split = split_lines(text)
    assert "".join(split) == text
    assert all(terminator(line) for line in split[:-1])
    assert all(not set(line[: len(line) - len(terminator(line))]) & {"\r", "\n"} for line in split)
    assert view_text(text) == "".join(map(view_line, split))
    assert len(split_lines(view_text(text))) == len(split)


@pytest.mark.parametrize("line", ["\n", "\r\n", "\r", "a\r\n"])
def test_equal_lines_of_a_large_document_of_short_lines_are_one_string(line: str) -> None:
    text = "first\r\n" + line * 60_000 + "last"
    lines = split_lines(text)
    assert lines == ["first\r\n", *[line] * 60_000, "last"]
    assert len(set(map(id, lines))) == 3


# ------------------------------------------------------------------------------------------------------------ positions


def widths(char: str) -> dict[str, int]:
    return {
        "utf-8": len(char.encode("utf-8")),
        "utf-16": len(char.encode("utf-16-le")) // 2,
        "utf-32": 1,
    }


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(texts())
def test_every_offset_has_a_position_and_comes_back(encoding: str, text: str) -> None:
    document = TextLines(text)
    line = character = 0
    for offset in range(len(text) + 1):
        if text[max(0, offset - 1) : offset + 1] == "\r\n":
            # Between \r and \n there is no position: it is the place before both.
            assert document.offset(position_at(document, offset, encoding), encoding) == offset - 1
        else:
            assert position_at(document, offset, encoding) == Position(line, character)
            assert document.offset(Position(line, character), encoding) == offset
        if offset < len(text):
            if text[offset] == "\n" or (text[offset] == "\r" and text[offset + 1 : offset + 2] != "\n"):
                line, character = line + 1, 0
            else:
                character += widths(text[offset])[encoding]
    assert position_at(document, len(text) + 5, encoding) == document.end(encoding)


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(texts(), positions())
def test_any_position_is_clamped_to_the_last_place_not_behind_it(
    encoding: str, text: str, position: Position
) -> None:
    document = TextLines(text)
    clamped = document.clamp(position, encoding)
    legal = {position_at(document, offset, encoding) for offset in range(len(text) + 1)}
    assert clamped in legal
    if position.line >= len(document) and position not in legal:
        assert clamped == document.end(encoding)
    else:
        assert clamped == max(place for place in legal if place.line == position.line and place <= position)


@pytest.mark.parametrize(
    ("encoding", "character", "column"),
    [
        ("utf-16", 1, 1),
        ("utf-16", 2, 1),  # inside the surrogate pair of 😀
        ("utf-16", 3, 2),
        ("utf-16", 4, 3),
        ("utf-16", 9, 3),  # beyond the end: before the terminator
        ("utf-8", 1, 1),
        ("utf-8", 3, 1),
        ("utf-8", 5, 2),
        ("utf-8", 6, 2),  # inside é
        ("utf-8", 7, 3),
        ("utf-32", 2, 2),
        ("utf-32", 3, 3),
        ("utf-32", 4, 3),
    ],
)
def test_characters_are_counted_in_units(encoding: str, character: int, column: int) -> None:
    assert TextLines("a😀é\r\nb").locate(Position(0, character), encoding) == (0, column)


def test_lone_surrogates_are_counted_and_not_refused() -> None:
    document = TextLines("\ud800a\n")
    assert document.locate(Position(0, 1), "utf-16") == (0, 1)
    assert document.locate(Position(0, 3), "utf-8") == (0, 1)


def test_nonsense_has_a_name() -> None:
    document = TextLines("a\n")
    with pytest.raises(DocumentError):
        document.locate(Position(-1, 0))
    with pytest.raises(DocumentError):
        document.locate(Position(0, -1))
    with pytest.raises(DocumentError):
        document.locate(Position(0, 0), "latin-1")
    with pytest.raises(DocumentError):
        document.splice(Position(1, 0), Position(0, 0), "")
    assert document.text == "a\n"


# -------------------------------------------------------------------------------------------------------------- splices


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(texts(), st.lists(st.tuples(positions(), positions(), st.one_of(texts(3), st.just(""))), max_size=8))
def test_splices_equal_splitting_the_whole_text_again(
    encoding: str, text: str, edits: list[tuple[Position, Position, str]]
) -> None:
    document = TextLines(text)
    for one, other, new_text in edits:
        start, end = min(one, other), max(one, other)
        begin, stop = document.offset(start, encoding), document.offset(end, encoding)
        assert document.between(start, end, encoding) == text[begin:stop]
        before = list(document.lines)
        change = document.splice(start, end, new_text, encoding)
        text = text[:begin] + new_text + text[stop:]
        assert document.lines == split_lines(text)
        assert document.text == text
        # The change says exactly which lines were replaced, and is tight.
        old, new = before[change.first : change.old_end], document.lines[change.first :][: change.new_count]
        assert before[: change.first] + new + before[change.old_end :] == document.lines
        assert not old or not new or (old[0] != new[0] and old[-1] != new[-1])


@pytest.mark.parametrize(
    ("text", "start", "end", "new_text", "change"),
    [
        ("a\nb\nc\n", (1, 0), (1, 1), "x", Change(1, 2, 1)),
        ("a\nb\nc\n", (1, 0), (1, 0), "x\n", Change(1, 1, 1)),
        ("a\nb\nc\n", (0, 1), (0, 1), "\n", Change(1, 1, 1)),
        ("a\nb\nc\n", (1, 0), (2, 0), "", Change(1, 2, 0)),
        ("a\nb\nc\n", (3, 0), (3, 0), "d", Change(3, 3, 1)),
        ("a", (0, 1), (0, 1), "\n", Change(0, 1, 1)),
        ("", (0, 0), (0, 0), "a\n\n", Change(0, 0, 2)),
        ("a\n", (0, 0), (9, 9), "", Change(0, 1, 0)),
        ("a\n", (0, 0), (0, 1), "a", Change(1, 1, 0)),
        ("x\rb\n\nc", (1, 0), (2, 0), "", Change(0, 3, 1)),  # \r meets \n
        ("x\r", (1, 0), (1, 0), "\n", Change(0, 1, 1)),
        ("ab\n", (0, 1), (0, 2), "\r", Change(0, 1, 1)),
        ("\nx", (0, 0), (0, 0), "a\r", Change(0, 1, 1)),
    ],
)
def test_a_change_is_tight(
    text: str, start: tuple[int, int], end: tuple[int, int], new_text: str, change: Change
) -> None:
    document = TextLines(text)
    assert document.splice(Position(*start), Position(*end), new_text) == change
    assert document.lines == split_lines(document.text)


def test_a_splice_reads_only_the_lines_it_touches() -> None:
    class Untouchable(str):
        def __eq__(self, other: object) -> bool:
            raise AssertionError("a distant line was looked at")

        __hash__ = str.__hash__

    document = TextLines("a\n" * 50)
    document.lines[:20] = [Untouchable("a\n")] * 20
    document.lines[24:] = [Untouchable("a\n")] * 26
    assert document.splice(Position(21, 0), Position(22, 1), "b\nc") == Change(21, 23, 2)


# ---------------------------------------------------------------------------------------------------------------- edits


def test_edits_apply_at_once_and_inserts_keep_their_order() -> None:
    edits = [
        TextEdit(Position(1, 0), Position(2, 0), "B\n"),
        TextEdit(Position(0, 0), Position(0, 0), "1"),
        TextEdit(Position(0, 0), Position(0, 0), "2"),
        TextEdit(Position(0, 0), Position(0, 1), "A"),
    ]
    assert apply_edits("a\nb\nc", edits) == "12A\nB\nc"


@pytest.mark.parametrize(
    "edits",
    [
        [TextEdit(Position(0, 0), Position(0, 2), ""), TextEdit(Position(0, 1), Position(0, 3), "")],
        [TextEdit(Position(0, 2), Position(0, 1), "")],
    ],
)
def test_edits_that_overlap_are_refused(edits: list[TextEdit]) -> None:
    with pytest.raises(DocumentError):
        apply_edits("abcd", edits)


# ------------------------------------------------------------------------------------------------------------- localise


@pytest.mark.parametrize(
    ("generated", "replaced", "previous", "majority", "expected"),
    [
        ("a\nb\n", ["x\r\n", "y\n"], None, "\r", "a\r\nb\n"),
        ("a\nb\nc\n", ["x\r\n"], "p\n", "\n", "a\r\nb\r\nc\r\n"),
        ("a\nb\n", [], "p\r\n", "\n", "a\r\nb\r\n"),
        ("a\nb\n", [], None, "\r\n", "a\r\nb\r\n"),
        ("a\nb\n", [], "unterminated", "\r\n", "a\r\nb\r\n"),
        ("a\nb", ["x\r"], None, "\n", "a\rb"),
        ("a\n", ["x"], "p\r\n", "\n", "a\r\n"),
        ("\n", ["x\n"], "p\r", "\n", "\r"),  # not \r\n
        ("a\n\n", ["x\r", "y\n"], None, "\n", "a\r\r"),
        ("", ["x\r\n"], None, "\n", ""),
    ],
)
def test_generated_lines_take_the_terminator_of_what_they_replace(
    generated: str, replaced: list[str], previous: str | None, majority: str, expected: str
) -> None:
    assert localise(generated, replaced, previous, majority) == expected


def test_a_localised_text_does_not_swallow_the_line_behind_it() -> None:
    assert localise("a\n", ["x\r"], None, "\n", following="\n") == "a\r\n"
    assert localise("a\n", ["x\r"], None, "\n", following="b\n") == "a\r"


@given(texts(), lines(4), st.one_of(st.none(), st.sampled_from(("p\n", "p\r", "p\r\n"))), lines(2))
def test_localised_text_shows_as_what_was_generated(
    text: str, replaced: str, previous: str | None, rest: str
) -> None:
    generated = view_text(text)
    following = split_lines(rest)[0] if rest and generated.endswith("\n") else None
    exact = localise(generated, split_lines(replaced), previous, "\n", following)
    whole = (previous or "") + exact + (following or "")
    assert view_text(whole) == view_text(previous or "") + generated + view_text(following or "")


def test_majority() -> None:
    assert majority_terminator(["a\r\n", "b\n", "c\r\n", "d"]) == "\r\n"
    assert majority_terminator([]) == "\n"
