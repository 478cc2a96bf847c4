"""The groups that kinds of examples are counted in, besides the rows of their own."""

from __future__ import annotations

from collections.abc import Iterable

from copydesk.errors import TrainingError
from copydesk_training.defects import KINDS

LOCATED = "located diagnostics"
NAMES = "undefined names"
INSTRUCTED = "instructions"
NOTHING = "nothing to do"
UNLOCATED = "unlocated bugs"
ALL = "all"

OPTIONS = {
    "located": LOCATED,
    "names": NAMES,
    "instructions": INSTRUCTED,
    "nothing": NOTHING,
    "unlocated": UNLOCATED,
}
"""The short name of each group on a command line. Undefined names are located diagnostics too, and count in both groups."""

INSTRUCTIONS, CLEAN, PAIRS = 100, 180, 200
"""`Kind.id` is numbered by group: instructions, examples with nothing to do, and real pairs of texts begin at these ids."""
_UNDEFINED = frozenset({"undefined_name"})


def groups_of(kind: str) -> tuple[str, ...]:
    """The groups of a kind, ALL last. Raises TrainingError for an unknown kind."""
    if kind not in KINDS:
        raise TrainingError(f"unknown kind {kind!r}; known kinds: {', '.join(sorted(KINDS))}")
    number = KINDS[kind].id
    if kind == "unlocated_bug" or number >= PAIRS:
        return UNLOCATED, ALL
    if number >= CLEAN:
        return NOTHING, ALL
    if number >= INSTRUCTIONS:
        return INSTRUCTED, ALL
    return (LOCATED, NAMES, ALL) if kind in _UNDEFINED else (LOCATED, ALL)


def kinds_of(kinds: Iterable[str], groups: Iterable[str]) -> frozenset[str]:
    """The named kinds and the kinds of the named groups (short names); empty where nothing is named, which means all kinds.

    Raises TrainingError for an unknown name.
    """
    found = set(kinds)
    for kind in found:
        groups_of(kind)
    for group in groups:
        if group not in OPTIONS:
            raise TrainingError(f"unknown group {group!r}; known groups: {', '.join(OPTIONS)}")
        found.update(kind for kind in KINDS if OPTIONS[group] in groups_of(kind))
    return frozenset(found)
