"""Puts examples into benchmarks/quality.md: what the model made of instructions that nobody wrote for it.

    copydesk bench instructions --model standard --phrases on --dtype int8 --json ANSWERS
    python -m copydesk_benchmarks quality_page ANSWERS

A comment `<!-- examples: right -->` (or `wrong`, `unsure`, …: an outcome of the command above) is followed by the first twenty
answers with that outcome in the order of the development set, each as its instruction and the lines that changed. What stood
between it and `<!-- end -->` is replaced. Nobody picks: the order is that in which the set was written.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from copydesk.text.document import split_lines
from copydesk_benchmarks.checkout import ROOT
from copydesk_benchmarks.instruction_checks import apply_variant
from copydesk_benchmarks.instruction_records import FOLDER, Packages, Record, load_records

PAGE = ROOT / "benchmarks" / "quality.md"
EXAMPLES = re.compile(r"(<!-- examples: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
MOST = 20


@dataclass(frozen=True, slots=True)
class Shown:
    """An answer, with the selected lines before and after."""

    record: Record
    outcome: str
    before: list[str]
    after: list[str]
    wanted: list[str]
    """One of the results that the record's check accepts."""


def example(shown: Shown) -> str:
    """In Markdown: the instruction, and what was done or, where nothing was, what would have been right."""
    record, edited = shown.record, shown.before != shown.after
    first, last = record.lines
    place = f"{record.package} {record.version}, `{record.file}`, lines {first} to {last}"
    if shown.outcome == "right" and not edited:
        return f"- *{record.instruction}* ({place}): rightly left as it is.\n"
    lines = changed(shown.before, shown.after if edited else shown.wanted)
    told = (
        ""
        if edited
        else " Nothing was shown. Right would have been" + (":" if lines else " to leave it as it is.")
    )
    block = f"\n  ```diff\n{lines}  ```\n" if lines else "\n"
    return f"- *{record.instruction}* ({place}){'.' if told else ''}{told}{block}"


def changed(before: Sequence[str], after: Sequence[str]) -> str:
    """The lines taken away and the lines brought, indented for a list, without what stayed."""
    made = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    hunks = [(before[i:j], after[k:m]) for tag, i, j, k, m in made if tag != "equal"]
    found = [
        f"{sign}{line}" for hunk in hunks for sign, lines in zip("-+", hunk, strict=True) for line in lines
    ]
    return "".join(f"  {line.rstrip()}\n" for line in found)


def shown_answers(answers: Path) -> list[Shown]:
    """The answers of a run on the development set, in its order. Raises OSError, ValueError, RecordError."""
    records = {record.id: record for record in load_records(FOLDER / "dev.jsonl")}
    packages = Packages()
    found = []
    for row in map(json.loads, filter(None, answers.read_text("utf-8").split("\n"))):
        record = records[row["id"]]
        text = packages.text(record)
        first, last = record.lines
        before = split_lines(text)[first - 1 : last]
        wanted = before
        if record.check.kind != "unchanged" and record.accepted:
            behind = len(split_lines(text)) - last
            lines = split_lines(apply_variant(text, record.accepted[0]))
            wanted = lines[first - 1 : len(lines) - behind]
        found.append(Shown(record, row["outcome"], before, split_lines(row["lines"]), wanted))
    return found


def filled_in(page: str, answers: Sequence[Shown]) -> str:
    """The page with its examples."""

    def examples(match: re.Match[str]) -> str:
        found = [answer for answer in answers if answer.outcome == match[2]]
        told = "".join(map(example, found[:MOST])) or "None.\n"
        return f"{match[1]}\n{told}\n{match[3]}"

    return EXAMPLES.sub(examples, page)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("answers", type=Path, metavar="ANSWERS")
    answers = shown_answers(parser.parse_args().answers)
    PAGE.write_text(filled_in(PAGE.read_text("utf-8"), answers), "utf-8")
    return 0
