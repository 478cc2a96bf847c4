"""`copydesk train --own`: the standard model goes on training on a person's code, and is measured on its newest edits."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import ExitStack
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from copydesk.models.installed import STANDARD, adapter_of

if TYPE_CHECKING:
    from copydesk_training.own_code import OwnCode

BASE = "standard-base"
RATE = 5e-4
FOLDER = "later"
CHANCE = 0.2
"""A p-value above this says no more than that a few edits came out otherwise."""
"""Of the work folder: the edits kept apart."""


def fill_in(args: argparse.Namespace) -> None:
    """What nobody said: which model, from which adapter on, how fast; and `before`, which the new one is compared with."""
    args.model = args.model or BASE
    args.before = STANDARD if args.model == BASE else None
    if args.before is not None:
        args.init = args.init or str(adapter_of(STANDARD))
        args.rate = args.rate if args.rate is not None else RATE
        args.choices = True


def read(path: Path, never: frozenset[str]) -> OwnCode:
    """A repository's files and edits, or a folder's files. Raises TrainingError."""
    from copydesk_training import sources
    from copydesk_training.filters import Seen
    from copydesk_training.histories.commits import is_repository
    from copydesk_training.histories.mining import HistoryRecord, Known
    from copydesk_training.own_code import OwnCode, own_code, owned

    if is_repository(path):
        return own_code(path, Known(Seen(never)))
    package = owned(sources.folder(path) if path.is_dir() else sources.archive(path))
    record = HistoryRecord(package.name, package.version, package.licence.licence, package.licence.evidence)
    return OwnCode(package, [], [], record)


def keep_later(work: Path, mine: Sequence[OwnCode]) -> None:
    """The edits that are measured on, for a run that goes on another day."""
    from copydesk_training import pairs

    if mine:
        (work / FOLDER).mkdir(exist_ok=True)
        pairs.write(work / FOLDER, (edit for found in mine for edit in found.later))


def report(args: argparse.Namespace, work: Path, console: Console) -> None:
    """Both models on the edits kept apart, and how the new one is used. Raises CopydeskError."""
    from copydesk.editor import Editor
    from copydesk_training import pairs
    from copydesk_training.own_code import FEWEST, LATER, measure, paired
    from copydesk_training.statistics import Share

    out = Path(args.out or work / "model")
    later = pairs.read(work / FOLDER)
    if not later:
        least = ceil(FEWEST / LATER)
        console.print(
            f"No edits were kept apart: the history gives fewer than {least}. Nobody knows whether {out} is better."
        )
        return
    with ExitStack() as stack:
        models = {"before": args.before, "after": out}
        editors = {
            name: stack.enter_context(Editor.load(model, args.device, warm=False))
            for name, model in models.items()
            if model is not None
        }
        progress = stack.enter_context(Progress(console=console, disable=args.quiet))
        bar = progress.add_task("the newest edits", total=len(editors) * len(later))
        found = measure(editors, later, lambda done: progress.advance(bar, done))
    table = Table("on your newest edits", "exact", "shown and exact", "shown and other", box=None)
    for name, side in found.items():
        right = sum(side.exact[k] and side.shown[k] for k in range(len(later)))
        exact = Share(sum(side.exact), len(later))
        table.add_row(name, f"{exact.value:.1%} ({exact.hits}/{exact.total})", str(right), str(side.wrong))
    printed = Console(soft_wrap=True, highlight=False)
    printed.print(table)
    if "before" not in found:
        return
    both = paired(found["before"], found["after"])
    advice = "Keep the standard model."
    if both.second > both.first:
        advice = f"Use it: --model {out}, or the setting copydesk.model."
        if both.p_value > CHANCE:
            advice = f"That may be chance: keep the standard model, or try it with --model {out}."
    printed.print(f"Better by {both.second} edits, worse by {both.first} (p = {both.p_value:.2f}). {advice}")
