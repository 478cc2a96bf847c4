"""Whether a fix is one: what can be proved about the text before and after it, and nothing more.

A fix is *confirmed* where the tool that found the problem was run again: its finding is gone and nothing new appeared. It is
*refused* where it is shown to be wrong, *unchanged* where nothing was done, and *checked* where nobody can prove more than that
it parses and brings no new error: an instruction's edit, and fixes for tools that cannot be run here. (*unsure* is the model's
own word; no text shows it.) Knows texts, parsers and ruff; nothing of models, editors or files. Blocks as ruff does.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Literal

from copydesk.pushdown.languages import PARSED_LANGUAGES, effects_for, unread_lines
from copydesk.quickfixes.kinds import is_syntax_error
from copydesk.request import Diagnostic
from copydesk.schemas.catalogue import schema_for
from copydesk.schemas.problems import broken_schema, new_problem
from copydesk.serving.checks import more_suppressions
from copydesk.syntax.tree import parse
from copydesk.text.document import split_lines, view_line
from copydesk_server.applicability import Applicability, applicability, missed_import
from copydesk_server.errors import RuffError
from copydesk_server.linter_fixes import FindingsByLine, ruff_rules, same_problem, with_fixes_of
from copydesk_server.lost_code import lost_code
from copydesk_server.project_imports import Projects
from copydesk_server.ruff import APPLICABLE, SYNTAX, Ruff, selects
from copydesk_server.same_meaning.comparison import NO_TREE, parsed

Verdict = Literal["confirmed", "checked", "unsure", "refused", "unchanged"]

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
ERRORS = ("F63", "F7", "F82")
"""What is wrong in any style: names that are not there, returns outside functions, comparisons that mean something else."""
_NUMBER = re.compile(r"(?<![\w`'\"])\d+(?![\w`'\"])")


@dataclass(frozen=True, slots=True)
class Judgement:
    """verdict; why it is not confirmed; what was checked and passed ("syntax", "schema", "ruff"); whether it keeps what the code
    means."""

    verdict: Verdict
    reason: str | None
    checks: tuple[str, ...]
    applicability: Applicability = "safe"


def judge(
    before: str,
    after: str,
    diagnostic: Diagnostic | None,
    *,
    language: str,
    path: Path | None,
    ruff: Ruff | None,
    checked: Sequence[str] = (),
    known_fix: bool = True,
) -> Judgement:
    """One fix. diagnostic: what it is for, None for an instruction. checked: what the engine's result has proved already.
    known_fix: as in `EditResult`.

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
        known_fix=known_fix,
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
    only: Sequence[str] | None = None,
    found: Sequence[Diagnostic] | None = None,
    schemas: bool = True,
    known_fix: bool = True,
    projects: Projects | None = None,
) -> Judgement:
    """Fixes for several diagnostics together: each has to be gone.

    rules: ruff's rules that are run besides those its configuration names. only: selectors of the rules under which a finding
    counts as new, besides `ERRORS`; None: all that are run. found: what ruff says of `before` under these rules, where the caller
    knows it, with all of ruff's fixes. schemas: JSON is held to the shipped schema of its name. known_fix: as in
    `EditResult`. projects: what other files import. Raises: never.
    """
    if before == after:
        return Judgement("unchanged", "nothing changed" if diagnostics else None, ())
    silenced = more_suppressions(split_lines(before), split_lines(after))
    if silenced is not None:
        return Judgement("refused", f"it silences a tool: {silenced}", ())
    parses = _Parses.of(before, after, language)
    if parses is not None and parses.breaks and "syntax" not in checked:
        return Judgement("refused", "the result does not parse", ())
    checks: tuple[str, ...] = ("syntax",) if parses is not None and parses.after else ()
    schema = schema_for(path.name) if schemas and path is not None and language in PARSED_LANGUAGES else None
    if schema is not None and checks:
        problem = new_problem(schema, before, after) if "schema" not in checked else None
        if problem is not None:
            return Judgement("refused", broken_schema(schema, problem), ())
        checks = (*checks, "schema")
    if diagnostics and not known_fix and language == _PYTHON:
        lost = lost_code(before, after, (diagnostic.message for diagnostic in diagnostics))
        if lost is not None:
            return Judgement("refused", f"it leaves out {lost}", ())
    again = _Again(tuple(diagnostics))
    if ruff is not None and language == _PYTHON:
        try:
            again = _ask_again(before, after, diagnostics, path, ruff, rules, only, found)
        except RuffError as error:
            again = _Again(tuple(diagnostics), doubt=str(error))
    if again.objection is not None:
        return Judgement("refused", again.objection, ())
    if len(again.unproven) < len(diagnostics):
        checks = (*checks, "ruff")
    effect: Applicability = "safe"
    if language == _PYTHON:
        known = again.known or diagnostics
        effect = applicability(before, after, known, path, known_fix=known_fix, projects=projects)
        # Whoever asks for such an edit in words may mean to change the other file next.
        missed = missed_import(before, after, path, projects) if effect == "unsafe" and diagnostics else None
        if missed is not None:
            return Judgement("refused", f"it removes {missed}", ())
    if diagnostics and not again.unproven:
        return Judgement("confirmed", None, checks, effect)
    if parses is None:
        return Judgement("checked", f"no parser for {language or 'this language'}", checks, effect)
    syntax = [d for d in again.unproven if is_syntax_error(d)]
    if syntax:
        if parses.before:
            return Judgement("checked", "no available parser finds the error", checks, effect)
        if not parses.fewer:
            return Judgement("refused", "the syntax error is still there", ())
    if not parses.after:
        return Judgement("checked", "the text does not parse, before or after", checks, effect)
    foreign = [d for d in again.unproven if not d.by_ruff]
    if foreign and not any(map(_about_layout, foreign)) and _same_tree(before, after, language):
        return Judgement("refused", "it changes only the layout", ())
    rest = [d for d in again.unproven if d not in syntax]
    if diagnostics and not rest:
        return Judgement("confirmed", None, checks, effect)
    return Judgement("checked", again.doubt or (_not_run(rest[0]) if rest else None), checks, effect)


