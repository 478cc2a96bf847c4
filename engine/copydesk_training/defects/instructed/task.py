"""One edit a person could ask for: the lines it is about, how it is asked, and what a person would have selected."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

from copydesk.request import EditRequest, Range
from copydesk_training.defects.asks import ask
from copydesk_training.defects.broken import Broken, Defect, Edit
from copydesk_training.defects.parsed import FunctionNode, ParsedFile
from copydesk_training.defects.revision import MOST_LINES, whole_lines

S = TypeVar("S")
Injector = Callable[[ParsedFile, Random], Defect | None]
Outer = FunctionNode | ast.ClassDef | None

TRIES = 8
WIDEST = 4
"""A selection reaches at most so many lines beyond the statement, on either side, unless it is the whole function."""


@dataclass(frozen=True, slots=True)
class Task:
    """`edits` turn the file's own text into the other one; `back` asks for the way from there to the file's own.

    `lines`: the first and the last line of the file's own text that the instruction is about. `outer`: the function or
    class that a person may select instead. `rivals`: lines with something else that the wording could mean; no selection
    reaches them. `imports`: lines of the import block, where the edit changes that as well.
    """

    subject: str
    outer: Outer
    lines: Range
    edits: Sequence[Edit]
    fields: Mapping[str, str] = field(default_factory=dict)
    back: bool = False
    rivals: Collection[int] = ()
    imports: Range | None = None


def defect_of(file: ParsedFile, rng: Random, task: Task) -> Defect | None:
    """The task as texts and a request; None where it changes nothing."""
    changed = Broken(file, task.edits)
    if changed.text == file.text:
        return None
    shown = changed if task.back else Broken(file, ())
    scope = [lines_in(shown, _selected(file, rng, task))]
    if task.imports is not None:
        scope.insert(0, lines_in(shown, task.imports))
    request = EditRequest(scope=scope, instruction=ask(rng, task.subject, **task.fields))
    before, after = (changed.text, file.text) if task.back else (file.text, changed.text)
    return Defect(before, after, request)


def _selected(file: ParsedFile, rng: Random, task: Task) -> Range:
    """The statement, a few lines more, or the whole function: the lines of the file's own text."""
    first, last = task.lines
    top, bottom = extent(file, task.outer)
    widened = (
        max(min(top, first), first - rng.randrange(WIDEST)),
        min(max(bottom, last), last + rng.randrange(WIDEST)),
    )
    wanted = rng.random()
    candidates = [(first, last)]
    if wanted < 0.65:
        candidates.append(widened)
    if wanted < 0.4 and task.outer is not None and bottom - top < MOST_LINES and top <= first:
        candidates.append((top, max(bottom, last)))
    for start, end in reversed(candidates):
        if not any(start <= line <= end and not first <= line <= last for line in task.rivals):
            return start, end
    return first, last


def extent(file: ParsedFile, outer: Outer) -> Range:
    """The lines of a function or class, decorators included; the whole file for None."""
    if outer is None:
        return 1, len(file.starts) - file.text.endswith("\n")
    top = min([outer.lineno, *(d.lineno for d in outer.decorator_list)])
    return top, outer.end_lineno or outer.lineno


def lines_in(broken: Broken, lines: Range) -> Range:
    """Lines of the clean text as lines of the broken one, with what was put in just before and behind them."""
    start, end = whole_lines(broken.file, *lines)
    shift = sum(len(e.new) - (e.end - e.start) for e in broken.edits if e.start < start and e.end <= start)
    spanning = [e.start for e in broken.edits if e.start < start < e.end]
    first = spanning[0] if spanning else start + shift
    behind = broken.offset(end)
    return broken.line(first), max(
        broken.line(first), broken.line(behind) - broken.text.endswith("\n", 0, behind)
    )


def tasks(name: str, find: Callable[[ParsedFile], Iterable[Task]]) -> Injector:
    """An injector that draws one of the tasks a file has."""

    def inject(file: ParsedFile, rng: Random) -> Defect | None:
        found = file.cached(name, lambda: find(file))
        return defect_of(file, rng, rng.choice(found)) if found else None

    return inject


def varied(
    name: str,
    find: Callable[[ParsedFile], Iterable[S]],
    make: Callable[[ParsedFile, Random, S], Task | None],
) -> Injector:
    """An injector that draws a place and makes a task of it, with names or values drawn anew each time."""

    def inject(file: ParsedFile, rng: Random) -> Defect | None:
        found = file.cached(name, lambda: find(file))
        for _ in range(min(TRIES, len(found))):
            task = make(file, rng, rng.choice(found))
            defect = defect_of(file, rng, task) if task is not None else None
            if defect is not None:
                return defect
        return None

    return inject


def either(*injectors: Injector) -> Injector:
    """One of several injectors, the others where it finds nothing."""

    def inject(file: ParsedFile, rng: Random) -> Defect | None:
        for one in rng.sample(injectors, len(injectors)):
            defect = one(file, rng)
            if defect is not None:
                return defect
        return None

    return inject
