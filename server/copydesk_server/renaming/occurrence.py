"""What a module is read into: its scopes, and the places where some names stand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

MODULE = 0
"""The scope of a module's own names; others are numbered in the order in which they begin."""


class Role(Enum):
    """What a name does where it stands."""

    VARIABLE = auto()
    ATTRIBUTE = auto()
    KEYWORD = auto()
    """Of an argument in a call."""
    IMPORTED = auto()
    """Taken from a module (`from m import name`)."""
    MODULE_PATH = auto()
    """A part of a module's own name in an import."""
    EXPORTED = auto()
    """A string in `__all__`."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A name in the text. line: 0-based; column, end: in characters. scope: of the variable it means or makes, None where it is
    none of the module's. binds: whether the variable is given a value here, or declared. within: the scopes round it, the
    innermost first. of_class: the class whose method reads or writes it at its own instance. assigned: whether a plain
    assignment gives it its value.
    """

    name: str
    line: int
    column: int
    role: Role
    scope: int | None = None
    binds: bool = False
    within: tuple[int, ...] = (MODULE,)
    of_class: int | None = None
    doubtful: bool = False
    """In a class body a name may mean another variable before it is given a value there."""
    receiver: str | None = None
    """Of an attribute: the variable in front of the first dot, where it is one."""
    assigned: bool = False
    callee: tuple[int, int, str] | None = None
    """Of a keyword: (line, column) of the last name of what is called, and the text of all arguments."""
    alias: str | None = None
    """Of an imported name or module: what it is called instead."""

    @property
    def end(self) -> int:
        return self.column + len(self.name)


@dataclass(frozen=True, slots=True)
class Scope:
    """A function, class, lambda or comprehension, or the module. line: 0-based, where its name stands, or it begins.

    name: "" where it has none. bases: of a class, as (line, column of the last name, text), and None for what is no plain base.
    parameters: by name.
    """

    kind: str
    name: str
    line: int
    column: int
    outer: int | None
    bases: tuple[tuple[int, int, str] | None, ...] = ()
    parameters: tuple[str, ...] = ()
    takes_any_keyword: bool = False
    decorators: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Module:
    """What was found. star_imports: whether names may come from elsewhere unseen. broken: the line of the first syntax error, or
    of what is nested too deeply."""

    lines: tuple[str, ...]
    scopes: tuple[Scope, ...]
    occurrences: tuple[Occurrence, ...]
    star_imports: bool
    broken: int | None

    def of(self, name: str) -> Iterator[Occurrence]:
        """The places of one name."""
        return (found for found in self.occurrences if found.name == name)
