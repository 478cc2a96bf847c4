"""Bugs in single functions: one step away from code that parses, asked about where they are or in the function as a whole."""

from __future__ import annotations

import ast
import random
from functools import cache

import pytest

from copydesk.text.document import split_lines
from copydesk_training import function_bugs
from copydesk_training.defects import small_edits
from copydesk_training.defects.parsed import ParsedFile
from copydesk_training.example import Example
from defect_files import files

COUNTING = '''\
import math
import os


class Basket:
    def total(self, prices, limit: int = 3) -> float:
        """What the first ones cost."""
        result = 0
        for price in prices[:limit]:
            if price > 0 and price < limit:
                result += math.floor(price) * 2
        return min(result, len(prices))
'''


@cache
def made() -> list[Example]:
    shortest_first = sorted(files(typed=True), key=lambda file: len(file.text))
    return [
        example
        for k, file in enumerate(shortest_first[:60])
        for example in function_bugs.examples(file.text, random.Random(k))
    ]


def test_both_texts_parse_and_mean_something_else() -> None:
    assert len(made()) > 100
    for example in made():
        before, after = ast.parse(example.before), ast.parse(example.after)
        assert ast.dump(before) != ast.dump(after)


def test_the_change_lies_in_what_may_change() -> None:
    for example in made():
        assert example.request.scope is not None
        ((first, last),) = example.request.scope
        before, after = split_lines(example.before), split_lines(example.after)
        behind = len(before) - last
        assert before[: first - 1] == after[: first - 1]
        assert before[last:] == after[len(after) - behind :]
    assert {example.located for example in made()} == {True, False}


def test_one_function_alone_with_the_imports_it_uses() -> None:
    for example in function_bugs.examples(COUNTING, random.Random(2), each=8):
        assert example.after.startswith("import math\n\n\ndef total(")
        assert "import os" not in example.after
        assert len(ast.parse(example.after).body) == 2


def test_a_long_docstring_makes_no_function_too_long() -> None:
    documented = COUNTING.replace(
        "What the first ones cost.", "What the first ones cost.\n" + "\n        More." * 40
    )
    assert len(list(function_bugs.examples(documented, random.Random(2)))) == 2


def test_the_same_seed_gives_the_same_bugs() -> None:
    one, two = (list(function_bugs.examples(COUNTING, random.Random(5), each=6)) for _ in range(2))
    assert one == two
    assert len({example.before for example in one}) == len(one) > 3


@pytest.mark.parametrize("text", ["def f(:\n", "x = 1\n", "def f(a):\n    return a\n"])
def test_nothing_to_get_wrong(text: str) -> None:
    assert list(function_bugs.examples(text, random.Random(0))) == []


def test_annotations_are_no_place_for_a_bug() -> None:
    text = "def f(a: list[int], b: dict[str, int]) -> list[int]:\n    x: list[int] = a[1:] + a[:1]\n    return x + a\n"
    for example in function_bugs.examples(text, random.Random(1), each=40):
        assert example.before.startswith(
            "def f(a: list[int], b: dict[str, int]) -> list[int]:\n    x: list[int] = "
        )


@pytest.mark.parametrize(
    ("inject", "text", "expected"),
    [
        (small_edits.operand_dropped, "x = a and b\n", {"x = a\n", "x = b\n"}),
        (small_edits.operand_dropped, "x = a - b\n", {"x = a\n", "x = b\n"}),
        (small_edits.operand_dropped, "x = a < b < c\n", {"x = a < b\n"}),
        (small_edits.argument_dropped, "f(a, key=b)\n", {"f(a)\n", "f(key=b)\n"}),
        (small_edits.call_dropped, "x = abs(a)\n", {"x = a\n"}),
        (small_edits.call_dropped, "x = a.lower()\n", {"x = a\n"}),
        (small_edits.call_dropped, "x = a[::-1]\n", {"x = a\n"}),
        (small_edits.function_misused, "x = min(a)\n", {"x = max(a)\n"}),
        (small_edits.branches_swapped, "x = a if c else b\n", {"x = b if c else a\n"}),
        (small_edits.branches_swapped, "if c:\n    a()\nelse:\n    b()\n", {"if c:\n    b()\nelse:\n    a()\n"}),
        (small_edits.statement_dropped, "def f():\n    a += 1\n    return a\n",
         {"def f():\n    return a\n", "def f():\n    a += 1\n"}),
        (small_edits.statement_moved, "for a in b:\n    c()\n    d()\n", {"for a in b:\n    c()\nd()\n"}),
        (small_edits.statement_moved, "for a in b:\n    c()\nd()\n", {"for a in b:\n    c()\n    d()\n"}),
        (small_edits.statement_repeated, "def f():\n    a += 1\n", {"def f():\n    a += 1\n    a += 1\n"}),
        (small_edits.value_changed, "def f():\n    return True\n", {"def f():\n    return False\n"}),
        (small_edits.bound_changed, "x = range(n)\n",
         {"x = range(n + 1)\n", "x = range(n - 1)\n", "x = range(1, n)\n", "x = range(2, n)\n"}),
        (small_edits.call_added, "x = 1\n", set()),
    ],
)  # fmt: skip
def test_what_each_edit_makes(inject: function_bugs.Injector, text: str, expected: set[str]) -> None:
    found = {
        broken.text
        for seed in range(60)
        if (broken := inject(ParsedFile(text), random.Random(seed))) is not None
    }
    assert found == expected


def test_every_edit_is_drawn_from_real_code() -> None:
    for inject, _ in function_bugs.BUGS:
        assert any(
            inject(ParsedFile(file.text), random.Random(0)) is not None for file in files(typed=True)[:40]
        ), inject
