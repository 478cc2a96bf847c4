"""`getattr` with a default, in place of a look with `hasattr`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_node
from copydesk.refactorings.expressions import is_value, mentioned, replace_expression, single_line
from copydesk.refactorings.spoken import spoken_values
from copydesk.syntax.tree import text_of

_MISSING = frozenset({
    "getattr", "lacks", "lack", "missing", "without", "default", "fall", "fallback", "old", "absent", "exist",
})  # fmt: skip
"""Words of an instruction about an attribute that may not be there."""
_LOOK = re.compile(r"hasattr\(([\w.]+), ([\"'])(\w+)\2\)")


def _missing(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """An attribute that may not be there, and what is taken then."""
    defaults = dict.fromkeys([*spoken_values(arguments)[:4], "None"]) if arguments.words & _MISSING else ()
    for node in mentioned(context.walk("attribute"), arguments) if defaults else ():
        owner, name = node.child_by_field_name("object"), node.child_by_field_name("attribute")
        if owner is None or name is None or not is_value(node) or not single_line(node):
            continue
        for default in defaults:
            made = f'getattr({text_of(owner)}, "{text_of(name)}", {default})'
            yield f"Use getattr with a default {default}: {made}", replace_expression(context, node, made)


def _looked_for(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in context.walk("conditional_expression"):
        if len(node.named_children) != 3:
            continue
        value, test, other = map(text_of, node.named_children)
        found = _LOOK.fullmatch(test)
        if found is not None and value == f"{found[1]}.{found[3]}" and "\n" not in other:
            made = f"getattr({found[1]}, {found[2]}{found[3]}{found[2]}, {other})"
            yield f"Use getattr with a default, no hasattr: {made}", replace_node(context.lines, node, made)


GETATTR_DEFAULT = Refactoring(
    "getattr_default",
    "refactor.rewrite.getattrDefault",
    _missing,
    menu="cursor",
    offer=_looked_for,
    everywhere=True,
)
