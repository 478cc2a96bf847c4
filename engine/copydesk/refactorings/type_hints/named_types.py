"""The types that an instruction names."""

from __future__ import annotations

import re

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.code_words import annotation
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.parameters import plain_names
from copydesk.refactorings.spoken import spoken_types
from copydesk.syntax.tree import text_of

OF_WORDS = r"(?:of|from) (?:the )?(\w+)(?: to (?:an? )?(\w+)| (?:keyed )?by (\w+))?"
"""What a collection is one of, as an instruction says it."""
_OF = re.compile(
    rf"\b(lists?|sets?|tuples?|dicts?|dictionary|dictionaries|mappings?|iterables?|sequences?|iterators?) {OF_WORDS}",
    re.I,
)
_NUMBERS = {"number": "int", "numbers": "int"}
_ANY = re.compile(r"(?<!\.)\bAny\b")


def named_types(context: RefactoringContext, arguments: Arguments) -> list[str]:
    """Types that an instruction spells or names, and unions with None where it says that something may be None."""
    spoken = spoken_types(_apart(arguments))
    own = {name for name in owners(context) if not name[0].isupper() or len(name) == 1}
    types = [
        name
        for name in dict.fromkeys([*arguments.types, *spoken])
        if (name not in own and name[:1].isupper())
        or not name.isidentifier()
        or name in spoken
        or ("_" in name and "type" in arguments.words)
    ]
    types += composed_types(arguments)[0]
    if arguments.words & {"none", "optional", "missing"}:
        types += [
            f"{name} | None" for name in types if name not in ("None", "True", "False") and "None" not in name
        ]
        types += [f"Optional[{name}]" for name in types if "None" not in name and "Optional" not in name]
    types += [f"{one} | {two}" for one in spoken for two in spoken if one != two]
    no_types = ("True", "False", "Optional", "Union", *arguments.exceptions)
    found = [name for name in dict.fromkeys(types) if annotation(name) and name not in no_types][:24]
    return list(dict.fromkeys(known_any(name, context) for name in found if context.knows(name, type=True)))


def _apart(arguments: Arguments) -> Arguments:
    """The words of an instruction that are no part of a type of others: neither `dict` nor `str` of "a dict of str to int"."""
    rest = _OF.sub(" ", arguments.instruction)
    return Arguments(words=frozenset(re.findall(r"\w+", rest.lower())))


def composed_types(arguments: Arguments) -> tuple[list[str], list[str]]:
    """The types of others that an instruction says in words, and the plain ones that are a part of these alone."""
    whole = [type for found in _OF.finditer(arguments.instruction) for type in composed(found)]
    return whole, [
        type for type in spoken_types(arguments) if whole and type not in spoken_types(_apart(arguments))
    ]


def owners(context: RefactoringContext) -> list[str]:
    """What an instruction may say the type of: the parameters of the function, and it."""
    function = context.function()
    defined = function.child_by_field_name("name") if function is not None else None
    return [*plain_names(context), *([text_of(defined)] if defined is not None else [])]


def composed(found: re.Match[str]) -> list[str]:
    """A type of others that an instruction says in words (`_OF`): `dict[str, int]` for a dict of str to int."""
    outer, inner, *values = found.groups()
    kind = outer.lower().removesuffix("s").replace("dictionarie", "dict").replace("dictionary", "dict")
    kind = kind if kind in ("list", "set", "tuple", "dict") else kind.capitalize()
    value = next(filter(None, values), None)
    if value is not None:
        return [f"{kind}[{_spoken(inner)}, {_spoken(value)}]"] if kind in ("dict", "Mapping") else []
    if kind in ("dict", "Mapping"):
        return []
    return [f"tuple[{_spoken(inner)}, ...]"] if kind == "tuple" else [f"{kind}[{_spoken(inner)}]"]


def _spoken(word: str) -> str:
    """The type that one word says: `str` for strings; a name as it stands, in the singular."""
    known = spoken_types(Arguments(words=frozenset({word.lower()})))
    return known[0] if known else _NUMBERS.get(word.lower(), word.removesuffix("s"))


def known_any(type: str, context: RefactoringContext) -> str:
    """A type with `object` for `Any` in a document that has no such name."""
    text = "".join(context.lines)
    known = re.search(r"import .*\bAny\b", text) or re.search(r"^\s+Any,$", text, re.MULTILINE)
    return type if known else _ANY.sub("typing.Any" if "typing.Any" in text else "object", type)


def is_spelt(type: str, arguments: Arguments) -> bool:
    """Whether an instruction names a type."""
    return arguments.mentions(type) or type in spoken_types(arguments)
