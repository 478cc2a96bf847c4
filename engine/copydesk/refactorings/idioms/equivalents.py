"""The same said in another way that Python has: a table of pairs, each side with expressions left open."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import function_of, has_comment, is_stored
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, combined, rewrite_node
from copydesk.refactorings.expressions import is_value, replace_expression
from copydesk.refactorings.idioms.equivalent_pairs import PAIRS
from copydesk.refactorings.parameters import list_parameters, name_of
from copydesk.syntax.tree import identifiers, rows, text_of

_OPEN = re.compile(r"\b[A-Z]\b")
_ANY = re.compile(r"\b(?:[A-Z]|NAME)\b")
_METHOD = re.compile(r"(?<=\.)([a-z]\w*)\(")
_SPELT = re.compile(r"\.NAME\b")
_ATTRIBUTE = re.compile(r"\.(\w+)$")
_ROOTS = (
    "call", "attribute", "subscript", "comparison_operator", "boolean_operator", "not_operator", "binary_operator",
    "unary_operator", "conditional_expression", "dictionary", "generic_type", "list_comprehension", "list",
    "generator_expression", "tuple", "expression_list", "dictionary_comprehension",
)  # fmt: skip
_STATEMENTS = ("assignment", "augmented_assignment", "call", "delete_statement")


@dataclass(frozen=True)
class _Pair:
    """One way to say it and the other, as trees and as texts."""

    old: ast.AST
    new: str
    statement: bool
    words: frozenset[str]


@cache
def _pairs() -> dict[type[ast.AST], list[_Pair]]:
    """The pairs by the kind of what stands on the side that is replaced."""
    found: dict[type[ast.AST], list[_Pair]] = {}
    for line in PAIRS.strip().split("\n"):
        pair, _, words = line.partition(" | words ")
        old, arrow, new = re.split(r" (<?=>) ", pair)
        for one, other in [(old, new), (new, old)][: 2 if arrow == "<=>" else 1]:
            trees = [_tree(side) for side in (one, other)]
            if trees[0] is not None and trees[1] is not None:
                statement = not all(isinstance(tree, ast.expr) for tree in trees)
                found.setdefault(type(trees[0]), []).append(
                    _Pair(trees[0], other, statement, frozenset(words.split()))
                )
    return found


@lru_cache(maxsize=4096)
def _tree(text: str) -> ast.AST | None:
    """An expression, or else a statement."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            (body,) = ast.parse(text).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    return body.value if isinstance(body, ast.Expr) else body


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    asked: dict[str, list[Edits]] = {}
    for title, edits in _all_proposals(context, arguments):
        yield title, edits
        for name in _METHOD.findall(title.partition(": ")[2]) if edits else ():
            if edits and name in arguments.words:
                asked.setdefault(name, []).append(edits)
    if len(asked) > 1:
        together = combined(context.lines, [edits for several in asked.values() for edits in several])
        yield f"Use {' and '.join(asked)}", together


