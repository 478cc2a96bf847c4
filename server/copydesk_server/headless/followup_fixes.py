"""What fixes leave behind, and the linter takes away itself: the import whose last use they were to replace, the next `elif` of a
chain.

Such a fix makes one finding of another, and alone would be refused. Where the linter has a fix of its own for all that is new,
and the text is good after it, both go together. Knows texts, findings and edits; nothing of rounds, models or files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from copydesk.oracle import oracle_program
from copydesk.quickfixes.handlers.linter_fix import edited_lines
from copydesk.request import Diagnostic, EditRequest
from copydesk.text.document import Encoding, TextEdit, TextLines, apply_edits, split_lines
from copydesk_server.headless.changes import Moves
from copydesk_server.headless.models import Fix
from copydesk_server.verification import Judgement, finding

TURNS = 8
"""Of what is left behind by what was left behind."""


@dataclass(frozen=True, slots=True)
class Step:
    """Edits of `text`. asked: the findings they are for, of all that `found` in it."""

    text: str
    edits: Sequence[TextEdit]
    found: Sequence[Diagnostic]
    asked: Collection[Diagnostic]


def leftovers(
    step: Step, check: Callable[[str], Sequence[Diagnostic] | None]
) -> tuple[str, list[list[Fix]]] | None:
    """What takes away all that `check` finds new in the text behind `step`, as fixes of one text after the other, and the text
    behind all of them.

    None where something stays for which there is no fix. Raises DocumentError where edits overlap, and what `check` does.
    """
    turns: list[list[Fix]] = []
    for _ in range(TURNS):
        text = apply_edits(step.text, step.edits)
        found = check(text)
        if found is None:
            return None
        fresh = _new(step, text, found)
        if not fresh:
            return text, turns
        if not all(diagnostic.fixes for diagnostic in fresh):
            return None
        by_edits: dict[object, list[Diagnostic]] = {}
        for diagnostic in fresh:  # names of one statement go in one edit
            by_edits.setdefault(diagnostic.fixes[0], []).append(diagnostic)
        fixes = [_fix(text, diagnostics) for diagnostics in by_edits.values()]
        turns.append(fixes)
        step = Step(text, [edit for fix in fixes for edit in fix.edits], found, fresh)
    return None


def _new(step: Step, text: str, found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Those of `found` that were not there before: neither in what nobody edited, nor, but for what was asked, in what was."""
    moves, asked = Moves(TextLines(step.text), step.edits, TextLines(text)), set(step.asked)
    unmoved: Counter[object] = Counter()
    edited: Counter[object] = Counter()
    for diagnostic in step.found:
        there = moves.moved(diagnostic)
        if there is not None:
            unmoved[finding(there), there.start] += 1
        elif diagnostic not in asked:
            edited[finding(diagnostic)] += 1
    new = []
    for diagnostic in found:
        key = finding(diagnostic)
        if unmoved[key, diagnostic.start]:
            unmoved[key, diagnostic.start] -= 1
        elif edited[key]:
            edited[key] -= 1
        else:
            new.append(diagnostic)
    return new


def _fix(text: str, diagnostics: Sequence[Diagnostic]) -> Fix:
    """The linter's fix of them. Raises DocumentError where it does not fit the text."""
    program = oracle_program(text, apply_edits(text, diagnostics[0].fixes[0].edits, Encoding.UTF32))
    fix = Fix(EditRequest(diagnostics=diagnostics), program=program, edits=tuple(program.edits(text)))
    safe = diagnostics[0].fixes[0].safe
    fix.judgement = Judgement("confirmed", None, ("ruff",), "safe" if safe else "unsafe")
    count = len(split_lines(text))
    fix.scope = tuple(edited_lines(edit, count) for edit in fix.edits)
    return fix
