"""Held-out examples on disk: one JSON row per file, and behind it its examples as changes of its text.

Most examples share their file, so rows stay small, and the folder is complete without the corpus.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from copydesk.errors import CopydeskError, TrainingError
from copydesk.files.atomic import replacing
from copydesk.request import Diagnostic, EditRequest
from copydesk.text.position import Position
from copydesk_training.example import Example

FILE = "heldout.jsonl"


@dataclass(frozen=True, slots=True)
class HeldOut:
    """One held-out example: where it comes from, and the page lengths (in lines) it is measured at."""

    example: Example
    package: str
    version: str
    path: str
    pages: tuple[int, ...]


def write_held_out(folder: Path, rows: Iterable[tuple[str, HeldOut]]) -> None:
    """Write (text of the file, example) rows, those of one file in a row, whole or not at all."""
    last: tuple[str, str] | None = None
    with replacing(folder / FILE) as partial, partial.open("w", encoding="utf-8") as out:
        for text, row in rows:
            if (row.package, row.path) != last:
                last = row.package, row.path
                about = {"package": row.package, "version": row.version, "path": row.path, "text": text}
                out.write(json.dumps(about) + "\n")
            out.write(json.dumps(_to_record(row, text)) + "\n")


def read_held_out(folder: Path) -> Iterator[HeldOut]:
    """The held-out examples of a folder of shards, in order. Raises TrainingError where there are none."""
    path = folder / FILE
    about: dict[str, Any] = {}
    try:
        with path.open(encoding="utf-8") as rows:
            for row in map(json.loads, rows):
                if "text" in row:
                    about = row
                else:
                    yield _from_record(row, about)
    except (OSError, ValueError, KeyError, TypeError, CopydeskError) as error:
        raise TrainingError(f"cannot read held-out examples from {path}: {error}") from error


def _to_record(row: HeldOut, text: str) -> dict[str, Any]:
    """A record of plain values, the request's defaults left out."""
    example = row.example
    default = asdict(EditRequest())
    return {
        "kind": example.kind,
        "located": example.located,
        "pages": row.pages,
        "request": {k: v for k, v in asdict(example.request).items() if v != default[k]},
        "before": _change(text, example.before),
        "after": _change(text, example.after),
    }


def _from_record(row: dict[str, Any], about: dict[str, Any]) -> HeldOut:
    request = dict(row["request"])
    if request.get("scope") is not None:
        request["scope"] = [tuple(lines) for lines in request["scope"]]
    request["diagnostics"] = [
        Diagnostic(**{**told, "start": Position(**told["start"]), "end": Position(**told["end"])})
        for told in request.get("diagnostics", ())
    ]
    before, after = (_changed(about["text"], row[side]) for side in ("before", "after"))
    example = Example(before, after, EditRequest(**request), row["kind"], row["located"])
    return HeldOut(example, about["package"], about["version"], about["path"], tuple(row["pages"]))


def _change(text: str, other: str) -> tuple[int, int, str]:
    """`other` as what replaces characters start..stop of `text`."""
    most = min(len(text), len(other))
    head = _longest(most, lambda n: text[:n] == other[:n])
    tail = _longest(most - head, lambda n: text[len(text) - n :] == other[len(other) - n :])
    return head, len(text) - tail, other[head : len(other) - tail]


def _longest(most: int, holds: Callable[[int], bool]) -> int:
    """The largest n up to `most` for which `holds`; it holds for all smaller ones."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low


def _changed(text: str, change: Sequence[Any]) -> str:
    start, stop, new = change
    return f"{text[:start]}{new}{text[stop:]}"
