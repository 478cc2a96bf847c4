"""What a finished program must pass before it is applied, whatever model wrote it.

Knows text and syntax trees; nothing of models. Tools that can be run again (a linter) are the caller's business.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from copydesk.document import split_lines
from copydesk.program import Copy, Gen, Program, Sub
from copydesk.program.edits import op_text
from copydesk.syntax import Parsed

_SUPPRESSION = re.compile(
    r"""\#\s*(?:noqa\b|type:\s*ignore|pyright:\s*ignore|mypy:\s*ignore|pylint:\s*disable|ruff:\s*noqa|pragma:\s*no\s*cover
        |nosec\b|fmt:\s*(?:off|skip)|isort:\s*skip)
      | (?://|/\*)\s*(?:eslint-disable|@ts-(?:ignore|expect-error|nocheck)|prettier-ignore|tslint:disable|biome-ignore)""",
    re.VERBOSE | re.IGNORECASE,
)


def adds_suppression(program: Program, lines: Sequence[str]) -> str | None:
    """The first comment in new text that silences a tool and stands nowhere in the lines the program drops, or None."""
    had = {found.group(0) for line in _dropped(program, lines) for found in _SUPPRESSION.finditer(line)}
    for op in program.ops:
        text = op.text if isinstance(op, Gen) else op.new if isinstance(op, Sub) else ""
        for found in _SUPPRESSION.finditer(text):
            if found.group(0) not in had:
                return found.group(0)
    return None


def breaks_syntax(program: Program, lines: Sequence[str], parsed: Parsed) -> bool:
    """Whether the result of `program` on `lines`, which parse as `parsed`, has a syntax error. Costs time in what changed."""
    first, last = program.ops[:1], program.ops[-1:]
    head = first[0].end if first and isinstance(first[0], Copy) and first[0].start == 1 else 0
    tail = 0
    if len(program.ops) > 1 and isinstance(last[0], Copy) and last[0].end == len(lines):
        tail = len(lines) - last[0].start + 1
    middle = program.ops[bool(head) : len(program.ops) - bool(tail)]
    changed = split_lines("".join(op_text(op, lines) for op in middle))
    after = [*lines[:head], *changed, *lines[len(lines) - tail :]]
    return parsed.changed(after, head, tail).broken


def _dropped(program: Program, lines: Sequence[str]) -> Iterator[str]:
    """The lines that no copy keeps, a sub's own among them."""
    done = 0
    for op in program.ops:
        if isinstance(op, Copy):
            yield from lines[done : op.start - 1]
            done = op.end
    yield from lines[done:]
