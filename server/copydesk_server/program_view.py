"""Draws a program's result in a terminal, or as plain text: figure 2 of the Copy-as-Decode paper.

Columns: line number, a mark (`=` copied, `+` generated, `~` a sub within the line), the op on its first line, the text. On a
terminal colours say the same; elsewhere carets under a `~` line point at its new characters.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from copydesk.program import Copy, Program
from copydesk.program.provenance import Origin, ResultLine, dropped_lines, op_label, provenance
from copydesk.text.document import terminator
from copydesk_server.printable import printable

_MARK = {Origin.COPIED: "=", Origin.GENERATED: "+", Origin.SUBSTITUTED: "~"}
_STYLE = {Origin.COPIED: "default", Origin.GENERATED: "green", Origin.SUBSTITUTED: "yellow"}
_NEW_IN_SUB = "black on yellow"


def show(
    program: Program, document: str, console: Console | None = None, *, around: int | None = None
) -> None:
    """Print the result of `program` on `document`, line by line; with `around`, only so many lines round what is new or gone.

    Raises ProgramError where it is not legal.
    """
    lines = provenance(program, document)
    wanted = _near_changes(program, lines, around)
    console = console or Console(file=sys.stdout, highlight=False, markup=False, emoji=False)
    labels = [op_label(op) for op in program.ops]
    width = max((len(label) for label in labels), default=0)
    digits = len(str(len(lines)))
    drawn: set[int] = set()
    hidden = False
    for line in lines:
        if line.number not in wanted:
            hidden = True
            continue
        if hidden:
            _print(console, Text(" " * digits + " ⋮", style="dim"))
            hidden = False
        fresh = [op for op in line.ops if op not in drawn]
        drawn.update(fresh)
        label = labels[fresh[0]] if fresh else ""
        gutter = f"{line.number:>{digits}} {_MARK[line.origin]} {label:<{width}} │ "
        row = Text().append(gutter, style="dim").append_text(_drawn(line))
        _print(console, row)
        if line.origin is Origin.SUBSTITUTED and not console.is_terminal:
            carets = _carets(line)
            if carets:
                _print(console, Text(" " * (cell_len(gutter) - 2) + "│ " + carets))
    _print(console, Text(_summary(lines, dropped_lines(program, document)), style="dim"))


def _near_changes(program: Program, lines: Sequence[ResultLine], around: int | None) -> set[int]:
    """The numbers of the result's lines to show: those within `around` of a new line, or of a place where lines are gone."""
    if around is None:
        return {line.number for line in lines}
    places = {line.number for line in lines if line.origin is not Origin.COPIED}
    starts: set[int] = set()
    seen: set[int] = set()
    for line in lines:
        if any(op not in seen and isinstance(program.ops[op], Copy) and op > 0 for op in line.ops):
            starts.add(line.number)
        seen.update(line.ops)
    near = {n + k for n in places for k in range(-around, around + 1)}
    return near | {n + k for n in starts for k in range(-around, around)}


def _drawn(line: ResultLine) -> Text:
    text = Text()
    for segment in line.segments:
        inside_sub = line.origin is Origin.SUBSTITUTED and segment.origin is Origin.GENERATED
        text.append(printable(segment.text), style=_NEW_IN_SUB if inside_sub else _STYLE[line.origin])
    if not terminator(line.text):
        text.append(" (no newline at the end)", style="dim")
    return text


def _carets(line: ResultLine) -> str:
    """A row that points at the generated characters of a line, by terminal cells."""
    row = "".join(
        ("^" if segment.origin is Origin.GENERATED else " ") * cell_len(printable(segment.text))
        for segment in line.segments
    )
    return row.rstrip()


def _summary(lines: list[ResultLine], dropped: list[int]) -> str:
    counts = {origin: sum(line.origin is origin for line in lines) for origin in Origin}
    parts = [f"{counts[origin]} {origin.value}" for origin in Origin]
    return f"{len(lines)} lines: {', '.join(parts)}; {len(dropped)} of the document's own dropped"


def _print(console: Console, row: Text) -> None:
    console.print(row, soft_wrap=True)
