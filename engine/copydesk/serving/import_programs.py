"""The page programs that answer a diagnostic about an undefined name by an import.

Puts what `importable.py` finds in a document into the ops of one page; knows nothing of models.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from copydesk.errors import ProgramError, ScopeError
from copydesk.grammar.rules import Rules, violation
from copydesk.oracle.single import line_sub
from copydesk.oracle.token_cost import CodecCost
from copydesk.paging.page import Page
from copydesk.program import Copy, Gen, Op, Program
from copydesk.prompting.codec import Codec, own_run
from copydesk.prompting.prompt import PageTokens
from copydesk.quickfixes.handlers.missing_import import Added, importable
from copydesk.quickfixes.handlers.unresolved_name import flagged
from copydesk.quickfixes.scope import names_undefined
from copydesk.request import EditRequest, Range
from copydesk.syntax.import_block import import_block, import_point
from copydesk.text.document import content


@dataclass(frozen=True, slots=True)
class Answers:
    """programs: each imports the name, and changes nothing else. rest: page ranges without the import block, for what
    else may be the answer; None where an import is the only one.
    """

    programs: tuple[Program, ...]
    rest: tuple[Range, ...] | None


def import_programs(
    codec: Codec,
    rules: Rules,
    page: Page,
    tokens: PageTokens,
    request: EditRequest,
    scope: Sequence[Range],
    lines: Sequence[str],
    header_lines: int,
) -> Answers | None:
    """The imports that may be added inside `scope` (document ranges); None where the request's one diagnostic asks for none
    that can be guessed. Python only. Raises: never.
    """
    diagnostic = request.diagnostics[0]
    at = diagnostic.start.line
    if not names_undefined(diagnostic) or at >= len(lines):
        return None
    text = content(lines[at])
    place = flagged(diagnostic, text)
    if place is None or text.lstrip().startswith(("import ", "from ")):
        return None
    block = import_block(lines, "python", header_lines or None)
    if block is None:
        first = import_point(lines, "python")
        block = (first, first - 1)
    if not any(s <= block[0] and block[1] <= e for s, e in scope):
        return None
    found = importable(text[place[0] : place[1]], lines, block)
    if found is None:
        return None
    made = (_program(codec, page, tokens, way, lines) for way in found.ways)
    programs = [p for p in made if p is not None and violation(rules, p, page.views) is None]
    if not found.sure:
        # What stands beside the list begins with a copy, and so must the list.
        apart = block in scope and all(end < start or start > 1 for start, end in rules.scope)
        programs = [p for p in programs if isinstance(p.ops[0], Copy) and p.ops[0].end < len(page)]
        if not apart:
            return None
    if not programs:
        return None
    (shown,) = page.to_page_scope([block])
    rest = tuple(lines for lines in rules.scope if lines != shown)
    return Answers(tuple(dict.fromkeys(programs)), None if found.sure else rest)


def _program(
    codec: Codec, page: Page, tokens: PageTokens, way: Added, lines: Sequence[str]
) -> Program | None:
    if way.line > len(lines) and page.unterminated:
        return None  # nothing can be said behind a last line without terminator
    if not way.instead:
        whole = _around(way.line - 1, Gen(way.text), way.line, len(lines))
        try:
            return page.from_document(whole, lines)
        except (ScopeError, ProgramError):
            return None
    number = page.page_line(way.line)
    if number is None:
        return None
    view = page.views[number - 1]
    sub = line_sub(view, way.text if view.endswith("\n") else content(way.text), CodecCost(codec))
    change: Op = Gen(way.text)
    if (
        sub is not None
        and codec.format.sub
        and own_run(codec, page.views, tokens.lines, number, sub.old) is not None
    ):
        change = type(sub)(number, number, sub.old, sub.new)
    elif not view.endswith("\n"):
        return None
    return _around(number - 1, change, number + 1, len(page))


def _around(last: int, change: Op, first: int, lines: int) -> Program:
    """`change` between a copy up to `last` and one from `first`, where these have lines."""
    head = (Copy(1, last),) if last else ()
    return Program((*head, change, Copy(first, lines)) if first <= lines else (*head, change))
