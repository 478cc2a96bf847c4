"""Attention over few queries on a CPU: how keys lie in memory, and in which type they are multiplied.

    python -m copydesk_benchmarks attention [--threads 1] [--rounds 60]

One layer of the embedded model's shape (3 heads of 64), eight layers in turn as in a forward, so that no cache keeps one. All
ways take turns within one run; times are per layer.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial

import torch
import torch.nn.functional as F

from copydesk_benchmarks.facts import hardware
from copydesk_benchmarks.timing import interleave, stopwatch

HEADS, WIDTH, LAYERS = 3, 64, 8
CASES = ((600, 1), (600, 8), (2500, 1), (2500, 3), (2500, 8), (600, 128))


@torch.inference_mode()
def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=60)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    print(f"`python -m copydesk_benchmarks attention {' '.join(sys.argv[1:])}`\n")
    print(
        f"{hardware()}, {args.threads} threads; torch {torch.__version__}; minimum of {args.rounds} runs, µs a layer\n"
    )
    print(
        "| keys | queries | bf16, heads side by side | bf16, head after head | the same, float32 per call |\n"
        "|---|---|---|---|---|"
    )
    timed = stopwatch(torch.device("cpu"))
    for keys, queries in CASES:
        rows = ways(keys, queries)
        found = interleave({name: partial(timed, work) for name, work in rows.items()}, args.rounds)
        cells = " | ".join(f"{found[name].minimum / LAYERS * 1e6:.0f}" for name in rows)
        print(f"| {keys} | {queries} | {cells} |")
    return 0


def ways(keys: int, queries: int) -> dict[str, Callable[[], object]]:
    """Three ways over the same numbers."""
    kept = torch.randn(LAYERS, 2 * HEADS, keys + 300, WIDTH).bfloat16()
    beside = kept.transpose(1, 2).contiguous().transpose(1, 2)
    asked = torch.randn(1, HEADS, queries, WIDTH).bfloat16()
    mask = torch.zeros(queries, keys).bfloat16()
    wide = mask.float()

    def narrow(held: torch.Tensor) -> None:
        for layer in held:
            F.scaled_dot_product_attention(
                asked, layer[None, :HEADS, :keys], layer[None, HEADS:, :keys], mask
            )

    def widened() -> None:
        for layer in kept:
            k, v = layer[None, :HEADS, :keys].float(), layer[None, HEADS:, :keys].float()
            F.scaled_dot_product_attention(asked.float(), k, v, wide).bfloat16()

    return {"beside": partial(narrow, beside), "after": partial(narrow, kept), "wide": widened}
