"""Requests that were written for training: their records, what becomes of them in a corpus, and the shards they make."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from test_training_shards import FORMAT, SETTINGS

from copydesk.errors import TrainingError
from copydesk.text.document import split_lines
from copydesk_training import corpus, written
from copydesk_training.adapters.run import chooses
from copydesk_training.choices import NO_CANDIDATE
from copydesk_training.corpus import Corpus, held_out_names, never_learnt
from copydesk_training.shard_file import Shard
from copydesk_training.shard_worker import WORDINGS
from copydesk_training.shards import make_shards
from copydesk_training.written import Asked, Record, Replacement
from training_corpora import codec, module, package

TEXT = module("a")
FUNCTION = "def a_1(values, default=None):\n"
LINES = split_lines(TEXT)
START = LINES.index(FUNCTION)
SIZE = 8
ASKED = (
    Asked("rename", ("rename values to items", "values -> items"), (
        (1, 1, "def a_1(items, default=None):\n"), (5, 6, "    a_total = Counter(items)\n    for key_1 in items:\n"),
    )),
    Asked("comments", ("say where the default is from",), ((3, 2, "    # From the environment.\n"),)),
    Asked("nothing", ("add a docstring",), ()),
)  # fmt: skip


def record(first: int = START + 1) -> Record:
    text = "".join(LINES[START : START + SIZE])
    return Record("a", "a/0.py", hashlib.sha256(text.encode()).hexdigest(), first, SIZE, ASKED)


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Corpus:
    """A corpus with the record's file, and no other records than that one."""
    monkeypatch.setattr(written, "records", lambda **_: {("a", "a/0.py"): [record()]})
    files = {"a/0.py": TEXT, "a/1.py": module("b")}
    return corpus.build([package("a", files)], tmp_path / "corpus", held_out=frozenset())


def test_a_function_is_found_wherever_it_stands() -> None:
    assert record().find(LINES) == START
    assert record(first=1).find(LINES) == START
    assert record().find(["# moved\n", *LINES]) == START + 1
    changed = [line.replace("Counter(values)", "Counter(list(values))") for line in LINES]
    assert record().find(changed) is None
    assert record().find([]) is None


def test_examples_change_the_function_alone(built: Corpus) -> None:
    (entry,) = written.asked_of(built)
    assert entry.path == "a/0.py"
    first = [one for _, one in written.examples(built, [entry])]
    assert [one.request.instruction for one in first] == [asked.wordings[0] for asked in ASKED]
    for one in first:
        ((begin, end),) = one.request.scope or ()
        before, after = split_lines(one.before), split_lines(one.after)
        assert before[begin - 1 : end] == LINES[START : START + SIZE]
        assert before[: begin - 1] == after[: begin - 1]
        assert before[end:] == after[len(after) - len(before) + end :]
    renamed, commented, idle = first
    assert "for key_1 in items:" in renamed.after
    assert "# From the environment.\n    if default is None:" in commented.after
    assert idle.before == idle.after
    assert [one.request.instruction for _, one in written.examples(built, [entry], 1)] == ["values -> items"]


def test_requests_are_met_again_where_another_edit_has_been_made(built: Corpus) -> None:
    (entry,) = written.asked_of(built)
    seen = set()
    for seed in range(20):
        told = written.examples(built, [entry], already=Random(seed))
        for (asked, again), (_, first) in zip(told, written.examples(built, [entry]), strict=True):
            assert again.request.instruction == first.request.instruction
            ((begin, end),) = again.request.scope or ()
            lines, after = split_lines(again.before), split_lines(again.after)
            assert lines[: begin - 1] == LINES[: begin - 1] == after[: begin - 1]
            assert lines[end:] == LINES[START + SIZE :] == after[len(after) - len(lines) + end :]
            for _, _, text in asked.edits:
                assert text in again.after
                assert again.before == again.after or text not in again.before
            seen.add((asked.kind, len(lines) - len(LINES), again.before == again.after))
    plain = {("rename", 0, False), ("rename", 1, False), ("comments", 0, False), ("nothing", 0, True)}
    assert seen == {*plain, ("rename", 0, True), ("comments", 1, True)}


def test_a_request_that_is_carried_out_leaves_nothing_to_do(built: Corpus) -> None:
    (entry,) = written.asked_of(built)
    renamed, commented, idle = (one for _, one in written.examples(built, [entry]))
    for example, grown in (renamed, 0), (commented, 1):
        again = written.carried_out(example)
        assert again is not None
        assert again.before == again.after == example.after
        assert again.request.instruction == example.request.instruction
        ((first, last),) = example.request.scope or ()
        assert list(again.request.scope or ()) == [(first, last + grown)]
        assert written.carried_out(again) is None
    assert written.carried_out(idle) is None
    twice = replace(renamed, request=replace(renamed.request, instruction="swap the two"))
    assert written.carried_out(twice) is None


