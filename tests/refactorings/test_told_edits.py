"""Instructions about heads, bodies, values, strings and shapes: what they make of a text, and when they leave it to the model."""

from __future__ import annotations

import ast
from collections import Counter
from random import Random

import pytest

from copydesk.text.document import split_lines
from copydesk_training.defects.asks import wordings
from defect_files import files
from instructions import told
from plain_wordings import PLAIN

SAME = "the same"
"""It is followed already."""

HEAD = "def f(a, b=1, *c, d=2):\n    return a\n"
TYPED = "def f(a: int, b: str = '') -> int:\n    return a\n"
METHOD = "class C:\n    def f(self, a):\n        return a\n"
BODY = "def f(a):\n    b = a\n    return b\n"
CALLED = "def f(a):\n    b = g(a)\n    return h(b, 1)\n"
BOTH = "def f(a):\n    if a == 1:\n        b = 1  # one\n    else:\n        b = 2\n    return b\n"
SWAPPED = "def f(a):\n    if a != 1:\n        b = 2\n    else:\n        b = 1  # one\n    return b\n"
LAST = "def f(a):\n    g(a)\n    if a.b:\n        g(1)\n\n        g(2)\n"
TRIED = "try:\n    b = a\nexcept KeyError:\n    pass\n"
CASES: list[tuple[str, str, str | None]] = [
    # -- heads
    ("add the return type `int`", HEAD, HEAD.replace(":", " -> int:", 1)),
    ("add the return type dict[str, int]", METHOD, METHOD.replace("a):", "a) -> dict[str, int]:")),
    ("add -> None", TYPED, TYPED.replace("-> int", "-> None")),
    ("return type: int", TYPED, SAME),
    ("add the return type of g and h", HEAD, None),
    ("add the return type needed", HEAD, None),
    ("add the return type Row", HEAD, HEAD.replace(":", " -> Row:", 1)),
    ("annotate a as needed", HEAD, None),
    ("annotate a as np.ndarray", "import numpy as np\n" + BODY, "import numpy as np\n" + BODY.replace("(a", "(a: np.ndarray")),
    ("b should default to zero", HEAD, None),
    ("b should default to a", HEAD, HEAD.replace("b=1", "b=a")),
    ("add a parameter x with default whatever", HEAD, None),
    ("return early if a is None", HEAD, None),
    ("return nothing if a is None", HEAD, None),
    ("add the return type int", HEAD + BODY, None),  # of which of the two?
    ("add the return type int", "x = 1\n", None),
    ("annotate a as int", HEAD, HEAD.replace("(a", "(a: int")),
    ("annotate `b` as int | None", HEAD, HEAD.replace("b=1", "b: int | None = 1")),
    ("type b as bytes", TYPED, TYPED.replace("b: str", "b: bytes")),
    ("annotate a as int", TYPED, SAME),
    ("annotate x as int", HEAD, None),
    ("annotate b", HEAD, HEAD.replace("b=1", "b: int = 1")),
    ("annotate b", "def f(a, b=None):\n    pass\n", None),
    ("annotate a", HEAD, None),
    ("annotate a", TYPED, SAME),
    ("b should default to 'x, y'", HEAD, HEAD.replace("b=1", "b='x, y'")),
    ("change the default of d to None", HEAD, HEAD.replace("d=2", "d=None")),
    ("make '' the default of b", TYPED, SAME),
    ("change the default of a to 1", HEAD, None),
    ("change the default of b to", HEAD, None),
    ("add a parameter x with default 0", HEAD, HEAD.replace("b=1", "b=1, x=0")),
    ("add a parameter x with default 0", TYPED, TYPED.replace("= ''", "= '', x: int = 0")),
    ("add a parameter x with default None", TYPED, TYPED.replace("= ''", "= '', x=None")),
    ("add a parameter b with default 0", HEAD, SAME),
    ("add a parameter x with default 0", "def f():\n    pass\n", None),
    ("add a parameter x with default 0", "def f(*, a=1):\n    pass\n", None),
    ("add a parameter x with default 0", "def f(\n    a,\n    b,\n):\n    pass\n", None),
    ("add a parameter x with default 0", "def f(a, *, b=1, c=2):\n    pass\n", "def f(a, x=0, *, b=1, c=2):\n    pass\n"),
    ("add a parameter x with default 0", "def f(a, *b: int):\n    pass\n", "def f(a, x: int = 0, *b: int):\n    pass\n"),
    ("remove the parameter b", "def f(a, *, b=1):\n    pass\n", None),
    ("remove the parameter b", HEAD, HEAD.replace(", b=1", "")),
    ("remove the parameter a", HEAD, None),  # it is used
    ("remove the argument a", "def f(a, b):\n    pass\n", "def f(b):\n    pass\n"),
    ("drop the argument x", HEAD, SAME),
    # -- bodies
    ('add the docstring "It is."', BODY, BODY.replace("    b = a", '    """It is."""\n    b = a')),
    ("docstring: it's so.", BODY, BODY.replace("    b = a", '    """it\'s so."""\n    b = a')),
    ("docstring: new", 'def f():\n    """Old."""\n', None),
    ("docstring: Old.", 'def f():\n    """Old."""\n', SAME),
    ('docstring: say "yes"', BODY, None),
    ("docstring: x", "def f(): pass\n", None),
    ("docstring: x", METHOD, None),  # of the class?
    ("return [] if a is None", BODY, BODY.replace("    b", "    if a is None:\n        return []\n    b", 1)),
    ("return 0 when a is None", 'def f(a):\n  """D."""\n  b()\n',
     'def f(a):\n  """D."""\n  if a is None:\n    return 0\n  b()\n'),
    ("return 0 if b is None", BODY, None),
    ("return 0 if a is None", "def f(a):\n    if a is None:\n        return 0\n    b()\n", SAME),
    ("print b after it is assigned", BODY, BODY.replace("= a\n", "= a\n    print(b)\n")),
    ("print b after it is set", BODY.replace("= a\n", "= a\n    print(b)\n"), SAME),
    ("print b after it is set", "b = 1\nb = 2\n", None),
    ("print b after it is set", "if a: b = 1\n", None),
    # -- values
    ("use LIMIT instead of 1", "x = 1 + f(1, a=1)\n", "x = LIMIT + f(LIMIT, a=LIMIT)\n"),
    ("use the constant SEP for ', '", "x = ', '.join(y)\n", "x = SEP.join(y)\n"),
    ("-1 should be `NONE`", "x = [-1, 1]\n", "x = [NONE, 1]\n"),
    ("use LIMIT instead of 1", "x = LIMIT\n", SAME),
    ("use LIMIT instead of 1", "x = 11\n", None),
    ("use b instead of a", "x = a\n", None),
    ("extract g(a) into a variable c", "def f(a):\n    return h(g(a), 1)\n", "def f(a):\n    c = g(a)\n    return h(c, 1)\n"),
    ("extract g(a) into a variable c", "def f(a):\n    c = g(a)\n    return c\n", SAME),
    *(("extract g(a) to c", f"def f(a):\n    {line}\n", None) for line in (
        "x = g(a) + g(a)", "return a and g(a)", "return [g(a) for a in b]", "x = lambda: g(a)", "return f'{g(a)}'",
        "while g(a): pass", "return c(g(a))", "if a: return g(a)",
    )),
    ("inline b", CALLED, "def f(a):\n    return h(g(a), 1)\n"),
    ("extract a.b into a variable c", "a.b = 1\n", None),
    ("extract a[0] into a variable c", "a[0], d = e\n", None),
    ("extract a[0] into a variable c", "del a[0]\n", None),
    ("extract a[0] into a variable c", "a[0] += 1\n", None),
    ("extract a[0] into a variable c", "b[a[0]] = 1\n", "c = a[0]\nb[c] = 1\n"),
    ("inline b", "b = 1\nb = 2\n", None),
    ("inline b", "b = g()\ndel b\n", None),
    ("inline `x`", CALLED, SAME),
    ("inline the variable x", CALLED, SAME),
    ("inline styles", CALLED, None),
    ("get rid of duplicates", CALLED, None),
    ("get rid of b", CALLED, None),
    ("replace 'a' by b", "x = 'a'\n", None),
    *(("inline b", f"def f(a):\n    {line}\n", None) for line in (
        "b = a + 1\n    return b * 2", "b = g(a)\n    c()\n    return b", "b = g(a)\n    return [b for x in a]",
        "b = 1\n    return b + b",
        "b: int = 1\n    return b", "b = 1  # why\n    return b",
    )),
    # -- strings
    ("use an f-string", "x = 'a %s b %r' % (c, d.e)\n", "x = f'a {c} b {d.e!r}'\n"),
    ("use an f-string", "x = '%s%%' % c(1)\n", "x = f'{c(1)}%'\n"),
    ("use an f-string", "x = 'a\\n%s' % a\n", "x = f'a\\n{a}'\n"),
    ("use an f-string", "x = '{b} {}'.format(c, b=a)\n", "x = f'{a} {c}'\n"),
    ("use an f-string", "x = 'c %s' % a['b']\n", "x = f\"c {a['b']}\"\n"),
    ("convert to an f-string", 'x = "{} {1:>3}".format(a, b)\n', None),
    ("convert to an f-string", 'x = "{0} {1:>3} {0!r}".format(a, b[0])\n', 'x = f"{a} {b[0]:>3} {a!r}"\n'),
    ("make this an f-string", "x = f'{a}'\n", SAME),
    *(("use f-strings", f"x = {text}\n", None) for text in (
        "'%d' % a", "'%s %s' % a", "'%(a)s' % b", "'{}'.format(*a)", "'{b}'.format(a=1)", "'%s' % ('a',)",
        "'{} %s' % a", "'%s \"' % a['b']", "'%s' % a['b'](\"c\")",
        "'{}'.format(a, b)", "b'%s' % a", "y",
    )),
    # -- shapes
    ("invert the if", BOTH, SWAPPED),
    *((instruction, BOTH, None) for instruction in ("negate the condition", "invert the condition", "negate the if")),
    *((instruction, BOTH, SWAPPED) for instruction in ("flip the if/else", "swap the branches", "Invert the if statement!")),
    *(("invert the if", text, None) for text in (
        BOTH.replace("else:", "elif c:\n        b = 3\n    else:"), BOTH + BOTH.replace("def f", "def g"), BODY,
        BOTH.replace("a == 1", "a and b"),
        BOTH.replace("a == 1", "1 < a < 2"),
    )),
    ("return early", LAST, "def f(a):\n    g(a)\n    if not a.b:\n        return\n    g(1)\n\n    g(2)\n"),
    *(("return early", text, None) for text in (
        LAST + "    return 1\n", LAST.replace("g(a)\n", "return 2\n", 1), LAST + "    else:\n        pass\n",
        LAST.replace("g(1)", "'''\n'''"), BODY,
        LAST.replace("g(1)", "yield 1"),
    )),
    ("wrap `b = a` in try/except KeyError, return None", BODY,
     "def f(a):\n    try:\n        b = a\n    except KeyError:\n        return None\n    return b\n"),
    *((f"wrap `{what}` in try/except KeyError, {do}", BODY, None) for what, do in (
        ("b = c", "pass"), ("b = a", "continue"), ("b = a", "log it"),
    )),
]  # fmt: skip


