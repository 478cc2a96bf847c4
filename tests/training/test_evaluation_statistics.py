"""Paired shares: the interval of their difference and McNemar's exact test, against definitions and resampling."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk_training.statistics import Paired

counts = st.integers(0, 60)


@given(counts, counts, counts, counts)
def test_turning_the_sides_round_turns_the_interval_round(a: int, b: int, c: int, d: int) -> None:
    one, other = Paired(a, b, c, d), Paired(a, c, b, d)
    low, high = one.interval
    assert -1 <= low <= one.difference <= high <= 1
    if one.total:
        assert other.interval == pytest.approx((-high, -low))
    assert one.p_value == other.p_value


@pytest.mark.parametrize(
    ("first", "second", "wanted"), [(0, 0, 1.0), (1, 9, 22 / 1024), (5, 5, 1.0), (0, 6, 2 / 64)]
)
def test_p_is_the_two_sided_binomial(first: int, second: int, wanted: float) -> None:
    assert Paired(7, first, second, 8).p_value == pytest.approx(wanted)


@pytest.mark.parametrize("cells", [(40, 12, 25, 43), (150, 10, 30, 10), (20, 40, 15, 60)])
def test_the_interval_is_close_to_a_bootstrap(cells: tuple[int, int, int, int]) -> None:
    paired = Paired(*cells)
    rng = np.random.default_rng(0)
    drawn = rng.multinomial(paired.total, np.array(cells) / paired.total, size=20_000)
    differences = (drawn[:, 2] - drawn[:, 1]) / paired.total
    assert paired.interval == pytest.approx(tuple(np.quantile(differences, [0.025, 0.975])), abs=0.015)
