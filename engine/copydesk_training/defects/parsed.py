"""One clean file, parsed once: nodes by type, tokens, and where each lies in the text.

Places are offsets into the text in code points, half open. It knows Python's syntax; nothing of defects.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple, TypeVar, overload

T = TypeVar("T")
N = TypeVar("N", bound=ast.AST)
M = TypeVar("M", bound=ast.AST)
K = TypeVar("K", bound=ast.AST)

WORD = re.compile(r"[^\W\d]\w*")
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


class Token(NamedTuple):
    """A token of `tokenize` at its offsets."""

    type: int
    string: str
    start: int
    end: int


class ParsedFile:
    r"""A file whose lines all end in `\n`. Raises SyntaxError or ValueError for what Python cannot parse and
    for text with a `\r` or a form feed, whose lines the tools count each in their own way.
    """

    def __init__(self, text: str) -> None:
        if any(mark in text for mark in "\r\f\ufeff"):
            raise ValueError("line breaks other than \\n")
        self.text = text
        self.tree = ast.parse(text)
        self.starts = [0]
        for match in re.finditer("\n", text):
            self.starts.append(match.end())
        self.nodes: list[ast.AST] = []
        self.parents: dict[ast.AST, ast.AST] = {}
        self._by_type: dict[type[ast.AST], list[Any]] = defaultdict(list)
        self._ascii = text.isascii()
        self._memo: dict[str, list[Any]] = {}
        self._walk()

    def _walk(self) -> None:
        stack: list[ast.AST] = [self.tree]
        while stack:
            node = stack.pop()
            self.nodes.append(node)
            self._by_type[type(node)].append(node)
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node
                stack.append(child)

    # -- nodes ---------------------------------------------------------------------------------------------

    @overload
    def of(self, first: type[N], /) -> list[N]: ...

    @overload
    def of(self, first: type[N], second: type[M], /) -> list[N | M]: ...

    @overload
    def of(self, first: type[N], second: type[M], third: type[K], /) -> list[N | M | K]: ...

    @overload
    def of(self, *types: type[ast.AST]) -> list[Any]: ...

    def of(self, *types: type[ast.AST]) -> list[Any]:
        """All nodes of these types, each type in a fixed order."""
        return [node for kind in types for node in self._by_type.get(kind, ())]

    @property
    def functions(self) -> list[FunctionNode]:
        """Every function, nested ones too."""
        return self.of(ast.FunctionDef, ast.AsyncFunctionDef)

    def parent(self, node: ast.AST) -> ast.AST | None:
        """The node round it."""
        return self.parents.get(node)

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes round it, from the inside out."""
        at = self.parents.get(node)
        while at is not None:
            yield at
            at = self.parents.get(at)

    def function_of(self, node: ast.AST) -> FunctionNode | None:
        """The innermost function round it."""
        for outer in self.ancestors(node):
            if isinstance(outer, FunctionNode):
                return outer
        return None

    def statement_of(self, node: ast.AST) -> ast.stmt | None:
        """The innermost statement it is part of (itself, perhaps)."""
        at: ast.AST | None = node
        while at is not None and not isinstance(at, ast.stmt):
            at = self.parents.get(at)
        return at

    def in_fstring(self, node: ast.AST) -> bool:
        """Whether it stands in an f-string: Python before 3.12 places such nodes wrongly now and then."""
        at: ast.AST | None = node
        while at is not None and not isinstance(at, ast.stmt):
            if isinstance(at, ast.JoinedStr):
                return True
            at = self.parents.get(at)
        return False

    def body_of(self, statement: ast.stmt) -> list[ast.stmt] | None:
        """The list of statements it stands in."""
        outer = self.parents.get(statement)
        for field in ("body", "orelse", "finalbody"):
            body = getattr(outer, field, None)
            if isinstance(body, list) and statement in body:
                return body
        return None

    def cached(self, name: str, build: Callable[[], Iterable[T]]) -> list[T]:
        """`build()` as a list, made once per file under that name."""
        found = self._memo.get(name)
        if found is None:
            found = self._memo[name] = list(build())
        return found

    # -- places --------------------------------------------------------------------------------------------

    def offset(self, line: int, column: int) -> int:
        """Of a 1-based line and a UTF-8 column, as `ast` gives them."""
        start = self.starts[line - 1]
        if self._ascii:
            return start + column
        end = self.starts[line] if line < len(self.starts) else len(self.text)
        content = self.text[start:end]
        if content.isascii():
            return start + column
        return start + len(content.encode()[:column].decode("utf-8", "ignore"))

    def start(self, node: Any) -> int:
        """Where a node begins."""
        return self.offset(node.lineno, node.col_offset)

    def end(self, node: Any) -> int:
        """Where a node ends."""
        return self.offset(node.end_lineno, node.end_col_offset)

    def source(self, node: Any) -> str:
        """The node's own text."""
        return self.text[self.start(node) : self.end(node)]

    def line_at(self, offset: int) -> int:
        """The 1-based line an offset lies on."""
        return bisect_right(self.starts, offset)

    def line_start(self, offset: int) -> int:
        """Where the line of an offset begins."""
        return self.starts[self.line_at(offset) - 1]

    def line_end(self, offset: int) -> int:
        """Where the line of an offset ends, before its terminator."""
        found = self.text.find("\n", offset)
        return len(self.text) if found < 0 else found

    def line_text(self, line: int) -> str:
        """A 1-based line without its terminator."""
        start = self.starts[line - 1]
        return self.text[start : self.line_end(start)]

    def alone(self, node: Any) -> bool:
        """Whether a node begins and ends its line(s): only white space before it, nothing behind it."""
        start, end = self.start(node), self.end(node)
        return (
            not self.text[self.line_start(start) : start].strip()
            and not self.text[end : self.line_end(end)].strip()
        )

    def indent(self, node: Any) -> str:
        """The white space in front of the node's line."""
        line = self.line_text(node.lineno)
        return line[: len(line) - len(line.lstrip())]

    # -- tokens and words ----------------------------------------------------------------------------------

    @cached_property
    def tokens(self) -> list[Token]:
        """All tokens but the empty ones; [] where `tokenize` disagrees with the parser."""
        found: list[Token] = []
        try:
            for kind, string, (row, column), (last, end), _ in tokenize.generate_tokens(
                io.StringIO(self.text).readline
            ):
                if string.strip():
                    found.append(
                        Token(kind, string, self.starts[row - 1] + column, self.starts[last - 1] + end)
                    )
        except (tokenize.TokenError, IndentationError, SyntaxError):
            return []
        return found

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word of the text, in comments and strings too."""
        return frozenset(WORD.findall(self.text))

    @cached_property
    def names_loaded(self) -> dict[str, list[ast.Name]]:
        """The uses of each name, in the order of the text."""
        found: dict[str, list[ast.Name]] = defaultdict(list)
        for node in self.of(ast.Name):
            if isinstance(node.ctx, ast.Load):
                found[node.id].append(node)
        for uses in found.values():
            uses.sort(key=lambda node: (node.lineno, node.col_offset))
        return found

    @cached_property
    def star(self) -> str | None:
        """The module of an `import *`: linters are careful about names then."""
        starred = (n for n in self.of(ast.ImportFrom) if n.names[0].name == "*")
        return next(("." * n.level + (n.module or "") for n in starred), None)

    @cached_property
    def string_lines(self) -> frozenset[int]:
        """The lines that a string over several lines covers."""
        lines: set[int] = set()
        for token in self.tokens:
            if token.type == tokenize.STRING or token.string[:1] in "\"'":
                first, last = self.line_at(token.start), self.line_at(token.end)
                if last > first:
                    lines.update(range(first, last + 1))
        return frozenset(lines)
