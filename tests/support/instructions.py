"""Texts as instructions make them that say all themselves."""

from __future__ import annotations

from collections.abc import Sequence

from copydesk.refactorings.phrases import instruction_edits
from copydesk.request import Range
from copydesk.syntax.tree import parse
from copydesk.text.document import split_lines
from copydesk.text.line_edit import LineEdit


def told(instruction: str, source: str, scope: Sequence[Range] = ()) -> str | None:
    """The text afterwards; None where it is the model's. scope: all lines by default."""
    lines = split_lines(source)
    tree = parse(lines, "python")
    assert tree is not None
    way = instruction_edits(instruction, lines, scope or [(1, len(lines))], tree)
    if way is None:
        return None
    for exchange in reversed(way):
        assert isinstance(exchange, LineEdit)
        lines[exchange.first - 1 : exchange.last] = [exchange.text]
    return "".join(lines)
