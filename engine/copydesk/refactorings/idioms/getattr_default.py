"""`getattr` with a default, in place of a look with `hasattr`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_node
from copydesk.syntax.tree import text_of

_LOOK = re.compile(r"hasattr\(([\w.]+), ([\"'])(\w+)\2\)")


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in context.walk("conditional_expression"):
        if len(node.named_children) != 3:
            continue
        value, test, other = map(text_of, node.named_children)
        found = _LOOK.fullmatch(test)
        if found is not None and value == f"{found[1]}.{found[3]}" and "\n" not in other:
            made = f"getattr({found[1]}, {found[2]}{found[3]}{found[2]}, {other})"
            yield f"Use getattr with a default, no hasattr: {made}", replace_node(context.lines, node, made)


GETATTR_DEFAULT = Refactoring(
    "getattr_default", "refactor.rewrite.getattrDefault", _propose, menu="cursor", everywhere=True
)
