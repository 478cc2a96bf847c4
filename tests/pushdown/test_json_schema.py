"""The automaton of a schema takes every valid text but for other spellings, and of what it does not know how to hold more."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from copydesk.pushdown.automaton import Automaton
from copydesk.pushdown.effects import Effects
from copydesk.pushdown.interfaces import GoalMasks
from copydesk.pushdown.json_grammar import json_automaton
from copydesk.pushdown.json_schema.automaton import schema_automaton
from copydesk.pushdown.json_schema.shapes import shapes_of
from copydesk.pushdown.token_masks import TokenMasks
from copydesk.schemas.catalogue import schema_for
from copydesk_benchmarks.standalone.json_masks import changed
from json_texts import VALUES, goal_behind
from mask_laws import check_masks
from schema_texts import VALID, WRONG
from vocabularies import qwen_like


def accepts(automaton: Automaton, text: str) -> bool:
    config = automaton.run(automaton.start, text.encode())
    return config is not None and automaton.accepts(config)


@pytest.mark.parametrize("comments", [False, True])
def test_the_empty_schema_is_json(comments: bool) -> None:
    whole, plain = schema_automaton({}, comments), json_automaton(comments)
    rng, taken = Random(5), 0
    values = [{"a": [1, -2.5e3, {"é": None}], 'b"': "x"}, [], [[], {}], "text", 0, None, True]
    for _ in range(3000):
        text = changed(json.dumps(rng.choice(values), indent=rng.choice([None, 1])), rng)
        assert accepts(whole, text) == accepts(plain, text), text
        taken += accepts(plain, text)
    assert 300 < taken < 2700


KEYS = st.sampled_from(["a", "b", "ab", "c"])
SCALARS = st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from(["a", "ab", "x y", 0.5])
DOCUMENTS = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
TYPES = st.sampled_from(["null", "boolean", "integer", "number", "string", "object", "array"])


def _schemas(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    objects = st.fixed_dictionaries(
        {},
        optional={
            "type": TYPES | st.lists(TYPES, min_size=1, max_size=3, unique=True),
            "properties": st.dictionaries(KEYS, inner, max_size=3),
            "patternProperties": st.dictionaries(st.sampled_from(["^a", "b$"]), inner, max_size=1),
            "additionalProperties": inner,
            "items": inner,
            "prefixItems": st.lists(inner, min_size=1, max_size=2),
            "required": st.lists(KEYS, max_size=1),
        },
    )
    some = st.lists(inner, min_size=1, max_size=3)
    combined = st.sampled_from(["anyOf", "oneOf", "allOf"]).flatmap(
        lambda kind: st.fixed_dictionaries({kind: some})
    )
    return objects | combined | st.builds(lambda one, other: {**one, **other}, objects, combined)


ENUMERATED = st.fixed_dictionaries({"enum": st.lists(SCALARS, min_size=1, max_size=3, unique_by=repr)})
SCHEMAS = st.recursive(
    st.booleans() | ENUMERATED | st.fixed_dictionaries({"type": TYPES}), _schemas, max_leaves=8
)


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(SCHEMAS, st.lists(DOCUMENTS, min_size=1, max_size=8), st.booleans())
def test_what_is_valid_is_taken(schema: Any, documents: list[Any], comments: bool) -> None:
    automaton = schema_automaton(schema, comments)
    for document in documents:
        if Draft202012Validator(schema).is_valid(document):
            assert accepts(automaton, json.dumps(document)), document


EXACT = {
    "$defs": {"node": {"type": "object", "additionalProperties": False, "properties": {"next": {"$ref": "#/$defs/node"}}}},
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "a": {"enum": ["a", "ab", 1, None, True]},
        "b": {"type": ["integer", "string"]},
        "ab": {"type": "array", "items": {"allOf": [{"type": ["number", "null"]}, {"type": ["integer", "null"]}]}},
        "c": {"additionalProperties": {"type": "boolean"}, "type": "object"},
        "d": {"anyOf": [{"$ref": "#/$defs/node"}, {"const": 0.5}]},
    },
}  # fmt: skip
INNER = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["a", "next"]), inner, max_size=1)
    ),
    max_leaves=3,
)
EXACT_AUTOMATON = schema_automaton(EXACT)


@settings(max_examples=400, deadline=None)
@given(st.dictionaries(st.sampled_from(["a", "b", "ab", "c", "d", "e"]), INNER, max_size=2))
def test_types_keys_and_enumerations_are_held_exactly(document: Any) -> None:
    valid = Draft202012Validator(EXACT).is_valid(document)
    assert accepts(EXACT_AUTOMATON, json.dumps(document)) == valid


@pytest.mark.parametrize(
    "text",
    [
        r'{"\u0061": "a"}',  # a known key, an enumerated string and an integer in other spellings
        r'{"a": "\u0061"}',
        '{"b": 1.0}',
    ],
)
def test_other_spellings_are_not_taken(text: str) -> None:
    assert Draft202012Validator(EXACT).is_valid(json.loads(text))
    assert not accepts(EXACT_AUTOMATON, text)


HELD = {("package.json", "private"), ("package.json", "keywords"), ("package.json", "type"), ("tsconfig.json", "strict"),
        ("jsconfig.json", "checkJs"), (".babelrc.json", "comments"), ("lerna.json", "packages")}  # fmt: skip


@pytest.mark.parametrize(("name", "old", "new"), WRONG)
def test_of_the_shipped_schemas_types_are_held(name: str, old: str, new: str) -> None:
    schema = schema_for(name)
    assert schema is not None
    automaton = schema_automaton(schema.definition, comments=True)
    assert accepts(automaton, VALID[name])
    taken = accepts(automaton, VALID[name].replace(old, new))
    if any(name == file and f'"{key}"' in new for file, key in HELD):
        assert not taken


def test_equal_places_are_one_shape() -> None:
    schema = {"properties": {str(k): {"type": "boolean", "title": str(k)} for k in range(50)}}
    assert len(shapes_of(schema)) == 3  # the document, anything, booleans


def effects_of(name: str) -> Effects:
    schema = schema_for(name)
    assert schema is not None
    return Effects(schema_automaton(schema.definition))


MASKED = {name: effects_of(name) for name in ("package.json", "nodemon.json")}
WORDS = [b"", *(bytes([byte]) for byte in range(256))]
WORDS += [b'{"', b'":', b'": "', b"},", b"}]}", b'"name', b'"type": "', b'module"', b"true"]


@pytest.mark.parametrize("name", MASKED)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_masks_are_what_running_every_token_gives(name: str, data: st.DataObject) -> None:
    lines = [line + "\n" for line in json.dumps(json.loads(VALID[name]), indent=1).split("\n")]
    check_masks(TokenMasks(MASKED[name], WORDS), MASKED[name], lines, WORDS, b'{}[],:"tm', data)


@pytest.mark.parametrize("name", VALID)
def test_a_trained_vocabulary_writes_what_it_reads(name: str) -> None:
    vocabulary, schema = qwen_like(), schema_for(name)
    assert schema is not None
    masks = TokenMasks(Effects(schema_automaton(schema.definition, comments=True)), vocabulary.token_bytes)
    known = GoalMasks(goal_behind(masks.effects, [], 0))
    config = masks.automaton.start
    for token in vocabulary.encode(VALID[name]):
        bits = np.unpackbits(masks.row(known, config).view(np.uint8), bitorder="little")
        assert bits[token]
        after = masks.advance(config, token)
        assert after is not None
        config = after
    assert masks.automaton.accepts(config)


@settings(max_examples=200, deadline=None)
@given(VALUES)
def test_effects_of_lines_are_what_running_them_gives(value: Any) -> None:
    effects = MASKED["package.json"]
    lines = [line + "\n" for line in json.dumps({"config": value, "name": "x"}, indent=1).split("\n")]
    whole = effects.nothing
    for line in lines:
        whole = whole + effects.of_line(line)
    assert whole.of(effects.automaton.start) == effects.automaton.run(
        effects.automaton.start, "".join(lines).encode()
    )
