"""Whether the text of a file after an edit is what an instruction asked for: checks that are data.

A check lists results, each a variant of the file, and says how a text is compared with them:

    equal_ast    the syntax trees are equal; format and new comments do not matter, but no comment that the result keeps is lost
    equal_text   the texts are equal but for white space at the ends of lines and the number of blank lines
    unchanged    the text is the file's own

Spellings of one thing count as one: `return None` and `return`, `not a is b` and `a is not b`, `a > b` and `b < a`, operands of
`==` and `!=` in either order, `Optional[X]` and `X | None`, `List` and `list`, `raise E()` and `raise E`, docstrings by their
cleaned text. What a person would write in ways no list can hold is a placeholder in a result:

    ANY__                an expression
    TEXT__               a text that is not empty: a literal, an f-string, or one that is formatted; a docstring, as a statement
    TEXT__("a", "b")     a text with these words in it, in any case
    ARGS__               as a call's last argument: one or more arguments, of whatever kind
    ONE_OF__(a, b)       one of these expressions
    NEW1__ … NEW9__      a name that the function does not have yet, the same at each place

In `equal_text` a placeholder is `<...>`: any characters of one line, at least one.
"""

from __future__ import annotations

import ast
import inspect
import io
import re
import tokenize
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Literal, TypeAlias

from copydesk.errors import CopydeskError
from copydesk.text.document import split_lines

CheckKind: TypeAlias = Literal["equal_ast", "equal_text", "unchanged"]
KINDS: tuple[CheckKind, ...] = ("equal_ast", "equal_text", "unchanged")

_FRESH = re.compile(r"NEW\d__\Z")
_GENERICS = {
    "List": "list",
    "Dict": "dict",
    "Set": "set",
    "Tuple": "tuple",
    "FrozenSet": "frozenset",
    "Type": "type",
}
_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
}  # fmt: skip


class CheckError(CopydeskError):
    """A check that says nothing sensible: a result that does not parse, an unknown kind."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """New text for lines `first` to `last` (1-based, inclusive; `last` is `first - 1` for an insertion before `first`).

    `text` has a terminator after each of its lines; it is empty where the lines are deleted.
    """

    first: int
    last: int
    text: str


Variant: TypeAlias = tuple[Replacement, ...]
"""A whole file, by what it changes: ascending, disjoint."""


def apply_variant(text: str, variant: Variant) -> str:
    """The file with the variant's lines. Raises CheckError for replacements out of order or beyond the file."""
    lines = list(split_lines(text))
    done = len(lines) + 1
    for change in reversed(variant):
        if not 1 <= change.first <= change.last + 1 <= done:
            raise CheckError(f"no place for a replacement of lines {change.first} to {change.last}")
        lines[change.first - 1 : change.last] = [change.text]
        done = change.first
    return "".join(lines)


@dataclass(frozen=True, slots=True)
class Check:
    """What a result is compared with. `results` are variants, with placeholders; none for `unchanged`."""

    kind: CheckKind
    results: tuple[Variant, ...] = ()

    def accepts(self, before: str, selected: tuple[int, int], after: str) -> bool:
        """`after` does what was asked of the selected lines of `before`. Raises CheckError."""
        if self.kind == "unchanged":
            return after == before
        if self.kind not in KINDS:
            raise CheckError(f"unknown kind of check: {self.kind}")
        # Only the function round the selection is compared, and everything outside it must be the same: files are long.
        first, last = _enclosing(before, selected)
        old = _Excerpt.of(before, before, first, last)
        new = _Excerpt.of(before, after, first, last)
        if old is None or new is None:
            return False
        wanted = [
            _Excerpt.of(before, apply_variant(before, variant), first, last) for variant in self.results
        ]
        if self.kind == "equal_text":
            return any(text and re.fullmatch(_text_pattern(text.text), _layout(new.text)) for text in wanted)
        if new.tree is None:
            return False
        names = frozenset() if old.tree is None else _names(old.tree)
        for text in wanted:
            if text is None or text.tree is None:
                raise CheckError(
                    "a result of the check does not parse, or changes lines that are not selected"
                )
            kept = old.comments & text.comments
            if kept <= new.comments and _Match(names).same(text.tree, new.tree):
                return True
        return False


