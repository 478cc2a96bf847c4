"""The lines a refactoring is about, and the syntax in them."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import BuiltinFunctionType
from typing import TypeVar, cast

from tree_sitter import Node, Tree

from copydesk.refactorings.edits import Edits
from copydesk.refactorings.indentation import Indentation
from copydesk.request import Range
from copydesk.syntax.splice import Point, start_of
from copydesk.syntax.tree import identifiers, is_label, parse, rows, text_of
from copydesk.text.document import indentation, split_lines, view_line

T = TypeVar("T")
_WORD = re.compile(r"[^\W\d]\w*")
_NAMES = r"[^\W\d]\w*(?: as [^\W\d]\w*)?(?:, ?[^\W\d]\w*(?: as [^\W\d]\w*)?)*"
_DEFINING = re.compile(
    r"\s*(?:from \S+ import .*|import .*|(?:async )?def \w+|class \w+|global .*)"
    rf"|(?:for|with) .*:$|{_NAMES} *[:=]|\s+{_NAMES},?\s*(?:#.*)?$"
)
"""A line that gives names a meaning: an import, the head of a definition, an assignment at the top level, names in brackets that
may be an import's. What else a line says may be English."""
_STATE = re.compile(r"\bis (?:not )?([a-z]\w*)$")
"""What people say of a thing ("path is empty"), and code only where the last word is a variable."""

_UNGIVEN = re.compile(
    r"(?<![\w.])(?:all|any|enumerate|filter|getattr|hasattr|isinstance|len|map|max|min|next|open|reversed|round|sorted|sum)\(\)"
)
"""What people write of a function that needs an argument, to name it."""


