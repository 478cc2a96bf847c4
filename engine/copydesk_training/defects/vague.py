"""How a bug is reported that no tool words well: a remark at the place, a selection, or nothing at all."""

from __future__ import annotations

from random import Random

from copydesk.request import Range
from copydesk.text.document import split_lines
from copydesk_training.defects.asks import ask
from copydesk_training.defects.broken import Broken, Defect

WHOLE_FILE = 40
"""A file of no more lines may be asked about as a whole."""


def vague(
    broken: Broken, rng: Random, start: int, end: int, subject: str, fields: dict[str, object] | None = None
) -> Defect:
    """A remark on the line, or a request to fix what is selected."""
    if rng.random() < 0.7:
        return broken.defect(broken.diagnostic(rng, subject, start, end, fields))
    line, last = broken.line(start), broken.line(end)
    scope = (line, last) if rng.random() < 0.5 else _widened(broken, rng, line, last)
    return broken.asked(ask(rng, "bug"), [scope], located=True)


def unlocated(broken: Broken, rng: Random, scope: Range) -> Defect:
    """A request to find the bug in a function, or in a short file; half of them leave open whether there is one."""
    instruction = ask(rng, rng.choice(("bug", "check")))
    if len(split_lines(broken.text)) <= WHOLE_FILE and rng.random() < 0.5:
        return broken.asked(instruction, None)
    return broken.asked(instruction, [scope])


def _widened(broken: Broken, rng: Random, first: int, last: int) -> Range:
    count = broken.text.count("\n") + (not broken.text.endswith("\n"))
    return max(1, first - rng.randrange(3)), min(count, last + rng.randrange(3))
