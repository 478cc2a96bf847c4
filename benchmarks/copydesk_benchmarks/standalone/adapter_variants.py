"""Variants of an adapter's training, each with the same processor time: what follows a copy, rank, rate, tokens a step.

    python -m copydesk_benchmarks adapter_variants --base standard-base --corpus WORK/corpus --work DIR --seconds 300 \
        --variant program --variant tail --variant program,rank=16 --variant program,rate=2e-3

A variant is what follows a copy, then options of `adapters.run.Options`. Every format gets one shard of its own, made from
the same files; the rate falls to zero over the second half. Held-out pages of 20 lines: the loss of a token the model chooses
(the choices are the same in all formats), and the share of examples whose every choice comes first. Processor time, not
wall-clock: other work on the machine then costs all alike.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer

from copydesk.adapters.tokens import extend
from copydesk.models.load import resolve
from copydesk.prompting.edit_format import EditFormat
from copydesk_training.adapters.run import AdapterRun, Options
from copydesk_training.corpus import Corpus
from copydesk_training.shard_plan import PACKED
from copydesk_training.shards import make_shards


def main() -> int:
    parser = argparse.ArgumentParser(description="Variants of an adapter's training at equal processor time.")
    parser.add_argument("--base", default="standard-base")
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True, help="shards are kept here and used again")
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--validate", type=int, default=250)
    parser.add_argument("--variant", action="append", required=True)
    args = parser.parse_args()
    torch.set_num_threads(1)
    base = resolve(args.base)
    print("| variant | tokens a request | requests | requests/s | loss | first choices all right |")
    print("|---|---|---|---|---|---|")
    for variant in args.variant:
        after, *rest = variant.split(",")
        chosen: dict[str, Any] = {
            name: float(value) if name == "rate" else int(value)
            for name, value in (option.split("=") for option in rest)
        }
        options = Options(**chosen)
        folder = one_shard(base, args.corpus, args.work / after, after)
        run = AdapterRun(base, folder, args.work / "runs" / variant, options, validate=args.validate)
        started = time.process_time()
        while (progress := (time.process_time() - started) / args.seconds) < 1:
            run.step(progress)
        assert run.validation is not None
        found = run.validation.measure(run.model, run.device)
        state = run.state
        print(
            f"| {variant} | {state.tokens_seen / state.requests:.0f} | {state.requests:,} | {state.requests / args.seconds:.2f}"
            f" | {found['loss_p20']:.3f} | {found['exact_p20']:.1%} |",
            flush=True,
        )
    return 0


def one_shard(base: Path, corpus: Path, work: Path, after: str) -> Path:
    """The folder with the first packed shard of the corpus in that format, and held-out examples."""
    folder = work / "shards"
    if (folder / "train-00-00000.bin").is_file():
        return folder
    format = EditFormat(after_copy=after, warm_lines=32)  # type: ignore[arg-type]
    format = replace(format, max_number=format.numbers_needed)
    tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
    extend(tokenizer, format)
    work.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(work / "tokenizer.json"))
    settings = replace(PACKED, seed=3, per_kind=12, heldout_pages=(20,), real_edits=0)
    make_shards(Corpus(corpus), work / "tokenizer.json", format, folder, settings, most=1)
    return folder
