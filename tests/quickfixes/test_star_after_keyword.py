"""A call whose `*values` stand behind keyword arguments (B026)."""

from __future__ import annotations

import ast

import pytest

from quick_fixes import fixed, ruff_is_content

MESSAGE = "Star-arg unpacking after a keyword argument is strongly discouraged"
MADE = [
    ("f(a=1, $0*x)\n", "f(*x, a=1)\n"),
    ("y = f(0, a=g(1), b=2, $0*x(3), **k)\n", "y = f(0, *x(3), a=g(1), b=2, **k)\n"),
    ("f(\n    a=1,\n    $0*x,\n)\n", "f(\n    *x,\n    a=1,\n)\n"),
    ("f(a=1, $0*x, b=2, *y)\n", "f(*x, *y, a=1, b=2)\n"),
    ('f(g(b=1), a="ä", $0*x)  # why\n', 'f(g(b=1), *x, a="ä")  # why\n'),
]
LEFT = [
    "f(\n    a=g(\n        1\n    ),\n    $0*x,\n)\n",
    "f(\n    a=1,  # one\n    $0*x,\n)\n",
    "f($0*x, a=1)\n",
]


@pytest.mark.parametrize(("source", "wanted"), MADE)
def test_they_go_before_the_keywords(source: str, wanted: str) -> None:
    assert fixed(source, "B026", MESSAGE) == [wanted] == fixed(source, None, MESSAGE)
    assert ast.dump(ast.parse(source.replace("$0", ""))) == ast.dump(ast.parse(wanted))
    ruff_is_content(source.replace("$0", ""), "B026")


@pytest.mark.parametrize("source", LEFT)
def test_what_is_left_to_the_model(source: str) -> None:
    assert fixed(source, "B026", MESSAGE) == []
