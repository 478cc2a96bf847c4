"""The names that somebody may have meant who wrote one that nothing defines: those in scope that are spelt like it.

What counts is the slip that would lead from one name to the other (`similarity.slip_cost`), how far away the name is bound, and
whether anything uses it yet: a variable that is bound and never read is one whose use was misspelt, or missed by a rename.
"""

from __future__ import annotations

import builtins
import keyword
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node, Tree

from copydesk.quickfixes.handler import FixContext
from copydesk.quickfixes.messages import suggested_names
from copydesk.quickfixes.similarity import CASE, folded, looks_like_class, slip_cost, typing_cost
from copydesk.syntax.scopes import enclosing_class, visible_names
from copydesk.syntax.tree import parse, point, text_of

MOST_COST = 2.5
"""Names that are less likely than this are not offered."""
MARGIN = 0.35
"""Names that are so much less likely than the best are not offered for an edit."""
MOST_NAMES = 24
_UNREAD = -1.0
_BELOW = 0.6
_SCOPE = 0.15
_BUILTIN = 0.8
_COMMON_BUILTIN = 0.25
_ATTRIBUTE = 1.6
_MODULE = 1.5
_BARE_MODULE = 1.0
_METHOD = 0.3

_COMMON = frozenset(
    {
        "abs", "all", "any", "bool", "bytes", "dict", "enumerate", "float", "getattr", "hasattr", "hash", "id", "int",
        "isinstance", "issubclass", "iter", "len",
        "list", "map", "max", "min", "next", "object", "open", "print", "property", "range", "repr",
        "reversed", "round", "set", "setattr", "sorted", "staticmethod", "classmethod", "str", "sum", "super", "tuple", "type",
        "zip", "Exception", "KeyError", "TypeError", "ValueError", "IndexError", "AttributeError", "NotImplementedError",
        "RuntimeError", "OSError",
    }
)  # fmt: skip
_BUILTINS = frozenset(name for name in dir(builtins) if not name.startswith("_")) - {
    "copyright", "credits", "exit", "license", "quit", *keyword.kwlist
}  # fmt: skip
_OTHER_LANGUAGES = {
    "true": "True", "false": "False", "none": "None", "null": "None", "nil": "None", "undefined": "None", "string": "str",
    "integer": "int", "boolean": "bool", "length": "len", "dictionary": "dict", "println": "print", "array": "list",
}  # fmt: skip
"""What other languages, and people, call what Python has under a name of its own."""
_MODULE_NAMES = ("__name__", "__file__", "__doc__", "__package__", "__spec__", "__path__", "__dict__")
_MODULES = tuple(sorted(name for name in sys.stdlib_module_names if not name.startswith("_")))
_KEYWORDS = tuple(word for word in keyword.kwlist if word[0].islower())
_METHODS = frozenset(
    name
    for kind in (str, bytes, list, dict, set, tuple, int, float)
    for name in dir(kind)
    if not name.startswith("_")
)


_OF_VALUES = frozenset(
    {
        "subscript", "binary_operator", "comparison_operator", "boolean_operator", "not_operator", "unary_operator",
        "interpolation", "return_statement", "assignment", "if_statement", "elif_clause", "while_statement",
    }
)  # fmt: skip
"""Where a value is wanted, which a class rarely is."""


@dataclass(frozen=True, slots=True)
class LikelyName:
    """What may stand in the place of the wrong name; cost: how unlikely it is, in the units of `slip_cost`."""

    text: str
    cost: float


def likely_names(context: FixContext, wrong: str, start: int) -> list[LikelyName]:
    """The names that may be meant by `wrong`, at character `start` of the flagged line, the likeliest first. Raises: never."""
    lines, line = context.lines, context.diagnostic.start.line
    tree = context.tree or parse(lines, context.language)
    if tree is None:
        return []
    at = point(lines, line, start)
    found: dict[str, float] = dict.fromkeys(suggested_names(context.diagnostic.message), 0.0)
    dotted = lines[line][start + len(wrong) :].startswith(".")
    visible = {each.name: each for each in visible_names(tree, at)}
    for name, each in visible.items():
        if not each.own:
            unread = each.local and not each.read and each.earlier
            extra = (_UNREAD if unread else 0.0) + (_BELOW if each.local and not each.earlier else 0.0)
            extra += _SCOPE * min(each.distance, 2)
            if each.module and not dotted:
                extra += _BARE_MODULE
            elif folded(name) == folded(wrong) and (
                each.module or _is_variable(tree, at, wrong, name, lines)
            ):
                found[name] = 2 * CASE + extra
            _offer(found, name, wrong, extra, parts=each.local)
    _typed(found, _COMMON - visible.keys(), wrong, _COMMON_BUILTIN)
    _typed(found, (_BUILTINS - _COMMON) - visible.keys(), wrong, _BUILTIN)
    _typed(found, _MODULE_NAMES, wrong, _BUILTIN)
    elsewhere = _OTHER_LANGUAGES.get(wrong.lower())
    if elsewhere is not None and elsewhere not in visible and not context.diagnostic.imports:
        found[elsewhere] = 0.3
    leaf = tree.root_node.descendant_for_point_range(at, at)
    if "self" in visible:
        for name in _own_attributes(enclosing_class(tree, at)):
            if name != wrong:
                _offer(found, f"self.{name}", wrong, _ATTRIBUTE, spelt=name)
            elif name not in _enclosing_functions(leaf):
                found[f"self.{name}"] = 0.2
    if dotted:
        _typed(found, _MODULES, wrong, _MODULE)
    elif _broken(leaf):
        _typed(found, _KEYWORDS, wrong, _COMMON_BUILTIN)
    found.pop(wrong, None)
    return _sorted(found)


