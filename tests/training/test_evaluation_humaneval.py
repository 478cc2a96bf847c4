"""HumanEvalFix: tasks, what can be judged, candidates in a process with limits, and a model's score."""

from __future__ import annotations

import json
from pathlib import Path
from uuid import uuid4

import psutil
import pytest

from copydesk.editor import Editor
from copydesk.errors import TrainingError
from copydesk.oracle import oracle_program
from copydesk.results import EditResult
from copydesk_server.cli import main
from copydesk_training.evaluation.execution import runs
from copydesk_training.evaluation.humaneval import Score, Task, measure, passes, tasks, usable

DECLARATION = 'from typing import List\n\n\ndef total(values: List[int]) -> int:\n    """The sum."""\n'
RIGHT = "    found = 0\n    for value in values:\n        found += value\n    return found\n"
WRONG = RIGHT.replace("+=", "-=")
TEST = "def check(total):\n    assert total([1, 2]) == 3\n    assert total([]) == 0\n\ncheck(total)\n"


def rows(path: Path, *changes: dict[str, str]) -> Path:
    """A file of tasks, each the one above with other fields."""
    row = {
        "task_id": "Python/0", "declaration": DECLARATION, "buggy_solution": WRONG, "canonical_solution": RIGHT,
        "test": TEST, "entry_point": "total",
    }  # fmt: skip
    path.write_text("".join(json.dumps({**row, **change}) + "\n" for change in changes), encoding="utf-8")
    return path


@pytest.fixture
def task(tmp_path: Path) -> Task:
    return next(tasks(rows(tmp_path / "tasks.jsonl", {})))


def test_requests(task: Task) -> None:
    assert task.example.request.scope == ((6, 9),)
    assert task.told.scope == ((8, 8),)
    assert task.told.instruction == task.example.request.instruction == "Fix the bug in `total`."


def test_a_missing_line_is_told_as_a_place(tmp_path: Path) -> None:
    found = next(tasks(rows(tmp_path / "t.jsonl", {"buggy_solution": RIGHT.replace("    found = 0\n", "")})))
    assert found.told.scope == ((6, 5),)


def test_tasks_that_cannot_judge_are_skipped_by_name(tmp_path: Path) -> None:
    path = rows(
        tmp_path / "tasks.jsonl",
        {},
        {"task_id": "Python/1", "test": "import surely_not_installed\n"},
        {"task_id": "Python/2", "test": "pass\n"},
    )
    kept, skipped = usable(tasks(path))
    assert [found.name for found in kept] == ["Python/0"]
    assert skipped == {
        "the reference solution fails its tests here": ["Python/1"],
        "the buggy version passes its tests": ["Python/2"],
    }


def test_another_file_is_no_file_of_tasks(tmp_path: Path) -> None:
    path = tmp_path / "other.jsonl"
    path.write_text('{"prompt": "x"}\n', encoding="utf-8")
    with pytest.raises(TrainingError, match=r"other\.jsonl:1 is not a task"):
        next(tasks(path))


@pytest.mark.parametrize(
    ("program", "wanted"),
    [
        ("pass", True),
        ("assert False", False),
        ("raise SystemExit(0)", False),
        ("import os\nos._exit(0)", False),
        ("x = bytearray(2 << 30)", False),
        ("with open('x', 'w') as f:\n    f.write('y')\n    f.flush()", False),
        ("import os\nassert not os.environ.get('HOME') and not os.listdir()", True),
        ("import numpy", False),
        ("def f(:", False),
    ],
)
def test_programs_run_within_limits(program: str, wanted: bool) -> None:
    assert runs(program) is wanted


def test_an_endless_program_is_ended() -> None:
    assert not runs("while True: pass", seconds=0.3)


def test_what_a_candidate_starts_ends_with_it() -> None:
    mark = f"started-by-{uuid4()}"
    child = f"[sys.executable, '-S', '-c', 'import signal; signal.pause()', {mark!r}]"
    assert runs(f"import subprocess, sys\nsubprocess.Popen({child})")
    left = [process for process in psutil.process_iter() if mark in _command(process)]
    _, alive = psutil.wait_procs(left, timeout=10)
    assert not alive


def _command(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def test_a_score_counts_every_way_an_answer_can_end(task: Task) -> None:
    before, after = task.example.before, task.example.after
    score = Score()

    def answer(text: str) -> EditResult:
        return EditResult("edited", before, program=oracle_program(before, text))

    score.add(task, answer(after))
    score.add(task, answer(after.replace("found += value", "found = found + value")))
    score.add(task, answer(before.replace("return found", "return -found")))
    score.add(task, answer(before.replace("found = 0", "found = 1")))
    score.add(task, EditResult("unchanged", before))
    score.add(task, EditResult("refused", before, reason="the result does not parse"))
    assert (score.total, score.exact, score.passed) == (6, 1, 3)
    assert score.mistakes == {"wrong wording": 1, "wrong place": 2, "unchanged": 1, "refused": 1}
    assert score.reasons == {"the result does not parse": 1}


@pytest.mark.parametrize("told", [False, True])
def test_the_embedded_model_answers(task: Task, told: bool) -> None:
    with Editor.load("mini", device="cpu", warm=False) as editor:
        score = measure(editor, [task, task], told=told)
        assert not editor.documents
    assert score.total == sum(score.statuses.values()) == 2
    assert score.exact <= score.passed
    assert score.exact + sum(score.mistakes.values()) == 2


def test_a_request_that_fits_no_page_is_counted_with_its_reason(tmp_path: Path) -> None:
    long = "".join(f"    found = {k}\n" for k in range(300))
    path = rows(tmp_path / "long.jsonl", {"buggy_solution": long + WRONG, "canonical_solution": long + RIGHT})
    with Editor.load("mini", device="cpu", warm=False) as editor:
        score = measure(editor, tasks(path), told=False)
    assert score.mistakes == {"refused": 1}
    assert sum(score.reasons.values()) == 1


def test_passing(task: Task) -> None:
    assert passes(task, task.example.after)
    assert not passes(task, task.example.before)


def test_the_command_prints_one_row_a_way_of_asking(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = rows(tmp_path / "tasks.jsonl", {}, {"task_id": "Python/1", "test": "pass\n"})
    assert main(["eval", "--humaneval", str(path), "--narrow", "both", "--quiet"]) == 0
    said = capsys.readouterr().out
    assert "HumanEvalFix, Python: 1 of 2 tasks" in said
    asked = [
        [cell.strip() for cell in line.split("|")[1:4]] for line in said.split("\n") if "| embedded" in line
    ]
    assert asked == [["embedded", lists, told] for lists in ("on", "off") for told in ("unnamed", "named")]
    assert "- skipped 1 tasks because the buggy version passes its tests: Python/1" in said
