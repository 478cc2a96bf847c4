"""No comments but those that tools read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, replace_lines
from copydesk.syntax.splice import start_of
from copydesk.syntax.tree import text_of

_READ_BY_TOOLS = re.compile(
    r"#\s*(?:!|-\*-|noqa|type:|pragma|pylint:|fmt:|isort:|ruff:|mypy:|pyright:|nosec|coding[:=])",
    re.IGNORECASE,
)


def remove_comments(context: RefactoringContext) -> Edits:
    """Whole lines, and what stands behind code."""
    found: list[Edits] = []
    for node in context.walk("comment"):
        if not _READ_BY_TOOLS.match(text_of(node)):
            line = node.start_point[0] + 1
            before, comment = context.split(start_of(node))
            end = "\n" if comment.endswith("\n") else ""
            found.append(replace_lines(line, line, [before.rstrip() + end] if before.strip() else []))
    return tuple(edit for edits in found for edit in edits)


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    yield "Remove comments", remove_comments(context)


REMOVE_COMMENTS = Refactoring(
    "remove_comments", "refactor.rewrite.removeComments", _propose, menu="selection"
)
