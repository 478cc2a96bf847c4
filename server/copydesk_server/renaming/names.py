"""Names that a symbol may have."""

from __future__ import annotations

import keyword
import re
import unicodedata

from copydesk_server.renaming.refusal import refuse

LONGEST = 200
"""Characters of a name."""
SOFT = ("match", "case", "type", "_")
"""Keywords where the grammar wants them, and names elsewhere."""


def check_new_name(old: str, new: str) -> None:
    """Raises RenameRefusedError where a symbol called `old` cannot be called `new`."""
    if len(new) > LONGEST or not new.isidentifier():
        raise refuse(f'"{new[:LONGEST]}" is not a name')
    if keyword.iskeyword(new):
        raise refuse(f'"{new}" is a keyword of Python')
    if unicodedata.normalize("NFKC", new) != new:
        raise refuse(f'Python reads "{new}" as "{unicodedata.normalize("NFKC", new)}"')
    if is_special(new):
        raise refuse(f'"{new}" has a meaning of its own in Python')
    if new == old:
        raise refuse(f'it is called "{new}" already')
    if new == "_" or is_private(new) != is_private(old):
        raise refuse(f'Python treats "{new}" differently from "{old}"')


def check_old_name(old: str) -> None:
    """Raises RenameRefusedError where a symbol of this name cannot be renamed, whatever it is."""
    if keyword.iskeyword(old) or not old.isidentifier():
        raise refuse(f'"{old}" is not a name')
    if is_special(old) or old == "_":
        raise refuse(f'"{old}" has a meaning of its own in Python')
    if unicodedata.normalize("NFKC", old) != old:
        raise refuse(f'Python reads "{old}" as another name')


def is_special(name: str) -> bool:
    """Whether Python itself looks for that name (`__init__`)."""
    return len(name) > 4 and name.startswith("__") and name.endswith("__")


def is_private(name: str) -> bool:
    """Whether Python makes another name of it inside a class (`__name`)."""
    return name.startswith("__") and not name.endswith("__")


def word(name: str) -> re.Pattern[str]:
    """Finds a name as a word of its own."""
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
