"""Which automaton holds documents of a language, as LSP calls it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from copydesk.pushdown.effects import Effects
from copydesk.pushdown.interfaces import LanguageMasks, TextEffects, first_error
from copydesk.pushdown.json_grammar import json_automaton
from copydesk.pushdown.python import effects as python
from copydesk.pushdown.python.token_masks import TokenMasks as PythonMasks
from copydesk.pushdown.token_masks import TokenMasks

PARSED_LANGUAGES = ("json", "jsonc")
"""The languages whose documents no edit can break."""
BYTE_ORDER_MARK = "\ufeff"


@cache
def _effects(comments: bool) -> Effects:
    return Effects(json_automaton(comments))


def without_mark(lines: Sequence[str]) -> Sequence[str]:
    """The lines without a byte order mark, which is no part of the text."""
    marked = bool(lines) and lines[0].startswith(BYTE_ORDER_MARK)
    return [lines[0].removeprefix(BYTE_ORDER_MARK), *lines[1:]] if marked else lines


def effects_for(language: str, lines: Sequence[str]) -> Effects | None:
    """What a document of view text `lines` is held to; None for a language without an automaton.

    Editors call `tsconfig.json` JSON, too: what is whole only with comments and trailing commas is held to that. What is neither
    is held to the one whose rules it keeps longer.
    """
    return _effects(comments_allowed(language, lines)) if language in PARSED_LANGUAGES else None


def comments_allowed(language: str, lines: Sequence[str]) -> bool:
    """Whether a document of JSON may have comments and trailing commas, as `effects_for` says."""
    lines = without_mark(lines)
    return language == "jsonc" or first_error(_effects(True), lines) > first_error(_effects(False), lines)


def masks_for(effects: TextEffects[Any], token_bytes: Sequence[bytes]) -> LanguageMasks:
    """The masks of a vocabulary whose tokens spell `token_bytes` (some tenths of a second for 50,000 of them)."""
    if isinstance(effects, python.Effects):
        return PythonMasks(effects.automaton, token_bytes)
    assert isinstance(effects, Effects)
    return TokenMasks(effects, token_bytes)


def unread_lines(effects: Effects, lines: Sequence[str]) -> int:
    """How many lines of view text, the end counted as one, stand from the first error on: 0 where there is none."""
    return len(lines) + 2 - first_error(effects, without_mark(lines))
