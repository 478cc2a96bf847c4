"""Whether a diagnostic can still be true. `¦` marks its line; a true one is never disbelieved."""

from __future__ import annotations

import random

import pytest

from copydesk.quickfixes.staleness import still_applies
from copydesk.request import Diagnostic
from copydesk.syntax.tree import parse
from copydesk.text.document import Position, split_lines
from copydesk_training.defects import KINDS, examples
from copydesk_training.defects.registry import draw
from defect_files import files
from server_tools import the_ruff


def believed(source: str, message: str, code: str | None = None, language: str = "python") -> bool:
    offset = source.index("¦")
    line, text = source.count("\n", 0, offset), source.replace("¦", "")
    lines = split_lines(text)
    diagnostic = Diagnostic(Position(line, 0), Position(line, 1), message, code)
    return still_applies(diagnostic, lines, language, parse(lines, language))


# Message, code, a text it is true of, and what that looks like when it no longer is.
PAIRS = [
    ("invalid syntax", None, "¦x = (1\n", "¦x = (1)\n"),
    ("SyntaxError: expected ':'", "E999", "def f()¦\n    pass\n", "def f():¦\n    pass\n"),
    ("Undefined name `y`", "F821", "print(¦y)\n", "print(¦x)\n"),
    ("Undefined name `y`", "F821", "print(¦y)\n", "print(¦self.y)\n"),
    ("Undefined name `y`", "F821", "call(¦y=y)\n", "call(¦y=x.y)\n"),
    ("Undefined name `y`", "F821", "a: y¦ = 3\n", "a: z¦ = 3\n"),
    ("Undefined name `y`", "F821", "print(f'{y=}')¦\n", "print(f'{x=}')¦\n"),
    ("undefined name 'y'", None, "call(¦\n    x,\n    y,\n)\n", "call(¦\n    x,\n    z,\n)\n"),
    ("Module has no attribute \"foo\"; maybe \"for\"?", "attr-defined", "os.¦foo()\n", "os.¦fork()\n"),
    ("Instance of 'A' has no 'foo' member", "E1101", "(a¦\n .b\n .foo)\n", "(a¦\n .b\n .bar)\n"),
    ('Cannot access attribute "foo" for class "A"', None, "a.foo¦\n", "a.bar¦\n"),
    ("`os.path` imported but unused", "F401", "import os.path¦\n", "import re¦\n"),
    ("`a.b as c` imported but unused", "F401", "import a.b as c¦\n", "import a.b as d¦\n"),
    ("Local variable `e` is assigned to but never used", "F841", "e = 3¦\n", "f = 3¦\n"),
    ("First argument of a method should be named `self`", "N805", "    def f(x¦):\n", "    def f(self, x¦):\n"),
    ("First argument of a method should be named `self`", "N805", "def f(x¦):\n    pass\n", "x = 1¦\n"),
    ('Instance methods should take a "self" parameter', "reportSelfClsParameterName", "def f(\n    x¦): ...\n", "x = self.y¦\n"),
    ("TypeError: A.f() takes 0 positional arguments but 1 was given", None, "def f():¦\n", "def f(self):¦\n"),
    ("Comparison to `None` should be `cond is None`", "E711", "x == None¦\n", "x is None¦\n"),
    ("Comparison 'None != x' should be 'None is not x'", "C0121", "None != x¦\n", "None is not x == 3¦\n"),
    ("Avoid equality comparisons to `True`; use `x:`", "E712", "x == True¦\n", "x is True¦\n"),
    ("Test for membership should be `not in`", "E713", "not x in y¦\n", "x not in y¦\n"),
    ("Test for membership should be `not in`", "E713", "if not (x in y):¦\n", "if x not in y:¦\n"),
    ("Test for object identity should be `is not`", "E714", "not x is y¦\n", "x is not y¦\n"),
    ("Test for object identity should be `is not`", "E714", "not x is not y¦\n", "x is y¦\n"),
    ('Consider changing "not a == b" to "a != b"', "C0117", "not a == b¦\n", "a != b¦\n"),
    ("Use `is` and `is not` for type comparisons", "E721", "type(a) == int¦\n", "isinstance(a, int)¦\n"),
    ("Use `is` and `is not` for type comparisons", "E721", "if exc_type == KeyError¦:\n", "if exc_type is KeyError¦:\n"),
    ("Do not use bare `except`", "E722", "except:¦\n", "except Exception:¦\n"),
    ("f-string without any placeholders", "F541", "x = f'a'¦\n", "x = 'a'¦\n"),
    ("Do not use mutable data structures for argument defaults", "B006", "def f(x=[]¦):\n", "def f(x=None¦):\n"),
    ("Dangerous default value [] as argument", "W0102", "def f(x=[]¦):\n", "def f(x='', y=1, *, z=None¦):\n"),
    ("Trailing whitespace", "W291", "x = 1  ¦\n", "x = 1¦\n"),
    ("Blank line contains whitespace", "W293", "  ¦\n", "¦\n"),
    ("Ambiguous variable name: `l`", "E741", "for l¦ in x:\n", "for line¦ in x:\n"),
    ("Within an `except` clause, raise exceptions with `raise ... from err`", "B904",
     "try:\n    a\nexcept A:\n    ¦raise B('x')\n", "try:\n    a\nexcept A as e:\n    ¦raise B('x') from e\n"),
    ("Consider explicitly re-raising using 'raise B from e'", "W0707", "    ¦raise B(\n        'is from x')\n",
     "    ¦raise B(\n        'is from x',\n    ) from e\n"),
    ("Function definition does not bind loop variable `x`", "B023", "for x in y:\n    f(lambda: x¦)\n",
     "for x in y:\n    f(lambda: z¦)\n"),
    ("`zip()` without an explicit `strict=` parameter", "B905", "¦zip(a, b)\n", "¦zip(a, b, strict=True)\n"),
    ("No explicit `stacklevel` keyword argument found", "B028", "¦warnings.warn('a')\n", "¦warnings.warn('a', stacklevel=3)\n"),
    ("`subprocess.run` without explicit `check` argument", "PLW1510", "¦subprocess.run(a)\n", "¦x = 1\n"),
    ("Loop control variable `i` not used within loop body", "B007", "for i¦ in x:\n    y\n", "for _i¦ in x:\n    y\n"),
    ("Do not assign a `lambda` expression, use a `def`", "E731", "f = (¦\n    lambda: 1)\n", "def f()¦: return 1\n"),
    ("Expected 1 blank line, found 0", "E301", "class A:\n    x = 1\n    ¦def f(): pass\n",
     "class A:\n    x = 1\n\n    ¦def f(): pass\n"),
    ("Expected 2 blank lines, found 1", "E302", "x = 1\n\n¦def f(): pass\n", "x = 1\n\n\n¦def f(): pass\n"),
    ("Too many blank lines (3)", "E303", "x = 1\n\n\n\n¦y = 1\n", "x = 1\n\n\n¦y = 1\n"),
    ("Blank lines found after function decorator (1)", "E304", "@a\n\n¦def f(): pass\n", "@a\n¦def f(): pass\n"),
    ("Expected 2 blank lines after class or function definition, found (1)", "E305", "def f(): pass\n\n¦x = 1\n",
     "def f(): pass\n\n\n¦x = 1\n"),
    ("No newline at end of file", "W292", "x = 1¦", "x = 1¦\n"),
    ("Too many newlines at end of file", "W391", "x = 1\n¦\n", "x = 1\n¦y = 1\n"),
    ("Use a context manager for opening files", "SIM115", "x = ¦open(p)\n", "with ¦open(p) as x:\n"),
    ("Mutable default value for class attribute", "RUF012", "    x = []¦\n", "    x: ClassVar[list] = []¦\n"),
    ("`for` loop variable `x` overwritten by assignment target", "PLW2901", "    x = 1¦\n", "    z = 1¦\n"),
    ("Unnecessary assignment to `x` before `return` statement", "RET504", "    return x¦\n", "    return f()¦\n"),
    ("Possible f-string without an `f` prefix", "RUF027", "x = '{y}'¦\n", "x = 'y'¦\n"),
]  # fmt: skip


