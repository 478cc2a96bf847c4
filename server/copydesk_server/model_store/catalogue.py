"""What models there are to get: `catalogue.json`, read and checked.

The catalogue is data: where a model's file comes from, what it and the tensors made of it must hash to, its licence and sizes.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from copydesk.models.installed import is_name
from copydesk_server.errors import ModelStoreError

CATALOGUE = Path(__file__).with_name("catalogue.json")
_SHA256 = re.compile(r"[0-9a-f]{64}\Z")


@dataclass(frozen=True, slots=True)
class Entry:
    """One model of the catalogue. Sizes are in bytes, digests are hex SHA-256.

    distribution, version, archive: the package on the index, and the name of its wheel.
    member: the GGUF file's path inside the wheel.
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
    distribution: str
    version: str
    archive: str
    archive_sha256: str
    archive_bytes: int
    member: str
    member_sha256: str
    member_bytes: int
    tensors_sha256: str
    tokenizer_sha256: str
    installed_bytes: int

    @classmethod
    def from_dict(cls, said: dict[str, Any]) -> Entry:
        """Raises ModelStoreError for a missing, unknown or malformed value."""
        kinds = {field.name: int if field.type == "int" else str for field in fields(cls)}
        if said.keys() != kinds.keys():
            raise ModelStoreError(
                f"the catalogue has an entry with wrong keys: {sorted(said.keys() ^ kinds.keys())}"
            )
        for key, value in said.items():
            digest = key.endswith("_sha256")
            if not isinstance(value, kinds[key]) or (digest and not _SHA256.match(str(value))):
                raise ModelStoreError(f"the catalogue says {key} = {value!r}")
        if not is_name(said["name"]) or "/" in said["archive"]:
            raise ModelStoreError(f"the catalogue has an entry with an unusable name: {said['name']!r}")
        return cls(**said)


def entries() -> list[Entry]:
    """All models there are to get, in the catalogue's order. Raises ModelStoreError."""
    return list(_read(CATALOGUE))


def entry(name: str) -> Entry:
    """The model `name`. Raises ModelStoreError for a name that is not in the catalogue."""
    known = {entry.name: entry for entry in entries()}
    if name not in known:
        raise ModelStoreError(f"no model is called {name}; there are: {', '.join(known)}")
    return known[name]


@cache
def _read(path: Path) -> tuple[Entry, ...]:
    try:
        return tuple(map(Entry.from_dict, json.loads(path.read_text("utf-8"))["models"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelStoreError(f"{path} is no catalogue of models: {error}") from error
