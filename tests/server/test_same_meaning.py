"""What is known to mean the same does the same, and nothing is taken for the same that is not."""

from __future__ import annotations

import ast
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from copydesk_server.same_meaning import comparison
from copydesk_server.same_meaning.comparison import mean_the_same

SAME = {
    "a call of dict": ("f = lambda a: dict(x=a, y=2)\n", 'f = lambda a: {"x": a, "y": 2}\n'),
    "a call without arguments": ("f = lambda a: (dict(), list(), tuple())\n", "f = lambda a: ({}, [], ())\n"),
    "a name for what is returned": (
        "def f(a):\n    b = [a]\n    return b\n",
        "def f(a):\n    return [a]\n",
    ),
    "a name for what is returned, read before": (
        "def f(a):\n    b = a\n    print(b)\n    b = b + 1\n    return b\n",
        "def f(a):\n    b = a\n    print(b)\n    return b + 1\n",
    ),
    "nested ifs": (
        "def f(a, b):\n    if a:\n        if b and a > 0:\n            return 1\n    return 2\n",
        "def f(a, b):\n    if a and b and a > 0:\n        return 1\n    return 2\n",
    ),
    "a conditional expression": (
        "def f(a):\n    if a:\n        b = 1\n    else:\n        b = a\n    return [b]\n",
        "def f(a):\n    b = 1 if a else a\n    return [b]\n",
    ),
    "a conditional expression of three": (
        "def f(a):\n    if a:\n        b = 1\n    elif a is None:\n        b = 2\n    else:\n        b = a\n    return b\n",
        "def f(a):\n    return 1 if a else 2 if a is None else a\n",
    ),
    "the return at the end": (
        "def f(a):\n    if a:\n        return 1\n    else:\n        print(a)\n",
        "def f(a):\n    if a:\n        return 1\n    else:\n        print(a)\n        return None\n",
    ),
    "a loop's variable": (
        'def f(a):\n    """Not i."""\n    for i in "ab":\n        print(a)\n',
        'def f(a):\n    """Not i."""\n    for _i in "ab":\n        print(a)\n',
    ),
    "one of a loop's variables": (
        "def f(a):\n    for i, b in enumerate([a]):\n        print(b)\n",
        "def f(a):\n    for _i, b in enumerate([a]):\n        print(b)\n",
    ),
    "an exception's name": (
        "def f(a):\n    try:\n        return a + 1\n    except TypeError as e:\n        return 0\n",
        "def f(a):\n    try:\n        return a + 1\n    except TypeError:\n        return 0\n",
    ),
    "a constant that nobody reads": (
        "def f(a):\n    b = c = None\n    d = (1, {2: []})\n    return a\n",
        "def f(a):\n    b = c = None\n    return a\n",
    ),
    "a call for a name that nobody reads, at the end": (
        "def f(a):\n    b = print(a)\n",
        "def f(a):\n    print(a)\n",
    ),
    "one of two names": (
        "def f(a):\n    b = c = [a]\n    b.append(1)\n    return b\n",
        "def f(a):\n    b = [a]\n    b.append(1)\n    return b\n",
    ),
    "a constant made another, for a name that nobody reads": (
        "def f(a):\n    b = float('inf')\n    return a\n",
        "def f(a):\n    float('inf')\n    return a\n",
    ),
    "a negation between two": (
        "def f(a):\n    return 1 if not a else [a]\n",
        "def f(a):\n    return [a] if a else 1\n",
    ),
    "an exception that is let pass": (
        "import contextlib\ndef f(a):\n    try:\n        print(a + 1)\n        return 1\n    except TypeError:\n        pass\n"
        "    return 2\n",
        "import contextlib\ndef f(a):\n    with contextlib.suppress(TypeError):\n        print(a + 1)\n        return 1\n"
        "    return 2\n",
    ),
    "some exceptions that are let pass": (
        "import contextlib\ndef f(a):\n    for b in range(2):\n        try:\n            print(a[b])\n            continue\n"
        "        except (TypeError, LookupError):\n            pass\n        print(b)\n",
        "import contextlib\ndef f(a):\n    for b in range(2):\n        with contextlib.suppress(TypeError, LookupError):\n"
        "            print(a[b])\n            continue\n        print(b)\n",
    ),
    "all exceptions that are let pass": (
        "import contextlib\ndef f(a):\n    try:\n        a + 1\n    except:\n        pass\n",
        "import contextlib\ndef f(a):\n    with contextlib.suppress(BaseException):\n        a + 1\n",
    ),
    "nested with": (
        "import contextlib\ndef f(a):\n    with contextlib.nullcontext(a) as b:\n        with contextlib.nullcontext([b]) as c:\n"
        "            return b, c\n",
        "import contextlib\ndef f(a):\n    with contextlib.nullcontext(a) as b, contextlib.nullcontext([b]) as c:\n"
        "        return b, c\n",
    ),
    "true or false": (
        "def f(a):\n    if a:\n        return True\n    return False\n",
        "def f(a):\n    return bool(a)\n",
    ),
    "false or true": (
        "def f(a, b):\n    if b:\n        if a is None:\n            return True\n        else:\n            return False\n"
        "    if a:\n        return False\n    return True\n",
        "def f(a, b):\n    if b:\n        return a is None\n    return not a\n",
    ),
    "one class or another": (
        "def f(a):\n    return isinstance(a, int) or isinstance(a, str) or a is None\n",
        "def f(a):\n    return isinstance(a, (int, str)) or a is None\n",
    ),
    "a name for what is returned, that others have, too": (
        "def f(a):\n    def g(b):\n        return b\n    b = [c for b in [a] for c in [b]]\n    b = g(b)\n    return b\n",
        "def f(a):\n    def g(b):\n        return b\n    b = [c for b in [a] for c in [b]]\n    return g(b)\n",
    ),
    "a variable that is a string": (
        "def f(a):\n    if a:\n        b = 'x'\n    else:\n        b = repr(a).upper()\n    return '<%s>' % b\n",
        "def f(a):\n    if a:\n        b = 'x'\n    else:\n        b = repr(a).upper()\n    return '<{}>'.format(b)\n",
    ),
    "a value's representation in a string": (
        "def f(a):\n    return '%r is 100%% {}%s' % (a, str(a))\n",
        "def f(a):\n    return '{!r} is 100% {{}}{}'.format(a, str(a))\n",
    ),
    "a string in a string": (
        "def f(a):\n    return '<%s>' % ', '.join(repr(a)) + '%a' % len(repr(a))\n",
        "def f(a):\n    return '<{}>'.format(', '.join(repr(a))) + '{!a}'.format(len(repr(a)))\n",
    ),
    "a class in a string": (
        "def f(a):\n    return '%s %r' % (type(a).__name__, a) + '%r' % type(a)\n",
        "def f(a):\n    return '{} {!r}'.format(type(a).__name__, a) + '{!r}'.format(type(a))\n",
    ),
    "pass": ("def f(a):\n    pass\n    return a\n", "def f(a):\n    return a\n"),
}

