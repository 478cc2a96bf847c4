"""The settings with which a model's choice among refactorings serves people best.

    python -m copydesk_benchmarks refactoring_choice --model standard --written CORPUS --no-free --json HELD_OUT
    python -m copydesk_benchmarks refactoring_choice --model standard --development --no-free --json DEVELOPMENT
    python -m copydesk_benchmarks refactoring_choice --model standard --written CORPUS --again --no-free --json DONE_ALREADY
    python -m copydesk_benchmarks choice_settings HELD_OUT DEVELOPMENT DONE_ALREADY --weights 1 1 0.3 [--most-wrong 42 4 25]
        [--settings coder]

Weighs each choice again with every setting and counts what would be shown: a right answer counts 1, a wrong one `--cost` less, an
unsure one nothing; each file's requests count as much as another's, times its weight. Prints the best settings, and the present
ones, with how many answers of each file are right, wrong, rightly and wrongly said to need no edit. With --most-wrong only
settings are compared that show at most so many wrong edits of each file.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copydesk.decode.choice_settings import BY_MODEL, STANDARD_SETTINGS, ChoiceSettings
from copydesk.grammar.trie import Floats
from copydesk_benchmarks.likeliest_choice import likeliest

LEVELS = (0.5, 0.54, 0.58, 0.62, 0.66, 0.7, 0.74, 0.78, 0.82, 0.86, 0.9)
IDLE_LEVELS = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
PAIRS = tuple(dict.fromkeys((a, max(a, b)) for a, b in product(LEVELS, IDLE_LEVELS)))
"""Of both, as they are compared: nothing to do is never taken from less than an edit."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Answers that are shown: edits, right and wrong; and that nothing is to be done, rightly and wrongly."""

    right: int
    wrong: int
    idle: int
    not_idle: int

    def worth(self, cost: float) -> float:
        """In right answers."""
        return self.right + self.idle - cost * (self.wrong + self.not_idle)


@dataclass(frozen=True, slots=True)
class Likeliest:
    """The likeliest answer of each choice: its probability, whether it is to change nothing, whether it is right."""

    probability: Floats
    idle: NDArray[np.bool_]
    right: NDArray[np.bool_]

    @classmethod
    def of(cls, choices: Sequence[dict[str, Any]], how: ChoiceSettings) -> Likeliest:
        rows = []
        for choice in choices:
            probability, place = likeliest(choice, how)
            rows.append((probability, place == len(choice["right"]) - 2, choice["right"][place]))
        found, idle, right = zip(*rows, strict=True)
        return cls(np.array(found), np.array(idle, bool), np.array(right, bool))

    def counts(self, level: float, idle_level: float) -> Counts:
        """Of edits at least as likely as `level`, and of nothing to do at least as likely as `idle_level`."""
        return self.table((level,), (idle_level,))[level, idle_level]

    def table(
        self, levels: Sequence[float], idle_levels: Sequence[float]
    ) -> dict[tuple[float, float], Counts]:
        """`counts` for each pair of levels."""
        edits = {level: self._split(~self.idle & (self.probability >= level)) for level in levels}
        nothing = {level: self._split(self.idle & (self.probability >= level)) for level in idle_levels}
        return {(a, b): Counts(*edits[a], *nothing[b]) for a, b in product(levels, idle_levels)}

    def _split(self, shown: NDArray[np.bool_]) -> tuple[int, int]:
        """How many of those shown are right, and how many are not."""
        return int((shown & self.right).sum()), int((shown & ~self.right).sum())


def settings() -> Iterator[ChoiceSettings]:
    """All that are compared, the thresholds aside."""
    offsets = (-1, -0.5, 0, 0.5, 1, 1.5)
    for temperature, nothing, another in product((0.9, 1, 1.1, 1.25, 1.4), offsets, offsets):
        for relative, rankings in ((False, (0.15, 0.2, 0.25, 0.3)), (True, (0.3, 0.4, 0.5))):
            for ranking in rankings:
                yield ChoiceSettings(temperature, ranking, relative, nothing, another)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "choices", nargs="+", metavar="CHOICES", help="what `refactoring_choice --json` wrote"
    )
    parser.add_argument("--cost", type=float, default=2.0, help="of a wrong answer, in right ones")
    parser.add_argument(
        "--weights", nargs="+", type=float, metavar="W", help="of the files (default: 1 each)"
    )
    parser.add_argument("--most-wrong", nargs="+", type=int, metavar="N", help="wrong edits of each file")
    parser.add_argument(
        "--settings",
        choices=sorted(BY_MODEL),
        help="the present ones are this model's, not the standard one's",
    )
    parser.add_argument("--show", type=int, default=10, help="settings")
    args = parser.parse_args()
    weights = args.weights or [1.0] * len(args.choices)
    limits = args.most_wrong or [math.inf] * len(args.choices)
    if not len(weights) == len(limits) == len(args.choices):
        parser.error("--weights and --most-wrong need a number for each file")
    files = []
    for name in args.choices:
        rows = json.loads(Path(name).read_text(encoding="utf-8"))
        files.append([row for row in rows if row["likelihoods"]])

    def worth(told: Sequence[Counts]) -> float:
        each = zip(told, files, weights, strict=True)
        return sum(weight * one.worth(args.cost) / len(file) for one, file, weight in each) / sum(weights)

    rows = []
    for how in settings():
        tables = [Likeliest.of(file, how).table(LEVELS, (*LEVELS, *IDLE_LEVELS)) for file in files]
        for level, idle_level in PAIRS:
            told = [table[level, idle_level] for table in tables]
            if all(one.wrong <= most for one, most in zip(told, limits, strict=True)):
                rows.append((worth(told), replace(how, confidence=level, sure_of_nothing=idle_level), told))
    rows.sort(key=lambda row: -row[0])
    now = BY_MODEL.get(args.settings, STANDARD_SETTINGS)
    present = [Likeliest.of(file, now).counts(now.confidence, now.sure_of_nothing) for file in files]
    head = (
        "worth",
        "ranking",
        "relative",
        "nothing",
        "another",
        "temperature",
        "edit from",
        "nothing from",
        *map(str, args.choices),
    )
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for value, how, told in ((worth(present), now, present), *rows[: args.show]):
        cells = [
            f"{value:.3f}", how.ranking, how.relative, how.nothing, how.another, how.temperature, how.confidence,
            how.sure_of_nothing,
            *(f"{one.right} {one.wrong} {one.idle} {one.not_idle} of {len(file)}" for one, file in zip(told, files, strict=True)),
        ]  # fmt: skip
        print(f"| {' | '.join(map(str, cells))} |")
    return 0
