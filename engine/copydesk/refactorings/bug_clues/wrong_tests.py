"""Tests that guard what they rule out, and comparisons that always come out the same."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node, Tree

from copydesk.refactorings.bug_clues.clue import Clue, below, instead
from copydesk.syntax.scopes import visible_names
from copydesk.syntax.splice import start_of
from copydesk.syntax.tree import text_of

_COMPARED = frozenset({"==", "!=", "<", ">", "<=", ">=", "is", "is not"})
_TAKING = frozenset({"pop", "popleft", "popitem"})
"""What fails on what is empty; None has no attribute at all."""


def used_where_missing(node: Node) -> Iterator[Clue]:
    """What a test finds to be None or empty, and what it guards looks into all the same."""
    if node.type == "conditional_expression":
        guarded, test = node.named_children[0], node.named_children[1]
        if found := re.fullmatch(r"(\w+) is None", text_of(test)):
            yield from _flipped(test, found[1], guarded, "is None", "is not None")
        if found := re.fullmatch(r"(\w+) is not None", text_of(test)):
            yield from _flipped(test, found[1], node.named_children[2], "is not None", "is None")
        return
    condition, block = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
    block = block or node.child_by_field_name("body")
    if condition is None or block is None:
        return
    if found := re.fullmatch(r"(\w+) is None", text_of(condition)):
        yield from _flipped(condition, found[1], block, "is None", "is not None")
    elif found := re.fullmatch(r"not (\w+)", text_of(condition)):
        yield from _flipped(condition, found[1], block, "not ", "")


def _flipped(test: Node, name: str, guarded: Node, old: str, new: str) -> Iterator[Clue]:
    """The test the other way round, where what it guards first looks into `name`, and gives it no value before."""
    first = next((one for one in below(guarded, "identifier") if text_of(one) == name), guarded)
    parent = first.parent
    if parent is None or parent.type not in ("attribute", "subscript") or text_of(first) != name:
        return
    fails = parent.type == "subscript" or "None" in old or text_of(parent.named_children[-1]) in _TAKING
    if fails and parent.named_children[0] == first:
        text = text_of(test).replace(old, new)
        yield [(f"Test {text}: {name} is used there", instead(test, text), 0.0)]


def always_the_same(node: Node, tree: Tree) -> Iterator[Clue]:
    """Two calls that are alike, and a length that is to be negative."""
    if len(node.named_children) != 2 or len(node.children) != 3:
        return
    left, right = node.named_children
    if left.type == "call" and text_of(left).startswith("len(") and re.fullmatch(r"-\d+", text_of(right)):
        yield [(f"Compare {text_of(left)} with 0: a length is never negative", instead(right, "0"), 0.0)]
    if left.type != "call" or text_of(left) != text_of(right) or text_of(node.children[1]) not in _COMPARED:
        return
    called, given = right.child_by_field_name("function"), right.child_by_field_name("arguments")
    if called is None or given is None or [one.type for one in given.named_children] != ["identifier"]:
        return
    (argument,) = given.named_children
    said = f"Compare {text_of(left)} with {text_of(called)}(%s), not with itself"
    apart = (text_of(argument), "_", "self", "cls")
    others = [each.name for each in visible_names(tree, start_of(node)) if each.local and not each.own]
    yield [(said % name, instead(argument, name), 0.0) for name in others if name not in apart]
