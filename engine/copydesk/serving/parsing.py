"""Documents of languages that a pushdown automaton knows whole: rules that keep them parsable, and the check of what came of
it."""

from __future__ import annotations

from copydesk.grammar.parsed_rules import ParsedPage, ParsedRules
from copydesk.grammar.rules import Rules
from copydesk.paging.page import Page
from copydesk.program import Program
from copydesk.pushdown.languages import effects_for, without_mark
from copydesk.serving.snapshot import Snapshot
from copydesk.text.document import split_lines, view_line


def held_rules(snapshot: Snapshot, page: Page, rules: Rules) -> ParsedRules | None:
    """`rules` held to the document's parse; None for languages without an automaton."""
    lines = [view_line(line) for line in snapshot.lines.lines]
    effects = effects_for(snapshot.language, lines)
    return ParsedRules.of(rules, ParsedPage(effects, lines, page.spans)) if effects is not None else None


def still_parses(snapshot: Snapshot, program: Program) -> bool | None:
    """Whether the result of a document program parses, where the document does; None where nothing can be said."""
    lines = [view_line(line) for line in snapshot.lines.lines]
    effects = effects_for(snapshot.language, lines)
    if effects is None or not effects.whole(without_mark(lines)):
        return None
    after = [view_line(line) for line in split_lines(program.resolve(snapshot.lines.text))]
    return effects.whole(without_mark(after))