@pytest.mark.parametrize(("instruction", "source", "after"), CASES)
def test_what_is_made_of_a_text(instruction: str, source: str, after: str | None) -> None:
    ast.parse(source)
    made = told(instruction, source)
    assert made == (source if after is SAME else after)
    if made is not None:
        ast.parse(made)


@pytest.mark.parametrize(
    ("kind", "fields", "source", "after"),
    [
        ("return_hint", {"type": "int"}, BODY, BODY.replace(":", " -> int:", 1)),
        ("type_hint", {"name": "a", "type": "int"}, BODY, BODY.replace("(a", "(a: int")),
        ("type_hint_default", {"name": "b"}, HEAD, HEAD.replace("b=1", "b: int = 1")),
        ("default", {"name": "b", "value": "None"}, HEAD, HEAD.replace("b=1", "b=None")),
        ("parameter", {"name": "x", "value": "0"}, BODY, BODY.replace("(a", "(a, x=0")),
        ("remove_parameter", {"name": "d"}, HEAD, HEAD.replace(", d=2", "")),
        ("docstring", {"text": "It is."}, BODY, BODY.replace("    b = a", '    """It is."""\n    b = a')),
        ("guard", {"name": "a", "value": "0"}, BODY, BODY.replace("    b", "    if a is None:\n        return 0\n    b", 1)),
        ("add_print", {"name": "b"}, BODY, BODY.replace("= a\n", "= a\n    print(b)\n")),
        ("constant", {"name": "ONE", "value": "1"}, "x = 1\n", "x = ONE\n"),
        ("extract", {"name": "c", "value": "g(a)"}, "x = h(g(a))\n", "c = g(a)\nx = h(c)\n"),
        ("inline", {"name": "b"}, CALLED, "def f(a):\n    return h(g(a), 1)\n"),
        ("fstring", {"style": "%"}, "x = '%s' % a\n", "x = f'{a}'\n"),
        ("fstring", {"style": ".format"}, "x = '{}'.format(a)\n", "x = f'{a}'\n"),
        ("early_return", {}, "def f(a):\n    if a:\n        b()\n", "def f(a):\n    if not a:\n        return\n    b()\n"),
        ("invert_if", {}, "if a:\n    b()\nelse:\n    c()\n", "if not a:\n    c()\nelse:\n    b()\n"),
        ("try", {"what": "b = a", "error": "KeyError", "action": "ignore it"}, "b = a\n", TRIED),
        ("try_selection", {"error": "KeyError", "action": "re-raise"}, "b = a\n", TRIED.replace("pass", "raise")),
    ],
)  # fmt: skip
def test_wordings_of_training_are_read_as_meant(
    kind: str, fields: dict[str, str], source: str, after: str
) -> None:
    """The plain ones; of all the others none is misread."""
    for plain in PLAIN[kind]:
        assert told(plain.format(**fields), source) == after, plain
    for wording in wordings(kind):
        assert told(wording.text.format(function="f", **fields), source) in (after, None), wording


