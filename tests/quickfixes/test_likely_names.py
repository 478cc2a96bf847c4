"""Which names may be meant by one that nothing defines. `$0` stands before it; the first word behind it is the wrong name."""

from __future__ import annotations

import re

import pytest

from copydesk.editor import Editor
from copydesk.quickfixes.registry import QuickFixes, quick_fixes
from copydesk.quickfixes.similarity import slip_cost
from copydesk.request import Diagnostic, EditRequest
from copydesk.syntax.tree import parse
from copydesk.text.document import Position, split_lines
from quick_fixes import applied, marked


def asked(source: str, imports: tuple[str, ...] = (), attribute: str | None = None) -> tuple[QuickFixes, str]:
    text, place = marked(source, "$0")
    lines = split_lines(text)
    name = re.match(r"\w+", lines[place.line][place.character :])
    assert name is not None
    end = Position(place.line, place.character + name.end())
    message, code = f"Undefined name `{name.group()}`", "F821"
    if attribute is not None:
        message = f'Cannot access attribute "{name.group()}" for class "{attribute}"'
        code = "reportAttributeAccessIssue"
    said = Diagnostic(place, end, message, code, imports=imports)
    return quick_fixes(said, lines, "python", parse(lines, "python")), text


def offered(source: str, imports: tuple[str, ...] = (), attribute: str | None = None) -> list[str]:
    """The lines that are new with each candidate."""
    fixes, text = asked(source, imports, attribute)
    lines = split_lines(text)
    found = next(fixes.candidates([(1, len(lines))]), None)
    made = [applied(lines, edit).split("\n") for edit in found.edits] if found is not None else []
    old = text.split("\n")
    return ["\n".join(line for line in new if line and line not in old).strip() for new in made]


@pytest.mark.parametrize(
    ("source", "texts"),
    [
        # The closest name in scope; no builtin, no keyword, and nothing out of scope beside it.
        ("def f(total):\n    return $0totl\n", ["return total"]),
        ("def f(total):\n    return $0toal\n\ndef g(toll): pass\n", ["return total"]),
        ("def f(lst):\n    return $0lsit\n", ["return lst"]),
        ("def f(x):\n    return $0pritn(x)\n", ["return print(x)"]),
        # Slips of the memory: case, underscores, plurals, abbreviations, spellings.
        ("def get_name(): pass\n$0getName()\n", ["get_name()"]),
        ("values = 1\nprint($0value)\n", ["print(values)"]),
        ("def f(message):\n    return $0msg\n", ["return message"]),
        ("def f(x: $0string): pass\n", ["def f(x: str): pass"]),
        ("colour = 1\nprint($0color)\n", ["print(colour)"]),
        ("x = $0null\n", ["x = None"]),
        ("x = $0true\n", ["x = True"]),
        # What a rename missed: the variable that is bound and never read comes first.
        ("def f(a, b):\n    file_path = a\n    return $0path + b\n", ["return file_path + b"]),
        ("def f():\n    first_g = 1\n    other_g = 2\n    print(other_g)\n    return $0g\n", ["return first_g"]),
        # An attribute of that very name says that `self.` is missing.
        ("class A:\n    def f(self):\n        self.weight = 1\n        return $0weight\n", ["return self.weight"]),
        # A module is used with a dot.
        ("import sys\ndef f(x: $0syr): pass\n", ["def f(x: str): pass"]),
        ("import typing\nx: $0Typing.Any\n", ["x: typing.Any"]),
        # Nothing is like it, or it is bound by the statement itself, or in a scope that is not seen.
        ("def f(value):\n    return $0result\n", []),
        ("class Derived($0Derive): pass\n", []),
        ("def f(a):\n    within = 1\n\nprint($0withn)\n", []),
        ("def f(x):\n    return $0y\n", []),
        # A class is not what its instance is called, where it stands as a class does.
        ("class A:\n    def f(self):\n        return $0Self.x\n", ["return self.x"]),
        ("def f(value, g):\n    return g($0Value, 1)\n", ["return g(value, 1)"]),
        ("def f(value: $0Value): pass\n", []),
        ("def f(next_level, g):\n    return g($0NextLevel, 1)\n", ["return g(next_level, 1)"]),
        ("def f(next_level):\n    return $0NextLevel()\n", []),
        ("def f(wait):\n    if $0Wait:\n        pass\n", ["if wait:"]),
        ("def f(leeway):\n    return f'got {$0Leeway}'\n", ["return f'got {leeway}'"]),
        ("def f(exchange):\n    return $0Exchange(1)\n", []),
    ],
)  # fmt: skip
def test_names(source: str, texts: list[str]) -> None:
    assert offered(source) == texts


