"""What shards there will be, and what is said of each: settings, tasks and records. Makes none."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from copydesk_training.corpus import Entry


@dataclass(frozen=True, slots=True)
class Settings:
    """What decides the bytes of shards, beside corpus, tokenizer and format.

    `pages` gives the weight of each page length in training, `heldout_pages` the lengths that are measured. `density` is
    examples per line of an excerpt, at most `most_per_excerpt`: those that share a page cost little to train on. A pass takes
    `excerpts_per_file` at random, and makes `documents` of each: what these have no room for is dropped, so that pages are
    full. A group whose branches cost more than `tokens_per_branch` each is kept with a chance of their ratio to the power of
    `strictness`. `real_edits`: how often a pass shows each real edit. `per_kind`: how many held-out examples each kind gets at
    most. `records`: the files of written requests (`written.records`) whose shards are made, of choices alone and no others;
    none for all shards.
    """

    seed: int = 0
    passes: int = 1
    density: float = 1.0
    most_per_excerpt: int = 300
    excerpts_per_file: int = 3
    documents: int = 2
    tokens_per_branch: int = 120
    strictness: float = 1.0
    real_edits: int = 1
    shard_lines: int = 80_000
    pages: tuple[tuple[int, float], ...] = ((12, 0.15), (20, 0.35), (32, 0.25), (64, 0.25))
    heldout_pages: tuple[int, ...] = (20, 64)
    per_kind: int = 150
    records: tuple[str, ...] = ()


PACKED = Settings(
    density=6.0,
    most_per_excerpt=1200,
    documents=8,
    excerpts_per_file=2,
    tokens_per_branch=60,
    strictness=3.0,
    real_edits=4,
    shard_lines=30_000,
    per_kind=50,
    pages=((12, 0.2), (20, 0.45), (32, 0.25), (64, 0.1)),
)
"""Pages as full as they can be: some 65 tokens a request instead of 125, for models whose every token is dear."""


@dataclass(slots=True)
class ShardRecord:
    """One finished shard: counts of groups, and of examples by kind, by page length, and of those dropped by reason."""

    name: str
    files: int = 0
    groups: int = 0
    examples: int = 0
    tokens: int = 0
    program_tokens: int = 0
    seconds: float = 0.0
    kinds: dict[str, int] = field(default_factory=dict)
    pages: dict[str, int] = field(default_factory=dict)
    dropped: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Task:
    """One shard to make: its files, of which split and pass, with which number. `ruff`: of ruff's fixes; `choice`: of choices
    among candidates; `written`: of the requests that were written for these files; `bugs`: of bugs in single functions.
    """

    split: Literal["train", "ruff", "choice", "written", "bugs", "heldout"]
    round: int
    number: int
    entries: Sequence[Entry]

    @property
    def name(self) -> str:
        if self.split == "heldout":
            return self.split
        part = "train" if self.split == "train" else f"train-{self.split}"
        return f"{part}-{self.round:02d}-{self.number:05d}"


def parts(entries: Sequence[Entry], settings: Settings, round: int) -> Iterator[list[Entry]]:
    """The files of one pass in a random order, cut into parts of about `shard_lines`."""
    order = list(entries)
    random.Random(f"{settings.seed}/{round}").shuffle(order)
    part: list[Entry] = []
    lines = 0
    for entry in order:
        part.append(entry)
        lines += entry.lines
        if lines >= settings.shard_lines:
            yield part
            part, lines = [], 0
    if part:
        yield part
