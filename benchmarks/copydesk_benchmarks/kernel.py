"""What one parallel forward over N tokens is worth against N decode steps: s(N) = N · decode / parallel(N).

Measured behind one prefix, by this engine's forward and by transformers', so that a slow decode cannot flatter the ratio
unseen; and against the bytes that have to move. Knows forwards; nothing of documents.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from copydesk.models.feed import Feed
from copydesk_benchmarks.bandwidth import copy_bandwidth
from copydesk_benchmarks.report import Report, Table, Target
from copydesk_benchmarks.subject import Subject
from copydesk_benchmarks.timing import Times, Work, interleave, stopwatch

SIZES = (8, 16, 32, 64, 128, 256, 512)
PREFIX = 1024
OWNER = 1
OWN = "s(N) against own decode"
"""A column's name, by which other benchmarks find s(N)."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """Times behind `prefix` tokens: of one decode step, and of one forward over N tokens. Rows `own` are this engine's.

    generate: a decode step inside transformers' `generate`. bandwidth: bytes a second that a copy of as many bytes as the model
    has reaches; memory: that a copy far beyond any cache does.
    """

    prefix: int
    own_decode: Times
    hf_decode: Times
    generate: Times
    own: dict[int, Times]
    hf: dict[int, Times]
    bandwidth: float
    memory: float

    def speedups(self) -> dict[int, float]:
        """s(N) of this engine against its own decode."""
        return {n: n * self.own_decode.median / t.median for n, t in self.own.items()}


def measure(
    subject: Subject,
    sizes: Sequence[int] = SIZES,
    *,
    prefix: int = PREFIX,
    steps: int = 16,
    rounds: int = 7,
    seed: int = 0,
) -> Kernel:
    """Interleaved rounds over all sizes."""
    generator = torch.Generator().manual_seed(seed)
    tokens: list[int] = torch.randint(
        300, subject.model.vocab_size, (prefix + max(sizes),), generator=generator
    ).tolist()
    works: dict[str, Work] = {}
    works |= _own(subject, tokens, prefix, sizes, steps)
    works |= _transformers(subject, tokens, prefix, sizes, steps)
    times = interleave(works, rounds, warmups=2)

    def per_step(name: str) -> Times:
        return Times(tuple(run / steps for run in times[name].runs))

    return Kernel(
        prefix,
        per_step("own decode"),
        per_step("hf decode"),
        per_step("generate"),
        {n: times[f"own {n}"] for n in sizes},
        {n: times[f"hf {n}"] for n in sizes},
        copy_bandwidth(subject.device, None if subject.device.type == "cuda" else subject.weight_bytes),
        copy_bandwidth(subject.device),
    )


def _own(
    subject: Subject, tokens: Sequence[int], prefix: int, sizes: Sequence[int], steps: int
) -> dict[str, Work]:
    model, timed = subject.model, stopwatch(subject.device)
    row = model.new_row(prefix + max(*sizes, steps) + 8)
    model.forward([Feed(row, 0, tokens[:prefix], range(prefix))])

    def decode() -> float:
        def run() -> None:
            token = tokens[prefix]
            for at in range(prefix, prefix + steps):
                (logits,) = model.forward([Feed(row, OWNER, [token], [at], None, [0])])
                token = int(logits[0].argmax())

        seconds = timed(run)
        row.release(OWNER)
        return seconds

    def parallel(n: int) -> Work:
        def work() -> float:
            feed = Feed(row, OWNER, tokens[prefix : prefix + n], range(prefix, prefix + n), None, [n - 1])
            seconds = timed(lambda: int(model.forward([feed])[0][0].argmax()))
            row.release(OWNER)
            return seconds

        return work

    return {"own decode": decode, **{f"own {n}": parallel(n) for n in sizes}}


def _transformers(
    subject: Subject, tokens: Sequence[int], prefix: int, sizes: Sequence[int], steps: int
) -> dict[str, Work]:
    model, timed = subject.rival, stopwatch(subject.device)
    ids = torch.tensor([tokens], device=subject.device)
    with torch.inference_mode():
        cache: Any = model(input_ids=ids[:, :prefix], use_cache=True, logits_to_keep=1).past_key_values

    def feed(given: torch.Tensor) -> int:
        out = model(input_ids=given, past_key_values=cache, use_cache=True, logits_to_keep=1)
        return int(out.logits[0, -1].argmax())

    @torch.inference_mode()
    def decode() -> float:
        def run() -> None:
            token = tokens[prefix]
            for _ in range(steps):
                token = feed(torch.tensor([[token]], device=subject.device))

        seconds = timed(run)
        cache.crop(-steps)
        return seconds

    @torch.inference_mode()
    def generate() -> float:
        given = ids[:, : prefix + 1]
        kept = copy.deepcopy(cache)
        return timed(
            lambda: model.generate(
                input_ids=given,
                attention_mask=torch.ones_like(given),
                past_key_values=kept,
                max_new_tokens=steps,
                min_new_tokens=steps,
                do_sample=False,
            )
        )

    def parallel(n: int) -> Work:
        @torch.inference_mode()
        def work() -> float:
            seconds = timed(lambda: feed(ids[:, prefix : prefix + n]))
            cache.crop(-n)
            return seconds

        return work

    return {"hf decode": decode, "generate": generate, **{f"hf {n}": parallel(n) for n in sizes}}


def title(subject: Subject) -> str:
    """The name of a model's table of s(N)."""
    return f"Copying N tokens, {subject.name}"


