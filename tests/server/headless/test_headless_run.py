"""Runs over trees with scripted edits: turns, rounds, verdicts, faults, and kill -9 at any moment."""

from __future__ import annotations

import os
import signal
import sys
import threading
from dataclasses import replace
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

import pytest

from copydesk.errors import ContextLengthError
from copydesk.request import Diagnostic, EditRequest
from copydesk.text.document import apply_edits
from copydesk_server.errors import RuffError
from copydesk_server.headless.models import Rules
from copydesk_server.headless.run import Run, stopping
from copydesk_server.ruff import Ruff
from headless_trees import PLAIN, Tree, by_line, count_up, fixing, linted
from server_tools import the_ruff

# -- turns ---------------------------------------------------------------------------------------------------------


def test_nothing_is_written_unless_asked(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.put("a.py", "x = 1\n")
    tree.run(write=False)
    assert tree.texts() == {"a.py": "x = 1\n"}
    assert apply_edits("x = 1\n", tree.only().edits) == "x = 2\n"
    assert tree.only().status == "edited"


def test_a_long_file_starves_nobody(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    names = ["x" + "ab"[n % 2] * (n // 2 + 1) for n in range(100)]  # lines alike are hard on the oracle
    tree.put("a.py", "".join(f"{name} = 1\n" for name in names), *((n, n) for n in range(1, 101)))
    for name in "bcdefgh":
        tree.put(f"{name}.py", "x = 1\n")
    tree.run(lanes=3)
    told = [result.path.name for result in tree.results]
    assert told[-1] == "a.py"
    assert len(tree.editor.served) == 107
    assert max(tree.editor.served.index(str(tree.folder / f"{name}.py")) for name in "bcdefgh") < 60
    assert tree.editor.together == 3
    assert set(tree.texts().values()) == {"x = 2\n", "".join(f"{name} = 2\n" for name in names)}
    assert not tree.editor.documents


def test_files_are_opened_as_lanes_become_free(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    for n in range(40):
        tree.put(f"{n:02}.py", "x = 1\n")
    most = 0

    def watched(text: str, request: EditRequest) -> str:
        nonlocal most
        most = max(most, len(tree.editor.documents))
        return count_up(text, request)

    tree.editor.rule = watched
    tree.run(lanes=4)
    assert most <= 4
    assert len(tree.results) == 40


def test_judges_beside_the_model_change_nothing(tmp_path: Path) -> None:
    text = "import os\nimport re\na = b = 1\nx = (a == None, b == None)\n"
    first, second = "x = (a == None, b == None)\n", "x = (a is None, b == None)\n"
    rule = by_line(
        {first: second, second: "x = (a is None, b is None)\n", "import os\n": "", "import re\n": "("}
    )
    said = []
    for judges in (0, 1, 3):
        folder = tmp_path / str(judges)
        folder.mkdir()
        tree = fixing(folder, rule)
        for n in range(6):
            linted(tree, f"{n}.py", f"# {n}\n" + text)
        (tree.folder / "bad.py").write_bytes(b"x = 1\0")
        tree.asks["bad.py"] = []
        run = tree.run(lanes=2, judges=judges)
        assert (run.stopped, tree.editor.documents) == (0, {})
        said.append(
            (
                tree.texts(),
                {
                    (r.path.name, r.status, tuple((f.round, f.verdict, f.edits) for f in r.fixes))
                    for r in tree.results
                },
            )
        )
        assert len(tree.results) == 7
    assert said[0] == said[1] == said[2]


def test_progress_moves_within_a_file(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.put("a.py", "x = 1\n" * 8, *((n, n) for n in (1, 3, 5, 7)))
    tree.put("b.py", "x = 1\n")
    shares: list[float] = []
    tree.run(lanes=1, write=False, progress=shares.append)
    assert shares == [0.25, 0.5, 0.75, 1.0, 2.0]


def test_the_model_goes_on_while_a_file_is_judged(tmp_path: Path) -> None:
    tree = Tree(tmp_path, rules=Rules(the_ruff(), taken=PLAIN.taken))
    for n in range(3):
        tree.put(f"{n}.py", "x = 1\n")
    behind = threading.Event()

    def waits(*_: object, **__: object) -> list[Diagnostic]:
        assert behind.wait(60)  # nothing is judged before the last file is decoded
        return []

    def rule(text: str, request: EditRequest) -> str:
        if len(tree.editor.served) == 3:
            behind.set()
        return count_up(text, request)

    tree.editor.rule = rule
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Ruff, "check", waits)
        tree.run(lanes=1, judges=2)
    assert [result.status for result in tree.results] == ["edited"] * 3


def test_a_file_with_nothing_left_to_give_has_no_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its next requests are found in another thread, one by one: whoever took one meanwhile would take it from its round."""
    following = Run._next

    def following_one(run: Run) -> Any:
        given = following(run)
        assert all(task.ready for task in run._turns)
        return given

    monkeypatch.setattr(Run, "_next", following_one)
    tree = Tree(tmp_path)
    for name in ("a.py", "b.py"):
        tree.put(name, "".join(f"{n}\n" for n in range(12)), *[(n, n) for n in range(1, 13, 2)])
    tree.run(lanes=2, judges=2)
    up = "".join(f"{n + 1 - n % 2}\n" for n in range(12))
    assert tree.texts() == {"a.py": up, "b.py": up}


def test_what_is_judged_behind_a_cancel_is_not_done(tmp_path: Path) -> None:
    tree = Tree(tmp_path, rules=Rules(the_ruff(), taken=PLAIN.taken))
    for n in range(3):
        tree.put(f"{n}.py", "x = 1\n")
    cancel = threading.Event()

    def dies(*_: object, **__: object) -> list[Diagnostic]:
        cancel.set()  # as a Ctrl-C does that the linter gets, too
        raise RuffError("ruff failed (-2)")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Ruff, "check", dies)
        run = tree.run(lanes=1, cancel=cancel, judges=2)
    assert (tree.results, tree.editor.documents) == ([], {})
    assert 1 <= run.stopped <= 3
    assert tree.run(resume=True, judges=2).resumed == 0
    assert set(tree.texts().values()) == {"x = 2\n"}


def test_an_error_in_a_judge_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = Tree(tmp_path, rules=Rules(the_ruff(), taken=PLAIN.taken))
    tree.put("a.py", "x = 1\n")

    def fails(*_: object, **__: object) -> list[Diagnostic]:
        raise AssertionError("a mistake of ours")

    monkeypatch.setattr(Ruff, "check", fails)
    with pytest.raises(AssertionError, match="of ours"):
        tree.run(judges=2)
    assert (tree.texts(), tree.editor.documents) == ({"a.py": "x = 1\n"}, {})


# -- faults --------------------------------------------------------------------------------------------------------


def test_a_bad_file_is_said_and_the_rest_goes_on(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.put("b.py", "x = 1\n")
    (tree.folder / "a.py").write_bytes(b"x = 1\0")
    with open(tree.folder / "c.py", "wb") as file:
        file.truncate(100 << 20)
    tree.asks |= {"a.py": [], "absent.py": [], "c.py": []}
    tree.put("d.py", "x = 1\n")
    tree.run()
    assert [(r.path.name, r.status) for r in tree.results if r.status != "edited"] == [
        ("a.py", "failed"),
        ("absent.py", "failed"),
        ("c.py", "failed"),
    ]
    assert all(r.error for r in tree.results if r.status == "failed")
    assert [(tree.folder / f"{name}.py").read_text() for name in "bd"] == ["x = 2\n"] * 2


@pytest.mark.parametrize("judges", [0, 2])
def test_a_file_that_its_fixes_make_too_large_fails_alone(judges: int, tmp_path: Path) -> None:
    tree = Tree(tmp_path, lambda text, _: text.replace("x = 1\n", "x = '" + "y" * 3000 + "'\n"))
    tree.editor.limits = replace(tree.editor.limits, document_bytes=2000)
    tree.put("a.py", "z = 1\n")
    tree.put("b.py", "x = 1\n")
    tree.put("c.py", "z = 1\n")
    tree.run(judges=judges)
    failed = next(result for result in tree.results if result.path.name == "b.py")
    assert (failed.status, failed.edits) == ("failed", [])
    assert "the document has" in (failed.error or "")
    assert not any(fix.applied for fix in failed.fixes)
    assert len(tree.results) == 3
    assert tree.texts() == {"a.py": "z = 1\n", "b.py": "x = 1\n", "c.py": "z = 1\n"}
    assert not tree.editor.documents


def test_a_request_that_fails_is_that_one_only(tmp_path: Path) -> None:
    def rule(text: str, request: EditRequest) -> str:
        if request.scope == ((1, 1),):
            raise ContextLengthError("line 1 alone has too many characters")
        return count_up(text, request)

    tree = Tree(tmp_path, rule)
    tree.put("a.py", "x = 1\ny = 1\n", (1, 1), (2, 2))
    tree.run()
    assert tree.texts()["a.py"] == "x = 1\ny = 2\n"
    assert tree.only().fixes[0].judgement is not None
    assert "too many" in (tree.only().fixes[0].judgement.reason or "")  # type: ignore[union-attr]


@pytest.mark.parametrize("fault", ["changed", "gone", "disk"])
def test_faults_while_writing(tmp_path: Path, fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = Tree(tmp_path)
    for name in ("a.py", "b.py", "c.py"):
        tree.put(name, "x = 1\n")

    def rule(text: str, request: EditRequest) -> str:
        path = tree.folder / "b.py"
        if len(tree.editor.served) == 2:
            if fault == "changed":
                path.write_text("x = 7\n")
            elif fault == "gone":
                path.unlink()
        return count_up(text, request)

    tree.editor.rule = rule
    if fault == "disk":
        fsync = os.fsync

        def full(handle: int) -> None:
            if len(tree.editor.served) == 2 and os.readlink(f"/proc/self/fd/{handle}").endswith(".tmp"):
                raise OSError(28, os.strerror(28))
            fsync(handle)

        monkeypatch.setattr("copydesk_server.headless.atomic_replace.os.fsync", full)
    tree.run()
    bad = next(result for result in tree.results if result.path.name == "b.py")
    assert bad.error
    assert not bad.edits
    expected = {
        "a.py": "x = 2\n",
        "b.py": {"changed": "x = 7\n", "disk": "x = 1\n"}.get(fault),
        "c.py": "x = 2\n",
    }
    assert tree.texts() == {name: text for name, text in expected.items() if text is not None}


def test_an_encoding_that_cannot_hold_the_result(tmp_path: Path) -> None:
    tree = Tree(tmp_path, lambda text, _request: text.replace("1", "'\u20ac'"))
    tree.put("a.py", "# coding: latin-1\nx = 1\n")
    tree.run(write=False)
    assert (tree.only().status, tree.only().edits) == ("refused", ())


def test_cancel_stops_and_resume_goes_on(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    for n in range(8):
        tree.put(f"{n}.py", "x = 1\n")
    cancel = threading.Event()

    def rule(text: str, request: EditRequest) -> str:
        if len(tree.editor.served) == 3:
            cancel.set()
        return count_up(text, request)

    tree.editor.rule = rule
    run = tree.run(cancel=cancel)
    assert run.stopped
    assert not tree.editor.documents
    done = list(tree.texts().values()).count("x = 2\n")
    assert 1 <= done < 8
    assert len(tree.results) == done
    tree.editor.rule = count_up
    run = tree.run(resume=True)
    assert run.resumed == done
    assert set(tree.texts().values()) == {"x = 2\n"}


def test_ctrl_c_sets_the_flag_first(tmp_path: Path) -> None:
    cancel = threading.Event()
    before = signal.getsignal(signal.SIGINT)
    with stopping(cancel):
        signal.raise_signal(signal.SIGINT)
        assert cancel.is_set()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


# -- kill -9 -------------------------------------------------------------------------------------------------------


class Fuse:
    """A trace function that counts lines of the headless package and kills the process at one of them."""

    def __init__(self, at: int | None) -> None:
        self.at = at
        self.lines = 0

    def __call__(self, frame: FrameType, event: str, _arg: object) -> Any:
        if event == "call":
            return self if "headless" in frame.f_code.co_filename else None
        if event == "line":
            self.lines += 1
            if self.lines == self.at:
                os.kill(os.getpid(), signal.SIGKILL)
        return self


def killed(tree: Tree, at: int, *, resume: bool) -> bool:
    """Run in a process of its own that is killed at its `at`-th line; False where it came to its end first."""
    child = os.fork()
    if not child:
        try:
            sys.settrace(Fuse(at))
            tree.run(resume=resume)
            os._exit(0)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)


@pytest.mark.slow
def test_kill_9_at_fifty_moments(tmp_path: Path) -> None:
    names = [f"{n}.py" for n in range(5)]
    old, new = "".join(f"x{k} = 1\n" for k in "abc"), "".join(f"x{k} = 2\n" for k in "abc")

    def fresh(folder: Path) -> Tree:
        folder.mkdir()
        tree = Tree(folder)
        for name in names:
            tree.put(name, old, (1, 1), (2, 3))
        return tree

    whole = fresh(tmp_path / "whole")
    fuse = Fuse(None)
    sys.settrace(fuse)
    try:
        whole.run()
    finally:
        sys.settrace(None)
    assert set(whole.texts().values()) == {new}
    random = Random(0)
    outcomes = set()
    for k in range(50):
        tree = fresh(tmp_path / str(k))
        assert killed(tree, random.randrange(1, fuse.lines), resume=False)
        texts = tree.texts()
        assert {texts[name] for name in names} <= {old, new}
        outcomes.add(sum(text == new for text in texts.values()))
        # Killed once more on its way to the end, now and then.
        journal = list(tree.state.glob("*.jsonl"))
        if journal and random.random() < 0.5:
            killed(tree, random.randrange(1, fuse.lines), resume=True)
            assert {tree.texts()[name] for name in names} <= {old, new}
        left = bool(list(tree.state.glob("*.jsonl")))
        # Without a journal the run was over, or had not begun.
        assert left or len(set(tree.texts().values())) == 1
        if left or old in tree.texts().values():
            tree.run(resume=left)
        assert tree.texts() == dict.fromkeys(names, new), f"run {k}"
        assert not list(tree.state.iterdir())
    assert len(outcomes) >= 5
