"""`copydesk model`: models by name. What there is, getting one, where it lies, what it is made of, exporting it, removing it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn

from copydesk.errors import ModelError
from copydesk.models.installed import BUILT_IN, installed_directory, installed_names, is_name, not_installed
from copydesk_server.errors import ModelStoreError
from copydesk_server.model_store import catalogue


def run(args: argparse.Namespace) -> int:
    """Do what is asked; 1 where `info` finds a damaged model. Raises ModelStoreError, ModelError."""
    if args.action == "list":
        return _list()
    named = {"get": _get, "path": _path, "info": _info, "export": _export, "remove": _remove}
    return named[args.action](args)


def _list() -> int:
    from copydesk_server.model_store import store

    rows = [
        (
            BUILT_IN,
            "built in" if installed_directory(BUILT_IN) else "not in this build",
            "",
            "",
            "the embedded model",
        )
    ]
    known = {entry.name: entry for entry in catalogue.entries()}
    there = set(installed_names())
    for name in [*known, *sorted(there - known.keys())]:
        entry = known.get(name) or store.record(name)
        state = "installed" if name in there else "not installed"
        if name in there and name in known and not store.is_up_to_date(entry):
            state = f"out of date: run copydesk model get {name}"
        rows.append((name, state, f"{entry.installed_bytes / 1e6:,.0f} MB", entry.licence, entry.title))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        _say("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    return 0


def _get(args: argparse.Namespace) -> int:
    from copydesk_server.model_store import store

    source = Path(args.source).expanduser() if args.source else None
    with _bar(args.quiet) as report:
        directory = store.get(args.name, report, source)
    _say(str(directory))
    return 0


def _path(args: argparse.Namespace) -> int:
    directory = installed_directory(args.name)
    if directory is None:
        raise ModelError(not_installed(args.name))
    _say(str(directory))
    return 0


def _info(args: argparse.Namespace) -> int:
    from copydesk_server.model_store import convert, store

    directory = installed_directory(args.name)
    if args.name == BUILT_IN:
        _say(
            f"{BUILT_IN}: the embedded model, part of copydesk\npath        {directory or 'not in this build'}"
        )
        return 0
    known = {entry.name: entry for entry in catalogue.entries()}
    try:
        entry = store.record(args.name) if directory else catalogue.entry(args.name)
    except ModelStoreError:
        if args.name not in known:
            raise
        entry = known[args.name]  # its record is of another release of copydesk
    _say(f"{entry.name}: {entry.title}. {entry.summary}")
    _say(f"parameters  {entry.parameters:,}")
    _say(f"licence     {entry.licence}")
    _say(f"origin      {entry.origin}")
    _say(f"source      {entry.source}")
    if directory is None:
        _say(f"state       not installed; copydesk model get {entry.name}")
        return 0
    _say(f"path        {directory}")
    _say(f"size        {sum(path.stat().st_size for path in directory.iterdir()) / 1e6:,.0f} MB")
    try:
        found = convert.installed_digests(directory)
        wrong = [
            key.removesuffix("_sha256") for key, digest in found.items() if digest != getattr(entry, key)
        ]
        state = f"damaged: other {' and '.join(wrong)} than recorded" if wrong else "installed and whole"
        _say(f"tensors     sha256 {found['tensors_sha256']}")
    except ModelStoreError as error:
        wrong, state = ["all"], str(error)
    if not wrong and args.name in known and not store.is_up_to_date(known[args.name]):
        state += f"; out of date, the catalogue has another one by now: run copydesk model get {entry.name}"
    _say(f"state       {state}")
    return 1 if wrong else 0


def _export(args: argparse.Namespace) -> int:
    from copydesk_server.model_store.gguf_export import export_gguf

    target = Path(args.gguf).expanduser()
    directory = installed_directory(args.name)
    if directory is None and is_name(args.name):
        raise ModelError(not_installed(args.name))
    directory = directory or Path(args.name).expanduser()
    with _bar(args.quiet) as report:
        export_gguf(directory, target, directory.name, args.precision, partial(report, "exporting"))
    _say(str(target))
    return 0


def _remove(args: argparse.Namespace) -> int:
    from copydesk_server.model_store import store

    store.remove(args.name)
    return 0


@contextmanager
def _bar(quiet: bool) -> Iterator[Callable[[str, int, int], None]]:
    """A progress bar on standard error, one line per stage; where that is no terminal, a line for every tenth of a stage."""
    columns = (TextColumn("{task.description:<12}"), BarColumn(), TextColumn("{task.percentage:>3.0f}%"))
    console = Console(stderr=True, highlight=False, quiet=quiet)
    progress = Progress(*columns, console=console, disable=not console.is_terminal)
    stages: dict[str, TaskID] = {}
    tenths: dict[str, int] = {}

    def report(stage: str, done: int, total: int) -> None:
        progress.start()  # only now: what fails at once says one line
        if stage not in stages:
            stages[stage] = progress.add_task(stage, total=total or None)
        progress.update(stages[stage], completed=done)
        tenth = 10 * done // total if total else 0
        if not console.is_terminal and tenths.get(stage) != tenth:
            tenths[stage] = tenth
            console.print(f"{stage} {10 * tenth}%" if total else stage, markup=False)

    try:
        yield report
    finally:
        if stages:
            progress.stop()


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
