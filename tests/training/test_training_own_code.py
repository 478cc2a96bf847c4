"""Training on one's own repository: the newest edits are kept apart, and nothing that came after them is read."""

from __future__ import annotations

from pathlib import Path

import pytest

import git_repositories
from copydesk.editor import Editor
from copydesk.errors import TrainingError
from copydesk.models.installed import STANDARD, adapter_of
from copydesk_server.arguments.parser import build_parser
from copydesk_server.commands import train_own
from copydesk_training import own_code as module
from copydesk_training.histories.mining import Known
from copydesk_training.own_code import Measured, measure, own_code, paired
from copydesk_training.pairs import Finding, Pair
from copydesk_training.statistics import Paired

NOUNS = [
    "ticket",
    "planet",
    "kernel",
    "window",
    "pepper",
    "socket",
    "bridge",
    "candle",
    "harbor",
    "meadow",
    "violin",
    "saddle",
]
WORDS = {"limit": 40, "width": 72, "retries": 3, "timeout": 30, "depth": 9, "chunk": 512}


def function(noun: str, word: str, value: int) -> str:
    return (
        f"def read_{noun}(path, {word}={value}):\n"
        f'    """Read the {noun} of a file."""\n'
        f"    {noun}s = []\n"
        f"    with open(path) as file:\n"
        f"        for line in file:\n"
        f"            if len({noun}s) < {word}:\n"
        f"                {noun}s.append(line.strip())\n"
        f"    return {noun}s\n"
    )


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Without a licence. Its commits change the default of one function after the other."""
    words = [*WORDS, *WORDS]
    values = [WORDS[word] for word in words]

    def text() -> str:
        return "\n\n".join(function(*told) for told in zip(NOUNS, words, values, strict=True))

    folder = git_repositories.repository(tmp_path_factory.mktemp("own") / "mine", readers=text())
    for k, noun in enumerate(NOUNS):
        values[k] += 100 + k
        (folder / "readers.py").write_text(text())
        message = f"Default {words[k]} of read_{noun} to {values[k]}"
        git_repositories.git(folder, "commit", "-q", "-a", "-m", message)
    return folder


def test_the_newest_edits_are_kept_apart(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    everything = own_code(repository, Known())
    assert everything.later == []  # too few to say anything
    assert len(everything.earlier) >= 8
    monkeypatch.setattr(module, "FEWEST", 1)
    monkeypatch.setattr(module, "LATER", 0.3)
    found = own_code(repository, Known())
    assert [*found.later, *found.earlier] == everything.earlier
    assert len(found.later) == int(0.3 * len(everything.earlier))
    assert found.files.licence.evidence == "given as one's own"
    (text,) = [data.decode() for path, data in found.files.files() if path == "readers.py"]
    (now,) = [data.decode() for path, data in everything.files.files() if path == "readers.py"]
    for edit in found.earlier:
        assert changed(edit) in text
    for edit in found.later:
        assert changed(edit) in now
        assert changed(edit) not in text


def changed(edit: Pair) -> str:
    (line,) = set(edit.after.splitlines()) - set(edit.before.splitlines())
    return line


def test_of_a_large_repository_the_files_changed_last_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = git_repositories.repository(tmp_path, old="a = 1\n" * 3, new="b = 1\n" * 3, third="c = 1\n")
    for name in ("old", "third", "new"):
        (folder / f"{name}.py").write_text(f"{name} = 2\n" * 3)
        git_repositories.git(folder, "commit", "-q", "-a", "-m", f"Change {name}")
    (folder / "venv").mkdir()
    (folder / "venv" / "library.py").write_text("d = 1\n")  # nobody's commit
    monkeypatch.setattr(module, "MOST_LINES", 7)
    assert [name for name, _ in own_code(folder, Known()).files.files()] == ["new.py", "third.py"]


def test_what_is_measured_on_is_nobodys_own_code(repository: Path, tmp_path: Path) -> None:
    git_repositories.git(tmp_path, "clone", "-q", str(repository), "furl")
    with pytest.raises(TrainingError, match="measured on"):
        own_code(tmp_path / "furl", Known())


def test_a_folder_has_files_alone(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    found = train_own.read(tmp_path, frozenset())
    assert [path for path, _ in found.files.files()] == ["a.py"]
    assert found.files.licence.accepted
    assert found.earlier == found.later == []


def test_models_are_measured_by_the_edits_themselves() -> None:
    """One whose edit the engine's list of names finds, and one that no model can know."""
    before = (
        "def count(items):\n    total = 0\n    for item in items:\n        total += item\n    return totl\n"
    )
    finding = Finding((4, 11), (4, 15), "Undefined name `totl`", "F821", "Ruff")
    told = Pair(
        before, before.replace("totl", "total"), (5, 5), None, "history_diagnostic", "p", "1", "a.py", finding
    )
    right = before.replace("totl", "total")
    unknown = Pair(right, right.replace("total", "zebra"), (1, 5), "do it", "history", "p", "1", "a.py")
    with Editor.load("mini", device="cpu", warm=False) as embedded:
        steps: list[int] = []
        found = measure({"one": embedded, "other": embedded}, [told, unknown], steps.append)
    assert steps == [1] * 4
    assert found["one"] == found["other"]
    assert found["one"].exact == [True, False]
    assert found["one"].shown[0]
    idle = Measured([False, False], [False, True])
    assert idle.wrong == 1
    assert paired(idle, found["one"]) == Paired(both=0, first=0, second=1, neither=1)


def test_an_edit_elsewhere_than_the_engine_looks_is_not_exact() -> None:
    """The commit gave the other name to where it is bound."""
    before = "def count(items):\n    total = len(items)\n\n    for item in items:\n        print(item)\n    return totl\n"
    finding = Finding((5, 11), (5, 15), "Undefined name `totl`", "F821", "Ruff")
    after = before.replace("total", "totl")
    elsewhere = Pair(before, after, (2, 2), None, "history_diagnostic", "p", "1", "a.py", finding)
    with Editor.load("mini", device="cpu", warm=False) as embedded:
        assert measure({"one": embedded}, [elsewhere])["one"].exact == [False]


def test_what_nobody_said_is_filled_in() -> None:
    args = build_parser().parse_args(["train", "--own", "here"])
    train_own.fill_in(args)
    assert (args.model, args.before, args.init, args.rate, args.choices) == (
        "standard-base", "standard", str(adapter_of(STANDARD)), train_own.RATE, True,
    )  # fmt: skip
    other = build_parser().parse_args(["train", "--own", "here", "--model", "some/base", "--rate", "1e-4"])
    train_own.fill_in(other)
    assert (other.model, other.before, other.init, other.rate, other.choices) == (
        "some/base", None, None, 1e-4, False,
    )  # fmt: skip
