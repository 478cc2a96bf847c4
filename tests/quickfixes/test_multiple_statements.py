"""Several statements on one line, each on a line of its own."""

from __future__ import annotations

import ast

import pytest

from copydesk.quickfixes.registry import quick_fixes
from copydesk.request import Diagnostic
from copydesk.syntax.tree import parse
from copydesk.text.document import split_lines
from quick_fixes import applied, candidates, fixed, marked

CASES = [
    ("if a:$0 x\n", "if a:\n    x\n"),
    ("if a:$0 x; y;  # why\nz\n", "if a:\n    x\n    y;  # why\nz\n"),
    ("x$0; y; z\n", "x\ny\nz\n"),
    ("x; y$0 ;\n", "x\ny ;\n"),
    ("def f():\n\tif a:\n\t\tb()\n\telse:$0 c()\n", "def f():\n\tif a:\n\t\tb()\n\telse:\n\t\tc()\n"),
    ("class A(B):$0 pass\n", "class A(B):\n    pass\n"),
    ("try:$0 x()\nexcept E: pass\n", "try:\n    x()\nexcept E: pass\n"),
    ("try: x()\nexcept E:$0 pass\n", "try: x()\nexcept E:\n    pass\n"),
    ("def f(a,\n      b):$0 return {a: b}[a:b]\n", "def f(a,\n      b):\n    return {a: b}[a:b]\n"),
    ("for x in y:$0 g(\n    x)\n", "for x in y:\n    g(\n    x)\n"),
    ("while a:$0 s = 'é: ;'; t = lambda: 1\n", "while a:\n    s = 'é: ;'\n    t = lambda: 1\n"),
    ("g(\n    a)$0; h()\n", "g(\n    a)\nh()\n"),
    ("def f():\n  g()\nif a:$0 x\n", "def f():\n  g()\nif a:\n  x\n"),
    ('if a:$0 x = """b  \n  c"""\n', 'if a:\n    x = """b  \n  c"""\n'),
    ("match a:\n    case 1:$0 b\n", "match a:\n    case 1:\n        b\n"),
    ("if a:$0 x  \\\n  + 1\n", "if a:\n    x  \\\n  + 1\n"),
]


@pytest.mark.parametrize(("source", "expected"), CASES)
def test_every_statement_gets_a_line(source: str, expected: str) -> None:
    assert fixed(source, "E701", "") == [expected]
    assert ast.dump(ast.parse(expected)) == ast.dump(ast.parse(source.replace("$0", "")))


@pytest.mark.parametrize(
    "source",
    [
        # The second line's statements belong to a block that begins on the first.
        "if a: g(\n    b)$0; h()\n",
        "if a:\n    x$0\n",
        "x = {a: b}[a:b]$0  # c; d\n",
    ],
)
def test_what_is_left_alone(source: str) -> None:
    assert fixed(source, "E702", "") == []


@pytest.mark.parametrize(
    ("source", "applies"), [("if a:¦ x\n", True), ("if a:¦\n    x\n", False), ("x¦;\n", False)]
)
def test_a_line_of_one_statement_is_out_of_date(source: str, applies: bool) -> None:
    text, at = marked(source)
    lines = split_lines(text)
    diagnostic = Diagnostic(at, at, "Multiple statements on one line (colon)", "E701")
    assert quick_fixes(diagnostic, lines, "python", parse(lines, "python")).still_applies() is applies
    for edit in candidates(diagnostic, lines):
        after = split_lines(applied(lines, edit))
        assert not quick_fixes(diagnostic, after, "python", parse(after, "python")).still_applies()
