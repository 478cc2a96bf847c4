"""A comment above a statement."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import insert_lines


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    lines = [(number, context.view(number, number)[0]) for number in context.numbers()]
    named = [(number, line) for number, line in lines if line.strip() and arguments.mentions(line.strip())]
    for number, line in named:
        indent = line[: len(line) - len(line.lstrip())]
        for text in arguments.texts:
            if line.strip() not in text:
                title = f'Comment "{text}" above {line.strip()}'
                yield title, insert_lines(number, [f"{indent}# {text}\n"])


ADD_COMMENT = Refactoring("add_comment", "refactor.rewrite.addComment", _propose)
