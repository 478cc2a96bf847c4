"""A value that an exception without a message is raised about, as its message."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_node
from copydesk.refactorings.expressions import ATOMS, callee, children_of, single_line
from copydesk.refactorings.requested import subjects
from copydesk.syntax.tree import identifiers, is_label, text_of

_MOST = 3


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for node in context.walk("raise_statement"):
        raised = children_of(node)[0] if children_of(node) else None
        if raised is None or not single_line(raised):
            continue
        error = callee(raised) if raised.type == "call" else text_of(raised)
        bare = raised.type == "identifier" or text_of(raised) == f"{error}()"
        if raised.type not in ATOMS or not bare or not error.rpartition(".")[2][:1].isupper():
            continue
        names = dict.fromkeys([*subjects(context, arguments, _MOST), *_looked_at(node)])
        for name in [name for name in names if name not in ("self", "cls", error)][:_MOST]:
            title = f"Say which {name}: {error}({name})"
            yield title, replace_node(context.lines, raised, f"{error}({name})")


def _looked_at(node: Node) -> Iterator[str]:
    """The variables that are tested, or tried, round a statement: in the head of an `if`, in the block of a `try`."""
    above = node.parent
    while above is not None and above.type not in ("function_definition", "lambda", "class_definition"):
        field = {"if_statement": "condition", "try_statement": "body"}.get(above.type)
        part = above.child_by_field_name(field) if field is not None else None
        if part is not None and not part.start_byte <= node.start_byte < part.end_byte:
            for name in identifiers(part):
                if not is_label(name) and (name.parent is None or name.parent.type != "call"):
                    yield text_of(name)
        above = above.parent


NAME_IN_ERROR = Refactoring("name_in_error", "refactor.rewrite.nameInError", _propose)
