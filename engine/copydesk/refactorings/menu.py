"""The refactorings that a menu offers for some lines, without anybody's words: those that apply, the innermost first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from tree_sitter import Node, Tree

from copydesk.refactorings.blocks import BLOCKS, following, statement_before, top_statement
from copydesk.refactorings.candidate import Candidate, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits
from copydesk.refactorings.new_names import derived_name, free_name
from copydesk.refactorings.registry import MOST_LINES, all_refactorings
from copydesk.refactorings.shown_title import shown_title
from copydesk.refactorings.validity import still_parses
from copydesk.refactorings.variables.extract_constant import (
    EXTRACT_CONSTANT,
    constant_name,
    extract_constant,
    is_constant,
)
from copydesk.refactorings.variables.extract_variable import (
    EXPRESSIONS,
    EXTRACT_VARIABLE,
    extracted,
    is_value,
)
from copydesk.request import Range
from copydesk.syntax.tree import node_at, point, rows, text_of
from copydesk.text.document import Position, indentation

MOST = 20
"""Entries of a menu."""
_EACH = 8
"""Candidates of one refactoring."""


@dataclass(frozen=True, slots=True)
class MenuEntry:
    """A refactoring that can be made. title: says what happens; others may have the same, for other lines."""

    refactoring: Refactoring
    title: str
    edits: Edits

    @property
    def line(self) -> int:
        """Where it begins, 1-based."""
        return self.edits[0].first


def menu_for_lines(lines: Sequence[str], tree: Tree, selected: Range, most: int = MOST) -> list[MenuEntry]:
    """What can be done with selected lines (1-based, inclusive). Raises: never."""
    return _sorted(_candidates(RefactoringContext.of(lines, [selected], tree), "selection"), most)


def menu_at_line(lines: Sequence[str], tree: Tree, line: int, most: int = MOST) -> list[MenuEntry]:
    """What can be done with the innermost statement that has code in a line (1-based). Raises: never."""
    statement = _statement_at(lines, tree, line)
    if statement is None:
        return []
    first, last = rows(statement)
    below, function = following(statement), _function_of(statement)
    end = rows(below)[1] if below is not None else last
    # What changes the statement alone; what takes the next one along; what only a whole function can be asked for.
    scopes = [(first, last), (first, end), rows(function) if function is not None else (first, last)]
    found: dict[Edits, tuple[Refactoring, Candidate]] = {}
    done: set[str] = set()
    for scope in dict.fromkeys(scopes):
        context = RefactoringContext.of(lines, [scope], tree)
        for refactoring, candidate in _candidates(context, "cursor", done):
            edits = candidate.edits
            inside = (
                all(first <= edit.first and edit.last <= end for edit in edits) and edits[0].first <= last
            )
            if inside and any(edit.first <= line <= max(edit.first, edit.last) for edit in edits):
                found.setdefault(edits, (refactoring, candidate))
        done |= {refactoring.name for refactoring, _ in found.values()}
    return _sorted(iter(found.values()), most)


def menu_for_expression(lines: Sequence[str], tree: Tree, line: int, start: int, end: int) -> list[MenuEntry]:
    """The names that the expression between two columns of a line can be given (line: 1-based; columns: 0-based code points);
    none where no expression begins and ends just there. Raises: never.
    """
    node = _expression(lines, tree, line, start, end)
    if node is None:
        return []
    context = RefactoringContext.of(lines, [rows(top_statement(node))], tree)
    moved = len(indentation(context.lines[line - 1])) - len(indentation(lines[line - 1]))
    node = _expression(context.lines, context.tree, line, start + moved, end + moved)
    if node is None or context.broken:
        return []
    found: list[MenuEntry] = []
    said = constant_name(node) if is_constant(node) else derived_name(text_of(node))
    if statement_before(node) is not None and node.type in EXPRESSIONS:
        name = (said or "value").lower()
        name = free_name("result" if name == text_of(node).partition("(")[0] else name, context.variables())
        edits = next(extracted(context, [node], name), None)
        found += [MenuEntry(EXTRACT_VARIABLE, f'Extract variable "{name}"', edits)] if edits else []
    if is_constant(node):
        name = free_name(said or "CONSTANT", context.words)
        edits = extract_constant(context, [node], name)
        found += [MenuEntry(EXTRACT_CONSTANT, f'Extract constant "{name}"', edits)] if edits else []
    parsed = (entry for entry in found if still_parses(context, entry.edits))
    return [replace(entry, edits=context.original(entry.edits)) for entry in parsed]


def _expression(lines: Sequence[str], tree: Tree, line: int, start: int, end: int) -> Node | None:
    span = point(lines, line - 1, start), point(lines, line - 1, end)
    node = tree.root_node.named_descendant_for_point_range(*span)
    return (
        node if node is not None and (node.start_point, node.end_point) == span and is_value(node) else None
    )


def _candidates(
    context: RefactoringContext, menu: str, without: set[str] | None = None
) -> Iterator[tuple[Refactoring, Candidate]]:
    if context.broken or sum(last - first + 1 for first, last in context.scope) > MOST_LINES:
        return
    for refactoring in all_refactorings():
        if refactoring.menu in ("cursor", menu) and refactoring.name not in (without or ()):
            try:
                found = list(islice(refactoring.offers(context), _EACH))
            except UnicodeEncodeError:
                continue  # a tree's columns are bytes, which such a line has not
            originals = (replace(one, edits=context.original(one.edits)) for one in found)
            yield from ((refactoring, candidate) for candidate in originals)


def _sorted(found: Iterator[tuple[Refactoring, Candidate]], most: int) -> list[MenuEntry]:
    """Those first that change the fewest lines, each edit once."""
    unique = {
        candidate.edits: MenuEntry(refactoring, shown_title(candidate.title), candidate.edits)
        for refactoring, candidate in found
    }
    ordered = sorted(
        unique.values(), key=lambda entry: sum(edit.last - edit.first + 1 for edit in entry.edits)
    )
    return ordered[:most]


def _statement_at(lines: Sequence[str], tree: Tree, line: int) -> Node | None:
    node = node_at(tree, lines, Position(line - 1, 0))
    while node is not None and (node.parent is None or node.parent.type not in BLOCKS):
        node = node.parent
    return node if node is not None and node.type != "comment" else None


def _function_of(statement: Node) -> Node | None:
    above = statement.parent
    while above is not None and above.type not in ("function_definition", "class_definition"):
        above = above.parent
    return above if above is not None and above.type == "function_definition" else None