def _all_proposals(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for node in context.walk(*_ROOTS, *_STATEMENTS):
        alone = node.parent is not None and node.parent.type in (
            "expression_statement",
            "block",
            "module",
            "decorator",
        )
        typed = node.parent is not None and node.parent.type == "type"
        owner = node.parent is not None and node.parent.type == "attribute"
        if not alone and not typed and not owner and not is_value(node):
            continue
        text = text_of(node)
        if "\n" in text and has_comment(context, *rows(node)):
            continue
        tree = _tree(text)
        if tree is None:  # what goes on in the next line needs brackets round it
            text = f"({text}\n)"
            tree = _tree(text)
        for pair in _pairs().get(type(tree), ()) if tree is not None else ():
            if (pair.words and not pair.words & arguments.words) or (pair.statement and not alone):
                continue
            if pair.new == "abs(X)" and text[1:].strip()[:1].isdecimal():
                continue  # what is written out has the sign that was meant
            if owner and (last := _ATTRIBUTE.search(pair.new)) and _attribute_of(node) == last[1]:
                continue  # `type(x).__name__` has it already
            if typed and "|" in pair.new and ("'" in text or '"' in text):
                continue  # a name in quotes has no `|`
            bound: dict[str, str] = {}
            if _fits(pair.old, tree, text, bound):
                made = _filled(pair.new, bound) if _keeps_order(pair, bound) else None
                if made is not None and _is_known(context, pair, arguments):
                    flat = " ".join(made.split())
                    said = ", a ternary" if " if " in pair.new and not isinstance(pair.old, ast.IfExp) else ""
                    title = f"Use {_ANY.sub('…', pair.new)}{said}: {flat}"
                    if not bound:
                        title = f"Use {flat} instead of {' '.join(text.split())}"
                    if (pair.statement and not _may_assign(node, made)) or _has_branch_as_test(pair, bound):
                        continue
                    whole = rewrite_node(context.lines, node, made) if pair.statement else None
                    yield title, whole or replace_expression(context, node, made)


def _attribute_of(node: Node) -> str:
    """What is taken of a node, if it is the owner of an attribute."""
    parent = node.parent
    taken = parent.child_by_field_name("attribute") if parent is not None else None
    return text_of(taken) if taken is not None else ""


def _has_branch_as_test(pair: _Pair, bound: dict[str, str]) -> bool:
    """Whether it would test `a and b` for what it gives, where `a and b or c` means a choice."""
    first = _tree(bound.get("X", ""))
    both = isinstance(first, ast.BoolOp) and isinstance(first.op, ast.And)
    return both and pair.new.startswith("X if X")


def _may_assign(node: Node, made: str) -> bool:
    """Whether a statement gives no variable a value that the function has not made its own."""
    tree, function = _tree(made), function_of(node)
    stores = (n for n in ast.walk(tree) if isinstance(n, ast.Name)) if tree is not None else ()
    names = {n.id for n in stores if isinstance(n.ctx, ast.Store)} - {"_"}
    if not names or function is None:
        return True
    parameters = {name_of(parameter) for parameter in list_parameters(function)}
    stored = {text_of(n) for n in identifiers(function) if is_stored(n)}
    return names <= parameters | stored


def _fits(old: object, found: object, text: str, bound: dict[str, str]) -> bool:
    """Whether a tree is of a pair's form. bound: is given what its open places are."""
    if isinstance(old, ast.Name) and (_OPEN.fullmatch(old.id) or old.id == "NAME"):
        if not isinstance(found, ast.expr) or isinstance(found, ast.Starred):
            return False
        if old.id == "NAME" and not (isinstance(found, ast.Constant) and isinstance(found.value, str)):
            return False
        segment = ast.get_source_segment(text, found)
        return segment is not None and bound.setdefault(old.id, segment) == segment
    if isinstance(old, ast.Attribute) and old.attr == "NAME" and isinstance(found, ast.Attribute):
        return bound.get("NAME", "")[1:-1] == found.attr and _fits(old.value, found.value, text, bound)
    if type(old) is not type(found):
        return False
    if isinstance(old, ast.AST):
        return all(
            field in ("ctx", "kind", "type_comment")
            or _fits(getattr(old, field), getattr(found, field), text, bound)
            for field in old._fields
        )
    if isinstance(old, list) and isinstance(found, list):
        return len(old) == len(found) and all(
            _fits(one, other, text, bound) for one, other in zip(old, found, strict=True)
        )
    return old == found


def _keeps_order(pair: _Pair, bound: dict[str, str]) -> bool:
    """Whether what does something is still done as often, and a tuple is not taken for the values of a format."""
    for name, text in bound.items():
        tree = _tree(text)
        if tree is None or (isinstance(tree, ast.Tuple) and "%" in f"{ast.unparse(pair.old)}{pair.new}"):
            return False
        does = any(
            isinstance(node, (ast.Call, ast.Await, ast.Yield, ast.NamedExpr)) for node in ast.walk(tree)
        )
        before, after = (len(re.findall(rf"\b{name}\b", side)) for side in (ast.unparse(pair.old), pair.new))
        if does and before != after:
            return False
    return True


def _filled(new: str, bound: dict[str, str]) -> str | None:
    """A side of a pair with its open places filled, each in brackets where it needs them."""

    def put(bracketed: frozenset[str]) -> str:
        spelt = _SPELT.sub(f".{bound.get('NAME', '')[1:-1]}", new)
        return _ANY.sub(lambda m: f"({bound[m[0]]})" if m[0] in bracketed else bound[m[0]], spelt)

    every = frozenset(bound)
    if not set(_ANY.findall(new)) <= every:
        return None
    wanted = _dumped(put(every))
    kept = every
    for name in sorted(every):
        if _dumped(put(kept - {name})) == wanted:
            kept -= {name}
    return put(kept) if wanted is not None else None


def _dumped(text: str) -> str | None:
    tree = _tree(text)
    return ast.dump(tree) if tree is not None else None


def _is_known(context: RefactoringContext, pair: _Pair, arguments: Arguments) -> bool:
    """Whether the names that a pair brings are the document's, Python's own, or the instruction's."""
    tree = _tree(pair.new)
    brought = [] if tree is None else [n.id for n in ast.walk(tree) if isinstance(n, ast.Name)]
    said = {"Path"} if "pathlib" in arguments.words else set()
    said |= {"timezone"} if arguments.words & {"utc", "aware", "timezone"} else set()
    return all(
        _ANY.fullmatch(name) or name == "_" or context.knows(name) or arguments.mentions(name) or name in said
        for name in brought
    )


EQUIVALENT = Refactoring("equivalent", "refactor.rewrite.equivalent", _propose, everywhere=True)
