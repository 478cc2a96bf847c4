"""A check on what an instruction is about, and a way out, at the places where it can stand."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import is_text, statements_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import clauses_of, comments_above, named, plain_statements, reindented
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import insert_lines, replace_lines
from copydesk.refactorings.function_body import body_of
from copydesk.refactorings.parameters import plain_names
from copydesk.refactorings.requested import requested_jumps, requested_tests, subjects
from copydesk.syntax.tree import identifiers, rows, text_of


def _guard(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    tests = requested_tests(context, arguments)
    jumps = requested_jumps(context, arguments) if tests else []
    places = _places(context, arguments) if jumps else []
    for test in tests:
        for jump in jumps:
            for node in places:
                indent = context.indent(node)
                if jump in ("continue", "break") and not _in_loop(node):
                    continue
                lines = [f"{indent}if {test}:\n", f"{indent}    {jump}\n"]
                title = f"{jump[0].upper()}{jump[1:]} if {test}"
                yield title, insert_lines(comments_above(context, node.start_point[0] + 1), lines)


def _in_loop(node: Node) -> bool:
    above = node.parent
    while above is not None and above.type not in ("function_definition", "class_definition"):
        if above.type in ("for_statement", "while_statement"):
            return True
        above = above.parent
    return False


def _places(context: RefactoringContext, arguments: Arguments) -> list[Node]:
    """The statements before which a check can stand: the first of the function, the first of loops, those behind the
    assignment of a subject, and the first that reads one.
    """
    found: dict[int, Node] = {}
    first = next((node for node in body_of(context) if not is_text(node)), None)
    if first is not None:
        found[first.start_point[0]] = first
    names = set(subjects(context, arguments))
    statements = list(plain_statements(context))
    for node in statements:
        if node.type in ("for_statement", "while_statement"):
            for inner in statements_of(node.child_by_field_name("body"))[:1]:
                found.setdefault(inner.start_point[0], inner)
        if _assigned(node) & names:
            behind = node.next_named_sibling
            if behind is not None and behind.type != "comment":
                found.setdefault(behind.start_point[0], behind)
    for name in names:
        for node in statements:
            if node.type.endswith("_statement") and any(text_of(n) == name for n in _reads(node)):
                found.setdefault(node.start_point[0], node)
                break
    return [node for node in found.values() if context.starts_line(node)][:5]


def _assigned(statement: Node) -> set[str]:
    only = statement.named_children[0] if statement.named_child_count == 1 else None
    left = only.child_by_field_name("left") if only is not None and only.type == "assignment" else None
    return {text_of(left), *(text_of(n) for n in identifiers(left))} if left is not None else set()


def _reads(statement: Node) -> list[Node]:
    return list(identifiers(statement))


def _wrap(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """A statement that is done on a condition alone."""
    tests = requested_tests(context, arguments, 5)
    opposite = [test.removeprefix("not ") if test.startswith("not ") else f"not {test}" for test in tests]
    statements = [
        n for n in plain_statements(context) if not is_text(n) and not n.type.endswith("definition")
    ]
    for test in dict.fromkeys([*tests, *(o for o in opposite if " " not in o.removeprefix("not "))]):
        for node in statements[:16]:
            (first, last), indent = rows(node), context.indent(node)
            moved = reindented(context, first, last, 4)
            if moved is not None:
                yield (
                    f"Only if {test}: {named(node)}",
                    replace_lines(first, last, [f"{indent}if {test}:\n", *moved]),
                )


def _elif(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """One more case of an `if`."""
    tests = requested_tests(context, arguments, 5)
    jumps = requested_jumps(context, arguments, 5) if tests else []
    for node in context.walk("if_statement"):
        clauses, indent = clauses_of(context, node), context.indent(node)
        if not clauses or not tests:
            continue
        place = clauses[-1].head if clauses[-1].word == "else" else clauses[-1].last + 1
        bodies = [context.view(c.first, c.last) for c in clauses if c.last - c.first < 3]
        for test in tests:
            for body in [[f"{indent}    {jump}\n"] for jump in jumps] + bodies:
                yield (
                    f"Add elif {test}: {body[0].strip()}",
                    insert_lines(place, [f"{indent}elif {test}:\n", *body]),
                )
            for clause in clauses:
                if clause.word == "else":
                    yield (
                        f"Make the else an elif {test}",
                        replace_lines(clause.head, clause.head, [f"{indent}elif {test}:\n"]),
                    )


def _default(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """A parameter that stands for something where it is None."""
    first = next((node for node in body_of(context) if not is_text(node)), None)
    names = [n for n in plain_names(context) if arguments.mentions(n)] or plain_names(context)[:3]
    values = [v for v in arguments.values if context.knows(v)][:5]
    for word, value in (
        ("list", "[]"),
        ("dict", "{}"),
        ("string", '""'),
        ("empty", "[]"),
        ("empty", "{}"),
        ("set", "set()"),
    ):
        if word in arguments.words:
            values.append(value)
    if first is None or not context.starts_line(first):
        return
    indent, line = context.indent(first), first.start_point[0] + 1
    for name in names:
        for value in dict.fromkeys(values):
            if value != name:
                yield (
                    f"Default {name} to {value} where it is None",
                    insert_lines(line, [f"{indent}if {name} is None:\n", f"{indent}    {name} = {value}\n"]),
                )
                yield (
                    f"Fall back: {name} = {name} or {value}",
                    insert_lines(line, [f"{indent}{name} = {name} or {value}\n"]),
                )


ADD_GUARD = Refactoring("add_guard", "refactor.rewrite.addGuard", _guard)
WRAP_IN_IF = Refactoring("wrap_in_if", "refactor.rewrite.wrapInIf", _wrap)
ADD_BRANCH = Refactoring("add_branch", "refactor.rewrite.addBranch", _elif)
DEFAULT_FOR_NONE = Refactoring("default_for_none", "refactor.rewrite.defaultForNone", _default)
