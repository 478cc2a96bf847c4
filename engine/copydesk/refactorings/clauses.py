"""Compound statements as clauses: a head, and the lines of its body."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from copydesk.refactorings.blocks import selected_statements, shifted, stands_alone, statements_of
from copydesk.refactorings.context import RefactoringContext
from copydesk.syntax.tree import rows, text_of

COMPOUND = ("if_statement", "for_statement", "while_statement", "with_statement", "try_statement")
JUMPS = ("return_statement", "raise_statement", "continue_statement", "break_statement")
_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Clause:
    """`if`, `elif`, `else`, `for`, `try`, `except` and so on. head: its first line. first, last: of its body, which has lines of
    its own (1-based, inclusive), comments included.
    """

    word: str
    node: Node
    head: int
    first: int
    last: int
    body: Node

    @property
    def statements(self) -> list[Node]:
        """The statements of its body."""
        return statements_of(self.body)

    @property
    def test(self) -> Node | None:
        """The condition of an `if`, an `elif` or a `while`."""
        return self.node.child_by_field_name("condition")

    @property
    def leaves(self) -> bool:
        """Whether its body ends by returning, raising or going on with a loop."""
        return bool(self.statements) and self.statements[-1].type in JUMPS


def clauses_of(context: RefactoringContext, node: Node) -> Sequence[Clause]:
    """The clauses of a compound statement, the first one first; none where one shares a line with its body."""
    if not stands_alone(context, node):
        return []
    nodes = [node, *(child for child in node.named_children if child.type.endswith("_clause"))]
    nodes = [child for child in nodes if child.type not in ("with_clause",)]
    ends = [*(child.start_point[0] for child in nodes[1:]), rows(node)[1]]
    found: list[Clause] = []
    for clause, end in zip(nodes, ends, strict=True):
        colon = next((child for child in clause.children if child.type == ":"), None)
        body = next((child for child in clause.children if child.type == "block"), None)
        if colon is None or body is None or body.start_point[0] == colon.start_point[0]:
            return []
        word = text_of(clause).split(None, 1)[0].rstrip(":(")
        found.append(Clause(word, clause, clause.start_point[0] + 1, colon.start_point[0] + 2, end, body))
    return found


def plain_statements(context: RefactoringContext, *types: str) -> Iterator[Node]:
    """Selected statements that have their lines for themselves, without comments; those of some types, if given."""
    return (node for node in selected_statements(context, *types) if node.type != "comment")


def step_of(clause: Clause) -> int:
    """By how many columns a body is indented."""
    return clause.body.start_point[1] - clause.node.start_point[1]


_LISTS = ("argument_list", "dictionary", "list", "parameters", "set", "tuple")


def in_one_line(node: Node) -> str | None:
    """An expression in one line; None where a text or a comment would be another."""
    text = text_of(node)
    if "\n" not in text:
        return text
    if "#" in text or '"""' in text or "'''" in text:
        return None
    raw = node.text or b""
    for comma in reversed(list(_last_commas(node))):
        raw = raw[: comma.start_byte - node.start_byte] + raw[comma.end_byte - node.start_byte :]
    return _flat(raw.decode("utf-8", "replace"))


def _last_commas(node: Node) -> Iterator[Node]:
    """Those before closing brackets in other lines, in order; but not the one that makes a tuple."""
    for child in node.children:
        yield from _last_commas(child)
    if node.type in _LISTS and node.child_count > 2 and (node.type != "tuple" or node.named_child_count > 1):
        comma, closing = node.children[-2:]
        if comma.type == "," and comma.end_point[0] < closing.start_point[0]:
            yield comma


def _flat(text: str) -> str:
    flat = " ".join(line.strip() for line in text.split("\n"))
    return flat.replace("( ", "(").replace("[ ", "[").replace(" )", ")").replace(" ]", "]")


def named(node: Node) -> str:
    """How a title names a statement: its first line, cut."""
    line = text_of(node).split("\n", 1)[0].rstrip(":")
    return line if len(line) <= _LONGEST_NAME else line[:_LONGEST_NAME] + "…"


def comments_above(context: RefactoringContext, line: int) -> int:
    """The first of the comment lines right above a line; the line itself where there are none."""
    inside = context.derived(_lines_inside_strings)
    while line > 1 and context.lines[line - 2].lstrip().startswith("#") and line - 1 not in inside:
        line -= 1
    return line


def place_before(context: RefactoringContext, node: Node) -> int:
    """The line that comes before a statement and its comments, as far as they are selected."""
    line = rows(node)[0]
    place = comments_above(context, line)
    return place if context.shows(place, line) else line


def _lines_inside_strings(context: RefactoringContext) -> frozenset[int]:
    """The lines that a text goes on in: what looks like a comment there is none."""
    texts = (rows(node) for node in context.overlapping() if node.type == "string")
    return frozenset(line for first, last in texts for line in range(first + 1, last + 1))


def reindented(context: RefactoringContext, first: int, last: int, by: int) -> list[str] | None:
    """Lines moved right by so many columns, or left for a negative number; None where a text goes over several of them, or they
    do not stand far enough to the right.
    """
    lines = context.view(first, last)
    for node in context.walk("string"):
        begin, end = rows(node)
        if begin < end and first <= end and begin <= last:
            return None
    if any(line.startswith("\t") or not line.endswith("\n") for line in lines):
        return None
    if by < 0 and any(line.strip() and line[:-by].strip() for line in lines):
        return None
    return shifted(lines, by)
