"""Mutable defaults: every program of the list mends one, and the model chooses."""

from __future__ import annotations

import ast

import pytest

from copydesk.request import Diagnostic, EditRequest
from copydesk.text.document import Position, split_lines
from desks import editor

B006 = "Do not use mutable data structures for argument defaults"


def results(marked: str, code: str | None = "B006", message: str = B006) -> set[str]:
    """Every text that 60 draws at a high temperature come to; `¦` marks the diagnostic."""
    at = marked.index("¦")
    text = marked.replace("¦", "")
    line = text.count("\n", 0, at)
    place = Position(line, at - (text.rfind("\n", 0, at) + 1))
    diagnostic = Diagnostic(place, place, message, code, "ruff")
    desk = editor()
    document = desk.open("a.py", text)
    found = set()
    for seed in range(60):
        result = document.edit(
            EditRequest(diagnostics=[diagnostic], temperature=50.0, seed=seed, max_tokens=60)
        )
        assert result.status == "edited", result.reason
        found.add(result.text)
    return found


def test_the_body_makes_the_value_anew_in_one_of_three_ways() -> None:
    found = results('def f(a, b=¦[]):\n    """Said."""\n    return a + b\n')
    head, tail = 'def f(a, b=None):\n    """Said."""\n', "    return a + b\n"
    assert found == {
        head + "    if b is None:\n        b = []\n" + tail,
        head + "    b = [] if b is None else b\n" + tail,
        head + "    b = b or []\n" + tail,
    }


def test_an_annotation_may_admit_none_or_stay() -> None:
    found = results("class A:\n    def f(self, b: dict[str, int] = ¦{}) -> None:\n        self.b = b\n")
    heads = {text.split("\n")[1] for text in found}
    assert heads == {
        "    def f(self, b: dict[str, int] | None = None) -> None:",
        "    def f(self, b: dict[str, int] = None) -> None:",
    }


def test_the_marked_default_is_mended_and_no_other() -> None:
    found = results("def f(a=[], b=¦{}):\n    return a, b\n")
    assert all("a=[]" in text and "b=None" in text for text in found)


def test_a_diagnostic_at_the_name_may_mean_any_default() -> None:
    found = results(
        "def ¦f(a=[], *, b=set()):\n    return a, b\n", "W0102", "Dangerous default value [] as argument"
    )
    assert {text.split("\n")[0] for text in found} == {
        "def f(a=None, *, b=set()):",
        "def f(a=[], *, b=None):",
    }


def test_heads_over_several_lines_and_windows_line_ends() -> None:
    found = results("def f(\r\n    a,\r\n    b=¦list(),\r\n):\r\n\r\n    c = 1\r\n    return a, b, c\r\n")
    assert all(text.count("\r\n") == text.count("\n") for text in found)
    assert any("\r\n\r\n    if b is None:\r\n        b = list()\r\n    c = 1\r\n" in text for text in found)
    for text in found:
        ast.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "def f(a=1):\n    return a\n",  # not mutable
        "def f(a=[]): return a\n",  # a body on the head's line
        'def f(a=[]):\n    """Only said."""\n',
    ],
)
def test_what_cannot_be_mended_in_this_way_is_left_to_the_model(text: str) -> None:
    desk = editor()
    document = desk.open("a.py", text)
    at = Position(0, text.index("=") + 1)
    request = EditRequest(diagnostics=[Diagnostic(at, at, B006, "B006", "ruff")], max_tokens=40)
    result = document.edit(request)
    assert result.status in ("edited", "unchanged", "refused")
    assert split_lines(result.before) == split_lines(text)