def test_what_cannot_stand_there_is_not_put_there() -> None:
    loop = "for a in b:\n    c(a)\n"
    wrapped = "for a in b:\n    try:\n        c(a)\n    except KeyError:\n        continue\n"
    assert told("wrap `c(a)` in try/except KeyError, continue", loop) == wrapped
    assert told("wrap `c(a)` in try/except KeyError, return", loop) is None
    assert (
        told("wrap `c(a)` in try/except KeyError, continue", "for x in y:\n    def f(a):\n        c(a)\n")
        is None
    )


def test_a_variable_used_outside_the_selection_is_not_inlined() -> None:
    source = "def f(a):\n    b = g(a)\n    c(b)\n    return b\n"
    assert told("inline b", source, [(1, 3)]) is None
    assert (
        told("inline b", source.replace("return b", "return a"), [(1, 3)])
        == "def f(a):\n    c(g(a))\n    return a\n"
    )


def test_a_selection_is_wrapped_where_it_is_whole_statements() -> None:
    source = "def f(a):\n    b = a\n    if b:\n        c()\n    return b\n"
    wrapped = "    try:\n        b = a\n        if b:\n            c()\n    except OSError:\n        pass\n"
    instruction = "wrap this in try/except OSError and ignore it"
    assert told(instruction, source, [(2, 4)]) == source.replace(
        "    b = a\n    if b:\n        c()\n", wrapped
    )
    for scope in ((2, 3), (3, 3), (1, 2), (4, 5)):
        assert told(instruction, source, [scope]) is None


