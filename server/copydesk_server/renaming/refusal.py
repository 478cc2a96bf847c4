"""Why a symbol is not renamed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from copydesk_server.errors import RenameRefusedError

SHOWN = 5
"""Places that a message names."""


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where something stands. file: its name, as a person knows it. line: 1-based."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def refuse(reason: str, places: Iterable[Place] = ()) -> RenameRefusedError:
    """The error for a reason and the places it is about."""
    found = sorted(set(places))
    if not found:
        return RenameRefusedError(reason)
    listed = ", ".join(map(str, found[:SHOWN]))
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return RenameRefusedError(f"{listed}{more}: {reason}")
