"""The exactness laws on a model, with real requests on real Python: warm = cold, drafts = no drafts, packed = alone, and
llguidance agrees on every program token by token. Exits with 1 where a law is broken.

    python -m copydesk_benchmarks exactness [--model DIR] [--dtype fp32] [--examples DIR] [--programs 100] \
        [--all-laws N] [--seconds S] [--seed 0]

The folder `--examples` names holds shards with held-out examples (`copydesk train shards`); without it the training's defects are
put into files of the standard library. Computed in fp32, whose sums differ by rounding, or in int8, whose do not. Every example
is asked with the model free to write, every second one also as the product asks it, with lists. It ends after `--programs` free
programs or, between two rounds, after `--seconds`; behind the first `--all-laws` programs only llguidance is asked, which is
several times as fast.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from random import Random

import torch

from copydesk.editor import Editor
from copydesk_benchmarks.exactness import TIE, Ask, Law, Laws
from copydesk_benchmarks.examples import held_out_examples, library_examples
from copydesk_benchmarks.facts import facts
from copydesk_benchmarks.report import Report, Table, Value

TOGETHER = 4
"""Examples of one round, packed together after each was asked alone."""
SHOWN = 20
"""Broken cases shown of each law."""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="mini", help="default: mini, the embedded model")
    parser.add_argument("--dtype", default="fp32", choices=("fp32", "int8"))
    parser.add_argument("--examples", type=Path)
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--all-laws", type=int, default=sys.maxsize)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--max-tokens", type=int, default=128)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    started, machine = time.perf_counter(), facts(torch.device("cpu"))
    with Editor.load(args.model, device="cpu", dtype=args.dtype, warm=False) as editor:
        laws = Laws(editor, Random(args.seed), max_tokens=args.max_tokens)
        rounds = asks(args.examples, args.seed)
        while laws.totals.programs < args.programs and time.perf_counter() - started < args.seconds:
            chosen = list(islice(rounds, min(TOGETHER, args.programs - laws.totals.programs)))
            if not chosen:
                break
            check = laws.check if laws.totals.programs < args.all_laws else laws.check_language
            check([ask for example in chosen for ask in example])
            print(
                f"{laws.totals.programs} programs, {time.perf_counter() - started:.0f} s",
                *(f"; {law.name}: {len(law.broken)} broken" for law in laws.laws if law.broken),
                file=sys.stderr,
                flush=True,
            )
        model = editor.loaded_model.model
        setting: dict[str, Value] = {
            "model": model.name,
            "precision": str(model.dtype).removeprefix("torch."),
            "vocabulary": editor.loaded_model.vocabulary.size,
            "seed": args.seed,
            "examples": "held out" if args.examples else "the standard library's",
            "seconds": round(time.perf_counter() - started),
        }
    report = Report(
        "exactness",
        "Exactness laws",
        f"python -m copydesk_benchmarks exactness {' '.join(sys.argv[1:])}",
        datetime.now(UTC).date().isoformat(),
        machine,
        setting,
        tables=[table(laws)],
    )
    report.notes = [f"{law.name}: {case}" for law in laws.laws for case in law.broken[:SHOWN]]
    print(report.markdown())
    return int(any(law.broken for law in laws.laws) or not laws.totals.programs)


def asks(folder: Path | None, seed: int) -> Iterator[list[Ask]]:
    """The requests of each example."""
    examples = held_out_examples(folder, seed) if folder is not None else library_examples(seed)
    for number, example in enumerate(examples):
        name = f"example {number} ({example.kind})"
        found = [Ask(name, example.before, replace(example.request, narrow=False))]
        if number % 2:
            found.append(Ask(f"{name}, with lists", example.before, replace(example.request, narrow=True)))
        yield found


def table(laws: Laws) -> Table:
    """What was checked, and what came of it."""
    totals = laws.totals

    def row(law: Law) -> tuple[Value, ...]:
        largest = "" if law.largest is None else f"{law.largest:.1e}"
        return law.name, law.checked, law.ties, len(law.broken), largest

    return Table(
        "Laws",
        ("law", "checked", "ties", "broken", "largest difference"),
        tuple(row(law) for law in laws.laws),
        (
            f"{totals.programs} programs the model was free to write, {totals.listed} more requests with lists where the engine"
            f" finds some; {totals.truncated} programs ended by force, {totals.unserved} requests could not be served.",
            f"The difference is that of logits, or a tie's margin. A tie: two runs parted at a choice whose ways were equally"
            f" likely to within {TIE:g} in the logarithm of their odds.",
            f"Warm pages were reached through random edits and undos: {totals.reused} of their tokens were reused, "
            f"{totals.prefilled} computed. {totals.drafted} of {totals.generated + totals.drafted} written tokens were drafted.",
            f"llguidance: {totals.tokens} tokens, each in its mask; {totals.masks} whole masks equal to the automaton's; pieces:"
            f" {', '.join(sorted(totals.phases))}.",
        ),
    )
