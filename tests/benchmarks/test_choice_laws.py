"""The tables of laws: languages are what they are called, and totals are those of the definition."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from copydesk.decode.laws.law import total_variation
from copydesk.decode.laws.look_ahead import EXACT, LookAhead
from copydesk.editor import Editor
from copydesk.request import EditRequest
from copydesk_benchmarks import fidelity
from copydesk_benchmarks.fidelity import Measured
from copydesk_benchmarks.report import read_table
from copydesk_benchmarks.small_languages import Dyck, strings
from copydesk_benchmarks.standalone import choice_laws
from copydesk_benchmarks.standalone.choice_laws import LAWS, Small, Subject, measured, summary, warm
from copydesk_server import cli
from desks import byte_vocabulary, editor
from finite import brute_law
from mock_model import MockModel

VOCABULARY = byte_vocabulary("tags")
DYCK = Dyck([(40, 41), (91, 93)], 3)


@pytest.mark.parametrize(("kinds", "pairs"), [(1, 4), (2, 3), (3, 2)])
def test_a_dyck_language_has_as_many_strings_as_it_should(kinds: int, pairs: int) -> None:
    brackets = [(2 * k, 2 * k + 1) for k in range(kinds)]
    language = Dyck(brackets, pairs)
    found = list(strings(language))
    catalan = math.comb(2 * pairs, pairs) // (pairs + 1)
    assert len(set(found)) == len(found) == catalan * kinds**pairs
    assert found == sorted(found)
    for word in found:
        open_ = list[int]()
        for token in word:
            if token % 2 == 0:
                open_.append(token + 1)
            else:
                assert open_.pop() == token
        assert not open_
    assert language.next(language.start, brackets[0][1]) is None


def subject() -> Subject:
    return Subject("D(2, 3)", [5, 6, 7], DYCK, list(strings(DYCK)))


def test_the_table_of_probabilities_is_that_of_the_model() -> None:
    model = MockModel(VOCABULARY.size, seed=4, context=0)
    one = subject()
    small = Small(model, warm(model, one.prompt), one)
    exact = np.exp(small.probabilities(EXACT))
    np.testing.assert_allclose(exact, brute_law(model, one.prompt, one.words), atol=1e-6)
    for steps in (0, 1):  # token by token, and over the trie
        found = [small.probabilities(LookAhead(steps, most)) for most in (None, 10**9)]
        assert np.exp(found[0]).sum() == pytest.approx(1.0)
        np.testing.assert_allclose(found[0], found[1], atol=1e-9)


def test_every_law_has_a_row_and_a_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice_laws, "subjects", lambda _: [subject()])
    monkeypatch.setattr(choice_laws, "DRAWS", 1)
    rows = measured("random", MockModel(VOCABULARY.size, seed=4, context=0), VOCABULARY)
    assert [row[4] for row in rows] == list(LAWS)
    off = dict(zip(LAWS, (float(str(row[5])) for row in rows), strict=True))
    assert off["exact"] == 0.0 < off["128 rollouts"] < off["local mask"] <= 1.0
    assert off["as far as 128 nodes show"] == 0.0
    forwards = dict(zip(LAWS, (float(str(row[6])) for row in rows), strict=True))
    assert forwards["exact"] == 1.0 < forwards["local mask"]
    (row,) = summary(rows).rows
    assert row[:3] == ("random", "D(2, 3)", off["local mask"])
    assert row[-1] == ("yes" if off["one step"] > off["local mask"] else "no")


def desk(seed: int) -> Editor:
    return editor(MockModel(VOCABULARY.size, seed=seed, context=0), "tags")


def test_a_request_is_decoded_by_both_laws() -> None:
    """The most that a choice is off by is between the laws of that very choice; and where it is much, results differ."""
    found = [
        one
        for seed in range(12)
        for one in fidelity.measured(
            desk(seed), "some", "a\n" * 12, EditRequest(scope=[(1, 12)], max_tokens=8)
        )
    ]
    off = [one.off for one in found if one.off is not None]
    assert len(found) == 12
    assert off
    assert all(0.0 <= value <= 1.0 for value in off)
    assert any(one.other for one in found)
    assert not any(one.other for one in found if not one.off)


def test_the_table_tells_kinds_apart() -> None:
    rows = fidelity.table(
        [Measured("a", 0.5, True), Measured("a", None, False), Measured("b", None, False)]
    ).rows
    assert [(row[0], row[1], row[2], row[3]) for row in rows] == [
        ("a", 2, 1, 50.0),
        ("b", 1, 0, None),
        ("all", 3, 1, 50.0),
    ]


def test_the_command_writes_the_table_that_documents_quote(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = [("some", "a = 1\nb = 2\n", EditRequest(scope=[(1, 2)], instruction="rename a"))]
    monkeypatch.setattr(fidelity, "requests", lambda *_: asked)
    monkeypatch.setattr(fidelity, "Packages", lambda: None)
    assert cli.main(["bench", "fidelity", "--quiet", "--tag", "mine", "--out", str(tmp_path)]) == 0
    table = read_table(tmp_path, "fidelity-cpu-mine", "By kind of request")
    assert table is not None
    assert [row[:2] for row in table.rows] == [("some", 1), ("all", 1)]
    assert table.markdown() in (tmp_path / "fidelity-cpu-mine.md").read_text(encoding="utf-8")


def test_total_variation_is_half_the_difference() -> None:
    assert total_variation(np.log([0.5, 0.5]), np.log([0.75, 0.25])) == pytest.approx(0.25)
