"""How large a run is: what fits in half an hour on two cores, what fits in ten minutes on a GPU, and what a test can wait for.

Plain numbers; measures nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from copydesk.bench.edit import LENGTHS, ORDER, RIVALS, Limits
from copydesk.bench.kernel import PREFIX
from copydesk.bench.kernel import SIZES as SPANS
from copydesk.bench.rivals import Format, Method


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
    prompts: int = 240
    held_out: int = 10
    together: tuple[int, ...] = (1, 2, 4, 8, 16, 32)
    serve_rounds: int = 3


SIZES: dict[str, Size] = {
    "default": Size(),
    # A GPU runs these models several times faster, but transformers spends as long as ever on launching.
    "cuda": Size(lengths=(50, 300, 1000), limits=Limits(rounds=5, slow=2.0, longest=40.0)),
    "tiny": Size(
        spans=(8, 32), prefix=64, page_prefix=64, steps=3, kernel_rounds=2, lengths=(50, 100),
        rivals=(("generate", "scope"), ("prompt lookup", "blocks"), ("own draft", "blocks"), ("gold draft", "blocks")),
        edits=("one word",), limits=Limits(rounds=1, slow=1.0, longest=10.0), cases=4, draws=2, prompts=6, held_out=1,
        together=(1, 2), serve_rounds=1,
    ),
}  # fmt: skip
