"""A result says whether its edit is one that the quick fixes know, or the model's own."""

from __future__ import annotations

import pytest

from copydesk.request import Diagnostic, EditRequest
from copydesk.results import EditResult
from copydesk.text.document import split_lines
from desks import editor
from quick_fixes import applied, candidates, marked, replacement


def asked(
    source: str, message: str, code: str | None, *, narrow: bool = True
) -> tuple[EditResult, Diagnostic]:
    text, at = marked(source)
    diagnostic = Diagnostic(at, at, message, code)
    document = editor().open("a.py", text, language="python")
    try:
        return document.edit(EditRequest(diagnostics=[diagnostic], narrow=narrow)), diagnostic
    finally:
        document.close()


@pytest.mark.parametrize(
    ("source", "message", "code"),
    [
        ("def f(x):\n    return ¦x == None\n", "Comparison to `None`", "E711"),
        ("try:\n    f()\n¦except:\n    pass\n", "Do not use bare `except`", "E722"),
        ("x = [l for ¦l in words]\n", "Ambiguous variable name: `l`", "E741"),
    ],
)
def test_what_a_quick_fix_lists_is_known(source: str, message: str, code: str) -> None:
    result, diagnostic = asked(source, message, code)
    lines = split_lines(result.before)
    assert result.text in [applied(lines, edit) for edit in candidates(diagnostic, lines)]
    assert result.known_fix
    free, _ = asked(source, message, code, narrow=False)
    assert not free.known_fix


@pytest.mark.parametrize("name", ["lenght", "vlaue", "zzz"])
def test_a_name_is_known_where_it_is_one_of_the_list(name: str) -> None:
    source = f"def f(value):\n    length = len(value)\n    return ¦{name} + length\n"
    result, diagnostic = asked(source, f"Undefined name `{name}`", "F821")
    lines = split_lines(result.before)
    found = replacement(diagnostic, lines)
    texts = {result.before.replace(name, new) for new in found.texts} if found is not None else set()
    listed = {applied(lines, edit) for edit in candidates(diagnostic, lines)}
    assert result.known_fix == (result.text in texts | listed and result.text != result.before)


def test_what_no_quick_fix_answers_is_the_models_own() -> None:
    source = 'def f(w):\n    return ¦"%*s" % (w, "a")\n'
    result, _ = asked(source, "Use format specifiers instead of percent format", "UP031")
    assert not result.known_fix


def test_an_instruction_has_no_known_fix() -> None:
    document = editor().open("a.py", "def f(a):\n    return a\n", language="python")
    result = document.edit(EditRequest(scope=[(1, 2)], instruction="rename a to b"))
    assert (result.status, result.known_fix) == ("edited", False)
