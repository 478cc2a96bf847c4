"""Values and names for them: a constant for a literal, a variable for an expression, and back."""

from __future__ import annotations

import ast
import re
from functools import partial

from tree_sitter import Node

from copydesk.refactorings.phrases.selection import Rule, Selection, Way
from copydesk.refactorings.phrases.words import code, expression, first_match, name, wordings
from copydesk.syntax.splice import Splice, end_of, spliced, start_of
from copydesk.syntax.tree import identifiers, is_label, rows, text_of
from copydesk.text.line_edit import LineEdit

_NAME, _VALUE = name("name"), code("value")
_VARIABLE = r"(?:(?:a |the |its own )?(?:new )?(?:local )?(?:variable|var),? )?(?:named |called )?"
_LITERAL = rf"(?:the )?(?:magic )?(?:value |number |literal )?{_VALUE}"
_OF = r"(?:the |our )?(?:constant )?"
_CONSTANT = wordings(
    rf"use {_OF}{_NAME} (?:instead of|rather than|in place of|for) {_LITERAL}",
    rf"use {_OF}{_NAME} constant (?:instead of|rather than|in place of|for) {_LITERAL}",
    rf"(?:replace|swap|substitute|change) (?:the hardcoded )?{_LITERAL} (?:by|with|for|to) {_OF}{_NAME}",
    rf"substitute {_OF}{_NAME} for {_LITERAL}",
    rf"instead of {_LITERAL} use {_OF}{_NAME}",
    rf"(?:don'?t|do not) hardcode {_VALUE}, use {_OF}{_NAME}",
    rf"no magic numbers: {_VALUE} is {_NAME}",
    rf"{_VALUE} is a magic number, use {_OF}{_NAME}",
    rf"{_LITERAL} should be {_OF}{_NAME}",
    rf"{_VALUE} -> {_NAME} constant",
)
_EXTRACT = wordings(
    rf"(?:extract|pull out|pull|move) (?:the expression )?{_VALUE} (?:out )?(?:in)?to {_VARIABLE}{_NAME}",
    rf"(?:extract|pull out) (?:the expression )?{_VALUE} as {_VARIABLE}{_NAME}",
    rf"extract {_VALUE} -> {_NAME}",
    rf"(?:factor) {_VALUE} out (?:in)?to {_VARIABLE}{_NAME}",
    rf"(?:introduce|create|make) {_VARIABLE}{_NAME} for (?:the expression )?{_VALUE}",
    rf"(?:put|store) {_VALUE} in {_VARIABLE}{_NAME}(?: and use (?:it|that))?",
    rf"assign {_VALUE} to {_VARIABLE}{_NAME}(?: first| and use (?:it|that))?",
    rf"give {_VALUE} a name: {_NAME}",
)
_TEMPORARY = r"(?:the )?(?:temporary |temp )?(?:variable )?"
_INLINE = wordings(
    rf"inline {_TEMPORARY}{_NAME}(?: variable)?",
    rf"(?:remove|drop) the variable {_NAME} and use its value directly",
    rf"replace the variable {_NAME} (?:by|with) its (?:value|expression)",
    rf"get rid of (?:the )?(?:temporary |temp )?variable {_NAME}(?: by inlining it)?",
    rf"get rid of (?:the )?(?:temporary|temp) {_NAME}(?: by inlining it)?",
    rf"{_NAME} is only used once, inline it",
    rf"(?:don'?t|do not) use the variable {_NAME}, inline its value",
)
_LATER = (
    "lambda", "list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression",
    "conditional_expression", "boolean_operator", "while_statement", "elif_clause", "function_definition", "class_definition",
    "interpolation", "decorator",
)  # fmt: skip
"""Where a value is made at another time than the statement begins, or more than once, or never."""
_WHOLE = (
    "identifier", "attribute", "call", "subscript", "integer", "float", "string", "true", "false", "none", "list",
    "dictionary", "set", "tuple", "parenthesized_expression", "list_comprehension", "set_comprehension",
    "dictionary_comprehension",
)  # fmt: skip
"""What means the same wherever it stands in an expression."""
_LOOSE = (
    "binary_operator", "comparison_operator", "boolean_operator", "not_operator", "unary_operator", "await",
    "conditional_expression",
)  # fmt: skip
_ALONE = (
    "argument_list",
    "return_statement",
    "expression_list",
    "parenthesized_expression",
    "list",
    "assignment",
)
"""Where such a one stands as well."""


