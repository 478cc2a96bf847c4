"""HumanEvalFix in Python (HumanEvalPack, OctoPack, arXiv 2308.07124): bugs that no tool located, repaired and tested.

Evaluation only: nothing of it is ever trained on. The caller names the file; it is not part of the package.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from copydesk.editor import Editor
from copydesk.errors import TrainingError
from copydesk.request import EditRequest, Range
from copydesk.results import EditResult
from copydesk.text.document import split_lines
from copydesk_training.evaluation.execution import runs
from copydesk_training.evaluation.mistakes import changed_lines, mistake_of
from copydesk_training.example import Example
from copydesk_training.statistics import Share

MOST_TOKENS = 512


@dataclass(frozen=True, slots=True)
class Task:
    """One task: the example to decode and the test that judges the result."""

    name: str
    example: Example
    test: str
    entry_point: str

    @property
    def told(self) -> EditRequest:
        """The request of somebody who knows which lines are wrong: only these may change."""
        lines = changed_lines(self.example.before, self.example.after)
        return replace(self.example.request, scope=[_range(place) for place in sorted(lines)])

    def objection(self) -> str | None:
        """Why the task cannot judge an answer on this machine; None where it can."""
        if not passes(self, self.example.after):
            return "the reference solution fails its tests here"
        if passes(self, self.example.before):
            return "the buggy version passes its tests"
        return None


@dataclass(slots=True)
class Score:
    """How one model did in one way of asking. statuses: how many answers were edited, unchanged, refused, failed.
    mistakes: of the answers that are not the reference, byte for byte. reasons: why requests were refused or failed."""

    total: int = 0
    exact: int = 0
    passed: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    mistakes: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)

    @property
    def exact_match(self) -> Share:
        return Share(self.exact, self.total)

    @property
    def pass_at_1(self) -> Share:
        return Share(self.passed, self.total)

    def add(self, task: Task, result: EditResult) -> None:
        """Count one answer. A text equal to the buggy one or to the reference is not run again."""
        before, after = task.example.before, task.example.after
        self.total += 1
        self.statuses[result.status] += 1
        if result.status in ("refused", "failed"):
            self.mistakes["refused"] += 1
            self.reasons[result.reason or "no reason given"] += 1
            return
        mistake = mistake_of(before, after, result.text)
        if mistake is None:
            self.exact += 1
            self.passed += 1
            return
        self.mistakes[mistake] += 1
        self.passed += result.text != before and passes(task, result.text)


def tasks(path: Path) -> Iterator[Task]:
    """Tasks of `humanevalpack_python.jsonl`. Raises OSError, TrainingError for a file of another kind."""
    with path.open(encoding="utf-8") as rows:
        for number, line in enumerate(rows, 1):
            try:
                row = json.loads(line)
                head, name = row["declaration"], row["entry_point"]
                before, after = head + row["buggy_solution"], head + row["canonical_solution"]
                first = head.count("\n")  # the signature's own line is the declaration's last
                scope = [(first + 1, len(split_lines(before)))]
                request = EditRequest(scope=scope, instruction=f"Fix the bug in `{name}`.")
                example = Example(before, after, request, "humanevalfix", located=False)
                task = Task(row["task_id"], example, row["test"], name)
            except (ValueError, KeyError, TypeError) as error:
                raise TrainingError(f"{path}:{number} is not a task of HumanEvalFix: {error!r}") from error
            yield task


def usable(given: Iterable[Task]) -> tuple[list[Task], dict[str, list[str]]]:
    """The tasks that can be judged on this machine, and the names of the others by the reason. Raises TrainingError."""
    kept: list[Task] = []
    skipped: dict[str, list[str]] = {}
    for task in given:
        reason = task.objection()
        if reason is None:
            kept.append(task)
        else:
            skipped.setdefault(reason, []).append(task.name)
    return kept, skipped


def passes(task: Task, text: str) -> bool:
    """Whether `text` passes the task's tests, in a process of its own. Raises TrainingError."""
    return runs(f"{text}\n{task.test}\n")


def measure(
    editor: Editor,
    given: Iterable[Task],
    *,
    told: bool,
    narrow: bool = True,
    together: int = 8,
    done: Callable[[int], None] = lambda _: None,
) -> Score:
    """One greedy answer of at most MOST_TOKENS tokens to each task, judged by its tests.

    told: whether the request names the buggy lines. done: called with the number of answers so far. Raises TrainingError.
    """
    score = Score()
    waiting = iter(given)
    while batch := list(islice(waiting, together)):
        documents = [editor.open("solution.py", task.example.before) for task in batch]
        requests = [
            (
                document,
                replace(task.told if told else task.example.request, max_tokens=MOST_TOKENS, narrow=narrow),
            )
            for document, task in zip(documents, batch, strict=True)
        ]
        for index, event in editor.edit_all(requests):
            if isinstance(event, EditResult):
                score.add(batch[index], event)
        for document in documents:
            document.close()
        done(score.total)
    return score


def _range(place: int) -> Range:
    """A place of `changed_lines` as a range of a scope."""
    line = (place + 1) // 2
    return (line, line) if place % 2 == 0 else (line, line - 1)
