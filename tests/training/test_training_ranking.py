"""Training the ranking: what it learns puts the right proposals first, also of requests it has not seen."""

from __future__ import annotations

from collections import Counter
from io import BytesIO
from pathlib import Path
from random import Random

import numpy as np
import pytest

from copydesk.errors import TrainingError
from copydesk.refactorings.ranking_table import LEAST, RankingTable
from copydesk.request import EditRequest
from copydesk_training import corpus, ranking
from copydesk_training.corpus import Corpus
from copydesk_training.example import Example
from copydesk_training.ranking import MOST_RIVALS, Ranked, plain_examples, ranked, recall, train
from training_corpora import module, package

NAMES = [("value", "number"), ("item", "entry"), ("x", "width"), ("result", "found"), ("size", "length")]


def request(old: str, new: str, wording: str, change: bool) -> Example:
    """Renames a variable, or takes the print away."""
    text = f"def f({old}, limit):\n    print({old})\n    if {old} < limit:\n        return {old}\n    return limit\n"
    after = text.replace(old, new) if change else text.replace(f"    print({old})\n", "")
    asked = wording.format(old=old, new=new)
    return Example(text, after, EditRequest(scope=[(1, 5)], instruction=asked), "written", True)


def groups(names: list[tuple[str, str]]) -> list[Ranked]:
    wordings = [
        ("call {old} {new}", True),
        ("{old} -> {new}", True),
        ("no debug output", False),
        ("silent please", False),
    ]
    made = [
        ranked(request(old, new, wording, change), Random(0))
        for old, new in names
        for wording, change in wordings
    ]
    assert all(made)
    return [one for one in made if one is not None]


def test_it_learns_and_what_it_learns_holds_for_other_names() -> None:
    learnt, others = groups(NAMES[:3]), groups(NAMES[3:])
    assert all(1 <= one.right < len(one.found) <= one.right + MOST_RIVALS for one in learnt)
    table = train(learnt, passes=6)
    assert recall(learnt, table, 1) == 1.0
    assert recall(others, np.zeros_like(table), 1) == 0.0
    assert recall(others, table, 2) >= 0.75


def test_a_request_without_its_edit_among_the_proposals_teaches_nothing() -> None:
    example = request("value", "number", "make it faster", False)
    lost = Example(example.before, "def f(): ...\n" * 2, example.request, example.kind, True)
    assert ranked(lost, Random(0)) is None
    with pytest.raises(TrainingError, match="no request"):
        train([])


def test_the_table_is_the_mean_of_several_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    kept, learnt = [], ranking._learnt
    monkeypatch.setattr(
        ranking, "_learnt", lambda *given: kept.append(learnt(*given).copy()) or kept[-1].copy()
    )
    table = train(groups(NAMES[:3]), passes=1, orders=3)
    assert len(kept) == 3
    assert not np.array_equal(kept[0], kept[1])
    np.testing.assert_allclose(table, np.mean(kept, axis=0), atol=1e-6)


def test_a_table_goes_on_learning_in_small_steps() -> None:
    before = train(groups(NAMES[:1]), passes=6)
    further = groups(NAMES[1:2])
    after = train(further, passes=1, orders=1, start=before)
    assert sum(recall([one], after, 1) for one in further) >= sum(recall([one], before, 1) for one in further)
    changed = after != before
    assert changed.any()
    assert np.abs(after - before).max() < ranking.RATE * len(
        further
    )  # no step as large as the first ones of a new table
    assert not changed[
        np.setdiff1d(np.arange(len(before)), np.concatenate([at for g in further for at in g.found]))
    ].any()


def test_a_table_is_kept_whole_in_eight_bits() -> None:
    table = train(groups(NAMES[:1]), passes=1)
    file = BytesIO()
    RankingTable.of(table).write(file)
    file.seek(0)
    found = RankingTable.read(file)
    assert found.weights.dtype == np.int8
    kept = np.where(np.abs(table) < LEAST, 0, table)
    np.testing.assert_allclose(found.weights * found.step, kept, atol=found.step / 2 + 1e-6)
    at = np.flatnonzero(kept)[:50].astype(np.uint32)
    assert found.total(at) == pytest.approx(kept[at].sum(), abs=50 * found.step)


def test_plain_instructions_are_of_the_training_files_and_of_many_kinds(tmp_path: Path) -> None:
    packages = [
        package(name, {f"{name}/{k}.py": module(f"{name}{k}") for k in range(12)}) for name in ("a", "held")
    ]
    corpus.build(packages, tmp_path / "corpus", held_out=frozenset({"held"}))
    made = list(plain_examples(Corpus(tmp_path / "corpus"), Random(0), each=2))
    kinds = Counter(example.kind for example in made)
    assert len(kinds) >= 5
    assert max(kinds.values()) <= 2
    for example in made:
        assert example.before != example.after
        assert example.request.instruction
        assert "held" not in example.before
    assert list(plain_examples(Corpus(tmp_path / "corpus"), Random(0), each=2)) == made
