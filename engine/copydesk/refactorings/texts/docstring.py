"""A function's docstring."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import is_text
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, insert_lines
from copydesk.refactorings.function_body import body_of, can_insert_before
from copydesk.syntax.tree import text_of


def add_docstring(text: str, context: RefactoringContext) -> Edits | None:
    """As the first line below the function's head; None where another one is there, or a class that may be meant."""
    if '"""' in text or "\\" in text or text.endswith('"'):
        return None
    body = body_of(context)
    if not body or any(True for _ in context.walk("class_definition")):
        return None
    if is_text(body[0]):
        return () if text_of(body[0]).strip("\"' ") == text else None
    function = context.function()
    colon = next((n for n in function.children if n.type == ":"), None) if function is not None else None
    if colon is None or not can_insert_before(context, body[0]):
        return None
    # Comments may come before the body.
    return insert_lines(colon.start_point[0] + 2, [f'{context.indent(body[0])}"""{text}"""\n'])


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for text in arguments.texts:
        yield f'Add the docstring "{text}"', add_docstring(text, context)


DOCSTRING = Refactoring("docstring", "refactor.rewrite.docstring", _propose)
