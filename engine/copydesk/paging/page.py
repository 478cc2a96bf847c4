"""A page: the numbered lines that one prompt shows, and the conversion of programs between page and document.

A page shows an optional header (import lines), at most one line that stands for the hidden lines after it, and a window of
consecutive lines. Everything it does not show is copied. Page programs use page line numbers and view text, document programs
use document line numbers and exact text. `layout.py` decides which windows a document has.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from copydesk.errors import ProgramError, ScopeError
from copydesk.program import Copy, Gen, Op, Program, Sub, sub_span
from copydesk.request import Range, show_range
from copydesk.text.document import (
    localise,
    majority_terminator,
    split_lines,
    terminator,
    view_line,
    view_text,
)

SKIP_VIEW = "...\n"
"""The text of the skip line. It is never in scope, so no program quotes it."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page of one version of a document.

    `spans[k - 1]` is the 1-based inclusive range of document lines that page line k stands for: one line, except
    for the skip line. `views[k - 1]` is its view text. `skip` is the page number of the skip line.
    `header` counts header lines. `at_end`: the last page line is the document's last (or the document is
    empty). `unterminated`: that line has no terminator. `key` names the page within its layout; None for a
    cold page made for one request.
    """

    key: int | None
    spans: tuple[Range, ...]
    views: tuple[str, ...]
    skip: int | None
    header: int
    at_end: bool
    unterminated: bool

    @classmethod
    def of(
        cls, lines: Sequence[str], window: Range, header: Range | None = None, key: int | None = None
    ) -> Page:
        """The page of `window` (1-based inclusive) over exact `lines`; the part of `header` before the window is
        shown.
        """
        first, last = window
        spans: list[Range] = []
        if header is not None:
            spans += [(n, n) for n in range(header[0], min(header[1], first - 1) + 1)]
        shown, before = len(spans), (spans[-1][1] if spans else 0)
        hidden = first - 1 > before
        views = [view_line(lines[n - 1]) for n, _ in spans]
        if hidden:
            spans.append((before + 1, first - 1))
            views.append(SKIP_VIEW)
        spans += [(n, n) for n in range(first, last + 1)]
        views += map(view_line, lines[first - 1 : last])
        at_end = last == len(lines)
        unterminated = at_end and bool(lines) and not terminator(lines[-1])
        return cls(
            key, tuple(spans), tuple(views), shown + 1 if hidden else None, shown, at_end, unterminated
        )

    def __len__(self) -> int:
        return len(self.spans)

    @property
    def first(self) -> int:
        """The first document line it stands for; lines before it are not shown at all. 1 for an empty
        document.
        """
        return self.spans[0][0] if self.spans else 1

    @property
    def last(self) -> int:
        """The last document line it stands for; lines after it are not shown. 0 for an empty document."""
        return self.spans[-1][1] if self.spans else 0

    # -- lines ---------------------------------------------------------------------------------------------

    def page_line(self, line: int) -> int | None:
        """The page number of document line `line` (1-based), or None where it is hidden."""
        k = bisect_left(self.spans, line, key=lambda span: span[1])
        if k == len(self.spans) or self.spans[k][0] > line or k + 1 == self.skip:
            return None
        return k + 1

    def _boundary(self, line: int) -> int | None:
        """The page line after which text inserted after document line `line` goes (0: before the first), or None."""
        if line == self.first - 1:
            return 0
        k = bisect_left(self.spans, line, key=lambda span: span[1])
        return k + 1 if k < len(self.spans) and self.spans[k][1] == line else None

    def to_page_scope(self, ranges: Sequence[Range]) -> list[Range]:
        """Document ranges as page ranges. Raises ScopeError for a range that the page does not show completely."""
        out: list[Range] = []
        for start, end in ranges:
            if end < start:
                place = self._boundary(end)
                mapped = None if place is None else (place + 1, place)
            else:
                top, bottom = self.page_line(start), self.page_line(end)
                whole = top is not None and bottom is not None and bottom - top == end - start
                mapped = (top, bottom) if top is not None and bottom is not None and whole else None
            if mapped is None:
                raise ScopeError(f"the page does not show {show_range((start, end))}")
            out.append(mapped)
        return out

    def shows(self, ranges: Sequence[Range]) -> bool:
        """Whether every range is shown completely."""
        try:
            self.to_page_scope(ranges)
        except ScopeError:
            return False
        return True

    # -- programs ------------------------------------------------------------------------------------------

    def to_document(self, program: Program, lines: Sequence[str]) -> Program:
        """A legal page program as a program over the document's exact `lines`.

        Copies include the hidden lines; new text takes the terminators of the lines it replaces.
        """
        return _ToDocument(self, lines).convert(program)

    def from_document(self, program: Program, lines: Sequence[str]) -> Program:
        """The inverse: a program over the exact `lines` as a page program.

        Raises ScopeError where it changes something the page does not show, ProgramError for a sub that splits
        a terminator.
        """
        ops: list[Op] = []
        done = 0  # document lines consumed so far
        for op in program.ops:
            match op:
                case Copy(start, end):
                    self._deletable(done + 1, start - 1)
                    done = end
                    top = bisect_left(self.spans, start, key=lambda span: span[1])
                    bottom = bisect_left(self.spans, end + 1, key=lambda span: span[0]) - 1
                    if top > bottom:
                        continue  # wholly before or after the page
                    if self.spans[top][0] < start or self.spans[bottom][1] > end:
                        raise ScopeError(f"the program changes lines hidden between {start} and {end}")
                    ops.append(Copy(top + 1, bottom + 1))
                case Gen(text):
                    if self._boundary(done) is None:
                        raise ScopeError(
                            f"the program writes after line {done}, which the page does not show"
                        )
                    ops.append(Gen(view_text(text)))
                case Sub(start, end, old, new):
                    self._deletable(done + 1, start - 1)
                    (mapped,) = self.to_page_scope([(start, end)])
                    found = sub_span(lines, start, old, max_lines=end - start + 1)
                    if found is None:
                        raise ProgramError(f"{old!r} is no legal old text at line {start}")
                    ops.append(Sub(*mapped, view_text(old), view_text(new)))
                    done = end
        self._deletable(done + 1, len(lines))
        return Program(tuple(ops))

    def _deletable(self, start: int, end: int) -> None:
        if start <= end:
            self.to_page_scope([(start, end)])


class _ToDocument:
    """One conversion; `out` holds the ops so far, `tail` the exact last line of the result so far."""

    def __init__(self, page: Page, lines: Sequence[str]) -> None:
        self.page, self.lines = page, lines
        self.out: list[Op] = []
        self.tail: str | None = None

    def convert(self, program: Program) -> Program:
        page, done = self.page, 0  # page lines consumed so far
        self._copy(1, page.first - 1)
        for k, op in enumerate(program.ops):
            match op:
                case Copy(start, end):
                    self._copy(page.spans[start - 1][0], page.spans[end - 1][1])
                    done = end
                case Gen(text):
                    following = program.ops[k + 1] if k + 1 < len(program.ops) else None
                    stop = following.start if isinstance(following, Copy | Sub) else len(page) + 1
                    self._gen(text, done, stop)
                case Sub(start, end):
                    self._sub(op)
                    done = end
        self._copy(page.last + 1, len(self.lines))
        return Program(tuple(self.out))

    def _copy(self, start: int, end: int) -> None:
        if start > end:
            return
        previous = self.out[-1] if self.out else None
        if isinstance(previous, Copy) and previous.end == start - 1:
            self.out[-1] = Copy(previous.start, end)
        else:
            self.out.append(Copy(start, end))
        self.tail = self.lines[end - 1]

    def _gen(self, text: str, done: int, stop: int) -> None:
        """New text in place of the page lines done+1 .. stop-1."""
        page = self.page
        begin = page.spans[done][0] if done < len(page) else page.last + 1
        end = page.spans[stop - 1][0] if stop <= len(page) else page.last + 1
        exact = self._localise(text, self.lines[begin - 1 : end - 1], self._line(end))
        self.out.append(Gen(exact))
        self.tail = split_lines(exact)[-1]

    def _localise(self, text: str, replaced: Sequence[str], following: str | None) -> str:
        # Counting terminators reads the whole document: only needed where no line before has one.
        majority = (terminator(self.tail) if self.tail else "") or majority_terminator(self.lines)
        return localise(text, replaced, self.tail, majority, following)

    def _line(self, number: int) -> str | None:
        return self.lines[number - 1] if number <= len(self.lines) else None

    def _sub(self, op: Sub) -> None:
        """A sub's lines are consecutive document lines: the skip line is never in scope."""
        found = sub_span(self.page.views, op.start, op.old, max_lines=max(1, op.end - op.start + 1))
        if found is None or found.end_line != op.end:
            raise ProgramError(f"{op.old!r} is no legal old text at page line {op.start}")
        start, end = self.page.spans[op.start - 1][0], self.page.spans[op.end - 1][0]
        replaced = self.lines[start - 1 : end]
        head = replaced[0][: found.offset]
        # Offsets in the content are the same in both domains; only a terminator may be longer in the exact text.
        whole = found.end_offset == len(self.page.views[op.end - 1])
        rest = "" if whole else replaced[-1][found.end_offset :]
        text = "".join(replaced)
        old = text[len(head) : len(text) - len(rest)]
        # The head is localised with the new text, so that `localise` sees the lines as they will be.
        new = self._localise(head + op.new, replaced, rest or self._line(end + 1))[len(head) :]
        if new == old:
            self._copy(start, end)
            return
        self.out.append(Sub(start, end, old, new))
        result = split_lines(head + new + rest)
        if result:
            self.tail = result[-1]
