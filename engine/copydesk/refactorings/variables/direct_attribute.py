"""A variable that is stored in an attribute: the attribute in its place."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import assigned, function_of, is_stored, selected_statements
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import delete_lines, merged, replace_nodes
from copydesk.syntax.tree import identifiers, is_label, rows, text_of


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for statement in selected_statements(context, "expression_statement"):
        sides, function = assigned(statement), function_of(statement)
        if sides is None or function is None or sides[0].type != "attribute" or sides[1].type != "identifier":
            continue
        attribute, name = text_of(sides[0]), text_of(sides[1])
        uses = [n for n in identifiers(function) if text_of(n) == name and not is_label(n)]
        given = [n for n in uses if is_stored(n)]
        if len(given) != 1 or given[0] != uses[0] or not _is_plain(given[0], statement):
            continue
        rest = [n for n in uses if n != sides[1]]
        edits = merged(
            delete_lines(*rows(statement)),
            replace_nodes(context.lines, [(node, attribute) for node in rest]),
        )
        yield f"Assign {attribute} directly, without the variable {name}", edits


def _is_plain(given: Node, statement: Node) -> bool:
    """Whether a name is all that an assignment of the same block gives a value."""
    assignment = given.parent
    above = assignment.parent if assignment is not None and assignment.type == "assignment" else None
    return above is not None and above.parent == statement.parent


DIRECT_ATTRIBUTE = Refactoring("direct_attribute", "refactor.rewrite.directAttribute", _propose)
