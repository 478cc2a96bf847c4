"""Documents that an automaton holds: rules that keep them parsable, and the check of what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from copydesk.grammar.parsed_page import GrammarPage, ParsedPage
from copydesk.grammar.parsed_rules import ParsedRules
from copydesk.grammar.python_page import PythonPage
from copydesk.grammar.rules import Rules
from copydesk.paging.page import Page
from copydesk.program import Program
from copydesk.pushdown.languages import PARSED_LANGUAGES, effects_for, without_mark
from copydesk.pushdown.python.effects import python_effects
from copydesk.schemas.catalogue import Schema, schema_for
from copydesk.schemas.effects import schema_effects
from copydesk.serving.snapshot import Snapshot
from copydesk.text.document import split_lines, view_line


def held_rules(
    snapshot: Snapshot, page: Page, rules: Rules, *, python: bool = False, schemas: bool = True
) -> ParsedRules | None:
    """`rules` held to the document's parse; None for languages without an automaton. python: Python is held to its layer, too.
    schemas: and JSON to what an automaton can hold of its schema."""
    if snapshot.language == "python" and not python:
        return None
    lines = [view_line(line) for line in snapshot.lines.lines]
    found = held_page(snapshot.language, lines, page, schema_of(snapshot) if schemas else None)
    return ParsedRules.of(rules, found) if found is not None else None


def held_page(
    language: str, lines: Sequence[str], page: Page, schema: Schema | None = None
) -> ParsedPage[Any] | None:
    """What a page of a document of view text `lines` is held to; where it does not fit its schema, that is its parse alone."""
    if language == "python":
        return PythonPage(python_effects(), lines, page.spans)
    effects = schema_effects(schema, language, lines) if schema is not None else None
    effects = effects or effects_for(language, lines)
    return GrammarPage(effects, lines, page.spans) if effects is not None else None


def schema_of(snapshot: Snapshot) -> Schema | None:
    """The schema that is shipped for a JSON document of this name."""
    return schema_for(snapshot.name) if snapshot.language in PARSED_LANGUAGES else None


def still_parses(snapshot: Snapshot, program: Program) -> bool | None:
    """Whether the result of a document program parses, where the document does; None where nothing can be said."""
    lines = [view_line(line) for line in snapshot.lines.lines]
    effects = effects_for(snapshot.language, lines)
    if effects is None or not effects.whole(without_mark(lines)):
        return None
    after = [view_line(line) for line in split_lines(program.resolve(snapshot.lines.text))]
    return effects.whole(without_mark(after))
