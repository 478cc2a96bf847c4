"""Effects of lines are what running their bytes gives; goals are reached by the paths they name, and by no other."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copydesk.pushdown.effects import LineEffects
from json_texts import EFFECTS, VALUES, goal_behind


@settings(max_examples=100, deadline=None)
@given(VALUES, st.booleans(), st.data())
def test_a_runs_effect_is_what_its_bytes_do(value, comments, data):
    effects = EFFECTS[comments]
    automaton = effects.automaton
    text = json.dumps(value, indent=1)
    if comments:
        text = text.replace("[\n", "[ /* one\n * two\n */\n").replace(",\n", ", // }\n")
    lines = [line + "\n" for line in text.split("\n")]
    assert effects.whole(lines)
    tree = LineEffects(effects, lines)
    first = data.draw(st.integers(1, len(lines)))
    last = data.draw(st.integers(first, len(lines)))
    before = automaton.run(automaton.start, "".join(lines[: first - 1]).encode())
    assert before is not None
    assert tree.of(first, last).of(before) == automaton.run(before, "".join(lines[first - 1 : last]).encode())
    # And behind any other text: the run is legal there or it is not, alike.
    other = automaton.run(automaton.start, "".join(lines[: data.draw(st.integers(0, len(lines)))]).encode())
    assert other is not None
    if other[0] in automaton.lexer.line_starts:
        assert tree.of(first, last).of(other) == automaton.run(
            other, "".join(lines[first - 1 : last]).encode()
        )


@settings(max_examples=60, deadline=None)
@given(VALUES, st.data())
def test_from_wherever_the_goal_can_be_reached_its_path_makes_the_text_whole(value, data):
    effects = EFFECTS[False]
    lines = [line + "\n" for line in json.dumps(value, indent=1).split("\n")]
    place = data.draw(st.integers(0, len(lines)))
    goal = goal_behind(effects, lines, place)
    head = "".join(lines[:place])
    config = effects.automaton.run(effects.automaton.start, head.encode())
    assert config is not None
    assert goal.distance(config) == 0
    pieces = st.sampled_from(["{", "}", "[", "]", ",", ":", '"a"', "1", '"', "\n", "\\", "-", "tru"])
    for piece in data.draw(st.lists(pieces, max_size=8)):
        after = effects.automaton.run(config, piece.encode())
        if after is None or goal.distance(after) == float("inf"):
            continue
        config, head = after, head + piece
        path = goal.path(config)
        assert len(path) == goal.distance(config)
        json.loads(head + path.decode() + "".join(lines[place:]))


@pytest.mark.parametrize(
    ("head", "rest", "reachable"),
    [
        ("{", "}\n", True),
        ('{"a": [', "}\n", True),
        ('{"a": {}}', "}\n", False),  # the whole text's object is closed: nothing opens it again
        ("[", "}\n", False),
        ('[{"a": 1},', '"b": 2}]\n', True),
        ("", "{}\n", True),
        ("{}", "{}\n", False),
    ],
)
def test_what_leads_to_a_goal_and_what_does_not(head, rest, reachable):
    effects = EFFECTS[False]
    config = effects.automaton.run(effects.automaton.start, head.encode())
    assert config is not None
    assert (goal_behind(effects, [rest], 0).distance(config) < float("inf")) == reachable
