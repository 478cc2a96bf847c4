"""A variable of which other lines have a part: where a selection has not all of it, and where it has one of its own."""

from __future__ import annotations

import pytest

from copydesk.refactorings.arguments import arguments_of
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.names.rename import rename
from copydesk.refactorings.names.whole_variable import lines_elsewhere
from copydesk.refactorings.registry import enumerate_candidates
from copydesk.syntax.tree import is_label, parse, text_of
from copydesk.text.document import split_lines

LOOPS = "def f(a):\n    for x in a:\n        g(x)\n    for x in b:\n        h(x)\n"
SUM = "def f(a):\n    r = 0\n    for x in a:\n        r += x\n    return r\n"
LIST = "def f(a):\n    y = [x for x in a]\n    for x in y:\n        g(x)\n"
INNER = "def f(a):\n    def g(x):\n        return x\n    x = 1\n    return x\n"
CLOSURE = "def f(a):\n    x = 1\n    def g():\n        return x\n    return g\n"
CASES = [
    ("def f(a):\n    g(a)\n", (2, 2), "a", [1]),
    ("def f(a):\n    g(a)\n", (1, 2), "a", []),
    ("def f(a):\n    g(a=1)\n    x.a\n", (1, 1), "a", []),
    ("f = lambda a: a\n", (1, 1), "a", []),
    (LOOPS, (2, 3), "x", []),
    (LOOPS, (4, 5), "x", []),
    ("def f(a):\n    for x in a:\n        g(x)\n    return x\n", (2, 3), "x", [4]),
    ("def f(a):\n    while a:\n        h(x)\n        x = 1\n        g(x)\n", (4, 5), "x", [3]),
    (SUM, (3, 4), "r", [2, 5]),
    (SUM, (2, 5), "r", []),
    (LIST, (2, 2), "x", []),
    (LIST, (3, 4), "x", []),
    (INNER, (2, 3), "x", []),
    (INNER, (4, 5), "x", []),
    (CLOSURE, (2, 2), "x", [4]),
    (CLOSURE, (3, 4), "x", [2]),
    ("x = 1\nprint(x)\n", (1, 1), "x", []),
    ("def f(a):\n    g(a)\n\n\nf(a=1)\nh(a=2)\nf(1)\nx.f(b='é', a=3)\n", (1, 2), "a", [5, 8]),
    ("def f(a):\n    g(a)\n\n\na = f(1) == 2\n", (1, 2), "a", []),
    ("class C:\n    def __init__(self, a):\n        self.a = a\n\n\nC(a=1)\n", (2, 3), "a", [6]),
    ("class C:\n    def m(self, a):\n        self.a = a\n\n\nC(a=1)\n", (2, 3), "a", []),
]


@pytest.mark.parametrize(("text", "selected", "name", "lines"), CASES)
def test_lines_that_have_it_too(text: str, selected: tuple[int, int], name: str, lines: list[int]) -> None:
    source = split_lines(text)
    tree = parse(source, "python")
    assert tree is not None
    context = RefactoringContext.of(source, [selected], tree)
    nodes = [n for n in context.walk("identifier") if text_of(n) == name and not is_label(n)]
    assert nodes
    assert lines_elsewhere(context, nodes) == lines
    assert (rename(name, "renamed", context) is None) == bool(lines)


@pytest.mark.parametrize(("call", "whole"), [("f(1)\n", True), ("f(a=1)\n", False)])
def test_no_candidate_renames_a_parameter_that_others_pass_by_name(call: str, whole: bool) -> None:
    source = split_lines(f"def f(a):\n    g(a)\n\n\n{call}")
    tree = parse(source, "python")
    assert tree is not None
    found = enumerate_candidates(RefactoringContext.of(source, [(1, 2)], tree), arguments_of("call a source"))
    texts = {"".join(edit.text for edit in one.edits) for one in found}
    assert ("def f(source):\n    g(source)\n" in texts) is whole
