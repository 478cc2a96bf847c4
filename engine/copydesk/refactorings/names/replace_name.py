"""Another function, attribute or type called by its name, throughout the selection."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import is_stored
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.direction import is_reversed
from copydesk.refactorings.edits import replace_nodes
from copydesk.refactorings.names.whole_variable import is_parameter, lines_elsewhere
from copydesk.refactorings.new_names import may_name
from copydesk.syntax.tree import is_label, text_of


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    places: dict[str, list[Node]] = {}
    for node in context.walk("identifier", "attribute"):
        attribute = node.type == "identifier" and is_label(node)
        if attribute and (node.parent is None or node.parent.type != "attribute"):
            continue  # the name of an argument
        places.setdefault(text_of(node), []).append(node)
    known = context.variables()
    named = [name for name in arguments.names if may_name(name) or name in known]
    for old, nodes in places.items():
        if not arguments.mentions(old) and not arguments.mentions(old.rpartition(".")[2]):
            continue
        bound = any(is_stored(node) or is_parameter(node) for node in nodes)
        if bound and lines_elsewhere(context, nodes):
            continue  # it would be another variable here than there
        for new in (*arguments.dotted, *named):
            if bound and new.isidentifier() and new not in known:
                continue  # a rename, which looks after what documents it
            if any(_is_caught_too(node, new) for node in nodes):
                continue
            whole = old.count(".") == 0 or old.rpartition(".")[0] != new.rpartition(".")[0]
            if new != old and (whole or "." in new) and not is_reversed(old, new, arguments.instruction):
                yield f'Replace "{old}" by "{new}"', replace_nodes(context.lines, [(n, new) for n in nodes])


def _is_caught_too(node: Node, other: str) -> bool:
    """Whether a name stands in the tuple of an `except` beside another one, which would be in it twice."""
    pair, above = node.parent, node.parent.parent if node.parent is not None else None
    caught = above is not None and above.type in ("except_clause", "as_pattern")
    if pair is None or pair.type != "tuple" or not caught:
        return False
    return other in [text_of(child) for child in pair.named_children]


REPLACE_NAME = Refactoring("replace_name", "refactor.rewrite.replaceName", _propose)
