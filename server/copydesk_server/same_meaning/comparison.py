"""Two texts mean the same where the statements of the module in which they differ have the same normal form, and no comment is
lost.
"""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from copydesk.text.document import split_lines
from copydesk_server.same_meaning.normal_form import ModuleNames, normal_form
from copydesk_server.same_meaning.scope import given_names

NO_TREE = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What `parsed` raises."""


def mean_the_same(before: str, after: str) -> bool:
    """Whether that is known, and `after` has all comments of `before`. Raises: never."""
    try:
        module = _module(before)
        one, other = _what_differs(split_lines(before), split_lines(after), module.ranges)
        trees = parsed(one), parsed(other)
        has_contextlib = module.has_contextlib or _imports_contextlib(trees[1])
        if not module.has_contextlib:  # a statement more, which does nothing but give the name
            _drop_import(trees[1], trees[0])
        left = _unlike(trees[0].body, trees[1].body, split_lines(one), split_lines(other))
        bodies = ast.Module(left[0], []), ast.Module(left[1], [])
        bound = module.bound | _bound(bodies[1])
        forms = (
            normal_form(bodies[0], ModuleNames(bound, has_contextlib=module.has_contextlib)),
            normal_form(bodies[1], ModuleNames(bound, has_contextlib=has_contextlib)),
        )
        return ast.dump(forms[0]) == ast.dump(forms[1]) and _comments(one) <= _comments(other)
    except (*NO_TREE, tokenize.TokenError):
        return False


@dataclass(frozen=True, slots=True)
class _Module:
    """bound: the names that it binds, but contextlib by a plain import of its own. ranges: the first and the last line of each of
    its statements, from 1.
    """

    bound: frozenset[str]
    has_contextlib: bool
    ranges: tuple[tuple[int, int], ...]


@lru_cache(maxsize=4)  # one text is compared with what each of its fixes makes of it
def _module(text: str) -> _Module:
    tree = parsed(text)
    ranges = [(first := _first_line(node), node.end_lineno or first) for node in tree.body]
    return _Module(_bound(tree), _imports_contextlib(tree), tuple(ranges))


def _what_differs(
    before: Sequence[str], after: Sequence[str], ranges: tuple[tuple[int, int], ...]
) -> tuple[str, str]:
    """The statements of the module in which two texts differ; all else is the same. ranges: of those of `before`."""
    shorter = min(len(before), len(after))
    start = next((k for k in range(shorter) if before[k] != after[k]), shorter)
    room = shorter - start
    end = next((k for k in range(room) if before[-1 - k] != after[-1 - k]), room)
    stop = len(before) - end
    # What is put behind a statement's last line, or before its first, may become a part of it.
    touched = [(one - 1, other) for one, other in ranges if one - 1 <= stop and other >= start]
    first = min([start, *(one for one, _ in touched)])
    last = max([stop, *(other for _, other in touched)])
    return "".join(before[first:last]), "".join(after[first : last + len(after) - len(before)])


def _unlike(
    one: Sequence[ast.stmt], other: Sequence[ast.stmt], lines: Sequence[str], other_lines: Sequence[str]
) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """The statements of a module or of classes in it that are not written alike. lines: what the statements are parsed from."""
    pairs = list(zip(one, other, strict=False))
    if len(one) != len(other):
        same = [_written(a, lines) == _written(b, other_lines) for a, b in pairs]
        start = next((place for place, alike in enumerate(same) if not alike), len(same))
        return list(one[start:]), list(other[start:])
    left: tuple[list[ast.stmt], list[ast.stmt]] = ([], [])
    for a, b in pairs:
        if _written(a, lines) == _written(b, other_lines):
            continue
        if isinstance(a, ast.ClassDef) and isinstance(b, ast.ClassDef) and _head(a) == _head(b):
            found = _unlike(a.body, b.body, lines, other_lines)
        else:
            found = [a], [b]
        left[0].extend(found[0])
        left[1].extend(found[1])
    return left


def _written(statement: ast.stmt, lines: Sequence[str]) -> tuple[int, Sequence[str]]:
    """How it is written: its column, and its lines, with all else that stands on them."""
    first = _first_line(statement)
    return statement.col_offset, lines[first - 1 : statement.end_lineno or first]


def _head(node: ast.ClassDef) -> str:
    return ast.dump(ast.ClassDef(node.name, node.bases, node.keywords, [], node.decorator_list))


def _first_line(statement: ast.stmt) -> int:
    decorators = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])


def parsed(text: str) -> ast.Module:
    """Without warnings of what it holds. Raises SyntaxError, ValueError, RecursionError, MemoryError."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text.removeprefix("\ufeff"))


def _comments(text: str) -> Counter[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text.removeprefix("\ufeff")).readline)
    return Counter(token.string for token in tokens if token.type == tokenize.COMMENT)


def _imports_contextlib(tree: ast.Module) -> bool:
    return any(map(_is_that_import, tree.body))


def _is_that_import(node: ast.AST) -> bool:
    return isinstance(node, ast.Import) and [(name.name, name.asname) for name in node.names] == [
        ("contextlib", None)
    ]


def _drop_import(tree: ast.Module, other: ast.Module) -> None:
    """Takes the first `import contextlib` out of a tree that begins as the other one does, up to there."""
    place = next((place for place, statement in enumerate(tree.body) if _is_that_import(statement)), None)
    if place is None:
        return
    before, others = ([ast.dump(one) for one in body[:place]] for body in (tree.body, other.body))
    if before == others:
        del tree.body[place]


def _bound(tree: ast.Module) -> frozenset[str]:
    """The names that are bound anywhere, with `*` where a module gives all that it has; but not contextlib where the module
    has it by a plain import.
    """
    found: set[str] = set()
    waiting: list[ast.AST] = [statement for statement in tree.body if not _is_that_import(statement)]
    while waiting:
        node = waiting.pop()
        waiting.extend(ast.iter_child_nodes(node))
        found.update(given_names(node))
        if isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            found.update(node.names)
    return frozenset(found)
