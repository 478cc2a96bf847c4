"""A person's own repository: what is trained on, and the newest edits of its history, which the model made of it is measured on.

Whoever trains on code that came after an edit has seen the answer. So the files are those of the commit before the oldest of the
edits kept apart, and nothing later is read. Knows repositories, edits and the engine; nothing of tokens or shards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from copydesk.editor import Editor
from copydesk_training.evaluation.judge import judge_all_models
from copydesk_training.evaluation.verdict import Verdict
from copydesk_training.histories.commits import git
from copydesk_training.histories.mining import HistoryRecord, Known, mine
from copydesk_training.licences import Decision
from copydesk_training.pairs import Pair
from copydesk_training.sources import File, Package, repository
from copydesk_training.statistics import Paired

LATER = 0.15
"""The share of the edits that is kept apart: the newest."""
MOST, FEWEST = 100, 8
"""Edits kept apart; where there would be fewer, none are."""
MOST_LINES = 60_000
"""Of the files, those changed last: about what an hour on a laptop can learn from."""


@dataclass(frozen=True, slots=True)
class OwnCode:
    """files: as they were before the later edits. earlier, later: edits by age, the newest first."""

    files: Package
    earlier: list[Pair]
    later: list[Pair]
    record: HistoryRecord


def owned(package: Package) -> Package:
    """Whose code it is nobody can read from the code: the person says so, and the record of the training keeps it."""
    licence = Decision(True, package.licence.licence, "given as one's own")
    return replace(package, licence=licence)


def own_code(path: Path, known: Known) -> OwnCode:
    """What a git repository gives. Raises TrainingError where git fails or the repository is measured on."""
    edits, record = mine(owned(repository(path, revision="HEAD")), path, known)
    by_age = {commit[:12]: age for age, commit in enumerate(git(path, "rev-list", "HEAD").decode().split())}
    edits.sort(key=lambda edit: by_age[edit.version])
    count = min(MOST, int(len(edits) * LATER))
    later: list[Pair] = []
    revision = "HEAD"
    if count >= FEWEST:
        cut = edits[count - 1].version
        later = [edit for edit in edits if by_age[edit.version] <= by_age[cut]]
        revision = f"{cut}^"
    record.kept = len(edits) - len(later)
    return OwnCode(_recent(path, revision), edits[len(later) :], later, record)


def _recent(path: Path, revision: str) -> Package:
    """The files that a revision has and that were changed last before it, as many as have MOST_LINES together. What was never
    committed is none of them: an environment in the folder, say.
    """
    package = owned(repository(path, revision=revision))
    told = git(path, "log", "--format=", "--name-only", "-z", revision, "--", "*.py").decode(
        "utf-8", "replace"
    )
    age = {name: k for k, name in reversed(list(enumerate(filter(None, told.split("\0")))))}

    def files() -> Iterator[File]:
        left = MOST_LINES
        for name, data in sorted(package.files(), key=lambda file: age.get(file[0], len(age))):
            left -= data.count(b"\n")
            if left < 0:
                return
            yield name, data

    return replace(package, files=files)


@dataclass(frozen=True, slots=True)
class Measured:
    """One model on the later edits. exact: the edit of the commit, byte for byte. shown: the checks let it through and the model
    was sure."""

    exact: list[bool]
    shown: list[bool]

    @property
    def wrong(self) -> int:
        """Edits that were shown and are not the commit's. They need not be bad."""
        return sum(shown and not exact for exact, shown in zip(self.exact, self.shown, strict=True))


def measure(
    editors: Mapping[str, Editor], later: list[Pair], progress: Callable[[int], None] = lambda _: None
) -> dict[str, Measured]:
    """Every model on every edit, without the rules for wordings."""
    found = {name: Measured([], []) for name in editors}
    for name, verdict in _verdicts(editors, later):
        found[name].exact.append(verdict.exact)
        found[name].shown.append(verdict.applied)
        progress(1)
    return found


def _verdicts(editors: Mapping[str, Editor], later: list[Pair]) -> Iterator[tuple[str, Verdict]]:
    names = list(editors)
    examples = [pair.example for pair in later]
    answers = judge_all_models(
        list(editors.values()), [examples], lambda *_: True, modes=(True,), phrases=False
    )
    for index, verdicts in answers:
        for verdict in verdicts:
            yield names[index], verdict


def paired(before: Measured, after: Measured) -> Paired:
    """Exact matches of two models on the same edits."""
    pairs = list(zip(before.exact, after.exact, strict=True))
    return Paired(*(pairs.count(one) for one in ((True, True), (True, False), (False, True), (False, False))))
