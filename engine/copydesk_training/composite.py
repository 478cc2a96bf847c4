"""Several defects in one document: examples of one clean text, put together so that they can share a page.

Each example has put some lines of the clean text in another way (its hunk; none for an instruction or for code with nothing to
fix) and says what the request needs: the lines it points at and those the way back changes. Examples go into one document where
no hunk comes near what another example needs, so every request means there what it meant alone. Knows lines and requests;
nothing of Python, pages or tokens.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from copydesk.request import EditRequest
from copydesk.text.document import Position, split_lines
from copydesk_training.defects.registry import KINDS
from copydesk_training.example import Example

MARGIN = 3
"""Unchanged lines between a hunk and whatever another example needs, at least."""

Lines = tuple[int, int]
"""0-based lines, half open."""

_ALL: Lines = (0, 1 << 30)


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines `start..end` of one text are `new` in another."""

    start: int
    end: int
    new: tuple[str, ...]

    @property
    def growth(self) -> int:
        return len(self.new) - (self.end - self.start)

    @classmethod
    def between(cls, one: Sequence[str], other: Sequence[str]) -> Hunk | None:
        """From the first line in which two texts differ to the last; None where they are equal."""
        most = min(len(one), len(other))
        head = next((k for k in range(most) if one[k] != other[k]), most)
        if head == len(one) == len(other):
            return None
        most -= head
        tail = next((k for k in range(most) if one[-1 - k] != other[-1 - k]), most)
        return cls(head, len(one) - tail, tuple(other[head : len(other) - tail]))


@dataclass(frozen=True, slots=True)
class _Part:
    """One example over the clean text: `put` makes its `before` of the clean lines, `fix` its `after` of `before`.

    needs: the clean lines, in ranges, that no other hunk may come near.
    """

    example: Example
    put: Hunk | None
    fix: Hunk | None
    needs: list[Lines]
    breaks: bool

    @classmethod
    def of(cls, clean: Sequence[str], example: Example) -> _Part:
        before = split_lines(example.before)
        put = Hunk.between(clean, before)
        fix = Hunk.between(before, split_lines(example.after))
        needs = [_clean_lines(put, lines) for lines in _asked(example)]
        if put is not None:
            needs.append((put.start, put.end))
        if fix is not None:
            needs.append(_clean_lines(put, (fix.start, fix.end)))
        return cls(example, put, fix, needs, put is not None and KINDS[example.kind].breaks)


@dataclass(slots=True)
class _Document:
    """The parts of one composite so far; `hunks` are theirs, in the order of the text."""

    parts: list[_Part] = field(default_factory=list)
    hunks: list[Hunk] = field(default_factory=list)
    needs: list[Lines] = field(default_factory=list)
    broken: list[int] = field(default_factory=list)

    def takes(self, part: _Part, apart: int) -> bool:
        if part.breaks and part.put and any(abs(part.put.start - line) < apart for line in self.broken):
            return False
        if any(_near((hunk.start, hunk.end), lines) for hunk in self.hunks for lines in part.needs):
            return False
        put = (part.put.start, part.put.end) if part.put is not None else None
        return put is None or not any(_near(put, lines) for lines in self.needs)

    def add(self, part: _Part) -> None:
        self.parts.append(part)
        if part.put is not None:
            if part.breaks:
                self.broken.append(part.put.start)
            self.hunks.append(part.put)
            self.hunks.sort(key=lambda hunk: hunk.start)
        self.needs += part.needs


def composites(
    text: str, examples: Sequence[Example], apart: int, most: int = 1 << 30
) -> tuple[list[list[Example]], list[Example]]:
    """The examples, drawn from `text`, as at most `most` documents, and those that none of them takes.

    Examples of one list have the same `before`. Each goes into the first document that takes it. Two hunks that do not parse are
    at least `apart` lines from each other: as many as a page has, so that none shows both. Where line terminators are not the
    text's own, an example stays alone.
    """
    clean = split_lines(text)
    documents: list[_Document] = []
    alone: list[list[Example]] = []
    parts: list[_Part] = []
    left: list[Example] = []
    for example in examples:
        if "\r" in example.before:
            alone.append([example])
        else:
            parts.append(_Part.of(clean, example))
    # What finds a place least easily comes first, so that it is not crowded out: text that does not parse is kept apart, imports
    # share one block. A request for the whole text leaves no room for any hunk, so it comes last.
    for part in sorted(
        parts, key=lambda part: (part.needs[:1] == [_ALL], not part.breaks, not _imports(part))
    ):
        document = next((d for d in documents if d.takes(part, apart)), None)
        if document is None and len(documents) < most:
            document = _Document()
            documents.append(document)
        if document is None:
            left.append(part.example)
        else:
            document.add(part)
    return [_composed(clean, document) for document in documents] + alone, left


def _imports(part: _Part) -> bool:
    return part.example.kind == "missing_import"


def _composed(clean: Sequence[str], document: _Document) -> list[Example]:
    """The document of all hunks, and each part as an example over it."""
    lines: list[str] = []
    at = 0
    for hunk in document.hunks:
        lines += clean[at : hunk.start]
        lines += hunk.new
        at = hunk.end
    lines += clean[at:]
    before = "".join(lines)
    starts = [hunk.start for hunk in document.hunks]
    grown = list(accumulate((hunk.growth for hunk in document.hunks), initial=0))
    out: list[Example] = []
    for part in document.parts:

        def shift(line: int, part: _Part = part) -> int:
            """How much farther down a line of the part's own text is in the composite: by the other hunks above it."""
            place = _clean_lines(part.put, (line, line + 1))[0]
            own = part.put.growth if part.put is not None and part.put.start < place else 0
            return grown[bisect_left(starts, place)] - own

        after = before
        if part.fix is not None:
            start, end = part.fix.start, part.fix.end
            by = shift(start)
            after = "".join((*lines[: start + by], *part.fix.new, *lines[end + by :]))
        request = part.example.request
        out.append(replace(part.example, before=before, after=after, request=_shifted(request, shift)))
    return out


def _shifted(request: EditRequest, shift: Callable[[int], int]) -> EditRequest:
    def moved(position: Position, by: int) -> Position:
        return Position(position.line + by, position.character)

    diagnostics = []
    for d in request.diagnostics:
        by = shift(d.start.line)
        diagnostics.append(replace(d, start=moved(d.start, by), end=moved(d.end, by)))
    scope = request.scope
    if scope is not None:
        scope = [(first + shift(first - 1), last + shift(first - 1)) for first, last in scope]
    return replace(request, diagnostics=diagnostics, scope=scope)


def _asked(example: Example) -> list[Lines]:
    """The lines a request points at; all of them where it points at none.

    An instruction that says what to do is not about what else is in the function it is given for.
    """
    request = example.request
    found = [(first - 1, last) for first, last in (d.lines for d in request.diagnostics)]
    if not KINDS[example.kind].instruction:
        found += [(first - 1, last) for first, last in request.scope or ()]
        return found or [_ALL]
    return found


def _clean_lines(put: Hunk | None, lines: Lines) -> Lines:
    """The clean lines that `lines` of a text with the hunk `put` come from; lines of the hunk from all that it replaces."""
    if put is None:
        return lines
    start, end = lines
    behind = put.start + len(put.new)
    low = start if start <= put.start else put.start if start < behind else start - put.growth
    high = end if end <= put.start else put.end if end <= behind else end - put.growth
    return low, max(low, high)


def _near(a: Lines, b: Lines) -> bool:
    """Whether fewer than `MARGIN` lines lie between."""
    return a[0] - b[1] < MARGIN and b[0] - a[1] < MARGIN
