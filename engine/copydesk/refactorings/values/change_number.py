"""Numbers one more or less, negated, or what an instruction says; values shifted by one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.expressions import (
    LITERALS,
    is_mentioned,
    mentioned,
    replace_expression,
    values,
)  # fmt: skip
from copydesk.syntax.tree import text_of


def _literals(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    if arguments.words & {"one", "1", "off", "from", "start", "starts", "starting", "based", "count"}:
        for node in mentioned(values(context), arguments):
            if node.type in ("identifier", "attribute", "call") and is_mentioned(node, arguments):
                for shifted in (f"{text_of(node)} + 1", f"{text_of(node)} - 1"):
                    yield f"Shift by one, off by one: {shifted}", replace_expression(context, node, shifted)
    for node in mentioned(context.walk(*LITERALS), arguments):
        old = text_of(node)
        if re.fullmatch(r"\d+", old):
            number = int(old)
            for new, said in (
                (number + 1, "one more"),
                (number - 1, "one less"),
                (2 * number, "twice, double"),
                (number // 2, "half"),
            ):
                yield f"Change {old} to {new}, {said}", replace_expression(context, node, str(new))
            if arguments.words & {"float", "floats", "decimal"}:
                yield f"Make {old} a float: {old}.0", replace_expression(context, node, f"{old}.0")
        elif re.fullmatch(r"\d+\.\d*", old):
            for made, said in ((2 * float(old), "twice, double"), (float(old) / 2, "half")):
                yield f"Change {old} to {made}, {said}", replace_expression(context, node, str(made))


CHANGE_NUMBER = Refactoring("change_number", "refactor.rewrite.changeNumber", _literals, everywhere=True)
