"""Real edits: small changes between two releases of a package, or in one commit of a repository.

A change is kept where both texts are fit to learn from, few lines differ, the difference is one of code and not of comments,
and nobody made the same before. Of a file with several changes all others are taken as done already. Knows texts and git;
nothing of tokens or pages.
"""

from __future__ import annotations

import ast
import bisect
import hashlib
import json
import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from pathlib import Path
from typing import Literal

from copydesk.document import split_lines
from copydesk.errors import TrainingError
from copydesk.request import EditRequest, Range
from copydesk.scope import indented_block
from copydesk.training.corpus import Corpus, Entry
from copydesk.training.example import Example
from copydesk.training.filters import Limits, refusal
from copydesk.training.git_command import git_command
from copydesk.training.sources import Package

FILE = "pairs.jsonl"
MOST_LINES = 12
"""Lines a change may take away, and lines it may bring."""
MOST_HUNKS = 12
"""A file changed in more places was rewritten rather than edited."""
MOST_FILES = 4
"""The message of a commit that touches more says little about each."""
MOST_DIFFERING = 4000
"""Lines between the first and the last change; beyond, comparing takes too long."""

_NUMBERED = re.compile(r"\s*\((?:#|gh-|bpo-)\d+\)|^(?:gh-|bpo-|#)\d+[:,]?\s*|^\[[\w./ -]+\]\s*")
_CONVENTIONAL = re.compile(r"^(?:fix|feat|perf|refactor|style)(?:\([\w./ -]+\))?!?:\s*", re.IGNORECASE)
_IDLE = re.compile(
    r"(?i)^(merge|revert|bump|release|version|prepare|wip|typo|fixup|squash|update (changelog|docs|version)"
    r"|initial|cleanup|misc)\b"
)

Kind = Literal["release", "history"]


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

    @property
    def example(self) -> Example:
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
            yield from _changes(path, before[path], data, None, "release", new)


def of_history(package: Package, repository: Path, *, most: int = 5000) -> Iterator[Pair]:
    """The changes of a repository's last `most` commits, their subjects as instructions; `package` is what it holds.

    Raises TrainingError where its licence does not allow them, or git fails.
    """
    _licensed(package)
    with Blobs(repository) as blobs:
        for subject, changed in commits(repository, most):
            instruction = instruction_of(subject)
            if instruction is None or len(changed) > MOST_FILES:
                continue
            for path, old, new in changed:
                found = list(
                    _changes(path, blobs.read(old), blobs.read(new), instruction, "history", package)
                )
                # With several changes in a file the message is about all of them together.
                if len(found) == 1:
                    yield found[0]


def instruction_of(subject: str) -> str | None:
    """A commit's subject as somebody would ask for the change; None where it says nothing."""
    text = _CONVENTIONAL.sub("", _NUMBERED.sub("", subject)).strip().rstrip(".")
    if _IDLE.match(text) or not 12 <= len(text) <= 100 or len(text.split()) < 3 or not text.isprintable():
        return None
    return text[0].upper() + text[1:]


def _licensed(package: Package) -> None:
    if not package.licence.accepted:
        raise TrainingError(
            f"{package.name} {package.version} is not taken: its licence is {package.licence.licence}"
        )


def commits(repository: Path, most: int) -> Iterator[tuple[str, list[tuple[str, str, str]]]]:
    """Subjects, newest first, with (path, old blob, new blob) of each Python file the commit changed. Raises TrainingError."""
    raw = _git(
        repository, "log", f"--max-count={most}", "--no-merges", "--diff-filter=M", "--raw", "--no-abbrev", "--no-renames",
        "-z", "--format=%x01%s", "--", "*.py",
    ).decode("utf-8", "replace")  # fmt: skip
    for commit in raw.split("\x01")[1:]:
        subject, _, rest = commit.partition("\0")
        fields = [field for field in rest.strip("\n\0").split("\0") if field]
        changed = []
        for about, path in zip(fields[::2], fields[1::2], strict=False):
            words = about.strip().split()
            if len(words) == 5 and words[0].startswith(":100") and words[1].startswith("100"):
                changed.append((path, words[2], words[3]))
        yield subject.strip(), changed


def _git(repository: Path, *arguments: str) -> bytes:
    asked = subprocess.run(git_command(repository, *arguments), capture_output=True, check=False)
    if asked.returncode:
        told = asked.stderr.decode("utf-8", "replace").strip()
        raise TrainingError(f"the history of {repository} cannot be read: {told}")
    return asked.stdout


