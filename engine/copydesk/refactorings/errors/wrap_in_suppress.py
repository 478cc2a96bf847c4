"""A statement in `with contextlib.suppress(…)`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import named, plain_statements, reindented
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_lines
from copydesk.refactorings.errors.wrap_in_try import errors_of
from copydesk.syntax.tree import rows, text_of

_FILES = re.compile(r"\b(?:os|shutil)\.\w+\(|\.(?:unlink|rmdir|mkdir|rename|touch|close)\(")
_WORDS = frozenset({"suppress", "contextlib", "ignore", "ignored"})


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    if not arguments.words & _WORDS:
        return
    for node in plain_statements(context, "expression_statement", "delete_statement"):
        likely = [*errors_of(text_of(node)), *(["OSError"] if _FILES.search(text_of(node)) else [])]
        moved = reindented(context, *rows(node), 4)
        for error in dict.fromkeys([*arguments.exceptions, *likely]) if moved is not None else ():
            head = f"{context.indent(node)}with contextlib.suppress({error}):\n"
            title = f"Use contextlib.suppress({error}) for {named(node)}, ignore the error"
            yield title, replace_lines(*rows(node), [head, *(moved or ())])


WRAP_IN_SUPPRESS = Refactoring("wrap_in_suppress", "refactor.surround.suppress", _propose)