def likely_attributes(
    context: FixContext, wrong: str, start: int, members: Iterable[str] = ()
) -> list[LikelyName]:
    """The attributes that may be meant: of the class, where it is one of `self`; else of `members`, those that the document uses,
    and methods of built-in types. Raises: never.
    """
    lines, line = context.lines, context.diagnostic.start.line
    tree = context.tree or parse(lines, context.language)
    found: dict[str, float] = dict.fromkeys(suggested_names(context.diagnostic.message), 0.0)
    text = lines[line]
    if tree is not None and re.search(r"(?<![\w.])(self|cls)\.$", text[:start]):
        for name in _own_attributes(enclosing_class(tree, point(lines, line, start))):
            _offer(found, name, wrong, 0.0)
    for name in members:
        _offer(found, name, wrong, 0.1)
    whole = "".join(lines)
    for name, count in _counted(re.findall(r"\.[ ]?([^\W\d]\w*)", whole)).items():
        if name != wrong:
            _offer(found, name, wrong, _METHOD if count > 1 else _METHOD + 0.1)
    for name in _METHODS:
        _offer(found, name, wrong, 2 * _METHOD)
    found.pop(wrong, None)
    return _sorted(found)


def likely_words(wrong: str, words: Iterable[str]) -> list[LikelyName]:
    """Those of some words that may be meant."""
    found: dict[str, float] = {}
    for word in words:
        _offer(found, word, wrong, 0.0)
    return _sorted(found)


def likeliest(names: Sequence[LikelyName]) -> list[str]:
    """Those between which the spelling does not decide."""
    return [each.text for each in names if each.cost <= names[0].cost + MARGIN]


def _offer(
    found: dict[str, float],
    text: str,
    wrong: str,
    extra: float,
    *,
    spelt: str | None = None,
    parts: bool = True,
) -> None:
    cost = slip_cost(wrong, spelt or text, parts=parts)
    if cost is not None and max(cost, cost + extra) <= MOST_COST:
        found[text] = min(cost + extra, found.get(text, MOST_COST))


def _typed(found: dict[str, float], words: Iterable[str], wrong: str, extra: float) -> None:
    """Words that nobody renames, and only those of several parts are abbreviated: what else leads to the wrong name are slips."""
    for word in words:
        if looks_like_class(wrong) != looks_like_class(word) and wrong.lower() != word.lower():
            continue
        if typing_cost(wrong, word) is not None or sum(map(str.isupper, word)) > 1:
            _offer(found, word, wrong, extra, parts=False)


def _is_variable(tree: Tree, at: tuple[int, int], wrong: str, name: str, lines: Sequence[str]) -> bool:
    """Whether `wrong`, written as a class is, stands where a class rarely does, so that the variable `name` may be meant."""
    node = tree.root_node.descendant_for_point_range(at, at)
    parent = node.parent if node is not None else None
    if node is None or parent is None or not looks_like_class(wrong) or looks_like_class(name):
        return False
    if parent.type == "attribute":
        attribute = parent.child_by_field_name("attribute")
        used = f"{name}.{text_of(attribute)}" if attribute is not None else ""
        return name == "self" or any(used in line for line in lines)
    if parent.type in ("type", "except_clause", "raise_statement", "as_pattern", "keyword_argument"):
        return False
    if parent.type == "call":
        return parent.child_by_field_name("function") != node
    above = parent.parent
    if parent.type == "argument_list" and above is not None:
        return above.type != "class_definition" and not text_of(above).startswith(
            ("isinstance", "issubclass")
        )
    return parent.type in _OF_VALUES


def _enclosing_functions(node: Node | None) -> set[str]:
    """The names of the functions that a node is in: their bodies do not mean themselves by them."""
    found = set()
    while node is not None:
        name = node.child_by_field_name("name") if node.type == "function_definition" else None
        if name is not None:
            found.add(text_of(name))
        node = node.parent
    return found


def _sorted(found: dict[str, float]) -> list[LikelyName]:
    ranked = sorted(found.items(), key=lambda item: (item[1], item[0]))
    return [LikelyName(text, cost) for text, cost in ranked[:MOST_NAMES]]


def _own_attributes(owner: Node | None) -> dict[str, None]:
    """What a class defines or uses as attributes of `self` and `cls`."""
    found: dict[str, None] = {}
    for node in _nodes(owner):
        if node.type == "attribute":
            of, name = node.child_by_field_name("object"), node.child_by_field_name("attribute")
            if of is not None and name is not None and text_of(of) in ("self", "cls"):
                found.setdefault(text_of(name))
    body = owner.child_by_field_name("body") if owner is not None else None
    for node in body.named_children if body is not None else ():
        inner = node.child_by_field_name("definition") or node
        if inner.type == "expression_statement" and inner.named_children:
            inner = inner.named_children[0]
        name = inner.child_by_field_name("name") or inner.child_by_field_name("left")
        if name is not None and name.type == "identifier":
            found.setdefault(text_of(name))
    return found


def _nodes(root: Node | None) -> Iterator[Node]:
    waiting = [root] if root is not None else []
    while waiting:
        node = waiting.pop()
        yield node
        waiting += node.named_children


def _broken(node: Node | None) -> bool:
    """Whether the statement that a node is in does not parse."""
    while node is not None and node.parent is not None and node.parent.type not in ("block", "module"):
        if node.type == "ERROR":
            return True
        node = node.parent
    if node is None or node.parent is None:
        return False
    around = (node.prev_sibling, node, node.next_sibling)
    return any(each is not None and each.has_error for each in around)


def _counted(words: Iterable[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for word in words:
        found[word] = found.get(word, 0) + 1
    return found
