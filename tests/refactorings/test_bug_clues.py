"""Clues to a bug that nobody located: what is found and mended first, and that sound code has none."""

from __future__ import annotations

import pytest

from copydesk.refactorings.bug_clues import MOST, asks_for_bug, followed_up, says_no_more
from copydesk.refactorings.candidate import Candidate
from copydesk.refactorings.context import RefactoringContext
from copydesk.syntax.tree import parse
from copydesk.text.document import split_lines
from defect_files import files
from quick_fixes import applied

STORE = "class A:\n    def __init__(self, name, size):\n        self.name = name\n        self._size = size\n"
RELEASE = """\
def release(match):
    if not match or match.group("r") is None:
        return None
    return [int(i) for i in match.group("r").split(".")]
"""
SHARE = """\
def share(nodes, seed, delta):
    total = len(nodes) * delta
    part = total / (total + len(seed))
    return part
"""


def clues(text: str) -> list[Candidate]:
    lines = split_lines(text)
    tree = parse(lines, "python")
    assert tree is not None
    return list(followed_up(RefactoringContext.of(lines, [(1, len(lines))], tree)))


@pytest.mark.parametrize(
    ("sound", "found", "bug", "title"),
    [
        (RELEASE, "not match", "not i", "Use match instead of i, which nothing defines here"),
        (SHARE, "(total +", "(part +", "Use total instead of part, which has no value yet"),
        (SHARE, "return part", "part", "Return part: by itself it has no effect"),
        (STORE, "= size", "= name", "Store size in self._size: the parameter is not used"),
        (
            "def same(a, b):\n    return len(a) == len(b)\n", "len(b)", "len(a)",
            "Compare len(a) with len(b), not with itself",
        ),
        (
            "def empty(a):\n    return len(a) == 0\n", "== 0", "== -1",
            "Compare len(a) with 0: a length is never negative",
        ),
        (
            "class A:\n    def f(self, x):\n        return self.g(x)\n\n    def g(self, x):\n        print(x)\n",
            "self.g(x)", "g(x)", "Use self.g instead of g, which nothing defines here",
        ),
        (
            "def f(name):\n    if name is not None:\n        name.strip()\n", "is not None", "is None",
            "Test name is not None: name is used there",
        ),
        (
            "def f(names):\n    while names:\n        print(names[0])\n", "while names", "while not names",
            "Test names: names is used there",
        ),
        (
            "def f(name):\n    return '' if name is None else name.strip()\n", "is None", "is not None",
            "Test name is None: name is used there",
        ),
        (
            "def f(key, value):\n    g(key, value)\n\n\ndef g(key, value):\n    print(key)\n",
            "g(key, value)\n\n", "g(value, key)\n\n",
            "Swap the arguments value and key, as g has them",
        ),
        (
            "def pairs(a):\n    if a:\n        return {\n            1: a,\n        }\n", "return {", "{",
            "Return {: by itself it has no effect",
        ),
    ],
)  # fmt: skip
def test_an_edit_mends_it(sound: str, found: str, bug: str, title: str) -> None:
    broken = sound.replace(found, bug)
    assert broken != sound
    (found_edit,) = (one for one in clues(broken) if one.title == title)
    assert applied(split_lines(broken), found_edit.edits) == sound
    assert clues(sound) == []


@pytest.mark.parametrize(
    "text",
    [
        "from os.path import *\n\n\ndef f(x):\n    return join(x, sep)\n",
        "def f(x):\n    return json.loads(x)\n",
        "def f(x):\n    try:\n        return unicode(x)\n    except NameError:\n        return x\n",
        "def f(x):\n    if sys.version_info < (3,):\n        return unicode(x)\n\n\nimport sys\n",
        "def f(x):\n    match x:\n        case [a, *_]:\n            return a\n",
        "def f():\n    global count\n    count = count + 1\n",
        "def f(self):\n    self.value\n    self[0]\n    self()\n",
        "def f(x):\n    '''Nothing.'''\n    ...\n",
        "def f(x):\n    yield x\n    x\n",
        "def f(x):\n    return [x for x in x] + [y := x, y]\n",
        "def f(x):\n    return random() == random() or x == x\n\n\nfrom random import random\n",
        "def f(x):\n    if x is None:\n        x = open(1)\n        x.h()\n",
        "def f(x):\n    while not x:\n        x.append(1)\n",
        "def f(key, value):\n    g(value, key)\n\n\ndef g(one, two):\n    print(one)\n",
        "def f(x:\n    return y\n",
    ],
)
def test_what_may_be_meant_is_no_clue(text: str) -> None:
    assert clues(text) == []


@pytest.mark.slow
def test_sound_code_has_none() -> None:
    for file in files()[::4]:
        assert clues(file.text) == []


def test_one_clue_is_followed_up_a_few_times() -> None:
    many = ", ".join(f"a{k}" for k in range(20))
    found = clues(f"def f({many}):\n    return [missing for missing in a0] + missing\n")
    assert len(found) == MOST
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


@pytest.mark.parametrize(
    ("instruction", "asks"),
    [
        ("there must be a bug somewhere", True),
        ("the tests fail, please fix the code", True),
        ("is this right?", True),
        ("Review this code.", True),
        ("fix the  logic", True),
        ("rename total to result", False),
        ("fix the typo", False),
        ("no debug output please", False),
        ("add a check for None", False),
        (
            "the bug is that we add the header once for every row that has no value, only add it to the first one",
            False,
        ),
    ],
)
def test_who_asks_for_a_bug(instruction: str, asks: bool) -> None:
    assert asks_for_bug(instruction) == asks


@pytest.mark.parametrize(
    ("instruction", "no_more"),
    [
        ("there must be a bug somewhere", True),
        ("I get a strange result, find out why and fix it, thanks!", True),
        ("is this right?", True),
        ("fix the bug in total", False),
        ("fails for empty lists", False),
        ("is 3 right?", False),
        ("fix the bug: `is` should be ==", False),
    ],
)
def test_whether_more_is_said_of_it(instruction: str, no_more: bool) -> None:
    assert says_no_more(instruction) == no_more