OTHER = {
    "a value": ("x = 1\n", "x = 2\n"),
    "a comment that goes": ("x = dict(a=1)  # why\n", 'x = {"a": 1}\n'),
    "the module's own dict": ("def dict(**k): ...\nx = dict(a=1)\n", 'def dict(**k): ...\nx = {"a": 1}\n'),
    "anybody's dict": ("from m import *\nx = dict(a=1)\n", 'from m import *\nx = {"a": 1}\n'),
    "a parameter dict": ("def f(dict):\n    return dict(a=1)\n", 'def f(dict):\n    return {"a": 1}\n'),
    "a dict of a dict": ("x = dict(**a)\n", "x = {**a}\n"),
    "the module's variables": ("for i in a:\n    g()\n", "for _i in a:\n    g()\n"),
    "a class's variables": (
        "def f(a):\n    class C:\n        x = 1\n    return C\n",
        "def f(a):\n    class C:\n        pass\n    return C\n",
    ),
    "a call for a name that nobody reads": (
        "def f():\n    x = g()\n    h()\n",
        "def f():\n    g()\n    h()\n",
    ),
    "a call for a name that nobody reads, in a block": (
        "def f():\n    with g():\n        x = h()\n",
        "def f():\n    with g():\n        h()\n",
    ),
    "one of two names that is read": (
        "def f(a):\n    b = c = a\n    return b, c\n",
        "def f(a):\n    b = a\n    return b, c\n",
    ),
    "what fails for a name that nobody reads": ("def f():\n    x = float('a')\n", "def f():\n    pass\n"),
    "somebody's float": (
        "def f(float):\n    x = float('1')\n    g()\n",
        "def f(float):\n    g()\n",
    ),
    "another exception": (
        "import contextlib\ntry:\n    f()\nexcept OSError:\n    pass\n",
        "import contextlib\nwith contextlib.suppress(ValueError):\n    f()\n",
    ),
    "somebody's exception": (
        "import contextlib\ntry:\n    f()\nexcept e.E:\n    pass\n",
        "import contextlib\nwith contextlib.suppress(e.E):\n    f()\n",
    ),
    "an exception by Python's name": (
        "import contextlib\nfrom m import OSError\ntry:\n    f()\nexcept OSError:\n    pass\n",
        "import contextlib\nfrom m import OSError\nwith contextlib.suppress(OSError):\n    f()\n",
    ),
    "an exception after which something is done": (
        "import contextlib\ntry:\n    f()\nexcept OSError:\n    g()\n",
        "import contextlib\nwith contextlib.suppress(OSError):\n    f()\n",
    ),
    "what is done without an exception": (
        "import contextlib\ntry:\n    f()\nexcept OSError:\n    pass\nelse:\n    g()\n",
        "import contextlib\nwith contextlib.suppress(OSError):\n    f()\n",
    ),
    "no contextlib": (
        "try:\n    f()\nexcept OSError:\n    pass\n",
        "with contextlib.suppress(OSError):\n    f()\n",
    ),
    "somebody's contextlib": (
        "def g(contextlib):\n    try:\n        f()\n    except OSError:\n        pass\n",
        "import contextlib\ndef g(contextlib):\n    with contextlib.suppress(OSError):\n        f()\n",
    ),
    "exceptions of several at a time": (
        "import contextlib\nasync def g():\n    try:\n        await f()\n    except OSError:\n        pass\n",
        "import contextlib\nasync def g():\n    with contextlib.suppress(OSError):\n        await f()\n",
    ),
    "an import that goes": ("import contextlib\n\nx = 1\n", "x = 1\n"),
    "another import": ("x = 1\n", "import os\n\nx = 1\n"),
    "with one after the other": (
        "with a:\n    with b:\n        f()\n    g()\n",
        "with a, b:\n    f()\n    g()\n",
    ),
    "what is compared": (
        "def f(a, b):\n    if a == b:\n        return True\n    return False\n",
        "def f(a, b):\n    return a == b\n",
    ),
    "true or nothing": ("def f(a):\n    if a:\n        return True\n", "def f(a):\n    return bool(a)\n"),
    "somebody's bool": (
        "def f(a, bool):\n    if a:\n        return True\n    return False\n",
        "def f(a, bool):\n    return bool(a)\n",
    ),
    "classes of two things": (
        "f = lambda a, b: isinstance(a, int) or isinstance(b, str)\n",
        "f = lambda a, b: isinstance(a, (int, str))\n",
    ),
    "a class that is looked up": (
        "f = lambda a: isinstance(a, int) or isinstance(a, m.A)\n",
        "f = lambda a: isinstance(a, (int, m.A))\n",
    ),
    "a name that a function within gives a value": (
        "def f(a):\n    def g():\n        nonlocal b\n        b = a\n    b = 1\n    b = g\n    return b\n",
        "def f(a):\n    def g():\n        nonlocal b\n        b = a\n    b = 1\n    return g\n",
    ),
    "a variable that is a string sometimes": (
        "def f(a):\n    b = str(a)\n    for b in a:\n        pass\n    return '%s' % b\n",
        "def f(a):\n    b = str(a)\n    for b in a:\n        pass\n    return '{}'.format(b)\n",
    ),
    "an exception that has a string's name": (
        "def f(a):\n    b = str(a)\n    try:\n        a()\n    except E as b:\n        return '%s' % b\n",
        "def f(a):\n    b = str(a)\n    try:\n        a()\n    except E as b:\n        return '{}'.format(b)\n",
    ),
    "a string of the function around": (
        "def f(a):\n    b = str(a)\n    def g(b):\n        c = b\n        return '%s' % c\n    return g\n",
        "def f(a):\n    b = str(a)\n    def g(b):\n        c = b\n        return '{}'.format(c)\n    return g\n",
    ),
    "anything in a string": ("f = lambda a: '%s %s' % (a, 1)\n", "f = lambda a: '{} {}'.format(a, 1)\n"),
    "what may be a tuple in a string": ("f = lambda a: '%r' % a\n", "f = lambda a: '{!r}'.format(a)\n"),
    "what is compared, in a string": (
        "f = lambda a: '%r' % (a == 1)\n",
        "f = lambda a: '{!r}'.format(a == 1)\n",
    ),
    "another conversion": ("f = lambda a: '%r' % (a,)\n", "f = lambda a: '{!a}'.format(a)\n"),
    "one value too many": ("f = lambda a: '%r' % (a, a)\n", "f = lambda a: '{!r}'.format(a, a)\n"),
    "a number in a string": ("f = lambda a: '%5d' % len(a)\n", "f = lambda a: '{:5d}'.format(len(a))\n"),
    "an f-string": ("f = lambda a: '{!r}{!r}'.format(a(), a())\n", "f = lambda a: f'{a()!r}{a()!r}'\n"),
    "somebody's str": ("f = lambda a, str: '%s' % str(a)\n", "f = lambda a, str: '{}'.format(str(a))\n"),
    "a name that may be missing": ("def f():\n    x = unicode\n", "def f():\n    pass\n"),
    "a name that a function within reads": (
        "def f(a):\n    g = lambda: b\n    b = [a]\n    return b\n",
        "def f(a):\n    g = lambda: b\n    return [a]\n",
    ),
    "a name read before it is one of the function's": (
        "def f(a):\n    print(b)\n    b = a\n    return b\n",
        "def f(a):\n    print(b)\n    return a\n",
    ),
    "a global name": (
        "def f(a):\n    global b\n    b = a\n    return b\n",
        "def f(a):\n    global b\n    return a\n",
    ),
    "a name of the function around": (
        "def f():\n    b = 0\n    def g(a):\n        nonlocal b\n        b = a\n        return b\n    return g, lambda: b\n",
        "def f():\n    b = 0\n    def g(a):\n        nonlocal b\n        return a\n    return g, lambda: b\n",
    ),
    "a name that is read at last": (
        "def f(a):\n    b = None\n    try:\n        b = [a]\n        return b\n    finally:\n        print(b)\n",
        "def f(a):\n    b = None\n    try:\n        return [a]\n    finally:\n        print(b)\n",
    ),
    "names that locals() sees": (
        "def f(a):\n    for i in a:\n        print(locals())\n",
        "def f(a):\n    for _i in a:\n        print(locals())\n",
    ),
    "a name in a string": (
        "def f(a):\n    for i in a:\n        evaluate('i + 1')\n",
        "def f(a):\n    for _i in a:\n        evaluate('i + 1')\n",
    ),
    "a name that is counted up": (
        "def f(a):\n    n = 0\n    for b in a:\n        n += b\n",
        "def f(a):\n    for b in a:\n        n += b\n",
    ),
    "a name that is deleted": ("def f():\n    n = 0\n    del n\n", "def f():\n    del n\n"),
    "an else": (
        "def f(a, b):\n    if a:\n        if b:\n            return 1\n        else:\n            return 2\n",
        "def f(a, b):\n    if a and b:\n        return 1\n    else:\n        return 2\n",
    ),
    "an attribute": (
        "def f(a):\n    if a:\n        a.b = 1\n    else:\n        a.c = 2\n",
        "def f(a):\n    a.b = 1 if a else 2\n",
    ),
    "a return in the middle": (
        "def f(a):\n    for b in a:\n        return None\n    print(a)\n",
        "def f(a):\n    for b in a:\n        pass\n    print(a)\n",
    ),
    "a default's variable": (
        "def f(a=(b := 1)):\n    b = 2\n    return a\n",
        "def f(a=(c := 1)):\n    b = 2\n    return a\n",
    ),
    "the last function's doubt": ("def f(a): return a\n", "def f(a: int): return a\n"),
    "a dict further down": (
        "x = dict(a=1)\n\n\ndef dict(**k): ...\n",
        'x = {"a": 1}\n\n\ndef dict(**k): ...\n',
    ),
    "a line that joins the next": ("x = 1\ny = 2\n", "x = 1 + \\\ny = 2\n"),
    "a statement more": ("x = 1\ny = 2\n", "x = 1\nf()\ny = 2\n"),
    "a line that takes the next in": ("x = 1\ny = 2\n", "if x:\n  y = 2\n"),
    "a decorator": ("@a\ndef f(): ...\n", "@b\ndef f(): ...\n"),
    "a decorator more": ("def f(): ...\n", "@b\ndef f(): ...\n"),
    "an else further down": ("if a:\n    b\nelse:\n    c\n", "if a:\n    b\nif b:\n    b\nelse:\n    c\n"),
    "what does not parse": ("def f(:\n", "def f(:\n"),
    "what is nested too deeply": ("x = " + "-" * 20_000 + "1\n",) * 2,
}


