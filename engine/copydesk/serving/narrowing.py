"""What a request leaves open: nothing, a list the model chooses from, some texts at some place, or everything in its scope.

A diagnostic or an instruction often settles what the new text can be: the candidates of the quick fixes, put into the ops of one
page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tree_sitter import Tree

from copydesk.decode.finite_choice import Offer
from copydesk.paging.page import Page
from copydesk.program import Copy, Program
from copydesk.quickfixes.handler import Candidates
from copydesk.quickfixes.registry import QuickFixes
from copydesk.quickfixes.replacement import Replacement
from copydesk.refactorings.arguments import arguments_of
from copydesk.refactorings.bug_clues import asks_for_bug, followed_up, says_no_more
from copydesk.refactorings.candidate import Candidate
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.equivalence import meaning
from copydesk.refactorings.names.whole_variable import lines_elsewhere
from copydesk.refactorings.phrases import instruction_edits
from copydesk.refactorings.phrases.names import wished_name
from copydesk.refactorings.phrases.words import plain
from copydesk.refactorings.premises import false_premise
from copydesk.refactorings.premises.undone import undone
from copydesk.refactorings.prose import names_in, prose, takes_name_from
from copydesk.refactorings.registry import enumerate_candidates
from copydesk.refactorings.shown_title import shown_title
from copydesk.refactorings.validity import edited
from copydesk.request import EditRequest, Range
from copydesk.serving.checks import could_be_imported
from copydesk.serving.lowering import ListedPrograms, Lowering, listed_programs
from copydesk.serving.snapshot import Snapshot
from copydesk.syntax.global_names import global_names
from copydesk.syntax.import_block import import_point
from copydesk.syntax.tree import is_label, rows, text_of
from copydesk.text.document import content
from copydesk.text.line_edit import LineEdit
from copydesk.text.titles import at_line

MOST_CANDIDATES = 32
"""Of the refactorings, that are put into programs for one instruction."""
NOTHING = Offer("change nothing", prior=-5.0)
"""Of the program that changes nothing: it is done already, or cannot be done."""
NOTHING_LEFT = 17.5
"""Its prior where what the instruction takes for granted is not so (`refactorings/premises`)."""
ANOTHER = Offer("another edit", prior=-10.0)
"""That none of the candidates is meant."""
CLUELESS = -15.0
"""Its prior where there are clues to a bug."""
NO_CLUES = 0.0
"""Its prior where there should be one, and there are none."""
_WORD = re.compile(r"\w+")
_AT_TOP = re.compile(
    r"\b(?:move|put|hoist|lift|belongs?|goes?)\b.*\b(?:top|start|beginning|head) of (?:the |this )?(?:file|module)\b",
    re.IGNORECASE,
)
TOP = "the top of the module is not selected, and no other line is changed; select it, too"
BEYOND = "`{name}` is used outside the selected lines, too (line {line}); select all that use it, or rename the symbol"
NO_CLUE = (
    "no clue to a bug in these lines; copydesk looks for names without a value and results that are lost, and does not know what "
    "the code is meant to do: say what goes wrong, or what should happen"
)


@dataclass(frozen=True, slots=True)
class PageRequest:
    """One request on the page that shows its scope. fixes: the quick fixes of each diagnostic. instructed: see
    `instructed_edit`. satisfied: see `nothing_left`. clues: see `bug_clues`.
    """

    snapshot: Snapshot
    request: EditRequest
    lowering: Lowering
    fixes: Sequence[QuickFixes]
    instructed: tuple[LineEdit, ...] | None
    satisfied: str | None = None
    clues: tuple[Candidate, ...] | None = None
    finding: bool = False
    """The instruction is the message of a finding: something has to change."""


def instructed_edit(
    snapshot: Snapshot, request: EditRequest, scope: Sequence[Range]
) -> tuple[LineEdit, ...] | None:
    """The edit that the instruction's wording settles, of the lines of `scope`; empty where it is followed already, None where it
    is left to the model.
    """
    tree = _tree_for_phrases(snapshot, request)
    if request.instruction is None or tree is None:
        return None
    return instruction_edits(request.instruction, snapshot.lines.lines, scope, tree)


def nothing_left(snapshot: Snapshot, request: EditRequest, scope: Sequence[Range]) -> str | None:
    """Why the instruction's wording leaves nothing to do in the lines of `scope`; None where it does not say so."""
    tree = _tree_for_phrases(snapshot, request)
    if request.instruction is None or tree is None:
        return None
    return false_premise(RefactoringContext.of(snapshot.lines.lines, scope, tree), request.instruction)


