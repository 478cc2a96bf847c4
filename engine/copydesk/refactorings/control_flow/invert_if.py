"""The branches of an `if`, swapped."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import clauses_of, reindented
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, replace_lines
from copydesk.refactorings.negation import opposite, opposites
from copydesk.syntax.tree import rows, text_of


def invert_the_if(context: RefactoringContext) -> Edits | None:
    """The one `if` of the selection that has another branch."""
    found = [n for n in context.walk("if_statement") if n.children_by_field_name("alternative")]
    return invert_if(found[0], context) if len(found) == 1 else None


def invert_if(node: Node, context: RefactoringContext, turned: str | None = None) -> Edits | None:
    """An `if` with an `else` and nothing between. turned: the opposite of its condition, if not the plain one."""
    branches = node.children_by_field_name("alternative")
    test, body = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
    if len(branches) != 1 or branches[0].type != "else_clause" or test is None or body is None:
        return None
    turned, middle = turned or opposite(test), branches[0].start_point[0] + 1
    first, last = rows(node)
    head, between = (*context.view(first, first), *context.view(middle, middle))
    plain = head.strip() == f"if {text_of(test)}:" and between.strip() == "else:"
    if turned is None or not plain or not context.lines[last - 1].endswith("\n"):
        return None
    indent = context.indent(node)
    one, two = context.view(first + 1, middle - 1), context.view(middle + 1, last)
    whole = rows(body) == (first + 1, middle - 1)
    other = (_as_elif(context, body, indent) if whole else None) or [f"{indent}else:\n", *one]
    return replace_lines(first, last, [f"{indent}if {turned}:\n", *two, *other])


def _as_elif(context: RefactoringContext, body: Node, indent: str) -> list[str] | None:
    """A branch that is one `if`, as an `elif`; None where it is more than that."""
    only = body.named_children[0]
    lines = reindented(context, *rows(body), len(indent) - len(context.indent(only)))
    plain = len(body.named_children) == 1 and only.type == "if_statement" and lines is not None
    if not plain or lines is None or not lines[0].startswith(f"{indent}if "):
        return None
    return [f"{indent}el{lines[0].lstrip()}", *lines[1:]]


def _offer(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in context.walk("if_statement"):
        yield 'Invert "if"', invert_if(node, context)


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    """Also those whose condition takes thought, and the last two branches of longer ones."""
    for node in context.walk("if_statement"):
        test = node.child_by_field_name("condition")
        for other in opposites(test) if test is not None else ():
            yield f'Invert "if", swap the branches: if {other}', invert_if(node, context, other)
        clauses = clauses_of(context, node)
        if len(clauses) < 3 or clauses[-1].word != "else" or clauses[-2].test is None:
            continue
        (one, two), turned = clauses[-2:], opposite(clauses[-2].test)
        (head,) = context.view(one.head, one.head)
        (between,) = context.view(two.head, two.head)
        plain = head.strip() == f"elif {text_of(clauses[-2].test)}:" and between.strip() == "else:"
        if turned is not None and plain:
            bodies = [context.view(clause.first, clause.last) for clause in (one, two)]
            indent = context.indent(node)
            lines = [f"{indent}elif {turned}:\n", *bodies[1], f"{indent}else:\n", *bodies[0]]
            yield "Swap the elif and the else, inverted", replace_lines(one.head, two.last, lines)


INVERT_IF = Refactoring("invert_if", "refactor.rewrite.invertIf", _propose, menu="cursor", offer=_offer)
