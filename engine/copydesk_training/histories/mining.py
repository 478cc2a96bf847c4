"""Edits from the histories of several repositories: what their commits changed in one function, with the subject as the request.

`mine` reads one repository; `share_out` bounds what one repository, and tests, give of all; `record_of` is what the model card
says about them. Knows commits, changes and subjects; nothing of tokens or pages.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath
from random import Random
from typing import Any

from copydesk.errors import TrainingError
from copydesk.files.atomic import replacing
from copydesk_training.corpus import never_learnt
from copydesk_training.filters import Limits, Seen, is_test, refusal_of_path, refusal_of_text
from copydesk_training.histories.changes import BlockChange, block_change, selection
from copydesk_training.histories.commits import Blobs, ChangedFile, Commit, commits
from copydesk_training.histories.determined import undetermined
from copydesk_training.histories.findings import Gone, gone
from copydesk_training.histories.near_duplicates import NearDuplicates
from copydesk_training.histories.subjects import instruction_of, operation_of
from copydesk_training.histories.words import lexemes
from copydesk_training.pairs import Pair
from copydesk_training.sources import Package, canonical

RECORD = "histories.json"
MOST_FILES = 4
"""The subject of a commit that touches more says little about each."""
MOST_COMMITS = 40_000
LONGEST = 1_000_000
"""Characters of a file; it is its excerpt that is kept to the corpus's limits."""
LIMITS = Limits()
MOST_OF_ONE = 0.08
"""The share of one repository in all edits."""
MOST_TESTS = 0.15
"""The share of edits in tests."""


@dataclass(slots=True)
class HistoryRecord:
    """What the manifest says of one repository's history; `left_out` counts why commits gave nothing."""

    repository: str
    commit: str
    licence: str
    evidence: str
    commits: int = 0
    kept: int = 0
    left_out: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Found:
    """A commit's change of one function or class before it is judged."""

    commit: Commit
    path: str
    instruction: str
    change: BlockChange


def mine(
    package: Package,
    repository: Path,
    known: Known,
    *,
    never: frozenset[str] = frozenset(),
    most: int = MOST_COMMITS,
) -> tuple[list[Pair], HistoryRecord]:
    """The edits of a repository's last `most` commits that their subjects determine; `package` is what it holds.

    Raises TrainingError where its licence does not allow them, it is never learnt from (`never.txt`, or one of `never`), or git
    fails.
    """
    if not package.licence.accepted:
        raise TrainingError(
            f"{package.name} {package.version} is not taken: its licence is {package.licence.licence}"
        )
    if not {canonical(package.name), canonical(package.name.split("/")[-1])}.isdisjoint(
        never | never_learnt()
    ):
        raise TrainingError(f"{package.name} is measured on: nothing of it is learnt from")
    record = HistoryRecord(package.name, package.version, package.licence.licence, package.licence.evidence)
    left_out: Counter[str] = Counter()
    made: list[Pair] = []
    for found in candidates(repository, record, left_out, most):
        reason = undetermined(found.instruction, found.change) or known.refuses(found.change)
        if reason is not None:
            left_out[reason] += 1
        else:
            made.append(_pair(found, package))
    for ended in gone(repository, most):
        reason = known.refuses(ended.change)
        if reason is not None:
            left_out[f"diagnostic: {reason}"] += 1
        else:
            made.append(_diagnosed(ended, package))
    record.left_out = dict(sorted(left_out.items()))
    record.kept = len(made)
    return made, record


def candidates(repository: Path, record: HistoryRecord, left_out: Counter[str], most: int) -> Iterator[Found]:
    """The commits with a request for a subject and a small change of one function or class."""
    with Blobs(repository) as blobs:
        for commit in commits(repository, most):
            record.commits += 1
            instruction = instruction_of(commit.subject)
            if instruction is None:
                left_out["the subject is no request"] += 1
                continue
            file = _subject_of(commit, instruction)
            if file is None:
                left_out["several files"] += 1
                continue
            if (reason := refusal_of_path(file.path, tests=True)) is not None:
                left_out[reason] += 1
                continue
            try:
                before, after = (blobs.read(blob).decode() for blob in (file.old, file.new))
            except UnicodeDecodeError:
                left_out["not UTF-8"] += 1
                continue
            change = block_change(before, after) if max(len(before), len(after)) <= LONGEST else None
            if change is None:
                left_out["no small change of one function or class"] += 1
                continue
            if (reason := refusal_of_text(change.before, LIMITS)) is not None:
                left_out[reason] += 1
                continue
            yield Found(commit, file.path, instruction, change)


