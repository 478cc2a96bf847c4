"""How many answers of a model that nobody trained for programs are well-formed, on real edits from a git history.

    python -m copydesk_benchmarks rewrite_form --history REPOSITORY [--model standard-base] [--edits 40] [--context 20] [--seed 0]

Each edit is a commit that changed one function or class: the lines a person might select, and the commit's subject as
instruction. An answer is well-formed where a program came of it; it is the model's own where the model closed it before the token
budget did. Exit code 1 where an answer is not well-formed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random
from statistics import median

import torch

from copydesk.editor import Editor
from copydesk.request import EditRequest, Range
from copydesk.results import EditResult
from copydesk.serving.reporting import LOOPED, SPENT
from copydesk.text.document import split_lines
from copydesk_benchmarks.facts import hardware
from copydesk_training.histories.changes import BlockChange, block_change, selection
from copydesk_training.histories.commits import Blobs, commits

TOGETHER = 8
"""Edits decoded at once."""
CACHE = 4 << 30
"""Bytes for the pages of these edits, each of which is a whole file of up to 400 lines."""
CLOSED = (SPENT, LOOPED)
"""Why an answer is closed for the model."""


def main() -> int:
    """Print a table as Markdown."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--history", type=Path, required=True)
    parser.add_argument("--model", default="standard-base")
    parser.add_argument("--edits", type=int, default=40)
    parser.add_argument(
        "--most", type=int, default=2000, help="commits looked through at most (default: 2000)"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--context", type=int, metavar="N", help="lines shown round the selection (default: the file)"
    )
    args = parser.parse_args()
    ends: Counter[str] = Counter()
    formed = own = exact = count = 0
    shares: list[float] = []
    random = Random(args.seed)
    began = time.perf_counter()
    with Editor.load(args.model, device="cpu", warm=False, cache_bytes=CACHE) as editor:
        dtype = str(editor.loaded_model.model.dtype).removeprefix("torch.")
        waiting = islice(edits(args.history, args.most), args.edits)
        while chosen := [selected(edit, random, args.context) for edit in islice(waiting, TOGETHER)]:
            asked = [
                (editor.open("a.py", one.before), EditRequest(scope=[one.lines], instruction=one.subject))
                for one in chosen
            ]
            for index, event in editor.edit_all(asked):
                if not isinstance(event, EditResult):
                    continue
                count += 1
                formed += event.program is not None
                own += event.program is not None and event.reason not in CLOSED
                exact += event.text == chosen[index].after
                ends[event.status if event.reason is None else f"{event.status}: {event.reason}"] += 1
                counts = event.counts
                shares.append(counts.forwards / max(1, counts.generated + counts.drafted))
                print(
                    f"{count} edits, {formed} well-formed, {own} closed by the model: {event.status}, {event.reason}",
                    file=sys.stderr,
                )
            for document, _ in asked:
                document.close()
    seconds = time.perf_counter() - began
    print(
        f"{hardware()}; {args.model}, {dtype}, torch {torch.__version__}, {torch.get_num_threads()} threads\n"
    )
    print("| edits | well-formed | closed by the model | exact | forwards a token chosen | s, all |")
    print("|---|---|---|---|---|---|")
    print(f"| {count} | {formed} | {own} | {exact} | {median(shares):.2f} | {seconds:.0f} |\n")
    for end, times in ends.most_common():
        print(f"- {times} {end}")
    return 0 if formed == count else 1


@dataclass(frozen=True, slots=True)
class Selected:
    """What is asked: lines of a text, to be changed as the subject says; and what the commit made of the text."""

    before: str
    after: str
    lines: Range
    subject: str


def selected(edit: tuple[BlockChange, str], random: Random, context: int | None) -> Selected:
    """With so many lines of context, or all there are."""
    change, subject = edit
    first, last = selection(change, random)
    before, after = split_lines(change.before), split_lines(change.after)
    last = min(last, len(before))  # what is added at the end of a text is selected with its last lines
    start = max(0, first - 1 - context) if context is not None else 0
    behind = max(0, len(before) - last - context) if context is not None else 0
    old, new = ("".join(lines[start : len(lines) - behind]) for lines in (before, after))
    return Selected(old, new, (first - start, last - start), subject)


def edits(history: Path, most: int) -> Iterator[tuple[BlockChange, str]]:
    """Small changes of one function or class, each with its commit's subject, newest first."""
    with Blobs(history) as blobs:
        for commit in commits(history, most):
            if len(commit.changed) == 1:
                file = commit.changed[0]
                old, new = (blobs.read(name).decode("utf-8", "replace") for name in (file.old, file.new))
                change = block_change(old, new)
                if change is not None:
                    yield change, commit.subject
