"""The names that an instruction may want to give."""

from __future__ import annotations

import keyword
import re

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.context import RefactoringContext

_NAMING = re.compile(
    r"(?:\b(?:to|as|called?|named?|names?|use|into|in|it|be|than|by|with|variable|var|local|const|constant|param|parameter|one|"
    r"is|new|prefer|say|just|like|e\.g\.|or|and|first|once|should|be|good)|->|→|=>|:|,|/|;|`) `?([^\W\d]\w*)`?(?![\w.(])"
    r"|`([^\W\d]\w*)`|([^\W\d]\w*)`? (?:=|would|is better|reads|instead|rather|maybe|please)|([^\W\d]\w*)`?[.!?]?$"
)
_PROSE = frozenset({
    "a", "all", "also", "an", "any", "argument", "as", "at", "attribute", "be", "been", "before", "better", "body", "both",
    "call", "can", "clear", "comment", "could", "docstring", "drop", "end", "everywhere", "first", "for", "front", "function",
    "has", "have", "here", "if", "in", "instead", "into", "is", "it", "its", "just", "less", "line", "local", "long", "loop",
    "maybe", "more", "name", "names", "new", "no", "not", "of", "on", "once", "one", "only", "out", "own", "parameter",
    "please", "rename", "return", "same", "short", "should", "something", "start", "that", "the", "them", "then", "there",
    "this", "throughout", "to", "too", "twice", "unindent", "up", "use", "used", "variable", "way", "well", "when", "with",
    "without", "would",
})  # fmt: skip


def new_names(context: RefactoringContext, arguments: Arguments, most: int = 4) -> list[str]:
    """Names that the selection does not have, those first that stand where one names something."""
    known = context.names()
    found: list[str] = []
    for match in _NAMING.finditer(arguments.instruction):
        found += [name for name in match.groups() if name]
    found = [name for name in found if name.lower() not in _PROSE]
    marked = [name for name in arguments.names if re.search(r"_|\d|[a-z][A-Z]", name)]
    return [
        name for name in dict.fromkeys([*marked, *found]) if name not in known and not keyword.iskeyword(name)
    ][:most]


def may_name(word: str) -> bool:
    """Whether a word of an instruction is not one that sentences are made of."""
    return word == "new" or word.lower() not in _PROSE


def derived_name(code: str) -> str | None:
    """A name for the value of an expression: its last attribute, or what it calls."""
    words = re.findall(r"[^\W\d]\w*", code.split("(")[0].split("[")[0])
    if not words:
        return None
    name = words[-1].lstrip("_")
    name = re.sub(r"^(?:get|compute|make|create|load|read|find|build)_(?=\w)", "", name)
    return name.lower() if name.isidentifier() and not keyword.iskeyword(name) and len(name) > 1 else None