def _subject_of(commit: Commit, instruction: str) -> ChangedFile | None:
    """The file the subject is about: the only one beside tests, or the only one it names."""
    if not 1 <= len(commit.changed) <= MOST_FILES:
        return None
    code = [file for file in commit.changed if not is_test(file.path)] or list(commit.changed)
    if len(code) > 1:
        said = instruction.lower()
        code = [
            file for file in code if len(stem := PurePosixPath(file.path).stem) > 3 and stem.lower() in said
        ]
    return code[0] if len(code) == 1 else None


class Known:
    """What no edit may repeat: other edits, held-out files, and functions of evaluation data."""

    def __init__(self, seen: Seen | None = None) -> None:
        self._edits = NearDuplicates()
        self._seen = seen

    def refuses(self, change: BlockChange) -> str | None:
        """Why the change is left out, or None; then it counts as known."""
        if self._seen is not None and (reason := self._seen.resembles(change.after)) is not None:
            return reason
        tokens: list[str] = []
        for removed, added in zip(change.removed, change.added, strict=True):
            tokens += [text for _, text in lexemes(removed)] + ["→"] + [text for _, text in lexemes(added)]
        return "near-duplicate" if self._edits.add(tokens) else None


def _pair(found: Found, package: Package) -> Pair:
    change = found.change
    scope = selection(change, Random(f"{found.commit.id}/{found.path}"))
    return Pair(
        change.before,
        change.after,
        scope,
        found.instruction,
        "history",
        package.name,
        found.commit.id[:12],
        found.path,
    )


def _diagnosed(ended: Gone, package: Package) -> Pair:
    change = ended.change
    return Pair(
        change.before, change.after, ended.scope, None, "history_diagnostic", package.name, ended.commit[:12], ended.path,
        ended.finding,
    )  # fmt: skip


def share_out(made: Sequence[Sequence[Pair]]) -> list[list[Pair]]:
    """Of each repository's edits as many as keep it within MOST_OF_ONE of all, and tests within MOST_TESTS; which ones is
    settled by their commits' names. One repository alone, or few, keep all.
    """
    ordered = [sorted(pairs, key=lambda p: hashlib.sha256(p.version.encode()).digest()) for pairs in made]
    code = [[p for p in pairs if not is_test(p.path)] for pairs in ordered]
    tests = [[p for p in pairs if is_test(p.path)] for pairs in ordered]
    most = int(sum(map(len, code)) * MOST_TESTS / (1 - MOST_TESTS))
    total = sum(map(len, tests))
    if total > most:
        tests = [pairs[: len(pairs) * most // total] for pairs in tests]
    kept = [a + b for a, b in zip(code, tests, strict=True)]
    if len(kept) * MOST_OF_ONE <= 1:
        return kept
    cap = max(map(len, kept), default=0)
    while cap > 1 and cap > MOST_OF_ONE * sum(min(cap, len(pairs)) for pairs in kept):
        cap -= 1
    return [pairs[:cap] for pairs in kept]


def record_of(records: Sequence[HistoryRecord], kept: Sequence[Sequence[Pair]]) -> dict[str, Any]:
    """Names, commits, licences and counts: what was learnt from, without any of its text."""
    operations = Counter(
        operation_of(p.instruction or "") for pairs in kept for p in pairs if p.kind == "history"
    )
    kinds = Counter(p.kind for pairs in kept for p in pairs)
    for record, pairs in zip(records, kept, strict=True):
        record.kept = len(pairs)
    return {
        "edits": sum(map(len, kept)),
        "kinds": dict(kinds.most_common()),
        "operations": dict(operations.most_common()),
        "repositories": [asdict(record) for record in records],
    }


def write_record(folder: Path, record: dict[str, Any]) -> None:
    """Keep the record beside a corpus."""
    with replacing(folder / RECORD) as partial:
        partial.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
