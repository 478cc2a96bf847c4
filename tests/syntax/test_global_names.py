"""Which names of a file nothing binds: a table, and what cannot be told."""

from __future__ import annotations

from pathlib import Path

import pytest

import copydesk
from copydesk.syntax.global_names import global_names

UNDEFINED = [
    ("x = 1\ndef f(a):\n    return a + b + x\n", {"b"}),
    ("class A:\n    x = 1\n    y = x\n    def f(self):\n        return x\n", {"x"}),
    ("def f():\n    global g\n    g = 1\nprint(g)\n", set()),
    ("def f():\n    def g():\n        return q\n    q = 1\n    return g\n", set()),
    ("import a.b\nfrom c import d as e\na.b.c, e, d\n", {"d"}),
    ("try:\n    pass\nexcept ValueError as e:\n    print(e)\n", set()),
    ("[i for i in z]\nlambda x: x + y\n", {"z", "y"}),
    ("if n := 3:\n    print(n)\n", set()),
    ("match [1]:\n    case [b]:\n        print(b)\n", set()),
    ("def f(x: T) -> U: ...\n", {"T", "U"}),
    ("__name__, __file__, __doc__, __builtins__\n", set()),
]


@pytest.mark.parametrize(("text", "names"), UNDEFINED)
def test_undefined(text: str, names: set[str]) -> None:
    found = global_names(text)
    assert found is not None
    assert found.undefined == names
    assert found.undefined <= found.read


@pytest.mark.parametrize("text", ["from a import *\nb\n", "if x:\n    from a import  *\n", "def f(:\n", "\0"])
def test_what_cannot_be_told(text: str) -> None:
    assert global_names(text) is None


def test_sound_code_has_none() -> None:
    for file in sorted(Path(copydesk.__file__).parent.rglob("*.py")):
        found = global_names(file.read_text("utf-8"))
        assert found is not None, file
        assert not found.undefined, file
