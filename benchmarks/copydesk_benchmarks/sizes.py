"""How large a run is: what fits in half an hour on two cores, what fits in ten minutes on a GPU, and what a test can wait for.

Plain values; measures nothing, and imports nothing that needs more than torch and transformers.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from copydesk_benchmarks.documents import ONE_HUNK
from copydesk_benchmarks.kernel import PREFIX
from copydesk_benchmarks.kernel import SIZES as SPANS
from copydesk_benchmarks.rivals import FORMATS, METHODS, TUNED, Format, Method

LENGTHS = (50, 100, 300, 1000, 5000)
HEADLINE = 300
ORDER = ("two places", "two lines in", "three lines to one", ONE_HUNK)
"""Edits of the race, the dearest for copydesk first: where a slow row has no time for all, it is compared on that one."""
RIVALS: tuple[tuple[Method, Format], ...] = tuple(
    (method, format)
    for format in FORMATS
    for method in METHODS
    if method != "tuned lookup" or format in TUNED
)


@dataclass(frozen=True, slots=True)
class Limits:
    """rounds: runs of each edit at most. slow: seconds after which a row begins no other run at this length. longest: seconds a
    single run may take at worst. prompt: tokens of a prompt at most; reading one costs time in its square."""

    rounds: int = 7
    slow: float = 2.0
    longest: float = 60.0
    prompt: int = 16384


@dataclass(frozen=True, slots=True)
class Size:
    """kernel: spans, prefix, decode steps in a run, rounds. page_prefix: the prefix at which the race's s(N) is measured.
    edit: lengths, rows, edits and limits. cases: of HumanEvalPack, per language; None: all. draws: noisy programs a case.
    prompts: examples the selector is asked. held_out: examples of each kind for quality. together, serve_rounds: requests at
    once, and rounds.
    """

    spans: tuple[int, ...] = SPANS
    prefix: int = PREFIX
    page_prefix: int = 704
    steps: int = 16
    kernel_rounds: int = 9
    lengths: tuple[int, ...] = LENGTHS
    rivals: tuple[tuple[Method, Format], ...] = RIVALS
    edits: tuple[str, ...] = ORDER
    limits: Limits = field(default_factory=Limits)
    cases: int | None = None
    draws: int = 20
    prompts: int = 200
    held_out: int = 10
    together: tuple[int, ...] = (1, 2, 4, 8, 16, 32)
    serve_rounds: int = 3


SIZES: dict[str, Size] = {
    "default": Size(),
    # Launching takes transformers as long as ever on a GPU: the longest rows are left out sooner.
    "cuda": Size(lengths=(50, 300, 1000), limits=Limits(rounds=5, slow=2.0, longest=30.0)),
    "tiny": Size(
        spans=(8, 32), prefix=64, page_prefix=64, steps=3, kernel_rounds=2, lengths=(50, 100),
        rivals=(("generate", "scope"), ("prompt lookup", "blocks"), ("own draft", "blocks"), ("gold draft", "blocks")),
        edits=(ONE_HUNK,), limits=Limits(rounds=1, slow=1.0, longest=10.0), cases=4, draws=2, prompts=6, held_out=1,
        together=(1, 2), serve_rounds=1,
    ),
}  # fmt: skip