def value_rule(instruction: str) -> Rule | None:
    """Reads a wish about a value and its name."""
    for pattern in _CONSTANT:
        if (found := pattern.match(instruction)) and _has_constant(
            instruction, found["name"], found["value"]
        ):
            return partial(_constant, found["name"], found["value"])
    for pattern in _EXTRACT:
        if (found := pattern.match(instruction)) and expression(found["value"]):
            return partial(_extracted, found["name"], found["value"])
    sure = re.search(r"\b(?:variable|temporary|temp)\b", instruction) is not None
    return partial(_inlined, found["name"], sure) if (found := first_match(_INLINE, instruction)) else None


def _constant(name: str, value: str, selected: Selection) -> Way | None:
    places = [node for node in selected.walk() if text_of(node) == value and not _said_by(node, value)]
    if not places:
        named = any(text_of(n) == name for n in selected.walk() if n.type == "identifier")
        return () if named and not any(value in selected.lines[n - 1] for n in selected.numbers()) else None
    return spliced(selected.lines, [Splice(start_of(n), end_of(n), name) for n in places]) or None


def _said_by(node: Node, value: str) -> bool:
    """Whether its only child is the same text, and will be found itself; or it is a text that is a statement."""
    child = node.named_children[0] if node.named_child_count == 1 else None
    return node.type == "expression_statement" or (child is not None and text_of(child) == value)


def _extracted(name: str, value: str, selected: Selection) -> Way | None:
    """The value gets a line of its own before the one statement that has it."""
    names = [n for n in selected.walk() if n.type == "identifier" and text_of(n) == name]
    places = [node for node in selected.walk() if text_of(node) == value and not _said_by(node, value)]
    if any(_gives(n, value) for n in names):
        return ()
    if len(places) != 1 or names or _is_stored(places[0]):
        return None
    statement = _statement(places[0])
    if statement is None or not selected.has(statement):
        return None
    indent = selected.split(start_of(statement))[0]
    line = statement.start_point[0] + 1
    used = spliced(selected.lines, [Splice(start_of(places[0]), end_of(places[0]), name)])
    return (
        None
        if indent.strip() or not used
        else (LineEdit(line, line - 1, f"{indent}{name} = {value}\n"), *used)
    )


def _inlined(name: str, sure: bool, selected: Selection) -> Way | None:
    """Where it is given once and used once, by the next statement. sure: the words speak of a variable."""
    names = [n for n in selected.walk() if n.type == "identifier" and text_of(n) == name and not is_label(n)]
    if not names:
        return () if sure or name in selected.quoted else None
    if len(names) != 2 or _is_stored(names[1]) or _count(name, names[0]) != 2:
        return None
    given, used = names
    assignment = given.parent
    if (
        assignment is None
        or assignment.type != "assignment"
        or assignment.child_by_field_name("left") != given
    ):
        return None
    value = assignment.child_by_field_name("right")
    statement, behind = assignment.parent, _statement(used)
    if (
        value is None
        or statement is None
        or behind is None
        or assignment.child_by_field_name("type") is not None
    ):
        return None
    first, last = rows(statement)
    alone = selected.split(start_of(statement))[0] + selected.split(end_of(statement))[1]
    loose = value.type in _LOOSE and used.parent is not None and used.parent.type in _ALONE
    if (
        not (value.type in _WHOLE or loose)
        or first != last
        or alone.strip()
        or statement.next_named_sibling != behind
    ):
        return None
    made = spliced(selected.lines, [Splice(start_of(used), end_of(used), text_of(value))])
    return (LineEdit(first, first, ""), *made) if made else None


def _statement(node: Node) -> Node | None:
    """The statement that makes a value when it begins; None where it may be made later, again or not at all."""
    above: Node | None = node
    while above is not None and above.parent is not None:
        parent = above.parent
        if parent.type in ("block", "module"):
            return above
        if parent.type in _LATER or above.type in ("else_clause", "except_clause", "finally_clause"):
            return None
        above = parent
    return None


def _is_stored(node: Node) -> bool:
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
    stores = ("assignment", "augmented_assignment", "for_statement", "for_in_clause", "named_expression")
    return parent.type in stores and node in (
        parent.child_by_field_name("left"),
        parent.child_by_field_name("name"),
    )


def _count(name: str, node: Node) -> int:
    """How often a variable of that name stands in the function round a place, selected or not."""
    above = node
    while above.parent is not None and above.type != "function_definition":
        above = above.parent
    return sum(text_of(n) == name and not is_label(n) for n in identifiers(above))


def _gives(name: Node, value: str) -> bool:
    parent = name.parent
    right = (
        parent.child_by_field_name("right") if parent is not None and parent.type == "assignment" else None
    )
    return right is not None and text_of(right) == value


def _has_constant(instruction: str, name: str, value: str) -> bool:
    """Whether the value is a literal, and the name a constant's: for a text in quotes, another text may be meant."""
    try:
        literal = ast.literal_eval(value)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return False
    return not isinstance(literal, str) or name.isupper() or "constant" in instruction
