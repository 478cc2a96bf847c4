"""What is asked of a process that renames, and what it answers, as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from copydesk.text.position import Encoding
from copydesk_server.errors import RenameRefusedError
from copydesk_server.renaming.limits import LIMITS, Limits


@dataclass(frozen=True, slots=True)
class RenameRequest:
    """roots: folders of the project. opened: texts of open documents, by absolute path, or any name for those without a file.
    line, column: 0-based, in characters; None where `old` says what is meant: a name of the file, or `Class.name`. encoding: of
    the answer.
    """

    roots: tuple[str, ...]
    opened: Mapping[str, str]
    path: str
    line: int | None
    column: int | None
    new: str
    old: str | None = None
    encoding: Encoding = Encoding.UTF16
    cache_folder: str | None = None
    limits: Limits = field(default_factory=lambda: LIMITS)

    def encode(self, scratch: str) -> bytes:
        """With the folder the process may write in."""
        return json.dumps({**asdict(self), "scratch": scratch}).encode()

    @classmethod
    def decode(cls, data: bytes) -> tuple[RenameRequest, str]:
        """And that folder."""
        values = json.loads(data)
        scratch = values.pop("scratch")
        values["limits"] = Limits(**values["limits"])
        values["encoding"] = Encoding(values["encoding"])
        values["roots"] = tuple(values["roots"])
        return cls(**values), scratch


@dataclass(frozen=True, slots=True)
class RenamedFile:
    """places: (line, start, end) of each old name, in order. digest: of the bytes on disk; None for an open document."""

    path: str
    places: tuple[tuple[int, int, int], ...]
    digest: str | None


@dataclass(frozen=True, slots=True)
class RenameAnswer:
    """The edits of a rename: each place gets the name `new`."""

    old: str
    new: str
    files: tuple[RenamedFile, ...]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def decode(cls, data: bytes) -> RenameAnswer:
        """Raises RenameRefusedError where the answer is a refusal, or none."""
        try:
            values = json.loads(data)
            refused = values.get("refused")
            if refused is None:
                files = tuple(
                    RenamedFile(file["path"], tuple(tuple(place) for place in file["places"]), file["digest"])
                    for file in values["files"]
                )
                return cls(values["old"], values["new"], files)
        except (ValueError, KeyError, TypeError, AttributeError):
            refused = "the analysis ended without an answer"
        raise RenameRefusedError(str(refused))
