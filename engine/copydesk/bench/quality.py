"""How often the model's edits are right: on held-out examples, and on HumanEvalFix in Python, where tests say so.

Greedy, through the engine, as a person would ask. Knows verdicts; how an edit is verified comes from outside.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from copydesk.bench.report import Table, Value
from copydesk.editor import Editor
from copydesk.training import humaneval
from copydesk.training.evaluate import Verdict, table
from copydesk.training.statistics import Share

MOST_TOKENS = 512


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
            f"{len(verdicts)} examples; edits outside their scope: {outside}; median {middle:.0f} ms a request, cold, several at"
            " once. 95% intervals of Wilson.",
        ),
    )


def human_eval_fix(
    editor: Editor, path: Path, count: int | None, told: Callable[[str], None] = lambda _: None
) -> Table:
    """Exact match and pass@1 on the first `count` tasks; tests run in a subprocess with limits on time, memory and files."""
    tasks = list(humaneval.tasks(path))[:count]
    exact = passed = edited = 0
    for number, task in enumerate(tasks, 1):
        document = editor.open("solution.py", task.example.before)
        result = document.edit(replace(task.example.request, max_tokens=MOST_TOKENS))
        document.close()
        edited += result.status == "edited"
        exact += result.text == task.example.after
        # The text as it was fails its tests: that is what the task is about.
        passed += result.text != task.example.before and humaneval.passes(task, result.text)
        if number % 40 == 0:
            told(f"HumanEvalFix: {number} of {len(tasks)}")
    total = len(tasks)
    return Table(
        "HumanEvalFix, Python",
        ("tasks", "edited", "exact match", "pass@1"),
        ((total, str(Share(edited, total)), str(Share(exact, total)), str(Share(passed, total))),),
        (
            "The bug is in the function's body and nothing says where; the model was never trained on these tasks. One greedy"
            f" answer of at most {MOST_TOKENS} tokens; the task's own tests judge it.",
        ),
    )
