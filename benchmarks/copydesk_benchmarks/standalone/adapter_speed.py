"""Speed of an adapter's training on the standard model's shape, and how many adapters that makes an hour.

    python -m copydesk_benchmarks adapter_speed [--device cuda] [--steps 30] [--batch-tokens 2048] [--shape 135m|tiny]

Random weights and tokens: how long a step takes does not depend on them. A step is forward, backward, optimiser and the merged
weights brought up to date, on packed pages of one row, as in `adapters.run`; logits at every eighth token. An adapter is counted
as 60,000 requests of 147 tokens, about what the standard model's has seen. Exits with 1 where a GPU misses the target.
"""

from __future__ import annotations

import argparse
import time
from statistics import median

import numpy as np
import torch

from copydesk.adapters.base import Base, BaseConfig, BaseLayer
from copydesk_training import kernels
from copydesk_training.adapters.model import AdaptedModel
from copydesk_training.adapters.run import RANK, Options
from copydesk_training.segments import Segments

SHAPES = {
    "135m": BaseConfig(49152, 576, 30, 9, 3, 64, 1536, 1e5, 1e-5, 8192),
    "tiny": BaseConfig(512, 64, 2, 4, 2, 16, 128, 1e5, 1e-5, 8192),
}
"""SmolLM2-135M's published sizes, and some that a test can wait for."""
ROWS = 128
PAGE, BRANCH = 512, 64
"""Tokens of a packed page, and of each request that continues it."""
REQUESTS, TOKENS = 60_000, 147
WANTED = 6
"""Adapters an hour on a GPU."""


def random_base(config: BaseConfig, device: torch.device, seed: int = 0) -> Base:
    """Random weights in bfloat16."""
    draw = torch.Generator().manual_seed(seed)

    def matrix(*shape: int) -> torch.Tensor:
        return (torch.randn(*shape, generator=draw) * 0.02).to(device, torch.bfloat16)

    ones = torch.ones(config.hidden, dtype=torch.bfloat16, device=device)
    layers = tuple(
        BaseLayer(ones, ones, {name: matrix(*shape) for name, shape in config.linears.items()}, None, None)
        for _ in range(config.layers)
    )
    return Base(config, matrix(config.vocab, config.hidden), ones, None, layers, "random")


def packed(tokens: int) -> Segments:
    """One row: a page, and requests that continue it."""
    at = np.arange(tokens, dtype=np.int32)
    page = min(PAGE, tokens)
    own = np.where(at < page, 0, page + (at - page) // BRANCH * BRANCH).astype(np.int32)
    shared = np.where(at < page, 0, page).astype(np.int32)
    return Segments.of(own[None], shared[None])


def tokens_a_second(config: BaseConfig, device: torch.device, steps: int, tokens: int) -> float:
    """By the median step, the first two left out."""
    options = Options()
    native = kernels.load() if device.type == "cpu" else None
    rows = torch.randn(ROWS, config.hidden, generator=torch.Generator().manual_seed(1)) * 0.02
    model = AdaptedModel(random_base(config, device), rows, RANK, kernels=native)
    optimiser = torch.optim.AdamW(model.parameters(), lr=options.rate, betas=options.betas, weight_decay=0.0)
    ids = torch.randint(0, config.vocab + ROWS, (1, tokens), device=device)
    where = torch.arange(0, tokens, 8, device=device)
    target = torch.randint(0, config.vocab, where.shape, device=device)
    weight = torch.full(where.shape, 1 / len(where), device=device)
    segments = Segments(*(part.to(device) for part in packed(tokens)))
    times = []
    for _ in range(steps + 2):
        began = time.perf_counter()
        loss, _ = model.loss(model.hidden(ids, segments), where, target, weight)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), options.clip)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        model.refresh()
        if device.type == "cuda":
            torch.cuda.synchronize()
        times.append(time.perf_counter() - began)
    return tokens / median(times[2:])


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--shape", choices=SHAPES, default="135m")
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--batch-tokens", type=int, default=Options().batch_tokens)
    args = parser.parse_args()
    device = torch.device(args.device)
    rate = tokens_a_second(SHAPES[args.shape], device, args.steps, args.batch_tokens)
    an_hour = rate * 3600 / (REQUESTS * TOKENS)
    name = torch.cuda.get_device_name() if device.type == "cuda" else f"{torch.get_num_threads()} threads"
    print(f"torch {torch.__version__}, {args.device} ({name}), bfloat16, median of {args.steps} steps\n")
    print("| shape | tokens a step | tokens/s | requests/s | adapters an hour | wanted on a GPU |")
    print("|---|---|---|---|---|---|")
    print(
        f"| {args.shape} | {args.batch_tokens} | {rate:,.0f} | {rate / TOKENS:.1f} | {an_hour:.2f} | ≥ {WANTED} |"
    )
    return int(device.type == "cuda" and args.shape != "tiny" and an_hour < WANTED)
