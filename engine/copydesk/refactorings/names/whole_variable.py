"""Whether a selection has all of a variable: who renames a part of it breaks the code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from copydesk.refactorings.blocks import COMPREHENSIONS, function_of, is_stored
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.expressions import callee
from copydesk.syntax.tree import identifiers, is_label, text_of

_CONSTRUCTORS = ("__init__", "__new__")
_SCOPES = ("function_definition", "lambda", *COMPREHENSIONS)
_LOOPS = ("for_statement", "while_statement")
_PATTERNS = ("typed_parameter", "list_splat_pattern", "dictionary_splat_pattern", "as_pattern_target")
_PARAMETERS = (
    "parameters",
    "lambda_parameters",
    "default_parameter",
    "typed_default_parameter",
    "as_pattern",
)


def is_parameter(node: Node) -> bool:
    """Whether an identifier is one, or what `as` gives a name."""
    parent = node.parent
    while parent is not None and parent.type in _PATTERNS:
        node, parent = parent, parent.parent
    if parent is None or parent.type not in _PARAMETERS:
        return False
    return parent.type != "as_pattern" or node.type == "as_pattern_target"  # not `E` of `except E as e`


def lines_elsewhere(context: RefactoringContext, nodes: Sequence[Node]) -> list[int]:
    """The lines (1-based) outside the selection that have the same variable as `nodes`, all those of one name that are selected,
    or that pass it by name. None for what no function binds, or where the selected code gives it a value of its own and the rest
    does so again.
    """
    name, found = text_of(nodes[0]), dict[int, Node]()
    for owner in dict.fromkeys(_owner(node, name) for node in nodes if not _is_all_selected(context, node)):
        for other in _named(owner, name) if owner is not None else ():
            if not context.has(other) and _owner(other, name) == owner:
                found[other.start_byte] = other
    others = [found[place] for place in sorted(found)]
    if others and _has_own_value(nodes, others):
        return []
    passed = (line for node in nodes if is_parameter(node) for line in _passed_by_name(context, node))
    return sorted({*(other.start_point[0] + 1 for other in others), *passed})


def _passed_by_name(context: RefactoringContext, parameter: Node) -> Iterator[int]:
    """The lines outside the selection where what is called like the parameter's function, or its class, is given it by name."""
    function = function_of(parameter)
    called = function.child_by_field_name("name") if function is not None else None
    if called is None:
        return
    callees = {text_of(called), *(_class_name(called) if text_of(called) in _CONSTRUCTORS else ())}
    root = parameter
    while root.parent is not None:
        root = root.parent
    name = text_of(parameter)
    keyword = re.compile(rf"(?<![\w.]){re.escape(name)} ?=(?!=)")
    selected = set(context.numbers())
    for number, line in enumerate(context.lines, 1):
        for found in keyword.finditer(line) if name in line and number not in selected else ():
            at = (number - 1, len(line[: found.start()].encode("utf-8", "replace")))
            node = root.named_descendant_for_point_range(at, at)
            if node is not None and called_with(node) in callees:
                yield number


def called_with(label: Node) -> str | None:
    """The last name of what is called with an argument that this identifier names; None where it names none."""
    given = label.parent
    call = given.parent.parent if given is not None and given.parent is not None else None
    if not is_label(label) or call is None or call.type != "call":
        return None
    return callee(call).rpartition(".")[2]


def _class_name(node: Node) -> Iterator[str]:
    """Of the class round a definition."""
    above = node.parent
    while above is not None and above.type != "class_definition":
        above = above.parent
    name = above.child_by_field_name("name") if above is not None else None
    if name is not None:
        yield text_of(name)


def _is_all_selected(context: RefactoringContext, node: Node) -> bool:
    """Whether all of the outermost function round a place is."""
    function = outer = function_of(node)
    while outer is not None:
        function, outer = outer, function_of(outer)
    return function is not None and context.has(function)


def _owner(node: Node, name: str) -> Node | None:
    """The innermost function, lambda or comprehension round a place that binds the name."""
    scope = _scope(node)
    while scope is not None:
        if any(_binds(each) and _scope(each) == scope for each in _named(scope, name)):
            return scope
        scope = _scope(scope)
    return None


def _scope(node: Node) -> Node | None:
    above = node.parent
    while above is not None and above.type not in _SCOPES:
        above = above.parent
    return above


def _named(scope: Node, name: str) -> Iterator[Node]:
    return (node for node in identifiers(scope) if text_of(node) == name and not is_label(node))


def _binds(node: Node) -> bool:
    return is_stored(node) or is_parameter(node)


def _has_own_value(nodes: Sequence[Node], others: Sequence[Node]) -> bool:
    first, last = nodes[0], nodes[-1]
    behind = next((other for other in others if other.start_byte > last.start_byte), None)
    above = first.parent
    while above is not None and above.type != "function_definition":
        if above.type in _LOOPS and any(
            above.start_byte < other.start_byte < above.end_byte for other in others
        ):
            return False  # the loop comes round again
        above = above.parent
    return _is_new(first) and (behind is None or _is_new(behind))


def _is_new(node: Node) -> bool:
    """Whether it is given a value without its old one being read."""
    parent = node.parent
    return is_stored(node) and parent is not None and parent.type != "augmented_assignment"
