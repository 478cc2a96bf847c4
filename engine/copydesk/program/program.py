"""Copy/gen programs: what they are, when they are legal, and what text they produce.

A program is a tuple of ops over the 1-based lines of a document, in exact text or in view text (see `text/document.py`). The
printed form is in `text.py`, the edits are in `edits.py`.

In edit mode, which grammars decode, copies and subs strictly advance, and the lines before, between and after them are deleted
(an empty program deletes everything). In move mode copies and subs may repeat or go back. In both modes two contiguous copies in
a row, two gens in a row and empty gens are illegal, and text without a terminator may only be the end of the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from copydesk.errors import ProgramError
from copydesk.program.edits import op_text, program_edits
from copydesk.program.ops import Copy, Gen, Op
from copydesk.program.sub import sub_span
from copydesk.program.text import parse_ops, print_ops
from copydesk.text.document import Encoding, TextEdit, TextLines, split_lines, terminator

Mode: TypeAlias = Literal["edit", "move"]


@dataclass(frozen=True, slots=True)
class Program:
    """A sequence of ops. The constructor checks nothing; `validate` checks it against a document's lines."""

    ops: tuple[Op, ...] = ()
    mode: Mode = "edit"

    @classmethod
    def parse(cls, text: str, mode: Mode = "edit") -> Program:
        """Read the printed form; `parse(str(program), program.mode) == program`.

        Raises ProgramSyntaxError naming line and column. The mode is not part of the printed form.
        """
        return cls(parse_ops(text), mode)

    def __str__(self) -> str:
        return print_ops(self.ops)

    def validate(self, lines: Sequence[str], max_lines: int | None = None) -> None:
        """Raises ProgramError, naming the op, where the program is not legal for `lines`.

        `max_lines` bounds the lines of one sub: an edit format has such a bound, a program as such has none.
        """
        done = 0
        previous: Op | None = None
        for number, op in enumerate(self.ops, 1):
            last = number == len(self.ops)
            try:
                terminated, sealed = _check_text(op, lines, max_lines)
                self._check_order(op, previous, done)
            except ProgramError as error:
                raise ProgramError(f"op {number}: {error}") from None
            if not last and not terminated:
                raise ProgramError(f"op {number}: text without a line break may only end the result")
            if not last and sealed and self.mode == "edit":
                raise ProgramError(f"op {number}: nothing may follow the document's unterminated last line")
            done = done if isinstance(op, Gen) else op.end
            previous = op

    def resolve(self, text: str) -> str:
        """The edited text, byte-exact. Raises ProgramError where the program is not legal for `text`."""
        lines = split_lines(text)
        self.validate(lines)
        return "".join(op_text(op, lines) for op in self.ops)

    def edits(self, text: str, encoding: Encoding | str = Encoding.UTF16) -> list[TextEdit]:
        """The edits that turn `text` into `resolve(text)`: ordered, non-overlapping, and as few as the
        program allows.

        They come from the program, never from a diff. A sub edits only its old characters; a gap and the gen next
        to it are one replacement; edits that touch are joined; a replacement by the same text is left out, so a
        program that copies everything yields []. In move mode the longest increasing run of
        lines stays in place. Raises ProgramError where the program is not legal for `text`.
        """
        document = TextLines(text)
        self.validate(document.lines)
        return program_edits(self.ops, document, self.mode == "move", encoding)

    def _check_order(self, op: Op, previous: Op | None, done: int) -> None:
        if isinstance(op, Gen):
            if isinstance(previous, Gen):
                raise ProgramError("a gen directly after a gen")
            return
        if self.mode == "edit" and op.start <= done:
            raise ProgramError(f"line {op.start} comes after line {done}: copies and subs must advance")
        if isinstance(op, Copy) and isinstance(previous, Copy) and op.start == previous.end + 1:
            raise ProgramError(f"copy {op.start}-{op.end} continues the copy before it")


def _check_text(op: Op, lines: Sequence[str], max_lines: int | None) -> tuple[bool, bool]:
    """Whether the op's text ends in a terminator, and whether it used an unterminated last line."""
    if isinstance(op, Gen):
        if not op.text:
            raise ProgramError("an empty gen")
        return bool(terminator(op.text)), False
    if not 1 <= op.start <= op.end <= len(lines):
        raise ProgramError(f"lines {op.start}-{op.end} of a document of {len(lines)} lines")
    sealed = op.end == len(lines) and not terminator(lines[-1])
    if isinstance(op, Copy):
        return not sealed, sealed
    if max_lines is not None and op.end - op.start >= max_lines:
        raise ProgramError(f"a sub over more than {max_lines} lines")
    span = sub_span(lines, op.start, op.old, op.end - op.start + 1)
    if span is None:
        raise ProgramError(f"{op.old!r} does not occur exactly once from line {op.start} to line {op.end}")
    if span.end_line != op.end:
        raise ProgramError(f"{op.old!r} ends in line {span.end_line}, not {op.end}")
    if span.ends_line and not terminator(op.new):
        raise ProgramError("the old text ends its line and the new text does not end with a line break")
    rest = lines[op.end - 1][span.end_offset :] or op.new or lines[op.start - 1][: span.offset]
    return bool(terminator(rest)), sealed
