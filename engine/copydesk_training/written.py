"""Instructions written for training, in people's words, each with the edit it asks for: the records of `instructions/*.jsonl`.

A record names a function by package, path and the SHA-256 of its text, and holds what is asked of it: no code beside the lines
that an edit brings. It serves whatever release the corpus has, as long as the function is in it unchanged. Knows texts; nothing
of tokens or candidates.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from random import Random
from typing import Any

from copydesk.errors import TrainingError
from copydesk.request import EditRequest
from copydesk.text.document import split_lines
from copydesk_training.corpus import Corpus, Entry
from copydesk_training.example import Example
from copydesk_training.excerpts import excerpt_round

KIND = "written"
FOLDER = "instructions"
HELD_OUT = "held-out.jsonl"
"""The file of records that are measured on and never learnt from."""

_AGAIN = re.compile(
    r"\b(?:another|again|bigger|decreas|doubl|extra|fewer|flip|halv|increas|invert|less|longer|lower|more|negat|opposite|order|"
    r"other way|raise the|revers|shorter|smaller|swap|switch|toggl|twice)",
    re.IGNORECASE,
)
"""What is asked for in such words may be wanted once more where it is done."""

Replacement = tuple[int, int, str]
"""First and last line, 1-based and inclusive, counted from the function's first; and the text that takes their place."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One request in several wordings, and its edit: replacements from the top down, none where nothing is to be done."""

    kind: str
    wordings: tuple[str, ...]
    edits: tuple[Replacement, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """A function of a package, and what is asked of it. first: its line (1-based) when this was written; sha256: of its text."""

    package: str
    path: str
    sha256: str
    first: int
    size: int
    asked: tuple[Asked, ...]

    def find(self, lines: Sequence[str]) -> int | None:
        """The index of the function's first line in a file, nearest to where it was; None where it is not in it."""
        for start in sorted(range(len(lines) - self.size + 1), key=lambda k: abs(k + 1 - self.first)):
            text = "".join(lines[start : start + self.size])
            if hashlib.sha256(text.encode("utf-8", "replace")).hexdigest() == self.sha256:
                return start
        return None


@cache
def records(*, held_out: bool = False, only: tuple[str, ...] = ()) -> dict[tuple[str, str], list[Record]]:
    """The records to learn from, or those held out, by package and path. only: the files to take of those to learn from; all by
    default. Raises TrainingError for a record that is malformed, and for a file that there is not.
    """
    found: dict[tuple[str, str], list[Record]] = {}
    folder = resources.files("copydesk_training") / FOLDER
    files = sorted(
        (file for file in folder.iterdir() if file.name.endswith(".jsonl")), key=lambda file: file.name
    )
    if missing := set(only) - {file.name for file in files}:
        raise TrainingError(f"no records in {FOLDER}/ are called {', '.join(sorted(missing))}")
    for file in files:
        if (file.name == HELD_OUT) != held_out or (only and file.name not in only):
            continue
        for number, row in enumerate(file.read_text("utf-8").split("\n"), 1):
            try:
                record = _record(json.loads(row)) if row else None
            except (ValueError, KeyError, TypeError) as error:
                raise TrainingError(f"{file.name}, line {number}: {error!r}") from error
            if record is not None:
                found.setdefault((record.package, record.path), []).append(record)
    return found


def _record(row: dict[str, Any]) -> Record:
    asked = tuple(
        Asked(one["kind"], tuple(one["ask"]), tuple((a, b, text) for a, b, text in one["edits"]))
        for one in row["asked"]
    )
    return Record(row["package"], row["path"], row["sha256"], row["first"], row["lines"], asked)


def digest() -> str:
    """Names the records: shards made with others are other shards."""
    told = [record for _, those in sorted(records().items()) for record in those]
    return hashlib.sha256(repr(told).encode()).hexdigest()[:24]


def asked_of(corpus: Corpus, *, held_out: bool = False, only: tuple[str, ...] = ()) -> list[Entry]:
    """The files of a corpus that have records to learn from, or such as are held out (`records`)."""
    known = records(held_out=held_out, only=only)
    return [entry for entry in corpus.of("train") if (entry.package, entry.path) in known]


def examples(
    corpus: Corpus,
    entries: Sequence[Entry],
    turn: int = 0,
    *,
    held_out: bool = False,
    only: tuple[str, ...] = (),
    already: Random | None = None,
) -> Iterator[tuple[Asked, Example]]:
    """The requests of the records on some files, in their wording of this turn; what has fewer wordings is not asked again.

    already: draws an edit for each function that has been made before what its lines do not touch (`_apart`), so that requests
    are met again on other code; the request for that edit itself now leaves nothing to do. What has nothing to do is asked of the
    code it was written for: it might not hold of other code.
    """
    known = records(held_out=held_out, only=only)
    for entry, file in zip(entries, corpus.read(entries), strict=True):
        lines = split_lines(file.text)
        for record in known.get((entry.package, entry.path), ()):
            start = record.find(lines)
            if start is None:
                continue
            made = already.choice(record.asked).edits if already else ()
            for asked in record.asked:
                if turn >= len(asked.wordings):
                    continue
                before = made if asked.edits and _apart(made, asked.edits) else ()
                one = example(lines, start, record.size, asked, asked.wordings[turn], before)
                yield asked, (carried_out(one) if made == asked.edits else None) or one


def carried_out(example: Example) -> Example | None:
    """The same request of the text that it asks for, where it leaves nothing to do. None where that is so already, and where it
    may be wanted once more ("swap the arguments").
    """
    request = example.request
    if example.before == example.after or request.scope is None or _AGAIN.search(request.instruction or ""):
        return None
    ((first, last),) = request.scope
    last += len(split_lines(example.after)) - len(split_lines(example.before))
    return replace(example, before=example.after, request=replace(request, scope=[(first, last)]))


def _apart(some: Sequence[Replacement], others: Sequence[Replacement]) -> bool:
    """Whether a line at least lies between all that they replace."""
    return all(a[1] + 1 < b[0] or b[1] + 1 < a[0] for a in some for b in others)


def example(
    lines: Sequence[str],
    start: int,
    size: int,
    asked: Asked,
    wording: str,
    before: Sequence[Replacement] = (),
) -> Example:
    """A request about lines[start:start + size], in an excerpt of the file. before: what is done to these lines before it."""
    function = _replaced(lines[start : start + size], before)
    changed = _replaced(lines[start : start + size], sorted([*before, *asked.edits]))
    parts = excerpt_round(lines, start, start + size) or [(0, len(lines))]
    head = [line for a, b in parts[:-1] for line in lines[a:b]]
    a, b = parts[-1]
    head += lines[a:start]
    tail = "".join(lines[start + size : b])
    scope = (len(head) + 1, len(head) + len(function))
    text, after = ("".join([*head, *middle]) + tail for middle in (function, changed))
    return Example(text, after, EditRequest(scope=[scope], instruction=wording), KIND, located=True)


def _replaced(lines: Sequence[str], edits: Sequence[Replacement]) -> list[str]:
    """The lines that replacements, from the top down, leave."""
    changed = list(lines)
    for first, last, text in reversed(edits):
        changed[first - 1 : last] = split_lines(text)
    return changed
