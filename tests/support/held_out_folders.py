"""Folders of held-out examples for the tests of evaluation: defects of a few kinds in small modules."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random

from copydesk_training.defects import for_kind
from copydesk_training.records import HeldOut, write_held_out
from training_corpora import module

KINDS = ("undefined_name", "none_comparison", "docstring", "clean_bug")


def held_out(
    folder: Path, kinds: Sequence[str] = KINDS, files: int = 4, pages: tuple[int, ...] = (20, 64)
) -> Path:
    """`folder` with one example of each kind in each of `files` modules."""
    rows: list[tuple[str, HeldOut]] = []
    for k in range(files):
        text = module(f"held{k}", 3).replace(
            "if default is None:", "if default is None or values is None:", 1
        )
        for kind in kinds:
            example = for_kind(kind, text, Random(f"{k}/{kind}"))
            if example is not None:
                rows.append((text, HeldOut(example, "held", "1.0", f"held/{k}.py", pages)))
    folder.mkdir(parents=True, exist_ok=True)
    write_held_out(folder, rows)
    return folder
