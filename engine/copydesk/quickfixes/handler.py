"""The interface of a quick fix: what a handler is given, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from tree_sitter import Tree

from copydesk.quickfixes.kinds import DiagnosticKind
from copydesk.quickfixes.replacement import Replacement
from copydesk.request import Diagnostic, Range
from copydesk.syntax.fragment import error_line, statement_at
from copydesk.text.document import content, indent_step, view_text
from copydesk.text.line_edit import LineEdit

MOST_CANDIDATES = 40
"""Changes of one line that one diagnostic may have."""
MOST_PARSED = 6000
"""Lines of a document that is parsed to check an edit."""
MOST_REWRITTEN = 4
"""Flagged lines that are rewritten one by one."""


@dataclass(frozen=True, slots=True)
class FixContext:
    """One diagnostic in its document.

    tree: the document's, or None for a language without a grammar. header_lines: lines of the import block that may change, 0 for
    all. scope: where the request may write, sorted; None while that is still being decided.
    """

    diagnostic: Diagnostic
    kind: DiagnosticKind | None
    lines: Sequence[str]
    language: str
    tree: Tree | None
    header_lines: int
    scope: Sequence[Range] | None = None

    def within(self, scope: Sequence[Range]) -> FixContext:
        """The same with the scope that has been decided."""
        return replace(self, scope=scope)

    def in_scope(self, first: int, last: int) -> bool:
        """Whether lines `first` to `last` lie in one range of the scope."""
        return self.scope is None or any(begin <= first and last <= end for begin, end in self.scope)

    def statement(self) -> str:
        """The text of the statements that the flagged lines are in. The diagnostic lies in the document."""
        first, last = self.diagnostic.lines
        return statement_at(self.lines, first - 1, min(last, len(self.lines)) - 1)

    def indent_step(self) -> str:
        """One step of indentation."""
        return indent_step(self.lines)

    def flagged(self) -> list[str]:
        """The flagged lines without terminators."""
        first, last = self.diagnostic.lines
        return [content(line) for line in self.lines[first - 1 : last]]


@dataclass(frozen=True, slots=True)
class Candidates:
    """Finitely many edits that may fix a diagnostic.

    edits: each an edit of the document, its parts apart and from the top down, likeliest first. exhaustive: the fix is one of
    them; otherwise the model may also write its own. within_lines: each changes a part of one line, and is written as one `Sub`.
    """

    edits: tuple[tuple[LineEdit, ...], ...]
    exhaustive: bool = True
    within_lines: bool = False


class Handler(Protocol):
    """One quick fix. Subclasses are stateless; no method raises, and all are asked for Python only, and only where the diagnostic
    begins inside the document.

    kinds: the diagnostics it is asked about. widens_scope: its edits may lie beyond the flagged statement, so the scope takes
    them in, and `candidates` does not depend on the scope.
    """

    kinds: frozenset[DiagnosticKind]
    widens_scope: bool = False

    def candidates(self, context: FixContext) -> Candidates | None:
        """The edits that may fix it; None where they are not finitely many, or nothing is known. By default nothing is."""
        del context
        return None

    def replacement(self, context: FixContext) -> Replacement | None:
        """Where the model writes: what it may write in one place. By default anything."""
        del context
        return None

    def refusal(self, context: FixContext) -> str | None:
        """Why nothing can be offered, in words: the model is not asked then. By default it may always try."""
        del context
        return None

    def still_applies(self, context: FixContext) -> bool:
        """False where the lines show that the diagnostic is out of date; True is the safe answer. By default: while its line is
        there.
        """
        return context.diagnostic.start.line < len(context.lines)


def candidates_of(edits: Iterable[tuple[LineEdit, ...]]) -> Candidates | None:
    """The edits that are not empty; None where none is left."""
    found = tuple(dict.fromkeys(edit for edit in edits if edit))
    return Candidates(found) if found else None


def parsing(context: FixContext, edits: Iterable[tuple[LineEdit, ...]]) -> Iterator[tuple[LineEdit, ...]]:
    """The edits after which the document parses as Python: all of them where it does not parse before, none in a document of more
    than MOST_PARSED lines.
    """
    if len(context.lines) > MOST_PARSED:
        return
    broken = _error(context.lines)
    for edit in edits:
        changed = list(context.lines)
        for part in reversed(edit):
            changed[part.first - 1 : part.last] = [part.text]
        if edit and (broken or not _error(changed)):
            yield edit


def _error(lines: Sequence[str]) -> bool:
    return error_line("".join(map(view_text, lines))) is not None


def line_changes(context: FixContext, changes: Iterable[tuple[int, str]]) -> Candidates | None:
    r"""Lines (1-based) that become another text, without its last terminator: those in the scope, at most MOST_CANDIDATES, that
    change something. `changes` is read no further than needed.
    """
    kept: dict[LineEdit, None] = {}
    for line, text in changes:
        if context.in_scope(line, line) and text != content(context.lines[line - 1]):
            kept.setdefault(LineEdit(line, line, f"{text}\n"))
            if len(kept) == MOST_CANDIDATES:
                break
    return _within_lines(kept)


def rewritten_lines(context: FixContext, rule: Callable[[str], Iterable[str]]) -> Candidates | None:
    """What `rule` makes of each of the first flagged lines (without terminators)."""
    first, last = context.diagnostic.lines
    numbers = range(first, min(last, first + MOST_REWRITTEN - 1, len(context.lines)) + 1)
    return line_changes(
        context, ((number, text) for number in numbers for text in rule(content(context.lines[number - 1])))
    )


def replaced(context: FixContext, found: Replacement | None) -> Candidates | None:
    """The line with each of the replacement's texts; None where an import may be the answer, too."""
    if found is None or found.imports or not context.in_scope(found.line, found.line):
        return None
    text = content(context.lines[found.line - 1])
    head, tail = text[: found.start], text[found.end :]
    edits = (LineEdit(found.line, found.line, f"{head}{new}{tail}\n") for new in found.texts)
    return _within_lines(edits)


def _within_lines(edits: Iterable[LineEdit]) -> Candidates | None:
    found = tuple(dict.fromkeys((edit,) for edit in edits))
    return Candidates(found, within_lines=True) if found else None
