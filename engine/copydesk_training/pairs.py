"""Real edits: what they are, where they are kept, and those between two releases of a package (`histories` has the commits').

A change between releases is kept where both texts are fit to learn from, few lines differ, the difference is one of code and not
of comments, and nobody made the same before. Of a file with several changes all others are taken as done already. Knows texts;
nothing of tokens or pages.
"""

from __future__ import annotations

import ast
import bisect
import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from copydesk.errors import TrainingError
from copydesk.files.atomic import replacing
from copydesk.quickfixes.scope import indented_block
from copydesk.request import Diagnostic, EditRequest, Range
from copydesk.text.document import Position, split_lines
from copydesk_training.corpus import Corpus, Entry
from copydesk_training.example import Example
from copydesk_training.filters import Limits, refusal
from copydesk_training.histories.changes import differing, parsed
from copydesk_training.sources import Package

FILE = "pairs.jsonl"
MOST_LINES = 12
"""Lines a change may take away, and lines it may bring."""
MOST_HUNKS = 12
"""A file changed in more places was rewritten rather than edited."""
MOST_DIFFERING = 4000
"""Lines between the first and the last change; beyond, comparing takes too long."""

Kind = Literal["release", "history", "history_diagnostic"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A diagnostic as it is kept: lines from 0, characters in code points."""

    start: tuple[int, int]
    end: tuple[int, int]
    message: str
    code: str
    source: str

    @property
    def diagnostic(self) -> Diagnostic:
        return Diagnostic(Position(*self.start), Position(*self.end), self.message, self.code, self.source, 2)


@dataclass(frozen=True, slots=True)
class Pair:
    """One change: `after` is `before` with other lines in `scope` (1-based inclusive)."""

    before: str
    after: str
    scope: Range
    instruction: str | None
    kind: Kind
    package: str
    version: str
    path: str
    diagnostic: Finding | None = None
    """What a tool said of `before` and no longer of `after`; its request leaves the scope to the engine."""

    @property
    def example(self) -> Example:
        if self.diagnostic is not None:
            request = EditRequest(diagnostics=[self.diagnostic.diagnostic])
        else:
            request = EditRequest(scope=[self.scope], instruction=self.instruction)
        return Example(self.before, self.after, request, self.kind, located=True)


# -- where they come from ------------------------------------------------------------------------------------------------


def of_releases(old: Package, new: Package) -> Iterator[Pair]:
    """The changes from one release to the next. Raises TrainingError where a licence does not allow them."""
    for package in (old, new):
        _licensed(package)
    before = dict(old.files())
    for path, data in new.files():
        if path in before and before[path] != data:
            yield from _changes(path, before[path], data, new)


def _licensed(package: Package) -> None:
    if not package.licence.accepted:
        raise TrainingError(
            f"{package.name} {package.version} is not taken: its licence is {package.licence.licence}"
        )


# -- changes of one file -------------------------------------------------------------------------------------------------


def _changes(path: str, old: bytes, new: bytes, package: Package) -> Iterator[Pair]:
    if not path.endswith(".py"):
        return
    limits = Limits()
    (before, _), (after, _) = refusal(path, old, limits), refusal(path, new, limits)
    if before is None or after is None:
        return
    old_lines, new_lines = split_lines(before), split_lines(after)
    hunks = differing(old_lines, new_lines, MOST_DIFFERING)
    if not 1 <= len(hunks) <= MOST_HUNKS:
        return
    code = _code(after)
    for i, j, k, m in hunks:
        if max(j - i, m - k) > MOST_LINES or (i == j and k == m):
            continue
        lines = [*new_lines[:k], *old_lines[i:j], *new_lines[m:]]
        text = "".join(lines)
        # What only older Pythons read, and what differs in comments or layout alone, teaches nothing about code.
        if code is None or _code(text) in (None, code):
            continue
        first, last = k + 1, k + j - i
        around = indented_block(lines, min(first, len(lines)), min(max(first, last), len(lines)))
        scope = (min(around[0], first), max(around[1], last))
        yield Pair(text, after, scope, None, "release", package.name, package.version, path)


def _code(text: str) -> str | None:
    tree = parsed(text)
    return None if tree is None else ast.dump(tree)


# -- beside a corpus -----------------------------------------------------------------------------------------------------


def write(folder: Path, found: Iterable[Pair], *, evaluation: frozenset[str] = frozenset()) -> int:
    """Keep `found` beside the corpus in `folder`, each change once; gives how many there are.

    `evaluation` holds function headers that no text may contain (`filters.evaluation_headers`).
    """
    seen: set[str] = set()
    with replacing(folder / FILE) as partial, partial.open("w", encoding="utf-8") as out:
        for pair in found:
            key = _key(pair)
            known = evaluation and any(line.strip() in evaluation for line in split_lines(pair.after))
            if key not in seen and not known:
                seen.add(key)
                out.write(json.dumps(asdict(pair)) + "\n")
    return len(seen)


def read(folder: Path) -> list[Pair]:
    """The pairs beside a corpus; none where none were kept. Raises TrainingError for a file that holds something else."""
    path = folder / FILE
    if not path.is_file():
        return []
    try:
        rows = [json.loads(row) for row in path.read_text("utf-8").split("\n") if row]
        return [_pair(row) for row in rows]
    except (ValueError, TypeError, KeyError) as error:
        raise TrainingError(f"cannot read pairs from {path}: {error}") from error


def _pair(row: dict[str, Any]) -> Pair:
    said = row.get("diagnostic")
    finding = said and Finding(**{**said, "start": tuple(said["start"]), "end": tuple(said["end"])})
    return Pair(**{**row, "scope": (row["scope"][0], row["scope"][1]), "diagnostic": finding})


def digest(folder: Path) -> str:
    """Names the pairs beside a corpus: shards made with others are other shards. Empty without pairs."""
    path = folder / FILE
    return hashlib.sha256(path.read_bytes()).hexdigest()[:24] if path.is_file() else ""


def examples_for(corpus: Corpus, entries: Sequence[Entry], times: int = 1) -> Iterator[Example]:
    """The pairs that belong to a shard of `entries`: each to `times` files of the corpus by chance, so that a pass shows every
    pair so often, whatever the shards are.
    """
    files = tuple(sorted({entry.digest for entry in corpus.of("train")}))
    every, placed = _placed(str(corpus.folder), files, times)
    here = {entry.digest for entry in entries}
    for file in every:
        if file in here:
            yield from (pair.example for pair in placed[file])


@lru_cache(1)
def _placed(folder: str, files: tuple[str, ...], times: int) -> tuple[list[str], dict[str, list[Pair]]]:
    """Pairs by the digest of the file they go with, and these digests in order."""
    placed: dict[str, list[Pair]] = {}
    for pair in read(Path(folder)) if files else ():
        key = _key(pair)
        for turn in range(times):
            digest = key if not turn else hashlib.sha256(f"{turn}/{key}".encode()).hexdigest()
            placed.setdefault(files[bisect.bisect(files, digest) % len(files)], []).append(pair)
    return sorted(placed), placed


def _key(pair: Pair) -> str:
    """Names the changed lines, wherever they stand."""
    old, new = split_lines(pair.before), split_lines(pair.after)
    told = [
        "".join(old[i:j]) + "\0" + "".join(new[k:m]) for i, j, k, m in differing(old, new, MOST_DIFFERING)
    ]
    return hashlib.sha256("\1".join(told).encode("utf-8", "replace")).hexdigest()
