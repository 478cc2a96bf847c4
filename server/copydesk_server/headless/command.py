"""What `fix` and `refactor` have in common: a model, a journal, a reporter, a run, and the exit code."""

from __future__ import annotations

import argparse
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from copydesk.editor import Editor
from copydesk.models.installed import advice
from copydesk_server.headless.discover import Place
from copydesk_server.headless.git import Dirt
from copydesk_server.headless.journal import Journal
from copydesk_server.headless.report import Reporter
from copydesk_server.headless.run import Begin, Run, lanes_that_fit, stopping
from copydesk_server.headless.temporary import clear
from copydesk_server.headless.write import Writer, command_key

OK, REMAINS, FAILED, STOPPED = 0, 1, 2, 130
NO_FILES = "no files matched"
NOTHING_SEEN = "the model saw nothing to change"


def execute(
    args: argparse.Namespace,
    places: Sequence[Place],
    begin: Callable[[Editor], Begin],
    key: tuple[str, ...],
    *,
    nothing: str = NO_FILES,
    folder: Path | None = None,
) -> int:
    """Run a command over `places`. begin: what to do with each file. key: the options that make it this command and no other.
    nothing: what to say where there are no places.

    Raises CopydeskError where the command itself fails.
    """
    if not places:
        Reporter(0, json=args.json, diff=False, origin=False, quiet=args.quiet).say(nothing)
        return OK
    writer = open_writer(args, places, key, folder) if args.write else None
    complete = False
    try:
        with Editor.load(
            args.model,
            args.device,
            dtype=args.dtype,
            warm=False,
            forward_seconds=None,
            served_model=args.served_model,
        ) as editor:
            reporter = Reporter(
                len(places), json=args.json, diff=not args.write, origin=args.origin, quiet=args.quiet,
                statistics=args.statistics,
            )  # fmt: skip
            cancel = threading.Event()
            lanes = args.batch or lanes_that_fit(editor)
            run = Run(
                editor, iter(places), begin(editor), reporter.file, lanes=lanes, writer=writer, cancel=cancel,
                progress=reporter.progress,
            )  # fmt: skip
            with stopping(cancel), reporter:
                run.run()
            if run.resumed:
                reporter.say(f"{run.resumed} files were done before the run was stopped")
            reporter.summary(written=args.write)
            name = editor.loaded_model.model.name
            if args.model is None and reporter.left and (advised := advice(name)) is not None:
                reporter.say(f"the model is {name}; {advised}")
            if cancel.is_set():
                missing = len(places) - run.resumed - sum(reporter.files.values())
                reporter.say(f"stopped: {missing} files not done" + ("; --resume goes on" if writer else ""))
                return STOPPED
            complete = not reporter.files["failed"]
            if reporter.files["failed"]:
                return FAILED
            if reporter.idle and not reporter.files["edited"] and not run.resumed:
                (reason,) = reporter.idle_reasons if len(reporter.idle_reasons) == 1 else (NOTHING_SEEN,)
                reporter.say(f"nothing was done: {reason}")
                return REMAINS
            return REMAINS if reporter.left or (reporter.files["edited"] and not args.write) else OK
    finally:
        if writer is not None:
            writer.journal.close(complete=complete)
            writer.dirt.close()


def open_writer(
    args: argparse.Namespace, places: Sequence[Place], key: tuple[str, ...], folder: Path | None = None
) -> Writer:
    """Who writes the files of a command. Raises JournalError."""
    journal = Journal.open(command_key(args.command, args, key), resume=args.resume, folder=folder)
    clear({place.path.parent.resolve() for place in places})
    return Writer(journal, Dirt(), args.allow_dirty, args.allow_staged)
