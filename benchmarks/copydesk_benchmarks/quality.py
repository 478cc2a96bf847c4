"""How often the model's edits are right: on held-out examples, and on HumanEvalFix in Python, where tests say so.

Greedy, through the engine, as a person would ask. Knows verdicts; how an edit is verified comes from outside.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from copydesk.editor import Editor
from copydesk_benchmarks.report import Table, Value
from copydesk_training.evaluation import humaneval
from copydesk_training.evaluation.table import table
from copydesk_training.evaluation.verdict import Verdict
from copydesk_training.statistics import Share


def held_out_table(title: str, verdicts: Sequence[Verdict], note: str) -> Table:
    """Shares by kind and family."""
    rows: list[tuple[Value, ...]] = [
        (row.kind, str(row.exact), str(row.spans), str(row.applied), str(row.verified))
        for row in table(verdicts)
    ]
    outside = sum(verdict.outside for verdict in verdicts)
    times = sorted(verdict.ms for verdict in verdicts)
    middle = times[len(times) // 2] if times else 0.0
    return Table(
        title,
        ("kind", "exact match", "spans right", "applied", "verified"),
        tuple(rows),
        (
            note,
            f"{len(verdicts)} examples; edits outside their scope: {outside}; median {middle:.0f} ms a request on warm pages,"
            " several at once. 95% intervals of Wilson.",
        ),
    )


def human_eval_fix(
    editor: Editor, path: Path, count: int | None, told: Callable[[str], None] = lambda _: None
) -> Table:
    """Exact match and pass@1 on the first `count` tasks, each tested in a subprocess with limits."""
    given = list(humaneval.tasks(path))[:count]
    score = humaneval.measure(
        editor, given, told=False, done=lambda done: told(f"HumanEvalFix: {done} of {len(given)}")
    )
    return Table(
        "HumanEvalFix, Python",
        ("tasks", "edited", "exact match", "pass@1"),
        (
            (
                score.total,
                str(Share(score.statuses["edited"], score.total)),
                str(score.exact_match),
                str(score.pass_at_1),
            ),
        ),
        (
            "The bug is in the function's body and nothing says where; the model was never trained on these tasks. One greedy"
            f" answer of at most {humaneval.MOST_TOKENS} tokens; the task's own tests judge it.",
        ),
    )