def does(text: str, arguments: tuple[object, ...], capsys: pytest.CaptureFixture[str]) -> tuple[object, str]:
    names: dict[str, Any] = {}
    exec(text, names)
    try:
        found: object = names["f"](*arguments)
    except Exception as error:  # noqa: BLE001
        found = repr(error)
    return found, capsys.readouterr().out


@pytest.mark.parametrize("name", SAME)
def test_the_same_does_the_same(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    before, after = SAME[name]
    assert mean_the_same(before, after)
    assert mean_the_same(after, before)
    functions = [node for node in ast.parse(before).body if isinstance(node, ast.FunctionDef)]
    count = len(functions[0].args.args) if functions else 1
    for arguments in product((0, 1, -2, None, "x"), repeat=count):
        assert does(before, arguments, capsys) == does(after, arguments, capsys)


@pytest.mark.parametrize("name", OTHER)
def test_others_are_not_taken_for_the_same(name: str) -> None:
    assert not mean_the_same(*OTHER[name])


def test_only_what_differs_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of many statements costs one of them."""
    parsed: list[str] = []
    monkeypatch.setattr(
        comparison, "parsed", lambda text, parse=comparison.parsed: parsed.append(text) or parse(text)
    )
    before = "".join(f"x{k} = dict(a={k})\n# {k}\n" for k in range(9))
    for k in range(9):
        assert mean_the_same(before, before.replace(f"dict(a={k})", f'{{"a": {k}}}'))
    assert parsed[0] == before
    assert parsed[1:] == [t for k in range(9) for t in (f"x{k} = dict(a={k})\n", f'x{k} = {{"a": {k}}}\n')]


def test_an_import_of_contextlib_does_nothing() -> None:
    before = '"""Doc."""\nimport os\n\ntry:\n    f()\nexcept OSError:\n    pass\n'
    after = '"""Doc."""\nimport contextlib\nimport os\n\nwith contextlib.suppress(OSError):\n    f()\n'
    assert mean_the_same(before, after)
    assert not mean_the_same(after, before)


@pytest.mark.parametrize(
    "block", ["pytest.raises(E)", "self.assertRaises(E), open(f)", "g(), self.assertRaisesRegex(E, 'a')"]
)
def test_behind_a_test_that_nothing_is_raised_no_name_is_read(block: str) -> None:
    before = f"def test(self):\n    with {block}:\n        x = g()\n    print(1)\n"
    after = before.replace("x = g()", "g()")
    assert mean_the_same(before, after) is not block.endswith("open(f)")


def test_a_comment_more_is_no_matter() -> None:
    assert mean_the_same("x = 1\n", "x = 1  # why\n")


def test_real_code_means_the_same_as_itself_and_as_it_is_printed() -> None:
    """Without the comments, which printing loses, and not with any one constant changed."""
    for path in sorted(Path(ast.__file__).parent.glob("*.py"))[:40]:
        tree = ast.parse(path.read_text("utf-8"))
        text = ast.unparse(tree)
        assert mean_the_same(text, ast.unparse(ast.parse(text)))
        numbers = [n for n in ast.walk(tree) if isinstance(n, ast.Constant) and type(n.value) is int]
        for number in numbers[:2]:
            number.value += 1
            assert not mean_the_same(text, ast.unparse(tree)), (path, number.lineno)
            number.value -= 1
