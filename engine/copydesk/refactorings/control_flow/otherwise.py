"""Another value where a condition does not hold: an `else` that assigns what the `if` assigns."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import assigned
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import clauses_of, plain_statements
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import insert_lines
from copydesk.refactorings.expressions import bare
from copydesk.refactorings.requested import subjects
from copydesk.refactorings.spoken import spoken_values
from copydesk.syntax.tree import text_of

_ASKING = frozenset({
    "otherwise", "else", "default", "defaults", "fall", "fallback", "back", "no", "none", "nothing", "not", "without", "missing",
    "when", "if", "isn", "doesn", "means", "unless", "empty", "there",
})  # fmt: skip
"""Words of an instruction that says what is to be where something is not the case."""
_MOST = 4


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    if not arguments.words & _ASKING:
        return
    said = [*spoken_values(arguments), *subjects(context, arguments, 3)]
    values = [value for value in dict.fromkeys([*said, "None"]) if value not in ("NotImplemented", "self")]
    for node in plain_statements(context, "if_statement"):
        clauses = clauses_of(context, node)
        if not clauses or clauses[-1].word == "else" or clauses[-1].leaves:
            continue
        test = clauses[0].test
        tested = text_of(bare(test)) if test is not None else ""  # is falsy where the else is done
        for target, old in _targets(clauses[0].statements):
            indent = context.indent(node)
            inner = context.indent(clauses[0].statements[0])
            for value in values[:_MOST]:
                if value not in (old, target, tested) and target.partition(".")[0] != value:
                    lines = [f"{indent}else:\n", f"{inner}{target} = {value}\n"]
                    title = f"Otherwise {target} = {value}, in an else"
                    yield title, insert_lines(clauses[-1].last + 1, lines)


def _targets(statements: list[Node]) -> Iterator[tuple[str, str]]:
    """What a block assigns, and what it is given."""
    for statement in statements[-2:]:
        sides = assigned(statement)
        if sides is not None and sides[0].type in ("identifier", "attribute", "subscript"):
            yield text_of(sides[0]), text_of(sides[1])


OTHERWISE = Refactoring("otherwise", "refactor.rewrite.otherwise", _propose)
