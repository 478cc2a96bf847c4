"""Real edits from a small repository and from two releases."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

import pytest

from copydesk.errors import TrainingError
from copydesk.oracle import oracle_program
from copydesk.text.document import split_lines
from copydesk_training import pairs, sources
from copydesk_training.corpus import build
from copydesk_training.histories import mining
from copydesk_training.licences import Decision
from copydesk_training.sources import Package

BASE = "\n".join(
    f'''def f{k}(values, factor={k}):
    """Scale the values by a factor."""
    result = []
    for value in values:
        result.append(value * factor)
    return result


'''
    for k in range(8)
)
ONE = "factor=1):\n    if factor == 1:\n        return values\n"
LICENCE = "Permission is hereby granted, free of charge, to any person obtaining a copy"


def git(folder: Path, *arguments: str) -> None:
    name = ["-c", "user.name=A", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", str(folder), *name, *arguments], check=True, capture_output=True)


def commit(folder: Path, text: str, message: str, path: str = "mod.py") -> None:
    (folder / path).write_bytes(text.encode())
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", message)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "LICENSE").write_text(LICENCE)
    text = BASE
    commit(folder, text, "Initial commit of everything")
    for message, old, new in (
        ("fix: Return early for a factor of one (#12)", "factor=1):\n", ONE),
        ("Bump version to the next one", "factor=2", "factor=22"),
        ("Say what it does in a comment", "result = []", "result = []  # none yet"),
        ("Use a generator in the fourth", "value * factor", "factor * value"),
        ("Return early for a factor of one, too", "factor=3):\n", "factor=3):\n    if factor == 3:\n        return values\n"),
    ):  # fmt: skip
        text = text.replace(old, new, 1) if "generator" not in message else text.replace(old, new)
        commit(folder, text, message)
    return folder


def mined(repository: Path) -> list[pairs.Pair]:
    return mining.mine(sources.repository(repository), repository, mining.Known())[0]


def check(pair: pairs.Pair) -> None:
    example = pair.example
    program = oracle_program(example.before, example.after, scope=example.request.scope)
    assert program.resolve(example.before) == example.after
    start, end = pair.scope
    assert 1 <= start <= end + 1 <= len(split_lines(pair.before)) + 1


def test_commits_with_one_small_change_of_code(repository: Path) -> None:
    found = mined(repository)
    told = [pair.instruction for pair in found]
    assert told == ["Return early for a factor of one, too", "Return early for a factor of one"]
    assert {pair.kind for pair in found} == {"history"}
    for pair in found:
        check(pair)
    assert found[1].before.replace("factor=1):\n", ONE) == found[1].after


def wheel(folder: Path, version: str, text: str) -> Package:
    path = folder / f"thing-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as out:
        out.writestr(
            f"thing-{version}.dist-info/METADATA", f"Name: thing\nVersion: {version}\nLicense: MIT\n"
        )
        out.writestr("thing/mod.py", text)
        out.writestr("thing/data.txt", version)
    return sources.archive(path)


def releases(folder: Path) -> tuple[Package, Package]:
    new = BASE.replace("factor=1", "factor=10").replace("factor=5", "scale=5", 1)
    return wheel(folder, "1.0", BASE), wheel(folder, "1.1", new)


def test_releases(tmp_path: Path) -> None:
    found = list(pairs.of_releases(*releases(tmp_path)))
    assert [(pair.kind, pair.version, pair.instruction) for pair in found] == [("release", "1.1", None)] * 2
    for pair in found:
        check(pair)
        assert len(pair.before.split("\n")) == len(BASE.split("\n"))


def test_licences_are_asked_for(repository: Path) -> None:
    package = sources.repository(repository)
    (repository / "LICENSE").write_text("All rights reserved")
    with pytest.raises(TrainingError, match="licence"):
        mined(repository)
    with pytest.raises(TrainingError, match="cannot be read"):
        mining.mine(package, repository / "absent", mining.Known())


def test_beside_a_corpus_each_pair_is_in_one_shard(tmp_path: Path) -> None:
    own = Package("own", "1", "folder", Decision(True, "MIT", "test"), lambda: iter(
        [(f"m{k}.py", (BASE + f"x{k} = {k}\n" * 3).replace("value", f"v{k}").encode()) for k in range(5)]
    ))  # fmt: skip
    corpus = build([own], tmp_path / "corpus", held_out=frozenset())
    entries = corpus.of("train")
    assert list(pairs.examples_for(corpus, entries)) == []
    assert pairs.digest(corpus.folder) == ""
    found = list(pairs.of_releases(*releases(tmp_path)))
    assert pairs.write(corpus.folder, [*found, *found]) == len(found)
    assert pairs.read(corpus.folder) == found
    header = "def f4(values, factor=4):"
    assert pairs.write(corpus.folder, found, evaluation=frozenset({header})) == 0
    pairs.write(corpus.folder, found)
    assert pairs.digest(corpus.folder)
    pairs._placed.cache_clear()
    whole = list(pairs.examples_for(corpus, entries))
    split = [e for entry in entries for e in pairs.examples_for(corpus, [entry])]
    assert len(whole) == len(split) == len(found)
    assert {e.after for e in whole} == {pair.after for pair in found}
