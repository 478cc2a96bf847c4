"""JSON for tests: values, effects of both kinds of JSON, and goals."""

from hypothesis import strategies as st

from copydesk.pushdown.automaton import ACCEPTED
from copydesk.pushdown.effects import Effects, LineEffects
from copydesk.pushdown.goals import Goal
from copydesk.pushdown.json_grammar import json_automaton

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)
EFFECTS = {comments: Effects(json_automaton(comments)) for comments in (False, True)}


def goal_behind(effects: Effects, lines: list[str], place: int) -> Goal:
    """What has to be reached in front of the lines behind line `place`, for the whole to be a text of the language."""
    rest = LineEffects(effects, lines).of(place + 1, len(lines)) + effects.end
    return Goal(
        effects.automaton,
        {
            state: {old for old, new in cases if new == (ACCEPTED,)}
            for state, (_, cases) in rest.behind.items()
        },
    )
