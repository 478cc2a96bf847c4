"""From candidate edits to the page programs that a decoder chooses from.

Each edit becomes the program the oracle would make of it, which is the one the model has learnt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from copydesk.decode.finite_choice import Offer
from copydesk.errors import ProgramError, ScopeError
from copydesk.grammar.rules import Rules, violation
from copydesk.oracle.near_change import program_near_change
from copydesk.oracle.single import line_sub
from copydesk.oracle.token_cost import CodecCost
from copydesk.paging.page import Page
from copydesk.program import Copy, Program, Sub
from copydesk.prompting.codec import Codec, own_run
from copydesk.prompting.prompt import PageTokens
from copydesk.quickfixes.handler import Candidates
from copydesk.request import Range
from copydesk.text.document import content, split_lines
from copydesk.text.line_edit import LineEdit

MARGIN = 1
"""Lines round an edit in which a shorter program is looked for; an edit names the lines it changes."""


@dataclass(frozen=True, slots=True)
class Lowering:
    """One page, and what programs on it must keep to. cost: the prices of `codec`. lines: the document's. scope: where the
    request may write, in lines of the document; `rules` hold the page's.
    """

    codec: Codec
    cost: CodecCost
    rules: Rules
    page: Page
    tokens: PageTokens
    lines: Sequence[str]
    scope: Sequence[Range]


@dataclass(frozen=True, slots=True)
class ListedPrograms:
    """programs: legal page programs, no two alike. rest: page ranges for what else may be the answer; None where one of the
    programs is the answer. staged, offers: as in `ChoiceTask`. undone: whether something is to be done for sure: then nobody is
    told that nothing is left, however likely the model finds it.
    """

    programs: tuple[Program, ...]
    rest: tuple[Range, ...] | None = None
    staged: bool = False
    offers: Mapping[Program | None, Offer] | None = None
    undone: bool = False


def listed_programs(lowering: Lowering, candidates: Candidates) -> ListedPrograms | None:
    """The programs that make the candidates' edits; None where the page can express none of them. Raises: never."""
    rules, page = lowering.rules, lowering.page
    edits, lower = candidates.edits, _program
    if candidates.within_lines:
        edits, lower = tuple(sorted(edits, key=lambda edit: edit[0].first)), _sub_program
    made = (lower(lowering, edit) for edit in edits)
    programs = tuple(dict.fromkeys(program for program in made if program is not None))
    rest = None
    if not candidates.exhaustive:
        # The first copy tells the list from other answers: both begin with one, and they change different ranges.
        programs = tuple(p for p in programs if isinstance(p.ops[0], Copy) and p.ops[0].end < len(page))
        if not all(end < start or start > 1 for start, end in rules.scope):
            return None
        taken = [lines for lines in lowering.scope if any(_touches(edit, lines) for edit in candidates.edits)]
        shown = page.to_page_scope(taken)
        rest = tuple(lines for lines in rules.scope if lines not in shown)
    return ListedPrograms(programs, rest, staged=candidates.within_lines) if programs else None


def _sub_program(lowering: Lowering, edit: Sequence[LineEdit]) -> Program | None:
    """An edit within one line, as one sub and copies round it."""
    codec, page = lowering.codec, lowering.page
    (part,) = edit
    number = page.page_line(part.first)
    if number is None or not codec.format.sub:
        return None
    view = page.views[number - 1]
    sub = line_sub(view, part.text if view.endswith("\n") else content(part.text), lowering.cost)
    if sub is None or own_run(codec, page.views, lowering.tokens.lines, number, sub.old) is None:
        return None
    before = (Copy(1, number - 1),) if number > 1 else ()
    behind = (Copy(number + 1, len(page)),) if number < len(page) else ()
    return Program((*before, Sub(number, number, sub.old, sub.new), *behind))


def _touches(edit: Sequence[LineEdit], lines: Range) -> bool:
    return any(lines[0] <= part.first and part.last <= lines[1] for part in edit)


def _program(lowering: Lowering, edit: Sequence[LineEdit]) -> Program | None:
    """edit: parts apart and from the top down."""
    codec, rules, page = lowering.codec, lowering.rules, lowering.page
    views, changed = page.views, list(page.views)
    for part in reversed(edit):
        shown = _shown(page, part)
        if shown is None or (part.first > len(lowering.lines) and page.unterminated):
            return None
        changed[shown] = [part.text]
    try:
        program = program_near_change(
            views,
            split_lines("".join(changed)),
            subs=rules.sub,
            cost=lowering.cost,
            sub_lines=codec.format.sub_lines,
            scope=rules.scope,
            margin=MARGIN,
        )
        page.to_document(program, lowering.lines)
    except (ProgramError, ScopeError):
        return None
    for op in program.ops:
        if isinstance(op, Sub) and own_run(codec, views, lowering.tokens.lines, op.start, op.old) is None:
            return None
    return program if program.ops and violation(rules, program, views) is None else None


def _shown(page: Page, edit: LineEdit) -> slice | None:
    """Which of the page's lines it puts others in place of; None where the page does not show them all, one behind the other."""
    first, last = edit.first, edit.last
    if last < first:
        # Between two lines: the page shows the one behind it, or else the one before: hidden lines may follow an import block.
        at = page.page_line(first)
        if at is None and first > 1 and (above := page.page_line(first - 1)) is not None:
            at = above + 1
        return None if at is None else slice(at - 1, at - 1)
    begin, end = page.page_line(first), page.page_line(last)
    if begin is None or end is None or end - begin != last - first:
        return None
    return slice(begin - 1, end)
