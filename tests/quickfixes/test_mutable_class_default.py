"""Mutable defaults of a class. `$0` marks the diagnostic."""

from __future__ import annotations

import pytest

from quick_fixes import fixed, ruff_is_content

MESSAGE = "Mutable default value for class attribute"
IMPORT = "from typing import ClassVar\n"

FIXED = [
    ("class A:\n    x = $0[]\n", [IMPORT + "class A:\n    x: ClassVar[list] = []\n"]),
    ("import os\n\n\nclass A:\n    x = $0{'a': 1}\n",
     ["import os\n" + IMPORT + f"\n\nclass A:\n    x: ClassVar[{kind}] = {{'a': 1}}\n" for kind in ("dict[str, int]", "dict")]),
    ("from typing import Any\n\n\nclass A:\n    x: list[Any] = $0[]\n",
     ["from typing import Any, ClassVar\n\n\nclass A:\n    x: ClassVar[list[Any]] = []\n"]),
    (IMPORT + "class A:\n    x = $0set()\n", [IMPORT + "class A:\n    x: ClassVar[set] = set()\n"]),
    ("import typing as t\nclass A:\n    x = $0[\n        'a',\n        b,\n    ]\n",
     ["import typing as t\nclass A:\n    x: t.ClassVar[list] = [\n        'a',\n        b,\n    ]\n"]),
    ("import typing\nclass A:\n    x = $0{1, 2}  # so\n",
     [f"import typing\nclass A:\n    x: typing.ClassVar[{kind}] = {{1, 2}}  # so\n" for kind in ("set[int]", "set")]),
]  # fmt: skip

LEFT = [
    "class A:\n    x = $0make()\n",
    "class A:\n    x = y = $0[]\n",
    "x = $0[]\n",
    "class A:\n    def f(self):\n        x = $0[]\n",
]


@pytest.mark.parametrize(("source", "expected"), FIXED)
def test_the_attribute_is_one_of_the_class(source: str, expected: list[str]) -> None:
    assert sorted(fixed(source, "RUF012", MESSAGE)) == sorted({*fixed(source, None, MESSAGE)})
    found = fixed(source, "RUF012", MESSAGE)
    assert [text for text in found if text in expected] == expected


@pytest.mark.parametrize("source", LEFT)
def test_what_is_left_to_the_model(source: str) -> None:
    assert fixed(source, "RUF012", MESSAGE) == []


@pytest.mark.parametrize("source", [source for source, _ in FIXED])
def test_ruff_is_content(source: str) -> None:
    ruff_is_content(source.replace("$0", ""), "RUF012")
