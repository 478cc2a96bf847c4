"""From a legal program to the edits that carry it out.

The edits come from the program's own ranges, never from a comparison of texts. The program must have passed `Program.validate`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from copydesk.program.ops import Copy, Gen, Op, Sub
from copydesk.program.sub import sub_span
from copydesk.text.document import Encoding, TextEdit, TextLines


@dataclass(slots=True)
class _Hunk:
    """Replace from (line, column) to (line, column), 0-based, columns in code points."""

    start: tuple[int, int]
    end: tuple[int, int]
    text: str


def program_edits(
    ops: Sequence[Op], document: TextLines, moves: bool, encoding: Encoding | str
) -> list[TextEdit]:
    """Ordered edits that neither overlap nor touch; those that would change nothing are left out.

    With `moves`, copies may repeat or go back: the longest increasing sequence of lines stays in place (the first such
    sequence if there are several), and everything else is inserted as text.
    """
    kept = _longest_increasing(ops, document.lines) if moves else list(ops)
    edits: list[TextEdit] = []
    for hunk in _joined(_hunks(kept, document)):
        start = document.position(*hunk.start, encoding)
        end = document.position(*hunk.end, encoding)
        if document.between(start, end, encoding) != hunk.text:
            edits.append(TextEdit(start, end, hunk.text))
    return edits


def _hunks(ops: Sequence[Op], document: TextLines) -> Iterator[_Hunk]:
    """The differences between the document and the result, in order; `ops` advance strictly."""
    lines = document.lines
    document_end = document.end(Encoding.UTF32)

    def behind(count: int) -> tuple[int, int]:
        return (count, 0) if count < len(lines) else (document_end.line, document_end.character)

    done = 0  # lines consumed
    pending = ""
    for op in ops:
        if isinstance(op, Gen):
            pending += op.text
            continue
        if pending or op.start - 1 > done:
            yield _Hunk(behind(done), behind(op.start - 1), pending)
        pending, done = "", op.end
        if isinstance(op, Sub):
            span = sub_span(lines, op.start, op.old, op.end - op.start + 1)
            assert span is not None  # validated
            end = behind(op.end) if span.ends_line else (op.end - 1, span.end_offset)
            yield _Hunk((op.start - 1, span.offset), end, op.new)
    if pending or done < len(lines):
        yield _Hunk(behind(done), behind(len(lines)), pending)


def _joined(hunks: Iterator[_Hunk]) -> Iterator[_Hunk]:
    last: _Hunk | None = None
    for hunk in hunks:
        if last is not None and last.end == hunk.start:
            last.end, last.text = hunk.end, last.text + hunk.text
            continue
        if last is not None:
            yield last
        last = hunk
    if last is not None:
        yield last


def _longest_increasing(ops: Sequence[Op], lines: Sequence[str]) -> list[Op]:
    """`ops` with every line that cannot stay in place turned into text. A sub stays or goes as a whole.

    Weighted longest increasing subsequence by a Fenwick tree of prefix maxima over line numbers: O(n log n).
    """
    atoms: list[Op] = []
    for op in ops:
        if isinstance(op, Copy):
            atoms.extend(Copy(line, line) for line in range(op.start, op.end + 1))
        else:
            atoms.append(op)
    # tree[k]: the best (weight, -atom index) of a sequence whose last line lies in the range of node k
    tree: list[tuple[int, int]] = [(0, 1)] * (len(lines) + 1)
    back: list[int] = [-1] * len(atoms)
    for index, atom in enumerate(atoms):
        if isinstance(atom, Gen):
            continue
        best = (0, 1)
        at = atom.start - 1
        while at > 0:
            best = max(best, tree[at])
            at -= at & -at
        back[index] = -best[1] if best[0] else -1
        entry = (best[0] + atom.end - atom.start + 1, -index)
        at = atom.end
        while at <= len(lines):
            tree[at] = max(tree[at], entry)
            at += at & -at
    at, best = len(lines), (0, 1)
    while at > 0:
        best = max(best, tree[at])
        at -= at & -at
    stays: set[int] = set()
    index = -best[1] if best[0] else -1
    while index >= 0:
        stays.add(index)
        index = back[index]
    return [
        atom if index in stays or isinstance(atom, Gen) else Gen(op_text(atom, lines))
        for index, atom in enumerate(atoms)
    ]


def op_text(op: Op, lines: Sequence[str]) -> str:
    """The text that an op produces from the document's `lines`. The op must be legal for them."""
    if isinstance(op, Gen):
        return op.text
    if isinstance(op, Copy):
        return "".join(lines[op.start - 1 : op.end])
    span = sub_span(lines, op.start, op.old, op.end - op.start + 1)
    assert span is not None  # validated
    return lines[op.start - 1][: span.offset] + op.new + lines[op.end - 1][span.end_offset :]