@dataclass(frozen=True)
class RefactoringContext:
    """lines: of the document, in steps of four spaces. scope: the selected ones, as ranges. nodes: what of the top level has a
    line in `scope`. tree: of `lines`. indentation: the document's own, where it is another.
    """

    lines: Sequence[str]
    scope: Sequence[Range]
    nodes: Sequence[Node]
    tree: Tree
    indentation: Indentation | None = None

    @classmethod
    def of(cls, lines: Sequence[str], scope: Sequence[Range], tree: Tree) -> RefactoringContext:
        """A selection of a document whose syntax tree is `tree`."""
        indentation = Indentation.of(lines, scope)
        if indentation is not None:
            lines = indentation.widened
            tree = _tree_of("".join(lines))

        def touches(node: Node) -> bool:
            begin, end = rows(node)
            return any(first <= end and begin <= last for first, last in scope)

        nodes = [node for node in tree.root_node.children if touches(node)]
        return cls(lines, scope, nodes, tree, indentation)

    def original(self, edits: Edits) -> Edits:
        """Edits of `lines` as edits of the document."""
        return edits if self.indentation is None else self.indentation.restored(edits)

    @property
    def broken(self) -> bool:
        """Whether some of the selected code does not parse."""
        return any(node.has_error for node in self.nodes)

    @cached_property
    def _touched(self) -> tuple[Node, ...]:
        """Every node that has a line in the scope, in order."""
        found: list[Node] = []
        waiting = list(reversed(self.nodes))
        while waiting:
            node = waiting.pop()
            begin, end = rows(node)
            if any(first <= end and begin <= last for first, last in self.scope):
                found.append(node)
                waiting += reversed(node.named_children)
        return tuple(found)

    @cached_property
    def _selected(self) -> tuple[Node, ...]:
        return tuple(node for node in self._touched if self.has(node))

    @cached_property
    def _by_type(self) -> dict[str, list[Node]]:
        found: dict[str, list[Node]] = {}
        for node in self._selected:
            found.setdefault(node.type, []).append(node)
        return found

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(word for line in self.lines for word in re.findall(r"\w+", line))

    @cached_property
    def _defined(self) -> frozenset[str]:
        """The names of the selected top-level code, and those that the lines of the rest import, define or assign."""
        found = set(self.names())
        for line in self.lines:
            if (match := _DEFINING.match(line)) is not None:
                found.update(_WORD.findall(match[0]))
        return frozenset(found)

    def walk(self, *types: str) -> Iterator[Node]:
        """Every node all of whose lines are selected, in order; those of some types, if given."""
        if len(types) == 1:
            return iter(self._by_type.get(types[0], ()))
        return (node for node in self._selected if not types or node.type in types)

    def starting(self, *types: str) -> Iterator[Node]:
        """Every node of some types whose first line is selected, in order."""
        for node in self._touched:
            line = node.start_point[0] + 1
            if node.type in types and self.shows(line, line):
                yield node

    def has(self, node: Node) -> bool:
        """Whether all of a node's lines are selected."""
        begin, end = rows(node)
        return any(first <= begin and end <= last for first, last in self.scope)

    def shows(self, first: int, last: int) -> bool:
        """Whether lines `first` to `last` (1-based, inclusive) are selected."""
        return any(a <= first and last <= b for a, b in self.scope)

    def knows(self, code: str, *, type: bool = False) -> bool:
        """Whether every name in an expression is Python's own or the document's; of a type, one with a capital may be anybody's.
        Else it is a word of the person's, and no code. "path is empty" is English where `empty` is no variable.
        """
        state = _STATE.search(code)
        if state is not None and state[1] not in self.variables():
            return False
        names = _names_in(code)
        if names is None or speaks_of_function(code):
            return False
        return all(
            hasattr(builtins, name) or name in self._defined or (type and name[0].isupper()) for name in names
        )

    def allows(self, edits: Edits) -> bool:
        """Whether edits change selected lines alone; new lines may come at the edges."""
        return all(
            any(
                first <= edit.first and edit.last <= last and edit.first <= last + 1
                for first, last in self.scope
            )
            for edit in edits
        )

    def overlapping(self) -> Sequence[Node]:
        """Every node that has a line in the scope, in order."""
        return self._touched

    def derived(self, make: Callable[[RefactoringContext], T]) -> T:
        """What a function makes of this context, made once."""
        if make not in self._derived:
            self._derived[make] = make(self)
        return cast(T, self._derived[make])

    @cached_property
    def _derived(self) -> dict[object, object]:
        return {}

    def numbers(self) -> Iterator[int]:
        """The selected lines, 1-based."""
        for first, last in self.scope:
            yield from range(first, last + 1)

    def split(self, at: Point) -> tuple[str, str]:
        """A line before and behind a place. Raises UnicodeEncodeError."""
        raw = view_line(self.lines[at[0]]).encode()
        return raw[: at[1]].decode(), raw[at[1] :].decode()

    def indent(self, node: Node) -> str:
        """The white space that the line of a node begins with."""
        return indentation(self.lines[node.start_point[0]])

    def view(self, first: int, last: int) -> list[str]:
        r"""Lines `first` to `last` (1-based, inclusive), their terminators made `\n`."""
        return [view_line(line) for line in self.lines[first - 1 : last]]

    def changes(self, edits: Edits) -> bool:
        """Whether the text is another one after `edits`."""
        return any("".join(self.view(edit.first, edit.last)) != edit.text for edit in edits)

    def function(self) -> Node | None:
        """The one function whose head is selected, not counting those inside it; None where there are none or several."""
        return self._function

    @cached_property
    def _function(self) -> Node | None:
        found: list[Node] = []
        waiting = list(self.nodes)
        while waiting:
            node = waiting.pop()
            body = node.child_by_field_name("body") if node.type == "function_definition" else None
            if body is not None and self._shows(node.start_point[0] + 1, body.start_point[0]):
                found.append(node)
            else:
                waiting += node.named_children
        return found[0] if len(found) == 1 else None

    def names(self) -> frozenset[str]:
        """The variables and attributes that stand in the selected top-level code."""
        return self._names

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(text_of(name) for node in self.nodes for name in identifiers(node))

    def variables(self) -> frozenset[str]:
        """The variables of the selected code, or of the one function round it: no attributes and no keywords."""
        return self._variables

    @cached_property
    def _variables(self) -> frozenset[str]:
        round_it = [n for n in self._touched if n.type == "function_definition" and not self.has(n)]
        roots = round_it[-1:] if len(self.scope) == 1 else []
        found = (name for root in roots for name in identifiers(root))
        names = found if roots else (n for n in self._selected if n.type == "identifier")
        return frozenset(text_of(name) for name in names if not is_label(name))

    def starts_line(self, node: Node) -> bool:
        """Whether there is nothing but white space before a node in its line."""
        return not self.split(start_of(node))[0].strip()

    def _shows(self, begin: int, end: int) -> bool:
        return any(first <= begin and max(begin, end) <= last for first, last in self.scope)


@lru_cache(maxsize=1024)
def _names_in(code: str) -> frozenset[str] | None:
    """The variables in an expression; None where it is none, as `x²` is not."""
    try:
        tree = ast.parse(code, mode="eval")
    except (SyntaxError, ValueError):
        return None
    return frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))


@lru_cache(maxsize=1024)
def speaks_of_function(code: str) -> bool:
    """Whether an expression has a function of Python's own as nobody would write it, but say it: `any()`, `len - 1`."""
    if _UNGIVEN.search(code) is not None:
        return True
    try:
        tree = ast.parse(code, mode="eval")
    except (SyntaxError, ValueError):
        return False
    sides = [side for n in ast.walk(tree) if isinstance(n, ast.BinOp) for side in (n.left, n.right)]
    names = [side.id for side in sides if isinstance(side, ast.Name)]
    return any(isinstance(getattr(builtins, name, None), BuiltinFunctionType) for name in names)


@lru_cache(maxsize=4)
def _tree_of(text: str) -> Tree:
    """The syntax tree of Python code: a request has several contexts of one document."""
    tree = parse(split_lines(text), "python")
    assert tree is not None
    return tree
