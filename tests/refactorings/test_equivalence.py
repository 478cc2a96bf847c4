"""Which edits come to the same: pairs of texts a function becomes, and whether a person would choose between them."""

from __future__ import annotations

import pytest

from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.equivalence import meaning
from copydesk.syntax.tree import parse
from copydesk.text.document import split_lines
from copydesk.text.line_edit import LineEdit

BEFORE = "class C:\n    def f(self, x):\n        # Go.\n        return x\n\n\ny = 1\n"
HEAD = "    def f(self, x):\n"
PAIRS = [
    ("        return max(0, x)\n", "        return max(x, 0)\n", True),
    ("        return max(y, x)\n", "        return max(x, y)\n", False),
    ("        return x.get(1, None)\n", "        return x.get(1)\n", True),
    ("        return x.get(1, 0)\n", "        return x.get(1)\n", False),
    ("        return x.startswith((y, 'a'))\n", "        return x.startswith(('a', y))\n", True),
    ("        return type(x) in (set,)\n", "        return type(x) is set\n", True),
    ("        return x not in (1,)\n", "        return x != 1\n", True),
    ("        return x in (1,)\n", "        return x != 1\n", False),
    ("        return x is y\n", "        return x == y\n", False),
    ("        return isinstance(x, (int,))\n", "        return isinstance(x, int)\n", True),
    ("        return enumerate(x, start=1)\n", "        return enumerate(x, 1)\n", True),
    ("        return x.split(y, maxsplit=1)\n", "        return x.split(y, 1)\n", True),
    ("        return x.split(y, maxsplit=1)\n", "        return x.rsplit(y, 1)\n", False),
    ("        if not (x is None):\n            go()\n", "        if x is not None:\n            go()\n", True),
    ("        if not x == 1:\n            go()\n", "        if x != 1:\n            go()\n", True),
    ("        if not x < 1:\n            go()\n", "        if x >= 1:\n            go()\n", False),
    ("        return not not x\n", "        return x\n", False),
    ("        if not (x is None or y):\n            go()\n", "        if x is not None and not y:\n            go()\n", True),
    ("        return (a,\n            b)\n", "        return (a, b)\n", True),
    ("        try:\n            a\n        except E as e:\n            raise F from e\n",
     "        try:\n            a\n        except E as err:\n            raise F from err\n", True),
    ("        try:\n            a\n        except E as e:\n            raise F from e\n",
     "        try:\n            a\n        except E as err:\n            raise F from e\n", False),
    ("        return x if x is not None else y\n", "        return y if x is None else x\n", True),
    ("        return x if not z else y\n", "        return y if z else x\n", True),
    ("        return x if x is not None else y\n", "        return x if x is None else y\n", False),
    ("        return x if a < b else y\n", "        return y if a >= b else x\n", False),
    ("        if x:\n            return\n", "        if x:\n            return None\n", True),
    ("        return x == 1 or x == 2 or y\n", "        return x in (1, 2) or y\n", True),
    ("        return x in (1, 2) or x == 3\n", "        return x in (1, 2, 3)\n", True),
    ("        return isinstance(x, (A, b.B)) or isinstance(x, C)\n", "        return isinstance(x, (A, b.B, C))\n", True),
    ("        return x == 1 and x == 2\n", "        return x in (1, 2)\n", False),
    ("        return x == 1 or y == 2\n", "        return x in (1, 2)\n", False),
    ("        return x() == 1 or x() == 2\n", "        return x() in (1, 2)\n", False),
    ("        return isinstance(x, A) or x == B\n", "        return isinstance(x, (A, B))\n", False),
    ("        if x is None or y:\n            go()\n", "        if y or x is None:\n            go()\n", True),
    ("        if x and x.y:\n            go()\n", "        if x.y and x:\n            go()\n", False),
    ("        return x or y\n", "        return y or x\n", False),
    ("        if x:\n            if y:\n                go()\n", "        if x and y:\n            go()\n", True),
    ("        if x:\n            return\n        go()\n", "        if not x:\n            go()\n", True),
    ("        if x:\n            return 1\n        go()\n", "        if not x:\n            go()\n", False),
    ("        a = []\n        if x:\n            return 1\n", "        if x:\n            return 1\n        a = []\n", True),
    ("        x = []\n        if x:\n            return 1\n", "        if x:\n            return 1\n        x = []\n", False),
    ("        if x:\n            return 1\n        if y:\n            return 1\n",
     "        if y or x:\n            return 1\n", True),
    ("        if x:\n            raise E\n", '        if x:\n            raise E("no x")\n', True),
    ("        return x in (y, 1)\n", "        return x in (1, y)\n", True),
    ("        return isinstance(x, (A, B))\n", "        return isinstance(x, (B, A))\n", True),
    ("        assert y\n        if x:\n            return 1\n", "        if x:\n            return 1\n        assert y\n", True),
    ("        for a in x:\n            if not a:\n                continue\n            go()\n",
     "        for a in x:\n            if a:\n                go()\n", True),
    ("        # Here.\n        a()\n        b()\n", "        a()\n        # Here.\n        b()\n", False),
    ("        # Here.\n        a()\n", "        # There.\n        a()\n", False),
    ("        a = 1\n", "        b = 1\n", False),
    ("        return '''\n  x'''\n", "        return '''\n x'''\n", False),
]  # fmt: skip


def said(body: str) -> str:
    lines = split_lines(BEFORE)
    tree = parse(lines, "python")
    assert tree is not None
    return meaning(RefactoringContext.of(lines, [(2, 4)], tree), (LineEdit(3, 4, body),))


@pytest.mark.parametrize(("one", "other", "same"), PAIRS)
def test_pairs(one: str, other: str, same: bool) -> None:
    assert (said(one) == said(other)) == same


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("\n        # Go.\n        return x\n", "        # Go.\n\n        return x\n"),
        ("        return )\n", "        return  )\n"),
    ],
)
def test_what_changes_nothing_else_or_does_not_parse_is_told_by_its_text(one: str, other: str) -> None:
    assert said(one) == HEAD + one
    assert said(one) != said(other)


def test_insertions_at_the_edges_and_several_edits_are_in_their_places() -> None:
    lines = split_lines("a = 1\nb = 2\nc = )\n")
    tree = parse(lines, "python")
    assert tree is not None
    edits = (LineEdit(1, 0, "x = 0\n"), LineEdit(2, 2, ""), LineEdit(4, 3, "z = 9\n"))
    assert meaning(RefactoringContext.of(lines, [(1, 3)], tree), edits) == "x = 0\na = 1\nc = )\nz = 9\n"
