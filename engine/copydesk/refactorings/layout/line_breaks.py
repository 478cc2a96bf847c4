"""A statement or the head of a function in one line, or with one argument, entry or parameter per line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import in_one_line, named
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import merged, replace_lines, rewrite_node
from copydesk.refactorings.expressions import COLLECTIONS, children_of, single_line
from copydesk.syntax.splice import start_of
from copydesk.syntax.tree import rows, text_of

_BRACKETED = ("argument_list", "parameters", *COLLECTIONS, "parenthesized_expression", "tuple_pattern")
_WORDS = frozenset({
    "line", "lines", "one", "fit", "fits", "flatten", "join", "wrap", "wrapped", "split", "per", "each", "long", "short",
    "single", "multiline", "black", "layout", "explode", "vertical", "formatting",
})  # fmt: skip
"""Words of an instruction about how lines are broken."""
_LONGEST = 160
"""Characters of a line that is made of several."""


def _joined(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for node in context.walk(*_BRACKETED) if arguments.words & _WORDS else ():
        flat = in_one_line(node) if not single_line(node) else None
        if flat is not None and len(flat) <= _LONGEST and (above := _statement(node)) is not None:
            flat = re.sub(r",(?=[)\]}]$)", "", flat)
            yield f"Put {named(above)} on one line", rewrite_node(context.lines, node, flat)


def _split(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for node in context.walk("argument_list", "parameters", *COLLECTIONS) if arguments.words & _WORDS else ():
        entries, above = [text_of(child) for child in children_of(node)], _statement(node)
        if not entries or above is None or any("\n" in entry for entry in entries) or "#" in text_of(node):
            continue
        text, indent = text_of(node), context.indent(node)
        stop = "" if entries[-1].startswith("**") and node.type == "parameters" else ","
        lines = [f"{indent}    {entry}{',' if entry is not entries[-1] else stop}" for entry in entries]
        what = {"argument_list": "argument", "parameters": "parameter"}.get(node.type, "entry")
        made = "\n".join([text[0], *lines, f"{indent}{text[-1]}"])
        yield (
            f"Split the lines, one {what} per line, each on its own: {named(above)}",
            rewrite_node(context.lines, node, made),
        )


def _continued(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """Lines that brackets continue anyway, without a backslash at their ends."""
    if not arguments.words & {"backslash", "backslashes", "continuation"}:
        return
    marks = [node for node in context.walk("line_continuation") if _in_brackets(node)]
    kept = [f"{context.split(start_of(node))[0].rstrip()}\n" for node in marks]
    lines = [
        replace_lines(rows(node)[0], rows(node)[0], [line]) for node, line in zip(marks, kept, strict=True)
    ]
    yield "Remove the backslash, line continuation", merged(*lines) if lines else None


def _bracketed(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """Brackets round a condition or a value that backslashes continue."""
    if not arguments.words & {
        "backslash",
        "backslashes",
        "continuation",
        "parentheses",
        "parens",
        "brackets",
    }:
        return
    for mark in context.walk("line_continuation"):
        whole = mark
        while whole.parent is not None and not whole.parent.type.endswith(
            ("statement", "clause", "assignment", "block")
        ):
            whole = whole.parent
        if whole == mark or single_line(whole) or _in_brackets(mark) or "#" in text_of(whole):
            continue
        lines = text_of(whole).split("\n")
        flat = "\n".join(line.rstrip().removesuffix("\\").rstrip() for line in lines)
        title = "Wrap it in parentheses, brackets, instead of the backslash"
        yield title, rewrite_node(context.lines, whole, f"({flat})")


def _in_brackets(node: Node) -> bool:
    """Whether brackets are open where a node stands."""
    above = node.parent
    while above is not None:
        opened = any(n.type in ("(", "[", "{") and n.end_byte <= node.start_byte for n in above.children)
        if opened and any(
            n.type in (")", "]", "}") and n.start_byte >= node.end_byte for n in above.children
        ):
            return True
        above = above.parent
    return False


def _statement(node: Node) -> Node | None:
    """The statement that brackets are part of, or the function whose parameters they hold; None inside other brackets' lines."""
    above = node.parent
    while above is not None and not above.type.endswith(
        ("_statement", "_definition", "_clause", "decorator")
    ):
        above = above.parent
    return above


BRACKETS_FOR_BACKSLASH = Refactoring(
    "brackets_for_backslash", "refactor.rewrite.bracketsForBackslash", _bracketed
)
NO_BACKSLASH = Refactoring("no_backslash", "refactor.rewrite.noBackslash", _continued)
ONE_LINE = Refactoring("one_line", "refactor.rewrite.oneLine", _joined)
ONE_PER_LINE = Refactoring("one_per_line", "refactor.rewrite.onePerLine", _split)
