"""What a finished program must pass before it is applied, whatever model wrote it.

Works on text and syntax trees. Tools that can be run again (a linter) are left to the caller.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from copydesk.program import Copy, Gen, Program, Sub
from copydesk.program.edits import op_text
from copydesk.quickfixes.handlers.missing_import import importable
from copydesk.syntax.global_names import global_names
from copydesk.syntax.import_block import import_block
from copydesk.syntax.tree import Parsed
from copydesk.text.document import split_lines

_SUPPRESSION = re.compile(
    r"""\#\s*(?:noqa\b|type:\s*ignore|pyright:\s*ignore|mypy:\s*ignore|pylint:\s*disable|pragma:\s*no\s*cover
        |(?:ruff|flake8):\s*(?:noqa|disable|ignore|file-ignore)|nosec\b|fmt:\s*(?:off|skip)|isort:\s*skip)
      | (?://|/\*)\s*(?:eslint-disable|@ts-(?:ignore|expect-error|nocheck)|prettier-ignore|tslint:disable|biome-ignore)""",
    re.VERBOSE | re.IGNORECASE,
)
_RULE = re.compile(r"[A-Za-z][\w@/-]*")


def adds_suppression(program: Program, lines: Sequence[str]) -> str | None:
    """The first comment in new text that silences a tool and stands nowhere in the lines the program drops, or None."""
    had = {found.group(0) for line in _dropped(program, lines) for found in _SUPPRESSION.finditer(line)}
    for op in program.ops:
        text = op.text if isinstance(op, Gen) else op.new if isinstance(op, Sub) else ""
        for found in _SUPPRESSION.finditer(text):
            if found.group(0) not in had:
                return found.group(0)
    return None


def more_suppressions(before: Sequence[str], after: Sequence[str]) -> str | None:
    """A comment that silences a tool and is not in `before`, or silences more there, or None. For texts without a
    program: a comment that only moved does not count."""
    had = Counter(silenced for line in before for silenced in _silenced(line))
    for line in after:
        for silenced in _silenced(line):
            had[silenced] -= 1
            if had[silenced] < 0:
                return " ".join(silenced).strip()
    return None


def _silenced(line: str) -> Iterator[tuple[str, str]]:
    """Each comment that silences a tool with each rule it names; without one it silences all."""
    for found in _SUPPRESSION.finditer(line):
        kind = re.sub(r"\s+", "", found.group(0).lower())
        rules = _RULE.findall(line[found.end() :].partition("#")[0])
        yield from ((kind, rule) for rule in rules or [""])


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
    return parsed.breaks(after, head, tail)


def left_undefined(before: str, after: str) -> list[str]:
    """The names that an edit of Python code leaves without a definition: those that are read behind it alone and no import could
    bind (who asks for `json.dumps` may have the import to come), and those whose definition it took away.
    """
    had, has = global_names(before), global_names(after)
    if had is None or has is None:
        return []
    lost = sorted(has.undefined - had.undefined)
    return [name for name in lost if name in had.read or not could_be_imported(name, after)]


def could_be_imported(name: str, text: str) -> bool:
    """Whether an import that is known, or the only one there is, would bind a name in Python code."""
    lines = split_lines(text)
    found = importable(name, lines, import_block(lines, "python") or (1, 0))
    return found is not None and (found.known or found.one_source)


def _dropped(program: Program, lines: Sequence[str]) -> Iterator[str]:
    """The lines that no copy keeps, a sub's own among them."""
    done = 0
    for op in program.ops:
        if isinstance(op, Copy):
            yield from lines[done : op.start - 1]
            done = op.end
    yield from lines[done:]
