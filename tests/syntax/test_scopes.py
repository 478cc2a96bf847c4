"""Which names can be used at a place of Python code. `$0` is the place."""

from __future__ import annotations

import pytest

from copydesk.syntax.scopes import Visible, visible_names
from copydesk.syntax.tree import parse
from copydesk.text.document import split_lines
from quick_fixes import marked

SOURCE = """\
import a.b, c as d
from x import (y, z as w)

def function(p, q: int = 1, *args, r=2, **kw) -> int:
    with open(p) as g, h() as (i, j):
        pass
    for k, (l, *m) in q:
        pass
    try:
        if (n := 1):
            (u), [v] = 1, 2
    except E as e:
        o.attribute = s[0] = 2
    made = [ii for ii in q]
    match q:
        case {"k": kk, **rest} | [a1, *a2] | A(a3, b=a4) as a5:
            pass
    def nested(inner):
        deeper = 1
    mine = $0
    after = 1

class Class(Base):
    field = 1
"""


def names(source: str) -> dict[str, Visible]:
    text, place = marked(source.replace("$0", "$0HERE"), "$0")
    lines = split_lines(text)
    tree = parse(lines, "python")
    assert tree is not None
    return {each.name: each for each in visible_names(tree, (place.line, place.character))}


def test_what_a_function_and_its_module_bind() -> None:
    found = names(SOURCE)
    own = {name for name, each in found.items() if each.local}
    assert (
        " ".join(sorted(own))
        == "a1 a2 a3 a5 after args e g i j k kk kw l m made mine n nested p q r rest u v"
    )
    other = {name for name, each in found.items() if not each.local}
    assert " ".join(sorted(other)) == "Class a d function w y"
    assert {name for name, each in found.items() if each.module} == {"a", "d"}
    assert {name for name, each in found.items() if each.own} == {"mine"}
    assert not found["after"].earlier
    assert found["p"].earlier
    assert found["p"].read
    assert not found["made"].read


@pytest.mark.parametrize(
    ("source", "there", "absent"),
    [
        ("class A:\n    field = 1\n    other = $0\n", "field A", ""),
        ("class A:\n    field = 1\n    def f(self):\n        return $0\n", "self A", "field f"),
        ("class A:\n    def f(self):\n        return $0\n", "self A", "f"),
        ("def f(p=$0): pass\n", "f", "p"),
        ("def f(p) -> $0: pass\n", "f", "p"),
        ("@$0\ndef f(p): pass\n", "f", "p"),
        ("x = [y for y in z if $0]\n", "x y", ""),
        ("x = [y for y in z] + $0\n", "x", "y"),
        ("f = lambda a, b=1: $0\n", "f a b", ""),
        ("def f():\n    def g(inner): pass\n    $0\n", "f g", "inner"),
        ("def f(a):\n    def g(b):\n        return $0\n", "f a g b", ""),
        ("def f(a:\n    return $0\n", "", "nothing"),  # does not parse
        ("$0", "", "nothing"),
    ],
)
def test_scopes(source: str, there: str, absent: str) -> None:
    found = names(source)
    assert set(there.split()) <= set(found)
    assert not set(absent.split()) & set(found)


def test_what_the_statement_itself_binds_is_its_own() -> None:
    assert names("class A($0): pass\n")["A"].own
    assert not names("def f():\n    return $0\n")["f"].own
    assert not names("x = 1\nx = $0\n")["x"].own