def _tree_for_phrases(snapshot: Snapshot, request: EditRequest) -> Tree | None:
    """The syntax tree by which wordings are read; None where they are not."""
    free = request.choices is None and request.lark is None and not request.diagnostics
    return _python_tree(snapshot) if request.narrow and request.phrases and free else None


def _python_tree(snapshot: Snapshot) -> Tree | None:
    return snapshot.parsed.tree if snapshot.parsed is not None and snapshot.language == "python" else None


def bug_clues(
    snapshot: Snapshot, request: EditRequest, scope: Sequence[Range]
) -> tuple[Candidate, ...] | None:
    """What clues in the lines of `scope` lead to where the instruction asks for a bug; None where it does not."""
    tree = _python_tree(snapshot)
    asks = request.instruction is not None and asks_for_bug(request.instruction)
    if not asks or tree is None or not request.narrow or request.diagnostics or request.choices is not None:
        return None
    return tuple(followed_up(RefactoringContext.of(snapshot.lines.lines, scope, tree)))


def may_apply(request: EditRequest, fixes: Sequence[QuickFixes]) -> bool:
    """Whether some diagnostic of the request may still be true: what is out of date leaves nothing to change."""
    if not request.narrow or request.instruction is not None or not request.diagnostics:
        return True
    return any(each.still_applies() for each in fixes)


def beyond_scope(snapshot: Snapshot, request: EditRequest, scope: Sequence[Range]) -> str | None:
    """Why the instruction cannot be followed in the lines of `scope` alone: it wants another name for a variable that more lines
    have, or something at the top of the module. None where its wording does not say so.
    """
    tree = _tree_for_phrases(snapshot, request)
    if tree is not None and _AT_TOP.search(request.instruction or ""):
        return TOP if scope and scope[0][0] > import_point(snapshot.lines.lines, "python") else None
    wish = wished_name(plain(request.instruction)) if request.instruction is not None and tree else None
    if wish is None or tree is None:
        return None
    context = RefactoringContext.of(snapshot.lines.lines, scope, tree)
    mine = [node for node in context.walk("identifier") if text_of(node) == wish[0] and not is_label(node)]
    elsewhere = lines_elsewhere(context, mine) if mine else []
    return BEYOND.format(name=wish[0], line=elsewhere[0]) if elsewhere else None


def refusal(
    request: EditRequest,
    fixes: Sequence[QuickFixes],
    scope: Sequence[Range],
    clues: Sequence[Candidate] | None = None,
    beyond: str | None = None,
) -> str | None:
    """Why nothing can be offered for the one diagnostic of a request, for what other lines would have to change for (beyond), or
    for a bug of which no more is said; None where there are candidates, or the model may write.
    """
    if beyond is not None:
        return beyond
    if clues is not None and not clues and says_no_more(request.instruction or ""):
        return NO_CLUE
    narrow = (
        request.narrow and request.choices is None and request.lark is None and request.instruction is None
    )
    if not narrow or len(request.diagnostics) != 1 or not may_apply(request, fixes):
        return None
    return fixes[0].refusal(scope)


def listed(asked: PageRequest) -> ListedPrograms | None:
    """The programs that answer the request; None where it does not narrow the edit to a list."""
    request, lowering = asked.request, asked.lowering
    if asked.instructed:
        found = listed_programs(lowering, Candidates((asked.instructed,)))
        if found is not None:
            return found
    if not request.narrow or request.choices is not None or request.lark is not None:
        return None
    if request.instruction is not None:
        return None if request.diagnostics else _refactored(asked, request.instruction)
    if len(request.diagnostics) != 1 or not lowering.rules.scope:
        return None
    answers = (listed_programs(lowering, found) for found in asked.fixes[0].candidates(lowering.scope))
    return next((answer for answer in answers if answer is not None), None)


