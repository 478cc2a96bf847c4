"""What an editor can show as ghost text: one piece of text put in on the cursor's line, at the cursor or behind it.

An edit is more general than that. What takes a character away, or stands before the cursor or on another line, cannot be shown
there; VS Code hides such an item, and Neovim draws it over what it would replace. Pure functions of texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from copydesk.text.document import (
    Encoding,
    Position,
    TextEdit,
    TextLines,
    apply_edits,
    content,
    view_text,
)

MOST_LINES = 64
"""Edits that reach further are not looked at: they are not one insertion."""


@dataclass(frozen=True, slots=True)
class Insertion:
    """`text` replaces the characters from `start` to `end` of line `line`, and has all of them in it: text is only put in. Lines
    are 0-based, columns in code points, line breaks of the text line feeds.
    """

    line: int
    start: int
    end: int
    text: str


def insertion(
    lines: TextLines, edits: Sequence[TextEdit], encoding: Encoding, line: int, column: int
) -> Insertion | None:
    """`edits` as one insertion into line `line` at `column` or behind it; None where they are anything else, or put in no more
    than white space. The edits fit the document.
    """
    if not edits or line >= len(lines):
        return None
    first = min(line, *(edit.start.line for edit in edits))
    last = max(line, *(edit.end.line for edit in edits))
    if last - first >= MOST_LINES:
        return None
    before = "".join(lines.lines[first : last + 1])
    after = apply_edits(before, [_up(edit, first) for edit in edits], encoding)
    begin = sum(map(len, lines.lines[first:line]))
    end = begin + len(content(lines.lines[line]))
    at = min(_common_start(before, after), end)
    size = len(after) - len(before)
    # A piece of text may be put in at several places with one result. The last of them on the line is where an editor draws it
    # right: nothing of it stands there already.
    if at < begin + column or after[at + size :] != before[at:]:
        return None
    text = view_text(after[at : at + size])
    if not text.strip() or ("\n" in text and at != end):
        return None
    return Insertion(line, at - begin, at - begin, text)


def extending(lines: TextLines, put_in: Insertion, start: int, end: int, selected: str) -> Insertion | None:
    """The same as a replacement of columns `start` to `end`, and of what else it takes, by a text that goes on from `selected`:
    what a list of completions would put there. None where it does not go on from it.
    """
    line = content(lines.lines[put_in.line])
    stop = max(end, put_in.start)
    if not start <= put_in.start <= stop <= len(line):
        return None
    text = line[start : put_in.start] + put_in.text + line[put_in.start : stop]
    if not text.startswith(selected) or text == selected:
        return None
    return Insertion(put_in.line, start, stop, text)


def _common_start(before: str, after: str) -> int:
    for index, (old, new) in enumerate(zip(before, after, strict=False)):
        if old != new:
            return index
    return min(len(before), len(after))


def _up(edit: TextEdit, by: int) -> TextEdit:
    start, end = edit.start, edit.end
    return TextEdit(
        Position(start.line - by, start.character), Position(end.line - by, end.character), edit.new_text
    )
