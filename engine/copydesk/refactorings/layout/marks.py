"""Commas and blanks: a comma behind the last entry, blanks after commas and around operators, none before a call's brackets, a
colon or a comma, none inside brackets and around the `=` of an argument.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, repeat

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, combined, insert_at, replace_nodes, replace_span
from copydesk.refactorings.expressions import COLLECTIONS, children_of, is_mentioned
from copydesk.syntax.splice import end_of, start_of
from copydesk.syntax.tree import text_of

_OPERATIONS = ("assignment", "augmented_assignment", "comparison_operator", "binary_operator")
_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_BLANKS = frozenset({"blank", "blanks", "space", "spaces", "whitespace", "spacing"})


def _comma(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    if not arguments.words & {"comma", "commas"}:
        return
    for last in context.walk():
        holder, behind = last.parent, last.next_sibling
        if holder is None or holder.type not in (*COLLECTIONS, "argument_list", "parameters"):
            continue
        alone = context.starts_line(last) and context.split(end_of(last))[1].strip() in ("", ",")
        if not alone or children_of(holder)[-1] != last or text_of(last).startswith("**"):
            continue
        if behind is None or behind.type != ",":
            yield f"Add a trailing comma after {text_of(last)}", insert_at(context.lines, end_of(last), ",")
        elif holder.type != "tuple" or len(children_of(holder)) > 1:
            without = replace_span(context.lines, start_of(behind), end_of(behind), "")
            yield f"No trailing comma after {text_of(last)}", without


def _blank(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    calls: list[tuple[Node, Edits]] = []
    for call in context.walk("call") if arguments.words & _BLANKS else ():
        function, given = call.child_by_field_name("function"), call.child_by_field_name("arguments")
        if function is not None and given is not None and end_of(function) != start_of(given):
            closed = replace_span(context.lines, end_of(function), start_of(given), "")
            calls += [(function, closed)] if closed else []
    for function, closed in calls if len(calls) == 1 else (c for c in calls if is_mentioned(c[0], arguments)):
        yield f"No blank before the brackets of {text_of(function)}()", closed
    if len(calls) > 1:
        together = combined(context.lines, [closed for _, closed in calls])
        yield "No blank before the brackets of all calls, space, parenthesis", together
    for mark, said in ((":", "colon"), (",", "comma")) if arguments.words & _BLANKS else ():
        apart = filter(None, map(_apart, context.walk(), repeat(mark)))
        closed_up = [replace_span(context.lines, end_of(left), start_of(right), "") for left, right in apart]
        found = list(filter(None, closed_up))
        yield f"No blank before the {said}, space", combined(context.lines, found) if found else None


def _apart(node: Node, mark: str) -> tuple[Node, Node] | None:
    """A node and the mark behind it, in one line with blanks between; None where there is none, or both are part of a slice."""
    behind = node.next_sibling
    if behind is None or behind.type != mark or (node.parent is not None and node.parent.type == "slice"):
        return None
    (line, end), (below, begin) = end_of(node), start_of(behind)
    return (node, behind) if line == below and end < begin else None


def _inside(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """No blanks behind an opening bracket, before a closing one, and around the `=` of an argument or a default."""
    if not arguments.words & {*_BLANKS, "pep8"}:
        return
    brackets: list[Edits] = []
    signs: list[Edits] = []
    for node in context.walk():
        for left, right in pairwise(node.children):
            apart = left.end_point[0] == right.start_point[0] and left.end_byte < right.start_byte
            closed = replace_span(context.lines, end_of(left), start_of(right), "") if apart else None
            if closed is None:
                continue
            opening = left.type in _BRACKETS
            closing = right.type in _BRACKETS.values() and left.type != ","
            if (opening or closing) and "comment" not in (left.type, right.type):
                brackets.append(closed)
            if node.type in ("keyword_argument", "default_parameter") and "=" in (left.type, right.type):
                signs.append(closed)
    if brackets:
        yield "No blanks inside the brackets, spaces, parentheses", combined(context.lines, brackets)
    if signs:
        yield "No blanks around the = of arguments, spaces, keyword", combined(context.lines, signs)


def _after_commas(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """A blank after each comma that has none."""
    commas = [
        node.next_sibling
        for node in (context.walk() if arguments.words & {*_BLANKS, "comma", "commas", "pep8"} else ())
        if node.next_sibling is not None and node.next_sibling.type == ","
    ]
    followed = [
        comma
        for comma in commas
        if comma.next_named_sibling is not None and start_of(comma.next_named_sibling) == end_of(comma)
    ]
    yield "A blank after the comma", replace_nodes(context.lines, [(comma, ", ") for comma in followed])


def _round_operators(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """Blanks on both sides of each operator, all of one kind or all there are."""
    close: dict[str, list[tuple[Node, str]]] = {}
    for node in context.walk(*_OPERATIONS) if arguments.words & {*_BLANKS, "pep8"} else ():
        for sign in (child for child in node.children if not child.is_named and not child.type.isalpha()):
            before, behind = sign.prev_sibling, sign.next_sibling
            if before is None or behind is None or sign.type == ":":
                continue
            left = " " if end_of(before) == start_of(sign) else ""
            right = " " if end_of(sign) == start_of(behind) else ""
            if left or right:
                close.setdefault(sign.type, []).append((sign, f"{left}{sign.type}{right}"))
    for kind, signs in close.items():
        yield f"Blanks around {kind}, spaces", replace_nodes(context.lines, signs)
    if len(close) > 1:
        together = [sign for signs in close.values() for sign in signs]
        yield "Blanks around all operators, spaces", replace_nodes(context.lines, together)


BLANKS_ROUND_OPERATORS = Refactoring(
    "blanks_round_operators", "refactor.rewrite.blanksRoundOperators", _round_operators
)
BLANK_AFTER_COMMA = Refactoring("blank_after_comma", "refactor.rewrite.blankAfterComma", _after_commas)
TRAILING_COMMA = Refactoring("trailing_comma", "refactor.rewrite.trailingComma", _comma)
BLANK_BEFORE_CALL = Refactoring("blank_before_call", "refactor.rewrite.blankBeforeCall", _blank)
NO_BLANKS_INSIDE = Refactoring("no_blanks_inside", "refactor.rewrite.noBlanksInside", _inside)
