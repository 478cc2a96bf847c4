"""The shipped schemas: each is one, is found by its files' names, and takes real texts of them."""

import json
import re
from importlib import resources

import pytest
from jsonschema.validators import validator_for

from copydesk.schemas.catalogue import schema_for
from copydesk.schemas.problems import valid
from schema_texts import VALID, WRONG

DATA = resources.files("copydesk.schemas") / "data"
CATALOGUE = json.loads((DATA / "catalogue.json").read_text("utf-8"))


@pytest.mark.parametrize("file", CATALOGUE)
def test_each_is_a_schema_that_refers_to_nothing_else(file: str) -> None:
    definition = json.loads((DATA / file).read_text("utf-8"))
    validator_for(definition).check_schema(definition)
    waiting, patterns = [definition], []
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            assert str(one.get("$ref", "#")).startswith("#")
            patterns += [one["pattern"]] if isinstance(one.get("pattern"), str) else []
            patterns += one["patternProperties"] if isinstance(one.get("patternProperties"), dict) else []
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
    for pattern in patterns:
        re.compile(pattern)


def test_every_schema_has_a_text_here_and_there_is_no_other_file() -> None:
    tried = {schema.name for name in VALID if (schema := schema_for(name)) is not None}
    assert tried == set(CATALOGUE)
    assert {entry.name for entry in DATA.iterdir()} == {*CATALOGUE, "catalogue.json", "LICENSE", "ORIGIN.md"}
    assert sum(len(entry.read_bytes()) for entry in DATA.iterdir()) < 1 << 20


@pytest.mark.parametrize("name", VALID)
def test_what_is_valid_is_taken(name: str) -> None:
    schema = schema_for(name)
    assert schema is not None
    assert valid(schema, VALID[name])


@pytest.mark.parametrize(("name", "old", "new"), WRONG)
def test_what_is_wrong_is_not(name: str, old: str, new: str) -> None:
    schema = schema_for(name)
    assert schema is not None
    assert old in VALID[name]
    assert not valid(schema, VALID[name].replace(old, new))


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("package.json", "package.json"),
        ("/srv/site/package.json", "package.json"),
        ("C:\\site\\package.json", "package.json"),
        ("file:///site/package.json", "package.json"),
        ("tsconfig.build.json", "tsconfig.json"),
        (".eslintrc", "eslintrc.json"),
        ("babel.config.json", "babelrc.json"),
        ("my-package.json", None),
        ("package.json5", None),
        ("package.json/other.json", None),
        ("catalogue.json", None),
        ("", None),
    ],
)
def test_a_schema_is_found_by_the_last_part_of_a_name(name: str, file: str | None) -> None:
    schema = schema_for(name)
    assert (schema.name if schema is not None else None) == file
