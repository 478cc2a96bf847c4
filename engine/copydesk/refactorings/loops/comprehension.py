"""A collection by a comprehension, or by a loop that fills it."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import (
    following,
    has_comment,
    lead_and_value,
    selected_statements,
    statements_of,
)
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_lines
from copydesk.syntax.tree import rows, text_of

_EMPTY = {"list_comprehension": "[]", "set_comprehension": "set()", "dictionary_comprehension": "{}"}
_METHODS = {"[]": "append", "list()": "append", "set()": "add"}


def _to_loop(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in selected_statements(context, "expression_statement"):
        found, (first, last) = lead_and_value(node), rows(node)
        if found is None or found[1].type not in _EMPTY or first != last:
            continue
        name, value = found[0].removesuffix(" = "), found[1]
        element, *clauses = value.named_children
        loops = [n for n in clauses if n.type == "for_in_clause"]
        tests = [n for n in clauses if n.type == "if_clause"]
        if (
            not name.isidentifier()
            or len(loops) != 1
            or len(tests) > 1
            or text_of(loops[0]).startswith("async")
        ):
            continue
        indent = context.indent(node)
        lines = [f"{indent}{name} = {_EMPTY[value.type]}\n", f"{indent}{text_of(loops[0])}:\n"]
        if tests:
            indent += "    "
            lines.append(f"{indent}{text_of(tests[0])}:\n")
        if value.type == "dictionary_comprehension":
            put = f"{name}[{text_of(element.named_children[0])}] = {text_of(element.named_children[1])}"
        else:
            put = f"{name}.{_METHODS[_EMPTY[value.type]]}({text_of(element)})"
        yield f'Fill "{name}" in a loop', replace_lines(first, last, [*lines, f"{indent}    {put}\n"])


def _to_comprehension(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in selected_statements(context, "expression_statement"):
        found, loop = lead_and_value(node), following(node)
        if (
            found is None
            or loop is None
            or loop.type != "for_statement"
            or loop.child_by_field_name("alternative")
        ):
            continue
        name, empty = found[0].removesuffix(" = "), text_of(found[1])
        left, right = loop.child_by_field_name("left"), loop.child_by_field_name("right")
        inner, first, last = _only(loop.child_by_field_name("body")), rows(node)[0], rows(loop)[1]
        if left is None or right is None or inner is None or has_comment(context, first, last):
            continue
        test = None
        if inner.type == "if_statement" and not inner.children_by_field_name("alternative"):
            test, inner = (
                inner.child_by_field_name("condition"),
                _only(inner.child_by_field_name("consequence")),
            )
        element = _element(inner, name, empty) if inner is not None else None
        if element is None or text_of(loop).startswith("async"):
            continue
        text = f"{element} for {text_of(left)} in {text_of(right)}"
        text += f" if {text_of(test)}" if test is not None else ""
        whole = f"[{text}]" if empty in ("[]", "list()") else f"{{{text}}}"
        if "\n" not in whole:
            lines = [f"{context.indent(node)}{name} = {whole}\n"]
            yield f'Make "{name}" by a comprehension', replace_lines(first, last, lines)


def _only(block: Node | None) -> Node | None:
    statements = statements_of(block)
    return statements[0] if len(statements) == 1 else None


def _element(statement: Node, name: str, empty: str) -> str | None:
    """What a statement puts into the collection, as a comprehension has it."""
    only = statement.named_children[0] if statement.named_child_count == 1 else None
    if statement.type != "expression_statement" or only is None:
        return None
    if only.type == "call" and empty in _METHODS:
        called, given = only.child_by_field_name("function"), only.child_by_field_name("arguments")
        if called is None or given is None or text_of(called) != f"{name}.{_METHODS[empty]}":
            return None
        values = given.named_children
        plain = len(values) == 1 and values[0].type not in ("keyword_argument", "list_splat")
        return text_of(values[0]) if plain else None
    target, value = only.child_by_field_name("left"), only.child_by_field_name("right")
    if only.type != "assignment" or target is None or value is None or empty not in ("{}", "dict()"):
        return None
    of, keys = target.child_by_field_name("value"), target.children_by_field_name("subscript")
    if target.type != "subscript" or of is None or text_of(of) != name or len(keys) != 1:
        return None
    return f"{text_of(keys[0])}: {text_of(value)}"


COMPREHENSION_TO_LOOP = Refactoring(
    "comprehension_to_loop", "refactor.rewrite.comprehensionToLoop", _to_loop, menu="cursor"
)
LOOP_TO_COMPREHENSION = Refactoring(
    "loop_to_comprehension", "refactor.rewrite.loopToComprehension", _to_comprehension, menu="cursor"
)
