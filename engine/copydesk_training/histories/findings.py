"""What ruff said of a file before a commit and no longer after it, where ruff has no fix of its own.

The diagnostic is the request. Read are commits whose subject speaks of a linter. A finding counts where one small hunk holds its
line, is the only one there and is gone after; all other hunks count as done already. Knows texts, commits and ruff's output.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from copydesk.request import Range
from copydesk.text.document import split_lines
from copydesk_training.defects.ruff_teacher import MESSAGE, check
from copydesk_training.excerpts import excerpt_round
from copydesk_training.filters import Limits, refusal_of_path, refusal_of_text
from copydesk_training.histories.changes import MOST_DIFFERING, BlockChange, differing, parsed
from copydesk_training.histories.commits import Blobs, commits
from copydesk_training.histories.determined import from_nowhere
from copydesk_training.pairs import Finding

SELECT = (
    "--select",
    "F,E,B,SIM,RUF,PLW,UP",
    "--ignore",
    "E1,E2,E3,E501,E999,RUF100,RUF001,RUF002,RUF003,F401,F403,F405",
)
"""Layout is a formatter's work, and what star imports bring no page shows."""
_SILENCED = re.compile(r"(?i)\bnoqa\b|pylint:|type: ?ignore|pragma:|ruff:")
LINTED = re.compile(
    r"(?i)\blint|\bruff\b|flake8|pyflakes|pylint|bugbear|lgtm|codeql|sonar|landscape|codacy|deepsource|pep-?8|pycodestyle"
    r"|\bunused\b|\bundefined\b|\bshadow|redefin|unreachable|bare except|mutable default"
    r"|\b[EFBW]\d{3}\b|static analy"
    r"|code quality|\bwarnings?\b|\bnoqa\b|ambiguous|raise \.\.\. from|exception chain|re-?raise|identity|isinstance"
    r"|loop variable|useless|dead code"
)
MOST_FILES = 60
MOST_READ = 900
"""Files of one repository that ruff reads: the newest."""
MOST_HUNKS = 30
MOST_LINES = 8
BATCH = 150
"""Files ruff reads at once, before and after each."""


@dataclass(frozen=True, slots=True)
class Gone:
    """A finding and the change after which it is gone."""

    commit: str
    path: str
    change: BlockChange
    finding: Finding

    @property
    def scope(self) -> Range:
        i, j, _, _ = self.change.hunks[0]
        return (i + 1, max(j, i + 1))


@dataclass(frozen=True, slots=True)
class _File:
    commit: str
    path: str
    before: str
    after: str


def gone(repository: Path, most: int) -> Iterator[Gone]:
    """The findings that a repository's last `most` commits did away with. Raises TrainingError where git or ruff fails."""
    files = islice(_files(repository, most), MOST_READ)
    while batch := list(islice(files, BATCH)):
        said = check([text for file in batch for text in (file.before, file.after)], SELECT)
        by_text: dict[int, list[dict[str, object]]] = {}
        for item in said:
            by_text.setdefault(item["text"], []).append(item)
        for k, file in enumerate(batch):
            yield from _of_file(file, by_text.get(2 * k, []), by_text.get(2 * k + 1, []))


def _files(repository: Path, most: int) -> Iterator[_File]:
    with Blobs(repository) as blobs:
        for commit in commits(repository, most):
            if not LINTED.search(commit.subject) or len(commit.changed) > MOST_FILES:
                continue
            for file in commit.changed:
                if refusal_of_path(file.path, tests=True) is not None:
                    continue
                try:
                    before, after = (blobs.read(blob).decode() for blob in (file.old, file.new))
                except UnicodeDecodeError:
                    continue
                if max(len(before), len(after)) <= Limits().file_bytes:
                    yield _File(commit.id, file.path, before, after)


def _of_file(
    file: _File, said: Sequence[dict[str, object]], after: Sequence[dict[str, object]]
) -> Iterator[Gone]:
    old, new = split_lines(file.before), split_lines(file.after)
    hunks = differing(old, new, MOST_DIFFERING)
    if not said or not 1 <= len(hunks) <= MOST_HUNKS:
        return
    for i, j, k, m in hunks:
        if i == j or max(j - i, m - k) > MOST_LINES:
            continue
        here = [item for item in said if i < _row(item) <= j]
        left = {item["code"] for item in after if k < _row(item) <= m}
        ended = [item for item in here if item["code"] not in left and not item["fix"] and item["code"]]
        # With several findings on the lines nobody knows which of them the change is about.
        if (
            len(ended) != 1
            or len({item["code"] for item in here}) != 1
            or len(str(ended[0]["message"])) > MESSAGE
        ):
            continue
        lines = [*new[:k], *old[i:j], *new[m:]]
        parts = excerpt_round(lines, k, k + j - i)
        made = _excerpt(lines, new, (k, k + j - i, k, m), parts) if parts else None
        if made is None or refusal_of_text(made.before, Limits()) is not None:
            continue
        silenced = _SILENCED.search(made.added[0]) and not _SILENCED.search(made.removed[0])
        if not silenced and not from_nowhere(made, str(ended[0]["message"])):
            shift = made.hunks[0][0] - i
            yield Gone(file.commit, file.path, made, _finding(ended[0], shift))


def _excerpt(
    old: Sequence[str], new: Sequence[str], hunk: tuple[int, int, int, int], parts: Sequence[tuple[int, int]]
) -> BlockChange | None:
    i, j, k, m = hunk
    top: list[str] = []
    low: list[str] = []
    for start, stop in parts:
        if start <= i and j <= stop:
            top += old[start:i]
            low += old[j:stop]
        else:
            (low if start >= j else top).extend(old[start:stop])
    before, after = "".join([*top, *old[i:j], *low]), "".join([*top, *new[k:m], *low])
    if parsed(before) is None or parsed(after) is None:
        return None
    here = (len(top), len(top) + j - i, len(top), len(top) + m - k)
    return BlockChange(before, after, (here,), (here[0] + 1, here[1]), "")


def _row(item: dict[str, object]) -> int:
    place = item["location"]
    assert isinstance(place, dict)
    return int(place["row"])


def _finding(item: dict[str, object], shift: int) -> Finding:
    start, end = item["location"], item["end_location"]
    assert isinstance(start, dict)
    assert isinstance(end, dict)
    return Finding(
        (start["row"] - 1 + shift, start["column"] - 1),
        (end["row"] - 1 + shift, end["column"] - 1),
        str(item["message"]).split("\n")[0],
        str(item["code"]),
        "Ruff",
    )