@pytest.mark.parametrize(
    ("source", "imports", "texts"),
    [
        ("x = $0json.loads(y)\n", (), ["import json"]),
        ("def f(path):\n    return $0Path(path)\n", (), ["from pathlib import Path"]),
        ("x = $0helper(1)\n", ("from .tools import helper\n",), ["from .tools import helper"]),
        ("from .tools import a\nx = $0helper(a)\n", ("from .tools import helper\n",), ["from .tools import a, helper"]),
        ("from .tools import a\nx = $0h(a)\n", ("from .tools import helper as h\n",), ["from .tools import a, helper as h"]),
        # Nobody says where it comes from: a module that the document takes other names from is no reason.
        ("from .tools import a\nx = $0helper(a)\n", (), []),
        ("x = $0shlex(y, posix=True)\n", (), ["from shlex import shlex"]),
        # A module that is called is none.
        ("x = $0resource(1)\n", (), []),
        # The project knows better than a household name.
        ("@$0wraps(f)\ndef g(): pass\n", ("from vine.utils import wraps\n",), ["from vine.utils import wraps"]),
        # A name in scope that is likely, too.
        (
            "class A:\n    def f(self):\n        self.time = 1\n        return $0time.hour\n",
            (),
            ["return self.time.hour", "import time"],
        ),
    ],
)  # fmt: skip
def test_imports(source: str, imports: tuple[str, ...], texts: list[str]) -> None:
    assert offered(source, imports) == texts


@pytest.mark.parametrize(
    ("source", "owner", "texts"),
    [
        (
            "class A:\n    def size(self): pass\n    def f(self):\n        self.$0sise()\n",
            "A*",
            ["self.size()"],
        ),
        ("import os\nos.$0pth\n", "Module(os)", ["os.path"]),
        ("x = []\nx.$0apend(1)\n", "list[int]", ["x.append(1)"]),
        ("x = []\nx.$0frobnicate(1)\n", "list[int]", []),
    ],
)
def test_attributes(source: str, owner: str, texts: list[str]) -> None:
    assert offered(source, attribute=owner) == texts


@pytest.mark.parametrize(
    ("source", "attribute", "words"),
    [
        ("x = $0frobnicate(1)\n", None, "no name in scope is spelt like frobnicate"),
        ("x.$0frobnicate(1)\n", "A", "no attribute that is known here is spelt like frobnicate"),
        ("x = $0totl\ntotal = 1\n", None, None),
        ("x.$0frobnicate(1)\n", "None", None),  # it is not the name that is wrong
    ],
)
def test_a_refusal_says_why(source: str, attribute: str | None, words: str | None) -> None:
    fixes, text = asked(source, attribute=attribute)
    said = fixes.refusal([(1, text.count("\n"))])
    assert said == words if words is None else said is not None and words in said


def test_the_engine_refuses_in_words_and_asks_no_model() -> None:
    text = "def f(value):\n    return frobnicate\n"
    wrong = Diagnostic(Position(1, 11), Position(1, 21), "Undefined name `frobnicate`", "F821")
    with Editor.load("mini", device="cpu", warm=False) as editor:
        result = editor.open("a.py", text).edit(EditRequest(diagnostics=[wrong]))
    assert result.status == "refused"
    assert result.reason is not None
    assert "frobnicate" in result.reason
    assert result.counts.forwards == 0


@pytest.mark.parametrize(
    ("good", "nearer", "farther"),
    [
        ("URL", "URLs", "Url5"),
        ("total", "totl", "tot"),
        ("get_name", "getName", "gt_name"),
        ("message", "mesage", "msg"),
        ("configuration", "config", "base_configuration"),
    ],
)
def test_slips_in_order(good: str, nearer: str, farther: str) -> None:
    costs = slip_cost(nearer, good), slip_cost(farther, good)
    assert costs[0] is not None
    assert costs[1] is None or costs[0] < costs[1]


@pytest.mark.parametrize(
    ("wrong", "good"),
    [("totl", "str"), ("x", "y"), ("D_y", "x"), ("boto3", "bool"), ("not_implemented_for", "NotImplementedError"), ("a", "a")],
)  # fmt: skip
def test_what_is_not_alike(wrong: str, good: str) -> None:
    assert slip_cost(wrong, good) is None
