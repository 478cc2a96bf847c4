"""Answers that can lie beyond the diagnostic's statement, by example. `¦` marks the diagnostic's place."""

from __future__ import annotations

import ast

import pytest

from copydesk.request import Diagnostic, EditRequest
from copydesk.syntax.splice import Splice, spliced
from copydesk.text.document import apply_edits, split_lines
from copydesk.text.line_edit import LineEdit
from desks import editor
from quick_fixes import applied, candidates, marked
from server_tools import the_ruff

B904 = "Within an `except` clause, raise exceptions with `raise ... from err` or `raise ... from None` to distinguish them"
B023 = "Function definition does not bind loop variable `x`"
E741 = "Ambiguous variable name: `l`"

B905 = "`zip()` without an explicit `strict=` parameter"
B028 = "No explicit `stacklevel` keyword argument found"
W1510 = "`subprocess.run` without explicit `check` argument"
F841 = "Local variable `{}` is assigned to but never used"
B007 = "Loop control variable `{}` not used within loop body"

TRY = "try:\n    f()\nexcept {}:\n    ¦raise {}\n"


def tried(caught: str, raised: str) -> str:
    return TRY.format(caught, raised)


RAISES = [
    (tried("A as e", "B()"), [tried("A as e", "B() from e")]),
    (tried("A", "B"), [tried("A as error", "B from error")]),
    (tried("(A, C)", "B(error)"), [tried("(A, C) as err", "B(error) from err")]),
    ("try:\n    f()\nexcept:\n    ¦raise B\n", ["try:\n    f()\nexcept:\n    raise B from None\n"]),
    (tried("A as e", "B(\n        1,\n    )  # so"), [tried("A as e", "B(\n        1,\n    ) from e  # so")]),
    ("try:\n    f()\nexcept A as exc:\n    pass\nexcept B:\n    ¦raise C\n",
     ["try:\n    f()\nexcept A as exc:\n    pass\nexcept B as exc:\n    raise C from exc\n"]),
    ("try:\n    f()\nexcept A as exc:\n    try:\n        g()\n    except B:\n        ¦raise exc\n",
     ["try:\n    f()\nexcept A as exc:\n    try:\n        g()\n    except B:\n        raise exc from None\n"]),
]  # fmt: skip

CAPTURES = [
    ("for x in y:\n    f(lambda: ¦x)\n", ["for x in y:\n    f(lambda x=x: x)\n"]),
    ("for x in y:\n    f(lambda a: a + ¦x)\n", ["for x in y:\n    f(lambda a, x=x: a + x)\n"]),
    ("for x in y:\n    f(lambda *a, **k: ¦x)\n", ["for x in y:\n    f(lambda *a, x=x, **k: x)\n"]),
    ("for x in y:\n    def g():\n        return ¦x\n", ["for x in y:\n    def g(x=x):\n        return x\n"]),
    ("for x in y:\n    def g(\n        a,\n    ):\n        return ¦x\n",
     ["for x in y:\n    def g(\n        a, x=x,\n    ):\n        return x\n"]),
    ("for x in y:\n    def g(a, /, **k: int):\n        return ¦x\n",
     ["for x in y:\n    def g(a, /, x=x, **k: int):\n        return x\n"]),
]  # fmt: skip

RENAMES = [
    ("def f(lines):\n    return [l for ¦l in lines if l.l]\n", "def f(lines):\n    return [line for line in lines if line.l]\n"),
    ("def f(boxes):\n    for ¦l in boxes:\n        g(l, l=l, s=f'{l}')\n",
     "def f(boxes):\n    for box in boxes:\n        g(box, l=box, s=f'{box}')\n"),
    ("def f(a):\n    ¦l = len(a)\n    return lambda l: l + 1, l\n",
     "def f(a):\n    length = len(a)\n    return lambda l: l + 1, length\n"),
    ("def f(a):\n    for ¦l in range(len(a) - 1, 0, -1):\n        g(a[l])\n",
     "def f(a):\n    for index in range(len(a) - 1, 0, -1):\n        g(a[index])\n"),
    ("def f(a):\n    ¦l = a.entries\n    def g(b):\n        return b[l]\n    return g\n",
     "def f(a):\n    entries = a.entries\n    def g(b):\n        return b[entries]\n    return g\n"),
    ("def l(a):\n    ¦l = len(a)\n    return l\n", "def l(a):\n    length = len(a)\n    return length\n"),
    ("x = [l for ¦l in words]\n", "x = [word for word in words]\n"),
    ("def f(l_s):\n    for l in l_s:\n        a = [l for ¦l in l.parts]\n    return l\n",
     "def f(l_s):\n    for l in l_s:\n        a = [part for part in l.parts]\n    return l\n"),
    ("g(lambda ¦l: l)\n", "g(lambda line: line)\n"),
    ("def f(y):\n    def g(¦l, x=1):\n        return l[x]\n    return g(y), g(y, x=2)\n",
     "def f(y):\n    def g(line, x=1):\n        return line[x]\n    return g(y), g(y, x=2)\n"),
]  # fmt: skip

