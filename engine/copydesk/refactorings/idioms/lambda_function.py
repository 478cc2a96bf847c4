"""A lambda with a name as a function, and a function that only returns something as a lambda."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import (
    assigned,
    next_statement,
    selected_statements,
    statement_before,
    statements_of,
)
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import in_one_line, plain_statements
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, insert_lines, merged, replace_lines, rewrite_node
from copydesk.refactorings.new_names import free_name, new_names
from copydesk.syntax.splice import end_of
from copydesk.syntax.tree import rows, text_of

_ALLOWED = re.compile(r"\s*# noqa(?:: ?E731)?\s*$", re.MULTILINE)
"""The comment that allows a lambda to have a name; a function needs none."""


def _to_def(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    yield from _given(context, arguments)
    found = list(_functions(context))
    for head, edits in found:
        yield f"Make the lambda a function: def {head}", edits
    if len(found) > 1:
        yield "Make all lambdas functions", tuple(edit for _, edits in found for edit in edits)


def _given(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """A lambda that is an argument, an entry or what is returned, as a function before the statement."""
    for node in context.walk("lambda"):
        holder, statement = node.parent, statement_before(node)
        parts = _parts(node)
        if holder is None or statement is None or parts is None or not context.has(statement):
            continue
        own = holder.child_by_field_name("left" if holder.type == "assignment" else "name")
        if not context.starts_line(statement):
            continue
        if holder.type == "assignment" and (own is None or own.type != "attribute"):
            continue
        last = text_of(own).rpartition(".")[2].lstrip("_") if own is not None else ""
        names = [*new_names(context, arguments, 2), last or "function"]
        for name in dict.fromkeys(free_name(name, context.variables()) for name in names):
            indent = context.indent(statement)
            lines = [f"{indent}def {name}({parts[0]}):\n", f"{indent}    return {parts[1]}\n", "\n"]
            edits = merged(insert_lines(rows(statement)[0], lines), rewrite_node(context.lines, node, name))
            yield f"Make the lambda a function of its own: def {name}({parts[0]})", edits


def _functions(context: RefactoringContext) -> Iterator[tuple[str, Edits]]:
    """Each lambda with a name: the head of the function that it is, and its edit."""
    for node in selected_statements(context, "expression_statement"):
        given = assigned(node)
        if given is None or given[0].type != "identifier" or given[1].type != "lambda":
            continue
        parts = _parts(given[1])
        behind = context.split(end_of(node))[1].strip()
        if parts is None or not context.starts_line(node) or (behind and not _ALLOWED.fullmatch(behind)):
            continue
        name, indent = text_of(given[0]), context.indent(node)
        lines = [f"{indent}def {name}({parts[0]}):\n", f"{indent}    return {parts[1]}\n"]
        yield f"{name}({parts[0]})", replace_lines(*rows(node), lines)


def _parts(function: Node) -> tuple[str, str] | None:
    """The parameters and the value of a lambda, each in one line; None where a comment says more than that it may be one."""
    given, value = function.child_by_field_name("parameters"), function.child_by_field_name("body")
    if value is None or "#" in _ALLOWED.sub("", text_of(function)):
        return None
    text = _ALLOWED.sub("", text_of(value))
    flat = in_one_line(value) if text == text_of(value) else " ".join(map(str.strip, text.split("\n")))
    if flat is None or '"""' in flat or "'''" in flat:
        return None
    flat = re.sub(r"\s+\)", ")", re.sub(r"\(\s+", "(", flat)) if text != text_of(value) else flat
    return (text_of(given) if given is not None else "", flat)


def _to_lambda(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in plain_statements(context, "function_definition"):
        body = statements_of(node.child_by_field_name("body"))
        name, given = node.child_by_field_name("name"), node.child_by_field_name("parameters")
        if len(body) != 1 or body[0].type != "return_statement" or name is None or given is None:
            continue
        method = (
            node.parent is not None
            and node.parent.parent is not None
            and node.parent.parent.type == "class_definition"
        )
        if method or "\n" in text_of(given) or any(p.type.startswith("typed") for p in given.named_children):
            continue
        if text_of(node).startswith("async") or body[0].named_child_count != 1:
            continue
        value = in_one_line(body[0].named_children[0])
        if value is not None:
            parameters = text_of(given)[1:-1].strip()
            head = f"lambda {parameters}" if parameters else "lambda"
            line = f"{context.indent(node)}{text_of(name)} = {head}: {value}\n"
            yield f"Make the function a lambda: {text_of(name)}", replace_lines(*rows(node), [line])
            behind = next_statement(node)
            if behind is not None and text_of(behind) == f"return {text_of(name)}" and context.has(behind):
                line = f"{context.indent(node)}return {head}: {value}\n"
                both = replace_lines(rows(node)[0], rows(behind)[1], [line])
                yield f"Return a lambda, no inner function {text_of(name)}", both


LAMBDA_TO_DEF = Refactoring("lambda_to_def", "refactor.rewrite.lambdaToDef", _to_def, menu="cursor")
DEF_TO_LAMBDA = Refactoring("def_to_lambda", "refactor.rewrite.defToLambda", _to_lambda)
