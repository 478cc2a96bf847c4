"""Introduce guard: a check on what an instruction is about, and a way out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import (
    LOOPS,
    can_leave,
    function_of,
    is_late,
    is_stored,
    next_statement,
    returns_value,
    statements_of,
)
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import JUMPS, comments_above, plain_statements
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, insert_lines
from copydesk.refactorings.expressions import children_of
from copydesk.refactorings.function_body import can_insert_before, first_statement
from copydesk.refactorings.parameters import plain_names
from copydesk.refactorings.requested import (
    logging_calls,
    quoted,
    requested_jumps,
    requested_tests,
    subjects,
)
from copydesk.refactorings.spoken import named_in
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
_MOST_PLACES = 6
_MOST_OF_ONE = 3
"""Of them, for one check."""
_NOTHING = frozenset({"nothing", "op", "noop"})
_AT_ONCE = frozenset({"straight", "away", "immediately", "beginning", "top"})
"""Words of an instruction that wants a check as early as it can be made."""
_AS_IT_IS = frozenset({"as", "itself", "unchanged", "untouched", "same", "it"})
"""Words of an instruction that wants an empty value back, and not something else."""
_CONSTANT = ("None", "True", "False")
_NAME = re.compile(r"(?<![\w.'\"])[^\W\d]\w*")
_REFUSING = frozenset({
    "refuse", "refused", "refuses", "reject", "rejected", "rejects", "complain", "complains", "error", "errors", "invalid",
    "fail", "fails", "raise", "raises", "forbid", "forbidden", "disallow", "illegal", "must", "needs", "has", "allowed", "legal",
    "throw", "valid", "sense", "accept", "accepted",
})  # fmt: skip
"""Words of an instruction that wants something refused, without saying by which exception."""
_OF = r"(?:len\()?([\w.]+)\)?"
_MESSAGES = tuple(
    (re.compile(form), error, message)
    for form, error, message in (
        (r"not isinstance\(([\w.]+), ([\w.]+)\)", "TypeError", "{0} must be a {1}"),
        (r"isinstance\(([\w.]+), ([\w.]+)\)", "TypeError", "{0} must not be a {1}"),
        (r"([\w.]+) is None", "ValueError", "{0} must not be None"),
        (r"not ([\w.]+)", "ValueError", "{0} must not be empty"),
        (r"not ([\w.]+)\.exists\(\)", "FileNotFoundError", "{0} does not exist"),
        (r"([\w.]+) < 0", "ValueError", "{0} must not be negative"),
        (r"([\w.]+) <= 0", "ValueError", "{0} must be positive"),
        (r"([\w.]+) == 0", "ValueError", "{0} must not be zero"),
        (r"not (\S+) <= ([\w.]+) <= (\S+)", "ValueError", "{1} must be between {0} and {2}"),
        (rf"{_OF} < (\d+)", "ValueError", "{0} must be at least {1}"),
        (rf"{_OF} > (\d+)", "ValueError", "{0} must be at most {1}"),
    )
)
"""Tests, the exception where one holds, and its message."""


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
    tests = [test for test in requested_tests(context, arguments) if test not in _CONSTANT]
    jumps = requested_jumps(context, arguments) if tests else []
    places = _places(context, arguments) if jumps else []
    said = list(logging_calls(context, arguments))[:2] if jumps else []
    bodies = [[jump] for jump in jumps] + [[call, jump] for call in said for jump in jumps[:2]]
    refusing = bool(arguments.words & _REFUSING) and not arguments.exceptions
    for test in tests:
        refused = [[_refusal(context, test)]] if refusing else []
        possible = _apart(test, [node for node in places if _may_hold(context, test, node)])[:_MOST_OF_ONE]
        earliest = sorted(possible, key=lambda node: node.start_byte)[:1]
        possible = earliest if arguments.words & _AT_ONCE else possible
        early = earliest if _is_of_parameters(context, test) else possible
        for body in [*refused, *bodies]:
            for node in early if body[-1].startswith("raise") else possible:
                late = body[-1].startswith("return ") and is_late(_NAME.findall(body[-1][7:]), node)
                useless = body[-1] in (
                    f"return {test.removeprefix('not ')}",
                    f"return {test.removesuffix(' is None')}",
                )
                if useless and not arguments.words & _AS_IT_IS:
                    continue
                if can_leave(body[-1], node) and not late and not body[-1].endswith(test):
                    indent, jump = context.indent(node), body[-1]
                    title = f"{jump[0].upper()}{jump[1:]} if {test}"
                    title += f", {body[0]} first" if len(body) > 1 else ""
                    title += ": nothing to do" if jump == "return" and arguments.words & _NOTHING else ""
                    lines = [f"{indent}if {test}:\n", *(f"{indent}    {line}\n" for line in body)]
                    place = comments_above(context, node.start_point[0] + 1)
                    yield title, insert_lines(place, lines)
    yield from _of_parameters(context, arguments)


def _of_parameters(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    names = named_in(arguments, plain_names(context))
    function = context.function()
    body = function.child_by_field_name("body") if function is not None else None
    plain = [] if body is not None and returns_value(body) else ["return"]
    values = [value for value in arguments.values if context.knows(value)]
    for name in names:
        for state, (test, message) in _STATES.items():
            asked = test.format(name)
            fitting = [value for value in values if value != asked and not (plain and value == "None")]
            actions = [*plain, *(f"return {value}" for value in fitting)]
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
    given = [] if first is None else plain_names(context)
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
    for name in (name for name in names if name not in given):
        for node in statements:
            if node.type.endswith("_statement") and any(text_of(n) == name for n in identifiers(node)):
                found.setdefault(node.start_point[0], node)
                break
    if context.function() is None and statements and function_of(statements[0]) is not None:
        found.setdefault(statements[0].start_point[0], statements[0])
    last = statements[-1:] if statements and statements[-1].type == "return_statement" else []
    found.update((node.start_point[0], node) for node in last if node.start_point[0] not in found)
    return [node for node in found.values() if context.starts_line(node)][:_MOST_PLACES]


def _apart(test: str, places: list[Node]) -> list[Node]:
    """Of the places in one block, the first one, and others where something before says more about what the test reads."""
    read = set(_NAME.findall(test)) - {"self", "cls"}
    dotted = set(re.findall(r"(?<![\w.])[^\W\d]\w*(?:\.\w+)+", test))
    kept: dict[int, Node] = {}
    others: list[Node] = []
    for node in sorted(places, key=lambda place: place.start_byte):
        block = node.parent.id if node.parent is not None else 0
        before = node.prev_named_sibling
        while before is not None and before.type == "comment":
            before = before.prev_named_sibling
        told = before is not None and (
            bool(_assigned(before) & (read | dotted))
            or (_is_guard(before) and bool({text_of(name) for name in identifiers(before)} & read))
        )
        if block not in kept:
            kept[block] = node
        elif told:
            others.append(node)
    found = [*kept.values(), *others]
    found = [node for node in found if not any(_is_round(one, node) for one in kept.values())]
    return [node for node in places if node in found]


def _is_round(first: Node, node: Node) -> bool:
    """Whether a statement stands before another one, or round it, in a block round that one's."""
    above = node.parent.parent if node.parent is not None else None
    while above is not None and above != first.parent:
        above = above.parent
    return above is not None and above == first.parent and first.start_byte <= node.start_byte


