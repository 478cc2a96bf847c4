"""What fixes leave behind, and the linter takes away itself: the import whose last use they were to replace.

Such a fix makes one finding of another, and alone would be refused. Where the linter has a fix of its own for all that is new,
and the text is good after it, both go together. Knows texts, findings and edits; nothing of rounds, models or files.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from copydesk.document import Encoding, apply_edits, split_lines
from copydesk.errors import DocumentError
from copydesk.oracle import oracle_program
from copydesk.proposals import edited_lines
from copydesk.request import Diagnostic, EditRequest
from copydesk_server.headless.fixes import Fix
from copydesk_server.judge import Judgement, finding, news

TURNS = 3
"""Of what is left behind by what was left behind."""


def leftovers(
    text: str,
    before: Sequence[Diagnostic],
    check: Callable[[str], Sequence[Diagnostic] | None],
) -> list[tuple[str, list[Fix]]] | None:
    """What takes away all that `check` finds new in `text`, as fixes of one text after the other, each with the text behind it.

    before: what it found in the text before. None where something stays, or may not be what is new. Raises: what `check` does.
    """
    steps: list[tuple[str, list[Fix]]] = []
    known = set(map(finding, before))
    for _ in range(TURNS):
        found = check(text)
        if found is None:
            return None
        fresh = news(before, found)
        if not fresh:
            return steps
        if any(not diagnostic.fixes or finding(diagnostic) in known for diagnostic in fresh):
            return None  # of two alike, the linter's fix of the old one would be one that nobody asked for
        by_edits: dict[object, list[Diagnostic]] = {}
        for diagnostic in fresh:  # names of one statement go in one edit
            by_edits.setdefault(diagnostic.fixes[0], []).append(diagnostic)
        try:
            fixes = [_fix(text, diagnostics) for diagnostics in by_edits.values()]
            text = apply_edits(text, [edit for fix in fixes for edit in fix.edits])
        except DocumentError:
            return None
        steps.append((text, fixes))
    return None


def _fix(text: str, diagnostics: Sequence[Diagnostic]) -> Fix:
    """The linter's fix of them. Raises DocumentError where it does not fit the text."""
    program = oracle_program(text, apply_edits(text, diagnostics[0].fixes[0], Encoding.UTF32))
    fix = Fix(EditRequest(diagnostics=diagnostics), program=program, edits=tuple(program.edits(text)))
    fix.judgement = Judgement("verified", None, ("ruff",))
    count = len(split_lines(text))
    fix.scope = tuple(edited_lines(edit, count) for edit in fix.edits)
    return fix
