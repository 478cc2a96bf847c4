"""The corpus: which files of which packages are trained on, which are held out, and why the others are not there.

A corpus is a folder: `manifest.json` (packages with their licence decision and counts; what was left out and why),
`files.jsonl` (package, path, split, size, digest of every file) and `texts.bin` (their UTF-8 texts, end to end). The same
packages give the same bytes. Splits are by package; it knows no defects and no tokens.
"""

from __future__ import annotations

import errno
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any, Literal

from copydesk.errors import TrainingError
from copydesk.files.atomic import replacing
from copydesk_training.filters import Limits, Seen, refusal
from copydesk_training.sources import Package

Split = Literal["train", "heldout"]
VERSION = 1


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file of the corpus; `text` is exact."""

    package: str
    version: str
    licence: str
    path: str
    split: Split
    text: str


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a file lies in `texts.bin` (bytes), and what it is."""

    package: str
    path: str
    split: Split
    offset: int
    size: int
    lines: int
    digest: str


@dataclass(slots=True)
class PackageRecord:
    """What the manifest says of one package: for the model card, and to answer for every file."""

    name: str
    version: str
    origin: str
    licence: str
    evidence: str
    accepted: bool
    split: Split
    files: int = 0
    lines: int = 0
    bytes: int = 0
    left_out: dict[str, int] = field(default_factory=dict)


def held_out_names() -> frozenset[str]:
    """The packages that are never trained on."""
    return frozenset(_names("heldout.txt"))


def never_learnt() -> frozenset[str]:
    """Projects whose edits are never trained on, though their releases may be no held-out packages: they are measured on."""
    return held_out_names() | frozenset(_names("never.txt"))


def named_packages() -> list[str]:
    """The packages fetched by name, in the order of the list."""
    return _names("packages.txt")


def build(
    packages: Iterable[Package],
    folder: Path,
    *,
    held_out: frozenset[str],
    limits: Limits | None = None,
    evaluation: frozenset[str] = frozenset(),
) -> Corpus:
    """Write the corpus of `packages` to `folder` and open it.

    Held-out packages are read first, so that nothing of theirs is trained on. `evaluation` holds function headers that no
    file may contain. Raises TrainingError where the disk is full.
    """
    limits = limits or Limits()
    ordered = sorted(packages, key=lambda p: (p.name not in held_out, p.name, p.version))
    seen = Seen(evaluation, limits.heldout_overlap)
    records: list[PackageRecord] = []
    entries: list[Entry] = []
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with replacing(folder / "texts.bin") as partial, partial.open("wb") as texts:
            for package in ordered:
                split: Split = "heldout" if package.name in held_out else "train"
                record = PackageRecord(
                    package.name, package.version, package.origin,
                    package.licence.licence, package.licence.evidence, package.licence.accepted, split,
                )  # fmt: skip
                records.append(record)
                if not package.licence.accepted:
                    continue
                kept, left_out = _select(package, split, seen, limits)
                record.left_out = dict(sorted(left_out.items()))
                for path, text, data in kept:
                    digest = hashlib.sha256(data).hexdigest()[:24]
                    lines = text.count("\n")
                    entries.append(Entry(package.name, path, split, texts.tell(), len(data), lines, digest))
                    texts.write(data)
                    record.files, record.lines = record.files + 1, record.lines + lines
                    record.bytes += len(data)
        _write(folder / "files.jsonl", "".join(json.dumps(asdict(e)) + "\n" for e in entries))
        manifest = {
            "version": VERSION,
            "digest": _digest(entries),
            "limits": asdict(limits),
            "packages": [asdict(record) for record in records],
        }
        _write(folder / "manifest.json", json.dumps(manifest, indent=1) + "\n")
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise TrainingError(
                f"the disk of {folder} is full; free some space and run the command again"
            ) from error
        raise
    return Corpus(folder)


class Corpus:
    """A corpus on disk, read file by file. Raises TrainingError where it is missing or incomplete."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            self.manifest: dict[str, Any] = json.loads((folder / "manifest.json").read_text("utf-8"))
            rows = (folder / "files.jsonl").read_text("utf-8")
        except (OSError, ValueError) as error:
            raise TrainingError(f"there is no corpus in {folder}: {error}") from error
        self.entries = [Entry(**json.loads(row)) for row in rows.split("\n") if row]
        self.digest: str = self.manifest["digest"]
        self._packages = {record["name"]: record for record in self.manifest["packages"]}
        size = sum(entry.size for entry in self.entries)
        if (folder / "texts.bin").stat().st_size != size or self.digest != _digest(self.entries):
            raise TrainingError(f"the corpus in {folder} is incomplete; build it again")

    def of(self, split: Split) -> list[Entry]:
        """The files of one split, in corpus order."""
        return [entry for entry in self.entries if entry.split == split]

    def read(self, entries: Sequence[Entry]) -> Iterator[SourceFile]:
        """The files of `entries`, one at a time."""
        with (self.folder / "texts.bin").open("rb") as texts:
            for entry in entries:
                texts.seek(entry.offset)
                record = self._packages[entry.package]
                text = texts.read(entry.size).decode()
                yield SourceFile(
                    entry.package, record["version"], record["licence"], entry.path, entry.split, text
                )


def _select(
    package: Package, split: Split, seen: Seen, limits: Limits
) -> tuple[list[tuple[str, str, bytes]], Counter[str]]:
    """The files of one package to keep, by path, and why the others are not."""
    left_out: Counter[str] = Counter()
    fit: list[tuple[str, str, bytes]] = []
    for path, data in package.files():
        text, reason = refusal(path, data, limits)
        if reason is None and text is not None:
            reason = seen.refuses(text, data, held_out=split == "heldout")
        if reason is not None or text is None:
            left_out[reason or "no text"] += 1
        else:
            fit.append((path, text, data))
    # Of a package larger than its share, a sample by digest: the same files whatever else is in the corpus.
    size = 0
    kept = []
    for path, text, data in sorted(
        fit, key=lambda f: hashlib.sha256(f"{package.name}/{f[0]}".encode()).digest()
    ):
        if size + len(data) > limits.package_bytes:
            left_out["beyond the package's share"] += 1
        else:
            size += len(data)
            kept.append((path, text, data))
    return sorted(kept), left_out


def _digest(entries: Sequence[Entry]) -> str:
    told = hashlib.sha256()
    for entry in entries:
        told.update(f"{entry.package}/{entry.path}/{entry.split}/{entry.digest}\n".encode())
    return told.hexdigest()[:24]


def _write(path: Path, text: str) -> None:
    with replacing(path) as partial:
        partial.write_text(text, encoding="utf-8")


def _names(file: str) -> list[str]:
    text = resources.files("copydesk_training").joinpath(file).read_text("utf-8")
    return [line.strip() for line in text.split("\n") if line.strip() and not line.startswith("#")]
