"""Whether a fix is one: what can be proved about the text before and after it, and nothing more.

A fix is *verified* where the tool that spoke was run again: its diagnostic is gone and nothing new appeared; for tools that
cannot be run, where it parses and changes more than layout. It is *refused* where it is shown to be wrong, and
*unverified* where nothing can be shown. Knows texts, parsers and ruff; nothing of models, editors or files. Blocks as ruff does.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from copydesk.quickfixes.kinds import is_syntax_error
from copydesk.request import Diagnostic
from copydesk.serving.checks import more_suppressions
from copydesk.syntax.tree import parse
from copydesk.text.document import split_lines
from copydesk_server.errors import RuffError
from copydesk_server.ruff import SYNTAX, Ruff, is_ruff

Verdict = Literal["verified", "unverified", "refused"]

_PYTHON = "python"
# Findings about how code is laid out, spelled or commented: their fixes leave the tree as it is.
_LAYOUT = re.compile(
    r"""^(?:[EW][1235]\d\d | E70[1-3] | E2\d | W6\d\d | Q\d+ | I\d+ | COM\d+ | ISC\d+ | D[12]\d\d | ERA\d+ | TD\d+ | FIX\d+
      | EXE\d+ | RUF10\d | RUF00[1-3] | UP009 | UP012 | UP025 | UP034 | UP039 | PGH00[34] | CPY\d+ | PLE25\d\d | PLR2044
      | C03\d\d | bad-indentation | trailing-.* | missing-final-newline | line-too-long | superfluous-parens | wrong-import-order
      | indent | quotes | semi | no-extra-semi | eol-last | comma-dangle | no-trailing-spaces | max-len | prettier/prettier
      | reportUnnecessaryTypeIgnoreComment | unused-ignore)$""",
    re.VERBOSE,
)
_HARM = "F63,F7,F82"
"""What is wrong in any style: names that are not there, returns outside functions, comparisons that mean something else."""
_NUMBER = re.compile(r"(?<![\w`'\"])\d+(?![\w`'\"])")


@dataclass(frozen=True, slots=True)
class Judgement:
    """verdict; why it is not verified; what was checked and passed ("syntax", "ruff")."""

    verdict: Verdict
    reason: str | None
    checks: tuple[str, ...]


def judge(
    before: str,
    after: str,
    diagnostic: Diagnostic | None,
    *,
    language: str,
    path: Path | None,
    ruff: Ruff | None,
    checked: Sequence[str] = (),
) -> Judgement:
    """One fix. diagnostic: what it is for, None for an instruction. checked: what the engine's result has proved already.

    Raises: never; where ruff fails, the verdict is what can be said without it.
    """
    return judge_all(
        before,
        after,
        [diagnostic] if diagnostic is not None else [],
        language=language,
        path=path,
        ruff=ruff,
        checked=checked,
    )


def judge_all(
    before: str,
    after: str,
    diagnostics: Sequence[Diagnostic],
    *,
    language: str,
    path: Path | None,
    ruff: Ruff | None,
    checked: Sequence[str] = (),
    rules: Sequence[str] = (),
    found: Sequence[Diagnostic] | None = None,
) -> Judgement:
    """Fixes for several diagnostics together: each has to be gone.

    rules: ruff's rules that count besides those its configuration names. found: what ruff says of `before` under these, where
    the caller knows it. Raises: never.
    """
    if before == after:
        return Judgement("refused", "nothing changed", ()) if diagnostics else Judgement("verified", None, ())
    silenced = more_suppressions(split_lines(before), split_lines(after))
    if silenced is not None:
        return Judgement("refused", f"it silences a tool: {silenced}", ())
    parses = _Parses.of(before, after, language)
    if parses is not None and parses.breaks and "syntax" not in checked:
        return Judgement("refused", "the result does not parse", ())
    checks: tuple[str, ...] = ("syntax",) if parses is not None and parses.after else ()
    rest = diagnostics
    if ruff is not None and language == _PYTHON:
        asked = [d for d in diagnostics if is_ruff(d)]
        if asked:
            said = _asked_again(before, after, asked, path, ruff, rules, found, checks)
            rest = [d for d in diagnostics if not is_ruff(d)]
            if said.verdict != "verified" or not rest:
                return said
            checks = said.checks
        elif not diagnostics:
            harm = _harm(before, after, path, ruff)
            if harm is not None:
                return Judgement("refused", harm, ())
    if parses is None:
        return Judgement("unverified", f"no parser for {language or 'this language'}", checks)
    if any(map(is_syntax_error, rest)):
        if parses.before:
            return Judgement("unverified", "no available parser finds the error", checks)
        if not parses.fewer:
            return Judgement("refused", "the syntax error is still there", ())
    if not parses.after:
        return Judgement("unverified", "the text does not parse, before or after", checks)
    if rest and not any(map(_about_layout, rest)) and _same_tree(before, after, language):
        return Judgement("refused", "it changes only the layout", ())
    return Judgement("verified", None, checks)


def _asked_again(
    before: str,
    after: str,
    diagnostics: Sequence[Diagnostic],
    path: Path | None,
    ruff: Ruff,
    rules: Sequence[str],
    found: Sequence[Diagnostic] | None,
    checks: tuple[str, ...],
) -> Judgement:
    extend = set(rules)
    if found is None:
        extend |= {d.code for d in diagnostics if d.code is not None}
    try:
        old: Sequence[Diagnostic]
        new: Sequence[Diagnostic]
        if found is None:
            old, new = _both(before, after, partial(ruff.check, path=path, extend=extend))
        else:
            old, new = found, ruff.check(after, path, extend=extend)
    except RuffError as error:
        return Judgement("unverified", str(error), checks)
    keys: list[tuple[str, str]] = []
    for diagnostic in diagnostics:
        key = _spoken(diagnostic, old)
        if key is None:
            return Judgement("unverified", f"ruff does not report {diagnostic.code or 'it'} here", checks)
        keys.append(key)
    broken = any(d.code == SYNTAX for d in old)
    if broken:
        # What does not parse is not linted: findings behind a syntax error are not new, they were not seen.
        old, new = ([d for d in side if d.code == SYNTAX] for side in (old, new))
    had, has = Counter(map(finding, old)), Counter(map(finding, new))
    for key, times in Counter(keys).items():
        if has[key] > had[key] - times:
            return Judgement("refused", f"ruff still reports: {key[0]} {key[1]}", ())
    fresh = _fresh(old, new)
    # One error makes a parser say several things, and others once some of them are gone.
    if fresh is not None and (not broken or len(new) >= len(old)):
        return Judgement(
            "refused", f"ruff now reports: {fresh.code} {fresh.message} (line {fresh.lines[0]})", ()
        )
    return Judgement("verified", None, (*checks, "ruff"))


def _harm(before: str, after: str, path: Path | None, ruff: Ruff) -> str | None:
    """An edit nobody's finding asked for must at least leave no name undefined that was defined."""
    try:
        old, new = _both(before, after, partial(ruff.check, path=path, select=_HARM))
    except RuffError:
        return None
    if any(d.code == SYNTAX for d in old):
        return None
    fresh = _fresh(old, new)
    return (
        f"ruff now reports: {fresh.code} {fresh.message} (line {fresh.lines[0]})"
        if fresh is not None
        else None
    )


