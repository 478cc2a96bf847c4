"""What models there are to get: `catalogue.json`, read and checked.

The catalogue is data: where a model's file comes from, what it and the tensors made of it must hash to, its licence and sizes.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from copydesk.models.installed import is_name
from copydesk_server.errors import ModelStoreError

CATALOGUE = Path(__file__).with_name("catalogue.json")
_SHA256 = re.compile(r"[0-9a-f]{64}\Z")
_TYPES: dict[str, type | tuple[type, ...]] = {"int": int, "str": str}


@dataclass(frozen=True, slots=True)
class Wheel:
    """A wheel on the package index, and the file in it that is wanted. Sizes are in bytes, digests are hex SHA-256.

    distribution, version, archive: the package, and the name of its wheel. member: the file's path inside the wheel.
    """

    distribution: str
    version: str
    archive: str
    archive_sha256: str
    archive_bytes: int
    member: str
    member_bytes: int


@dataclass(frozen=True, slots=True)
class Entry:
    """One model of the catalogue that is converted from a GGUF file. Sizes are in bytes, digests are hex SHA-256.

    wheels: what holds the file, one after the other where it takes several. gguf: the file's name where it was published.
    tensors_sha256: of the converted tensors (`copydesk.models.tensor_digest`), whatever file they lie in.
    tokenizer_sha256: of the `tokenizer.json` that is written.
    installed_bytes: about what the installed directory takes.
    """

    name: str
    title: str
    summary: str
    licence: str
    origin: str
    parameters: int
    wheels: tuple[Wheel, ...]
    gguf: str
    gguf_sha256: str
    gguf_bytes: int
    tensors_sha256: str
    tokenizer_sha256: str
    installed_bytes: int

    @property
    def source(self) -> str:
        """What it is made of, for people."""
        size = sum(wheel.archive_bytes for wheel in self.wheels) / 1e6
        named = (
            f"the wheel {self.wheels[0].archive}" if len(self.wheels) == 1 else f"{len(self.wheels)} wheels"
        )
        return f"{self.gguf} in {named} ({size:,.0f} MB)"


@dataclass(frozen=True, slots=True)
class MergedEntry:
    """One model of the catalogue that is another one, its base, merged with an adapter inside the package. As `Entry`, but:

    base: the name of the base. adapter_sha256: of the adapter's file, which lies in the package (`installed.adapter_of`).
    """

    name: str
    title: str
    summary: str
    licence: str
    origin: str
    parameters: int
    base: str
    adapter_sha256: str
    tensors_sha256: str
    tokenizer_sha256: str
    installed_bytes: int

    @property
    def source(self) -> str:
        """What it is made of, for people."""
        return f"{self.base} and the adapter in copydesk with SHA-256 {self.adapter_sha256}"


AnyEntry: TypeAlias = Entry | MergedEntry


def from_dict(said: dict[str, Any]) -> AnyEntry:
    """An entry of either kind. Raises ModelStoreError for a missing, unknown or malformed value."""
    cls: type[AnyEntry] = MergedEntry if "base" in said else Entry
    values = _checked(cls, said)
    if "wheels" in values:
        if not values["wheels"] or not all(isinstance(wheel, dict) for wheel in values["wheels"]):
            raise ModelStoreError(f"the catalogue says wheels = {values['wheels']!r}")
        values["wheels"] = tuple(Wheel(**_checked(Wheel, wheel)) for wheel in values["wheels"])
    names = [wheel.archive for wheel in values.get("wheels", ())]
    if not is_name(said["name"]) or any("/" in name for name in names):
        raise ModelStoreError(f"the catalogue has an entry with an unusable name: {said['name']!r}")
    return cls(**values)


def _checked(cls: type[AnyEntry | Wheel], said: dict[str, Any]) -> dict[str, Any]:
    """The values of a class's fields. Raises ModelStoreError for a missing, unknown or malformed one."""
    kinds = {field.name: _TYPES.get(str(field.type), (list, tuple)) for field in fields(cls)}
    if said.keys() != kinds.keys():
        raise ModelStoreError(
            f"the catalogue has an entry with wrong keys: {sorted(said.keys() ^ kinds.keys())}"
        )
    for key, value in said.items():
        digest = key.endswith("_sha256")
        if not isinstance(value, kinds[key]) or (digest and not _SHA256.match(str(value))):
            raise ModelStoreError(f"the catalogue says {key} = {value!r}")
    return dict(said)


def entries() -> list[AnyEntry]:
    """All models there are to get, in the catalogue's order. Raises ModelStoreError."""
    return list(_read(CATALOGUE))


def entry(name: str) -> AnyEntry:
    """The model `name`. Raises ModelStoreError for a name that is not in the catalogue."""
    known = {entry.name: entry for entry in entries()}
    if name not in known:
        raise ModelStoreError(f"no model is called {name}; there are: {', '.join(known)}")
    return known[name]


def downloaded(model: AnyEntry) -> Entry:
    """The entry whose file has to be downloaded for `model`: itself, or its base. Raises ModelStoreError."""
    found = model if isinstance(model, Entry) else entry(model.base)
    if not isinstance(found, Entry):
        raise ModelStoreError(f"the catalogue has no file for {found.name}, the base of {model.name}")
    return found


@cache
def _read(path: Path) -> tuple[AnyEntry, ...]:
    try:
        return tuple(map(from_dict, json.loads(path.read_text("utf-8"))["models"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelStoreError(f"{path} is no catalogue of models: {error}") from error
