"""One decorator more or less."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import delete_lines, insert_lines, rewrite_node
from copydesk.refactorings.expressions import NAMES, callee
from copydesk.syntax.tree import rows, text_of


def _add(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    calls = [code for code in arguments.code if code.endswith(")") and "(" in code[1:]]
    known = [code for code in [*calls, *arguments.dotted, *arguments.names] if context.knows(code)]
    known += [f"{code}({pair})" for code in known for pair in arguments.assignments[:1] if "(" not in code]
    for node in context.starting("function_definition", "class_definition", "decorated_definition"):
        name = node.child_by_field_name("name")
        decorated = node.parent is not None and node.parent.type == "decorated_definition"
        if node.type == "decorated_definition":
            definition = node.child_by_field_name("definition")
            name = definition.child_by_field_name("name") if definition is not None else None
        if name is None or (
            decorated and node.parent is not None and node.parent.start_point == node.start_point
        ):
            continue
        for code in known:
            if code != text_of(name):
                line = f"{context.indent(node)}@{code}\n"
                yield (
                    f'Decorate "{text_of(name)}" with @{code}',
                    insert_lines(node.start_point[0] + 1, [line]),
                )

    for node in context.walk("decorator"):
        named = node.named_children[0]
        for pair in arguments.assignments if named.type in NAMES else ():
            made = f"{text_of(named)}({pair})"
            yield f"Pass {pair} to @{text_of(named)}", rewrite_node(context.lines, named, made)


def _remove(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in context.walk("decorator"):
        yield f"Remove {text_of(node)}", delete_lines(*rows(node))
        call = node.named_children[0]
        if call.type == "call":
            yield f"Drop the arguments of @{callee(call)}", rewrite_node(context.lines, call, callee(call))


ADD_DECORATOR = Refactoring("add_decorator", "refactor.rewrite.addDecorator", _add)
REMOVE_DECORATOR = Refactoring("remove_decorator", "refactor.rewrite.removeDecorator", _remove)
