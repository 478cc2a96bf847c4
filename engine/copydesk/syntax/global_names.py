"""The names of a Python file that belong to no function: those that its code reads, and those that nothing in the file binds."""

from __future__ import annotations

import builtins
import re
import symtable
import warnings
from dataclasses import dataclass
from functools import lru_cache

_OF_MODULES = frozenset({"__annotations__", "__builtins__", "__class__", "__file__", "__path__"})
_ANY_NAME = re.compile(r"^[ \t]*from[ \t].*\bimport[ \t]*\*", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class GlobalNames:
    """read: somewhere in the file. undefined: those of them that neither the file nor Python binds: to read one is an error."""

    read: frozenset[str]
    undefined: frozenset[str]


@lru_cache(4)
def global_names(text: str) -> GlobalNames | None:
    """Of a whole file; None where that cannot be told: code that this Python cannot parse, `from … import *`. Which of several
    statements binds a name, and when, is not looked at. Raises: never.
    """
    if _ANY_NAME.search(text):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes in somebody's texts
            module = symtable.symtable(text, "<text>", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    read: set[str] = set()
    bound: set[str] = set()
    waiting = [module]
    while waiting:
        table = waiting.pop()
        waiting += table.get_children()
        for symbol in table.get_symbols():
            here = table is module
            if (here or symbol.is_declared_global()) and (
                symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()
            ):
                bound.add(symbol.get_name())
            if (here or symbol.is_global()) and symbol.is_referenced():
                read.add(symbol.get_name())
    unbound = read - bound - _OF_MODULES
    return GlobalNames(frozenset(read), frozenset(name for name in unbound if not hasattr(builtins, name)))