def _refactored(asked: PageRequest, instruction: str) -> ListedPrograms | None:
    """What the refactorings could make of the selection with the names and texts of the instruction, likeliest first; behind the
    first of them that nothing changes, except for a finding and where a bug is asked for; that and another edit where wording
    says that nothing is left to do, even without a candidate. None for other languages than Python, and where the model has not
    learnt to choose.
    """
    snapshot, lowering = asked.snapshot, asked.lowering
    tree = _python_tree(snapshot)
    if tree is None or not lowering.codec.format.chooses:
        return None
    context = RefactoringContext.of(snapshot.lines.lines, lowering.scope, tree)
    offers: dict[Program | None, Offer] = {}
    idle, nothing = Program((Copy(1, len(lowering.page)),)), NOTHING
    if asked.satisfied is not None:
        offers[idle] = nothing = replace(
            NOTHING, prior=NOTHING_LEFT, name=f"Change nothing: {asked.satisfied}"
        )
        offers[None] = ANOTHER
    lines: dict[Program, int] = {}
    words = prose(instruction) if asked.finding else frozenset()
    known = names_in("".join(line for a, b in lowering.scope for line in snapshot.lines.lines[a - 1 : b]))
    # Who says that there is a bug is not told that there is none.
    idle_too = not asked.finding and asked.clues is None
    another = ANOTHER
    if asked.clues is not None:
        another = replace(ANOTHER, prior=CLUELESS if asked.clues else NO_CLUES)
    for candidate in _candidates(asked, context, instruction):
        if words and takes_name_from(words, "".join(edit.text for edit in candidate.edits), known):
            continue
        if _names_nothing(context, snapshot, candidate):
            continue
        made = listed_programs(lowering, Candidates((context.original(candidate.edits),)))
        if made is not None:
            said = replace(offer(lowering.page, candidate), meaning=meaning(context, candidate.edits))
            offers.setdefault(made.programs[0], said)
            lines.setdefault(made.programs[0], candidate.edits[0].first)
            if idle_too:
                offers.setdefault(idle, nothing)
            offers.setdefault(None, another)
    shown = {program: shown_title(offers[program].title) for program in lines}
    titled = Counter(shown.values())
    for program, line in lines.items():
        name = shown[program]
        offers[program] = replace(offers[program], name=at_line(name, line) if titled[name] > 1 else name)
    programs = tuple(program for program in offers if program is not None)
    if not offers:
        return None
    todo = asked.satisfied is None and undone(context, instruction)
    return ListedPrograms(programs, lowering.rules.scope, offers=offers, undone=todo)


def _names_nothing(context: RefactoringContext, snapshot: Snapshot, candidate: Candidate) -> bool:
    """Whether the edit reads a name that stands nowhere in the file and would have no definition: only the statements that it
    changes could bind that. Names that the file has elsewhere are looked at when one edit is chosen (`reporting.objection`).
    """
    if all(context.words.issuperset(_WORD.findall(edit.text)) for edit in candidate.edits):
        return False
    text = snapshot.lines.text
    touched = [*map(rows, context.nodes), *((edit.first, edit.last) for edit in candidate.edits)]
    first, last = min(begin for begin, _ in touched), max(end for _, end in touched)
    found = global_names(edited(context, candidate.edits, first, last))
    new = found.undefined - context.words if found is not None else ()
    return (
        bool(new)
        and global_names(text) is not None
        and any(not could_be_imported(name, text) for name in new)
    )


def _candidates(asked: PageRequest, context: RefactoringContext, instruction: str) -> list[Candidate]:
    """The candidates that are weighed: clues to a bug come first, and alone where no more is said of it."""
    clues = list(asked.clues or ())
    if clues and says_no_more(instruction):
        return clues[:MOST_CANDIDATES]
    return [*clues, *enumerate_candidates(context, arguments_of(instruction), MOST_CANDIDATES)][
        :MOST_CANDIDATES
    ]


def offer(page: Page, candidate: Candidate) -> Offer:
    """A candidate whose edits the page shows. An insertion behind the page's last line is told by that line."""
    return Offer(candidate.title, page.page_line(candidate.edits[0].first) or len(page), candidate.score)


def narrowed_texts(asked: PageRequest) -> Callable[[int, int, int], Sequence[str]] | None:
    """The new texts that the request's diagnostics leave for a sub, by page line and the offsets of its old text."""
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
