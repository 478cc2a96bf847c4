r"""What becomes of the blank lines above a statement (E301 to E306).

How many there must be is said by the rule or by its message; "too many" leaves a choice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tree_sitter import Node, Tree

from copydesk.quickfixes.handler import Candidates, FixContext, Handler, candidates_of
from copydesk.quickfixes.kinds import BLANK_LINE_KINDS, DiagnosticKind
from copydesk.quickfixes.messages import blank_lines_expected, blank_lines_found
from copydesk.syntax.tree import point
from copydesk.text.document import content
from copydesk.text.line_edit import LineEdit

_DEFINITIONS = frozenset({"function_definition", "class_definition", "decorated_definition"})
_WANTED = {
    DiagnosticKind.ONE_BLANK_LINE_EXPECTED: 1,
    DiagnosticKind.TWO_BLANK_LINES_EXPECTED: 2,
    DiagnosticKind.BLANK_LINE_AFTER_DECORATOR: 0,
}


class BlankLines(Handler):
    """As many blank lines as the rule wants, or each number that it allows."""

    kinds = BLANK_LINE_KINDS

    def candidates(self, context: FixContext) -> Candidates | None:
        if context.tree is None:
            return None
        return candidates_of((edit,) for edit in _gap(context, context.tree))

    def still_applies(self, context: FixContext) -> bool:
        """While there are not as many as there should be. Tools count those above comments, too: below one it is believed."""
        lines, line = context.lines, context.diagnostic.start.line + 1
        if not lines[line - 1].strip():
            return True
        first = _run(lines, line - 1)
        if first == 1 or lines[first - 2].lstrip().startswith("#"):
            return True
        there = line - first
        wanted = _wanted(context)
        if wanted is None:
            return there >= (blank_lines_found(context.diagnostic.message) or 2)
        return there > 0 if wanted == 0 else there < wanted


def _wanted(context: FixContext) -> int | None:
    """How many blank lines there must be; None where there are too many and any lower number will do."""
    if context.kind not in _WANTED:
        return None
    expected = blank_lines_expected(context.diagnostic.message)
    return expected if expected is not None else _WANTED[context.kind]


def _gap(context: FixContext, tree: Tree) -> list[LineEdit]:
    lines, line = context.lines, context.diagnostic.start.line + 1
    if line == 1 or not lines[line - 1].strip():
        return []
    first = _run(lines, line - 1)
    there = line - first
    found = blank_lines_found(context.diagnostic.message)
    # What a tool has counted elsewhere, above comments, is not mended here.
    if first == 1 or (found is not None and there != found):
        return []
    text = content(lines[line - 1])
    node = _statement(tree, lines, line, len(text) - len(text.lstrip()))
    if node is None:
        return []
    counts: Iterable[int]
    wanted = _wanted(context)
    if wanted is not None:
        counts = [wanted]
        if wanted > there and lines[first - 2].lstrip().startswith("#"):
            return []  # they may belong above the comment or below it
    else:
        counts = [count for count in _allowed(lines, node, first, line) if count < there]
    return [_of(lines, first, line, count) for count in counts if count != there]


def _run(lines: Sequence[str], last: int) -> int:
    """The first of the blank lines that end with line `last`; `last + 1` where it is none."""
    while last > 0 and not lines[last - 1].strip():
        last -= 1
    return last + 1


def _of(lines: Sequence[str], first: int, line: int, count: int) -> LineEdit:
    """`count` blank lines where those from `first` up to `line` are: the first ones stay as they are."""
    kept = [content(text) for text in lines[first - 1 : min(line - 1, first - 1 + count)]]
    kept += [""] * (count - len(kept))
    return LineEdit(first, line - 1, "".join(f"{text}\n" for text in kept))


def _statement(tree: Tree, lines: Sequence[str], line: int, column: int) -> Node | None:
    """The outermost node that begins with the line's code; None inside a string, or where the tree knows no better."""
    at = point(lines, line - 1, column)
    node = tree.root_node.descendant_for_point_range(at, at)
    found = node
    while node is not None and node.parent is not None:
        if node.start_point == at and node.type != "block":
            found = node
        if node.type == "ERROR" or (node.type == "string" and node.start_point != at):
            return None
        node = node.parent
    return found


def _allowed(lines: Sequence[str], node: Node, first: int, line: int) -> range:
    """How many blank lines "too many" leaves above a statement or comment."""
    above = content(lines[first - 2])
    top = node.start_point[1] == 0
    most = 2 if top else 1
    own = node
    while own.type == "comment" and own.next_sibling is not None and own.next_sibling.start_point[0] == line:
        own, line = own.next_sibling, line + 1
    before = own.prev_sibling
    while before is not None and before.type == "comment":
        before = before.prev_sibling
    free = above.lstrip().startswith("#") or before is None or (not top and above.rstrip().endswith(":"))
    if not free and (
        own.type in _DEFINITIONS or (top and before is not None and before.type in _DEFINITIONS)
    ):
        return range(most, most + 1)
    return range(most + 1)
