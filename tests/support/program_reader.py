"""A program back from its tokens: the inverse of `Codec.encode_program`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from copydesk.errors import ProgramError
from copydesk.program import Copy, Gen, Op, Program, Sub, sub_span
from copydesk.prompting.codec import Codec, Ids


def read_program(
    codec: Codec, ids: Sequence[int], views: Sequence[str], lines: Sequence[Ids], *, open_end: bool
) -> Program:
    """The program that `ids` spell on a page. Raises ProgramError where they spell none."""
    return _Reader(codec, tuple(ids), views, lines, open_end).program()


class _Reader:
    """Reads a token stream back, literal by literal."""

    def __init__(
        self, codec: Codec, ids: Ids, views: Sequence[str], lines: Sequence[Ids], open_end: bool
    ) -> None:
        self.codec, self.ids, self.views, self.lines, self.open_end = codec, ids, views, lines, open_end
        self.at = 0

    def program(self) -> Program:
        lit, ops = self.codec.literals, list[Op]()
        while not self._take(lit.end):
            if self._take(lit.copy_open):
                start = self._number(self.codec.copy_start)
                end = self._number(self.codec.copy_end)
                if end < len(self.lines) or self.open_end:
                    self._expect(tuple(self.codec.span(self.lines, start, end)))
                ops.append(Copy(start, end))
            elif self._take(lit.gen_open):
                ops.append(Gen(self.codec.read_body(self._until(lit.gen_close))))
            elif self._take(lit.sub_open):
                start = self._number(self.codec.sub_start)
                old = self.codec.vocabulary.decode(self._until(lit.sub_to))
                new = self.codec.read_fragment(self._until(lit.sub_close))
                found = sub_span(self.views, start, old, max_lines=self.codec.format.sub_lines)
                if found is None:
                    raise ProgramError(f"{old!r} is no legal old text at line {start}")
                ops.append(Sub(start, found.end_line, old, new))
            else:
                raise ProgramError(f"no op at token {self.at}")
        return Program(tuple(ops))

    def _take(self, literal: Ids) -> bool:
        hit = self.ids[self.at : self.at + len(literal)] == literal
        self.at += len(literal) if hit else 0
        return hit

    def _expect(self, literal: Ids) -> None:
        if not self._take(literal):
            raise ProgramError(f"the copied span does not follow its copy at token {self.at}")

    def _number(self, spell: Callable[[int], Ids]) -> int:
        for n in range(1, len(self.lines) + 1):
            if self._take(spell(n)):
                return n
        raise ProgramError(f"no line number at token {self.at}")

    def _until(self, close: Ids) -> Ids:
        for k in range(self.at, len(self.ids) - len(close) + 1):
            if self.ids[k : k + len(close)] == close:
                body, self.at = self.ids[self.at : k], k + len(close)
                return body
        raise ProgramError("a body is never closed")