class Blobs:
    """The contents of blobs, from one git process. `read` raises TrainingError for a blob that is not there."""

    def __init__(self, repository: Path) -> None:
        command = git_command(repository, "cat-file", "--batch")
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self) -> Blobs:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def read(self, blob: str) -> bytes:
        asked, told = self._process.stdin, self._process.stdout
        assert asked is not None
        assert told is not None
        asked.write(blob.encode() + b"\n")
        asked.flush()
        words = told.readline().split()
        if len(words) != 3:
            raise TrainingError(f"git has no blob {blob}")
        data = told.read(int(words[2]))
        told.read(1)
        return data


# -- changes of one file -------------------------------------------------------------------------------------------------


def _changes(
    path: str, old: bytes, new: bytes, instruction: str | None, kind: Kind, package: Package
) -> Iterator[Pair]:
    if not path.endswith(".py"):
        return
    limits = Limits()
    (before, _), (after, _) = refusal(path, old, limits), refusal(path, new, limits)
    if before is None or after is None:
        return
    old_lines, new_lines = split_lines(before), split_lines(after)
    hunks = _hunks(old_lines, new_lines)
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
        yield Pair(text, after, scope, instruction, kind, package.name, package.version, path)


def _hunks(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int, int, int]]:
    """Changed runs old[i:j] → new[k:m]; none where too much differs to be compared."""
    least = min(len(old), len(new))
    head = next((k for k in range(least) if old[k] != new[k]), least)
    tail = next((k for k in range(least - head) if old[-1 - k] != new[-1 - k]), least - head)
    a, b = old[head : len(old) - tail], new[head : len(new) - tail]
    if max(len(a), len(b)) > MOST_DIFFERING:
        return []
    found = SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    return [(i + head, j + head, k + head, m + head) for tag, i, j, k, m in found if tag != "equal"]


def _code(text: str) -> str | None:
    try:
        return ast.dump(ast.parse(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


# -- beside a corpus -----------------------------------------------------------------------------------------------------


def write(folder: Path, found: Iterable[Pair], *, evaluation: frozenset[str] = frozenset()) -> int:
    """Keep `found` beside the corpus in `folder`, each change once; gives how many there are.

    `evaluation` holds function headers that no text may contain (`filters.evaluation_headers`).
    """
    seen: set[str] = set()
    partial = folder / (FILE + ".partial")
    with partial.open("w", encoding="utf-8") as out:
        for pair in found:
            key = _key(pair)
            known = evaluation and any(line.strip() in evaluation for line in split_lines(pair.after))
            if key not in seen and not known:
                seen.add(key)
                out.write(json.dumps(asdict(pair)) + "\n")
    os.replace(partial, folder / FILE)
    return len(seen)


def read(folder: Path) -> list[Pair]:
    """The pairs beside a corpus; none where none were kept. Raises TrainingError for a file that holds something else."""
    path = folder / FILE
    if not path.is_file():
        return []
    try:
        rows = [json.loads(row) for row in path.read_text("utf-8").split("\n") if row]
        return [Pair(**{**row, "scope": (row["scope"][0], row["scope"][1])}) for row in rows]
    except (ValueError, TypeError, KeyError) as error:
        raise TrainingError(f"cannot read pairs from {path}: {error}") from error


def digest(folder: Path) -> str:
    """Names the pairs beside a corpus: shards made with others are other shards. Empty without pairs."""
    path = folder / FILE
    return hashlib.sha256(path.read_bytes()).hexdigest()[:24] if path.is_file() else ""


def examples_for(corpus: Corpus, entries: Sequence[Entry]) -> Iterator[Example]:
    """The pairs that belong to a shard of `entries`: each to one file of the corpus by chance, so that every pair is in one shard
    of a pass, whatever the shards are.
    """
    every, placed = _placed(str(corpus.folder), tuple(sorted({entry.digest for entry in corpus.of("train")})))
    here = {entry.digest for entry in entries}
    for file in every:
        if file in here:
            yield from (pair.example for pair in placed[file])


@lru_cache(1)
def _placed(folder: str, files: tuple[str, ...]) -> tuple[list[str], dict[str, list[Pair]]]:
    """Pairs by the digest of the file they go with, and these digests in order."""
    placed: dict[str, list[Pair]] = {}
    for pair in read(Path(folder)) if files else ():
        place = bisect.bisect(files, _key(pair)) % len(files)
        placed.setdefault(files[place], []).append(pair)
    return sorted(placed), placed


def _key(pair: Pair) -> str:
    """Names the changed lines, wherever they stand."""
    old, new = split_lines(pair.before), split_lines(pair.after)
    told = ["".join(old[i:j]) + "\0" + "".join(new[k:m]) for i, j, k, m in _hunks(old, new)]
    return hashlib.sha256("\1".join(told).encode("utf-8", "replace")).hexdigest()
