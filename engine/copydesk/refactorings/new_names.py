"""The names that an instruction may want to give."""

from __future__ import annotations

import keyword
import re
from collections.abc import Set

from copydesk.refactorings.arguments import FUNCTION_WORDS, Arguments
from copydesk.refactorings.context import RefactoringContext

_STRONG = re.compile(
    r"(?:\b(?:to|as|called?|named?|use|into|local|variable|var|constant|say|it|name|be|first|second|inner|outer|and)"
    r"|->|→|=>|;) `?([^\W\d]\w*)`?(?![\w.(])"
    r"|`([^\W\d]\w*)`|([^\W\d]\w*)`? (?:=(?!=)|would|will do|is (?:better|fine|enough|clearer|nicer)|reads|rather|local"
    r"|in (?:its|a|an) (?:own|local|variable))"
)
"""Where an instruction names something."""
_WEAK = re.compile(
    r"(?:\b(?:names?|in|than|by|with|const|param|parameter|one|is|new|prefer|just|like|e\.g\.|or|once|should|good)|:|,|/) "
    r"`?([^\W\d]\w*)`?(?![\w.(])|([^\W\d]\w*)`? (?:instead|maybe|please)|/`?([^\W\d]\w*)|([^\W\d]\w*)`?[.!?]?$"
)
"""Where it may name something."""
_DESCRIBED = re.compile(
    r"(?=\b([a-zA-Z]{2,} [a-zA-Z]{3,}) "
    r"(?:(?:should|could|must|needs?|deserves?|gets?|is|be|goes|belongs|in|into|to|out|once|first|before|above|outside|as|up) ?)+"
    r"(?:$|\b(?:an?|its|the|get|have|go|be|variable|local|own|try|loop|if|front|there)\b))"
)
"""Where it describes something that is to have a name."""
_GIVEN = re.compile(
    r"\b(?:give|make|put) (?:the |this |that |its )?([a-z]{2,}) (?:a|an|its own) (?:\w+ )?(?:name|variable|local)\b"
    r"|\b(?:the|this|that) ([a-z]{2,}) (?:\w+ ){0,2}(?:deserves|needs|wants|should get|should have|could use) (?:a|its own) "
    r"(?:\w+ )?(?:name|variable|local)\b|^([a-z]\w*) for (?:the|this|that|what)\b"
)
"""Where it calls a value by one word, or begins with the name: "give the intersection a name", "n for the length"."""
_PROSE = frozenset({
    "a", "above", "after", "all", "also", "an", "any", "argument", "as", "at", "attribute", "be", "been", "before",
    "below", "better", "body", "both", "branch", "branches", "call", "called", "can", "clear", "comment",
    "compute", "constant", "could", "docstring",
    "drop", "end", "everywhere", "extract", "first", "for", "front", "function", "hard", "has", "have", "here", "if",
    "in", "instead", "into", "is", "it", "its", "just", "less", "line", "local", "long", "loop", "maybe", "more", "name",
    "names", "new", "no", "not", "of", "on", "once", "one", "only", "out", "own", "parameter", "please", "put", "read",
    "rename", "return", "reusing", "same", "short", "should", "something", "start", "that", "the", "them", "then",
    "there", "this", "throughout", "times", "to", "too", "top", "twice", "unindent", "up", "use", "used", "variable",
    "way", "well", "when", "with", "without", "would",
    "about", "abbreviated", "abbreviation", "again", "bad", "because", "but", "clearer", "confusing", "cryptic", "doesn", "don",
    "easier", "enough", "fine", "good", "isn", "misleading", "nicer", "noise", "nothing", "or", "pointless", "poor", "prefer",
    "rather", "really", "redundant", "says", "shorter", "so", "spelled", "spelt", "taken", "than", "these", "they", "those",
    "vague", "what", "which", "wrong",
})  # fmt: skip


def new_names(context: RefactoringContext, arguments: Arguments, most: int = 4) -> list[str]:
    """Names that the selection does not have, those first that stand where one names something."""
    known = context.variables()
    found = re.findall(
        r"\b(?:called|named|local) `?(name|names|line|end|start|first|new|body)\b", arguments.instruction
    )
    found += re.findall(
        r"(?<![\w.])([^\W\d]\w*)`? is an? (?:better|good|fine|clearer) name", arguments.instruction
    )
    found += [name for name in arguments.names if re.search(r"_|\d|[a-z][A-Z]", name)]
    for pattern in (_STRONG, _WEAK):
        for match in pattern.finditer(arguments.instruction):
            found += [name for name in match.groups() if name and name.lower() not in _PROSE]
    parts = {part for dotted in arguments.dotted for part in dotted.split(".")}
    found = [name.lstrip("_") if name in parts else name for name in found]
    free = [
        name for name in dict.fromkeys(found) if name and name not in known and not keyword.iskeyword(name)
    ]
    return sorted(free, key=lambda name: name in context.names())[:most]


def described_names(context: RefactoringContext, arguments: Arguments) -> list[str]:
    """Names of the words by which an instruction describes a value: `expected_length` for "the expected length should get its
    own variable", `digest` for "give the digest a name".
    """
    found: list[str] = []
    for match in _DESCRIBED.finditer(arguments.instruction):
        words = match[1].lower().split()
        if words[0] not in _PROSE and not any(w in FUNCTION_WORDS or keyword.iskeyword(w) for w in words):
            found.append("_".join(words))
    for match in _GIVEN.finditer(arguments.instruction.lower()):
        found += [name for name in match.groups() if name and may_name(name) and not keyword.iskeyword(name)]
    return [name for name in dict.fromkeys(found) if name not in context.variables()]


def may_name(word: str) -> bool:
    """Whether a word of an instruction is not one that sentences are made of."""
    return word == "new" or word.lower() not in _PROSE


def derived_name(code: str) -> str | None:
    """A name for the value of an expression: its last attribute, or what it calls."""
    last = re.search(r"\.([^\W\d]\w*)$", code)
    words = [last[1]] if last is not None else re.findall(r"[^\W\d]\w*", re.split(r"[(\[]", code)[0])
    if not words:
        return None
    name = re.sub(r"^(?:get|compute|make|create|load|read|find|build)_(?=\w)", "", words[-1].lstrip("_"))
    return name.lower() if name.isidentifier() and not keyword.iskeyword(name) and len(name) > 1 else None


def free_name(name: str, taken: Set[str]) -> str:
    """The name, or the first of name_2, name_3, … that is not taken."""
    number, free = 2, name
    while free in taken:
        free, number = f"{name}_{number}", number + 1
    return free