@pytest.mark.parametrize(("message", "code", "true", "stale"), PAIRS)
def test_what_the_lines_show(message: str, code: str | None, true: str, stale: str) -> None:
    assert believed(true, message, code)
    assert not believed(stale, message, code)
    assert believed(stale, message, code, "javascript")


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("possible bug here", None),
        ("'return' outside function", "F706"),
        ("SyntaxError: 'await' outside async function", None),
        ("SyntaxError: name 'x' is parameter and global", None),
        ("Cannot use `match` statement on Python 3.9", "invalid-syntax"),
        ("ModuleNotFoundError: No module named 'yaml'", None),
        ("ImportError: cannot import name 'a' from 'b'", None),
        ("TypeError: f() takes 1 positional argument but 2 were given", None),
        ("Use `contextlib.suppress(KeyError)` instead of `try`-`except`-`pass`", "SIM105"),
    ],
)
def test_what_no_line_shows_is_believed(message: str, code: str | None) -> None:
    assert believed("x = 1¦\n", message, code)


def test_a_default_that_binds_the_variable_answers_a_capture() -> None:
    message = "Function definition does not bind loop variable `x`"
    assert believed("for x in y:\n    f(¦x)\n", message, "B023")
    lines = split_lines("for x in y:\n    f(lambda x=x: x)\n")
    place = Position(1, 18)
    assert not still_applies(
        Diagnostic(place, place, message, "B023"), lines, "python", parse(lines, "python")
    )


