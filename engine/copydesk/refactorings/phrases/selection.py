"""The lines an instruction is about, and the syntax in them. Knows Python's trees; nothing of instructions."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tree_sitter import Node, Tree

from copydesk.request import Range
from copydesk.syntax.splice import Point
from copydesk.syntax.tree import rows
from copydesk.text.document import view_line
from copydesk.text.line_edit import LineEdit

Way: TypeAlias = tuple[LineEdit, ...]


@dataclass(frozen=True, slots=True)
class Selection:
    """lines: of the document. nodes: what of its top level has a line in `scope`. quoted: words the instruction marks as code."""

    lines: Sequence[str]
    scope: Sequence[Range]
    nodes: Sequence[Node]
    quoted: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls, lines: Sequence[str], scope: Sequence[Range], tree: Tree, quoted: frozenset[str] = frozenset()
    ) -> Selection:
        def touches(node: Node) -> bool:
            begin, end = rows(node)
            return any(first <= end and begin <= last for first, last in scope)

        return cls(lines, scope, [node for node in tree.root_node.children if touches(node)], quoted)

    def walk(self) -> Iterator[Node]:
        """Every node all of whose lines are selected, in order."""
        waiting = list(reversed(self.nodes))
        while waiting:
            node = waiting.pop()
            if self.has(node):
                yield node
            waiting += reversed(node.named_children)

    def has(self, node: Node) -> bool:
        """Whether all of a node's lines are selected."""
        begin, end = rows(node)
        return any(first <= begin and end <= last for first, last in self.scope)

    def knows(self, code: str, *, type: bool = False) -> bool:
        """Whether every name in an expression is Python's own or the document's; of a type, one with a capital may be anybody's.
        Else it is a word of the person's, and no code.
        """
        names = {node.id for node in ast.walk(ast.parse(code, mode="eval")) if isinstance(node, ast.Name)}
        for name in names:
            word = re.compile(rf"(?<!\w){name}(?!\w)")
            here = hasattr(builtins, name) or any(word.search(line) for line in self.lines)
            if not here and not (type and name[0].isupper()):
                return False
        return True

    def numbers(self) -> Iterator[int]:
        """The selected lines, 1-based."""
        for first, last in self.scope:
            yield from range(first, last + 1)

    def split(self, at: Point) -> tuple[str, str]:
        """A line before and behind a place. Raises UnicodeEncodeError."""
        raw = view_line(self.lines[at[0]]).encode()
        return raw[: at[1]].decode(), raw[at[1] :].decode()

    def function(self) -> Node | None:
        """The one function whose head is selected, not counting those inside it; None where there are none or several."""
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

    def _shows(self, begin: int, end: int) -> bool:
        return any(first <= begin and max(begin, end) <= last for first, last in self.scope)


Rule: TypeAlias = Callable[[Selection], Way | None]
"""What an instruction makes of the lines it is about; None where it leaves something open there."""
