"""An edit brings errors that were not there, or it does not."""

import json
from random import Random

import pytest
from hypothesis import given
from jsonschema import Draft7Validator

from copydesk.schemas.catalogue import Schema, schema_for
from copydesk.schemas.json_text import value_of
from copydesk.schemas.problems import new_problem, valid
from json_texts import VALUES
from schema_texts import VALID, WRONG


@pytest.mark.parametrize(("name", "old", "new"), WRONG)
def test_an_error_is_new_once_and_may_stay_and_go(name: str, old: str, new: str) -> None:
    schema = schema_for(name)
    assert schema is not None
    good = VALID[name]
    bad = good.replace(old, new)
    assert new_problem(schema, good, bad)
    assert new_problem(schema, bad, good) is None
    assert new_problem(schema, bad, bad.replace("{", "{\n ", 1)) is None


def test_errors_are_told_by_their_place() -> None:
    schema = schema_for("package.json")
    assert schema is not None
    said = new_problem(schema, "{}", '{"type": "modul"}')
    assert said == "type: 'modul' is not one of ['commonjs', 'module']"
    said = new_problem(schema, "{}", '{"keywords": ["a", 3]}')
    assert said == "keywords[1]: 3 is not of type 'string'"


def test_a_key_that_stands_again_is_a_problem_unless_it_did() -> None:
    schema = schema_for("package.json")
    assert schema is not None
    once, twice = '{"scripts": {"a": "", "b": ""}}', '{"scripts": {"a": "", "b": "", "a": ""}}'
    assert new_problem(schema, once, twice) == "the key 'a' stands twice in one object"
    assert new_problem(schema, twice, once) is None
    assert new_problem(schema, twice, twice.replace('"b"', '"c"')) is None
    assert new_problem(schema, once, '{"scripts": {"a": "", "b": ""}, "config": {"a": ""}}') is None


CLOSED = Schema(
    "closed.json",
    {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "additionalProperties": False,
        "required": ["name"],
        "properties": {
            "name": {"type": "string"},
            "list": {"type": "array", "items": {"type": "integer"}},
            "any": {
                "anyOf": [{"type": "object", "properties": {"a": {"type": "integer"}}}, {"type": "integer"}]
            },
        },
        "patternProperties": {"^x-": {}},
    },
)


@pytest.mark.parametrize(
    ("before", "after", "worse"),
    [
        # One unknown property for another; one less; one that a pattern allows.
        ({"name": "", "b": 1}, {"name": "", "c": 1}, True),
        ({"name": "", "b": 1, "c": 1}, {"name": "", "c": 1}, False),
        ({"name": "", "b": 1}, {"name": "", "b": 2, "x-c": 1}, False),
        # An array's elements move; one more is wrong.
        ({"name": "", "list": ["a"]}, {"name": "", "list": [1, "b"]}, False),
        ({"name": "", "list": ["a"]}, {"name": "", "list": ["a", "b"]}, True),
        # What is required is gone.
        ({"name": ""}, {}, True),
        ({}, {"list": []}, False),
        # None of the alternatives fits: one that is no worse is enough.
        ({"name": "", "any": {"a": ""}}, {"name": "", "any": {"a": "", "b": 1}}, False),
        ({"name": "", "any": 1}, {"name": "", "any": ""}, True),
        ({"name": "", "any": {"a": ""}}, {"name": "", "any": []}, False),
        ({"name": "", "any": []}, {"name": "", "any": {"a": ""}}, False),
        ([], {"name": 1}, True),
    ],
)
def test_what_counts_as_worse(before, after, worse: bool) -> None:
    assert (new_problem(CLOSED, json.dumps(before), json.dumps(after)) is not None) == worse


@given(VALUES, VALUES)
def test_no_edit_of_a_valid_text_makes_it_invalid_unnoticed(before, after) -> None:
    schema = Schema(
        "small.json", {"type": ["object", "array"], "items": {"type": ["string", "null", "number"]}}
    )
    was, now = (Draft7Validator(schema.definition).is_valid(value) for value in (before, after))
    said = new_problem(schema, json.dumps(before), json.dumps(after))
    if was or now:
        assert (said is None) == now
    if not was and json.dumps(before) == json.dumps(after):
        assert said is None


@pytest.mark.parametrize("text", ["", "{", "[" * 5000 + "]" * 5000, "// nothing"])
def test_of_what_is_no_json_nothing_is_said(text: str) -> None:
    schema = schema_for("package.json")
    assert schema is not None
    assert new_problem(schema, "{}", text) is None
    assert new_problem(schema, text, '{"name": 1}') is None


COMMENTED = r"""// a "quoted" comment
{"a": "// no /* comment */, ]", /* , */ "b\"": [1, /* one */ 2, // two
 ],
 "c,}": {},  /* last */ // and
}"""


def test_comments_and_trailing_commas_are_left_out() -> None:
    assert value_of("\ufeff" + COMMENTED) == {"a": "// no /* comment */, ]", 'b"': [1, 2], "c,}": {}}


@given(VALUES)
def test_what_is_json_is_read_as_json_is(value) -> None:
    text = json.dumps(value, indent=Random(0).choice([None, 1]))
    assert value_of(text) == json.loads(text)
    assert valid(Schema("any.json", {}), text)
