"""Edits of Python by instruction, with a model's weights: how they end where its layer is held, and where it is only checked.

    OMP_NUM_THREADS=2 python -m copydesk_benchmarks python_edits [--model standard] [--samples 1] [--every 1] [--seconds 3600]

Instructions are the development ones (`tests/data/instructions/dev.jsonl`), answered by free decoding: no candidates, no phrases.
Each is asked greedily, and then sampled at temperature 0.7, in both ways in turn. `right`: the record's check accepts the text,
and the answer is no refusal.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from dataclasses import replace
from statistics import mean, median

from copydesk import Editor
from copydesk.results import EditResult
from copydesk.text.document import apply_edits
from copydesk_benchmarks.facts import hardware
from copydesk_benchmarks.instruction_records import FOLDER, Packages, load_records
from copydesk_benchmarks.standalone.refactoring_choice import Question

WAYS = ("held", "checked at the end")


def main() -> int:
    parser = argparse.ArgumentParser(description="Edits of Python with its layer held, and without.")
    parser.add_argument("--model", default="standard")
    parser.add_argument("--samples", type=int, default=1, help="of each instruction, the greedy one included")
    parser.add_argument("--every", type=int, default=1, help="take every nth instruction")
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--verbose", action="store_true", help="each answer that differs")
    args = parser.parse_args()
    packages, asked, began = Packages(), 0, time.perf_counter()
    found = {way: Counter[str]() for way in WAYS}
    times: dict[str, list[float]] = {way: [] for way in WAYS}
    differ = 0
    with Editor.load(args.model, warm=False) as editor:
        for record in load_records(FOLDER / "dev.jsonl")[:: args.every]:
            if time.perf_counter() - began > args.seconds:
                break
            question = Question.of_record(record, packages.text(record))
            for seed in range(args.samples):
                asked += 1
                answers = []
                for way in WAYS if asked % 2 else WAYS[::-1]:
                    result = _asked(editor, question, seed, held=way == WAYS[0])
                    makes = question.makes(apply_edits(question.before, result.edits))
                    right = makes and result.status != "refused"
                    unparsable = result.reason == "the result does not parse"
                    ended = "unparsable" if unparsable else result.status
                    found[way].update([ended, *["right"] * right])
                    times[way].append(result.ms["total"])
                    answers.append((result.program, ended, right))
                differ += answers[0] != answers[1]
                if args.verbose and answers[0] != answers[1]:
                    print(record.id, *(f"\n  {ended} {right} {program}" for program, ended, right in answers))
    print(f"{hardware()}; {args.model}, {asked} answers to development instructions; {differ} differ.\n")
    print("| | edited | right | unchanged | does not parse | other refusals | ms, median | ms, mean |")
    print("|---|---|---|---|---|---|---|---|")
    for way in WAYS:
        cells = [found[way][name] for name in ("edited", "right", "unchanged", "unparsable", "refused")]
        last = f"{median(times[way]):.0f} | {mean(times[way]):.0f}"
        print(f"| {way} | {' | '.join(map(str, cells))} | {last} |")
    return 0


def _asked(editor: Editor, question: Question, seed: int, *, held: bool) -> EditResult:
    request = replace(
        question.request,
        temperature=0.7 if seed else 0.0,
        seed=seed,
        narrow=False,
        phrases=False,
        hold_python=held,
        max_tokens=160,
    )
    document = editor.open("edited.py", question.before)
    try:
        return document.edit(request)
    finally:
        document.close()
