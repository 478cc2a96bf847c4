"""An assignment inside the condition that tests it."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import following, has_comment, lead_and_value, selected_statements
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import clauses_of
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, merged, replace_lines
from copydesk.refactorings.expressions import LOOSE
from copydesk.syntax.tree import rows, text_of

_CONDITION = ("parenthesized_expression", "not_operator", "boolean_operator", "comparison_operator")
_LOOSE = (*LOOSE, "yield", "expression_list")


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    every: list[Edits] = []
    for node in selected_statements(context, "expression_statement"):
        found, below = lead_and_value(node), following(node)
        if found is None or found[1].type in _LOOSE or below is None or below.type != "if_statement":
            continue
        name, value = found[0].removesuffix(" = "), text_of(found[1])
        test, (first, last) = below.child_by_field_name("condition"), rows(node)
        if test is None or first != last or not name.isidentifier() or has_comment(context, first, last + 1):
            continue
        new = _with_assignment(test, name, value)
        (head,) = context.view(last + 1, last + 1)
        if new is not None and f"if {text_of(test)}:" in head:
            line = head.replace(f"if {text_of(test)}:", f"if {new}:", 1)
            every.append(replace_lines(first, last + 1, [line]))
            yield f'Assign "{name}" in the condition', every[-1]
    if len(every) > 1:
        yield "Assign in the condition in all places", merged(*every)


def _loops(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    """`while True` that reads something and ends where there is nothing."""
    for loop in context.walk("while_statement"):
        clauses = clauses_of(context, loop)
        body = clauses[0].statements if len(clauses) == 1 else []
        test = text_of(clauses[0].test) if clauses and clauses[0].test is not None else ""
        found = lead_and_value(body[0]) if len(body) > 2 else None
        name = found[0].removesuffix(" = ") if found is not None else ""
        if found is None or test not in ("True", "1") or not name.isidentifier() or found[1].type in _LOOSE:
            continue
        ends = " ".join(text_of(body[1]).split())
        (first, last), behind = rows(body[0]), rows(body[1])[1]
        if ends in (f"if not {name}: break", f"if {name} is None: break") and first == last:
            value = text_of(found[1])
            condition = f"{name} := {value}" if "not" in ends else f"({name} := {value}) is not None"
            if not has_comment(context, clauses[0].head, behind):
                line = f"{context.indent(loop)}while {condition}:\n"
                yield (
                    f'Assign "{name}" in the condition of the loop, walrus',
                    replace_lines(clauses[0].head, behind, [line]),
                )


def _split(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    """The assignment in a condition on a line of its own, before it."""
    for node in context.walk("named_expression"):
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        above = node.parent
        while above is not None and above.type in _CONDITION:
            above = above.parent
        if name is None or value is None or above is None or above.type != "if_statement":
            continue
        condition = above.child_by_field_name("condition")
        inside = condition is not None and condition.start_byte <= node.start_byte < condition.end_byte
        if not inside or condition is None or not context.starts_line(above) or "\n" in text_of(condition):
            continue
        bracketed = node.parent is not None and node.parent.type == "parenthesized_expression"
        whole = node.parent if bracketed and node.parent is not None else node
        line = above.start_point[0] + 1
        (head,) = context.view(line, line)
        before, behind = context.split(whole.start_point)[0], context.split(whole.end_point)[1]
        if _first_read(condition) == whole and head.endswith("\n"):
            assignment = f"{context.indent(above)}{text_of(name)} = {text_of(value)}\n"
            title = f'Assign "{text_of(name)}" on its own line, before the if, no walrus'
            gaps = [" " if sign.isalnum() else "" for sign in (before[-1:], behind[:1])]
            test = f"{before}{gaps[0]}{text_of(name)}{gaps[1]}{behind}"
            yield title, replace_lines(line, line, [assignment, test])


def _first_read(condition: Node) -> Node:
    """What a condition looks at before all else."""
    first = condition
    while first.type in ("boolean_operator", "comparison_operator", "not_operator") and first.named_children:
        first = first.named_children[0]
    return first


def _with_assignment(test: Node, name: str, value: str) -> str | None:
    """None where the name is not the first thing the condition looks at."""
    made, text = f"({name} := {value})", text_of(test)
    if text == name:
        return f"{name} := {value}"
    first = _first_read(test)
    if text_of(first) != name or first == test:
        return None
    start = len(text.encode()[: first.start_byte - test.start_byte].decode())
    return text[:start] + made + text[start + len(name) :]


WALRUS = Refactoring("walrus", "refactor.rewrite.walrus", _propose, menu="cursor")
WALRUS_LOOP = Refactoring("walrus_loop", "refactor.rewrite.walrusLoop", _loops, menu="cursor")
SPLIT_WALRUS = Refactoring("split_walrus", "refactor.rewrite.splitWalrus", _split, menu="cursor")
