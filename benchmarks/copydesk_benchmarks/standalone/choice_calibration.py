"""Whether the probabilities are honest with which a model chooses among refactorings, and what a threshold shows of them.

    python -m copydesk_benchmarks refactoring_choice --model standard --written CORPUS --no-free --json CHOICES
    python -m copydesk_benchmarks choice_calibration CHOICES --about "standard, 48,128 requests" [--folder DIR]

Weighs each choice again as the engine does now, prints the expected calibration error, and writes the coverage and the
reliability of the answers, with a diagram of each, and the reliability of the first edits (what `candidates` names), as
`choice-calibration.md` into `benchmarks/results`.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import torch

from copydesk.decode.choice_settings import BY_MODEL, STANDARD_SETTINGS, ChoiceSettings
from copydesk_benchmarks import facts, plots
from copydesk_benchmarks.calibration import (
    Answered,
    bins,
    candidates_table,
    coverage_curve,
    coverage_table,
    reliability_table,
)
from copydesk_benchmarks.checkout import ROOT
from copydesk_benchmarks.likeliest_choice import by_probability, likeliest
from copydesk_benchmarks.report import Report

NAME = "choice-calibration"


CANDIDATES = 5
"""Edits named for a request, as `candidates: 5` does."""


def answered(choice: dict[str, Any], settings: ChoiceSettings = STANDARD_SETTINGS) -> Answered:
    """The likeliest answer to one choice."""
    return _answered(choice, likeliest(choice, settings))


def candidates(choice: dict[str, Any], settings: ChoiceSettings = STANDARD_SETTINGS) -> list[Answered]:
    """The likeliest edits, the likeliest first."""
    found = [_answered(choice, one) for one in by_probability(choice, settings)]
    return [one for one in found if one.edits][:CANDIDATES]


def _answered(choice: dict[str, Any], answer: tuple[float, int]) -> Answered:
    probability, place = answer
    right = choice["right"]
    # Of candidates that come to the same, the check was asked about each: they agree.
    return Answered(probability, bool(right[place]), place < len(right) - 2, any(right[:-1]))


def report(
    answers: Sequence[Answered],
    ranked: Sequence[Sequence[Answered]],
    about: str,
    folder: Path,
    command: str,
    settings: ChoiceSettings = STANDARD_SETTINGS,
) -> Report:
    """The tables and diagrams of these answers, and of the candidates of each; the diagrams are written into `folder`."""
    made = Report(
        NAME,
        "How sure the choice among refactorings is, and how often it is right",
        command,
        date.today().isoformat(),
        facts.facts(torch.device("cpu")),
        {
            "model": about,
            "requests": len(answers),
            "threshold": settings.confidence,
            "weight of the prior": settings.ranking,
        },
    )
    made.tables += [
        coverage_table(answers, settings.confidence),
        reliability_table(answers),
        candidates_table(ranked),
    ]
    series = {
        "edits": [answer for answer in answers if answer.edits],
        "a right one to be had": [answer for answer in answers if answer.present],
    }
    drawn = (
        plots.lines(
            folder / f"{NAME}-reliability.png",
            {
                **{
                    name: [(one.said, one.share.value) for one in bins(some)] for name, some in series.items()
                },
                "as said": [(0.0, 0.0), (1.0, 1.0)],
            },
            title="Reliability",
            x="probability said",
            y="share right",
        ),
        plots.lines(
            folder / f"{NAME}-coverage.png",
            {"edits": coverage_curve(answers)},
            title="Coverage",
            x="share of requests shown an edit",
            y="share right of these",
        ),
    )
    made.plots += filter(None, drawn)
    return made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("choices", metavar="CHOICES", help="what `refactoring_choice --json` wrote")
    parser.add_argument("--about", required=True, help="which model and requests these are, in words")
    parser.add_argument(
        "--settings", choices=sorted(BY_MODEL), help="of this model instead of the standard one"
    )
    parser.add_argument("--folder", type=Path, default=ROOT / "benchmarks" / "results")
    args = parser.parse_args()
    rows = json.loads(Path(args.choices).read_text(encoding="utf-8"))
    rows = [row for row in rows if row["likelihoods"]]
    settings = BY_MODEL.get(args.settings, STANDARD_SETTINGS)
    answers = [answered(row, settings) for row in rows]
    if not answers:
        print(f"{args.choices}: no choices", file=sys.stderr)
        return 1
    command = shlex.join(["python", "-m", "copydesk_benchmarks", "choice_calibration", *sys.argv[1:]])
    ranked = [candidates(row, settings) for row in rows]
    path = report(answers, ranked, args.about, args.folder, command, settings).save(args.folder)
    coverage, reliability = coverage_table(answers, settings.confidence), reliability_table(answers)
    print(f"{len(answers)} choices: {path}\n\n{reliability.notes[0]}\n\n{coverage.markdown()}")
    return 0
