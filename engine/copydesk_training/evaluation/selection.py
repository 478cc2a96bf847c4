"""Which held-out examples are measured, and in which order: balanced over kinds wherever a run ends early."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain, zip_longest
from pathlib import Path
from random import Random

from copydesk.errors import TrainingError
from copydesk_training.example import Example
from copydesk_training.records import HeldOut, read_held_out


def select(
    folder: Path,
    *,
    pages: Iterable[int],
    per_kind: int,
    kinds: frozenset[str] = frozenset(),
    seed: int = 0,
    balanced: bool = True,
) -> list[list[Example]]:
    """Rounds of held-out examples, `per_kind` of every kind at most. Within a round examples of the same text are neighbours.

    pages: the page lengths every example must fit. kinds: only these; empty for all. seed: 0 takes the first of each kind, in
    the order of the file; others shuffle the source files, so that other examples come first. balanced: round r has example r
    of every kind, so that a run may end after any round; else there is one round of all examples. Raises TrainingError where
    the folder has no such examples.
    """
    lengths = set(pages)
    rows = [row for row in read_held_out(folder) if not kinds or row.example.kind in kinds]
    fitting = [row for row in rows if lengths <= set(row.pages)]
    if not fitting:
        have = sorted({length for row in rows for length in row.pages})
        raise TrainingError(
            f"{folder} has no held-out examples of these kinds for pages of {', '.join(map(str, sorted(lengths)))} lines"
            + (f"; it has some for {', '.join(map(str, have))} lines: use --page-lines" if have else "")
        )
    by_kind: dict[str, list[Example]] = defaultdict(list)
    for row in _shuffled(fitting, seed):
        if len(by_kind[row.example.kind]) < per_kind:
            by_kind[row.example.kind].append(row.example)
    rounds = zip_longest(*by_kind.values()) if balanced else [chain.from_iterable(by_kind.values())]
    return [sorted((e for e in one if e is not None), key=lambda e: e.before) for one in rounds]


def _shuffled(rows: Sequence[HeldOut], seed: int) -> Iterable[HeldOut]:
    if seed == 0:
        return rows
    files: dict[tuple[str, str], list[HeldOut]] = defaultdict(list)
    for row in rows:
        files[row.package, row.path].append(row)
    groups = list(files.values())
    Random(seed).shuffle(groups)
    return [row for group in groups for row in group]
