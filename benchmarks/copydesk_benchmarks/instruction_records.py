"""Free-worded instructions with checks, on code of released packages: the records of `tests/data/instructions`.

No code of these packages is in the repository beyond the lines that a result changes: a record names a release, a file by its
sha256 and lines, and the file is read out of the wheel, which pip fetches once into the user's cache folder.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path

from platformdirs import user_cache_path

from copydesk.errors import CopydeskError, TrainingError
from copydesk.text.document import split_lines
from copydesk_benchmarks.instruction_checks import (
    KINDS,
    Check,
    CheckError,
    Replacement,
    Variant,
    apply_variant,
)
from copydesk_training.sources import archive, fetch

FOLDER = Path(__file__).resolve().parents[2] / "tests" / "data" / "instructions"
LEAST_EXAMPLES = 3
"""Texts a check must accept, and near misses it must reject, in each record; of `unchanged` there is only one text to accept."""

_ALSO_PERMISSIVE = ("Public Domain",)
"""The classifier of packages under the Unlicense. Training leaves it out, because it also stands for claims without a licence."""


class RecordError(CopydeskError):
    """A record that is malformed, or a package that is not what the record says."""


@dataclass(frozen=True, slots=True)
class Record:
    """One instruction for lines of a file. `lines` are 1-based and inclusive; `sha256` is of the file's bytes.

    `accepted` and `rejected` are texts without placeholders that test the check.
    """

    id: str
    package: str
    version: str
    file: str
    sha256: str
    lines: tuple[int, int]
    instruction: str
    kind: str
    check: Check
    accepted: tuple[Variant, ...]
    rejected: tuple[Variant, ...]


def load_records(path: Path) -> list[Record]:
    """The records of a file, one JSON object a line. Raises RecordError, OSError."""
    records = []
    for number, line in enumerate(path.read_text("utf-8").split("\n"), 1):
        if not line:
            continue
        try:
            records.append(parse_record(json.loads(line)))
        except (ValueError, KeyError, TypeError) as error:
            raise RecordError(f"{path.name}, line {number}: {error!r}") from error
    if len({record.id for record in records}) != len(records):
        raise RecordError(f"{path.name}: two records have one id")
    return records


def parse_record(row: dict[str, object]) -> Record:
    """A record of its JSON object. Raises KeyError, TypeError, ValueError for one that is none."""
    check = row["check"]
    if not isinstance(check, dict) or check["kind"] not in KINDS:
        raise ValueError("unknown kind of check")
    first, last = _list(row["lines"])
    return Record(
        id=str(row["id"]),
        package=str(row["package"]),
        version=str(row["version"]),
        file=str(row["file"]),
        sha256=str(row["sha256"]),
        lines=(_number(first), _number(last)),
        instruction=str(row["instruction"]),
        kind=str(row["kind"]),
        check=Check(check["kind"], _variants(check.get("results", []))),
        accepted=_variants(row["accepted"]),
        rejected=_variants(row["rejected"]),
    )


def _variants(rows: object) -> tuple[Variant, ...]:
    return tuple(tuple(map(_replacement, _list(row))) for row in _list(rows))


def _replacement(value: object) -> Replacement:
    first, last, text = _list(value)
    return Replacement(_number(first), _number(last), str(text))


def _number(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError(f"a number is meant, not {value!r}")
    return value


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise TypeError(f"a list is meant, not {value!r}")
    return value


class Packages:
    """The files of released packages, from wheels in a folder; pip fetches those that are missing."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or user_cache_path("copydesk") / "evaluation-packages"
        self._files = lru_cache(maxsize=None)(self._read)

    def text(self, record: Record) -> str:
        """The record's file. Raises RecordError where it cannot be had or has another hash."""
        data = self._files(record.package, record.version).get(record.file)
        if data is None:
            raise RecordError(f"{record.package} {record.version} has no file {record.file}")
        if hashlib.sha256(data).hexdigest() != record.sha256:
            raise RecordError(f"{record.file} of {record.package} {record.version} has another sha256")
        text = data.decode("utf-8")
        if not 1 <= record.lines[0] <= record.lines[1] <= len(split_lines(text)):
            raise RecordError(f"{record.id}: {record.file} has no such lines")
        return text

    def _read(self, package: str, version: str) -> dict[str, bytes]:
        wheels, failed = fetch([f"{package}=={version}"], self._folder)
        if failed:
            raise RecordError(f"pip cannot fetch a wheel of {package} {version}")
        try:
            found = archive(wheels[0])
        except TrainingError as error:
            raise RecordError(str(error)) from error
        if not found.licence.accepted and found.licence.licence not in _ALSO_PERMISSIVE:
            raise RecordError(f"{package} {version}: its licence is not known to be permissive")
        return dict(found.files())


def never_trained_on() -> frozenset[str]:
    """The projects that no training data is taken from."""
    text = (resources.files("copydesk_training") / "never.txt").read_text("utf-8")
    return frozenset(line for line in text.split("\n") if line and not line.startswith("#"))


def problems(record: Record, text: str) -> list[str]:
    """What is wrong with a record of the file `text`, in words; the check is tried on every text that the record names."""
    found = []
    if record.package not in never_trained_on():
        found.append("the package is not listed as never trained on")
    first, last = record.lines
    for name, variants in (("accepted", record.accepted), ("rejected", record.rejected)):
        texts = {apply_variant(text, variant) for variant in variants}
        least = 1 if name == "accepted" and record.check.kind == "unchanged" else LEAST_EXAMPLES
        if len(texts) < least:
            found.append(f"{len(texts)} {name} texts instead of {least}")
    for name, variants in (
        ("result", record.check.results),
        ("accepted", record.accepted),
        ("rejected", record.rejected),
    ):
        for number, variant in enumerate(variants, 1):
            if any(change.first < first or change.last > last for change in variant):
                found.append(f"{name} {number} changes lines that are not selected")
            elif name != "result":
                found += _tried(record, text, variant, name == "accepted", f"{name} {number}")
    if record.check.kind != "unchanged" and record.check.accepts(text, record.lines, text):
        found.append("the unchanged file is accepted")
    return found


def _tried(record: Record, text: str, variant: Variant, wanted: bool, name: str) -> Sequence[str]:
    try:
        got = record.check.accepts(text, record.lines, apply_variant(text, variant))
    except CheckError as error:
        return (f"{name}: {error}",)
    return () if got == wanted else (f"{name} is {'not ' if wanted else ''}accepted",)
