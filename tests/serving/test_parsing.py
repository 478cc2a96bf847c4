"""Which documents' rules are held to a parser."""

from __future__ import annotations

import pytest

from copydesk.grammar.rules import Rules
from copydesk.paging.page import Page
from copydesk.serving.parsing import held_rules
from copydesk.serving.snapshot import Snapshot
from copydesk.text.document import TextLines


@pytest.mark.parametrize(
    ("language", "python", "held"),
    [
        ("json", False, True),
        ("json", True, True),
        ("jsonc", False, True),
        ("python", False, False),
        ("python", True, True),
        ("rust", True, False),
    ],
)
def test_python_is_held_only_where_the_request_asks(language: str, python: bool, held: bool) -> None:
    text = "[1,\n2\n]\n"
    snapshot = Snapshot(TextLines(text), 0, language, None)
    rules = Rules(3, ((2, 2),))
    found = held_rules(snapshot, Page.of(snapshot.lines.lines, (1, 3), None), rules, python=python)
    assert (found is not None) == held
    if found is not None:
        assert found.scope == rules.scope
        assert found.page.entry == found.page.effects.automaton.start
