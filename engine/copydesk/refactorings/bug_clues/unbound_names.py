"""A name that nothing binds where it is read, and a variable that is read before it has a value."""

from __future__ import annotations

import builtins
import difflib
import re
from collections.abc import Sequence

from tree_sitter import Node, Tree

from copydesk.refactorings.blocks import function_of
from copydesk.refactorings.bug_clues.clue import Clue, below, instead
from copydesk.syntax.scopes import COMPREHENSIONS, Visible, enclosing_class, visible_names
from copydesk.syntax.splice import start_of
from copydesk.syntax.tree import text_of

OWN = 6.0
"""Points of an attribute of that name: more than any other name can have."""


def unbound_name(node: Node, tree: Tree) -> Clue:
    """The names that may be meant by an identifier which has no value there: others of the function, or an attribute of the same
    name. One that the function has nowhere else, and that is spelt like none of its others, may be an import's: of it nothing is
    said.
    """
    name, function = text_of(node), function_of(node)
    if name.startswith("__") or name == "_" or hasattr(builtins, name) or function is None or _guarded(node):
        return ()
    visible = {each.name: each for each in visible_names(tree, start_of(node))}
    if name not in visible:
        why = "which nothing defines here"
    elif _is_read_too_early(visible[name], node):
        why = "which has no value yet"
    else:
        return ()
    # Patterns bind names as well, and so may other functions.
    if next(below(function, "match_statement"), None) is not None:
        return ()
    if re.search(rf"\b(?:global|nonlocal)\b.*\b{name}\b", text_of(tree.root_node)):
        return ()
    others = [
        each
        for each in visible.values()
        if each.local and not each.own and each.name not in (name, "self", "cls")
    ]
    own = f"self.{name}" if _is_own(name, node, tree) else None
    if own is None and not _is_swapped(name, function) and not _alike(name, [each.name for each in others]):
        return ()
    fits = {each.name: _fit(each, node, function) for each in others}
    if own is not None:
        fits[own] = OWN
    return [
        (f"Use {other} instead of {name}, {why}", instead(node, other), fit)
        for other, fit in sorted(fits.items(), key=lambda told: -told[1])
    ]


def _is_read_too_early(visible: Visible, node: Node) -> bool:
    """Whether the only statement that gives a local variable its value reads it."""
    above = node.parent
    while above is not None and above.type not in ("assignment", "augmented_assignment", "block", "module"):
        if above.type == "lambda" or above.type in COMPREHENSIONS:
            return False
        above = above.parent
    target = above.child_by_field_name("left") if above is not None and above.type == "assignment" else None
    if target is None:
        return False
    targets = target.named_children if target.type == "pattern_list" else [target]
    assigned = visible.name in map(text_of, targets)
    return assigned and visible.own and visible.local and not visible.distance


def _fit(other: Visible, node: Node, function: Node) -> float:
    """How likely `other` is meant by `node`: it is read nowhere, used in the same way, on the same line, or spelt alike where the
    function has that spelling nowhere else.
    """
    name, wrong, text, parent = re.escape(other.name), text_of(node), text_of(function), node.parent
    line = text.split("\n")[node.start_point[0] - function.start_point[0]]
    behind = None
    if parent is not None and parent.named_children[0] == node:
        if parent.type == "attribute":
            behind = rf"\.{text_of(parent.named_children[-1])}\b"
        elif parent.type == "subscript":
            behind = r"\["
    return (
        3.0 * bool(not _is_swapped(wrong, function) and _alike(wrong, [other.name]))
        + 2.0 * (not other.read)
        + 2.0 * bool(behind and re.search(rf"\b{name}{behind}", text))
        + 1.5 * bool(re.search(rf"(?<![\w.]){name}\b(?! *=[^=])", line))
        + 0.5 * other.earlier
        - 0.2 * other.distance
    )


def _is_swapped(name: str, function: Node) -> bool:
    """Whether the function has the name elsewhere: then it is no slip of spelling."""
    return len(re.findall(rf"\b{name}\b", text_of(function))) > 1


def _alike(name: str, others: Sequence[str]) -> bool:
    return bool(difflib.get_close_matches(name, others, 1, 0.7))


def _is_own(name: str, node: Node, tree: Tree) -> bool:
    """Whether the class round a method has an attribute or a method of that name."""
    owner = enclosing_class(tree, start_of(node))
    return (
        owner is not None and re.search(rf"\bself\.{name}\b|\bdef {name}\(self\b", text_of(owner)) is not None
    )


def _guarded(node: Node) -> bool:
    """Whether somebody may have reckoned with an unknown name, or it is looked up in a class."""
    above = node.parent
    while above is not None and above.type != "function_definition":
        if above.type in ("try_statement", "class_definition"):
            return True
        if above.type == "if_statement" and "version" in text_of(above.named_children[0]):
            return True
        above = above.parent
    return False