@lru_cache(maxsize=64)
def _enclosing(text: str, selected: tuple[int, int]) -> tuple[int, int]:
    """The lines of the innermost function or class with all selected lines in it, decorators included; else all lines."""
    found = (1, len(split_lines(text)))
    for node in ast.walk(ast.parse(text)):
        if (
            isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
            and node.end_lineno is not None
        ):
            start = min(item.lineno for item in (node, *node.decorator_list))
            if found[0] <= start <= selected[0] and selected[1] <= node.end_lineno <= found[1]:
                found = (start, node.end_lineno)
    return found


@dataclass(frozen=True)
class _Excerpt:
    """The lines of an edited file that stand where lines `first` to `last` of the file stood."""

    text: str

    @classmethod
    def of(cls, before: str, after: str, first: int, last: int) -> _Excerpt | None:
        """None where `after` differs from `before` outside these lines."""
        old, new = split_lines(before), split_lines(after)
        behind = len(old) - last
        end = len(new) - behind
        if end < first - 1 or old[: first - 1] != new[: first - 1] or old[last:] != new[end:]:
            return None
        return cls("".join(new[first - 1 : end]))

    @cached_property
    def tree(self) -> ast.Module | None:
        """Its syntax tree in one spelling, under a header where it is indented; None where it does not parse."""
        return _tree(self.text)

    @cached_property
    def comments(self) -> Counter[str]:
        """Its comments, without their signs."""
        return _comments(self.text)


def _layout(text: str) -> str:
    lines = [line.rstrip() for line in split_lines(text)]
    return "\n".join(line for line in lines if line)


def _text_pattern(text: str) -> str:
    return ".+".join(map(re.escape, _layout(text).split("<...>")))


@lru_cache(maxsize=64)
def _comments(text: str) -> Counter[str]:
    found: Counter[str] = Counter()
    # What does not parse has no tree to compare, so comments up to there are enough.
    with suppress(tokenize.TokenError, SyntaxError):
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                found[token.string.lstrip("# ").rstrip()] += 1
    return found


@lru_cache(maxsize=64)
def _tree(text: str) -> ast.Module | None:
    try:
        tree: ast.Module = _Normal().visit(
            ast.parse(("if 1:\n" if re.match(r"\s*\n?[ \t]+\S", text) else "") + text)
        )
    except (SyntaxError, ValueError, RecursionError):
        return None
    return tree


def _names(tree: ast.Module) -> frozenset[str]:
    """The names that are bound or read in it; attributes are not."""
    found = set()
    for node in ast.walk(tree):
        for attribute in ("id", "arg", "name", "asname"):
            name = getattr(node, attribute, None)
            if isinstance(name, str) and not isinstance(node, ast.keyword):
                found.add(name)
    return frozenset(found)


class _Normal(ast.NodeTransformer):
    """One spelling of what is spelt in several ways."""

    def visit_Return(self, node: ast.Return) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.value, ast.Constant) and node.value.value is None:
            node.value = None
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        inner = node.operand
        if isinstance(node.op, ast.Not) and isinstance(inner, ast.Compare) and len(inner.ops) == 1:
            opposite = _OPPOSITE.get(type(inner.ops[0]))
            if opposite is not None:
                return ast.Compare(inner.left, [opposite()], inner.comparators)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) == 1 and isinstance(node.ops[0], (ast.Gt, ast.GtE)):
            op = ast.Lt() if isinstance(node.ops[0], ast.Gt) else ast.LtE()
            return ast.Compare(node.comparators[0], [op], [node.left])
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        name = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", None)
        if name == "Optional":
            return ast.BinOp(node.slice, ast.BitOr(), ast.Constant(None))
        if name == "Union" and isinstance(node.slice, ast.Tuple) and node.slice.elts:
            joined, *rest = node.slice.elts
            for item in rest:
                joined = ast.BinOp(joined, ast.BitOr(), item)
            return joined
        if name in _GENERICS:
            node.value = ast.Name(_GENERICS[name], ast.Load())
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.exc, ast.Call) and not node.exc.args and not node.exc.keywords:
            node.exc = node.exc.func
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        self.generic_visit(node)
        if all(isinstance(part, ast.Constant) for part in node.values):
            return ast.Constant("".join(str(getattr(part, "value", "")) for part in node.values))
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            node.value = ast.Constant(inspect.cleandoc(node.value.value).strip())
        return node


