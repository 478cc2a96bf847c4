"""The part of `copydesk eval` that measures HumanEvalFix: several models, with and without the buggy lines named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.progress import Progress, TaskID

from copydesk.editor import Editor
from copydesk_training.evaluation import humaneval
from copydesk_training.evaluation.humaneval import Score
from copydesk_training.evaluation.mistakes import MISTAKES
from copydesk_training.evaluation.table import markdown_table

HEAD = ("model", "lists", "buggy lines", "pass@1", "exact match", *MISTAKES)


def humaneval_section(
    editors: Mapping[str, Editor], path: Path, modes: Sequence[bool], together: int, console: Console
) -> str:
    """A table and notes: what was skipped, and why requests were refused. Raises OSError, TrainingError."""
    given = list(humaneval.tasks(path))
    rows: list[Sequence[object]] = []
    notes: list[str] = []
    with Progress(console=console, disable=console.quiet) as progress:
        checking = progress.add_task("HumanEvalFix: checking the tests", total=None)
        kept, skipped = humaneval.usable(given)
        progress.remove_task(checking)
        for name, editor in editors.items():
            for narrow in modes:
                for told in (False, True):
                    bar = progress.add_task(f"HumanEvalFix: {name}", total=len(kept))
                    score = humaneval.measure(
                        editor, kept, told=told, narrow=narrow, together=together,
                        done=partial(_advance, progress, bar),
                    )  # fmt: skip
                    asked = f"{name}, lists {'on' if narrow else 'off'}, buggy lines {'named' if told else 'unnamed'}"
                    rows.append(_row(name, narrow, told, score))
                    notes += [f"{asked}: {count} × {reason}" for reason, count in score.reasons.most_common()]
    for reason, names in skipped.items():
        notes.insert(0, f"skipped {len(names)} tasks because {reason}: {', '.join(names)}")
    said = "\n".join(f"- {note}" for note in notes)
    return (
        f"## HumanEvalFix, Python: {len(kept)} of {len(given)} tasks\n\n{markdown_table(HEAD, rows)}\n"
        f"One greedy answer of at most {humaneval.MOST_TOKENS} tokens; the task's own tests judge it.\n"
        + (f"\n{said}\n" if said else "")
    )


def _advance(progress: Progress, bar: TaskID, count: int) -> None:
    progress.update(bar, completed=count)


def _row(name: str, narrow: bool, told: bool, score: Score) -> Sequence[object]:
    return (
        name, "on" if narrow else "off", "named" if told else "unnamed", score.pass_at_1, score.exact_match,
        *(score.mistakes[mistake] for mistake in MISTAKES),
    )  # fmt: skip
