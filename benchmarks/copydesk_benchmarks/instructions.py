"""`copydesk bench instructions`: what becomes of free-worded instructions on code that no model was trained on.

Each record is asked as a person would ask it: the file open, its lines selected, greedy. The outcomes are

    right       the check accepts what was shown; or nothing was to be done (satisfied already, or impossible), and nothing was
    wrong       an edit was shown, and the check rejects it
    unsure      refused because the model was not sure enough
    refused     refused because a check of the engine failed
    unchanged   nothing was done, and something should have been
    failed      the model could not serve the request

The development set may be looked at; of the sealed set only totals are printed, and nothing is written.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import torch
from rich.console import Console

from copydesk.editor import Editor
from copydesk.errors import CopydeskError, RequestError
from copydesk.request import EditRequest
from copydesk.results import EditResult
from copydesk.text.document import split_lines
from copydesk_benchmarks import facts
from copydesk_benchmarks.instruction_records import (
    FOLDER,
    Packages,
    Record,
    RecordError,
    load_records,
    problems,
)
from copydesk_benchmarks.report import Table
from copydesk_training.statistics import Share

Outcome: TypeAlias = Literal["right", "wrong", "unsure", "refused", "unchanged", "failed"]
OUTCOMES: tuple[Outcome, ...] = ("right", "wrong", "unsure", "refused", "unchanged", "failed")
SETS = ("dev", "sealed")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model made of a record. `lines` is the text that stands where the selected lines stood, for reading."""

    record: Record
    phrases: bool
    outcome: Outcome
    reason: str | None
    lines: str
    ms: float


def main(argv: Sequence[str]) -> int:
    """The exit code of `copydesk bench instructions` with these options."""
    from copydesk_server import cli

    return cli.main(["bench", "instructions", *argv])


def run(args: argparse.Namespace) -> int:
    """Measure, or with --check-data validate the records: 1 where one is wrong. Raises CopydeskError, OSError."""
    console = Console(stderr=True, quiet=args.quiet, highlight=False, markup=False)
    packages = Packages()
    if args.check_data:
        return check_data(packages, SETS if args.set is None else (args.set,), console)
    name = args.set or "dev"
    if name == "sealed" and args.json:
        raise RequestError("of the sealed set nothing but totals is given: leave out --json")
    records = load_records(FOLDER / f"{name}.jsonl")
    torch.set_num_threads(args.threads or facts.default_threads())
    out = Console(soft_wrap=True, highlight=False, markup=False, emoji=False)
    with Editor.load(args.model, args.device, dtype=args.dtype, warm=False) as editor:
        for phrases in (False, True) if args.phrases is None else (args.phrases == "on",):
            answers = []
            for number, record in enumerate(records, 1):
                answers.append(ask(editor, record, packages.text(record), phrases=phrases))
                if number % 10 == 0:
                    console.print(f"phrases {'on' if phrases else 'off'}: {number} of {len(records)}")
            if args.json:
                write_answers(args.json, answers, append=args.phrases is None and phrases)
            found = table(answers, by_kind=name != "sealed")
            out.print(f"{found.title}\n\n{found.markdown()}")
    return 0


def check_data(packages: Packages, names: Iterable[str], console: Console) -> int:
    """Whether the records of these sets are what they should be, against the real packages; 1 where one is not."""
    wrong = 0
    seen: set[tuple[str, str, tuple[int, int], str]] = set()
    for name in names:
        records = load_records(FOLDER / f"{name}.jsonl")
        for record in records:
            try:
                found = problems(record, packages.text(record))
            except RecordError as error:
                found = [str(error)]
            key = (record.package, record.file, record.lines, record.instruction)
            if key in seen:
                found.append("the same instruction for the same lines as another record")
            seen.add(key)
            for problem in found:
                console.print(f"{record.id}: {problem}")
            wrong += bool(found)
        console.print(f"{name}: {len(records)} records")
    return int(wrong > 0)


def ask(editor: Editor, record: Record, text: str, *, phrases: bool) -> Answer:
    """What the model makes of one record; an error of the engine is the outcome `failed`."""
    document = editor.open(record.file, text)
    request = EditRequest(scope=[record.lines], instruction=record.instruction, phrases=phrases)
    try:
        result = document.edit(request)
    except CopydeskError as error:
        return Answer(record, phrases, "failed", str(error), "", 0.0)
    finally:
        document.close()
    first, last = record.lines
    lines = split_lines(result.text)
    behind = len(split_lines(text)) - last
    shown = "".join(lines[first - 1 : len(lines) - behind])
    return Answer(
        record, phrases, outcome(record, text, result), result.reason, shown, result.ms.get("total", 0.0)
    )


def outcome(record: Record, text: str, result: EditResult) -> Outcome:
    """What a result is worth for a record of the file `text`."""
    if result.status == "edited":
        return "right" if record.check.accepts(text, record.lines, result.text) else "wrong"
    if result.status == "unchanged":
        return "right" if record.check.kind == "unchanged" else "unchanged"
    if result.status == "refused":
        return "unsure" if result.unsure else "refused"
    return "failed"


def table(answers: Sequence[Answer], *, by_kind: bool) -> Table:
    """Outcomes by kind, most frequent kind first, and in all."""
    kinds = [kind for kind, _ in Counter(answer.record.kind for answer in answers).most_common()]
    rows = [_row(kind, [a for a in answers if a.record.kind == kind]) for kind in kinds] if by_kind else []
    rows.append(_row("all", answers))
    phrases = "on" if any(answer.phrases for answer in answers) else "off"
    columns = ("kind", "right", "wrong and shown", "unsure", "refused", "unchanged", "failed")
    return Table(f"Free-worded instructions, phrases {phrases}", columns, tuple(rows))


def _row(kind: str, answers: Sequence[Answer]) -> tuple[str | int, ...]:
    counted = Counter(answer.outcome for answer in answers)
    right, *others = (counted[name] for name in OUTCOMES)
    return (kind, str(Share(right, len(answers))), *others)


def write_answers(path: str, answers: Sequence[Answer], *, append: bool) -> None:
    """One JSON object a line for each answer, for reading. Raises OSError."""
    with open(path, "a" if append else "w", encoding="utf-8") as file:
        for answer in answers:
            row = {
                "id": answer.record.id,
                "kind": answer.record.kind,
                "instruction": answer.record.instruction,
                "phrases": answer.phrases,
                "outcome": answer.outcome,
                "reason": answer.reason,
                "lines": answer.lines,
                "ms": round(answer.ms, 1),
            }
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
