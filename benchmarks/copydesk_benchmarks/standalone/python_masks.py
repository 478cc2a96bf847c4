"""Masks of Python's layer: what a step costs while files are read token by token, and what a lexer's state costs the first time.

    OMP_NUM_THREADS=1 python -m copydesk_benchmarks python_masks [--files 12] [--tokenizer standard-base]

Files of the standard library, tokenised line by line as the model would write them. Each token must be in the mask before it.
"""

from __future__ import annotations

import argparse
import sysconfig
import time
from pathlib import Path
from random import Random
from statistics import mean, median

from tokenizers import Tokenizer

from copydesk.models.installed import installed_directory
from copydesk.prompting.vocabulary import HFVocabulary
from copydesk.pushdown.interfaces import GoalMasks
from copydesk.pushdown.python.goal import Goal
from copydesk.pushdown.python.layer import python_layer
from copydesk.pushdown.python.token_masks import TokenMasks
from copydesk.text.document import split_lines
from copydesk_benchmarks.facts import hardware


def main() -> int:
    parser = argparse.ArgumentParser(description="Masks of Python's layer.")
    parser.add_argument("--files", type=int, default=12)
    parser.add_argument("--tokenizer", default="standard-base", help="an installed model or a directory")
    args = parser.parse_args()
    directory = installed_directory(args.tokenizer)
    assert directory is not None, f"{args.tokenizer} is not installed"
    size = Tokenizer.from_file(str(directory / "tokenizer.json")).get_vocab_size()
    vocabulary = HFVocabulary.from_directory(directory, size)
    layer = python_layer()
    began = time.process_time()
    masks = TokenMasks(layer, vocabulary.token_bytes)
    prepared = time.process_time() - began
    known = GoalMasks(Goal(layer, layer.start))
    files = sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))
    spent, taken, rows, met = list[float](), list[float](), list[float](), set[int]()
    for path in Random(0).sample(files, args.files):
        config = layer.start
        for line in split_lines(path.read_text("utf-8")):
            for token in vocabulary.encode(line):
                state = config[0]
                began = time.process_time()
                row = masks.row(known, config)
                filled = time.process_time()
                assert row[token // 32] >> (token % 32) & 1, (path.name, config, token)
                after = masks.advance(config, token)
                taken.append((time.process_time() - filled) * 1e6)
                (spent if state in met else rows).append((filled - began) * 1e6)
                met.add(state)
                assert after is not None
                config = after
    steps = spent + rows
    print(f"{hardware()}, one thread; {size:,} tokens; {args.files} files, {len(steps):,} steps.\n")
    print(
        "| made before, ms | mask, median | mask, mean | 99th percentile | a state's first mask | states | token |"
    )
    print("|---|---|---|---|---|---|---|")
    ninety_ninth = sorted(steps)[len(steps) * 99 // 100]
    cells = [f"{prepared * 1e3:.0f}", f"{median(steps):.1f}", f"{mean(steps):.1f}", f"{ninety_ninth:.1f}"]
    print(f"| {' | '.join(cells)} | {mean(rows):,.0f} | {len(met)} | {median(taken):.1f} |")
    print("\nMicroseconds of processor time where nothing else is said; `token`: to take one.")
    return 0
