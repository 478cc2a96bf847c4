"""A document brought to a text through random edits and undos, its pages warmed now and then in between.

What a person's typing does to the KV cache, with a known end. Knows the editor's face only.
"""

from __future__ import annotations

from random import Random

from copydesk.editor import Document, Editor
from copydesk.request import EditRequest
from copydesk.text.document import Encoding, Position, content, split_lines

NEAR = 12
"""Lines round the place of interest that are edited."""
NEW = ("", "x", " = None", "# é\n", "a\nb\n", "\n", "    return value\n", "日本", "        ")


def reach_through_edits(
    editor: Editor, name: str, text: str, line: int, rng: Random, edits: int = 3
) -> Document:
    """Open `text`, change it `edits` times near the 1-based `line` and take all of it back in reverse order, so that the document
    says `text` again. Pages are warmed in between, not behind the last undo, and a sampled request is asked now and then.
    """
    document = editor.open(name, text)
    document.look_at(line, line)
    _warm(editor, rng)
    undo = []
    for _ in range(edits):
        undo.append(_change(document, line, rng))
        _warm(editor, rng)
        if rng.random() < 0.25:
            here = min(line, len(document.lines))
            if here:
                document.edit(
                    EditRequest(scope=[(here, here)], temperature=1.0, seed=rng.randrange(1000), max_tokens=4)
                )
    for start, end, old in reversed(undo):
        _warm(editor, rng)
        document.splice(start, end, old, encoding=Encoding.UTF32)
    assert document.text == text
    return document


def _warm(editor: Editor, rng: Random) -> None:
    for _ in range(rng.randrange(3)):
        editor.warm_step()


def _change(document: Document, line: int, rng: Random) -> tuple[Position, Position, str]:
    """Replace up to three lines' worth of text; gives the range of the new text and what it replaced."""
    lines = document.lines.lines
    if not lines:
        first = last = Position(0, 0)
        old = ""
    else:
        low = max(0, min(line - 1 - rng.randrange(NEAR), len(lines) - 1))
        high = min(low + rng.choice((0, 0, 1, 2)), len(lines) - 1)
        begin, end = (rng.randrange(len(content(lines[k])) + 1) for k in (low, high))
        if low == high:
            begin, end = sorted((begin, end))
        first, last = Position(low, begin), Position(high, end)
        taken = "".join(lines[low : high + 1])
        old = taken[begin : len(taken) - (len(lines[high]) - end)]
    new = rng.choice(NEW)
    document.splice(first, last, new, encoding=Encoding.UTF32)
    added = split_lines(new + "|")
    column = len(added[-1]) - 1 + (first.character if len(added) == 1 else 0)
    return first, Position(first.line + len(added) - 1, column), old
