"""A function that gives an answer in some cases alone: an error for all others, where it comes to nothing now."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import statements_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import clauses_of
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import insert_lines
from copydesk.refactorings.requested import raises


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for node in context.walk("if_statement") if arguments.exceptions else ():
        block, clauses = node.parent, clauses_of(context, node)
        function = block.parent if block is not None else None
        if not clauses:
            continue
        answers = all(
            clause.statements and clause.statements[-1].type == "return_statement" for clause in clauses
        )
        if len(clauses) > 1 and clauses[-1].word == "elif":
            for statement in raises(arguments)[:2]:
                indent = context.indent(node)
                lines = [f"{indent}else:\n", f"{indent}    {statement}\n"]
                title = f"{statement[0].upper()}{statement[1:]} otherwise, in an else, for anything else, all other values"
                yield title, insert_lines(clauses[-1].last + 1, lines)
        whole = function is not None and function.type == "function_definition"
        if whole and len(clauses) == 1 and statements_of(block)[-1] == node and answers:
            for statement in raises(arguments)[:2]:
                title = f"{statement[0].upper()}{statement[1:]} otherwise, at the end, for anything else, all other types"
                yield title, insert_lines(clauses[-1].last + 1, [f"{context.indent(node)}{statement}\n"])


RAISE_OTHERWISE = Refactoring("raise_otherwise", "refactor.rewrite.raiseOtherwise", _propose)
