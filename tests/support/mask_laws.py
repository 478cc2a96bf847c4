"""What masks over tokens must be: what running every token gives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from copydesk.pushdown.effects import Effects
from copydesk.pushdown.interfaces import GoalMasks
from copydesk.pushdown.token_masks import TokenMasks
from json_texts import goal_behind


def allowed(row: np.ndarray) -> set[int]:
    """The tokens of a packed row."""
    return set(np.flatnonzero(np.unpackbits(row.view(np.uint8), bitorder="little")).tolist())


def check_masks(
    masks: TokenMasks,
    effects: Effects,
    lines: Sequence[str],
    words: Sequence[bytes],
    structure: bytes,
    data: st.DataObject,
) -> None:
    """From some place in a text of these lines on, with what stands behind it as the goal. words: what the tokens spell.
    structure: bytes of tokens that are preferred in walking on, since most of the others only make a string longer.
    """
    automaton = masks.automaton
    place = data.draw(st.integers(0, len(lines)))
    known = GoalMasks(goal_behind(effects, lines, place))
    config = automaton.run(automaton.start, "".join(lines[:place]).encode())
    assert config is not None
    for _ in range(8):
        row = allowed(masks.row(known, config))
        expected = set()
        for token, spelled in enumerate(words):
            after = automaton.run(config, spelled) if spelled else None
            if after is not None and known.goal.distance(after) < float("inf"):
                expected.add(token)
                assert masks.advance(config, token) == after
        assert row == expected
        assert row, "a dead end"
        preferred = [token for token in sorted(row) if set(words[token]) & set(structure)]
        config = masks.advance(config, data.draw(st.sampled_from(preferred or sorted(row))))
        assert config is not None
