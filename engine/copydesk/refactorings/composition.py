"""Two refactorings for an instruction of two parts ("drop the else and rename x to y"), one made of what the other leaves."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher

from copydesk.refactorings.arguments import QUOTED, Arguments, arguments_of
from copydesk.refactorings.candidate import Candidate
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits
from copydesk.syntax.tree import parse
from copydesk.text.document import split_lines
from copydesk.text.line_edit import LineEdit

Rank = Callable[[RefactoringContext, Arguments, int], Sequence[Candidate]]
"""The candidates of an instruction, the best first, of which so many are wanted."""

LEAST_SCORE = -3.0
"""What a candidate must go with its part of an instruction, at least, to be half of an edit."""
_EACH = 2
"""Candidates of each part."""
_CLOSE = 1.5
"""How far behind the best one another candidate of a part may be."""
_MOST = 2
"""Pairs of one instruction."""
_MOST_LINES = 60
"""Selected lines; what goes with the second part is looked for up to twice more, which takes seconds in a longer selection."""
_JOINT = re.compile(r",? (?:and|then|and then|but) |; |(?<!\.)\. (?=\w)")
_COMMA = re.compile(r", ")
"""Joins two parts as well, but more often what says why: no two edits of the same lines."""
_SHORTEST = 4
"""Letters and signs that a part has."""
_IT = re.compile(r"\b(?:it|them|that|both)\b")


def pairs(context: RefactoringContext, arguments: Arguments, rank: Rank) -> list[Candidate]:
    """Candidates of each part of an instruction, one made after the other, those first of which both go best with theirs; none
    where it has no two parts that something goes well with. Their score is that of the half that goes less well.
    """
    parts = _parts(arguments.instruction)
    found: dict[Edits, Candidate] = {}
    if parts is None or sum(1 for _ in context.numbers()) > _MOST_LINES:
        return []
    first, second, apart = parts
    for one in _good(rank(context, arguments_of(first), _EACH)):
        behind = _after(context, one.edits)
        if behind is None:
            continue
        said = arguments_of(_without_pronoun(second, one, context))
        for other in _good(rank(behind, said, _EACH)):
            edits = _as_one(context, behind, one.edits, other.edits)
            if edits and not (apart and _meet(one.edits, other.edits)):
                pair = Candidate(f"{one.title}; and {other.title}", edits, min(one.score, other.score))
                if edits not in found or found[edits].score < pair.score:
                    found[edits] = pair
    return sorted(found.values(), key=lambda pair: -pair.score)[:_MOST]


def _good(ranked: Sequence[Candidate]) -> list[Candidate]:
    """Those that may be meant, if any."""
    return [one for one in ranked if one.score >= max(LEAST_SCORE, ranked[0].score - _CLOSE)]


def _parts(instruction: str) -> tuple[str, str, bool] | None:
    """Both parts of an instruction, and whether a comma alone stands between them; nothing in quotes or brackets joins."""
    quoted = [found.span() for found in QUOTED.finditer(instruction)]
    for joints in (_JOINT, _COMMA):
        for joint in joints.finditer(instruction):
            first, second = instruction[: joint.start()], instruction[joint.end() :]
            inside = any(begin < joint.start() < end for begin, end in quoted)
            inside = inside or first.count("(") > first.count(")")
            if not inside and min(len(first), len(second)) >= _SHORTEST and " " in second.strip():
                return first, second, joints is _COMMA
    return None


def _without_pronoun(part: str, one: Candidate, context: RefactoringContext) -> str:
    """The second part, with the name that the first edit brings in place of "it"."""
    old = {
        word
        for edit in one.edits
        for line in context.view(edit.first, edit.last)
        for word in re.findall(r"\w+", line)
    }
    new = [word for edit in one.edits for word in re.findall(r"[^\W\d]\w*", edit.text) if word not in old]
    return _IT.sub(new[0], part, count=1) if len(set(new)) == 1 else part


def _after(context: RefactoringContext, edits: Edits) -> RefactoringContext | None:
    """The same selection after edits."""
    lines, scope = list(context.lines), [list(part) for part in context.scope]
    for edit in reversed(edits):
        new = split_lines(edit.text)
        more = len(new) - (edit.last - edit.first + 1)
        lines[edit.first - 1 : edit.last] = new
        for part in scope:
            part[0] += more if part[0] > max(edit.first, edit.last) else 0
            part[1] += more if part[1] >= edit.first - 1 else 0
    tree = parse(lines, "python")
    ranges = [(begin, end) for begin, end in scope if begin <= end]
    return RefactoringContext.of(lines, ranges, tree) if tree is not None and ranges else None


def _meet(one: Edits, other: Edits) -> bool:
    """Whether the second edits change lines that the first ones have made."""
    moved = 0
    for edit in one:
        count = len(split_lines(edit.text))
        begin, end = edit.first + moved, edit.first + moved + count - 1
        if any(later.first <= end and begin <= max(later.first, later.last) for later in other):
            return True
        moved += count - (edit.last - edit.first + 1)
    return False


def _as_one(
    context: RefactoringContext, behind: RefactoringContext, one: Edits, other: Edits
) -> Edits | None:
    """Both edits, as edits of the first text; None where they undo each other."""
    if behind.indentation is not None:
        return None
    after = _after(behind, other)
    if after is None:
        return None
    old, new = context.lines, after.lines
    first = next(
        (k for k, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new))
    )
    tail = 0
    while tail < min(len(old), len(new)) - first and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    matcher = SequenceMatcher(
        None, old[first : len(old) - tail], new[first : len(new) - tail], autojunk=False
    )
    made = [
        LineEdit(first + i + 1, first + j, "".join(new[first + k : first + m]))
        for tag, i, j, k, m in matcher.get_opcodes()
        if tag != "equal"
    ]
    return tuple(made) if made and tuple(made) not in (one, other) and context.allows(tuple(made)) else None
