"""What a finished program must pass before it is applied, whatever model wrote it.

Knows text and syntax trees; nothing of models. Tools that can be run again (a linter) are the caller's business.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from copydesk.program import Gen, Program, Sub
from copydesk.syntax import parse

_SUPPRESSION = re.compile(
    r"""\#\s*(?:noqa\b|type:\s*ignore|pyright:\s*ignore|mypy:\s*ignore|pylint:\s*disable|ruff:\s*noqa|pragma:\s*no\s*cover
        |nosec\b|fmt:\s*(?:off|skip)|isort:\s*skip)
      | (?://|/\*)\s*(?:eslint-disable|@ts-(?:ignore|expect-error|nocheck)|prettier-ignore|tslint:disable|biome-ignore)""",
    re.VERBOSE | re.IGNORECASE,
)


def adds_suppression(program: Program, lines: Sequence[str]) -> str | None:
    """The first comment in new text that silences a tool and stands nowhere in the lines the program drops, or None."""
    kept = {n for op in program.ops if not isinstance(op, Gen | Sub) for n in range(op.start, op.end + 1)}
    dropped = [line for n, line in enumerate(lines, 1) if n not in kept] if len(kept) < len(lines) else []
    had = {found.group(0) for line in dropped for found in _SUPPRESSION.finditer(line)}
    for op in program.ops:
        text = op.text if isinstance(op, Gen) else op.new if isinstance(op, Sub) else ""
        for found in _SUPPRESSION.finditer(text):
            if found.group(0) not in had:
                return found.group(0)
    return None


def parses(lines: Sequence[str], language: str) -> bool | None:
    """Whether `lines` parse without error; None for a language without a grammar."""
    tree = parse(lines, language)
    return None if tree is None else not tree.root_node.has_error
