"""A mask allows exactly the tokens whose bytes the automaton takes and behind which the goal can still be reached."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copydesk.pushdown.interfaces import GoalMasks
from copydesk.pushdown.token_masks import TokenMasks
from json_texts import EFFECTS, VALUES, goal_behind
from mask_laws import allowed, check_masks
from vocabularies import qwen_like

WORDS = [b"", *(bytes([byte]) for byte in range(256))]
WORDS += [b'{"', b'":', b'": "', b"},", b"}]}", b"[[[[", b"]]]]", b"\n  ", b'",\n', b"true", b"1,"]
WORDS += [b"-", b"//", b"*/", b"null}", b'"\\']
MASKS = {comments: TokenMasks(effects, WORDS) for comments, effects in EFFECTS.items()}


@settings(max_examples=60, deadline=None)
@given(VALUES, st.booleans(), st.data())
def test_masks_are_what_running_every_token_gives(value, comments, data):
    lines = [line + "\n" for line in json.dumps(value, indent=1).split("\n")]
    check_masks(MASKS[comments], EFFECTS[comments], lines, WORDS, b'{}[],:"/*', data)


@pytest.mark.parametrize("comments", [False, True])
def test_a_trained_vocabulary_writes_what_it_reads(comments):
    vocabulary = qwen_like()
    masks = TokenMasks(EFFECTS[comments], vocabulary.token_bytes)
    text = json.dumps({"name": "x", "versions": [1, -2.5e3, {"é": None}], "a": {"b": {}}}, indent=2) + "\n"
    known = GoalMasks(goal_behind(EFFECTS[comments], [], 0))
    config = masks.automaton.start
    for token in vocabulary.encode(text):
        assert token in allowed(masks.row(known, config))
        after = masks.advance(config, token)
        assert after is not None
        config = after
    assert masks.automaton.accepts(config)


def test_the_whole_text_may_be_closed_only_where_nothing_stands_behind():
    masks = MASKS[False]
    automaton = masks.automaton
    config = automaton.run(automaton.start, b'{"a": 1')
    assert config is not None
    close = WORDS.index(b"}")
    assert close in allowed(masks.row(GoalMasks(goal_behind(EFFECTS[False], ["\n"], 0)), config))
    assert close not in allowed(masks.row(GoalMasks(goal_behind(EFFECTS[False], ["}\n"], 0)), config))
