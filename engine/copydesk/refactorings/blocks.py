"""Statements and the lines they stand on: what can be moved, wrapped, or put before another one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from tree_sitter import Node

from copydesk.refactorings.context import RefactoringContext
from copydesk.request import Range
from copydesk.syntax.splice import end_of
from copydesk.syntax.tree import identifiers, is_label, rows, text_of

BLOCKS = ("block", "module")
LOOPS = ("for_statement", "while_statement")
COMPREHENSIONS = (
    "list_comprehension",
    "set_comprehension",
    "dictionary_comprehension",
    "generator_expression",
)
_LATER = (
    "lambda", "list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression",
    "conditional_expression", "boolean_operator", "while_statement", "elif_clause", "function_definition", "class_definition",
    "interpolation", "decorator",
)  # fmt: skip
"""Where a value is made at another time than the statement begins, or more than once, or never."""
_STORES = ("assignment", "augmented_assignment", "for_statement", "for_in_clause", "named_expression")


def is_text(node: Node) -> bool:
    """Whether a statement is a string and nothing else: a docstring, where it comes first."""
    return (
        node.type == "expression_statement"
        and node.named_child_count == 1
        and node.named_children[0].type == "string"
    )


def statements_of(block: Node | None) -> list[Node]:
    """The statements of a block, without comments."""
    return [node for node in block.named_children if node.type != "comment"] if block is not None else []


def selected_statements(context: RefactoringContext, *types: str) -> Iterator[Node]:
    """Selected statements that have their lines for themselves; those of some types, if given."""
    for node in context.walk(*types):
        if node.parent is not None and node.parent.type in BLOCKS and stands_alone(context, node):
            yield node


def stands_alone(context: RefactoringContext, node: Node) -> bool:
    """Whether there is nothing else in a node's first and last line, and a terminator."""
    behind = context.split(end_of(node))[1] if node.end_point[1] else ""
    ended = context.lines[rows(node)[1] - 1].endswith(("\n", "\r"))
    return context.starts_line(node) and not behind.strip() and ended


def following(node: Node) -> Node | None:
    """The next statement of the block, where it stands on the line behind this one."""
    after = node.next_named_sibling
    return (
        after
        if after is not None and after.type != "comment" and rows(after)[0] == rows(node)[1] + 1
        else None
    )


def next_statement(node: Node) -> Node | None:
    """The next statement of the block, whatever comments stand between."""
    after = node.next_named_sibling
    while after is not None and after.type == "comment":
        after = after.next_named_sibling
    return after


def can_leave(jump: str, node: Node) -> bool:
    """Whether a statement that leaves can stand where `node` does: `continue` needs a loop, `return` a function."""
    wanted = {"continue": LOOPS, "break": LOOPS, "return": ("function_definition",)}.get(jump.split()[0])
    above = node.parent
    while wanted and above is not None and above.type not in wanted:
        above = above.parent if above.type not in ("function_definition", "class_definition") else None
    return above is not None


def lead_and_value(statement: Node) -> tuple[str, Node] | None:
    """What stands before the value of an assignment or a return, and the value."""
    if statement.type == "return_statement" and statement.named_child_count == 1:
        return "return ", statement.named_children[0]
    only = statement.named_children[0] if statement.named_child_count == 1 else None
    if statement.type != "expression_statement" or only is None or only.type != "assignment":
        return None
    value = only.child_by_field_name("right")
    if value is None or value.type == "assignment":
        return None
    lead = text_of(only)[: -len(text_of(value))]
    return (lead, value) if lead.endswith(" = ") else None


def function_of(node: Node) -> Node | None:
    """The innermost function round a node."""
    above = node.parent
    while above is not None and above.type != "function_definition":
        above = above.parent
    return above


def top_statement(node: Node) -> Node:
    """The statement of the module that a node is part of."""
    while node.parent is not None and node.parent.type != "module":
        node = node.parent
    return node


def statement_before(node: Node) -> Node | None:
    """The statement that makes a value when it begins; None where it may be made later, again or not at all."""
    above: Node | None = node
    while above is not None and above.parent is not None:
        parent = above.parent
        if parent.type in BLOCKS:
            return above
        if parent.type in _LATER or above.type in ("else_clause", "except_clause", "finally_clause"):
            return None
        above = parent
    return None


def assigned(statement: Node) -> tuple[Node, Node] | None:
    """Both sides of an assignment."""
    only = statement.named_children[0] if statement.named_child_count == 1 else None
    if statement.type != "expression_statement" or only is None or only.type != "assignment":
        return None
    left, right = only.child_by_field_name("left"), only.child_by_field_name("right")
    return (left, right) if left is not None and right is not None else None


def is_stored(node: Node) -> bool:
    """Whether it is what a statement gives a value, or takes it from."""
    parent = node.parent
    while parent is not None and parent.type in (
        "pattern_list",
        "tuple_pattern",
        "list_pattern",
        "list_splat_pattern",
    ):
        node, parent = parent, parent.parent
    if parent is None or parent.type in (
        "delete_statement",
        "as_pattern_target",
        "global_statement",
        "nonlocal_statement",
    ):
        return parent is not None
    return parent.type in _STORES and node in (
        parent.child_by_field_name("left"),
        parent.child_by_field_name("name"),
    )


