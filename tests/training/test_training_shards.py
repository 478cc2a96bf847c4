"""Shards: read back as written, the same for any number of workers, taken up where they were left, clear when they cannot be."""

from __future__ import annotations

import errno
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from copydesk.errors import TrainingError
from copydesk.prompting.edit_format import EditFormat
from copydesk_training import corpus
from copydesk_training.corpus import Corpus
from copydesk_training.defects import KINDS
from copydesk_training.defects.asks import Split, Wording, wordings
from copydesk_training.examples import LONGEST, LONGEST_GROUP, MOST_BRANCHES, Rendered, Renderer, Role
from copydesk_training.records import read_held_out
from copydesk_training.shard_file import Shard, write_shard
from copydesk_training.shards import Settings, ShardRecord, make_shards
from training_corpora import codec, module, package

FORMAT = EditFormat(after_copy="program")
SETTINGS = Settings(seed=3, shard_lines=300, per_kind=3, density=0.5, pages=((8, 0.5), (20, 0.5)))


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A work folder with a corpus of ten files and a tokenizer."""
    folder = tmp_path_factory.mktemp("work")
    packages = [package(name, {f"{name}/{k}.py": module(f"{name}{k}") for k in range(2)}) for name in "abcd"]
    packages.append(package("held", {f"held/{k}.py": module(f"held{k}") for k in range(2)}))
    corpus.build(packages, folder / "corpus", held_out=frozenset({"held"}))
    codec().vocabulary.tokenizer.save(str(folder / "tokenizer.json"))  # type: ignore[attr-defined]
    return folder


def make(
    work: Path, out: Path, settings: Settings = SETTINGS, workers: int = 1
) -> tuple[list[ShardRecord], list[str]]:
    """The records, and the names of the shards made now."""
    made: list[str] = []
    records = make_shards(
        Corpus(work / "corpus"), work / "tokenizer.json", FORMAT, out, settings,
        workers=workers, report=lambda record, *_: made.append(record.name),
    )  # fmt: skip
    return records, made


@pytest.fixture(scope="module")
def shards(work: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("shards")
    make(work, out)
    return out


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "manifest.json"}


def test_a_shard_reads_back(shards: Path) -> None:
    paths = sorted(shards.glob("train-*.bin"))
    assert len(paths) >= 2
    for path in paths:
        shard = Shard(path)
        assert len(shard) > 5
        for k in range(len(shard)):
            tokens, roles, branches, parents = shard[k]
            assert len(tokens) == len(roles) <= LONGEST
            assert 1 <= len(branches) <= MOST_BRANCHES
            assert parents.tolist() == [0] * len(branches)
            assert len(tokens) <= LONGEST_GROUP or len(branches) == 1
            assert not set(roles[: branches[0]].tolist()) - {Role.CONTEXT, Role.DOCUMENT}
            members = range(int(shard.first[k]), int(shard.first[k + 1]))
            for start, stop, at in zip(branches, [*branches[1:], len(tokens)], members, strict=True):
                begin = int(shard.program[at])
                assert tokens[start] == [*codec().literals.document_close, *codec().literals.request_open][0]
                assert tokens[begin - 1] == codec().literals.program_open[0]
                assert tokens[stop - 1] == codec().literals.end[0]
                assert set(roles[start:begin].tolist()) == {Role.CONTEXT}
                kind = shard.kind_names[int(shard.kinds[at])]
                assert Role.PROGRAM in roles[begin:stop] or kind == "end_of_file"
                assert KINDS[kind].id == shard.kinds[at]
        assert len(shard.branches) > len(shard)
        assert set(shard.pages.tolist()) <= {8, 20}


def test_records_say_what_is_there(work: Path, tmp_path: Path) -> None:
    records, made = make(work, tmp_path)
    assert made == [record.name for record in records]
    for record in records[1:]:
        shard = Shard(tmp_path / f"{record.name}.bin")
        assert (record.groups, record.examples) == (len(shard), len(shard.branches))
        assert record.tokens == len(shard.tokens)
        assert sum(record.kinds.values()) == sum(record.pages.values()) == record.examples
    assert sum(record.files for record in records[1:]) == 8


def test_held_out_examples_are_kept_as_text_too(shards: Path) -> None:
    rows = list(read_held_out(shards))
    assert {row.package for row in rows} == {"held"}
    for length in SETTINGS.heldout_pages:
        shard = Shard(shards / f"heldout-p{length}-00000.bin")
        renderer = Renderer(codec())
        expected = [renderer.render(row.example, length) for row in rows if length in row.pages]
        assert len(shard) == len(expected)
        for k, rendered in enumerate(expected):
            assert isinstance(rendered, Rendered)
            assert np.array_equal(shard[k].tokens, rendered.ids)
            assert shard[k].branches.tolist() == list(rendered.branches) == [rendered.branches[0]]
    counts = [sum(20 in row.pages for row in rows if row.example.kind == kind) for kind in KINDS]
    assert max(counts) <= SETTINGS.per_kind


def test_held_out_instructions_are_in_words_that_training_never_uses(
    work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: set[Split] = set()
    used: dict[str, set[Split]] = {}

    def usable(subject: str, split: Split, fields: frozenset[str]) -> list[Wording]:
        asked.add(split)
        return [wording for wording in wordings(subject, split) if wording.fields <= fields]

    def report(record: ShardRecord, *_: int) -> None:
        used[record.name] = asked.copy()
        asked.clear()

    monkeypatch.setattr("copydesk_training.defects.asks._usable", usable)
    make_shards(Corpus(work / "corpus"), work / "tokenizer.json", FORMAT, tmp_path, SETTINGS, report=report)
    assert used.pop("heldout") == {"heldout"}
    assert used
    assert all(splits == {"train"} for splits in used.values())


def test_any_number_of_workers_gives_the_same_bytes(work: Path, shards: Path, tmp_path: Path) -> None:
    make(work, tmp_path, workers=2)
    assert files(tmp_path) == files(shards)


def test_a_stopped_run_goes_on_where_it_was(work: Path, shards: Path, tmp_path: Path) -> None:
    def stop(record: ShardRecord, done: int, of: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    settings = (Corpus(work / "corpus"), work / "tokenizer.json", FORMAT, tmp_path, SETTINGS)
    with pytest.raises(KeyboardInterrupt):
        make_shards(*settings, report=stop)
    records, made = make(work, tmp_path)
    assert 0 < len(made) < len(records)
    assert files(tmp_path) == files(shards)
    next(tmp_path.glob("train-*.bin")).unlink()
    assert len(make(work, tmp_path)[1]) == 1
    assert make(work, tmp_path)[1] == []


def test_the_first_shards_alone_are_those_of_all(work: Path, shards: Path, tmp_path: Path) -> None:
    settings = (Corpus(work / "corpus"), work / "tokenizer.json", FORMAT, tmp_path, SETTINGS)
    records = make_shards(*settings, most=1)
    assert [record.name for record in records] == ["heldout", "train-00-00000"]
    assert files(tmp_path).items() < files(shards).items()
    make(work, tmp_path)
    assert files(tmp_path) == files(shards)


def test_other_settings_need_another_folder(work: Path, shards: Path) -> None:
    with pytest.raises(TrainingError, match="with other settings"):
        make(work, shards, replace(SETTINGS, seed=4))


def test_another_pass_has_other_defects(work: Path, tmp_path: Path) -> None:
    records, _ = make(work, tmp_path, replace(SETTINGS, passes=2))
    assert {record.name.split("-")[1] for record in records[1:]} == {"00", "01"}
    one, two = (
        {
            bytes(Shard(path)[k].tokens)
            for path in tmp_path.glob(f"train-{p}-*.bin")
            for k in range(len(Shard(path)))
        }
        for p in ("00", "01")
    )
    assert len(one & two) < len(one) / 2


def test_ruffs_fixes_are_shards_of_their_own(work: Path, shards: Path, tmp_path: Path) -> None:
    records = make_shards(
        Corpus(work / "corpus"), work / "tokenizer.json", FORMAT, tmp_path, SETTINGS, ruff=True
    )
    names = [record.name for record in records if record.name.startswith("train-ruff-")]
    assert names
    for name in names:
        assert set(Shard(tmp_path / f"{name}.bin").kind_names.values()) <= {"ruff_fix", "ruff_unsafe_fix"}
    assert {k: v for k, v in files(tmp_path).items() if "ruff" not in k} == files(shards)


def test_bugs_are_shards_of_their_own(work: Path, shards: Path, tmp_path: Path) -> None:
    records = make_shards(
        Corpus(work / "corpus"), work / "tokenizer.json", FORMAT, tmp_path, SETTINGS, bugs=True
    )
    found = [record for record in records if record.name.startswith("train-bugs-")]
    assert sum(record.kinds.get("function_bug", 0) for record in found) > 20
    assert {k: v for k, v in files(tmp_path).items() if "bugs" not in k} == files(shards)


def test_nothing_to_train_on(tmp_path: Path, work: Path) -> None:
    made = corpus.build([], tmp_path / "corpus", held_out=frozenset())
    with pytest.raises(TrainingError, match="no file to train on"):
        make_shards(made, work / "tokenizer.json", FORMAT, tmp_path / "out", SETTINGS)


def test_a_full_disk_is_a_clear_message_and_leaves_no_half_shard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*args: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(TrainingError, match="it continues"):
        write_shard(tmp_path / "x.bin", [], {})
    assert list(tmp_path.iterdir()) == []


def test_damaged_shards(shards: Path, tmp_path: Path) -> None:
    whole = next(shards.glob("train-*.bin")).read_bytes()
    cut, other, old = (tmp_path / f"{name}.bin" for name in ("cut", "other", "old"))
    cut.write_bytes(whole[:-100])
    other.write_bytes(b"something else")
    old.write_bytes(whole.replace(b"copydesk shard 3", b"copydesk shard 2", 1))
    for path, message in (
        (cut, "incomplete"),
        (old, "not a shard"),
        (other, "not a shard"),
        (tmp_path / "absent.bin", "cannot read"),
    ):
        with pytest.raises(TrainingError, match=message):
            Shard(path)
    (tmp_path / "heldout.jsonl").write_text(json.dumps({"kind": "x"}) + "\n")
    with pytest.raises(TrainingError, match="cannot read held-out examples"):
        list(read_held_out(tmp_path))
