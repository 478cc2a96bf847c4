"""Something else returned."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, insert_at, replace_nodes, replace_span
from copydesk.refactorings.expressions import LITERALS, children_of, mentioned, replace_expression
from copydesk.refactorings.spoken import literals_like, spoken_values
from copydesk.syntax.splice import end_of, start_of
from copydesk.syntax.tree import text_of

_USUAL = ("None", "True", "False", "NotImplemented", "[]", "{}", "''", "0")
_MOST = 12


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    names = [name for name in (*arguments.dotted, *arguments.names) if context.knows(name)]
    code = [value for value in arguments.code if context.knows(value)][:_MOST]
    said = list(dict.fromkeys([*spoken_values(arguments), *code, *names[:_MOST]]))
    statements = list(context.walk("return_statement"))
    alike: dict[str, list[Node]] = {}
    for node in statements:
        alike.setdefault(text_of(node), []).append(node)
    for old, nodes in alike.items():
        for new in dict.fromkeys([*said, *_USUAL]) if len(nodes) > 1 else ():
            title = f"Return {new} everywhere instead of {old}"
            yield title, replace_nodes(context.lines, [(node, f"return {new}") for node in nodes])
    for node in mentioned(statements, arguments):
        value = children_of(node)[0] if children_of(node) else None
        old = text_of(value) if value is not None else "nothing"
        like = literals_like(old, arguments) if value is not None and value.type in LITERALS else []
        for new in dict.fromkeys([*said, *like, *_USUAL]):
            title = f"Return {new} instead of {old}"
            if value is None:
                yield title, insert_at(context.lines, end_of(node), f" {new}")
            elif new != old:
                yield title, replace_expression(context, value, new)
        if value is None:
            continue
        whole = (
            [text_of(child) for child in children_of(value)]
            if value.type in ("expression_list", "tuple")
            else [old]
        )
        for new in names[:4]:
            if new not in whole:
                yield (
                    f"Return {new} as well, a tuple: {old}, {new}",
                    replace_expression(context, value, ", ".join([*whole, new])),
                )
        for k, one in enumerate(whole) if len(whole) > 1 else ():
            rest = [*whole[:k], *whole[k + 1 :]]
            yield (
                f"Return only {', '.join(rest)}, not {one}",
                replace_expression(context, value, ", ".join(rest)),
            )
        yield f"Return nothing instead of {old}", _nothing(context, node, value)


def _nothing(context: RefactoringContext, node: Node, value: Node) -> Edits | None:
    row, column = start_of(node)
    return replace_span(context.lines, (row, column + len("return")), end_of(value), "")


CHANGE_RETURN = Refactoring("change_return", "refactor.rewrite.changeReturn", _propose)
