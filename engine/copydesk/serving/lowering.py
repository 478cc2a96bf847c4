"""The page programs that answer a diagnostic by other lines in place of some, where there are few ways to write them.

Asks those who know the ways, and says each as the oracle would: as the model has learnt to say it. Knows one page; nothing of
models.
"""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Tree

from copydesk.errors import ProgramError, ScopeError
from copydesk.grammar.rules import Rules, violation
from copydesk.oracle import oracle_program
from copydesk.oracle.token_cost import CodecCost
from copydesk.paging.page import Page
from copydesk.program import Program, Sub
from copydesk.prompting.codec import Codec, own_run
from copydesk.prompting.prompt import PageTokens
from copydesk.quickfixes.handlers.blank_lines import gap_edits
from copydesk.quickfixes.handlers.lambda_assignment import lambda_edits
from copydesk.quickfixes.handlers.missing_indent import indent_edits
from copydesk.quickfixes.handlers.mutable_default import default_edits
from copydesk.quickfixes.handlers.unused_import import unused_edits
from copydesk.request import Diagnostic
from copydesk.serving.import_programs import Answers
from copydesk.text.line_edit import LineEdit


def rewritten_programs(
    codec: Codec,
    rules: Rules,
    page: Page,
    tokens: PageTokens,
    diagnostic: Diagnostic,
    lines: Sequence[str],
    tree: Tree,
) -> Answers | None:
    """The programs that put one of the ways in place; None where the diagnostic leaves more than a few, or the page does not
    hold them all. Raises: never.
    """
    ways = gap_edits(diagnostic, lines, tree) or lambda_edits(diagnostic, lines, tree)
    ways = ways or unused_edits(diagnostic, lines, tree)
    guesses = []
    if not ways:
        guesses = indent_edits(diagnostic, lines) or default_edits(diagnostic, lines, tree)
    made = [_program(codec, rules, page, tokens, (way,), lines) for way in ways or guesses]
    programs = [program for program in made if program is not None]
    # Of guesses some may be out of reach; else a list that lacks an answer would hide it, and the model writes.
    whole = bool(programs) and (bool(guesses) or len(programs) == len(ways))
    return Answers(tuple(dict.fromkeys(programs)), None) if whole else None


def listed_programs(
    codec: Codec,
    rules: Rules,
    page: Page,
    tokens: PageTokens,
    ways: Sequence[Sequence[LineEdit]],
    lines: Sequence[str],
) -> Answers | None:
    """The programs that go one of the ways, each lines apart and from the top down; None where the page can say none of them.
    Any language. Raises: never.
    """
    made = [_program(codec, rules, page, tokens, way, lines) for way in ways]
    programs = [program for program in made if program is not None]
    return Answers(tuple(dict.fromkeys(programs)), None) if programs else None


def _program(
    codec: Codec,
    rules: Rules,
    page: Page,
    tokens: PageTokens,
    way: Sequence[LineEdit],
    lines: Sequence[str],
) -> Program | None:
    """way: lines apart, from the top down."""
    views, changed = page.views, list(page.views)
    for edit in reversed(way):
        shown = _shown(page, edit)
        if shown is None:
            return None
        changed[shown] = [edit.text]
    try:
        program = oracle_program(
            "".join(views),
            "".join(changed),
            subs=rules.sub,
            cost=CodecCost(codec),
            sub_lines=codec.format.sub_lines,
            scope=rules.scope,
        )
        page.to_document(program, lines)
    except (ProgramError, ScopeError):
        return None
    for op in program.ops:
        if isinstance(op, Sub) and own_run(codec, views, tokens.lines, op.start, op.old) is None:
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