def _may_hold(context: RefactoringContext, test: str, node: Node) -> bool:
    """Whether what a test reads is there already before a statement; inside a loop, whether it is another one each time."""
    read = set(_NAME.findall(test))
    stored = [name for name in context.walk("identifier") if text_of(name) in read and is_stored(name)]
    own = set(plain_names(context))
    late = {text_of(name) for name in stored} - {text_of(n) for n in stored if n.end_byte < node.start_byte}
    loop = node.parent
    while loop is not None and loop.type not in (*LOOPS, "function_definition"):
        loop = loop.parent
    if loop is not None and loop.type in LOOPS and context.has(loop):
        inside = any(loop.start_byte <= name.start_byte < loop.end_byte for name in stored)
        return inside and not late
    return not late - own


def _is_of_parameters(context: RefactoringContext, test: str) -> bool:
    """Whether all that a test reads are arguments, which are never given another value and not checked yet: it can come first."""
    read = set(_NAME.findall(test)) & context.variables()
    stored = {text_of(name) for name in context.walk("identifier") if is_stored(name)}
    first = first_statement(context)
    checked = set(map(text_of, identifiers(first))) if first is not None and _is_guard(first) else set()
    return bool(read) and read <= set(plain_names(context)) and not read & (stored | checked)


def _refusal(context: RefactoringContext, test: str) -> str:
    """What is raised where a test holds: what the selected code raises elsewhere, with a message about that."""
    raised = [text_of(children_of(node)[0]) for node in context.walk("raise_statement") if children_of(node)]
    calls = {text.partition("(")[0] for text in raised if "(" in text}
    if len(set(raised)) == 1 and raised[0].endswith("()"):
        return f"raise {raised[0]}"
    kind, message = _complaint(test)
    return f"raise {calls.pop() if len(calls) == 1 else kind}({quoted(message)})"


def _complaint(test: str) -> tuple[str, str]:
    """The exception where a test holds, and its message."""
    for form, kind, message in _MESSAGES:
        if (found := form.fullmatch(test)) is not None:
            return kind, message.format(*found.groups())
    return "ValueError", "invalid value"


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
