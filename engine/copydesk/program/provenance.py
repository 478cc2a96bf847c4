"""Where every line of a program's result comes from: the data behind figure 2 of the paper (arXiv 2604.18170).

`provenance` is a pure function of program and document; `copydesk program show` draws what it returns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from copydesk.program import Copy, Gen, Op, Program
from copydesk.text.document import split_lines


class Origin(StrEnum):
    """Where text comes from. A segment is copied or generated; a line that has both is substituted."""

    COPIED = "copied"
    GENERATED = "generated"
    SUBSTITUTED = "substituted"


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of one result line. `op` is the 0-based index of the op that made it."""

    text: str
    origin: Origin
    op: int


@dataclass(frozen=True, slots=True)
class ResultLine:
    """One line of the result: its 1-based number, and its segments, which concatenate to its exact text."""

    number: int
    segments: tuple[Segment, ...]
    origin: Origin

    @property
    def text(self) -> str:
        """The line with its terminator."""
        return "".join(segment.text for segment in self.segments)

    @property
    def ops(self) -> tuple[int, ...]:
        """Indices of the ops that made the line, in order; more than one only where ops meet inside a terminator."""
        return tuple(dict.fromkeys(segment.op for segment in self.segments))


def provenance(program: Program, before: str) -> list[ResultLine]:
    """The lines of `program.resolve(before)`, each with the origin of all its characters.

    A line is copied if only copies made it, generated if only gens did, and substituted otherwise. The texts add up to
    the resolved text exactly. Raises ProgramError where the program is not legal for `before`.
    """
    lines = split_lines(before)
    program.validate(lines)
    segments = [
        Segment(text, origin, index)
        for index, op in enumerate(program.ops)
        for text, origin in _parts(op, lines)
        if text
    ]
    return list(_cut(segments, program))


def op_label(op: Op) -> str:
    """An op in a few characters, as a gutter shows it: `copy 1-12`, `gen`, `sub 7`."""
    if isinstance(op, Gen):
        return "gen"
    kind = "copy" if isinstance(op, Copy) else "sub"
    return f"{kind} {op.start}" if op.start == op.end else f"{kind} {op.start}-{op.end}"


def dropped_lines(program: Program, before: str) -> list[int]:
    """1-based numbers of the lines of `before` that no copy or sub uses: those deleted or replaced."""
    used = {
        number
        for op in program.ops
        if not isinstance(op, Gen)
        for number in range(op.start, op.end + 1)
    }  # fmt: skip
    return [number for number in range(1, len(split_lines(before)) + 1) if number not in used]


def _parts(op: Op, lines: list[str]) -> Iterator[tuple[str, Origin]]:
    """What one op writes, in order."""
    if isinstance(op, Gen):
        yield op.text, Origin.GENERATED
        return
    source = "".join(lines[op.start - 1 : op.end])
    if isinstance(op, Copy):
        yield source, Origin.COPIED
        return
    # The first occurrence begins inside the first line and is the only one there: `validate` has checked that.
    at = source.index(op.old)
    yield source[:at], Origin.COPIED
    yield op.new, Origin.GENERATED
    yield source[at + len(op.old) :], Origin.COPIED


def _cut(segments: list[Segment], program: Program) -> Iterator[ResultLine]:
    """Cut the stream of segments at the result's own line breaks: a "\\r" and a "\\n" of two ops may make one."""
    stream = iter(segments)
    text, origin, op = "", Origin.COPIED, 0
    for number, line in enumerate(split_lines("".join(segment.text for segment in segments)), start=1):
        missing, cut = len(line), []
        while missing:
            if not text:
                segment = next(stream)
                text, origin, op = segment.text, segment.origin, segment.op
            piece, text = text[:missing], text[missing:]
            cut.append(Segment(piece, origin, op))
            missing -= len(piece)
        yield ResultLine(number, tuple(cut), _line_origin(cut, program))


def _line_origin(segments: list[Segment], program: Program) -> Origin:
    kinds = {type(program.ops[segment.op]) for segment in segments}
    if kinds == {Copy}:
        return Origin.COPIED
    if kinds == {Gen}:
        return Origin.GENERATED
    return Origin.SUBSTITUTED
