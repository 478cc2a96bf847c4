"""Wishes for f-strings."""

from __future__ import annotations

import re

from copydesk.refactorings.phrases.words import Rule, only
from copydesk.refactorings.strings.f_string import use_f_strings

_ASKED = (
    "use an a convert make this turn into to instead of % percent .format format str.format() format() formatting "
    "formatted string strings the old old-style style rewrite with for here rather than over change modernise modernize "
    "switch from operator no by replace it that and both all each every of these those them as"
)


def string_rule(instruction: str) -> Rule | None:
    """Reads a wish for f-strings."""
    said = re.sub(r"\bf[ -]?strings?\b|\bf\"\"", "f-string", instruction.lower())
    modern = said in ("modernise the string formatting", "modernize the string formatting")
    return use_f_strings if modern or only(said, "f-string", _ASKED) else None
