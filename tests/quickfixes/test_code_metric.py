"""Measures over their limit: nothing is offered, and the model is not asked."""

from __future__ import annotations

import pytest

from copydesk.quickfixes.registry import quick_fixes
from copydesk.request import Diagnostic
from copydesk.syntax.tree import parse
from copydesk.text.document import split_lines
from server_tools import the_ruff

LONG = "def f(a, b, c, d, e, g):\n" + "".join(
    f"    if {name}:\n        return {name}\n" for name in "abcdeg" * 2
)


@pytest.mark.parametrize("rule", ["PLR0911", "PLR0913", "C901"])
def test_what_ruff_measures_is_left_to_people(rule: str) -> None:
    lines = split_lines(LONG)
    tree = parse(lines, "python")
    (diagnostic,) = the_ruff().check(LONG, None, select=rule)
    said = quick_fixes(diagnostic, lines, "python", tree).refusal([diagnostic.lines])
    assert said == "it measures how the code is divided up, which no edit of a few lines settles"


def test_other_findings_may_be_mended() -> None:
    lines = split_lines("import os\n")
    (diagnostic,) = the_ruff().check("import os\n", None, select="F401")
    assert isinstance(diagnostic, Diagnostic)
    assert quick_fixes(diagnostic, lines, "python", parse(lines, "python")).refusal([(1, 1)]) is None
