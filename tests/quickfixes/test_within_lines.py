"""The lists of repairs a diagnostic leaves. `¦` marks its place; expected are lines by number."""

from __future__ import annotations

import pytest

from copydesk.quickfixes.handler import MOST_CANDIDATES
from copydesk.quickfixes.handlers.syntax_error import UnparsableText
from copydesk.quickfixes.kinds import is_syntax_error
from copydesk.quickfixes.registry import quick_fixes
from copydesk.quickfixes.scope import resolve_scope
from copydesk.request import Diagnostic, Range
from copydesk.syntax.fragment import fragment_at
from copydesk.syntax.tree import parse
from copydesk.text.document import Position, content, split_lines
from copydesk.text.line_edit import LineEdit
from defect_files import diagnosed


def found(
    source: str, message: str, code: str | None = None, language: str = "python"
) -> dict[int, list[str]]:
    offset = source.index("¦")
    text = source.replace("¦", "", 1)
    at = Position(source.count("\n", 0, offset), offset - source.rfind("\n", 0, offset) - 1)
    lines = split_lines(text)
    by_line: dict[int, list[str]] = {}
    for edit in changes(Diagnostic(at, at, message, code), lines, [(1, len(lines))], language):
        by_line.setdefault(edit.first, []).append(edit.text.removesuffix("\n"))
    return by_line


def changes(
    diagnostic: Diagnostic, lines: list[str], scope: list[Range], language: str = "python"
) -> list[LineEdit]:
    """The first candidates that are changes within lines."""
    fixes = quick_fixes(diagnostic, lines, language, parse(lines, language))
    found = next((each for each in fixes.candidates(scope) if each.within_lines), None)
    return [edit for (edit,) in found.edits] if found is not None else []


# What there is no other way to mend.
EXACT = [
    ("if x¦\n    y\n", "expected ':'", None, {1: ["if x:"]}),
    ("if x ¦= 1:\n    y\n", "Expected `:`, found `=`", None, {1: ["if x == 1:"]}),
    ("def f(a ¦b):\n    pass\n", "Expected `,`, found identifier", None, {1: ["def f(a, b):"]}),
    ("t: tuple[str ¦...] = ()\n", "Expected `,`, found `...`", None, {1: ["t: tuple[str, ...] = ()"]}),
    ("def f():\n    retrun ¦x\n", "invalid syntax", None, {2: ["    return x"]}),
    ("if a:\n    b\n¦elsee:\n    x\n", '"elsee" is not defined', None, {3: ["else:"]}),
    ("x = f(1¦]\n", "closing parenthesis ']' does not match opening parenthesis '('", None, {1: ["x = f(1)", "x = f[1]"]}),
    ("def f():\n¦x = 1\n", "expected an indented block", None, {2: ["    x = 1"]}),
    ("x == None¦\n", "Comparison to `None` should be `cond is None`", "E711", {1: ["x is None"]}),
    ("x != None¦\n", "comparison to None", "E711", {1: ["x is not None"]}),
    ("    foo()¦\n", "coroutine 'foo' was never awaited", None, {1: ["    await foo()"]}),
    ("def f()¦:\n    pass\n", "Method must have at least one argument. Did you forget the \"self\" argument?", "misc",
     {1: ["def f(self):"]}),
    ("def f(x¦):\n    pass\n", "First argument of a method should be named `self`", "N805",
     {1: ["def f(self, x):", "def f(self):"]}),
    ("def f(x¦):\n    pass\n", "TypeError: A.f() takes 1 positional argument but 2 were given", None,
     {1: ["def f(self, x):", "def f(self):"]}),
    ("def f(\n    ¦x,\n):\n    pass\n", "First argument of a method should be named `self`", "N805",
     {2: ["    self,\n    x,", "    self, x,"]}),
    ("f(a, ¦b)\n", "these arguments look swapped", None, {1: ["f(b, a)"]}),
    ("if not x in y¦:\n", "Test for membership should be `not in`", "E713", {1: ["if x not in y:"]}),
]  # fmt: skip

# What is among several.
AMONG = [
    ("x = f(1)¦)\n", "unmatched ')'", None, (1, "x = f(1)")),
    ("x = f(g(1)¦)) + h(2)\n", "unmatched ')'", None, (1, "x = f(g(1)) + h(2)")),
    ("def f():\n    x = (1, 2¦\n    return x\n", "'(' was never closed", None, (2, "    x = (1, 2)")),
    ("def f(¦\n    a, b\n    -> None:\n    pass\n", "'(' was never closed", None, (3, "    )-> None:")),
    ("x = call(\n    1,\n    2\n¦\ny = 3\n", "Expected `)`, found newline", None, (4, ")")),
    ("call(\n    a¦=1\n    b=2,\n)\n", "invalid syntax. Perhaps you forgot a comma?", None, (2, "    a=1,")),
    ("call(¦\n    a=1\n    b=2,\n)\n", '"(" was not closed', None, (2, "    a=1,")),
    ("x = [a¦\"b\"]]\n", "unmatched ']'", None, (1, 'x = [a["b"]]')),
    ("x = f('a¦)\n", "unterminated string literal (detected at line 1)", None, (1, "x = f('a')")),
    ("x = f(a¦')\n", "missing closing quote in string literal", None, (1, "x = f('a')")),
    ("if a:\n    b\n   ¦c\n", "unindent does not match any outer indentation level", None, (3, "    c")),
    ("if a:\n    b\n      ¦c\n", "unexpected indent", None, (3, "c")),
    ("if type(x) == int¦:\n    pass\n", "Do not compare types, use `isinstance()`", "E721", (1, "if isinstance(x, int):")),
    ("if type(x) == int¦:\n    pass\n", "Do not compare types, use `isinstance()`", "E721", (1, "if type(x) is int:")),
    ("f(a, g(b, c), ¦d)\n", "Positional arguments appear to be out of order", "W1114", (1, "f(a, d, g(b, c))")),
    ('x = "a {b}" + "c"¦\n', "Possible f-string without an `f` prefix", "RUF027", (1, 'x = f"a {b}" + "c"')),
]  # fmt: skip

