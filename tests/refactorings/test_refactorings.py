"""The named refactorings: what each makes of a text, with what stands in an instruction as its arguments."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from random import Random

import pytest

from copydesk.refactorings.arguments import arguments_of
from copydesk.refactorings.candidate import Candidate
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.registry import all_refactorings, enumerate_candidates
from copydesk.request import Range
from copydesk.syntax.tree import parse
from copydesk.text.document import split_lines
from copydesk_training.defects.asks import HeldOutRandom
from copydesk_training.defects.registry import KINDS, draw
from defect_files import files
from structure_cases import STRUCTURE_CASES

INSTRUCTIONS = [kind for kind in KINDS.values() if 100 <= kind.id < 180]


def context_of(source: str, scope: Sequence[Range] = ()) -> RefactoringContext:
    """All lines by default."""
    lines = split_lines(source)
    tree = parse(lines, "python")
    assert tree is not None
    return RefactoringContext.of(lines, scope or [(1, len(lines))], tree)


def after(source: str, candidate: Candidate) -> str:
    lines = split_lines(source)
    for edit in reversed(candidate.edits):
        lines[edit.first - 1 : edit.last] = [edit.text]
    return "".join(lines)


def candidates(instruction: str, source: str, scope: Sequence[Range] = ()) -> list[Candidate]:
    return enumerate_candidates(context_of(source, scope), arguments_of(instruction))


HEAD = "def f(a, b=1):\n    c = g(a)\n    return h(c, b)\n"
CASES = [
    ("rename_local", "a to new", HEAD, 'Rename "a" to "new"', HEAD.replace("a)", "new)").replace("a,", "new,")),
    ("replace_name", "os.remove, not os.unlink", "os.unlink(x)\n", 'Replace "os.unlink" by "os.remove"', "os.remove(x)\n"),
    ("inline_variable", "", HEAD, 'Inline variable "c"', "def f(a, b=1):\n    return h(g(a), b)\n"),
    ("extract_variable", "g(a) as d", "x = h(g(a))\n", 'Extract g(a) into variable "d"', "d = g(a)\nx = h(d)\n"),
    ("use_constant", "MAX, not 10", "x = 10\n", 'Use "MAX" for 10', "x = MAX\n"),
    ("change_literal", "11 please", "x = 10\n", "Change 10 to 11", "x = 11\n"),
    ("change_literal", "", "x = True\n", "Change True to False", "x = False\n"),
    ("parameter_type", "a: int", HEAD, 'Annotate "a" as "int"', HEAD.replace("(a,", "(a: int,")),
    ("parameter_type", "", HEAD, 'Annotate "b" with the type of its default', HEAD.replace("b=1", "b: int = 1")),
    ("return_type", "gives int", HEAD, 'Annotate the return type as "int"', HEAD.replace("):\n", ") -> int:\n", 1)),
    ("parameter_default", "2", HEAD, 'Change the default of "b" to 2', HEAD.replace("b=1", "b=2")),
    ("add_parameter", "new=0", HEAD, 'Add parameter "new" with default 0', HEAD.replace("b=1", "b=1, new=0")),
    ("add_parameter", "c=0", "def f(\n    a,\n    b,\n):\n    pass\n", 'Add parameter "c" with default 0',
     "def f(\n    a,\n    b,\n    c=0,\n):\n    pass\n"),
    ("remove_parameter", "", "def f(a, b):\n    pass\n", 'Remove parameter "a"', "def f(b):\n    pass\n"),
    ("remove_parameter", "", "def f(\n    a,\n    b):\n    pass\n", 'Remove parameter "b"', "def f(\n    a):\n    pass\n"),
    ("drop_parameter", "", "def f(a, b=1):\n    if b:\n        print(1)\n    return g(a, b=b)\n",
     'Drop parameter "b" and its uses', "def f(a):\n    return g(a)\n"),
    ("keyword_only", "", HEAD, 'Make the parameters from "b" on keyword-only', HEAD.replace("b=1", "*, b=1")),
    ("annotate_signature", "a: list[int], b: str -> 'C'", HEAD, "Annotate the signature",
     HEAD.replace("(a, b=1)", "(a: list[int], b: str = 1) -> 'C'")),
    ("docstring", 'say "It is."', HEAD, 'Add the docstring "It is."', HEAD.replace("    c", '    """It is."""\n    c', 1)),
    ("guard", "a: return []", HEAD, 'Return [] if "a" is None',
     HEAD.replace("    c", "    if a is None:\n        return []\n    c", 1)),
    ("guard", "a TypeError", HEAD, 'Raise TypeError("a must not be empty") if "a" is empty',
     HEAD.replace("    c", '    if not a:\n        raise TypeError("a must not be empty")\n    c', 1)),
    ("guard_clause", "", "def f(a):\n    if a:\n        g(a)\n", "Return early",
     "def f(a):\n    if not a:\n        return\n    g(a)\n"),
    ("continue_early", "", "for a in b:\n    if a:\n        g(a)\n", "Continue early",
     "for a in b:\n    if not a:\n        continue\n    g(a)\n"),
    ("invert_if", "", "if a:\n    b()\nelse:\n    c()\n", 'Invert "if"', "if not a:\n    c()\nelse:\n    b()\n"),
    ("else_after_return", "", "def f(a):\n    if a:\n        return 1\n    else:\n        b = 2\n        return b\n",
     'Remove "else" after return', "def f(a):\n    if a:\n        return 1\n    b = 2\n    return b\n"),
    ("merge_nested_ifs", "", "if a:\n    if b:\n        c()\n", "Merge nested ifs", "if a and b:\n    c()\n"),
    ("split_condition", "", "if a and b:\n    c()\n", "Split the condition a and b", "if a:\n    if b:\n        c()\n"),
    ("conditional_to_if", "", "x = a if b else c\n", "Expand a if b else c to if/else", "if b:\n    x = a\nelse:\n    x = c\n"),
    ("if_to_conditional", "", "if b:\n    x = a\nelse:\n    x = c\n", "Contract to x = a if b else c", "x = a if b else c\n"),
    ("walrus", "", "a = f()\nif a is None:\n    g(a)\n", 'Assign "a" in the condition', "if (a := f()) is None:\n    g(a)\n"),
    ("comprehension_to_loop", "", "x = {k: v for k, v in y if k}\n", 'Fill "x" in a loop',
     "x = {}\nfor k, v in y:\n    if k:\n        x[k] = v\n"),
    ("loop_to_comprehension", "", "x = []\nfor a in b:\n    x.append(f(a))\n", 'Make "x" by a comprehension',
     "x = [f(a) for a in b]\n"),
    ("any_all", "", "def f(b):\n    for a in b:\n        if a:\n            return False\n    return True\n",
     'Replace the loop by "all"', "def f(b):\n    return all(not a for a in b)\n"),
    ("yield_from", "", "def f(b):\n    for a in b:\n        yield a\n", "Yield from b", "def f(b):\n    yield from b\n"),
    ("enumerate", "", "for i in range(len(b)):\n    a = b[i]\n    g(i, a)\n", "Use enumerate",
     "for i, a in enumerate(b):\n    g(i, a)\n"),
    ("enumerate", "item", "for i in range(len(b)):\n    g(i, b[i])\n", 'Use enumerate with "item"',
     "for i, item in enumerate(b):\n    g(i, item)\n"),
    ("dict_get", "", "x = d[k] if k in d else 0\n", "Use d.get(k, 0)", "x = d.get(k, 0)\n"),
    ("dict_get", "", "if k in d:\n    x = d[k]\nelse:\n    x = None\n", "Use d.get(k)", "x = d.get(k)\n"),
    ("augmented_assignment", "", "x = x + 1\n", "Write x += 1", "x += 1\n"),
    ("merge_isinstance", "", "y = isinstance(x, A) or isinstance(x, B)\n", "Use isinstance(x, (A, B))",
     "y = isinstance(x, (A, B))\n"),
    ("chained_comparison", "", "y = a < x and x < b\n", "Chain the comparison: a < x < b", "y = a < x < b\n"),
    ("chained_comparison", "", "y = x > a and x <= b\n", "Chain the comparison: a < x <= b", "y = a < x <= b\n"),
    ("wrap_in_try", "KeyError", "a = b[c]\n", "Wrap the selection in try/except KeyError: pass",
     "try:\n    a = b[c]\nexcept KeyError:\n    pass\n"),
    ("use_with", "", "f = open(a)\nb = f.read()\nf.close()\n", "Use with open(a) as f", "with open(a) as f:\n    b = f.read()\n"),
    ("use_with", "", "lock.acquire()\ntry:\n    a()\nfinally:\n    lock.release()\n", "Use with lock", "with lock:\n    a()\n"),
    ("chain_exception", "", "try:\n    a()\nexcept E as e:\n    raise B\n", "Raise from e",
     "try:\n    a()\nexcept E as e:\n    raise B from e\n"),
    ("log_exception", "log.error('no')", "try:\n    a()\nexcept E:\n    pass\n", "Log in the except clause: log.error('no')",
     "try:\n    a()\nexcept E:\n    log.error('no')\n"),
    ("assert_to_raise", 'ValueError("no")', "assert a\n", 'Raise ValueError("no") instead of the assert',
     'if not a:\n    raise ValueError("no")\n'),
    ("f_string", "", "x = 'a %s' % b\n", "Use f-strings", "x = f'a {b}'\n"),
    ("string_format", "", "x = f'a {b}'\n", "Use str.format: 'a {}'.format(b)", "x = 'a {}'.format(b)\n"),
    ("print_variable", "", "x = 1\n", 'Print "x" after its assignment', "x = 1\nprint(x)\n"),
    ("remove_prints", "", "x = 1\nprint(x)\n", "Remove debug prints", "x = 1\n"),
    ("remove_comments", "", "x = 1  # one\n", "Remove comments", "x = 1\n"),
    ("add_comment", 'above `x = 1`: "one"', "x = 1\n", 'Comment "one" above x = 1', "# one\nx = 1\n"),
    ("comment_out", "", "x = 1\n", "Comment out x = 1", "# x = 1\n"),
    ("delete_statement", "", "x = 1\ny = 2\n", "Delete y = 2", "x = 1\n"),
    ("duplicate_line", "b like a", "a = 1\n", 'Duplicate line 1 with "b" for "a"', "a = 1\nb = 1\n"),
    ("swap_statements", "", "a = 1\nb = 2\n", "Move b = 2 before a = 1", "b = 2\na = 1\n"),
    ("reword_text", 'say "none left"', "# no more\n", 'Say "none left" instead of "no more"', "# none left\n"),
    ("fix_spelling", "", "# recieve it\nreceive()\n", 'Spell "recieve" as "receive"', "# receive it\nreceive()\n"),
    ("add_condition", "and b > 0", "b = 1\nif a:\n    c()\n", "Extend the condition a: and b > 0",
     "b = 1\nif a and b > 0:\n    c()\n"),
    ("add_entry", "'c'", "x = [\n    'a',\n    'b',\n]\n", "Add 'c' to x", "x = [\n    'a',\n    'b',\n    'c',\n]\n"),
    ("add_entry", "k=1", "f(a)\n", "Pass k=1 to f", "f(a, k=1)\n"),
    ("sort_entries", "", "x = ['b', 'a']\n", "Sort x", "x = ['a', 'b']\n"),
    ("add_decorator", "@property", "class C:\n    def f(self):\n        pass\n", 'Decorate "f" with @property',
     "class C:\n    @property\n    def f(self):\n        pass\n"),
    ("remove_decorator", "", "@a.b\ndef f():\n    pass\n", "Remove @a.b", "def f():\n    pass\n"),
    ("add_field", "size: int = 0", "class C:\n    name: str\n", "Add field size: int = 0",
     "class C:\n    name: str\n    size: int = 0\n"),
    ("make_async", "await g", "def f():\n    return g()\n", "Make it a coroutine that awaits g",
     "async def f():\n    return await g()\n"),
    # Edits of expressions.
    ("accept_another", "bytes, too", "isinstance(x, str)\n", "Accept bytes, too: x a str, bytes",
     "isinstance(x, (str, bytes))\n"),
    ("accept_another", "'b' as well", "y = x != 'a'\n", "Accept 'b', too: x not in ('a', 'b')", "y = x not in ('a', 'b')\n"),
    ("accept_another", "catch OSError", "try:\n    a()\nexcept (E, F):\n    b()\n",
     "Accept OSError, too: raised error: catch the exception E, F, OSError",
     "try:\n    a()\nexcept (E, F, OSError):\n    b()\n"),
    ("add_default", "2", "def f(a, b: int):\n    pass\n", 'Give the parameter "b" the default 2, optional',
     "def f(a, b: int = 2):\n    pass\n"),
    ("add_default", "", "def f(a, b):\n    pass\n", "Give the last 2 parameters the default None, optional: a, b",
     "def f(a=None, b=None):\n    pass\n"),
    ("annotate_function", "", "def f(a, b=1):\n    return a == b\n",
     "Annotate the signature: parameters and return type bool",
     "def f(a, b: int = 1) -> bool:\n    return a == b\n"),
    ("annotate_variable", "list of strings", "x = []\n", "Annotate x as list[str]", "x: list[str] = []\n"),
    ("change_type", "", "x: Optional[Union[A, B]] = y\n",
     "Write the union by |: A | B | None instead of Optional[Union[A, B]]", "x: A | B | None = y\n"),
    ("call_another", "", "xrange(3)\n", "Call range instead of xrange: xrange", "range(3)\n"),
    ("call_another", "casefold", "y = x.lower()\n", "Call casefold instead of lower: x.lower", "y = x.casefold()\n"),
    ("use_name", "b", "b = 1\nf(a)\n", "Use b instead of a", "b = 1\nf(b)\n"),
    ("use_attribute", "attribute y", "z = a.x\ny = 1\n", "Use attribute y instead of x: a.x", "z = a.y\ny = 1\n"),
    ("change_argument", "", "f(a, b)\n", "Swap the arguments of f: b before a, the order", "f(b, a)\n"),
    ("change_argument", "", "f(a, k=True)\n", "Pass k=False to f, not True", "f(a, k=False)\n"),
    ("change_argument", "", "f(\n    a,\n    k=1,\n)\n", "Drop k=1 from the call of f", "f(\n    a,\n)\n"),
    ("pass_argument", "stacklevel 2", "f(a)\n", "Pass stacklevel=2 to f", "f(a, stacklevel=2)\n"),
    ("pass_argument", "", "y = sorted(x)\n", "Pass reverse=True to sorted", "y = sorted(x, reverse=True)\n"),
    ("change_conversion", "", "x = f'a {b}'\n", "Show {b} by its repr, quoted: !r", "x = f'a {b!r}'\n"),
    ("change_entries", "", "x = [a, b, c]\n", "Drop b from the list", "x = [a, c]\n"),
    ("change_entries", "", "x = (n,) + y\n", "Unpack instead of adding tuples: (n, *y)", "x = (n, *y)\n"),
    ("change_number", "", "x = 2\n", "Change 2 to 3, one more", "x = 3\n"),
    ("change_literal", "50 ms", "sleep(0.01)\n", "Change 0.01 to 0.05", "sleep(0.05)\n"),
    ("change_literal", "- instead of =", "x = '=' * n\n", "Change '=' to '-'", "x = '-' * n\n"),
    ("change_operator", "", "y = a < b\n", "Compare with <= instead of <: a <= b (at most, inclusive)", "y = a <= b\n"),
    ("change_operator", "", "y = a and b\n", "Join with or instead of and: a or b", "y = a or b\n"),
    ("change_return", "", "def f():\n    return False\n", "Return NotImplemented instead of False",
     "def f():\n    return NotImplemented\n"),
    ("change_return", "return `a` as well", "def f(a, b):\n    return b\n", "Return a as well, a tuple: b, a",
     "def f(a, b):\n    return b, a\n"),
    ("change_test", "", "if x:\n    y()\n", "Test whether x is not None", "if x is not None:\n    y()\n"),
    ("change_test", "", "if len(x) > 0:\n    y()\n", "Rely on truthiness, without len: x not empty", "if x:\n    y()\n"),
    ("change_test", "", "if not a and not b:\n    y()\n",
     "Apply De Morgan's law, not (a or b): one negation of the condition", "if not (a or b):\n    y()\n"),
    ("drop_condition", "", "if a and b:\n    y()\n", "Drop the condition a: only b", "if b:\n    y()\n"),
    ("add_condition", "y as well", "if x.a == 1:\n    f(y)\n", "Extend the condition x.a == 1 to y: or y.a == 1",
     "if x.a == 1 or y.a == 1:\n    f(y)\n"),
    ("add_condition", "not if b is None", "if a or c:\n    f(b)\n", "Extend the condition a or c: b is not None first, and",
     "if b is not None and (a or c):\n    f(b)\n"),
    ("fallback_value", "default 0 for x", "y = x['k']\n", "Use get with the default 0: x.get('k', 0)", "y = x.get('k', 0)\n"),
    ("fallback_value", "", "y = a or b\n", "Drop the fallback b: only a", "y = a\n"),
    ("take_entry", "", "y = x['k']\n", "Use x.get('k')", "y = x.get('k')\n"),
    ("function_to_lambda", "", "def g():\n    def f(a):\n        return a + 1\n    return f\n", "Make f a lambda",
     "def g():\n    f = lambda a: a + 1\n    return f\n"),
    ("lambda_to_function", "", "f = lambda a: a + 1\n", "Make f a function, def instead of lambda",
     "def f(a):\n    return a + 1\n"),
    ("modern_forms", "", "y = max([f(x) for x in z])\n", "Use a generator, no list inside max()", "y = max(f(x) for x in z)\n"),
    ("modern_forms", "", "super(A, self).f()\n", "Use super() without arguments, modern: python3, Python 3", "super().f()\n"),
    ("modern_forms", "", "y = True if x else False\n", "Use bool(x) instead of True if ... else False", "y = bool(x)\n"),
    ("modern_forms", "", "y = a + '-' + str(b)\n", "Use an f-string instead of +", "y = f'{a}-{b}'\n"),
    ("shift_index", "", "y = x[i]\n", "Use x[i + 1] instead of x[i]", "y = x[i + 1]\n"),
    ("shift_index", "", "range(n)\n", "Use range(n + 1), off by one", "range(n + 1)\n"),
    ("unwrap_value", "", "y = list(x)\n", "Remove list() round x", "y = x\n"),
    ("use_expression", "g(a, 2) please", "y = f(a, 1)\ng = h\n", "Write g(a, 2) instead of f(a, 1)", "y = g(a, 2)\ng = h\n"),
    ("wrap_value", "sort it", "for a in b:\n    c()\n", "Wrap b in sorted(), sort", "for a in sorted(b):\n    c()\n"),
    ("wrap_value", "ignore case", "y = a == b\n", "Compare both through the same call: a.lower() == b.lower()",
     "y = a.lower() == b.lower()\n"),
    ("filter_comprehension", "", "y = [f(x) for x in z]\n", "Filter the comprehension by x is not None: skip None, missing",
     "y = [f(x) for x in z if x is not None]\n"),
    ("filter_comprehension", "", "y = [x for x in z if x]\n", "Drop the filter if x of the comprehension",
     "y = [x for x in z]\n"),
    ("drop_condition", "", "if a and b:\n    y()\n", "Test b first, before a: swap the conditions, the order",
     "if b and a:\n    y()\n"),
    ("change_return", "", "def f(a):\n    if a:\n        return\n    g()\n    return\n",
     "Return False everywhere instead of return",
     "def f(a):\n    if a:\n        return False\n    g()\n    return False\n"),
    ("modern_forms", "", "y = {k: 0 for k in z}\n", "Use dict.fromkeys instead of the comprehension",
     "y = dict.fromkeys(z, 0)\n"),
    ("modern_forms", "", "def f():\n    return (a, b)\n", "Remove the brackets, redundant parentheses, parens",
     "def f():\n    return a, b\n"),
    ("take_entry", "", "del d[k]\n", "Use pop with a default instead of del: d.pop(k, None)", "d.pop(k, None)\n"),
    ("change_type", "str as well", "x: bytes | None = y\n", "Allow str in the type too, after bytes: bytes | str | None",
     "x: bytes | str | None = y\n"),
    ("wrap_value", "flip the sign of b", "a = f(b=b)\n", "Negate the sign, minus: -b", "a = f(b=-b)\n"),
    ("unwrap_value", "", "x = set(a.keys()) | set(b.keys())\n", "Remove .keys() in all places",
     "x = set(a) | set(b)\n"),
    ("call_another", "removeprefix", "x = a.lstrip('.')\ny = b.lstrip('.')\n",
     "Call removeprefix instead of lstrip in all places",
     "x = a.removeprefix('.')\ny = b.removeprefix('.')\n"),
    ("add_default", "five seconds", "def f(t=1.0):\n    pass\n", 'Change the default of "t" from 1.0 to 5.0',
     "def f(t=5.0):\n    pass\n"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "instruction", "source", "title", "expected"), CASES + STRUCTURE_CASES)
def test_what_each_offers(name: str, instruction: str, source: str, title: str, expected: str) -> None:
    (refactoring,) = (one for one in all_refactorings() if one.name == name)
    offered = list(refactoring.candidates(context_of(source), arguments_of(instruction)))
    assert title in [candidate.title for candidate in offered]
    assert after(source, next(c for c in offered if c.title == title)) == expected


def test_every_refactoring_has_a_case_and_a_name_of_its_own() -> None:
    names = [refactoring.name for refactoring in all_refactorings()]
    assert {name for name, *_ in CASES + STRUCTURE_CASES} == set(names)
    assert len(set(names)) == len(names)
    assert all(refactoring.kind.startswith("refactor.") for refactoring in all_refactorings())


@pytest.mark.parametrize(
    ("instruction", "source"),
    [
        # Two things would have one name.
        ("a to b", "def f(a, b):\n    return a\n"),
        # Nothing may be left out of a block.
        ("", "if a:\n    x = 1\n"),
        # An early return in the middle of a function that gives something back.
        ("", "def f(a):\n    if a:\n        return 1\n    g()\n"),
        # What does not parse.
        ("a to b", "def f(a:\n    return a\n"),
    ],
)
def test_what_is_never_offered(instruction: str, source: str) -> None:
    titles = [candidate.title for candidate in candidates(instruction, source)]
    assert not {'Rename "a" to "b"', "Delete x = 1", "Return early"} & set(titles)


def test_arguments_are_what_stands_in_an_instruction() -> None:
    said = arguments_of(
        'set timeout=None in `load_all` and log "not found: %s" if x.y is not None, dict[str, int]'
    )
    assert said.names[0] == "load_all"
    assert "timeout=None" in said.assignments
    assert "x.y" in said.dotted
    assert {"x.y is not None", "dict[str, int]", "None"} <= set(said.code)
    assert "dict[str, int]" in said.types
    assert "not found: %s" in said.texts
    assert said.mentions("x.y")
    assert not said.mentions("load")
    assert arguments_of("").values == ()


def test_no_more_candidates_than_wanted_and_those_that_use_the_words_first() -> None:
    context, arguments = context_of(HEAD), arguments_of("inline c")
    assert enumerate_candidates(context, arguments)[0].title == 'Inline variable "c"'
    assert len(enumerate_candidates(context, arguments, most=3)) == 3


def test_only_the_scope_changes() -> None:
    source = "a = f(1)\na = f(1)\nb = a\n"
    for candidate in candidates("a to zz, 1 to 2", source, [(2, 2)]):
        lines = split_lines(after(source, candidate))
        assert (lines[0], lines[-1]) == ("a = f(1)\n", "b = a\n"), candidate


@pytest.mark.parametrize("source", ["x = '\udce4'\nprint(x)\n", "x = 1\r\nprint(x)\r\n", "x = 1", "", "\n"])
def test_odd_texts_are_no_error(source: str) -> None:
    for candidate in candidates("x to y, 1 to 2", source):
        assert candidate.title


def test_on_real_code_what_is_offered_is_code_inside_the_scope() -> None:
    """Whatever stands in an instruction: the whole file parses, and nothing else in it has changed."""
    rng, checked = Random(0), 0
    for kind in INSTRUCTIONS:
        for file in rng.sample(files(typed=True), 2):
            example = draw(kind, file, HeldOutRandom(f"{kind.name}/{checked}"))
            if example is None or "\r" in example.before:
                continue
            request, lines = example.request, split_lines(example.before)
            found = candidates(request.instruction or "", example.before, request.scope or ())
            for candidate in rng.sample(found, min(5, len(found))):
                made = after(example.before, candidate)
                assert made != example.before
                ast.parse(made)
                checked += 1
                scope = request.scope or ()
                now = split_lines(made)
                first, last = scope[0][0], scope[-1][1]
                assert now[: first - 1] == lines[: first - 1], candidate
                assert now[len(now) - (len(lines) - last) :] == lines[last:], candidate
    assert checked > 100
