"""What a request leaves open: nothing, a list the model chooses from, some texts at some place, or everything in its scope.

A diagnostic or an instruction often settles what the new text can be: the candidates of the quick fixes, put into the ops of one
page.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from copydesk.program import Copy, Program, Sub
from copydesk.quickfixes.handler import Candidates
from copydesk.quickfixes.registry import QuickFixes
from copydesk.quickfixes.replacement import Replacement
from copydesk.refactorings.arguments import arguments_of
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.phrases import instruction_edits
from copydesk.refactorings.registry import enumerate_candidates
from copydesk.request import EditRequest, Range
from copydesk.serving.lowering import ListedPrograms, Lowering, listed_programs, listed_subs
from copydesk.serving.snapshot import Snapshot
from copydesk.text.document import content
from copydesk.text.line_edit import LineEdit

MOST_CANDIDATES = 64
"""Of the refactorings, that are put into programs for one instruction."""


@dataclass(frozen=True, slots=True)
class PageRequest:
    """One request on the page that shows its scope. fixes: the quick fixes of each diagnostic. instructed: see
    `instructed_edit`.
    """

    snapshot: Snapshot
    request: EditRequest
    lowering: Lowering
    fixes: Sequence[QuickFixes]
    instructed: tuple[LineEdit, ...] | None


def instructed_edit(
    snapshot: Snapshot, request: EditRequest, scope: Sequence[Range]
) -> tuple[LineEdit, ...] | None:
    """What an instruction alone says that the lines of `scope` become, nothing where it is followed already; None where it leaves
    that to the model.
    """
    free = request.choices is None and request.lark is None and not request.diagnostics
    wanted = request.narrow and request.phrases and free and snapshot.language == "python"
    if request.instruction is None or not wanted:
        return None
    tree = snapshot.parsed.tree if snapshot.parsed is not None else None
    return (
        instruction_edits(request.instruction, snapshot.lines.lines, scope, tree)
        if tree is not None
        else None
    )


def may_apply(request: EditRequest, fixes: Sequence[QuickFixes]) -> bool:
    """Whether some diagnostic of the request may still be true: what is out of date leaves nothing to change."""
    if not request.narrow or request.instruction is not None or not request.diagnostics:
        return True
    return any(each.still_applies() for each in fixes)


def refusal(request: EditRequest, fixes: Sequence[QuickFixes], scope: Sequence[Range]) -> str | None:
    """Why nothing can be offered for the one diagnostic of a request; None where there are candidates, or the model may write."""
    narrow = (
        request.narrow and request.choices is None and request.lark is None and request.instruction is None
    )
    if not narrow or len(request.diagnostics) != 1 or not may_apply(request, fixes):
        return None
    return fixes[0].refusal(scope)


def listed(asked: PageRequest) -> ListedPrograms | dict[int, list[Sub]] | None:
    """The programs or the subs that answer the request; None where it does not narrow the edit to a list."""
    lowering = asked.lowering
    if asked.instructed:
        found = listed_programs(lowering, Candidates((asked.instructed,)))
        if found is not None:
            return found
    if not _narrows_to_one(asked.request) or not lowering.rules.scope:
        return None
    for candidates in asked.fixes[0].candidates(lowering.scope):
        lower = listed_subs if candidates.within_lines else listed_programs
        answer = lower(lowering, candidates)
        if answer:
            return answer
    return None


def instruction_programs(asked: PageRequest) -> dict[Program, str]:
    """What the refactorings could make of the selection with the names and texts of the instruction, likeliest first, each with
    its title; behind the first of them that nothing changes. None where the request is no instruction for Python alone, or the
    model has not learnt to choose.
    """
    request, snapshot, lowering = asked.request, asked.snapshot, asked.lowering
    tree = snapshot.parsed.tree if snapshot.parsed is not None and snapshot.language == "python" else None
    if tree is None or request.instruction is None or not request.narrow or request.diagnostics:
        return {}
    if request.choices is not None or request.lark is not None or not lowering.codec.format.chooses:
        return {}
    context = RefactoringContext.of(snapshot.lines.lines, lowering.scope, tree)
    found: dict[Program, str] = {}
    for candidate in enumerate_candidates(context, arguments_of(request.instruction), MOST_CANDIDATES):
        listed = listed_programs(lowering, Candidates((candidate.edits,)))
        if listed is not None:
            found.setdefault(listed.programs[0], candidate.title)
            found.setdefault(Program((Copy(1, len(lowering.page)),)), "change nothing")
    return found


def narrowed_texts(asked: PageRequest) -> Callable[[int, int, int], Sequence[str]] | None:
    """What the request's diagnostics leave for a sub to say, by page line and the offsets of its old text."""
    request, page = asked.request, asked.lowering.page
    if not request.narrow or request.lark is not None:
        return None
    places: dict[int, list[Replacement]] = {}
    for fixes in asked.fixes:
        found = fixes.replacement()
        number = page.page_line(found.line) if found is not None else None
        if found is not None and number is not None:
            places.setdefault(number, []).append(found)
    if not places:
        return None

    def texts(line: int, begin: int, stop: int) -> list[str]:
        text = content(page.views[line - 1])
        news = (new for found in places.get(line, ()) for new in found.new_texts(text, begin, stop))
        return list(dict.fromkeys(news))

    return texts


def _narrows_to_one(request: EditRequest) -> bool:
    """Whether one diagnostic alone says what is asked, and nothing else says what new text may be."""
    free = request.choices is None and request.lark is None and request.instruction is None
    return request.narrow and free and len(request.diagnostics) == 1
