"""The automaton of a schema's shapes: as an LR(1) grammar's, without tables in between.

What a bracket opens is one symbol of the stack, which says what its object or array may have in it and what may come next; a
closing bracket takes it away, and below stands what follows the whole value. So no edge but the last looks deeper than one
symbol. Each string that the schema names is a terminal of its own, and goes before those that spell more: any string is a known
one where it is spelled like one.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from copydesk.pushdown.automaton import ACCEPTED, Automaton, Edge
from copydesk.pushdown.grammar import Grammar, literal, optional, star
from copydesk.pushdown.json_grammar import (
    BLOCK_COMMENT,
    CHARACTER,
    ESCAPE,
    EXPONENT,
    FRACTION,
    INTEGER,
    LINE_COMMENT,
    SPACE,
)
from copydesk.pushdown.json_schema.shapes import ANY_STRING, Members, Shape, shapes_of, spelled
from copydesk.pushdown.lexer import Lexer

_PLAIN = "plain"
_ESCAPED = "escaped"
"""Strings that the schema does not name, without escapes and with some."""
_WORDS = ("null", "true", "false")
_MARKS = "{}[]:,"
_QUOTE = literal('"')
_SPELLED = {
    "integer": INTEGER,
    "decimal": INTEGER + (FRACTION + optional(EXPONENT) | EXPONENT),
    _PLAIN: _QUOTE + star(CHARACTER) + _QUOTE,
    _ESCAPED: _QUOTE + star(CHARACTER) + ESCAPE + star(CHARACTER | ESCAPE) + _QUOTE,
}


def schema_automaton(schema: Any, comments: bool = False) -> Automaton:
    """comments: also comments and trailing commas. Raises GrammarError for a schema with too many places."""
    shapes = shapes_of(schema)
    keys = {spelled(key) for shape in shapes if shape.members for key, _ in shape.members.named}
    strings = sorted(keys.union(*(shape.strings for shape in shapes)))
    numbers = sorted(frozenset[str]().union(*(shape.numbers for shape in shapes)))
    terminals = {name: literal(name) for name in (*_MARKS, *_WORDS, *numbers, *strings)} | _SPELLED
    skipped = (SPACE, LINE_COMMENT, BLOCK_COMMENT) if comments else (SPACE,)
    lexer = Lexer(Grammar((), terminals, skipped))
    return _Compiler(lexer, shapes, strings, numbers, comments).compiled()


class _Compiler:
    """Symbols are numbered as they are met; 0 is the bottom of every stack."""

    def __init__(
        self, lexer: Lexer, shapes: list[Shape], strings: list[str], numbers: list[str], comments: bool
    ) -> None:
        self.lexer, self.shapes, self.comments = lexer, shapes, comments
        self.strings, self.numbers = strings, numbers
        self.terminal = {name: number for number, name in enumerate(lexer.names)}
        self.symbols: dict[Hashable, int] = {"bottom": 0}
        self.edges: list[list[Edge]] = [[] for _ in range(len(lexer.names) + 1)]
        self._todo: list[Members | int] = []

    def compiled(self) -> Automaton:
        whole = self._symbol("whole")
        for terminal, opened in self._values(self.shapes[0]):
            self._edge(terminal, 0, (0, whole, *opened))
        self.edges[-1].append(Edge((0, whole), (ACCEPTED,)))
        for inner in self._todo:  # grows while it is read
            if isinstance(inner, Members):
                self._object(inner)
            else:
                self._array(inner)
        return Automaton(self.lexer, self.edges, len(self.symbols))

    def _symbol(self, meaning: Hashable) -> int:
        return self.symbols.setdefault(meaning, len(self.symbols))

    def _edge(self, terminal: str, old: int, new: tuple[int, ...]) -> None:
        self.edges[self.terminal[terminal]].append(Edge((old,), new))

    def _opened(self, inner: Members | int) -> int:
        """The symbol behind the bracket that opens an object with these members, or an array of that shape."""
        if ("open", inner) not in self.symbols:
            self._todo.append(inner)
        return self._symbol(("open", inner))

    def _values(self, shape: Shape) -> Iterator[tuple[str, tuple[int, ...]]]:
        """The terminals with which a value of the shape begins, and what the stack has more behind one that opens it."""
        names = {name for name in (*_WORDS, "integer", "decimal") if name in shape.kinds}
        names |= {*self.strings, _PLAIN, _ESCAPED} if ANY_STRING in shape.kinds else shape.strings
        names |= {text for text in self.numbers if _kind(text) in shape.kinds} | shape.numbers
        yield from ((name, ()) for name in sorted(names))
        if shape.members is not None:
            yield "{", (self._opened(shape.members),)
        if shape.items is not None:
            yield "[", (self._opened(shape.items),)

    def _object(self, members: Members) -> None:
        begun, following, after = self._places(members, "}")
        named = {spelled(key): to for key, to in members.named}
        keys = {**dict.fromkeys([*self.strings, _PLAIN], members.rest), **named}
        # A known key that is spelled with escapes would pass for another one.
        keys[_ESCAPED] = None if named else members.rest
        for to in sorted({to for to in keys.values() if to is not None}):
            colon, value = self._symbol(("colon", members, to)), self._symbol(("value", members, to))
            for name in (name for name, behind in keys.items() if behind == to):
                for place in {begun, following}:
                    self._edge(name, place, (colon,))
            self._edge(":", colon, (value,))
            for terminal, opened in self._values(self.shapes[to]):
                self._edge(terminal, value, (after, *opened))

    def _array(self, shape: int) -> None:
        begun, following, after = self._places(shape, "]")
        for terminal, opened in self._values(self.shapes[shape]):
            for place in {begun, following}:
                self._edge(terminal, place, (after, *opened))

    def _places(self, inner: Members | int, close: str) -> tuple[int, int, int]:
        """The symbols behind the opening bracket, a comma, and a value; with the edges of commas and the closing bracket."""
        begun, after = self._symbol(("open", inner)), self._symbol(("after", inner))
        following = begun if self.comments else self._symbol(("next", inner))
        self._edge(",", after, (following,))
        for place in (begun, after):
            self._edge(close, place, ())
        return begun, following, after


def _kind(number: str) -> str:
    return "integer" if number.lstrip("-").isdigit() else "decimal"
