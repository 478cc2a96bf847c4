"""Schemas as automata that hold what is written into a document."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from copydesk.errors import GrammarError
from copydesk.pushdown.effects import Effects
from copydesk.pushdown.json_schema.automaton import schema_automaton
from copydesk.pushdown.languages import comments_allowed, without_mark
from copydesk.schemas.catalogue import Schema

MOST_AUTOMATA = 32
"""Automata of schemas that are kept: all that are shipped, with comments and without."""


def schema_effects(schema: Schema, language: str, lines: Sequence[str]) -> Effects | None:
    """What a document of view text `lines` is held to by its schema. None where it does not fit the schema's automaton as it is,
    or the schema has none."""
    effects = _effects(schema, comments_allowed(language, lines))
    return effects if effects is not None and effects.whole(without_mark(lines)) else None


@lru_cache(maxsize=MOST_AUTOMATA)
def _effects(schema: Schema, comments: bool) -> Effects | None:
    try:
        return Effects(schema_automaton(schema.definition, comments))
    except GrammarError:
        return None
