"""A body of `...` alone, beside the head of its function or below it."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_lines
from copydesk.syntax.tree import text_of


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for function in context.starting("function_definition"):
        body = function.child_by_field_name("body")
        if body is None or text_of(body) not in ("...", "pass") or not context.has(body):
            continue
        head, last = body.prev_sibling, body.start_point[0] + 1
        line = head.end_point[0] + 1 if head is not None else last
        if head is None or head.type != ":" or not context.shows(line, last):
            continue
        (start,), text = context.view(line, line), text_of(body)
        if line == last - 1 and start.rstrip().endswith(":"):
            yield (
                f"Put {text} on the line of the colon",
                replace_lines(line, last, [f"{start.rstrip()} {text}\n"]),
            )
        elif line == last and start.rstrip().endswith(f": {text}"):
            lines = [
                start.rstrip().removesuffix(text).rstrip() + "\n",
                f"{context.indent(function)}    {text}\n",
            ]
            yield f"Put {text} on a line of its own", replace_lines(line, line, lines)


ELLIPSIS_BODY = Refactoring("ellipsis_body", "refactor.rewrite.ellipsisBody", _propose, everywhere=True)
