"""The types that an instruction names."""

from __future__ import annotations

import re

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.code_words import annotation
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.spoken import spoken_types


def named_types(context: RefactoringContext, arguments: Arguments) -> list[str]:
    """Types that an instruction spells or names, and unions with None where it says that something may be None."""
    spoken = spoken_types(arguments)
    types = [
        name
        for name in dict.fromkeys([*arguments.types, *spoken])
        if name[:1].isupper()
        or not name.isidentifier()
        or name in spoken
        or ("_" in name and "type" in arguments.words)
    ]
    of = re.findall(
        r"\b(list|set|tuple|dict|iterable|sequence|iterator)s? of (?:the )?(\w+?)s?\b",
        arguments.instruction.lower(),
    )
    for outer, inner in of:
        inner = {"string": "str", "integer": "int", "number": "int", "boolean": "bool"}.get(inner, inner)
        types.append(f"{outer if outer in ('list', 'set', 'tuple', 'dict') else outer.capitalize()}[{inner}]")
        types.append(f"tuple[{inner}, ...]")
    if arguments.words & {"none", "optional", "missing"}:
        types += [
            f"{name} | None" for name in types if name not in ("None", "True", "False") and "None" not in name
        ]
        types += [f"Optional[{name}]" for name in types if "None" not in name and "Optional" not in name]
    types += [f"{one} | {two}" for one in spoken for two in spoken if one != two]
    no_types = ("True", "False", *arguments.exceptions)
    found = [name for name in dict.fromkeys(types) if annotation(name) and name not in no_types][:24]
    return [name for name in found if context.knows(name, type=True)]


def is_spelt(type: str, arguments: Arguments) -> bool:
    """Whether an instruction names a type."""
    return arguments.mentions(type) or type in spoken_types(arguments)
