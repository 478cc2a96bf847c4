"""ruff's own fixes for findings that were reported without one: by an editor's ruff, whose fixes stay with the client, or by
another tool that found the same thing.

ruff is run on the text with the rules in question, and a fix is taken over where its finding names the same problem at the same
place. Blocks as ruff does.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from copydesk.quickfixes.kinds import DiagnosticKind, classify
from copydesk.request import Diagnostic
from copydesk_server.errors import RuffError
from copydesk_server.ruff import Ruff

RULES: dict[DiagnosticKind, tuple[str, ...]] = {
    DiagnosticKind.UNUSED_IMPORT: ("F401",),
    DiagnosticKind.UNUSED_VARIABLE: ("F841",),
    DiagnosticKind.UNUSED_LOOP_VARIABLE: ("B007",),
    DiagnosticKind.MUTABLE_DEFAULT: ("B006",),
    DiagnosticKind.MISSING_SELF: ("N805",),
    DiagnosticKind.ZIP_WITHOUT_STRICT: ("B905",),
    DiagnosticKind.WARNING_WITHOUT_STACKLEVEL: ("B028",),
    DiagnosticKind.LAMBDA_ASSIGNMENT: ("E731",),
    DiagnosticKind.UNNECESSARY_ASSIGNMENT: ("RET504",),
    DiagnosticKind.NONE_COMPARISON: ("E711",),
    DiagnosticKind.BOOL_COMPARISON: ("E712",),
    DiagnosticKind.SINGLETON_COMPARISON: ("E711", "E712"),
    DiagnosticKind.NOT_IN_TEST: ("E713",),
    DiagnosticKind.NOT_IS_TEST: ("E714",),
    DiagnosticKind.UNNECESSARY_NEGATION: ("E713", "E714", "SIM201", "SIM202"),
    DiagnosticKind.F_STRING_WITHOUT_PLACEHOLDERS: ("F541",),
    DiagnosticKind.TRAILING_WHITESPACE: ("W291", "W293"),
    DiagnosticKind.WHITESPACE_ON_BLANK_LINE: ("W293",),
    DiagnosticKind.MISSING_FINAL_NEWLINE: ("W292",),
}
"""The rules under which ruff (without its preview mode) reports a kind and can fix it."""

WITHOUT_FIX: dict[DiagnosticKind, tuple[str, ...]] = {DiagnosticKind.UNDEFINED_NAME: ("F821",)}
"""Those under which it reports a kind and has no fix."""

_NAME = re.compile(r"`([^`]+)`")


def with_ruff_fixes(
    diagnostics: Sequence[Diagnostic], text: str, path: Path | None, ruff: Ruff
) -> list[Diagnostic]:
    """`diagnostics` of `text`, each that has no fix with ruff's where ruff has one that `ruff.fixes` allows.

    Raises: never; where ruff fails, the diagnostics are as they were.
    """
    rules = {rule for diagnostic in diagnostics if not diagnostic.fixes for rule in ruff_rules(diagnostic)}
    rules = rules.difference(*WITHOUT_FIX.values())
    if not rules or not ruff.fixes:
        return list(diagnostics)
    try:
        found = [each for each in ruff.check(text, path, extend=rules) if each.fixes]
    except RuffError:
        return list(diagnostics)
    near = FindingsByLine(found)
    return [d if d.fixes else with_fixes_of(d, near.of(d)) for d in diagnostics]


class FindingsByLine:
    """Findings of one text, to be looked up by where they begin."""

    def __init__(self, found: Iterable[Diagnostic]) -> None:
        self._lines: dict[int, list[Diagnostic]] = defaultdict(list)
        for diagnostic in found:
            self._lines[diagnostic.start.line].append(diagnostic)

    def of(self, diagnostic: Diagnostic) -> list[Diagnostic]:
        """Those that begin in the lines of a diagnostic, in order."""
        first, last = diagnostic.lines
        return [each for line in range(first - 1, last) for each in self._lines.get(line, ())]


def ruff_rules(diagnostic: Diagnostic) -> Iterable[str]:
    """The rules under which ruff may report the same."""
    if diagnostic.by_ruff:
        return (diagnostic.code,) if diagnostic.code is not None else ()
    kind = classify(diagnostic)
    return (*RULES.get(kind, ()), *WITHOUT_FIX.get(kind, ())) if kind is not None else ()


def same_problem(diagnostic: Diagnostic, found: Sequence[Diagnostic]) -> Diagnostic | None:
    """The one of ruff's findings that is about what `diagnostic` is about; None where there is none, or more than one."""
    rules, (first, last) = tuple(ruff_rules(diagnostic)), diagnostic.lines
    same = [each for each in found if each.code in rules and first <= each.start.line + 1 <= last]
    if len(same) > 1:  # `import os, sys`: the one that begins there, or else names what the message names
        words = set(re.findall(r"\w+", diagnostic.message))
        same = [d for d in same if d.start == diagnostic.start and _names(d) <= words] or [
            d for d in same if _names(d) and _names(d) <= words
        ]
    return same[0] if len(same) == 1 else None


def with_fixes_of(diagnostic: Diagnostic, found: Sequence[Diagnostic]) -> Diagnostic:
    """The diagnostic with the fixes that ruff's own finding has, where ruff found the same problem."""
    same = same_problem(diagnostic, found)
    return replace(diagnostic, fixes=same.fixes) if same is not None else diagnostic


def _names(diagnostic: Diagnostic) -> set[str]:
    """The names in ruff's message, without the modules they come from."""
    return {name.rpartition(".")[2] for name in _NAME.findall(diagnostic.message)}
