"""Whether probabilities are what they say: the reliability of answers, and what showing the likely ones alone gains and loses.

An answer is shown where its probability is at least a threshold. Its coverage is the share of requests that are shown an answer;
beside it stands the share of these that are right. Depends on nothing but the answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from copydesk_benchmarks.report import Table
from copydesk_training.statistics import Share

BINS = 10
"""Of equal width, for the reliability diagram and the expected calibration error."""
THRESHOLDS = (0.0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95)


@dataclass(frozen=True, slots=True)
class Answered:
    """The likeliest answer to one request. probability: what it is said to have. edits: whether it changes anything. present:
    whether a right answer was among those to choose from.
    """

    probability: float
    right: bool
    edits: bool
    present: bool


@dataclass(frozen=True, slots=True)
class Bin:
    """Answers of like probability: how likely they are said to be on average, and how many are right."""

    said: float
    share: Share


def bins(answers: Iterable[Answered]) -> list[Bin]:
    """The answers by probability, from the least on; bins without an answer are left out."""
    sorted_in: list[list[Answered]] = [[] for _ in range(BINS)]
    for answer in answers:
        sorted_in[min(BINS - 1, int(answer.probability * BINS))].append(answer)
    return [
        Bin(
            sum(answer.probability for answer in found) / len(found),
            Share(sum(answer.right for answer in found), len(found)),
        )
        for found in sorted_in
        if found
    ]


def calibration_error(found: Sequence[Bin]) -> float:
    """The expected calibration error: how far the share that is right lies from what was said, on average over answers."""
    total = sum(one.share.total for one in found)
    return sum(one.share.total * abs(one.share.value - one.said) for one in found) / total if total else 0.0


def reliability_table(answers: Sequence[Answered]) -> Table:
    """Said and right by bin: of answers that edit, of all where a right one was to be had, and of all."""
    groups = {
        "edits": [answer for answer in answers if answer.edits],
        "a right one to be had": [answer for answer in answers if answer.present],
        "all": list(answers),
    }
    found = {name: bins(group) for name, group in groups.items()}
    rows = [(name, one.said, str(one.share)) for name, group in found.items() for one in group]
    errors = ", ".join(f"{name} {calibration_error(group):.3f}" for name, group in found.items())
    notes = (f"Expected calibration error over {BINS} bins: {errors}.",)
    return Table("Reliability", ("answers", "probability", "right"), tuple(rows), notes)


def candidates_table(ranked: Sequence[Sequence[Answered]]) -> Table:
    """Of several edits named for one request: how likely the first, the second and so on is said to be on average, and how often
    it is the right one. ranked: each request's, the likeliest first.
    """
    most = max(map(len, ranked), default=0)
    rows = []
    for place in range(most):
        found = [answers[place] for answers in ranked if len(answers) > place]
        said = sum(answer.probability for answer in found) / len(found)
        rows.append((place + 1, said, str(Share(sum(answer.right for answer in found), len(found)))))
    any_right = Share(sum(any(answer.right for answer in answers) for answers in ranked), len(ranked))
    error = calibration_error(bins(answer for answers in ranked for answer in answers))
    notes = (
        f"One of the first {most} is right: {any_right}.",
        f"Expected calibration error of all of them over {BINS} bins: {error:.3f}.",
    )
    return Table("Candidates", ("place", "probability", "right"), tuple(rows), notes)


def coverage_table(answers: Sequence[Answered], used: float) -> Table:
    """Edits shown at each threshold, and how many of these are right. used: the threshold that the engine has."""
    rows = []
    for threshold in sorted({*THRESHOLDS, used}):
        shown = [answer for answer in answers if answer.edits and answer.probability >= threshold]
        rows.append(
            (
                f"{threshold:g}{' (used)' if threshold == used else ''}",
                str(Share(len(shown), len(answers))),
                str(Share(sum(answer.right for answer in shown), len(shown))),
            )
        )
    return Table("Coverage", ("probability at least", "shown", "right of these"), tuple(rows))


def coverage_curve(answers: Sequence[Answered]) -> list[tuple[float, float]]:
    """Shares shown and right of these, as the threshold falls past one edit after the other."""
    edits = sorted((one for one in answers if one.edits), key=lambda one: -one.probability)
    points, right = [], 0
    for count, answer in enumerate(edits, 1):
        right += answer.right
        if count == len(edits) or edits[count].probability < answer.probability:
            points.append((count / len(answers), right / count))
    return points
