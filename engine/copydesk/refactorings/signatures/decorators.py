"""One decorator more or less."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import delete_lines, insert_lines
from copydesk.syntax.tree import rows, text_of


def _add(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    calls = [code for code in arguments.code if code.endswith(")") and "(" in code[1:]]
    known = [code for code in [*calls, *arguments.dotted, *arguments.names] if context.knows(code)]
    for node in context.starting("function_definition", "class_definition", "decorated_definition"):
        name = node.child_by_field_name("name")
        decorated = node.parent is not None and node.parent.type == "decorated_definition"
        if node.type == "decorated_definition":
            definition = node.child_by_field_name("definition")
            name = definition.child_by_field_name("name") if definition is not None else None
        if name is None or decorated:
            continue
        for code in known:
            if code != text_of(name):
                line = f"{context.indent(node)}@{code}\n"
                yield (
                    f'Decorate "{text_of(name)}" with @{code}',
                    insert_lines(node.start_point[0] + 1, [line]),
                )


def _remove(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in context.walk("decorator"):
        yield f"Remove {text_of(node)}", delete_lines(*rows(node))


ADD_DECORATOR = Refactoring("add_decorator", "refactor.rewrite.addDecorator", _add)
REMOVE_DECORATOR = Refactoring("remove_decorator", "refactor.rewrite.removeDecorator", _remove)