@dataclass
class _Match:
    """One comparison of a tree with a pattern; `bound` is what the new names stand for."""

    known: frozenset[str]
    bound: dict[str, str] = field(default_factory=dict)

    def same(self, pattern: object, found: object) -> bool:
        if isinstance(pattern, ast.expr) and isinstance(found, ast.expr):
            special = self._placeholder(pattern, found)
            if special is not None:
                return special
        if isinstance(pattern, str) and _FRESH.match(pattern):
            return isinstance(found, str) and self._bind(pattern, found)
        if type(pattern) is not type(found):
            return False
        if isinstance(pattern, list):
            assert isinstance(found, list)
            return len(pattern) == len(found) and all(map(self.same, pattern, found))
        if not isinstance(pattern, ast.AST):
            return pattern == found
        assert isinstance(found, ast.AST)
        if isinstance(pattern, ast.Call) and isinstance(found, ast.Call):
            return self._same_call(pattern, found)
        if isinstance(pattern, ast.Compare) and isinstance(found, ast.Compare) and _symmetric(pattern, found):
            return self._same_equality(pattern, found)
        return all(
            self.same(getattr(pattern, name, None), getattr(found, name, None))
            for name in pattern._fields
            if name not in ("kind", "type_comment", "ctx")
        )

    def _placeholder(self, pattern: ast.expr, found: ast.expr) -> bool | None:
        called = pattern.func if isinstance(pattern, ast.Call) else pattern
        name = called.id if isinstance(called, ast.Name) else None
        arguments = pattern.args if isinstance(pattern, ast.Call) else []
        if name == "ANY__":
            return True
        if name == "ONE_OF__":
            return any(self._try(option, found) for option in arguments)
        if name == "TEXT__":
            said = _literal(found)
            words = [item.value for item in arguments if isinstance(item, ast.Constant)]
            return (
                said is not None and bool(said.strip()) and all(str(w).lower() in said.lower() for w in words)
            )
        return None

    def _try(self, pattern: ast.expr, found: ast.expr) -> bool:
        before = dict(self.bound)
        if self.same(pattern, found):
            return True
        self.bound = before
        return False

    def _bind(self, name: str, found: str) -> bool:
        if name in self.bound:
            return self.bound[name] == found
        if found in self.known or found in self.bound.values():
            return False
        self.bound[name] = found
        return True

    def _same_call(self, pattern: ast.Call, found: ast.Call) -> bool:
        *first, last = pattern.args or [ast.Name("")]
        if not (isinstance(last, ast.Name) and last.id == "ARGS__"):
            return (
                self.same(pattern.func, found.func)
                and self.same(pattern.args, found.args)
                and len(pattern.keywords) == len(found.keywords)
                and all(map(self.same, _by_name(pattern.keywords), _by_name(found.keywords)))
            )
        if not self.same(pattern.func, found.func) or len(found.args) <= len(first):
            return False
        return all(map(self.same, first, found.args))

    def _same_equality(self, pattern: ast.Compare, found: ast.Compare) -> bool:
        left, right = pattern.left, pattern.comparators[0]
        before = dict(self.bound)
        if self.same(left, found.left) and self.same(right, found.comparators[0]):
            return True
        self.bound = before
        return self.same(left, found.comparators[0]) and self.same(right, found.left)


def _symmetric(pattern: ast.Compare, found: ast.Compare) -> bool:
    return (
        len(pattern.ops) == len(found.ops) == 1
        and type(pattern.ops[0]) is type(found.ops[0])
        and isinstance(pattern.ops[0], (ast.Eq, ast.NotEq))
    )


def _by_name(keywords: Sequence[ast.keyword]) -> list[ast.keyword]:
    return sorted(keywords, key=lambda keyword: keyword.arg or "")


def _literal(node: Any) -> str | None:
    """The fixed part of a text; None for what is no text."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(_literal(part) or "?" for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mod, ast.Add)):
        return _literal(node.left)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        return _literal(node.func.value)
    return None
