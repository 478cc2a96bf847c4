"""How often the edit that an instruction asks for is among the candidates of the refactorings.

    python -m copydesk_benchmarks refactoring_recall [--examples 20] [--kinds rename,inline] [--missed]
        [--worded | --written CORPUS [--learnt]]

Instructions are those of training, in wordings that training never sees, on files of the standard library; those of
`tests/refactorings/wordings.json`, which were written by people who had not seen what is read; or the requests in people's words
that were written for a corpus (`train corpus`) and held out. No model runs.
"""

from __future__ import annotations

import argparse
import difflib
import json
import random
import statistics
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from copydesk.refactorings.arguments import arguments_of
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.phrases import instruction_edits
from copydesk.refactorings.registry import enumerate_candidates
from copydesk.request import EditRequest
from copydesk.syntax.tree import parse
from copydesk.text.document import content, split_lines
from copydesk_benchmarks.checkout import ROOT
from copydesk_training import written
from copydesk_training.corpus import Corpus
from copydesk_training.defects.asks import HeldOutRandom
from copydesk_training.defects.registry import KINDS, draw
from copydesk_training.example import Example
from copydesk_training.wanted import Wanted
from defect_files import files

WEIGHED = 32
"""Candidates that the engine weighs."""
WORDINGS = ROOT / "tests" / "refactorings" / "wordings.json"


@dataclass(frozen=True, slots=True)
class Measured:
    """One example: at which place among the candidates the edit is, None where it is none, and whether phrases read it right."""

    example: Example
    candidates: int
    place: int | None
    milliseconds: float
    phrases: bool


def kinds() -> list[str]:
    """The kinds of instructions."""
    return [kind.name for kind in KINDS.values() if 100 <= kind.id < 180]


def examples(kind: str, count: int) -> Iterator[Example]:
    """Up to `count` examples of a kind in held-out wordings, no two of them alike."""
    rng, found, seen = HeldOutRandom(f"recall/{kind}"), 0, set[tuple[str | None, str]]()
    for _ in range(12):
        those = list(files(typed=True))
        random.Random(0).shuffle(those)
        for file in those:
            example = draw(KINDS[kind], file, rng)
            if example is None or "\r" in example.before or example.request.scope is None:
                continue
            if example.before == example.after and not KINDS[kind].nothing_to_do:
                continue
            key = (example.request.instruction, example.after)
            if key not in seen:
                seen.add(key)
                found += 1
                yield example
            if found == count:
                return


def worded() -> Iterator[tuple[str, list[Example]]]:
    """The instructions that others wrote, by kind."""
    sets = json.loads(WORDINGS.read_text("utf-8"))
    for kind in dict.fromkeys(asked["kind"] for one in sets for asked in one["asked"]):
        found = []
        for one in sets:
            (asked,) = (asked for asked in one["asked"] if asked["kind"] == kind)
            for wording in asked["wordings"] if asked["after"] is not None else ():
                request = EditRequest(scope=[tuple(one["scope"])], instruction=wording)
                found.append(Example(one["source"], asked["after"], request, kind, True))
        if found:
            yield kind, found


def held_out(
    corpus: Corpus, *, learnt: bool = False, idle: bool = False
) -> Iterator[tuple[str, list[Example]]]:
    """The requests that were written for a corpus and held out (or learnt from), by kind, each in one of its wordings. idle: also
    those that leave nothing to do.
    """
    found: dict[str, list[Example]] = {}
    entries = written.asked_of(corpus, held_out=not learnt)
    for turn in range(2):
        for asked, example in written.examples(corpus, entries, turn, held_out=not learnt):
            if (asked.edits or idle) and turn == len(example.before) % min(2, len(asked.wordings)):
                found.setdefault(asked.kind, []).append(example)
    yield from sorted(found.items())


def measure(example: Example) -> Measured:
    """The candidates of one example."""
    lines, request = split_lines(example.before), example.request
    assert request.scope is not None
    assert request.instruction is not None
    tree = parse(lines, "python")
    assert tree is not None
    begin = time.perf_counter()
    context = RefactoringContext.of(lines, request.scope, tree)
    found = enumerate_candidates(context, arguments_of(request.instruction))
    taken = (time.perf_counter() - begin) * 1000
    wanted = Wanted.of(example)
    place = next((k for k, one in enumerate(found) if wanted.made_by(context.original(one.edits))), None)
    read = instruction_edits(request.instruction, lines, request.scope, tree)
    told = read is not None and wanted.made_by(read)
    return Measured(example, len(found), place, taken, told)


def row(kind: str, found: list[Measured]) -> str:
    """A line of the table: shares, and medians."""
    share = [
        sum(wanted) / len(found)
        for wanted in ([m.place is not None for m in found], [m.phrases for m in found])
    ]
    first, early = (
        sum(m.place is not None and m.place < most for m in found) / len(found) for most in (1, WEIGHED)
    )
    most = max(m.milliseconds for m in found)
    middle = statistics.median(m.milliseconds for m in found)
    count = statistics.median(m.candidates for m in found)
    return (
        f"| {kind} | {len(found)} | {share[0]:.0%} | {first:.0%} | {early:.0%} | {count:.0f} |"
        f" {middle:.0f} | {most:.0f} | {share[1]:.0%} |"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=20, help="of each kind")
    parser.add_argument("--kinds", default="", help="comma-separated; all by default")
    parser.add_argument(
        "--worded", action="store_true", help="the instructions that others wrote, and no others"
    )
    parser.add_argument("--written", metavar="CORPUS", help="requests written for this corpus, and no others")
    parser.add_argument(
        "--learnt", action="store_true", help="those that are learnt from, not those held out"
    )
    parser.add_argument("--missed", action="store_true", help="print the examples that are missed")
    args = parser.parse_args()
    if args.written is not None:
        print(f"Requests written for training, {'learnt from' if args.learnt else 'held out'}:\n")
        table(held_out(Corpus(Path(args.written)), learnt=args.learnt), args.missed)
        return 0
    if args.worded:
        print("Instructions that others wrote:\n")
        table(worded(), args.missed)
        return 0
    wanted = args.kinds.split(",") if args.kinds else kinds()
    print("Instructions of training in held-out wordings:\n")
    table(((kind, list(examples(kind, args.examples))) for kind in wanted), args.missed)
    return 0


def table(given: Iterable[tuple[str, list[Example]]], missed: bool) -> None:
    """The table of all kinds, as they are measured."""
    print("| kind | examples | recall | first | first 32 | candidates | ms | ms at most | by phrases |")
    print("|---|---|---|---|---|---|---|---|---|")
    every: list[list[Measured]] = []
    for kind, those in given:
        found = [measure(example) for example in those]
        if not found:
            print(f"| {kind} | 0 | | | | | | | |")
            continue
        every.append(found)
        print(row(kind, found), flush=True)
        for one in found if missed else ():
            if one.place is None:
                show(one.example)
    print(row("all", [one for found in every for one in found]))
    mean = statistics.mean(sum(m.place is not None for m in found) / len(found) for found in every)
    print(f"\nMean recall over {len(every)} kinds: {mean:.1%}")


def show(example: Example) -> None:
    """An example as a diff."""
    before, after = (
        [content(line) for line in split_lines(text)] for text in (example.before, example.after)
    )
    diff = difflib.unified_diff(before, after, lineterm="", n=2)
    print("\n".join([f"  {example.request.instruction!r} {example.request.scope}", *list(diff)[2:]]), "\n")