@pytest.mark.parametrize(
    ("some", "others", "apart"),
    [
        ([(1, 1, "")], [(3, 3, "")], True),
        ([(1, 1, "")], [(2, 2, "")], False),
        ([(4, 6, "")], [(5, 5, "")], False),
        ([(3, 2, "")], [(3, 2, "")], False),
        ([(3, 2, "")], [(4, 4, "")], True),
        ([(1, 1, ""), (9, 9, "")], [(4, 4, ""), (8, 8, "")], False),
        ([], [(1, 1, "")], True),
    ],
)  # fmt: skip
def test_edits_with_a_line_between_them_are_apart(
    some: list[Replacement], others: list[Replacement], apart: bool
) -> None:
    assert written._apart(some, others) == written._apart(others, some) == apart


def test_a_function_that_changed_is_left_out(built: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(written, "records", lambda **_: {("a", "a/0.py"): [replace(record(), sha256="0")]})
    assert list(written.examples(built, written.asked_of(built))) == []


def test_written_requests_are_shards_of_their_own(built: Corpus, tmp_path: Path) -> None:
    tokenizer = tmp_path / "tokenizer.json"
    codec().vocabulary.tokenizer.save(str(tokenizer))  # type: ignore[attr-defined]
    made = make_shards(built, tokenizer, FORMAT, tmp_path / "shards", SETTINGS, choices=True)
    (one,) = (one for one in made if one.name.startswith("train-written-"))
    told = sum(min(WORDINGS, len(asked.wordings)) for asked in ASKED)
    assert told == 4
    # Each as a program, and where a candidate is right as a choice, too.
    assert one.dropped == {f"{NO_CANDIDATE}: {written.KIND}": 1}
    assert one.examples == told + told - 1
    shard = Shard(tmp_path / "shards" / f"{one.name}.bin")
    assert len(shard) == one.groups < one.examples
    assert set(shard.kind_names.values()) == {written.KIND}
    parents = [set(shard[k].parents.tolist()) for k in range(len(shard))]
    assert sum(len(on) for on in parents if len(on) > 1) > 1


def test_shards_of_some_files_of_records_are_choices_alone(built: Corpus, tmp_path: Path) -> None:
    codec().vocabulary.tokenizer.save(str(tmp_path / "tokenizer.json"))  # type: ignore[attr-defined]
    settings = replace(SETTINGS, records=("first.jsonl",))
    made = make_shards(
        built, tmp_path / "tokenizer.json", FORMAT, tmp_path / "some", settings, ruff=True, bugs=True
    )
    assert [one.name for one in made] == ["train-written-00-00000"]
    assert chooses(tmp_path / "some")
    whole = make_shards(built, tmp_path / "tokenizer.json", FORMAT, tmp_path / "all", SETTINGS, choices=True)
    (written_too,) = (one for one in whole if one.name == made[0].name)
    assert 0 < made[0].groups < written_too.groups


def test_damaged_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / written.FOLDER
    folder.mkdir()
    (folder / "a.jsonl").write_text('{"package": "a"}\n')
    monkeypatch.setattr(written.resources, "files", lambda _: tmp_path)
    written.records.cache_clear()
    try:
        with pytest.raises(TrainingError, match=r"a\.jsonl, line 1"):
            written.records()
    finally:
        written.records.cache_clear()


# -- the records of the repository -----------------------------------------------------------------------------------------


def every() -> Iterator[Record]:
    for held_out in (False, True):
        for those in written.records(held_out=held_out).values():
            yield from those


def test_no_record_is_of_a_package_that_is_measured_on() -> None:
    names = {record.package for record in every()}
    assert len(names) > 50
    assert not names & (held_out_names() | never_learnt())


def test_records_are_sound() -> None:
    for record in every():
        assert record.asked, record
        for asked in record.asked:
            assert asked.wordings, record
            assert all(wording.strip() == wording != "" for wording in asked.wordings), asked
            assert (asked.kind == "nothing") == (not asked.edits), asked
            ends = [0]
            for first, last, text in asked.edits:
                assert ends[-1] < first <= last + 1 <= record.size + 1, asked
                assert text == "" or text.endswith("\n"), asked
                ends.append(last)


def test_some_files_of_records_can_be_taken_alone() -> None:
    some = written.records(only=("first.jsonl",))
    assert 0 < len(some) < len(written.records())
    with pytest.raises(TrainingError, match="none"):
        written.records(only=("none.jsonl",))


def test_a_share_of_the_requests_has_nothing_to_do() -> None:
    idle = [not asked.edits for record in every() for asked in record.asked]
    assert 0.05 < sum(idle) / len(idle) < 0.25


def test_no_function_is_learnt_from_and_held_out() -> None:
    learnt, held_out = (
        {record.sha256 for those in written.records(held_out=part).values() for record in those}
        for part in (False, True)
    )
    assert held_out
    assert not learnt & held_out
