"""Two conditions as nested ifs, or joined by `and`."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import body_lines, movable, shifted, statements_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import clauses_of, in_one_line, reindented, step_of
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_lines
from copydesk.refactorings.expressions import LOOSE
from copydesk.syntax.tree import rows, text_of


def either(one: Node, two: Node, word: str = "or") -> str | None:
    """Two conditions joined in one line, in brackets where they need them; None where it takes thought."""
    parts = []
    for test in (one, two):
        text = in_one_line(test)
        if text is None or test.type in LOOSE:
            return None
        operator = test.child_by_field_name("operator") if test.type == "boolean_operator" else None
        mixed = word == "and" and operator is not None and text_of(operator) == "or"
        parts.append(f"({text})" if mixed else text)
    return f" {word} ".join(parts)


def _head(context: RefactoringContext, node: Node) -> tuple[str, Node, Node, int] | None:
    """The word, the condition, the block and the last line of an `if` or `elif` without other branches behind it."""
    test, block = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
    if node.type == "if_statement" and node.children_by_field_name("alternative"):
        return None
    if node.type == "elif_clause" and node.next_named_sibling is not None:
        return None
    word = "if" if node.type == "if_statement" else "elif"
    (line,) = context.view(node.start_point[0] + 1, node.start_point[0] + 1)
    if test is None or block is None or line.strip() != f"{word} {text_of(test)}:":
        return None
    return word, test, block, rows(block)[1]


def _offer(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in context.walk("if_statement", "elif_clause"):
        outer = _head(context, node)
        inner = next(iter(statements_of(outer[2])), None) if outer is not None else None
        if outer is None or inner is None or inner.type != "if_statement":
            continue
        below = _head(context, inner)
        lines = body_lines(context, inner, "consequence")
        if below is None or lines is None or len(outer[2].named_children) != 1:
            continue
        if inner.start_point[0] != node.start_point[0] + 1 or not (_tight(outer[1]) and _tight(below[1])):
            continue
        body = context.view(*lines)
        if movable(below[2], body, context.indent(inner)):
            head = f"{context.indent(node)}{outer[0]} {text_of(outer[1])} and {text_of(below[1])}:\n"
            edits = replace_lines(node.start_point[0] + 1, outer[3], [head, *shifted(body, -4)])
            yield "Merge nested ifs", edits


def _merge(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    """An `if` that is all that another one does, with conditions over several lines."""
    for node in context.walk("if_statement"):
        for clause in clauses_of(context, node):
            inner = statements_of(clause.body)
            last = rows(node)[1] == clause.last
            if len(inner) != 1 or inner[0].type != "if_statement" or not last or clause.test is None:
                continue
            below = clauses_of(context, inner[0])
            if len(below) != 1 or below[0].test is None:
                continue
            test = either(clause.test, below[0].test, "and")
            body = reindented(context, below[0].first, below[0].last, -step_of(clause))
            if test is not None and body is not None:
                line = f"{context.indent(clause.node)}{clause.word} {test}:\n"
                yield f"Merge the nested ifs: {test}", replace_lines(clause.head, clause.last, [line, *body])


def _split(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in context.walk("if_statement", "elif_clause"):
        outer = _head(context, node)
        lines = body_lines(context, node, "consequence")
        if outer is None or lines is None or outer[1].type != "boolean_operator":
            continue
        word, test, block, last = outer
        left, right = test.child_by_field_name("left"), test.child_by_field_name("right")
        body = context.view(*lines)
        if left is None or right is None or not movable(block, body, ""):
            continue
        indent, one = context.indent(node), f"{context.indent(node)}{word} {text_of(left)}:\n"
        if text_of(test) == f"{text_of(left)} or {text_of(right)}":
            clauses = clauses_of(context, node)
            again = word if clauses and clauses[0].leaves else "elif"
            both = [one, *body, f"{indent}{again} {text_of(right)}:\n", *body]
            title = f"Split the condition into two {'separate ifs' if again == 'if' else 'branches'}: {text_of(test)}"
            yield title, replace_lines(node.start_point[0] + 1, last, both)
        elif text_of(test) == f"{text_of(left)} and {text_of(right)}":
            head = [one, f"{indent}    if {text_of(right)}:\n"]
            edits = replace_lines(node.start_point[0] + 1, last, [*head, *shifted(body, 4)])
            yield f"Split the condition {text_of(test)}", edits


def _tight(test: Node) -> bool:
    operator = test.child_by_field_name("operator") if test.type == "boolean_operator" else None
    return test.type not in LOOSE and (operator is None or text_of(operator) == "and")


MERGE_NESTED_IFS = Refactoring(
    "merge_nested_ifs", "refactor.rewrite.mergeNestedIfs", _merge, menu="cursor", offer=_offer
)
SPLIT_CONDITION = Refactoring("split_condition", "refactor.rewrite.splitCondition", _split, menu="cursor")
