"""Real requests on real Python: held-out examples of a folder of shards, or the training's defects put into the standard library.

Knows texts and requests; no models.
"""

from __future__ import annotations

import sysconfig
from collections.abc import Iterator
from pathlib import Path
from random import Random

from copydesk_training import defects
from copydesk_training.example import Example
from copydesk_training.excerpts import excerpts
from copydesk_training.records import read_held_out

PER_TEXT = 4
"""Examples made from one excerpt."""


def held_out_examples(folder: Path, seed: int) -> Iterator[Example]:
    """All held-out examples of `folder`, in random order. Raises TrainingError where there are none."""
    rows = list(read_held_out(folder))
    Random(seed).shuffle(rows)
    for row in rows:
        yield row.example


def library_examples(seed: int) -> Iterator[Example]:
    """Examples of all kinds from the standard library's files, in random order; their tests are left out."""
    rng = Random(seed)
    root = Path(sysconfig.get_path("stdlib"))
    ours = {"test", "tests", "site-packages", "idlelib", "lib2to3"}
    paths = sorted(path for path in root.rglob("*.py") if not ours.intersection(path.parts))
    rng.shuffle(paths)
    for path in paths:
        try:
            texts = excerpts(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError):
            continue
        if texts:
            yield from defects.examples(rng.choice(texts), rng, PER_TEXT)