ARGUMENTS = [
    ("B905", B905, "x = ¦zip(a, b)\n", "x = zip(a, b, strict=False)\n"),
    ("B905", B905, "x = ¦zip(\n    a,\n    *b,  # so\n)\n", "x = zip(\n    a,\n    *b, strict=False,  # so\n)\n"),
    ("B028", B028, "import warnings\n¦warnings.warn('old', A)\n", "import warnings\nwarnings.warn('old', A, stacklevel=2)\n"),
    ("PLW1510", W1510, "import subprocess\n¦subprocess.run(['a'])\n",
     "import subprocess\nsubprocess.run(['a'], check=False)\n"),
]  # fmt: skip

UNREAD = [
    ("F841", F841, "def f():\n    ¦x = 1\n    return 2\n", "def f():\n    return 2\n"),
    ("F841", F841, "def f(a):\n    ¦x: int = len(a)  # so\n    return 2\n", "def f(a):\n    return 2\n"),
    ("F841", F841, "def f(a):\n    ¦x = [\n        a.copy(),\n        lambda: g()]\n    return 2\n", "def f(a):\n    return 2\n"),
    ("F841", F841, "def f(a):\n    ¦x = a.pop()\n", "def f(a):\n    a.pop()\n"),
    ("F841", F841, "def f(a):\n    ¦x = [g(b) for b in a]\n", "def f(a):\n    [g(b) for b in a]\n"),
    ("F841", F841, "async def f(a):\n    ¦x = await a\n", "async def f(a):\n    await a\n"),
    ("F841", F841, "def f(a):\n    ¦x = 1\n", "def f(a):\n    pass\n"),
    ("F841", F841, "def f(a):\n    if a:\n        # so\n        ¦x = 1\n", "def f(a):\n    if a:\n        # so\n        pass\n"),
    ("F841", F841, "def f(a):\n    ¦x = y = 1\n    return y\n", "def f(a):\n    y = 1\n    return y\n"),
    ("F841", F841, "def f(a):\n    y = ¦x = 1\n    return y\n", "def f(a):\n    y = 1\n    return y\n"),
    ("F841", F841, "def f():\n    try:\n        g()\n    except A as ¦e:\n        pass\n",
     "def f():\n    try:\n        g()\n    except A:\n        pass\n"),
    ("F841", F841, "def f():\n    with g(\n        1,\n    ) as ¦x:\n        pass\n",
     "def f():\n    with g(\n        1,\n    ):\n        pass\n"),
    ("F841", F841, "def f(a):\n    if (¦x := a.b()):\n        pass\n", "def f(a):\n    if (a.b()):\n        pass\n"),
    ("B007", B007, "for ¦i in y:\n    g()\n", "for _i in y:\n    g()\n"),
    ("B007", B007, "for k, (¦i, j) in y:\n    g(k, j)\n", "for k, (_i, j) in y:\n    g(k, j)\n"),
    ("B007", B007, "def f(y):\n    i = 1\n    g(i)\n    for ¦i in y:\n        g()\n",
     "def f(y):\n    i = 1\n    g(i)\n    for _i in y:\n        g()\n"),
    ("B007", B007, "for ¦i in y:\n    g()\nfor i in z:\n    g(i)\nx = [i for i in z]\n",
     "for _i in y:\n    g()\nfor i in z:\n    g(i)\nx = [i for i in z]\n"),
]  # fmt: skip

NONE = [
    ("try:\n    f()\nexcept A:\n    ¦raise\n", "B904", B904),
    (tried("A as e", "B() from e"), "B904", B904),
    ("¦raise A\n", "B904", B904),
    ("try:\n    f()\nexcept A:\n" + "    g()\n" * 60 + "    ¦raise B\n", "B904", B904),
    ("for x in y:\n    def f():\n" + "        g()\n" * 60 + "        return ¦x\n", "B023", B023),
    ("try:\n    f()\nexcept A:\n    def g():\n        ¦raise B\n", "B904", B904),
    ("f(¦x)\n", "B023", B023),
    ("¦l = 1\n", "E741", E741),  # others may import it
    ("class A:\n    ¦l = 1\n", "E741", E741),
    ("def f(¦l):\n    return l\n", "E741", E741),  # called by name
    ("def f():\n    def g(¦l):\n        return l\n    return g(l=1)\n", "E741", E741),
    ("def f(y):\n    def g(¦l):\n        return l\n    return g(**y)\n", "E741", E741),
    ("def f(y):\n    def g(¦l):\n        return l\n    return g(1), g\n", "E741", E741),
    ("def f(y):\n    def g(x, ¦l=l):\n        return l\n    return g(1)\n", "E741", E741),
    ("class A:\n    def g(¦l):\n        return l\n    def f(self):\n        return g(1)\n", "E741", E741),
    ("def f():\n    global l\n    ¦l = 1\n", "E741", E741),
    ("def f(l):\n    ¦l = l.strip()\n    return l\n", "E741", E741),
    ("def f():\n    import l\n    ¦l = l.x\n    return l\n", "E741", E741),
    ("def f():\n    def l(): pass\n    ¦l = 1\n    return l\n", "E741", E741),
    ("def f():\n    ¦l = 1\n    def g():\n        l = 2\n        return l\n    return g, l\n", "E741", E741),
    ("def f():\n    ¦l = 1\n" + "    g()\n" * 60 + "    return l\n", "E741", E741),
    ("def ¦l():\n    pass\n", "E741", "Ambiguous function name: `l`"),
    ("x = ¦y\n", "B905", B905),
    ("x = ¦zip()\n", "B905", B905),
    ("x = ¦zip(a for a in b)\n", "B905", B905),
    ("def f():\n    ¦x, y = 1, 2\n    return y\n", "F841", F841.format("x")),
    ("def f(): ¦x = 1; return 2\n", "F841", F841.format("x")),
    ("def f(y):\n    for ¦i in y:\n        g()\n    return i\n", "B007", B007.format("i")),
    ("def f(y):\n    for ¦i in y:\n        g()\n    return [i for i in i]\n", "B007", B007.format("i")),
    (
        "def f(y, z):\n    for i in z:\n        for ¦i in y:\n            g()\n        g(i)\n",
        "B007",
        B007.format("i"),
    ),
    (
        "def f(y, z):\n    while z:\n        g(i)\n        for ¦i in y:\n            g()\n",
        "B007",
        B007.format("i"),
    ),
    ("def f(y, _i):\n    for ¦i in y:\n        g(_i)\n", "B007", B007.format("i")),
]