ANY = [
    "rename {name} to zz_new", "remove the prints", "remove the comments", "add the return type int", "annotate {name} as int",
    "{name} should default to None", "add a parameter zz_new with default 0", "remove the parameter {name}", "docstring: New.",
    "return None if {name} is None", "print {name} after it is assigned", "use ZZ_NEW instead of {literal}",
    "extract {call} into a variable zz_new", "inline the variable {name}", "use f-strings", "invert the if", "return early",
    "wrap `{line}` in try/except OSError, pass",
]  # fmt: skip


@pytest.mark.slow
def test_on_real_code_what_is_made_is_code() -> None:
    """Whatever is asked of whichever function: the result is Python, and nothing else in the file has changed."""
    random, made = Random(0), Counter[str]()
    for file in files()[:6]:
        tree = ast.parse(file.text)
        lines = split_lines(file.text)
        functions = [
            n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.body[0].lineno > n.lineno
        ]
        for function in random.sample(functions, min(8, len(functions))):
            first, last = function.lineno, function.end_lineno or 0
            nodes = list(ast.walk(function))
            fields = {
                "name": sorted(
                    {n.id for n in nodes if isinstance(n, ast.Name)} | {a.arg for a in function.args.args}
                ),
                "literal": sorted({ast.unparse(n) for n in nodes if isinstance(n, ast.Constant)}),
                "call": sorted({ast.unparse(n) for n in nodes if isinstance(n, ast.Call | ast.Subscript)}),
                "line": sorted(
                    {ast.unparse(n) for n in nodes if isinstance(n, ast.Assign | ast.Expr | ast.Return)}
                ),
            }
            for instruction in ANY:
                chosen = {key: random.choice(values or ["x"]) for key, values in fields.items()}
                after = told(instruction.format(**chosen), file.text, [(first, last)])
                if after is None or after == file.text:
                    continue
                made[instruction] += 1
                ast.parse(after)
                now = split_lines(after)
                assert now[: first - 1] == lines[: first - 1]
                assert now[len(now) - (len(lines) - last) :] == lines[last:]
    assert len(made) > 12, made