NONE = [
    ("x = 1¦\n", "invalid syntax", None),
    ("f(a, ¦b)\n", "possible bug here", None),
    ("f(¦a)\n", "TypeError: A.f() takes 1 positional argument but 2 were given", None),
    ("def f(self, x¦):\n    pass\n", "TypeError: A.f() takes 2 positional arguments but 3 were given", None),
]


@pytest.mark.parametrize(("source", "message", "code", "expected"), EXACT)
def test_all_there_are(source: str, message: str, code: str | None, expected: dict[int, list[str]]) -> None:
    assert found(source, message, code) == expected
    assert found(source, message, code, "javascript") == {}


@pytest.mark.parametrize(("source", "message", "code", "expected"), AMONG)
def test_one_of_several(source: str, message: str, code: str | None, expected: tuple[int, str]) -> None:
    line, text = expected
    assert text in found(source, message, code).get(line, []), found(source, message, code)


@pytest.mark.parametrize(("source", "message", "code"), NONE)
def test_what_is_not_narrowed(source: str, message: str, code: str | None) -> None:
    assert found(source, message, code) == {}


def test_an_undefined_name_is_no_misspelt_keyword_where_the_text_parses() -> None:
    for text, repaired in (("print(y)\n", False), ("whle y:\n    pass\n", True)):
        lines = split_lines(text)
        name = Diagnostic(Position(0, 0), Position(0, 4), "Undefined name", "F821")
        context = quick_fixes(name, lines, "python", parse(lines, "python")).context
        assert (UnparsableText().candidates(context) is not None) == repaired


def test_outside_the_scope_or_the_document_there_is_none() -> None:
    lines = ["if x\n", "    y\n"]
    here = Diagnostic(Position(0, 0), Position(0, 1), "expected ':'")
    assert changes(here, lines, [(1, 1)]) == [LineEdit(1, 1, "if x:\n")]
    assert changes(here, lines, [(2, 2)]) == []
    far = Diagnostic(Position(2, 0), Position(2, 0), "expected ':'")
    assert changes(far, lines, [(1, 2)]) == []
    assert changes(here, [], []) == []


LEAST = {
    "missing_colon": 0.95, "missing_bracket": 0.85, "extra_bracket": 0.95, "missing_quote": 0.95, "missing_comma": 0.95,
    "keyword_typo": 0.95, "assignment_in_condition": 0.95, "unexpected_indent": 0.9, "missing_indent": 0.6,
    "unindent_mismatch": 0.9, "self_parameter": 0.95, "none_comparison": 0.9, "not_in": 0.9, "type_comparison": 0.9,
    "missing_f_prefix": 0.9,
}  # fmt: skip
"""How often the true fix is on the list, at least."""


@pytest.mark.parametrize("kind", LEAST)
def test_the_true_fix_is_on_the_list(kind: str) -> None:
    """Repairs stay inside the scope, differ from what is there, and what did not parse does."""
    total = true = 0
    for example in diagnosed(kind, f"list {kind}"):
        (diagnostic,) = example.request.diagnostics
        lines = split_lines(example.before)
        scope = resolve_scope(lines, example.request, "python")
        listed = changes(diagnostic, lines, scope)
        total += 1
        assert len(listed) <= MOST_CANDIDATES
        assert len(set(listed)) == len(listed)
        fragment = fragment_at(lines, diagnostic.start.line)
        for repair in listed:
            assert any(first <= repair.first == repair.last <= last for first, last in scope)
            assert content(repair.text) != content(lines[repair.first - 1])
            if is_syntax_error(diagnostic):
                assert fragment is not None
                assert fragment.parses(repair.first - 1, repair.text.removesuffix("\n"))
        true += any(mended(lines, repair) == [*map(content, split_lines(example.after))] for repair in listed)
    assert total > 5
    assert true >= LEAST[kind] * total, f"{true} of {total}"


def mended(lines: list[str], edit: LineEdit) -> list[str]:
    texts = [content(line) for line in lines]
    texts[edit.first - 1 : edit.last] = edit.text.removesuffix("\n").split("\n")
    return texts
