"""An entry by its name instead of its place: `parts.scheme` for `parts[0]`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.expressions import is_value, replace_expression
from copydesk.syntax.tree import text_of

_FIELD = re.compile(r"(?<![\w)\]])`?\.([^\W\d]\w*)\b(?!\()")


_METHODS = frozenset(name for kind in (dict, list, tuple, str) for name in dir(kind))
"""What collections have by themselves is no name of an entry."""


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    fields = dict.fromkeys(name for name in _FIELD.findall(arguments.instruction) if name not in _METHODS)
    for node in context.walk("subscript") if fields else ():
        owner, place = node.child_by_field_name("value"), node.child_by_field_name("subscript")
        if owner is None or place is None or not is_value(node):
            continue
        for field in fields:
            made = f"{text_of(owner)}.{field}"
            yield (
                f"Use .{field} instead of the index, subscript: {made}",
                replace_expression(context, node, made),
            )


NAMED_FIELD = Refactoring("named_field", "refactor.rewrite.namedField", _propose, everywhere=True)
