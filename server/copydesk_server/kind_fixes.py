"""All fixes of one kind of finding in one text, by tools and rules alone: no model is asked. Only what is confirmed and safe,
each and all together. Blocks as ruff does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from copydesk.errors import CopydeskError
from copydesk.request import Diagnostic
from copydesk.text.document import Encoding, TextEdit, TextLines, apply_edits
from copydesk_server.applicability import Applicability
from copydesk_server.candidate_edits import candidate_edits, text_edits
from copydesk_server.linter_fixes import ruff_rules
from copydesk_server.ruff import APPLICABLE, Ruff

if TYPE_CHECKING:
    from copydesk_server.project_imports import Projects

MOST_FIXES = 64
"""So many findings of one text are fixed at once at most."""
_WORST = 2
_PYTHON = "python"


@dataclass(frozen=True, slots=True)
class FindingKind:
    """Findings that are fixed together. rules: those under which ruff reports them. configured: they count only where ruff's
    configuration asks for them, since ruff itself reported the one that is to be fixed everywhere.
    """

    label: str
    rules: tuple[str, ...]
    configured: bool = False

    @classmethod
    def of(cls, diagnostic: Diagnostic) -> FindingKind | None:
        """None for a kind that ruff has no rule for."""
        rules = tuple(ruff_rules(diagnostic))
        return cls(kind_label(diagnostic), rules, diagnostic.by_ruff) if rules else None


@dataclass(frozen=True, slots=True)
class KindFixes:
    """Edits of one text in its client's encoding, in order, and how many findings they fix."""

    edits: tuple[TextEdit, ...]
    count: int


@dataclass(slots=True)
class _Fix:
    """One edit, and the findings that it is for: ruff has the same for all unused names of one import."""

    edits: list[TextEdit]
    findings: list[Diagnostic]


def kind_label(diagnostic: Diagnostic) -> str:
    """The kind of a finding in a menu: findings of one label are fixed together."""
    # Not before it is needed: a server's `initialize` has no time for imports.
    from copydesk.quickfixes.kinds import classify

    kind = classify(diagnostic)
    return kind.name.lower().replace("_", " ") if kind is not None else diagnostic.code or diagnostic.message


def fix_kind(
    text: str,
    path: Path | None,
    kind: FindingKind,
    ruff: Ruff,
    encoding: Encoding,
    *,
    fixes: frozenset[Applicability],
    within: bool,
    inform: Callable[[Sequence[Diagnostic]], Sequence[Diagnostic]],
    projects: Projects | None = None,
) -> KindFixes | None:
    """None where there is nothing to fix. fixes: those of ruff's own that may be used. within: only the flagged lines may change.
    inform: adds what is known of findings besides the text. projects: what other files import. Raises RuffError.
    """
    # Not before it is needed, as above.
    from copydesk_server.verification import ERRORS, judge_all

    ruff = replace(ruff, fixes=APPLICABLE["unsafe"])
    rules = (*kind.rules, *ERRORS)
    found = ruff.check(text, path, extend=rules)
    wanted = [d for d in found if d.severity <= _WORST and kind_label(d) == kind.label]
    if wanted and kind.configured:
        reported = {(d.start, d.code) for d in ruff.check(text, path)}
        wanted = [d for d in wanted if (d.start, d.code) in reported]
    if not wanted:
        return None
    usable = [
        replace(d, fixes=tuple(fix for fix in d.fixes if ("safe" if fix.safe else "unsafe") in fixes))
        for d in wanted[:MOST_FIXES]
    ]

    def proved(chosen: Sequence[_Fix]) -> bool:
        after = apply_edits(text, _joined(chosen), encoding)
        findings = [d for fix in chosen for d in fix.findings]
        said = judge_all(
            text,
            after,
            findings,
            language=_PYTHON,
            path=path,
            ruff=ruff,
            rules=rules,
            found=found,
            projects=projects,
        )
        return said.verdict == "confirmed" and said.applicability == "safe"

    chosen = _apart(_fixes(text, inform(usable), encoding, within=within))
    if chosen and not proved(chosen):
        kept: list[_Fix] = []
        for fix in chosen:
            if proved([*kept, fix]):
                kept.append(fix)
        chosen = kept
    return KindFixes(tuple(_joined(chosen)), sum(len(fix.findings) for fix in chosen)) if chosen else None


def _fixes(text: str, findings: Sequence[Diagnostic], encoding: Encoding, *, within: bool) -> list[_Fix]:
    """The fixes of those that one edit alone answers."""
    from copydesk.syntax.tree import parse

    lines = TextLines(text)
    tree = parse(lines.lines, _PYTHON)
    made: list[_Fix] = []
    for finding in findings:
        candidates = candidate_edits(finding, lines.lines, tree, within=within, all_known=True).edits
        if len(candidates) != 1:
            continue
        edits = text_edits(lines, candidates[0], encoding)
        try:
            if apply_edits(text, edits, encoding) == text:
                continue
        except CopydeskError:
            continue
        same = next((fix for fix in made if fix.edits == edits), None)
        if same is not None:
            same.findings.append(finding)
        else:
            made.append(_Fix(edits, [finding]))
    return made


def _apart(fixes: Sequence[_Fix]) -> list[_Fix]:
    """Of two for the same lines the first counts."""
    chosen: list[_Fix] = []
    for fix in fixes:
        if not any(_overlap(mine, other) for mine in fix.edits for one in chosen for other in one.edits):
            chosen.append(fix)
    return chosen


def _overlap(one: TextEdit, other: TextEdit) -> bool:
    return one.start == other.start or (one.start < other.end and other.start < one.end)


def _joined(fixes: Sequence[_Fix]) -> list[TextEdit]:
    return sorted((edit for fix in fixes for edit in fix.edits), key=lambda edit: (edit.start, edit.end))
