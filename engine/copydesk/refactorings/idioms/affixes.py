"""A text without what it begins or ends with, where a test sees whether it does: `removeprefix`, `removesuffix`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import assigned, has_comment
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import Clause, clauses_of
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_lines
from copydesk.refactorings.expressions import bare, children_of, replace_expression
from copydesk.syntax.tree import rows, text_of

_TEST = re.compile(r"([\w.\[\]]+)\.(startswith|endswith)\(([^(),]+)\)")
_PARTS = {"startswith": ("removeprefix", "[{}:]"), "endswith": ("removesuffix", "[:-{}]")}


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in context.walk("if_statement"):
        clauses = clauses_of(context, node)
        if len(clauses) != 1 or len(clauses[0].statements) != 1 or clauses[0].test is None:
            continue
        sides, found = assigned(clauses[0].statements[0]), _TEST.fullmatch(text_of(bare(clauses[0].test)))
        if found is not None:
            yield from _cut_inside(context, clauses[0], *found.groups())
        if sides is None or found is None or has_comment(context, *rows(node)):
            continue
        if text_of(sides[0]) == found[1] and text_of(sides[1]) in _cut(*found.groups()):
            made = f"{found[1]} = {found[1]}.{_PARTS[found[2]][0]}({found[3]})"
            yield (
                f"Use {_PARTS[found[2]][0]}, no if: {made}",
                replace_lines(*rows(node), [f"{context.indent(node)}{made}\n"]),
            )
    for node in context.walk("conditional_expression"):
        yes, test, no = map(text_of, children_of(node)) if len(children_of(node)) == 3 else ("", "", "")
        found = _TEST.fullmatch(test)
        if found is not None and no == found[1] and yes in _cut(*found.groups()):
            made = f"{found[1]}.{_PARTS[found[2]][0]}({found[3]})"
            yield f"Use {_PARTS[found[2]][0]}, no ternary: {made}", replace_expression(context, node, made)


def _cut_inside(
    context: RefactoringContext, clause: Clause, text: str, method: str, affix: str
) -> Iterator[Proposal]:
    """A part of a text that is cut off it where the test has seen it, inside a statement of another kind."""
    cuts = _cut(text, method, affix)
    made = f"{text}.{_PARTS[method][0]}({affix})"
    for node in context.walk("subscript"):
        if clause.first <= rows(node)[0] <= clause.last and text_of(node) in cuts:
            title = f"Use {_PARTS[method][0]} instead of the slice: {made}"
            yield title, replace_expression(context, node, made)


def _cut(text: str, method: str, affix: str) -> list[str]:
    """How a text may be cut by the length of what it begins or ends with."""
    _, part = _PARTS[method]
    lengths = [f"len({affix})"]
    try:
        value = ast.literal_eval(affix)
    except (SyntaxError, ValueError):
        value = None
    if isinstance(value, (str, bytes)) and value:
        lengths.append(str(len(value)))
    return [f"{text}{part.format(length)}" for length in lengths]


REMOVE_AFFIX = Refactoring("remove_affix", "refactor.rewrite.removeAffix", _propose, everywhere=True)
