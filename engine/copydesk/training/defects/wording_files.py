"""How people ask for an edit: instructions in many wordings, a data file per subject.

One wording a line, UTF-8; `{placeholder}` stands for a field of the edit, `{{` and `}}` for braces; lines that begin with
`#` are comments. It knows nothing of code.
"""

from __future__ import annotations

import string
from functools import cache
from importlib.resources import files
from random import Random
from typing import NamedTuple

from copydesk.document import split_lines


class Template(NamedTuple):
    """A wording and the fields it needs."""

    text: str
    needs: frozenset[str]


@cache
def templates(subject: str) -> tuple[Template, ...]:
    """The wordings of a subject, in the file's order. Raises KeyError for an unknown subject."""
    path = files("copydesk.training").joinpath("wordings", f"{subject}.txt")
    if not path.is_file():
        raise KeyError(subject)
    lines = [line.strip() for line in split_lines(path.read_text(encoding="utf-8"))]
    found: list[Template] = []
    for line in lines:
        if line and not line.startswith("#"):
            fields = (name for _, name, _, _ in string.Formatter().parse(line) if name is not None)
            found.append(Template(line, frozenset(fields)))
    return tuple(found)


def ask(rng: Random, subject: str, **fields: object) -> str:
    """One of the wordings of `subject` whose placeholders are all given. Raises KeyError for an unknown subject and where
    every wording needs more.
    """
    usable = [t.text for t in templates(subject) if t.needs <= fields.keys()]
    if not usable:
        raise KeyError(f"{subject}: no wording for {sorted(fields)}")
    return string.Formatter().vformat(rng.choice(usable), (), fields)
