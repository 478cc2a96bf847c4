"""Examples asked through the engine: several models, both modes, the same examples for all, in batches that can end early."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from copydesk.editor import Editor
from copydesk.errors import TrainingError
from copydesk_training.evaluation.judge import judge, judge_all_models
from copydesk_training.evaluation.selection import select
from copydesk_training.example import Example
from desks import editor, tiny_qwen
from held_out_folders import KINDS, held_out


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return held_out(tmp_path_factory.mktemp("held"))


@pytest.fixture(scope="module")
def embedded() -> Iterator[Editor]:
    with Editor.load("mini", device="cpu", warm=False) as found:
        yield found


def parses(example: Example, text: str) -> bool:
    try:
        compile(text, "example.py", "exec")
    except SyntaxError:
        return False
    return example.before != text


def test_rounds_are_balanced_over_kinds(folder: Path) -> None:
    rounds = select(folder, pages=[20], per_kind=3)
    assert [Counter(e.kind for e in one) for one in rounds] == [Counter(KINDS)] * 3
    whole = select(folder, pages=[20], per_kind=3, balanced=False)
    assert len(whole) == 1
    assert sorted(e.before for e in whole[0]) == sorted(e.before for one in rounds for e in one)
    assert all(a.before <= b.before for one in (*rounds, *whole) for a, b in pairwise(one))


def test_a_seed_chooses_other_examples_and_always_the_same(folder: Path) -> None:
    def first(seed: int) -> set[str]:
        return {
            e.after for e in select(folder, pages=[20], per_kind=1, kinds=frozenset(KINDS[:1]), seed=seed)[0]
        }

    assert len({next(iter(first(seed))) for seed in range(8)}) > 1
    assert first(3) == first(3)


def test_pages_that_no_example_fits_are_told(folder: Path) -> None:
    with pytest.raises(TrainingError, match="for 20, 64 lines: use --page-lines"):
        select(folder, pages=[20, 32], per_kind=1)


def test_modes_differ_where_lists_matter_and_all_answer_the_same_examples(
    folder: Path, embedded: Editor
) -> None:
    rounds = select(folder, pages=[64], per_kind=2)
    count = sum(map(len, rounds))
    modes = (True, False)
    found = list(judge_all_models([embedded, embedded], rounds, parses, modes=modes, together=3))
    ours, theirs = ([v for index, vs in found if index == k for v in vs] for k in (0, 1))
    outcome = [
        [(v.number, v.kind, v.narrow, v.status, v.mistake, v.generated) for v in vs] for vs in (ours, theirs)
    ]
    assert outcome[0] == outcome[1]
    assert Counter(v.narrow for v in ours) == {True: count, False: count}
    for narrow in modes:
        assert [v.number for v in ours if v.narrow is narrow] == list(range(count))
    free = {v.number: v for v in ours if not v.narrow and v.kind == "undefined_name"}
    lists = {v.number: v for v in ours if v.narrow and v.kind == "undefined_name"}
    assert not any(v.generated for v in lists.values())
    assert all(v.generated and v.forwards >= v.generated for v in free.values())
    assert all((v.mistake is None) == v.exact and not v.outside for v in ours)
    assert not embedded.documents
    embedded.check_integrity()


def test_one_model_as_the_requests_say(folder: Path, embedded: Editor) -> None:
    examples = [e for one in select(folder, pages=[64], per_kind=1) for e in one]
    alone = list(judge(embedded, examples, parses, together=1))
    packed = list(judge(embedded, examples, parses))
    assert [(v.kind, v.status, v.exact, v.generated, v.forwards) for v in alone] == [
        (v.kind, v.status, v.exact, v.generated, v.forwards) for v in packed
    ]
    assert all(v.narrow for v in alone)


def test_a_budget_ends_between_batches_for_all_models(folder: Path) -> None:
    rounds = select(folder, pages=[20], per_kind=2)
    answers = iter([False, True])
    with editor(tiny_qwen()) as one, editor(tiny_qwen()) as other:
        found = list(
            judge_all_models(
                [one, other], rounds, parses, modes=(True,), together=4, stop=lambda: next(answers)
            )
        )
    assert [index for index, _ in found] == [0, 1]
    for k in (0, 1):
        verdicts = [v for index, vs in found if index == k for v in vs]
        assert Counter(v.kind for v in verdicts) == dict.fromkeys(KINDS, 1)
        assert {v.status for v in verdicts} <= {"edited", "unchanged", "refused", "failed"}