def _both(before: str, after: str, check: Callable[[str], list[Diagnostic]]) -> tuple[list[Diagnostic], ...]:
    """`check` of both texts, side by side: each waits for a process. Raises what it raises."""
    with ThreadPoolExecutor(1, "copydesk-ruff") as other:
        first = other.submit(check, before)
        said = check(after)
        return first.result(), said


def _spoken(diagnostic: Diagnostic, found: Sequence[Diagnostic]) -> tuple[str, str] | None:
    """The key of what ruff says itself of the place; a client's ruff may be of another version and word it otherwise."""
    key, line = finding(diagnostic), diagnostic.start.line
    here = [finding(d) for d in found if d.start.line == line and (d.code or SYNTAX) == key[0]]
    return key if key in here else here[0] if here else None


def _fresh(old: Iterable[Diagnostic], new: Sequence[Diagnostic]) -> Diagnostic | None:
    """The first finding of which there are more than there were."""
    had, has = Counter(map(finding, old)), Counter(map(finding, new))
    return next(
        (diagnostic for diagnostic in new if has[finding(diagnostic)] > had[finding(diagnostic)]), None
    )


def finding(diagnostic: Diagnostic) -> tuple[str, str]:
    """Code and message, without the numbers in it that a shift of lines changes."""
    code = SYNTAX if diagnostic.code is None or is_syntax_error(diagnostic) else diagnostic.code
    return code, _NUMBER.sub("#", diagnostic.message)


def _about_layout(diagnostic: Diagnostic) -> bool:
    return diagnostic.code is not None and _LAYOUT.match(diagnostic.code) is not None


@dataclass(frozen=True, slots=True)
class _Parses:
    """Whether two texts parse. fewer: the second has fewer places that do not."""

    before: bool
    after: bool
    fewer: bool

    @property
    def breaks(self) -> bool:
        return self.before and not self.after

    @classmethod
    def of(cls, before: str, after: str, language: str) -> _Parses | None:
        """None for a language without a parser.

        tree-sitter lets through what Python does not, and Python knows only its own version. So Python's word counts, and
        tree-sitter's where Python takes neither text.
        """
        if language == _PYTHON:
            taken = _python_tree(before) is not None, _python_tree(after) is not None
            if taken[0]:
                return cls(True, taken[1], False)
            if taken[1]:
                return cls(False, True, True)
        places = _errors(before, language), _errors(after, language)
        if places[0] is None or places[1] is None:
            return None
        return cls(places[0] == 0, places[1] == 0, places[1] < places[0])


def _errors(text: str, language: str) -> int | None:
    """How many places of `text` do not parse; None for a language without a parser."""
    tree = parse(split_lines(text), language)
    if tree is None:
        return None
    count, waiting = 0, [tree.root_node]
    while waiting:
        node = waiting.pop()
        if node.is_error or node.is_missing:
            count += 1
        elif node.has_error:
            waiting += node.children
    return count


def _same_tree(before: str, after: str, language: str) -> bool:
    if language != _PYTHON:
        return False
    trees = _python_tree(before), _python_tree(after)
    if trees[0] is None or trees[1] is None:
        return False
    try:
        return ast.dump(trees[0]) == ast.dump(trees[1])
    except RecursionError:
        return False


def _python_tree(text: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text.removeprefix("\ufeff"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
