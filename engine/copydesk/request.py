"""What is asked of the engine: where it may write, why, and how to sample.

Knows line numbers, not text: whether a scope fits a document is decided by `normalise_scope`, what a scope is
when the request names none by `quickfixes/scope.py`. Knows nothing of pages, tokens or models; a deadline and a cancel
flag belong to the call, not to the request.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from copydesk.errors import RequestError, ScopeError
from copydesk.text.document import Position, TextEdit

Range = tuple[int, int]
"""1-based inclusive lines; (k, k - 1) is the insertion point before line k."""


@dataclass(frozen=True, slots=True)
class ToolFix:
    """A fix that a tool proposes for its own finding: edits of the text the finding is about, in code points (utf-32).

    safe: whether the tool vouches that the code means the same afterwards.
    """

    edits: tuple[TextEdit, ...]
    safe: bool = False


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A finding of a tool. Lines are 0-based, characters are code points (utf-32); severity as in LSP (1
    error .. 4 hint).
    """

    start: Position
    end: Position
    message: str
    code: str | None = None
    source: str | None = None
    severity: int = 1
    fixes: tuple[ToolFix, ...] = ()
    """What a tool proposes against it. These are the first candidates: one that the page can express is taken, and where there
    are several the model chooses.
    """
    imports: tuple[str, ...] = ()
    """Import statements by which other files of the project bind the name that is missing, the most usual first."""

    def __post_init__(self) -> None:
        if min(self.start.line, self.start.character, self.end.line, self.end.character) < 0:
            raise RequestError("a diagnostic's positions must not be negative")
        if (self.end.line, self.end.character) < (self.start.line, self.start.character):
            raise RequestError("a diagnostic must not end before it starts")
        if not 1 <= self.severity <= 4:
            raise RequestError(f"severity is 1 to 4, not {self.severity}")

    @property
    def by_ruff(self) -> bool:
        """Whether ruff said it, in whichever client's words."""
        return self.source is not None and self.source.lower() in ("ruff", "copydesk-ruff")

    @property
    def lines(self) -> Range:
        """The 1-based lines it covers; an end at the start of a line does not cover that line."""
        last = self.end.line
        if self.end.character == 0 and last > self.start.line:
            last -= 1
        return self.start.line + 1, last + 1


@dataclass(frozen=True, slots=True)
class EditRequest:
    """One edit of one document. Raises ScopeError on ranges that fit no document, RequestError on other
    values out of range.

    `scope` lists 1-based inclusive document lines, (k, k - 1) for an insertion point; None leaves it to the
    default policies. At most one of `choices` (the new text is one of these) and `lark` (a Lark grammar of
    the new text) narrows what is written; without them a diagnostic or an instruction does where it
    settles the text (`narrowing.py`), unless `narrow` is off; an instruction does not without `phrases`.
    `hold_python` holds what is written freely into Python to the layer that no parser forgives (`pushdown/python`).
    `schemas` holds JSON documents to the shipped schema for files of their name, if there is one.
    Where the model chooses among candidates and none is likely enough, it is unsure and refuses, unless `take_likeliest` is on.
    With `candidates` above 1 the result names so many different edits, the most probable ones; `temperature` and `top_p` have no
    say then. `temperature` 0 is greedy. `max_tokens` bounds the program's generated tokens.
    """

    scope: Sequence[Range] | None = None
    diagnostics: Sequence[Diagnostic] = ()
    instruction: str | None = None
    choices: Sequence[str] | None = None
    lark: str | None = None
    narrow: bool = True
    phrases: bool = True
    hold_python: bool = False
    schemas: bool = True
    take_likeliest: bool = False
    temperature: float = 0.0
    top_p: float = 1.0
    seed: int = 0
    candidates: int = 1
    max_tokens: int = 1024

    def __post_init__(self) -> None:
        # Tuples, so that a request is a value: a caller's list may change while the request waits.
        if self.scope is not None:
            object.__setattr__(self, "scope", tuple(_checked(self.scope)))
        object.__setattr__(self, "diagnostics", tuple(self.diagnostics))
        if self.choices is not None:
            object.__setattr__(self, "choices", tuple(self.choices))
            if not self.choices:
                raise RequestError("choices must not be empty")
        if self.choices is not None and self.lark is not None:
            raise RequestError("choices and lark exclude each other")
        if not 0.0 <= self.temperature <= 100.0:  # NaN fails too
            raise RequestError(f"temperature must be between 0 and 100, not {self.temperature}")
        if not 0.0 < self.top_p <= 1.0:
            raise RequestError(f"top_p must be above 0 and at most 1, not {self.top_p}")
        if self.candidates < 1:
            raise RequestError(f"candidates must be at least 1, not {self.candidates}")
        if self.max_tokens < 1:
            raise RequestError(f"max_tokens must be at least 1, not {self.max_tokens}")


def normalise_scope(ranges: Iterable[Range], line_count: int) -> list[Range]:
    """`ranges` sorted, disjoint, and merged where they touch (next start <= previous end + 1), for a document
    of `line_count` lines.

    Touching ranges lose nothing by merging: a range takes new text at both of its ends. Raises ScopeError,
    naming the range that is outside the document.
    """
    merged: list[Range] = []
    for start, end in sorted(_checked(ranges)):
        if end > line_count or start > line_count + 1:
            raise ScopeError(
                f"the scope {show_range((start, end))} is outside the document, which has {line_count} lines"
            )
        if merged and start <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def show_range(lines: Range) -> str:
    """A range in words."""
    start, end = lines
    if end < start:
        return f"before line {start}"
    return f"line {start}" if start == end else f"lines {start}-{end}"


def _checked(ranges: Iterable[Range]) -> Iterable[Range]:
    for start, end in ranges:
        if start < 1:
            raise ScopeError(f"lines are counted from 1, so a scope cannot start at {start}")
        if end < start - 1:
            raise ScopeError(f"the scope {start}-{end} ends before it starts")
        yield start, end
