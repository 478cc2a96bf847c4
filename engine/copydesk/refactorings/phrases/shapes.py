"""The shape of code: branches swapped, a guard in place of nesting, lines in a try block."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from tree_sitter import Node

from copydesk.refactorings.phrases.selection import Rule, Selection, Way
from copydesk.refactorings.phrases.words import first_match, only, wordings
from copydesk.syntax.splice import end_of, start_of
from copydesk.syntax.tree import rows, text_of
from copydesk.text.document import view_line
from copydesk.text.line_edit import LineEdit

_IFS = (
    "the if else if/else if-else condition branch branches bodies blocks and by two statement its test around that of "
    "negating inverting swapping switched swapped accordingly behaviour behavior same unchanged"
)
_SWAPS = re.compile(
    r"\b(?:invert|flip|reverse|swap|switch|turn)\b.*\bif\b|\b(?:swap|switch)\w*\b.*\b(?:branch\w*|bodies|blocks|else)\b",
    re.IGNORECASE,
)
"""A condition that is turned alone makes other code of it."""
_GUARD = (
    "use an a early return returns to reduce the nesting with turn if into guard clause instead of and invert condition "
    "flatten this function"
)
_ERROR, _ACTION = r"(?P<error>[A-Z]\w*)", r"(?P<action>[a-z][\w -]*?)"
_FAILS = r"(?:,? (?:if it fails|on (?:an )?error|on failure|in that case|in the except|in except|then|if it'?s raised))?"
_THIS = r"(?:the line )?(?P<what>this|here|.+?)"
_TRIES = r"(?:try/except|try / except|try, except|try except|try ?\.\.\. ?except)"
_TRY = wordings(
    rf"(?:wrap|surround|enclose|put) (?:{_THIS} )?(?:in|with|by) (?:a )?{_TRIES} {_ERROR}(?:,|:| and) {_ACTION}{_FAILS}",
    rf"wrap {_THIS} in a try block[;,] on {_ERROR} {_ACTION}",
    rf"wrap {_THIS} in a try block that {_ACTION} on {_ERROR}",
    rf"catch {_ERROR} (?:(?:round|around|at|from|in) )?{_THIS} and {_ACTION}{_FAILS}",
    rf"handle {_ERROR}(?: (?:from|in) {_THIS})?(?: with a {_TRIES})?(?:: | that ){_ACTION}",
    rf"(?:put|add) (?:a )?{_TRIES} {_ERROR} (?:just )?(?:round|around|for) {_THIS}[,;] (?:and )?(?:on error )?{_ACTION}{_FAILS}",
    rf"add error handling for {_ERROR}: {_ACTION}",
    rf"if {_THIS} raises {_ERROR}, {_ACTION}",
    rf"{_THIS} should be in a try; on {_ERROR} {_ACTION}",
)
_ACTIONS = {
    "pass": "pass", "ignore it": "pass", "do nothing": "pass", "ignore the error": "pass", "return": "return",
    "just return": "return", "return none": "return None", "return false": "return False", "continue": "continue",
    "go on with the next": "continue", "raise": "raise", "re-raise": "raise", "raise it again": "raise",
}  # fmt: skip
_OPPOSITE = {
    "==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<", "is": "is not", "is not": "is", "in": "not in",
    "not in": "in",
}  # fmt: skip
_ATOMS = ("identifier", "attribute", "call", "subscript")


def shape_rule(instruction: str) -> Rule | None:
    """Reads a wish for another shape."""
    if only(instruction, "invert flip swap negate reverse switch turn", _IFS) and _SWAPS.search(instruction):
        return _inverted
    if only(instruction, "early guard flatten", _GUARD):
        return _guarded
    found = first_match(_TRY, instruction)
    action = (
        _ACTIONS.get(re.sub(r"^return(?:s|ing)\b", "return", found["action"].strip().lower()))
        if found is not None
        else None
    )
    if found is None or action is None:
        return None
    what = found.groupdict().get("what") or "this"
    return partial(_tried, None if what.lower() in ("this", "here") else what, found["error"], action)


def _inverted(selected: Selection) -> Way | None:
    """The one `if` with an `else` and nothing between."""
    found = [
        n for n in selected.walk() if n.type == "if_statement" and n.children_by_field_name("alternative")
    ]
    if len(found) != 1:
        return None
    node = found[0]
    branches = node.children_by_field_name("alternative")
    test, body = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
    if len(branches) != 1 or branches[0].type != "else_clause" or test is None or body is None:
        return None
    opposite, middle = _not(test), branches[0].start_point[0] + 1
    first, last = rows(node)
    head, between = view_line(selected.lines[first - 1]), view_line(selected.lines[middle - 1])
    plain = head.strip() == f"if {text_of(test)}:" and between.strip() == "else:"
    if opposite is None or not plain or not selected.lines[last - 1].endswith("\n"):
        return None
    indent = head[: len(head) - len(head.lstrip())]
    one = [view_line(line) for line in selected.lines[first : middle - 1]]
    two = [view_line(line) for line in selected.lines[middle:last]]
    return (LineEdit(first, last, "".join([f"{indent}if {opposite}:\n", *two, f"{indent}else:\n", *one])),)


def _guarded(selected: Selection) -> Way | None:
    """A function that ends in an `if` returns instead where the condition does not hold, and the rest moves left."""
    function = selected.function()
    block = function.child_by_field_name("body") if function is not None else None
    if function is None or block is None or not block.named_children:
        return None
    node = block.named_children[-1]
    if node.type != "if_statement" or node.children_by_field_name("alternative") or not selected.has(node):
        return None
    test, body = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
    opposite = _not(test) if test is not None else None
    if body is None or test is None or opposite is None or _gives_back(block):
        return None
    first, last = rows(node)
    head = view_line(selected.lines[first - 1])
    indent = head[: len(head) - len(head.lstrip())]
    inner = selected.split(start_of(body))[0] if body.start_point[0] >= first else ""
    lines = [view_line(line) for line in selected.lines[first:last]]
    step = inner[len(indent) :]
    if head.strip() != f"if {text_of(test)}:" or not step or inner.strip() or not _movable(node, lines, step):
        return None
    left = [line[len(step) :] if line.strip() else line for line in lines]
    return (LineEdit(first, last, "".join([f"{indent}if {opposite}:\n", f"{indent}{step}return\n", *left])),)


def _tried(what: str | None, error: str, action: str, selected: Selection) -> Way | None:
    """what: the one statement it is; None for the selection, which has to be whole statements."""
    if what is None:
        if len(selected.scope) != 1:
            return None
        first, last = selected.scope[0]
    else:
        found = [n for n in selected.walk() if n.type.endswith("statement") and text_of(n) == what]
        if len(found) != 1:
            return None
        first, last = rows(found[0])
    statements = _statements(selected, first, last)
    lines = [view_line(line) for line in selected.lines[first - 1 : last]]
    if not statements or not lines[-1].endswith("\n") or not _movable(statements[0].parent, lines, ""):
        return None
    indent = selected.split(start_of(statements[0]))[0]
    if indent.strip() or not _may(action, statements[0]):
        return None
    moved = [f"    {line}" if line.strip() else line for line in lines]
    made = [f"{indent}try:\n", *moved, f"{indent}except {error}:\n", f"{indent}    {action}\n"]
    return (LineEdit(first, last, "".join(made)),)


def _statements(selected: Selection, first: int, last: int) -> Sequence[Node]:
    """The statements of one block that are lines `first` to `last`, and nothing else; none where there are no such."""
    inside = [n for n in selected.walk() if rows(n)[0] == first and n.parent is not None]
    top = next((n for n in inside if n.parent is not None and n.parent.type in ("block", "module")), None)
    if top is None or top.parent is None:
        return []
    found = [n for n in top.parent.named_children if first <= rows(n)[0] and rows(n)[1] <= last]
    return (
        found
        if found and rows(found[-1])[1] == last and not selected.split(end_of(found[-1]))[1].strip()
        else []
    )


def _may(action: str, node: Node) -> bool:
    """Whether a statement can stand where `node` does: `continue` needs a loop, `return` a function."""
    wanted = {"continue": ("for_statement", "while_statement"), "return": ("function_definition",)}.get(
        action.split()[0], ()
    )
    above = node.parent
    while wanted and above is not None and above.type not in wanted:
        above = above.parent if above.type not in ("function_definition", "class_definition") else None
    return above is not None


def _gives_back(node: Node) -> bool:
    """Whether a value is returned or yielded in the function whose body it is."""
    waiting = list(node.named_children)
    while waiting:
        child = waiting.pop()
        if child.type == "yield" or (child.type == "return_statement" and child.named_child_count):
            return True
        if child.type not in ("function_definition", "class_definition", "lambda"):
            waiting += child.named_children
    return False


def _movable(node: Node | None, lines: Sequence[str], step: str) -> bool:
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


def _not(test: Node) -> str | None:
    """The opposite of a condition, as one would write it; None where it takes thought."""
    text = text_of(test)
    if "\n" in text:
        return None
    if test.type == "not_operator":
        inner = test.child_by_field_name("argument")
        return text_of(inner) if inner is not None and inner.type in _ATOMS else None
    if test.type == "comparison_operator" and test.named_child_count == 2:
        left, right = test.named_children
        said = " ".join(text_of(child) for child in test.children if child not in (left, right))
        return f"{text_of(left)} {_OPPOSITE[said]} {text_of(right)}" if said in _OPPOSITE else None
    return f"not {text}" if test.type in _ATOMS else None
