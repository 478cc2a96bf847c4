"""Whether an edit brings errors under a schema that were not there before.

Errors are counted by where they are (of arrays, in any element), by what is violated, and by which property that is about: so an
error that moves or whose words change is the same one. Where no branch of an `anyOf` or `oneOf` fits, before as after, an edit is
for the worse if each branch has errors that are new in it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from copydesk.schemas.catalogue import Schema
from copydesk.schemas.json_text import read, value_of

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

_LONGEST = 160
"""Characters of a message: a validator cites whole values."""
_ABOUT_A_PROPERTY = frozenset({"required", "dependencies", "dependentRequired"})
_ALTERNATIVES = frozenset({"anyOf", "oneOf"})

Key = tuple[tuple[str, ...], str, str]


def new_problem(schema: Schema, before: str, after: str) -> str | None:
    """In words, an error that `after` has under the schema and `before` has not, or a key that stands in an object again, where a
    validator sees its last value alone; None where there is none.

    Nothing can be said, either, of texts without a value or nested too deeply. Raises: never.
    """
    try:
        (value, again), (old, had_again) = read(after), read(before)
        found = list(_validator(schema).iter_errors(value))
        had = list(_validator(schema).iter_errors(old)) if found else []
    except (ValueError, RecursionError):
        return None
    twice = again - had_again
    if twice:
        return f"the key {next(iter(twice))!r} stands twice in one object"
    worse = _first_new(had, found)
    return None if worse is None else _in_words(worse)


def broken_schema(schema: Schema, problem: str) -> str:
    """Why an edit is refused that brings the problem."""
    return f"the result breaks the schema of {schema.name}: {problem}"


def valid(schema: Schema, text: str) -> bool:
    """Whether the text's value fits the schema. Raises ValueError for a text without one, RecursionError."""
    return bool(_validator(schema).is_valid(value_of(text)))


@lru_cache(maxsize=16)
def _validator(schema: Schema) -> Validator:
    # Not before it is needed: most documents have no schema.
    from jsonschema.validators import validator_for

    found: Validator = validator_for(schema.definition)(schema.definition)
    return found


def _first_new(had: Iterable[ValidationError], found: Sequence[ValidationError]) -> ValidationError | None:
    """The first error of which there are more, or whose alternatives have all become worse."""
    before: dict[Key, list[ValidationError]] = {}
    for error in had:
        for key in _keys(error):
            before.setdefault(key, []).append(error)
    seen = Counter[Key]()
    for error in found:
        for key in _keys(error):
            same, number = before.get(key, []), seen[key]
            seen[key] += 1
            if number >= len(same) or (error.validator in _ALTERNATIVES and _all_worse(same[number], error)):
                return error
    return None


def _all_worse(before: ValidationError, after: ValidationError) -> bool:
    """Whether every branch that does not fit has errors that it had not."""
    had, has = _branches(before), _branches(after)
    return bool(has) and all(
        _first_new(had.get(branch, []), errors) is not None for branch, errors in has.items()
    )


def _branches(error: ValidationError) -> dict[Any, list[ValidationError]]:
    found: dict[Any, list[ValidationError]] = {}
    for each in error.context or ():
        found.setdefault(each.relative_schema_path[0], []).append(each)
    return found


def _keys(error: ValidationError) -> list[Key]:
    """What the error is counted as; of properties that must not be there, each alone."""
    place = tuple("*" if isinstance(part, int) else part for part in error.absolute_path)
    keyword = str(error.validator)
    if keyword == "additionalProperties" and isinstance(error.instance, dict):
        return [(place, keyword, name) for name in _additional(error)]
    return [(place, keyword, error.message if keyword in _ABOUT_A_PROPERTY else "")]


def _additional(error: ValidationError) -> list[str]:
    named, patterns = error.schema.get("properties", {}), error.schema.get("patternProperties", {})
    found = [name for name in error.instance if name not in named]
    return [name for name in found if not any(re.search(pattern, name) for pattern in patterns)] or [""]


def _in_words(error: ValidationError) -> str:
    from jsonschema.exceptions import best_match

    deepest = best_match([error])
    message = deepest.message if len(deepest.message) <= _LONGEST else deepest.message[: _LONGEST - 1] + "…"
    where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in deepest.absolute_path)
    return f"{where.removeprefix('.')}: {message}" if where else message
