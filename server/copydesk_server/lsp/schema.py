"""Checks JSON values against the part of JSON Schema that copydesk's settings use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

_TYPES: dict[str, Callable[[object], bool]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, Mapping),
}


def faults(value: Any, schema: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with `value`, in words that fit behind the value's name ("must be …"). Nothing of the value is quoted."""
    if "enum" in schema and not any(
        value == choice and type(value) is type(choice) for choice in schema["enum"]
    ):
        yield "must be one of " + ", ".join(f"`{choice}`" for choice in schema["enum"])
        return
    if "type" in schema:
        named = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        if not any(_TYPES[name](value) for name in named):
            yield "must be of type " + " or ".join(named)
            return
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield from _number_faults(value, schema)
    elif isinstance(value, str):
        if len(value) < schema.get("minLength", 0):
            yield "must not be empty"
        if len(value) > schema.get("maxLength", len(value)):
            yield f"must have at most {schema['maxLength']} characters"
    elif isinstance(value, list):
        if len(value) > schema.get("maxItems", len(value)):
            yield f"must have at most {schema['maxItems']} entries"
        for index, item in enumerate(value):
            yield from (f"[{index}] {fault}" for fault in faults(item, schema.get("items", {})))
    elif isinstance(value, Mapping):
        yield from _object_faults(value, schema)


def _number_faults(value: float, schema: Mapping[str, Any]) -> Iterator[str]:
    # Written so that NaN, which some JSON parsers let through, is a fault too.
    if "minimum" in schema and not value >= schema["minimum"]:
        yield f"must be at least {schema['minimum']}"
    if "exclusiveMinimum" in schema and not value > schema["exclusiveMinimum"]:
        yield f"must be more than {schema['exclusiveMinimum']}"
    if "maximum" in schema and not value <= schema["maximum"]:
        yield f"must be at most {schema['maximum']}"


def _object_faults(value: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[str]:
    known: Mapping[str, Any] = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield f"needs `{name}`"
    for name, member in value.items():
        if name in known:
            yield from (f"`{name}` {fault}" for fault in faults(member, known[name]))
        elif not schema.get("additionalProperties", True):
            yield f"has `{name}`, which is not known"
