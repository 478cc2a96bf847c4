"""A key of a dict given a default where it is missing."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import lead_and_value
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import clauses_of, in_one_line
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import delete_lines, merged, replace_lines, replace_node
from copydesk.syntax.tree import rows, text_of


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    """`if k not in d: d[k] = v` and a use of `d[k]`, as `d.setdefault(k, v)`."""
    for node in context.walk("if_statement"):
        clauses = clauses_of(context, node)
        inner = clauses[0].statements if len(clauses) == 1 else []
        given = lead_and_value(inner[0]) if len(inner) == 1 else None
        test = clauses[0].test if clauses else None
        if given is None or test is None or test.type != "comparison_operator" or test.named_child_count != 2:
            continue
        key, of = (text_of(part) for part in test.named_children)
        value = in_one_line(given[1])
        place = f"{of}[{key}]"
        if text_of(test) != f"{key} not in {of}" or given[0] != f"{place} = " or value is None:
            continue
        indent, (first, last) = context.indent(node), rows(node)
        call = f"{of}.setdefault({key}, {value})"
        yield f"Use setdefault: {call}", replace_lines(first, last, [f"{indent}{call}\n"])
        uses = [n for n in context.walk("subscript") if text_of(n) == place and n.start_byte > node.end_byte]
        if uses and rows(uses[0])[0] == last + 1:
            yield (
                f"Use {call} in its place",
                merged(delete_lines(first, last), replace_node(context.lines, uses[0], call)),
            )


SETDEFAULT = Refactoring("setdefault", "refactor.rewrite.setdefault", _propose)
