"""What stands in `except` clauses and at raises: a cause, a call that logs."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import statements_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import insert_at, insert_lines, replace_node
from copydesk.syntax.splice import end_of
from copydesk.syntax.tree import text_of


def _chain(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in context.walk("raise_statement"):
        clause = _clause_of(node)
        if clause is None or node.child_by_field_name("cause") is not None or not node.named_children:
            continue
        for cause in (*_caught_as(clause), "None"):
            yield f"Raise from {cause}", insert_at(context.lines, end_of(node), f" from {cause}")


def _log(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    calls = [code for code in arguments.code if code.endswith(")") and code[:1].isidentifier()]
    for clause in context.starting("except_clause"):
        block = next((n for n in clause.named_children if n.type == "block"), None)
        body = statements_of(block)
        if not body or not context.starts_line(body[0]):
            continue
        for call in calls:
            title = f"Log in the except clause: {call}"
            if len(body) == 1 and body[0].type == "pass_statement":
                yield title, replace_node(context.lines, body[0], call)
            else:
                first = body[0].start_point[0] + 1
                yield title, insert_lines(first, [f"{context.indent(body[0])}{call}\n"])


def _clause_of(node: Node) -> Node | None:
    above = node.parent
    while above is not None and above.type not in ("except_clause", "function_definition", "lambda"):
        above = above.parent
    return above if above is not None and above.type == "except_clause" else None


def _caught_as(clause: Node) -> Iterator[str]:
    for node in clause.named_children:
        if node.type == "as_pattern" and (target := node.child_by_field_name("alias")) is not None:
            yield text_of(target)


CHAIN_EXCEPTION = Refactoring("chain_exception", "refactor.rewrite.chainException", _chain, menu="cursor")
LOG_EXCEPTION = Refactoring("log_exception", "refactor.rewrite.logException", _log)