def fill(report: Report, subject: Subject, found: Kernel) -> None:
    """Tables and targets of one model's kernel."""
    report.tables += [_parallel_table(subject, found), _decode_table(subject, found)]
    report.targets += _targets(subject, found)


def _moved(subject: Subject, found: Kernel, more: int) -> int:
    """Bytes a forward has to read: the weights, and the keys and values before it and of its own."""
    return subject.weight_bytes + (found.prefix + more) * subject.model.kv_bytes_per_slot


def _parallel_table(subject: Subject, found: Kernel) -> Table:
    rows = []
    for n, own in found.own.items():
        rows.append((
            n, own.minimum * 1e3, own.median * 1e3, n * found.hf_decode.median * 1e3, n * found.own_decode.median * 1e3,
            n * found.hf_decode.median / own.median, n * found.own_decode.median / own.median,
            n * found.hf_decode.median / found.hf[n].median,
            _share(subject, found, n, own.median),
        ))  # fmt: skip
    return Table(
        title(subject),
        (
            "N", "one forward, ms min", "ms median", "N transformers decode steps, ms", "N own decode steps, ms",
            "s(N) against transformers", OWN, "transformers' own s(N)", "share of bandwidth, %",
        ),
        tuple(rows),
        (
            f"Behind a prefix of {found.prefix} tokens. s(N) = N times the median decode step over the median forward.",
            "A decode step is one forward over one token and its argmax; transformers' runs over its DynamicCache, outside"
            " `generate`.",
            "Share of bandwidth: bytes that must be read (all weights, keys and values) over time, of what a copy of as many"
            " bytes as the weights reaches (read and written both counted). Forwards over many tokens are bound by arithmetic.",
        ),
    )  # fmt: skip


def _decode_table(subject: Subject, found: Kernel) -> Table:
    moved = _moved(subject, found, 1)
    rows = tuple(
        (name, t.minimum * 1e3, t.median * 1e3, moved / 1e6, moved / t.median / 1e9,
         _share(subject, found, 1, t.median), 100 * moved / t.median / found.memory)
        for name, t in (
            ("this engine", found.own_decode), ("transformers, forward", found.hf_decode),
            ("transformers, generate", found.generate),
        )
    )  # fmt: skip
    return Table(
        f"One decode step, {subject.name}",
        (
            "",
            "ms min",
            "ms median",
            "MB moved",
            "GB/s",
            "share of bandwidth, %",
            "share of memory bandwidth, %",
        ),
        rows,
        (
            f"{subject.parameters / 1e6:,.1f}M parameters, {subject.weight_bytes / 1e6:,.1f} MB of weights read a step. A copy of"
            f" as many bytes reaches {found.bandwidth / 1e9:.1f} GB/s, one far beyond any cache {found.memory / 1e9:.1f} GB/s.",
        ),
    )


def _share(subject: Subject, found: Kernel, tokens: int, seconds: float) -> float:
    return 100 * _moved(subject, found, tokens) / seconds / found.bandwidth


def _targets(subject: Subject, found: Kernel) -> list[Target]:
    wanted = {"7b": 70, "1.5b": 50, "135m": 10}
    name = next((shape for shape in wanted if f"-{shape} " in subject.name), None)
    if subject.device.type != "cuda" or name is None:
        return []
    share = _share(subject, found, 1, found.own_decode.median)
    targets = [
        Target(f"decode step, {subject.name}", f"≥ {wanted[name]}% of bandwidth", f"{share:.0f}%", share >= wanted[name])
    ]  # fmt: skip
    longest = max(found.own)
    hf = longest * found.hf_decode.median / found.own[longest].median
    own = longest * found.own_decode.median / found.own[longest].median
    if longest == 512:
        what = f"copying 512 tokens in one forward, {subject.name}, against 512 decode steps of"
        targets += [
            Target(f"{what} transformers", "≥ 300×", f"{hf:.0f}×", hf >= 300),
            Target(f"{what} this engine", "≥ 50×", f"{own:.0f}×", own >= 50),
        ]
    return targets


def series(subject: Subject, found: Kernel) -> dict[str, list[tuple[float, float]]]:
    """Points for a plot of s(N)."""
    return {
        f"{subject.name}: against transformers": [
            (n, n * found.hf_decode.median / t.median) for n, t in found.own.items()
        ],
        f"{subject.name}: against own decode": [
            (n, n * found.own_decode.median / t.median) for n, t in found.own.items()
        ],
    }
