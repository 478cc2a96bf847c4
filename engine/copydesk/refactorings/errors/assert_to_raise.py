"""A raise in place of an assert."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import selected_statements
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_lines
from copydesk.refactorings.negation import opposite
from copydesk.syntax.tree import rows, text_of


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for node in selected_statements(context, "assert_statement"):
        test, *message = node.named_children
        turned = opposite(test)
        if turned is None:
            continue
        calls = [
            code for code in arguments.code if code.startswith(arguments.exceptions) and code.endswith(")")
        ]
        for error in arguments.exceptions:
            if message:
                calls.append(f"{error}({text_of(message[0])})")
            else:
                calls += [f'{error}("{text}")' for text in arguments.texts if '"' not in text]
                calls.append(error)
        indent = context.indent(node)
        for call in calls:
            lines = [f"{indent}if {turned}:\n", f"{indent}    raise {call}\n"]
            yield f"Raise {call} instead of the assert", replace_lines(*rows(node), lines)


ASSERT_TO_RAISE = Refactoring("assert_to_raise", "refactor.rewrite.assertToRaise", _propose)
