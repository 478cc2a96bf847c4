"""A training run's curve: how often each of its saved models is right, and the losses at that time.

A trainer notes each model it saves with `add_point`, or names it by its requests (`model-013265`, `adapter-013265.safetensors`).
`copydesk eval curve`, in a process of its own, measures what is new and appends it to `curve.jsonl`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from copydesk.errors import TrainingError

POINTS = "points.jsonl"
CURVE = "curve.jsonl"
MODES = {True: "on", False: "off"}
"""How `curve.jsonl` names the values of `EditRequest.narrow`: whether lists narrow what the model may write."""
_NAMED = re.compile(r"(?:model-(\d+)|adapter-(\d+)\.safetensors)")


@dataclass(frozen=True, slots=True)
class Point:
    """A saved model of a run.

    requests: trained on so far. model: its directory or file, relative to the run's. seconds: training time so far.
    losses: by name, in nats a token.
    """

    requests: int
    model: str
    seconds: float | None = None
    losses: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Measured:
    """A line of `curve.jsonl`: a point of the run, or a level to compare it with (`point` is None).

    name: the model's. settings: which examples were asked, and how; equal for all lines of a file. exact: by mode ("on", "off")
    and group or kind, the hits, the total and the ends of the 95% interval.
    """

    name: str
    point: Point | None
    settings: dict[str, Any]
    exact: dict[str, dict[str, dict[str, float]]]

    def as_dict(self) -> dict[str, Any]:
        head: dict[str, Any] = {"level": self.name}
        if self.point is not None:
            point = self.point
            head = {
                "requests": point.requests, "seconds": point.seconds, "losses": point.losses, "model": self.name
            }  # fmt: skip
        return {**head, "settings": self.settings, "exact": self.exact}


def add_point(run: Path, point: Point) -> None:
    """Note a saved model, for `copydesk eval curve` to measure. Raises OSError."""
    row = {"requests": point.requests, "model": point.model, "seconds": point.seconds, "losses": point.losses}
    append(run / POINTS, row)


def points(run: Path) -> list[Point]:
    """The saved models of a run, by requests: those noted, and others found by their names. Raises TrainingError."""
    found: dict[str, Point] = {}
    for row in read_rows(run / POINTS):
        try:
            point = Point(
                int(row["requests"]), str(row["model"]), row.get("seconds"), row.get("losses") or {}
            )
        except (KeyError, TypeError, ValueError) as error:
            raise TrainingError(f"{run / POINTS} has a line that is not a point: {row}") from error
        found[point.model] = point
    for path in sorted(run.iterdir()) if run.is_dir() else ():
        named = _NAMED.fullmatch(path.name)
        if named is not None and path.name not in found:
            found[path.name] = Point(int(named[1] or named[2]), path.name)
    return sorted(found.values(), key=lambda point: (point.requests, point.model))


def measured(run: Path) -> list[Measured]:
    """What `curve.jsonl` says. Raises TrainingError for a line of another kind."""
    return list(_measured(read_rows(run / CURVE), run / CURVE))


def missing(run: Path) -> list[Point]:
    """The saved models that are not measured yet and are still there. Raises TrainingError."""
    done = {row.name for row in measured(run) if row.point is not None}
    return [point for point in points(run) if point.model not in done and (run / point.model).exists()]


def append(path: Path, row: dict[str, Any]) -> None:
    """Add one line to a file of JSON lines. A line that a kill cut short does not swallow the new one."""
    have = path.read_bytes() if path.is_file() else b""
    begin = "\n" if have and not have.endswith(b"\n") else ""
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{begin}{json.dumps(row)}\n")


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The objects of a file of JSON lines; none where it does not exist. A line cut short by a kill is left out."""
    rows: list[dict[str, Any]] = []
    for line in path.read_text("utf-8").split("\n") if path.is_file() else ():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict):
            rows.append(row)
    return rows


def _measured(rows: Iterable[dict[str, Any]], path: Path) -> Iterator[Measured]:
    for row in rows:
        try:
            point: Point | None = None
            if "level" not in row:
                point = Point(row["requests"], row["model"], row["seconds"], row["losses"])
            name = point.model if point is not None else row["level"]
            yield Measured(name, point, row["settings"], row["exact"])
        except KeyError as error:
            raise TrainingError(f"{path} has a line without {error}") from error