@dataclass(frozen=True, slots=True)
class _Again:
    """What running ruff again has shown. unproven: findings that it says nothing of. objection: why the edit is wrong. doubt: why
    ruff has proved nothing. known: the findings with all fixes that ruff has for them.
    """

    unproven: tuple[Diagnostic, ...] = ()
    known: tuple[Diagnostic, ...] = ()
    objection: str | None = None
    doubt: str | None = None


def _ask_again(
    before: str,
    after: str,
    diagnostics: Sequence[Diagnostic],
    path: Path | None,
    ruff: Ruff,
    rules: Sequence[str],
    only: Sequence[str] | None,
    found: Sequence[Diagnostic] | None,
) -> _Again:
    """ruff on both texts. It answers for other tools' findings, too, where it reports the same problem. Raises RuffError."""
    ruff = replace(ruff, fixes=APPLICABLE["unsafe"])
    if not diagnostics:
        # Nobody's finding asked for the edit: it must at least leave no name undefined that was defined.
        check = partial(ruff.check, path=path, select=",".join(ERRORS))
    else:
        extend = set(rules)
        if found is None:
            extend.update(ERRORS)
            extend.update(rule for diagnostic in diagnostics for rule in ruff_rules(diagnostic))
        check = partial(ruff.check, path=path, extend=extend)
    old: Sequence[Diagnostic]
    new: Sequence[Diagnostic]
    old, new = (found, check(after)) if found is not None else _both(before, after, check)
    near = FindingsByLine(old)
    known = tuple(with_fixes_of(diagnostic, near.of(diagnostic)) for diagnostic in diagnostics)
    keys, unproven, doubt = [], [], None
    for diagnostic in diagnostics:
        key = _spoken(diagnostic, near.of(diagnostic))
        if key is None:
            unproven.append(diagnostic)
            if diagnostic.by_ruff:
                doubt = doubt or f"ruff does not report {diagnostic.code or 'it'} here"
        else:
            keys.append(key)
    broken = any(d.code == SYNTAX for d in old)
    if broken:
        # What does not parse is not linted: findings behind a syntax error are not new, they were not seen.
        old, new = ([d for d in side if d.code == SYNTAX] for side in (old, new))
    had, has = Counter(map(finding, old)), Counter(map(finding, new))
    for key, times in Counter(keys).items():
        if has[key] > had[key] - times:
            return _Again(objection=f"ruff still reports: {key[0]} {key[1]}")
    # One error makes a parser say several things, and others once some of them are gone.
    if broken and (not keys or len(new) < len(old)):
        return _Again(tuple(unproven), known, doubt=doubt)
    asked = {key[0] for key in keys}
    counted = [d for d in new if _counts(d, only if keys else (), asked)]
    fresh = _fresh(old, counted)
    if fresh is not None:
        line = fresh.lines[0]
        return _Again(objection=f"ruff now reports: {fresh.code} {fresh.message} (line {line})")
    return _Again(tuple(unproven), known, doubt=doubt)


def _counts(diagnostic: Diagnostic, only: Sequence[str] | None, asked: Collection[str]) -> bool:
    """Whether the finding, should it be new, speaks against an edit."""
    code = diagnostic.code or SYNTAX
    return only is None or code == SYNTAX or code in asked or selects((*only, *ERRORS), code)


def _not_run(diagnostic: Diagnostic) -> str:
    return f"{diagnostic.source or 'the tool that found it'} was not run again"


def _both(before: str, after: str, check: Callable[[str], list[Diagnostic]]) -> tuple[list[Diagnostic], ...]:
    """`check` of both texts, side by side: each waits for a process. Raises what it raises."""
    with ThreadPoolExecutor(1, "copydesk-ruff") as other:
        first = other.submit(check, before)
        said = check(after)
        return first.result(), said


def _spoken(diagnostic: Diagnostic, found: Sequence[Diagnostic]) -> tuple[str, str] | None:
    """The key of what ruff says itself of the problem; a client's ruff may be of another version and word it otherwise."""
    if not diagnostic.by_ruff:
        twin = same_problem(diagnostic, found)
        return finding(twin) if twin is not None else None
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
            taken = _is_python(before), _is_python(after)
            if taken[0]:
                return cls(True, taken[1], False)
            if taken[1]:
                return cls(False, True, True)
        places = _errors(before, language), _errors(after, language)
        views = [[view_line(line) for line in split_lines(text)] for text in (before, after)]
        effects = effects_for(language, views[0])
        if effects is not None:
            places = unread_lines(effects, views[0]), unread_lines(effects, views[1])
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
    try:
        return language == _PYTHON and ast.dump(parsed(before)) == ast.dump(parsed(after))
    except NO_TREE:
        return False


@lru_cache(maxsize=8)
def _is_python(text: str) -> bool:
    """Remembered, since one text is compared with what each of its fixes makes of it, and one of these is the next."""
    try:
        parsed(text)
    except NO_TREE:
        return False
    return True
