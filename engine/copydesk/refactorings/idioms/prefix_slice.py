"""A slice from some place on that is compared with a text of its length, as `startswith`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.expressions import bare, children_of, comparison, replace_expression, tests
from copydesk.syntax.tree import text_of

_SLICE = re.compile(r"(?s)(.+)\[([^\[\]:]*):([^\[\]:]*)\]")


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for test in tests(context):
        negated = test.type == "not_operator"
        sides = comparison(bare(children_of(test)[0]) if negated else test)
        if sides is None or sides[1] not in ("==", "!="):
            continue
        made = _method_call(text_of(sides[0]), text_of(sides[2]))
        if made is not None:
            no = "not " if negated == (sides[1] == "==") else ""
            title = f"Use startswith instead of the slice: {no}{made}"
            yield title, replace_expression(context, test, f"{no}{made}")


def _method_call(sliced: str, text: str) -> str | None:
    """`text.startswith("ab", i)` for `text[i : i + 2]` and `"ab"`; None where the slice has another length."""
    found = _SLICE.fullmatch(sliced)
    length = _length(text)
    if found is None or not length:
        return None
    owner, start, end = (part.strip() for part in found.groups())
    if start and end.replace(" ", "") in (f"{start}+{length}".replace(" ", ""), f"{length}+{start}"):
        return f"{owner}.startswith({text}, {start})"
    return None


def _length(text: str) -> int | None:
    """Of a literal text or bytes."""
    try:
        made = ast.literal_eval(text)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None
    return len(made) if isinstance(made, (str, bytes)) else None


PREFIX_SLICE = Refactoring(
    "prefix_slice", "refactor.rewrite.prefixSlice", _propose, menu="cursor", everywhere=True
)
