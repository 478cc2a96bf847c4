"""Introduce guard: a check on what an instruction is about, and a way out."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import LOOPS, can_leave, next_statement, statements_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import JUMPS, comments_above, plain_statements
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, insert_lines
from copydesk.refactorings.function_body import can_insert_before, first_statement
from copydesk.refactorings.parameters import plain_names
from copydesk.refactorings.requested import (
    logging_calls,
    requested_jumps,
    requested_tests,
    subjects,
)
from copydesk.syntax.tree import identifiers, text_of

_STATES = {
    "None": ("{0} is None", "{0} must not be None"),
    "empty": ("not {0}", "{0} must not be empty"),
    "negative": ("{0} < 0", "{0} must not be negative"),
    "zero": ("{0} == 0", "{0} must not be zero"),
    "not a string": ("not isinstance({0}, str)", "{0} must be a string"),
    "not callable": ("not callable({0})", "{0} must be callable"),
}
"""What is wrong with an argument: the test for it, and the message of an exception about it."""
_VALUES = ("None", "False", "[]", "{}", "0", "''", '""')

_MOST_PLACES = 6


def return_if_none(name: str, value: str, context: RefactoringContext) -> Edits | None:
    """name: a parameter; other names mean nothing yet at the start."""
    function = context.function()
    parameters = function.child_by_field_name("parameters") if function is not None else None
    given = {text_of(node) for node in identifiers(parameters)} if parameters is not None else set()
    if name not in given or not context.knows(value):
        return None
    return add_guard(f"{name} is None", f"return {value}", context)


def add_guard(test: str, action: str, context: RefactoringContext) -> Edits | None:
    """`if test: action` as the first thing the selected function does, behind its docstring."""
    first = first_statement(context)
    if first is None:
        return None
    head, answer = f"if {test}:\n", action
    if " ".join(text_of(first).split()) == " ".join((head + answer).split()):
        return ()
    if not can_insert_before(context, first):
        return None
    indent = context.indent(first)
    function = context.function()
    assert function is not None
    step = indent[: len(indent) - len(context.indent(function))] or "    "
    return insert_lines(first.start_point[0] + 1, [f"{indent}{head}", f"{indent}{step}{answer}\n"])


def _guard(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    tests = requested_tests(context, arguments)
    jumps = requested_jumps(context, arguments) if tests else []
    places = _places(context, arguments) if jumps else []
    said = list(logging_calls(context, arguments))[:2] if jumps else []
    bodies = [[jump] for jump in jumps] + [[call, jump] for call in said for jump in jumps[:2]]
    for test in tests:
        for body in bodies:
            for node in places:
                if can_leave(body[-1], node):
                    indent, jump = context.indent(node), body[-1]
                    title = f"{jump[0].upper()}{jump[1:]} if {test}"
                    title += f", {body[0]} first" if len(body) > 1 else ""
                    lines = [f"{indent}if {test}:\n", *(f"{indent}    {line}\n" for line in body)]
                    place = comments_above(context, node.start_point[0] + 1)
                    yield title, insert_lines(place, lines)
    yield from _of_parameters(context, arguments)


def _of_parameters(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    names = [name for name in plain_names(context) if arguments.mentions(name)]
    values = [value for value in arguments.values if context.knows(value)]
    for name in names:
        for state, (test, message) in _STATES.items():
            actions = ["return", *(f"return {value}" for value in dict.fromkeys([*values, *_VALUES]))]
            for error in arguments.exceptions:
                actions += [f"raise {error}", f'raise {error}("{message.format(name)}")']
            for action in actions:
                title = f'{action[0].upper()}{action[1:]} if "{name}" is {state}'
                yield title, add_guard(test.format(name), action, context)


def _places(context: RefactoringContext, arguments: Arguments) -> list[Node]:
    """The statements before which a check can stand: the first of the function, the first of loops, those behind the
    assignment of a subject, and the first that reads one.
    """
    found: dict[int, Node] = {}
    first = first_statement(context)
    if first is not None:
        found[first.start_point[0]] = first
        behind: Node | None = first
        while behind is not None and _is_guard(behind):
            behind = next_statement(behind)
        if behind is not None:
            found.setdefault(behind.start_point[0], behind)
    names = subjects(context, arguments)
    statements = list(plain_statements(context))
    for node in statements:
        if node.type in LOOPS:
            for inner in statements_of(node.child_by_field_name("body"))[:1]:
                found.setdefault(inner.start_point[0], inner)
        if _assigned(node) & set(names):
            behind = node.next_named_sibling
            if behind is not None and behind.type != "comment":
                found.setdefault(behind.start_point[0], behind)
    for name in names:
        for node in statements:
            if node.type.endswith("_statement") and any(text_of(n) == name for n in identifiers(node)):
                found.setdefault(node.start_point[0], node)
                break
    last = statements[-1:] if statements and statements[-1].type == "return_statement" else []
    found.update((node.start_point[0], node) for node in last if node.start_point[0] not in found)
    return [node for node in found.values() if context.starts_line(node)][:_MOST_PLACES]


def _is_guard(statement: Node) -> bool:
    """Whether it is an `if` without other branches that leaves the block."""
    body = statements_of(statement.child_by_field_name("consequence"))
    alone = statement.type == "if_statement" and not statement.children_by_field_name("alternative")
    return alone and bool(body) and body[-1].type in JUMPS


def _assigned(statement: Node) -> set[str]:
    only = statement.named_children[0] if statement.named_child_count == 1 else None
    left = only.child_by_field_name("left") if only is not None and only.type == "assignment" else None
    return {text_of(left), *(text_of(n) for n in identifiers(left))} if left is not None else set()


ADD_GUARD = Refactoring("add_guard", "refactor.rewrite.addGuard", _guard)