def test_blank_lines_below_a_comment_are_believed() -> None:
    assert believed("x = 1\n# a\n\n\n¦def f(): pass\n", "Expected 2 blank lines, found 0", "E302")


def test_an_error_is_believed_where_another_is_near_and_not_far_above_one() -> None:
    sound = "def f():\n    return 1\n\n\n"
    assert believed("x = 1¦\nif x\n    y = 2\n", "invalid syntax")
    assert not believed("x = 1¦\n" + sound * 8 + "if x\n    y = 2\n", "invalid syntax")
    assert believed("if x\n    y = 2\n" + sound * 8 + "x = 1¦\n", "invalid syntax")


def test_outside_the_document_it_is_for_the_scope_to_say() -> None:
    far = Diagnostic(Position(9, 0), Position(9, 1), "invalid syntax")
    assert still_applies(far, ["x\n"], "python")
    assert still_applies(far, [], "python")


def test_no_true_diagnostic_is_disbelieved_and_stale_ones_are() -> None:
    rng = random.Random(0)
    stale = seen = 0
    for file in rng.sample(files(), 12):
        for example in examples(file.text, rng, 40):
            if len(example.request.diagnostics) != 1 or not example.located:
                continue
            (diagnostic,) = example.request.diagnostics
            lines = split_lines(example.before)
            held = still_applies(diagnostic, lines, "python", parse(lines, "python"))
            if example.before != example.after:
                assert held, (diagnostic, lines[diagnostic.start.line])
            else:
                stale, seen = stale + 1, seen + (not held)
        for _ in range(6):
            again = draw(KINDS["clean_diagnostic"], file, rng)
            if again is not None:
                (diagnostic,) = again.request.diagnostics
                lines = split_lines(again.before)
                held = still_applies(diagnostic, lines, "python", parse(lines, "python"))
                stale, seen = stale + 1, seen + (not held)
    assert seen > 0.9 * stale > 20


def test_no_finding_of_ruff_is_disbelieved() -> None:
    ruff, believed_codes = the_ruff(), set()
    for file in files()[:14]:
        lines = split_lines(file.text)
        tree = parse(lines, "python")
        for diagnostic in ruff.check(file.text, None, select="E,W,F,B,N805,RET504,SIM115,RUF012,PLW2901"):
            assert still_applies(diagnostic, lines, "python", tree), (
                diagnostic,
                lines[diagnostic.start.line],
            )
            believed_codes.add(diagnostic.code)
    assert len(believed_codes) > 8
