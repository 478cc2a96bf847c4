"""Which of the shipped schemas a file's name asks for."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from importlib import resources
from typing import Any

_FOLDER = "data"
_CATALOGUE = "catalogue.json"


@dataclass(frozen=True, slots=True)
class Schema:
    """A JSON Schema. name: of the kind of file it is for, as `tsconfig.json`; equal names are equal schemas."""

    name: str
    definition: Any = field(compare=False, repr=False)


def schema_for(name: str) -> Schema | None:
    """The schema of a file with this name, path or URI; None where none is shipped. Depends on nothing else of the path."""
    last = name.replace("\\", "/").rpartition("/")[2]
    file = next(
        (file for file, names in _catalogue().items() if any(fnmatchcase(last, n) for n in names)), None
    )
    return _loaded(file) if file is not None else None


@cache
def _catalogue() -> dict[str, list[str]]:
    found: dict[str, list[str]] = _read(_CATALOGUE)
    return found


@cache
def _loaded(file: str) -> Schema:
    return Schema(file, _read(file))


def _read(file: str) -> Any:
    return json.loads((resources.files(__package__) / _FOLDER / file).read_text("utf-8"))
