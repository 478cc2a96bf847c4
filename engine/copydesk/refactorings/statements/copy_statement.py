"""A line like another one, for another thing: a statement, an entry or a parameter once more, with another name or text in it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import is_text
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import plain_statements
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import insert_lines
from copydesk.refactorings.expressions import entries_on_own_lines, single_line
from copydesk.refactorings.new_names import may_name
from copydesk.syntax.tree import rows, text_of

_ALIKE = frozenset({
    "also", "as", "well", "too", "same", "like", "another", "likewise", "similar", "similarly", "way", "both", "add", "after",
    "behind", "missing", "need", "needs", "support", "more", "next", "even",
})  # fmt: skip
"""Words of an instruction that wants the same for something else."""
_OWNERS = ("self", "cls", "None", "True", "False")
_MOST_LINES, _MOST_NEWS, _LONGEST = 16, 3, 4


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    if not arguments.words & _ALIKE:
        return
    news = [name for name in arguments.names if name not in context.words and may_name(name)][:_MOST_NEWS]
    for node in list(_lines(context))[:_MOST_LINES] if news else ():
        first, last = rows(node)
        text = "".join(context.view(first, last))
        for old in _words(node):
            for new in news:
                made = re.sub(rf"(?<!\w){old}(?!\w)", new, text)
                head = made.strip().split("\n", 1)[0].rstrip(",")
                yield f"Add {head}, like the line with {old}", insert_lines(last + 1, [made])


def _lines(context: RefactoringContext) -> Iterator[Node]:
    """Statements of a few lines, and entries and parameters that have a line for themselves."""
    for node in plain_statements(context):
        first, last = rows(node)
        if last - first < _LONGEST and not node.type.endswith("_definition") and not is_text(node):
            yield node
    yield from filter(single_line, entries_on_own_lines(context))


def _words(node: Node) -> list[str]:
    """What may stand for the thing that a line is about: its words in quotes, else its names."""
    texts: dict[str, None] = {}
    names: dict[str, None] = {}
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if one.type in ("identifier", "string_content") and text_of(one).isidentifier():
            (names if one.type == "identifier" else texts)[text_of(one)] = None
        waiting += one.named_children
    found = [word for word in texts or names if word not in _OWNERS]
    return found if len(found) < 7 else []


COPY_STATEMENT = Refactoring("copy_statement", "refactor.rewrite.copyStatement", _propose)
