"""The named refactorings: what each makes of a text, with what stands in an instruction as its arguments."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from importlib import import_module
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
from refactoring_cases import CASES

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


@pytest.mark.parametrize(
    ("name", "instruction", "source", "title", "expected"),
    [case for family in CASES.values() for case in family],
)
def test_what_each_offers(name: str, instruction: str, source: str, title: str, expected: str) -> None:
    (refactoring,) = (one for one in all_refactorings() if one.name == name)
    offered = list(refactoring.candidates(context_of(source), arguments_of(instruction)))
    assert title in [candidate.title for candidate in offered]
    assert after(source, next(c for c in offered if c.title == title)) == expected


def test_every_refactoring_has_a_case_and_a_name_of_its_own() -> None:
    names = [refactoring.name for refactoring in all_refactorings()]
    assert len(set(names)) == len(names)
    assert all(refactoring.kind.startswith("refactor.") for refactoring in all_refactorings())
    for family, cases in CASES.items():
        listed = import_module(f"copydesk.refactorings.{family}").REFACTORINGS
        assert {name for name, *_ in cases} == {refactoring.name for refactoring in listed}, family
    assert {name for cases in CASES.values() for name, *_ in cases} == set(names)


@pytest.mark.parametrize(
    ("instruction", "source", "title", "wanted"),
    [
        ("return False in the except", "# the\ndef f():\n    try:\n        g()\n    except E:\n        pass\n",
         "Put return False in the in place of pass", False),
        ("return False in the except", "# the\ndef f():\n    try:\n        g()\n    except E:\n        pass\n",
         "Return False when it fails, in except E, not pass", True),
        ("return directly", "# directly\ndef f():\n    return g()\n", "Write return directly instead of return g()", False),
        ("return h(1)", "# h(1)\ndef f():\n    return g()\n", "Return h(1) instead of g()", False),
        ("return h(1)", "from a import (\n    g,\n    h,\n)\ndef f():\n    return g()\n", "Return h(1) instead of g()", True),
        ("return h(1)", "h, i = 1, 2\ndef f():\n    return g()\n", "Return h(1) instead of g()", True),
        ("return h(1)", "with a as h:\n    pass\ndef f():\n    return g()\n", "Return h(1) instead of g()", True),
        ("return h(1)", "async def h():\n    pass\ndef f():\n    return g()\n", "Return h(1) instead of g()", True),
    ],
)  # fmt: skip
def test_a_word_that_only_a_comment_has_is_no_name(
    instruction: str, source: str, title: str, wanted: bool
) -> None:
    lines = source.count("\n")
    first = source[: source.index("def f")].count("\n") + 1
    found = candidates(instruction, source, [(first, lines)])
    assert (title in [candidate.title for candidate in found]) is wanted


@pytest.mark.parametrize(
    ("source", "title"),
    [
        # The other branch gives it another value.
        ("def f(a):\n    if a:\n        b = True\n    else:\n        b = False\n        g()\n    if b:\n        h()\n",
         'Inline variable "b" of line 5'),
        # A generator is used up by the first loop, and never empty.
        ("def f(a):\n    b = [c for c in a if c]\n    g(b)\n    h(b)\n", "Use a generator comprehension"),
        ("def f(a):\n    b = [c for c in a if c]\n    if b:\n        g()\n", "Use a generator comprehension"),
        # Another parameter than the one that is named.
        ("def f(row, b, c=False):\n    return row\n", "Annotate the parameters: c as bool"),
        ("def f(row, b, c=False):\n    return row\n", 'Annotate "c" with the type of its default'),
        ("def f(row, b, c=False):\n    return row\n", 'Annotate "b" as "row"'),
        # An index is used for more than the entry, or the list is.
        ("for j in range(len(x)):\n    x[j] = ax[j]\n", "Replace the loop by a comprehension"),
        ("for j in range(len(x)):\n    x[j] = f(x[j], j)\n", "Replace the loop by a comprehension"),
        ("for j in range(len(x)):\n    x[j] = f(x[j], x)\n", "Replace the loop by a comprehension"),
        # The entry that was found, or that a loop ended with, is read below.
        ("ok = False\nfor a in b:\n    if a.c:\n        ok = True\n        break\ng(a)\n", 'Replace the loop by "any"'),
        ("for a in b:\n    if a.c:\n        break\nelse:\n    g(a)\n", "Use any() instead of for and else"),
        ("for a, b in c.items():\n    g(b)\nh(a)\n", "Loop over c.values() alone, without items(): a is not used, unused"),
        # The handler goes on below.
        ("def f():\n    try:\n        for a in b:\n            if a:\n                return True\n    except E:\n        pass\n"
         "    return False\n", 'Replace the loop by "any"'),
        # A name that a comprehension has for itself.
        ("a = g(0)\nb = [a(row) for row in c]\n", "Write row[0] instead of g(0)"),
        # A list that is there to be filled.
        ("def f():\n    a = []\n    for b in c:\n        a.append(b)\n    return a\n", 'Inline variable "a" everywhere'),
        ("def f():\n    a = {}\n    a[b] = c\n", 'Inline variable "a" everywhere'),
        # A count that is read below, a list that gets longer, a round that does not count.
        ("def f(a):\n    i = 0\n    while i < len(a):\n        g(a[i])\n        i += 1\n    return i\n",
         "Use a for loop over a instead of while, no index"),
        ("def f(a):\n    i = 0\n    while i < len(a):\n        a.append(a[i])\n        i += 1\n",
         "Use a for loop over a instead of while, no index"),
        ("def f(a):\n    i = 0\n    while i < len(a):\n        if a[i]:\n            continue\n        i += 1\n",
         "Use a for loop over a instead of while, no index"),
        # The loop would go on behind the branch, or another statement comes behind the rest.
        ("for a in b:\n    if a:\n        c()\n        break\n    d()\n", "Use an else instead of break"),
        ("def f(a):\n    for b in a:\n        if b:\n            c()\n            return\n        d()\n",
         "Use an else instead of return"),
        # What the variable was before is read.
        ("if x:\n    x = 1\nelse:\n    x = 2\n", "Move x = 2 before the if as the default, no else"),
        ("if a:\n    x = 1\nelse:\n    x = x + 1\n", "Default x first, and only set it if not a: x = 1"),
        # A value of another time: what it reads is given only there.
        ("def f(a):\n    for row in a:\n        g(h(row))\n", 'Extract h(row) into variable "row_2" before for row in a'),
        # No branch is without the statement, and a value of its own is no part of one.
        ("if a:\n    g(1)\nelif b:\n    g(2)\n", 'Choose "value" in the branches, then g(value) once, at the end, after the if'),
        # The second `if` may hold after the first one.
        ("def f(a):\n    if a:\n        g()\n    if b:\n        return 2\n    return 3\n",
         "Make all ifs one chain, with elif and else"),
        # What stands for itself in a text.
        ("x = a[b :c]\n", "No blank before the colon, space"),
        # What does other things stands between, and may need the first one.
        ("from a import b\ng()\nfrom a import c\n", "Combine the imports from a into one, merge"),
        ("x = ( # row\n    1\n)\n", "No blanks inside the brackets, spaces, parentheses"),
        ("x = 'a\\\nb'\n", "Remove the backslash, line continuation"),
    ],
)  # fmt: skip
def test_what_would_change_the_result_is_not_offered(source: str, title: str) -> None:
    asked = "row[0], no generator, no blank before the colon, no backslash, annotate row, one import"
    assert title not in [candidate.title for candidate in candidates(asked, source)]


def test_what_a_handler_would_not_come_to_is_not_put_into_it() -> None:
    source = "def f():\n    try:\n        g()\n    except E:\n        h()\n        return 1\n"
    offered = candidates("re-raise, or ignore it", source)
    made = [after(source, one) for one in offered if " in except E" in one.title]
    assert source.replace("        h()\n        return 1\n", "        raise\n") in made
    assert not any("raise\n        h()" in text or "pass\n        h()" in text for text in made)


def test_an_entry_is_not_asked_for_before_the_test_that_there_is_one() -> None:
    source = (
        "def f(s):\n    if a:\n        g(s[-1])\n    elif not s:\n        h()\n    else:\n        k(s[-1])\n"
    )
    made = [after(source, one) for one in candidates("name s[-1] last", source)]
    assert any("\n        last = s[-1]\n" in text for text in made)
    assert not any("\n    last = s[-1]\n" in text for text in made)


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


@pytest.mark.parametrize(
    ("instruction", "source", "title", "wanted"),
    [
        # What has a name already does not get the old one back.
        ("why is it called user? make it prompt", "def f(prompt):\n    g(prompt)\n", 'Rename "prompt" to "user"', False),
        ("user should be prompt", "def f(prompt):\n    g(prompt)\n", 'Rename "prompt" to "user"', False),
        ("user, not prompt", "def f(prompt):\n    g(prompt)\n", 'Rename "prompt" to "user"', True),
        ("prompt instead of user please", "def f(prompt):\n    g(prompt)\n", 'Rename "prompt" to "user"', False),
        ("user instead of prompt", "def f(prompt):\n    g(prompt)\n", 'Rename "prompt" to "user"', True),
        ("range instead of xrange", "range(3)\n", 'Replace "range" by "xrange"', False),
        ("xrange instead of range", "range(3)\n", 'Replace "range" by "xrange"', True),
        ("name the exception exc", "try:\n    f()\nexcept Exception as e:\n    g(e)\n", 'Rename "Exception" to "exc"', False),
        ("name the exception exc", "try:\n    f()\nexcept Exception as e:\n    g(e)\n", 'Rename "e" to "exc"', True),
        ("os.remove, not os.unlink", "os.remove(x)\n", "Use os.unlink instead of os.remove", False),
        ("os.unlink, not os.remove", "os.remove(x)\n", "Use os.unlink instead of os.remove", True),
        # A word with a hyphen is English, and no difference.
        ("use an f-string", "g(1)\n", "Pass f-string to g, not 1", False),
        ("`a-b`", "g(1, a, b)\n", "Pass a-b to g, not 1", True),
        # What another method took is not for one that takes no text; a number is no type.
        ("use splitlines", "a.split(b)\n", "Call splitlines instead of split: a.split", False),
        ("use splitlines", "a.split(b)\n", "Call splitlines instead of a.split: a.splitlines()", True),
        ("use rsplit", "a.split(b)\n", "Call rsplit instead of split: a.split", True),
        ("make x 2", "x = 1\n", "Annotate x as 2", False),
        ("make x None", "x = 1\n", "Annotate x as None", True),
        # A variable is no parameter.
        ("sep should be keyword only", "def f(p):\n    sep = p\n", "Make all parameters keyword-only", False),
        ("keyword only", "def f(p):\n    sep = p\n", "Make all parameters keyword-only", True),
        # Nobody means these names.
        ("__call__: valid should be made", "class C:\n    def __call__(self, a):\n        a()\n",
         "Rename __call__ to valid, self to made", False),
        ("rename self to made", "def f(self, a):\n    a()\n", 'Rename "self" to "made"', True),
        # A variable that was asked for stays.
        ("g(a, b) should be in a variable c", "def f():\n    c = g(a, b)\n    h(c)\n", 'Inline variable "c"', False),
        ("no need for c, h(c) can take g(a, b)", "def f():\n    c = g(a, b)\n    h(c)\n", 'Inline variable "c"', True),
        # A docstring that says so already gets no full stop for it.
        ('the docstring: "Make it so"', 'def f():\n    """Make it so"""\n', 'Say "Make it so." in the docstring', False),
        ('the docstring: "Make it so"', 'def f():\n    """Make it"""\n', 'Say "Make it so." in the docstring', True),
        # Where f-strings are wanted none is taken away.
        ("move from % formatting to f-strings", "g(f'{a} b')\n", "Use % formatting: '%s b' % (a,)", False),
        ("% formatting, not f-strings", "g(f'{a} b')\n", "Use % formatting: '%s b' % (a,)", True),
    ],
)  # fmt: skip
def test_what_was_done_already_is_not_undone(instruction: str, source: str, title: str, wanted: bool) -> None:
    assert (title in [candidate.title for candidate in candidates(instruction, source)]) is wanted


@pytest.mark.parametrize(
    ("instruction", "source"),
    [
        ("any() in place of the len - 1", "def f(path):\n    return g(path[len(path) - 1])\n"),
        ("return early when path is empty", "def f(path):\n    # empty or not\n    return g(path)\n"),
        ("use f-strings", "if a == 'b':\n    g()\n"),
    ],
)
def test_words_of_a_sentence_are_no_code(instruction: str, source: str) -> None:
    made = [ast.parse(after(source, candidate)) for candidate in candidates(instruction, source)]
    assert made
    for node in (node for tree in made for node in ast.walk(tree)):
        assert not (isinstance(node, ast.Compare) and ast.unparse(node) == "path is empty")
        assert not (isinstance(node, ast.Compare) and "f-strings" in ast.unparse(node))
        assert not (isinstance(node, ast.Call) and ast.unparse(node) == "any()")


@pytest.mark.parametrize(
    ("instruction", "source"),
    [
        ("write c is None, the instead of g(c)", "def f(c, the):\n    yield from g(c)\n"),
        ("write c # d instead of g(c)", "def f(c, d):\n    return [g(c), d]\n"),
    ],
)
def test_a_whole_expression_is_offered_only_where_it_leaves_code(instruction: str, source: str) -> None:
    found = candidates(instruction, source)
    assert found
    for candidate in found:
        ast.parse(after(source, candidate))


@pytest.mark.parametrize(
    ("name", "instruction", "body", "unwanted"),
    [
        ("use_at_once", "", "self.n += 1\nreturn self.n", "One statement"),
        ("use_at_once", "", "global n\nn += 1\nreturn n", "One statement"),
        ("use_at_once", "", "n = 0\nfor b in x:\n    n += b\n    c = n\nreturn c", "One statement"),
        ("use_at_once", "", "if x > y:\n    x, y = y, x\nreturn x, y", "ternary"),
        ("use_at_once", "", "n = 1\nn += 1  # why\nreturn n", "One statement"),
        ("merge_branches", "call it value", "if t:\n    self.a = 1\nelse:\n    self.b = 1", "Choose"),
        ("merge_branches", "", "if (m := p(n)):\n    g(m, m.a)\nelse:\n    g(m, None)", "One statement"),
        ("merge_branches", "value", "if t:\n    x = n and n.a\nelse:\n    x = n and n.b", "Choose"),
        ("merge_branches", "", "if t:\n    g(x=1)\nelse:\n    g(x=2)", 'Choose "x"'),
        ("merge_branches", "", "if t:  # one\n    g(1)\nelse:\n    g(2)", "One statement"),
        ("rename", "unused: _", "for i, b in enumerate(x):\n    g(b)\nreturn i", 'the unused "i"'),
        ("equivalent", "", "x = g() or y", "if"),
        ("equivalent", "", "x = '%s' % (a,)", "str"),
        ("equivalent", "", "GLOBAL.extend(x)", "+="),
        ("getattr_default", "", "try:\n    x = o.a.b\nexcept AttributeError:\n    x = 1", "no try"),
        ("getattr_default", "", "try:\n    x = o.b\nexcept AttributeError:\n    x = g()", "no try"),
        ("getattr_default", "", "try:\n    x = self.__b\nexcept AttributeError:\n    x = 1", "no try"),
        ("setdefault", "", "if k not in d:\n    d[k] = 1, 2", "setdefault"),
        ("entry_or_default", "", "if x in d:\n    return d[y]\nreturn None", "get"),
        ("entry_or_default", "", "if x in d:\n    return d[x]\nreturn g()", "get"),
        ("entry_or_default", "", "if x in d:\n    for a in d[x]:\n        g(a)\n    g(x)", "Loop"),
        ("any_of_calls", "", "return g(x, y) or g(y, x)", "any"),
        ("any_of_calls", "", "return g(*x) or g(*y)", "any"),
        ("any_of_calls", "", "return x in y or x in d", "any"),
        ("string_prefix", "bytes", "return 'é'", "bytes"),
        ("leave_out_words", "'utf8' is the default", "return x.encode('utf8')", "Drop"),
        ("joined_path", "pathlib", "return x + '.txt'", "path"),
        ("joined_path", "pathlib", "return x + '/a' + y", "path"),
        ("joined_path", "pathlib", "return '/a' + x", "path"),
        ("string_prefix", "why raw", "return r'\\d'", "raw"),
        ("python_three", "", "return x if y else d", "Python 3"),
        ("partial", "partial", "return g(lambda a: x(a, a))", "partial"),
        ("partial", "partial", "return g(lambda a: x(y(), a))", "partial"),
        ("plain_default", "x should be optional by default", "return x", "text"),
        ("exist_ok", "", "if x.exists():\n    y.unlink()", "missing_ok"),
        ("split_assignment", "", "a, b = g()", "Take"),
        ("split_assignment", "", "a, _ = g()\n    h(_)", "Take"),
        ("call_another", "group(1)", "import re\ny = re.findall(x, d)", "re.group"),
        ("call_another", "use hexdigest", "y.update(x)", "hexdigest"),
        ("call_another", "use secrets.token_hex(2)", "y = x.hexdigest()", "x.token_hex"),
        ("use_name", "use re.search", "import re\ny = x + d", "re.search"),
        ("use_expression", "not in (1, 2)", "y = x not in [1, 2]", "instead of x not in"),
        ("use_expression", "no index, please, [-1]", "y = x[0]", "please"),
        ("unwrap_value", "no bool()", "y = bool(x)", "everywhere"),
        ("change_literal", "wait 50 ms", "sleep(1)\ng(2)", "Change 2"),
        ("change_literal", "wait 50 ms", "sleep(1)", "to 50"),
        ("insert_statement", "stop when found", "y = x\nif y:\n    g()", "break"),
        ("open_mode", "append to it", "d.get('x')", "mode"),
        ("invert_if", "", "if x:\n    g()\nelif y:\n    h()\nelse:  # never\n    k()", "Swap the elif"),
        ("join_assignments", "", "a = []\nb = []", "Chain"),
        ("join_assignments", "", "a = g()\nb = g()", "Chain"),
        ("consolidate_returns", "", "if x is None:\n    x = True", "Use or"),
        ("accept_another", "list too", "if isinstance(x, str):\n    x = x.split()", "list"),
        ("accept_another", "bytes, not str", "if isinstance(x, str):\n    g(x)", "too"),
        ("accept_another", "bytes too", "if isinstance(x, str):\n    g(x)", "bytes, str"),
        ("accept_another", "accept b'a' and 'a'", "if x == b'a':\n    g(x)", "b'a', b'a'"),
        ("accept_another", "3 too", "if x == 1 or x == 2:\n    g(x)", "x in"),
        ("accept_another", "slashes with it", "if x == '-':\n    g(x)", "'with'"),
        ("add_condition", "x may be None", "if x is None or y:\n    g(x)", "and x is not None"),
        ("add_condition", "x is a str", "if isinstance(x, Base):\n    g(x)", "isinstance(Base"),
        ("same_of_another", "'b' too", "if x == 'a':\n    g(x)", "'b'"),
        ("same_of_another", "'b' too", "if 'a' not in x:\n    g(x)", "or 'b'"),
        ("same_of_another", "'b' too", "if 'a' in x or 'c' in x:\n    g(x)", "'a' in x, too"),
        ("wrap_value", "any case", "y = ['a', 'b']", "on ['a'"),
        ("wrap_value", "any case", "y = x == d", "Call lower() on x"),
        ("wrap_value", "any case", "y = x in names", "names.lower()"),
        ("change_test", "compare x with None", "if x:\n    g(x)\nif y:\n    g(y)", "each of them"),
        ("change_operator", "also less", "if x == 1:\n    g(x)", "Compare with < instead"),
        ("annotate_parameter", "x is a str, y an int", "pass", 'Annotate "y" as "str"'),
        ("keyword_only", "positional only", "x", "keyword-only"),
        ("inline_variable", "return it directly", "v = x[y] = g()\nreturn v", "not needed, return"),
        ("annotate_signature", "y is an int", "pass", "and the return type as int"),
        ("annotate_signature", "returns json", "import json", '"json"'),
        ("replace_name", "A is B", "try:\n    g()\nexcept (A, B):\n    pass", 'by "B"'),
        ("splice_wording", "typo: ins x", "# may use ins x, from x", "Say"),
        ("rename", "x is a list", "return x", '"list"'),
        ("change_type", "Any", "y: str | P[str] = x", "Any[str]"),
        ("fix_spelling", "fix the spelling", "g('you are trying')", "Spell"),
        ("fix_spelling", "fix the spelling", "h('we call send')\nCall()", "Spell"),
        ("punctuation", "no exclamation mark", "g(f'{x!r} is it')", "exclamation"),
        ("prefix_slice", "", "return x[y:y+3] == 'ab' or x[y:d+2] == 'ab'", "startswith"),
        ("repeat_in_loop", "", "g(x, y)\ng(y, x)\ng(x, y, d)", "loop"),
        ("repeat_in_loop", "", "g(x)  # one\ng(y)", "loop"),
        ("direct_attribute", "", "if x:\n    a = y\nelse:\n    a = d\nself.a = a", "directly"),
        ("inline_variable", "", "a = [x, y]\ng(*a)", 'Inline variable "a" everywhere'),
        ("own_class", "for subclasses", "return A(x)", "class name"),
        ("use_divmod", "", "x = x // 60\ny = x % 60", "divmod"),
        ("use_divmod", "", "x.n = x // 60\ny = x % 61", "divmod"),
        ("sort_in_place", "", "return sorted(x)", "in place"),
        ("sort_in_place", "", "y = sorted(x)", "in place"),
        ("sort_in_place", "", "for y in sorted(x):\n    pass", "in place"),
        ("operator_function", "", "y = g(lambda a: a[x])", "itemgetter"),
        ("operator_function", "", "y = g(lambda a, b: b - a)", "operator"),
        ("regex_classes", "", "re.match(x, ' +')", "pattern"),
        ("regex_classes", "", "re.match('a.*?', x)", "non-greedy"),
        ("counting_dict", "", "y = {}\nif x not in y:\n    y[x] = []\nself.append(1)", "defaultdict"),
        ("counting_dict", "", "y = {}\nfor a in x:\n    y[a] = y.get(a, 1) + 1", "Counter"),
        ("counting_dict", "", "y = {}\nfor a in x:\n    y[a] = y.get(a, 0) + 2", "without the loop"),
        (
            "counting_dict",
            "",
            "for a in x:\n    if a not in d:\n        d[a] = []\n    d[a].append(d[a])",
            "setdefault",
        ),
        ("remove_affix", "", "if x.startswith('ab'):\n    x = x[3:]", "removeprefix"),
        ("remove_affix", "", "if x.endswith('ab'):\n    y = x[:-2]", "removesuffix, no if"),
        ("pop_before", "", "y = x.pop(0)\nfor a in x:\n    pass", "Loop"),
        ("pop_before", "", "x.pop(1)\nfor a in x:\n    pass", "Loop"),
        ("lambda_to_def", "", "y = [g(lambda b: b + a) for a in x]", "of its own"),
        ("modernize", "", "y = dict((a, (a, d)) for a in x)", "fromkeys"),
        ("modernize", "", "y = tuple([g(a) for a in x])", "tuple, tuple"),
        (
            "use_expression",
            "use next(iter(a))",
            "y = sorted(x, key=lambda a: list(a.keys()))",
            "instead of lambda",
        ),
        ("use_expression", "dict.fromkeys", "y = dict((a, d) for a in x)", "instead of dict("),
        ("use_expression", "reversed(range(len(x)))", "y = range(len(x))", "instead of len(x)"),
        ("call_another", "use d.pop", "y = d.get(x)", "pop"),
        ("use_name", "use d.pop", "y = d.get(x)", "Use d.pop instead of d.get"),
        ("pass_argument", "utf-8", "y = x.encode('ascii')", "Pass 'utf-8' to"),
        ("sort_key", "by length", "y = g(x)", "by"),
        ("extend_once", "", "x.append(1)\nx.append(len(x))", "at once"),
        ("extend_once", "", "x.append(1)\ny.append(2)", "at once"),
        ("modernize", "", "y = x + [d]", "tuple"),
        ("wrap_value", "a tuple", "y = list(x)", "Wrap x"),
        ("use_name", "use pop", "y = d.get(x)\nx.pop()", "Use pop instead of d.get"),
        ("insert_statement", "return", "for a in x:\n    break\nreturn a", "Put return in place of break"),
        ("use_expression", "startswith(y + x)", "d = d.startswith(y) and d[x]", "Write startswith"),
        (
            "use_expression",
            "dict(enumerate(x))",
            "y = dict((a, b) for a, b in enumerate(x))",
            "instead of ((a",
        ),
        ("leave_out_words", "comment `why not` out of here", "# why not\ng()", "Drop"),
        ("leave_out_words", "the the", "# in the the end\ng()", "Drop"),
        ("replace_words", "x -> other", "# takes `x`\ng(x)", "Replace"),
        ("replace_name", "x -> other", "g(x)", "Replace"),
        ("rename", "x is a bad name, use text", "g(x, 'x')", "in texts"),
        ("rename", "n should be called count", "n = 1\nn = n + 1\ng(n)", "from line"),
        ("punctuation", "full stop", "# one that\n# goes on\ng()", "Add a full stop, period, one"),
        ("swap_marks", "single quotes instead of backticks", "g('no `x`')", "Write"),
        ("fix_spelling", "reword to 'takes others there'", "# takes other there\ng()", "Spell"),
        ("change_message", "include the x in the message", "g('no such thing')", "got"),
        ("insert_statement", "print a", "for a in x:\n    g(a)", "before"),
        ("put_round", "single quotes around it's", "g('it')", "Put"),
        ("wrap_value", "add a debug print of x", "g(x)", "print"),
        ("put_round", "backticks around x.y", "# nothing\ng()", "Put"),
        ("docstring_form", "drop the params", "g()", "Remove"),
        ("loop_to_comprehension", "", "c = {}\nfor a in x:\n    c[a] = c.get(a, 0) + 1", "comprehension"),
        ("drop_marks", "no exclamation mark", "g(f'{x!r} is it')", "!"),
        # Not before there is such a value, and not each time round for what a loop leaves as it is.
        ("add_guard", "return if n is empty", "n = g(x)\nreturn h(n)", "is empty"),
        ("add_guard", "skip it when x is empty", "for n in d:\n    g(n, x)", "Continue"),
        ("add_guard", "an empty x comes back as it is", "return g(x)", 'Return if "x"'),
        ("add_condition", "x may be None", "if x.n > 1:\n    g(x)", "x is not None first, or"),
        ("add_condition", "no bools", "if isinstance(x, int):\n    g(x)", "or not isinstance"),
        ("add_guard", "ValueError if x is empty", "y = 1\nif x:\n    g(x)\n    h(x)", "Return x if not y"),
        ("take_entry", "None if missing", "return d[x]", "default None"),
        ("accept_another", "False for any other", "return x == 4", "Accept False"),
        ("set_state", "set it to 0 afterwards", "self.n = 1\nself.n = 0", "self.n = 0 at the end"),
        ("set_state", "what is n", "self.n = 1", "Set"),
        ("call_super", "call super as well", "super().f(x)", "Call"),
        ("call_super", "call super as well", "g(x)", "Call"),
        ("gather", "collect them in lists", "d[x] = [y]", "Collect"),
        ("gather", "collect them in lists", "self.x = y", "Collect"),
        ("gather", "sum them up", "d[x] = 'y'", "Sum up"),
        ("normalize_parameter", "a single x", "g(x)", "single string"),
        ("change_fallback", "else the name", "x = d.title", "d.name"),
        ("insert_statement", "return False", "g(x)\ny = h(x)\nreturn y", "Add return False before g"),
        (
            "insert_statement",
            "return False if none is found",
            "for n in d:\n    if n == x:\n        return True",
            "after if n",
        ),
        (
            "add_guard",
            "nothing to do: leave out with n early",
            "if not x:\n    y = 1\nn = x\nreturn n",
            "Return n if not y",
        ),
        ("only_if", "only if n", "g(x)\nn = h(x)", "Only if n: g(x)"),
        ("add_condition", "only if n", "if x:\n    n = g(x)\n    h(n)", "Extend the condition x: and n"),
        ("add_condition", "may not be callable", "if self.n:\n    g(x)", "and callable"),
        ("call_another", "unknown type: ValueError", "return d.get(x)", "Call ValueError"),
        (
            "change_handlers",
            "return x",
            "try:\n    g(x)\nexcept E:\n    return x",
            "Return x in except E, not",
        ),
        (
            "skip_entry",
            "skip negative ones",
            "for n in d:\n    if isinstance(n, int):\n        g(n)",
            "if n < 0",
        ),
        ("count_up", "count them", "n = x\nif y:\n    n = 1", "Count"),
        ("count_up", "count them", "n = 1\nif y:\n    n = 0", "Count"),
        ("empty_after", "clear it afterwards", "for n in d:\n    g(n)\nd.clear()", "Clear"),
        ("empty_after", "what is this", "for n in d:\n    g(n)", "Clear"),
        ("unless_none", "None stays None", "x = str(x)", "Leave None alone"),
        ("unless_none", "None stays None", "x = self.g()", "self is None"),
        ("otherwise", "else 0", "if x:\n    n = 1\nelse:\n    n = 2", "Otherwise"),
        ("otherwise", "else 0", "if x:\n    n = 1\n    return n", "Otherwise"),
        ("wrap_several", "strip x and y", "g(x)\nh(y)", "Call strip() on"),
        ("change_test", "None", "if isinstance(x, int):\n    g(x)", "is None"),
        ("call_another", "only IndexError", "with x.suppress(y):\n    g()", "Call IndexError"),
        # A plain name in a pattern takes the value.
        ("use_match", "use match", "if x == 1:\n    g()\nelif x == y:\n    h()", "match"),
        ("use_match", "use match", "if x == 1:\n    g()\nelif y == 2:\n    h()", "match"),
        # Where no round leaves the loop, its else is always done.
        (
            "loop_else",
            "the for's else",
            "for a in x:\n    if a:\n        g()\n    else:\n        h()",
            "else",
        ),
        (
            "reraise_otherwise",
            "",
            "try:\n    g()\nexcept y as a:\n    if a.b:\n        h()\n    else:\n        raise",
            "Raise",
        ),
        ("raise_otherwise", "TypeError", "if x:\n    return 1\nreturn 2", "otherwise"),
        ("raise_otherwise", "TypeError", "if x:\n    g()", "otherwise"),
        (
            "otherwise",
            "if y is off there is nothing in c",
            "c = []\nif y:\n    c = [y, x]",
            "Otherwise c = y",
        ),
        (
            "first_entry",
            "",
            "try:\n    for a in x:\n        return a\nexcept d:\n    g()\nelse:\n    h()\nreturn y",
            "first",
        ),
        ("first_entry", "", "while y:\n    for a in x:\n        return a\n    y = g(y)", "first"),
        ("fill_at_once", "", "c = [y]\nc.append(len(c))", "right away"),
        ("fill_at_once", "", "c = g()\nc.append(x)", "right away"),
        ("fill_at_once", "", "c = 'a'\nd.b = 1\nc += 'b'", "One"),
        ("take_entry", "", "if y in d:\n    g(d[y])", "Use get"),
        ("use_with", "closing", "try:\n    g(x)\nfinally:\n    x.close()\n    h()", "closing"),
        (
            "extract_variable",
            "d.get(x) twice, keep it in a variable",
            "h(d.get(x), y[1])\ng(d.get(x), y[1])",
            "Extract y[1]",
        ),
        (
            "accept_another",
            "look x up with d.get only once",
            "if x == 'a' and d.get(x) == 1:\n    g(x)",
            "d.get, too",
        ),
        ("accept_another", "'no', too", "if x is None:\n    g(y)", "'no'"),
        ("insert_statement", "return y instead", "g(x)\nreturn x", "Add return y before"),
        ("call_another", "a bad x is a ValueError", "y = int(x)", "ValueError"),
        ("change_entries", "ValueError, too", "return (x, d)", "ValueError"),
        ("wrap_value", "case should not matter", "d = ['a']\ny = x in d", "x.lower() in d.lower()"),
        # Where the first statement fails, the second would read a name without a value.
        ("try_finally", "close it in any case", "y = g(x)\nh(y)\ny.close()", "Try y = g(x)"),
        ("return_anyway", "", "if x:\n    y = g(x)\n    return y\nreturn d", "any case"),
        ("name_or_text", "the value of x", "y = d[x]", "quotes"),
        ("default_of_call", "", "y = max(x)", "default"),
        ("name_in_error", "say which", "raise ValueError('no')", "which"),
    ],
)
def test_what_would_mean_something_else_is_not_offered(
    name: str, instruction: str, body: str, unwanted: str
) -> None:
    (refactoring,) = (one for one in all_refactorings() if one.name == name)
    source = "def f(x, y, self, d):\n" + "".join(f"    {line}\n" for line in body.split("\n"))
    offered = refactoring.candidates(context_of(source), arguments_of(instruction))
    assert not [one.title for one in offered if unwanted in one.title]


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
    assert "8" not in arguments_of("utf-8 and nothing else").code


def test_no_more_candidates_than_wanted_and_those_that_use_the_words_first() -> None:
    context, arguments = context_of(HEAD), arguments_of("inline c")
    assert enumerate_candidates(context, arguments)[0].title == 'Inline variable "c"'
    assert len(enumerate_candidates(context, arguments, most=3)) == 3


def test_an_entry_is_offered_for_deletion_where_its_collection_is_not_selected_as_a_whole() -> None:
    source = "x = [\n    a,\n    b,\n]\n"
    found = {one.title: after(source, one) for one in candidates("nobody needs it", source, [(2, 2)])}
    assert found["Delete a"] == "x = [\n    b,\n]\n"


def test_only_the_scope_changes() -> None:
    source = "a = f(1)\na = f(1)\nb = a\n"
    for candidate in candidates("a to zz, 1 to 2", source, [(2, 2)]):
        lines = split_lines(after(source, candidate))
        assert (lines[0], lines[-1]) == ("a = f(1)\n", "b = a\n"), candidate


@pytest.mark.parametrize("source", [
    "x = '\udce4'\nprint(x)\n", "x = 1\r\nprint(x)\r\n", "x = 1", "", "\n",
    "def f(x):\n    if (\n        x  # why\n    ):\n        pass\n    return x\n",
])  # fmt: skip
def test_odd_texts_are_no_error(source: str) -> None:
    for candidate in candidates("x to y, 1 to 2", source):
        assert candidate.title


@pytest.mark.slow
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


@pytest.mark.parametrize(
    ("scope", "title", "expected"),
    [
        (
            (3, 4),
            "Make elif b an if of its own, two separate ifs",
            "if a:\n    return 1\nif b:\n    return 1\nelse:\n    g()\n",
        ),
        ((3, 4), "Remove the branch elif b", "if a:\n    return 1\nelse:\n    g()\n"),
        (
            (1, 4),
            "Merge the branches with the same body: or a or b",
            "if a or b:\n    return 1\nelse:\n    g()\n",
        ),
    ],
)
def test_a_clause_of_a_statement_that_is_selected_in_part(scope: Range, title: str, expected: str) -> None:
    source = "if a:\n    return 1\nelif b:\n    return 1\nelse:\n    g()\n"
    assert (
        after(source, next(one for one in candidates(title, source, [scope]) if one.title == title))
        == expected
    )


def test_the_name_of_a_call_that_goes_on_below_the_selection() -> None:
    source = "log.debug(\n    a,\n)\n"
    offered = candidates("this is a warning", source, [(1, 1)])
    assert "log.warning(\n    a,\n)\n" in [after(source, one) for one in offered]


def test_the_body_of_a_function_that_is_selected_without_its_head() -> None:
    source = "def f(a):\n    b = g(a)\n    return b\n"
    (made,) = (
        one for one in candidates("int(a, 16) does it all", source, [(2, 3)]) if "nothing else" in one.title
    )
    assert after(source, made) == "def f(a):\n    return int(a, 16)\n"


def test_the_head_of_a_method_behind_a_blank_line() -> None:
    source = "class A:\n    b = 1\n\n    def f(\n        self, c\n    ):\n        return c\n"
    made = next(
        one for one in candidates("on one line", source, [(4, 6)]) if one.title.startswith("Put def f(")
    )
    assert after(source, made) == "class A:\n    b = 1\n\n    def f(self, c):\n        return c\n"


def test_an_entry_is_left_out_of_a_loop_whose_head_is_selected() -> None:
    source = "for a in b:\n    if c:\n        d(a)\n"
    (made,) = (
        one
        for one in candidates("comments should be skipped", source, [(1, 1)])
        if one.title.startswith("Skip")
    )
    assert (
        after(source, made)
        == 'for a in b:\n    if a.startswith("#"):\n        continue\n    if c:\n        d(a)\n'
    )


def test_a_message_says_what_the_function_knows() -> None:
    source = "def f(kind):\n    raise ValueError('invalid category')\n"
    offered = [after(source, one) for one in candidates("include the kind", source, [(2, 2)])]
    assert "def f(kind):\n    raise ValueError(f'invalid category: {kind}')\n" in offered


def test_nothing_moves_to_where_it_is_not_reached() -> None:
    source = "def f(a):\n    if a:\n        raise a\n    b = 1\n"
    assert not [
        one.title for one in candidates("before the check", source, [(4, 4)]) if "into if" in one.title
    ]


def test_a_partition_takes_one_text_and_gives_three() -> None:
    source = "def f(a):\n    b, c = a.split('=', 1)\n    return b + c\n"
    offered = [after(source, one) for one in candidates("partition is nicer", source)]
    assert "def f(a):\n    b, _, c = a.partition('=')\n    return b + c\n" in offered
    assert not [
        text for text in offered if re.search(r"partition\('=', 1\)|b, c = a\.partition\([^)]*\)\n", text)
    ]
