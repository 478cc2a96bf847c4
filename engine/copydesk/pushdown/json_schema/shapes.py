"""A schema's places as finitely many shapes: which scalars may stand there, and what objects and arrays may have in them.

A place is a union of conjunctions of schemas, and where a key or an element leads is again one: a subset construction, as for
automata. Where that grows too large, anything may stand. Shapes that allow the same are one in the end.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from copydesk.errors import GrammarError

MOST_ALTERNATIVES = 48
"""Conjunctions at one place. Where there are more, anything may stand."""
MOST_SHAPES = 4000

ANY_STRING = "string"
_KINDS = {
    "null": ("null",), "boolean": ("true", "false"), "number": ("integer", "decimal"), "integer": ("integer",),
    "string": (ANY_STRING,), "object": ("object",), "array": ("array",),
}  # fmt: skip
KINDS = frozenset(kind for kinds in _KINDS.values() for kind in kinds)
_ASSERTED = (
    "type",
    "enum",
    "const",
    "properties",
    "patternProperties",
    "additionalProperties",
    "items",
    "prefixItems",
)
_REF_ALONE = re.compile(r"draft-0[3-7]\b")
"""Drafts where nothing counts that stands beside a `$ref`."""

Conjunction = frozenset[int]
Place = frozenset[Conjunction]
"""Alternatives, each a conjunction of schemas by number."""
ANYTHING: Place = frozenset({frozenset()})
NOTHING: Place = frozenset()


@dataclass(frozen=True, slots=True)
class Members:
    """Of an object: the shapes of what stands behind known keys, None where a key may not be; and behind any other key."""

    named: tuple[tuple[str, int | None], ...]
    rest: int | None


@dataclass(frozen=True, slots=True)
class Shape:
    """What may stand at a place. kinds: all values of these (`KINDS`), but of objects and arrays those that `members` and `items`
    say, the latter a shape's number. strings, numbers: single ones, as JSON spells them.
    """

    kinds: frozenset[str]
    strings: frozenset[str]
    numbers: frozenset[str]
    members: Members | None
    items: int | None


def shapes_of(schema: Any) -> list[Shape]:
    """The shapes of a schema, its own first. Raises GrammarError for a schema with too many."""
    places = _Places(schema)
    number = {places.of(schema): 0}
    todo, found = list(number), list[Shape]()
    for place in todo:  # grows while it is read

        def numbered(other: Place) -> int:
            if other not in number:
                number[other] = len(number)
                todo.append(other)
                if len(number) > MOST_SHAPES:
                    raise GrammarError("the schema has too many places to be an automaton")
            return number[other]

        kinds, singles = places.scalars(place)
        members = items = None
        if "object" in kinds:
            rest = places.behind_other_keys(place)
            named = [(key, places.behind_key(place, key)) for key in places.keys(place)]
            members = Members(
                tuple((key, numbered(to) if to != NOTHING else None) for key, to in named),
                numbered(rest) if rest != NOTHING else None,
            )
        if "array" in kinds:
            items = numbered(places.elements(place))
        strings = frozenset(spelled(one) for one in singles if isinstance(one, str))
        numbers = frozenset(spelled(one) for one in singles if not isinstance(one, str))
        found.append(
            Shape(
                kinds,
                frozenset() if ANY_STRING in kinds else strings,
                numbers,
                members,
                items,
            )
        )
    return _merged(found)


def spelled(value: str | int | float) -> str:
    """As JSON spells it, without escapes it can do without."""
    return json.dumps(value, ensure_ascii=False)


class _Places:
    """What schemas say of places."""

    def __init__(self, root: Any) -> None:
        self.root = root
        draft = root.get("$schema", "") if isinstance(root, dict) else ""
        self.ref_alone = bool(_REF_ALONE.search(draft))
        self.schemas: list[Mapping[str, Any]] = []
        self._known: dict[int, Place] = {}

    def of(self, schema: Any) -> Place:
        """The place of what fits a schema."""
        if not isinstance(schema, dict):
            return NOTHING if schema is False else ANYTHING
        if id(schema) not in self._known:
            self._known[id(schema)] = ANYTHING  # for one that refers to itself at once
            self._known[id(schema)] = self._of(schema)
        return self._known[id(schema)]

    def _of(self, schema: Mapping[str, Any]) -> Place:
        found = ANYTHING
        if "$ref" in schema:
            found = self.of(self._target(schema["$ref"]))
            if self.ref_alone:
                return found
        if any(keyword in schema for keyword in _ASSERTED):
            self.schemas.append(schema)
            found = self.both(found, frozenset({frozenset({len(self.schemas) - 1})}))
        for each in schema.get("allOf", ()):
            found = self.both(found, self.of(each))
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                found = self.both(found, self.either(map(self.of, schema[keyword])))
        return found

    def _target(self, reference: str) -> Any:
        here = self.root
        for part in reference.removeprefix("#").split("/")[1:]:
            here = (
                here[int(part)]
                if isinstance(here, list)
                else here[part.replace("~1", "/").replace("~0", "~")]
            )
        return here

    def both(self, one: Place, other: Place) -> Place:
        if len(one) * len(other) > MOST_ALTERNATIVES**2:
            return ANYTHING
        return self._shortened(a | b for a in one for b in other)

    def either(self, places: Iterable[Place]) -> Place:
        return self._shortened(each for place in places for each in place)

    def _shortened(self, alternatives: Iterable[Conjunction]) -> Place:
        """Without those that nothing fits, and those that another one includes."""
        found = {each for each in alternatives if self._kinds(each)}
        found = {each for each in found if not any(other < each for other in found)}
        return frozenset(found) if len(found) <= MOST_ALTERNATIVES else ANYTHING

    def _kinds(self, alternative: Conjunction) -> frozenset[str]:
        found = KINDS
        for number in alternative:
            found &= _allowed(self.schemas[number])
        return found

    def scalars(self, place: Place) -> tuple[frozenset[str], list[str | int | float]]:
        """The kinds of values that may stand there, and single strings and numbers beside them."""
        kinds, singles = set[str](), list[str | int | float]()
        for alternative in place:
            allowed = self._kinds(alternative)
            values = [found for n in alternative if (found := _enumerated(self.schemas[n])) is not None]
            if not values:
                kinds |= allowed
                continue
            for value in values[0]:
                if not all(_among(value, others) for others in values[1:]) or _kind(value) not in allowed:
                    continue
                if isinstance(value, str | int | float) and not isinstance(value, bool):
                    singles.append(value)
                else:
                    kinds.add(_kind(value))
        return frozenset(kinds), singles

    def _objects(self, place: Place) -> list[list[Mapping[str, Any]]]:
        return self._with(place, "object")

    def _with(self, place: Place, kind: str) -> list[list[Mapping[str, Any]]]:
        return [[self.schemas[n] for n in sorted(each)] for each in place if kind in self._kinds(each)]

    def keys(self, place: Place) -> list[str]:
        """The keys that some schema there names."""
        named = (
            key
            for alternative in self._objects(place)
            for each in alternative
            for key in each.get("properties", ())
        )
        return list(dict.fromkeys(named))

    def behind_key(self, place: Place, key: str) -> Place:
        return self.either(
            self._all(self._behind(schema, key) for schema in alternative)
            for alternative in self._objects(place)
        )

    def _behind(self, schema: Mapping[str, Any], key: str) -> Place:
        found = [schema["properties"][key]] if key in schema.get("properties", ()) else []
        found += [
            to for pattern, to in schema.get("patternProperties", {}).items() if re.search(pattern, key)
        ]
        return self._all(map(self.of, found or [schema.get("additionalProperties", True)]))

    def behind_other_keys(self, place: Place) -> Place:
        def behind(schema: Mapping[str, Any]) -> Place:
            patterns = schema.get("patternProperties", {}).values()
            return self.either(map(self.of, [*patterns, schema.get("additionalProperties", True)]))

        return self.either(self._all(map(behind, alternative)) for alternative in self._objects(place))

    def elements(self, place: Place) -> Place:
        def of_array(schema: Mapping[str, Any]) -> Place:
            items, first = schema.get("items", True), schema.get("prefixItems", [])
            if isinstance(items, list):
                items, first = schema.get("additionalItems", True), items
            return self.either(map(self.of, [*first, items]))

        return self.either(
            self._all(map(of_array, alternative)) for alternative in self._with(place, "array")
        )

    def _all(self, places: Iterable[Place]) -> Place:
        found = ANYTHING
        for each in places:
            found = self.both(found, each)
        return found


def _enumerated(schema: Mapping[str, Any]) -> list[Any] | None:
    if "const" in schema:
        return [schema["const"]]
    return schema.get("enum")


def _allowed(schema: Mapping[str, Any]) -> frozenset[str]:
    """The kinds of values that may fit."""
    types = schema.get("type", list(_KINDS))
    found = frozenset(kind for one in ([types] if isinstance(types, str) else types) for kind in _KINDS[one])
    values = _enumerated(schema)
    return found if values is None else found & frozenset(map(_kind, values))


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return "integer" if isinstance(value, int) else "decimal"
    return ANY_STRING if isinstance(value, str) else "object" if isinstance(value, dict) else "array"


def _among(value: Any, values: Iterable[Any]) -> bool:
    return any(value == other and _kind(value) == _kind(other) for other in values)


def _merged(shapes: list[Shape]) -> list[Shape]:
    """Shapes that allow the same as one: they are told apart for as long as that makes more of them."""
    group, count = [0] * len(shapes), 1

    def seen(to: int | None) -> int | None:
        return None if to is None else group[to]

    while True:
        signatures: dict[Any, int] = {}
        renamed: list[int] = []
        for shape in shapes:
            members = shape.members
            inner = None
            if members is not None:
                rest = seen(members.rest)
                named = {key: seen(to) for key, to in members.named}
                inner = rest, frozenset(item for item in named.items() if item[1] != rest)
            signature = shape.kinds, shape.strings, shape.numbers, inner, seen(shape.items)
            renamed.append(signatures.setdefault(signature, len(signatures)))
        group = renamed
        if len(signatures) == count:
            break
        count = len(signatures)
    first = dict(zip(reversed(group), reversed(shapes), strict=True))
    return [_renumbered(first[number], group) for number in range(count)]


def _renumbered(shape: Shape, group: list[int]) -> Shape:
    def to(number: int | None) -> int | None:
        return None if number is None else group[number]

    members = shape.members
    if members is not None:
        rest = to(members.rest)
        named = sorted(
            {(key, to(child)) for key, child in members.named} - {(key, rest) for key, _ in members.named}
        )
        members = Members(tuple(named), rest)
    return Shape(shape.kinds, shape.strings, shape.numbers, members, to(shape.items))