def name(source: str) -> str:
    """The word behind the mark."""
    return source[source.index("¦") + 1 :].split()[0].rstrip(",:)")


def results(source: str, code: str, message: str) -> list[str]:
    text, at = marked(source)
    lines = split_lines(text)
    return [applied(lines, edit) for edit in candidates(Diagnostic(at, at, message, code), lines)]


CASES = [
    *((source, "B904", B904, expected) for source, expected in RAISES),
    *((source, "B023", B023, expected) for source, expected in CAPTURES),
    *((source, code, message, [expected]) for code, message, source, expected in ARGUMENTS),
    *((source, code, message.format(name(source)), [expected]) for code, message, source, expected in UNREAD),
]


@pytest.mark.parametrize(("source", "code", "message", "expected"), CASES)
def test_all_there_are(source: str, code: str, message: str, expected: list[str]) -> None:
    expected = [text.replace("¦", "") for text in expected]
    assert results(source, code, message) == expected
    assert results(source, "another", message) == expected  # the words say it, too
    text, at = marked(source)
    result = (
        editor()
        .open("a.py", text, language="python")
        .edit(EditRequest(diagnostics=[Diagnostic(at, at, message, code)]))
    )
    assert apply_edits(text, result.edits) in expected


@pytest.mark.parametrize(("source", "likeliest"), RENAMES)
def test_another_name_wherever_it_stands(source: str, likeliest: str) -> None:
    found = results(source, "E741", E741)
    assert found[0] == likeliest
    assert 1 < len(found) <= 8
    assert len(set(found)) == len(found)
    for text in found:
        ast.parse(text)
    text, at = marked(source)
    result = (
        editor()
        .open("a.py", text, language="python")
        .edit(EditRequest(diagnostics=[Diagnostic(at, at, E741, "E741")]))
    )
    assert apply_edits(text, result.edits) in found


@pytest.mark.parametrize(("source", "code", "message"), NONE)
def test_what_is_left_to_the_model(source: str, code: str, message: str) -> None:
    assert results(source, code, message) == []


@pytest.mark.parametrize(
    ("source", "code"),
    [*((source, code) for source, code, _, _ in CASES), *((source, "E741") for source, _ in RENAMES)],
)
def test_ruff_is_content(source: str, code: str) -> None:
    inside = "".join(f"    {line}" for line in split_lines(source.replace("¦", "")))
    text, ruff, desk = f"def whole():\n{inside}", the_ruff(), editor()
    said = ruff.check(text, None, select=f"{code},E9")
    assert said
    for _ in range(3):  # one diagnostic at a time, as they are asked
        if said:
            document = desk.open("a.py", text, language="python")
            text = apply_edits(text, document.edit(EditRequest(diagnostics=[said[0]])).edits)
            document.close()
            said = ruff.check(text, None, select=f"{code},E9")
    assert not said


@pytest.mark.parametrize(
    "message",
    [
        "Unused variable 'x'",
        'Variable "x" is not accessed',
        "local variable 'x' is assigned to but never used",
    ],
)
def test_other_tools_say_it_otherwise(message: str) -> None:
    assert results("def f():\n    ¦x = 1\n    return 2\n", "W0000", message) == ["def f():\n    return 2\n"]


def test_what_utf_8_cannot_say_is_no_line_to_rewrite() -> None:
    assert spliced(["a\udc80b\n"], [Splice((0, 0), (0, 1), "x")]) == ()
    assert spliced(["é b\n"], [Splice((0, 3), (0, 4), "x")]) == (LineEdit(1, 1, "é x\n"),)
