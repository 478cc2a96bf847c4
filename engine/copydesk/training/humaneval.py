"""HumanEvalFix in Python (HumanEvalPack, OctoPack, arXiv 2308.07124): unlocated bugs, repaired and run.

Evaluation only: nothing of it is ever trained on. The data is named by the caller and not part of the package. Candidates
run in a subprocess with limits on time, memory and files; that is a guard against accidents, not a sandbox.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from copydesk.document import split_lines
from copydesk.request import EditRequest
from copydesk.training.example import Example

SECONDS = 10
MEGABYTES = 1024

_GUARD = (
    "import resource as _r\n"
    f"_r.setrlimit(_r.RLIMIT_AS, ({MEGABYTES} << 20, {MEGABYTES} << 20))\n"
    f"_r.setrlimit(_r.RLIMIT_CPU, ({SECONDS}, {SECONDS}))\n"
    "_r.setrlimit(_r.RLIMIT_FSIZE, (0, 0))\n"
)


@dataclass(frozen=True, slots=True)
class Task:
    """One task: the example to decode and the test that judges the result."""

    name: str
    example: Example
    test: str
    entry_point: str


def tasks(path: Path) -> Iterator[Task]:
    """Tasks of `humanevalpack_python.jsonl`. Raises OSError, KeyError for a file that is none."""
    with path.open(encoding="utf-8") as rows:
        for row in map(json.loads, rows):
            head = row["declaration"]
            before, after = head + row["buggy_solution"], head + row["canonical_solution"]
            first = head.count("\n")  # the signature's own line is the declaration's last
            scope = [(first + 1, len(split_lines(before)))]
            request = EditRequest(scope=scope, instruction=f"Fix the bug in `{row['entry_point']}`.")
            example = Example(before, after, request, "humanevalfix", located=False)
            yield Task(row["task_id"], example, row["test"], row["entry_point"])


def passes(task: Task, text: str) -> bool:
    """Whether `text` passes the task's tests, in a process of its own."""
    program = f"{_GUARD}{text}\n{task.test}\n"
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(
                [sys.executable, "-I", "-B", "-c", program],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return False
    return done.returncode == 0