def is_late(names: Iterable[str], node: Node) -> bool:
    """Whether one of some names is given a value only by a statement or behind it, in the function round that."""
    function = function_of(node)
    given = function.child_by_field_name("parameters") if function is not None else None
    if function is None or given is None:
        return False
    wanted = set(names) - {text_of(name) for name in identifiers(given)}
    places: dict[str, int] = {}
    for name in identifiers(function) if wanted else ():
        if text_of(name) in wanted and is_stored(name):
            inside = name.parent is not None and name.parent.type == "for_in_clause"
            places.setdefault(text_of(name), -1 if inside else name.start_byte)
    return any(place >= node.start_byte for place in places.values())


def count_of(name: str, node: Node) -> int:
    """How often a variable of that name stands in the function round a place, selected or not."""
    return sum(text_of(n) == name and not is_label(n) for n in identifiers(_function_or_module(node)))


def is_read(name: str, node: Node) -> bool:
    """Whether a variable of that name is read anywhere in the function round a place."""
    return any(
        text_of(n) == name and not is_label(n) and not is_stored(n)
        for n in identifiers(_function_or_module(node))
    )


def _function_or_module(node: Node) -> Node:
    """The innermost function round a node, or itself one; the module where there is none."""
    while node.parent is not None and node.type != "function_definition":
        node = node.parent
    return node


def returns_value(block: Node) -> bool:
    """Whether a value is returned or yielded in the function whose body it is."""
    waiting = list(block.named_children)
    while waiting:
        child = waiting.pop()
        if child.type == "yield" or (child.type == "return_statement" and child.named_child_count):
            return True
        if child.type not in ("function_definition", "class_definition", "lambda"):
            waiting += child.named_children
    return False


def movable(node: Node | None, lines: Sequence[str], step: str) -> bool:
    """Whether the lines may be indented anew: no text goes over several of them, and none stands further left."""
    if node is None or any(line.strip() and not line.startswith(step) for line in lines):
        return False
    waiting = [node]
    while waiting:
        child = waiting.pop()
        if child.type == "string" and child.start_point[0] != child.end_point[0]:
            return False
        waiting += child.named_children
    return not any(re.search(r"\\\n$|^\s*\t", line) for line in lines)


def shifted(lines: Sequence[str], by: int) -> list[str]:
    """Lines moved right by so many columns, or left for a negative number; blank ones stay as they are."""
    if by >= 0:
        return [" " * by + line if line.strip() else line for line in lines]
    return [line[-by:] if line.strip() else line for line in lines]


def body_lines(context: RefactoringContext, node: Node, field: str = "body") -> Range | None:
    """The lines of a block below a head of one line, comments included; None where they do not stand so."""
    body = node.child_by_field_name(field)
    head = node.start_point[0] + 1
    if body is None or body.start_point[0] < head or not context.starts_line(node):
        return None
    (line,) = context.view(head, head)
    last = rows(body)[1]
    plain = line.rstrip().endswith(":") and context.lines[last - 1].endswith(("\n", "\r"))
    return (head + 1, last) if plain else None


def is_plain_if(context: RefactoringContext, node: Node | None) -> bool:
    """Whether it is an `if` without other branches, its condition in one line."""
    if node is None or node.type != "if_statement" or node.children_by_field_name("alternative"):
        return False
    test = node.child_by_field_name("condition")
    spelt = test is not None and text_of(test)
    return context.view(node.start_point[0] + 1, node.start_point[0] + 1)[0].strip() == f"if {spelt}:"


def else_line(context: RefactoringContext, node: Node) -> int | None:
    """The line of a plain `else:`, where that is the only other branch of an `if`."""
    branches = node.children_by_field_name("alternative")
    if len(branches) != 1 or branches[0].type != "else_clause":
        return None
    line = branches[0].start_point[0] + 1
    return line if context.view(line, line)[0].strip() == "else:" else None


def either_way(context: RefactoringContext, node: Node) -> tuple[str, Node, Node, Node] | None:
    """What an `if` on four lines does with one of two values (`return `, `x = `), the value, the condition, the other value."""
    test, (first, last) = node.child_by_field_name("condition"), rows(node)
    if else_line(context, node) is None or test is None or last - first != 3:
        return None
    one = statements_of(node.child_by_field_name("consequence"))
    two = statements_of(node.children_by_field_name("alternative")[0].child_by_field_name("body"))
    if len(one) != 1 or len(two) != 1:
        return None
    found, other = lead_and_value(one[0]), lead_and_value(two[0])
    if found is None or other is None or found[0] != other[0]:
        return None
    return found[0], found[1], test, other[1]


def has_comment(context: RefactoringContext, first: int, last: int) -> bool:
    """Whether there may be a comment in these lines; a `#` in a string counts as one."""
    return any("#" in line for line in context.view(first, last))
