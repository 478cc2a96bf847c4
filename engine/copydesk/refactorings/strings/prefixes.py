"""The letters before a text: `u`, which says nothing in Python 3, `r` and `b`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.expressions import (
    is_value,
    replace_expression,
    replace_expressions,
    single_line,
)
from copydesk.syntax.tree import text_of

_RAW = frozenset({"raw", "r", "backslash", "backslashes", "escape", "escapes"})
_BYTES = frozenset({"bytes", "b", "byte", "bytestring", "binary"})
"""Words of an instruction about raw texts, and about bytes."""


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    unicode: list[tuple[Node, str]] = []
    for node in context.walk("string"):
        found = re.match(r"([A-Za-z]*)([\"'])", text_of(node))
        if found is None or not is_value(node) or not single_line(node):
            continue
        prefix, bare = found[1].lower(), text_of(node)[len(found[1]) :]
        inner = bare.strip(found[2])
        if prefix == "u":
            unicode.append((node, bare))
        if arguments.words & _RAW and "r" in prefix and "\\" not in inner:
            title = f"Drop the r prefix, no raw text: {bare}"
            yield title, replace_expression(context, node, re.sub("[rR]", "", found[1]) + bare)
        if arguments.words & _BYTES:
            if "b" in prefix:
                title = f"Drop the b prefix, a text, no bytes: {bare}"
                yield title, replace_expression(context, node, re.sub("[bB]", "", found[1]) + bare)
            elif prefix in ("", "r", "u") and inner.isascii():
                title = f"Make it bytes, b prefix: b{bare}"
                yield title, replace_expression(context, node, ("br" if prefix == "r" else "b") + bare)
    if unicode:
        yield "Drop the u prefix, not needed, Python 3", replace_expressions(context, unicode)
    for node, bare in unicode if len(unicode) > 1 else ():
        if arguments.mentions(bare) or arguments.mentions(bare[1:-1]):
            yield f"Drop the u prefix of {bare}", replace_expression(context, node, bare)


STRING_PREFIX = Refactoring("string_prefix", "refactor.rewrite.stringPrefix", _propose, everywhere=True)
