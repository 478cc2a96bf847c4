"""The edits that may fix a finding without asking a model: by syntax, and by what tools propose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from copydesk.errors import CopydeskError
from copydesk.request import Diagnostic
from copydesk.text.document import Encoding, Position, TextEdit, TextLines, localise, majority_terminator
from copydesk.text.line_edit import LineEdit

if TYPE_CHECKING:
    from tree_sitter import Tree


@dataclass(frozen=True, slots=True)
class CandidateEdits:
    """edits: one of these is the answer, likeliest first; empty where that is open. alternatives: whether each of several is
    worth an action of its own. offered: False where no fix can come of it; reason: why not, in words, where there is more to say
    than that the finding is out of date.
    """

    edits: tuple[tuple[LineEdit, ...], ...] = ()
    alternatives: bool = False
    offered: bool = True
    reason: str | None = None


def candidate_edits(
    diagnostic: Diagnostic, lines: Sequence[str], tree: Tree | None, *, within: bool, all_known: bool
) -> CandidateEdits:
    """Of a finding in Python. within: only the flagged lines may change. all_known: what no tool proposes by now none does.
    Raises: never.
    """
    # Not before they are needed: a server's `initialize` has no time for imports.
    from copydesk.quickfixes.kinds import NAME_KINDS, DiagnosticKind
    from copydesk.quickfixes.registry import quick_fixes
    from copydesk.quickfixes.scope import diagnostic_scope
    from copydesk.request import normalise_scope

    fixes = quick_fixes(diagnostic, lines, "python", tree)
    if not fixes.still_applies():
        return CandidateEdits(offered=False)
    try:
        scope = normalise_scope([diagnostic.lines] if within else diagnostic_scope(fixes), len(lines))
    except CopydeskError:
        return CandidateEdits(offered=False)
    candidates = next(fixes.candidates(scope), None)
    kind = fixes.context.kind
    if candidates is None:
        reason = fixes.refusal(scope) if all_known else None
        return CandidateEdits(offered=reason is None, reason=reason)
    several = kind in NAME_KINDS or kind is DiagnosticKind.UNKNOWN_ATTRIBUTE
    return (
        CandidateEdits(candidates.edits, alternatives=several) if candidates.exhaustive else CandidateEdits()
    )


def text_edits(lines: TextLines, edits: Sequence[LineEdit], encoding: Encoding) -> list[TextEdit]:
    """Edits of lines in the line breaks and the encoding of a document."""
    majority = majority_terminator(lines.lines)
    found = []
    for edit in edits:
        previous = lines.lines[edit.first - 2] if edit.first > 1 else None
        behind = lines.lines[edit.last] if edit.last < len(lines.lines) else None
        replaced = lines.lines[edit.first - 1 : edit.last]
        begin = lines.clamp(Position(edit.first - 1, 0), encoding)
        end = lines.clamp(Position(max(edit.last, edit.first - 1), 0), encoding)
        found.append(TextEdit(begin, end, localise(edit.text, replaced, previous, majority, behind)))
    return found
