"""Several statements on one line (E701, E702, E704, C0321): each on a line of its own."""

from __future__ import annotations

from copydesk.quickfixes.handler import Candidates, FixContext, Handler, candidates_of, parsing
from copydesk.quickfixes.kinds import DiagnosticKind
from copydesk.syntax.shared_lines import one_statement_per_line, statement_ends
from copydesk.text.line_edit import LineEdit


class MultipleStatements(Handler):
    """The flagged line with a line for every statement, and for what stands before a colon. A comment stays with the last."""

    kinds = frozenset({DiagnosticKind.MULTIPLE_STATEMENTS_ON_ONE_LINE})

    def candidates(self, context: FixContext) -> Candidates | None:
        number = context.diagnostic.start.line + 1
        if context.tree is None or not context.in_scope(number, number):
            return None
        text = one_statement_per_line(context.tree.root_node, context.lines, number, context.indent_step())
        return candidates_of(parsing(context, [(LineEdit(number, number, text),)])) if text else None

    def still_applies(self, context: FixContext) -> bool:
        return (
            context.tree is None
            or statement_ends(context.tree.root_node, context.diagnostic.start.line) != []
        )
