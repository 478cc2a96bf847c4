"""How values stand in f-strings and formats: with `!r`, with `%r`, without quotes that were written by hand."""

from __future__ import annotations

import re
from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_nodes
from copydesk.refactorings.expressions import is_mentioned, mentioned, single_line
from copydesk.syntax.tree import text_of

_ALL = frozenset({"all", "both", "each", "every", "everywhere", "everything"})


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    everywhere, quoted = [], []
    for node in mentioned(context.walk("string"), arguments):
        old = text_of(node)
        if not single_line(node):
            continue
        fields = list(
            re.finditer(r"\{([^{}!:]+)(![rsa])?\}" if old[:1] in "fF" else r"%[srd]|\{(\w*)\}", old)
        )
        together = len(fields) > 1 and (
            arguments.words & _ALL or ("quotes" in arguments.words and not is_mentioned(node, arguments))
        )
        for found in () if together else fields:
            new = _with_repr(found)
            yield (
                f"Show {found[0]} by its repr, quoted: {'!r' if found[0].startswith('{') else '%r'}",
                replace_nodes(context.lines, [(node, old[: found.start()] + new + old[found.end() :])]),
            )
            a, b = found.start(), found.end()
            if old[a - 1 : a] in "'\"`" and old[a - 1 : a] == old[b : b + 1] and a > 2 and b + 1 < len(old):
                made = old[: a - 1] + _with_repr(found) + old[b + 1 :]
                yield (
                    f"Show {found[0]} by its repr, !r instead of quotes",
                    replace_nodes(context.lines, [(node, made)]),
                )
        pieces = old
        for found in reversed(fields):
            a, b = found.start(), found.end()
            if a > 2 and b + 1 < len(old) and old[a - 1] in "'\"`" and old[a - 1] == old[b]:
                pieces = pieces[: a - 1] + _with_repr(found) + pieces[b + 1 :]
        if pieces != old:
            quoted.append((node, pieces))
        if fields:
            made = old
            for found in reversed(fields):
                made = made[: found.start()] + _with_repr(found) + made[found.end() :]
            everywhere.append((node, made))
    for pairs, said in (
        (everywhere, "Show all values, both, by their repr, quoted: !r"),
        (quoted, "Show all values by !r instead of quotes"),
    ):
        if pairs:
            yield said, replace_nodes(context.lines, pairs)


def _with_repr(found: re.Match[str]) -> str:
    """A field with the repr of its value, or without it, if it has it."""
    field = found[0]
    if field.startswith("%"):
        return "%s" if field == "%r" else "%r"
    if "!r" in field:
        return field.replace("!r", "")
    return re.sub(r"(![sa])?\}$", "!r}", field)


CHANGE_CONVERSION = Refactoring("change_conversion", "refactor.rewrite.changeConversion", _propose)
