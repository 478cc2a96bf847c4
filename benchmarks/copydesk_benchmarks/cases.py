"""Changes to measure on, as whole texts: HumanEvalFix, a folder of pairs, the history of a git repository.

HumanEvalPack (OctoPack, arXiv 2308.07124) is evaluation data: read where the caller says it lies, and never trained on.
Knows files; nothing of tokens.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from copydesk.errors import CopydeskError
from copydesk.request import Range
from copydesk.text.document import split_lines
from copydesk_training.histories.commits import Blobs, commits

LANGUAGES = {"python": "HumanEvalFix, Python", "js": "HumanEvalFix, JavaScript"}


@dataclass(frozen=True, slots=True)
class Case:
    """One change. scope: the lines that HumanEvalFix asks about, the function's body; None where nobody said."""

    name: str
    before: str
    after: str
    language: str
    scope: Range | None = None


def human_eval_fix(folder: Path, language: str, count: int | None = None) -> list[Case]:
    """The first `count` cases of a language of `LANGUAGES`. Raises OSError, CopydeskError for a file that is none."""
    path = folder / f"humanevalpack_{language}.jsonl"
    cases = []
    with path.open(encoding="utf-8", newline="\n") as rows:
        for row in map(json.loads, rows):
            try:
                head = row["declaration"]
                before, after = head + row["buggy_solution"], head + row["canonical_solution"]
                name = row["task_id"]
            except (KeyError, TypeError) as error:
                raise CopydeskError(f"{path.name} is no file of HumanEvalPack: {error}") from error
            scope = (head.count("\n") + 1, len(split_lines(before)))
            cases.append(Case(name, before, after, "python" if language == "python" else "javascript", scope))
    return cases[:count]


def of_folder(folder: Path) -> list[Case]:
    """Every NAME.before.EXT with its NAME.after.EXT. Raises OSError, CopydeskError where one stands alone."""
    cases = []
    for before in sorted(folder.rglob("*.before.*")):
        name, _, end = before.name.rpartition(".before.")
        after = before.with_name(f"{name}.after.{end}")
        if not after.is_file():
            raise CopydeskError(f"{before.name} has no {after.name} beside it")
        cases.append(Case(name, _text(before.read_bytes()), _text(after.read_bytes()), end))
    return cases


def of_history(repository: Path, most: int = 300) -> Iterator[Case]:
    """What the last `most` commits changed in Python files, each file whole. Raises TrainingError where git fails."""
    with Blobs(repository) as blobs:
        for commit in commits(repository, most):
            for file in commit.changed:
                before, after = _text(blobs.read(file.old)), _text(blobs.read(file.new))
                if before != after:
                    yield Case(file.path, before, after, "python")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
