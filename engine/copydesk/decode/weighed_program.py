"""A program that a model weighed among others, and the others beside it: what an unsure answer is made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from copydesk.grammar.trie import Floats
from copydesk.program import Program
from copydesk.text.titles import numbered, which_was_meant


@dataclass(frozen=True, slots=True)
class WeighedProgram:
    """A page program, what it does in words, and its probability among all that were weighed, from 0 to 1."""

    program: Program
    title: str
    probability: float


def combined(
    programs: Sequence[tuple[Program, str, str]], law: Floats
) -> tuple[list[WeighedProgram], Floats]:
    """Programs with their titles and what they come to, those that come to the same as one, in the order they came; and the
    logarithms of their probabilities. law: one logarithm a program. Of those that come to the same the likeliest stands for all.
    """
    groups = dict[str, list[int]]()
    for place, (_, _, same) in enumerate(programs):
        groups.setdefault(same, []).append(place)
    summed = np.array([np.logaddexp.reduce(law[group]) for group in groups.values()])
    found = []
    for group, probability in zip(groups.values(), np.exp(summed), strict=True):
        program, title, _ = programs[max(group, key=lambda place: law[place])]
        found.append(WeighedProgram(program, title, min(1.0, float(probability))))
    return found, summed


def question(offered: Iterable[tuple[str, float]]) -> str:
    """Asks a person which of the edits they meant, by their titles and probabilities."""
    named = numbered(offered)
    return f"{which_was_meant(named)} {' '.join(named)}"
