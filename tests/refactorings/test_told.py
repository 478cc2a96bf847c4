"""Instructions that say themselves what the text becomes: which wordings, what of the text, and nothing outside the scope."""

from __future__ import annotations

import ast
import builtins
from random import Random

import pytest

from copydesk.request import EditRequest
from copydesk.serving.plan import FOLLOWED
from copydesk.text.document import TextLines, apply_edits
from copydesk_training.defects.asks import wordings
from defect_files import files
from desks import editor
from instructions import told
from plain_wordings import PLAIN

NAMED = "def f(a, b):\n    a = a + b.a  # a\n    return g(a, a=a, x=f'{a} a')\n"
RENAMED = "def f(new, b):\n    new = new + b.a  # a\n    return g(new, a=new, x=f'{new} a')\n"


@pytest.mark.parametrize(
    "instruction",
    [
        *(wording.format(old="a", new="new") for wording in PLAIN["rename"]),
        "Rename the parameter a to new",
        "rename argument 'a' to 'new' throughout this method, please",
        "please rename a to new!",
        "a is a poor name, call it new",
        "a => new",
    ],
)
def test_another_name_in_many_words(instruction: str) -> None:
    assert told(instruction, NAMED) == RENAMED


@pytest.mark.parametrize(
    "instruction",
    [
        "rename a to one and b to two",
        "a -> one, b -> two",
        "a and b should be called one and two",
        "one and two for a and b",
        "call a and b one and two",
        "a/b -> one/two",
    ],
)
def test_two_other_names(instruction: str) -> None:
    source = "def f(a, b):\n    return g(a, b, a=b)\n"
    assert told(instruction, source) == "def f(one, two):\n    return g(one, two, a=two)\n"


@pytest.mark.parametrize(
    ("instruction", "source", "after"),
    [
        # One of two is not there, or has its new name already, or is a type.
        ("a and b -> c and d", "def f(a):\n    return g(a)\n", None),
        ("a and b -> c and d", "def f(a, b, c):\n    return g(a, b)\n", None),
        ("a -> int, b -> str", "def f(a, b):\n    return g(a, b)\n", None),
        ("call a and b here and there", "def f(a, b):\n    return g(a, b)\n", None),
        # Documentation goes along.
        ("rename a to new", 'def f(a):\n    """Take `a`, a thing."""\n', 'def f(new):\n    """Take `new`, a thing."""\n'),
        # Followed already, or about nothing that is there.
        ("rename a to new", "new = 1\n", "new = 1\n"),
        ("rename a to new", "b = 1\n", "b = 1\n"),
        # An attribute, where nothing else has the name.
        ("rename old to new", "def f(x):\n    return x.old + x.old()\n", "def f(x):\n    return x.new + x.new()\n"),
        ("rename f to g", "def f(n):\n    return f(n - 1)\n", "def g(n):\n    return g(n - 1)\n"),
        # An arrow may be something else: a return type, here.
        ("add -> a", "b = 1\n", None),
        ("a -> int", "a = 1\n", None),
        # What is said of it in a text or a comment may be meant, or not.
        ("rename a to new", "b = 'a'\n", None),
        # Two things would have one name.
        ("rename a to new", "a = new\n", None),
        # Who calls a method is not in sight.
        ("rename f to g", "class C:\n    def f(self):\n        pass\n", None),
        ("rename f to g", "class C:\n    @property\n    def f(self):\n        pass\n", None),
        ("rename n to m", "def f(n):\n    return f(n=n - 1)\n", None),
        ("rename n to m", "def f(n):\n    return g(n=n - 1)\n", "def f(m):\n    return g(n=m - 1)\n"),
        ("rename a to class", "a = 1\n", None),
        ("rename a to b", "a = (1\n", None),
        ("rename the file to new", "a = 1\n", None),
        ("rename a to something better", "a = 1\n", None),
        ("rename a to something", "a = 1\n", None),
        ("change a to b", "a = 1\n", None),
    ],
)  # fmt: skip
def test_what_a_name_is_and_is_not(instruction: str, source: str, after: str | None) -> None:
    assert told(instruction, source) == after


PRINTS = "def f(x):\n    print('a')\n    for y in x:\n        print(\n            y,\n        )  # why\n    return x.print()\n"
COMMENTS = "def f(x):  # of x\n    # one\n    y = '#'  # two\n    # noqa: E501\n    return y  # type: ignore\n    # last"


@pytest.mark.parametrize(
    "instruction", [*PLAIN["remove_prints"], "delete any print calls from this selection"]
)
def test_no_prints(instruction: str) -> None:
    """A block is never left empty."""
    assert told(instruction, PRINTS) == "def f(x):\n    for y in x:\n        pass\n    return x.print()\n"
    assert told(instruction, "x = 1\n") == "x = 1\n"


@pytest.mark.parametrize("source", ["if x: print(x)\n", "x = 1; print(x)\n", "print(1); print(2)\n"])
def test_prints_beside_other_code_are_the_models(source: str) -> None:
    assert told("remove the prints", source) is None


@pytest.mark.parametrize("instruction", PLAIN["remove_comments"])
def test_no_comments(instruction: str) -> None:
    """But for those that tools read."""
    after = "def f(x):\n    y = '#'\n    # noqa: E501\n    return y  # type: ignore\n"
    assert told(instruction, COMMENTS) == after
    assert told(instruction, "x = '#'\n") == "x = '#'\n"


@pytest.mark.parametrize(
    "instruction",
    [
        "remove the print button", "print the comments", "remove unused imports", "add a docstring", "add type hints",
        "call super first", "no comments about style, but rename a to b", "remove comments and blank lines", "use a constant",
        "annotate", "wrap this in try/except ValueError and tell the user", "extract a function", "inline everything", "",
        *(wording.text for subject in ("bug", "check", "unclear") for wording in wordings(subject)),
    ],
)  # fmt: skip
def test_everything_else_is_the_models(instruction: str) -> None:
    assert told(instruction, NAMED + PRINTS) is None


def test_only_the_scope_changes() -> None:
    source = "a = 1\n# one\nprint(a)\na = 2\n# two\nprint(a)\n"
    assert told("a -> b", source, [(4, 6)]) == "a = 1\n# one\nprint(a)\nb = 2\n# two\nprint(b)\n"
    assert told("remove prints", source, [(4, 6)]) == "a = 1\n# one\nprint(a)\na = 2\n# two\n"
    assert told("remove comments", source, [(1, 2), (6, 6)]) == "a = 1\nprint(a)\na = 2\n# two\nprint(a)\n"


def test_renaming_there_and_back_is_nothing() -> None:
    """On real code: names of functions' variables, one after the other."""
    random, done = Random(0), 0
    for text in (file.text for file in files()[:5]):
        names = sorted(
            {n.id for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name)} - set(dir(builtins))
        )
        for name in random.sample(names, min(4, len(names))):
            there = told(f"rename {name} to zz_new", text)
            if there is None:
                continue
            done += 1
            assert ast.dump(ast.parse(there)) != ast.dump(ast.parse(text))
            assert told(f"rename zz_new to {name}", there) in (text, None)
            assert not any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(ast.parse(there)))
    assert done > 10


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", [True, False])
def test_the_engine_asks_no_model(end: str, last: bool) -> None:
    source = ("x = 1\n" + NAMED + "print(a)").replace("\n", end) + (end if last else "")
    document = editor().open("a.py", source, language="python")
    result = document.edit(EditRequest(scope=[(2, 4)], instruction="rename a to new"))
    assert result.status == "edited"
    assert apply_edits(source, result.edits) == source.replace(
        NAMED.replace("\n", end), RENAMED.replace("\n", end)
    )
    assert result.counts.generated == 0
    result = document.edit(EditRequest(scope=[(5, 5)], instruction="remove the prints"))
    assert TextLines(result.text).lines == TextLines(source).lines[:4]
    idle = document.edit(EditRequest(scope=[(2, 4)], instruction="remove prints"))
    assert (idle.status, idle.reason) == ("unchanged", "the selected lines have no prints")
    idle = document.edit(EditRequest(scope=[(5, 5)], instruction="rename zz to new"))
    assert idle.reason == FOLLOWED


def test_narrowing_can_be_turned_off() -> None:
    document = editor().open("a.py", NAMED, language="python")
    request = EditRequest(scope=[(1, 3)], instruction="rename a to new", narrow=False, max_tokens=2)
    assert document.edit(request).text != RENAMED


def test_phrases_can_be_turned_off_alone() -> None:
    document = editor().open("a.py", NAMED, language="python")
    request = EditRequest(scope=[(1, 3)], instruction="rename a to new", phrases=False, max_tokens=2)
    assert document.edit(request).text != RENAMED


DECORATED = "@a\n@b.c(1)\ndef f(x):\n    '''Doc.'''\n    assert x  # noqa\n    return x\n"


@pytest.mark.parametrize(
    ("instruction", "source", "after"),
    [
        # What is not there leaves nothing to do, whatever else is selected.
        ("remove the import", "x = 1\n", "x = 1\n"),
        ("remove the decorator", "x = 1\n", "x = 1\n"),
        ("get rid of the finally", "try:\n    a\nexcept E:\n    pass  # last\n", "try:\n    a\nexcept E:\n    pass  # last\n"),
        ("delete the else", "if a:\n    b\n", "if a:\n    b\n"),
        ("remove the z decorator", DECORATED, DECORATED),
        ("remove the import of z", "import a\n", "import a\n"),
        ("remove type ignore comments", "a = 1  # why\n", "a = 1  # why\n"),
        # What is there goes, with its line.
        ("remove the import", "import a\nx = 1\n", "x = 1\n"),
        ("remove the imports", "import a\nfrom b import c\nx = 1\n", "x = 1\n"),
        ("drop the b import", "import a\nfrom b import c\n", "import a\n"),
        ("remove the import", "if x:\n    import a\n", "if x:\n    pass\n"),
        ("remove the property decorator", "class C:\n    @property\n    def f(self): ...\n", "class C:\n    def f(self): ...\n"),
        ("drop @b.c", DECORATED, DECORATED.replace("@b.c(1)\n", "")),
        ("remove all decorators", DECORATED, DECORATED.replace("@a\n@b.c(1)\n", "")),
        ("remove docstring", DECORATED, DECORATED.replace("    '''Doc.'''\n", "")),
        ("remove the docstring", "def f():\n    '''D'''\n", "def f():\n    pass\n"),
        ("remove noqa", DECORATED, DECORATED.replace("  # noqa", "")),
        # Which one, how, or what of it, is left open.
        ("remove the decorator", DECORATED, None),
        ("remove the import", "import a, b\n", None),
        ("remove the import of a", "from m import a, b\n", None),
        ("remove the import", "from a import *\n", None),
        ("remove the assert", DECORATED, None),
        ("remove the else", "if a:\n    b\nelse:\n    c\n", None),
        ("remove the else", "x = a if b else c\n", None),
        ("remove the unused import", "import a\n", None),
        ("remove the last import", "import a\nimport b\n", None),
        ("remove the import and the call", "import a\na()\n", None),
    ],
)  # fmt: skip
def test_less_of_a_kind(instruction: str, source: str, after: str | None) -> None:
    assert told(instruction, source) == after


def test_a_construct_that_is_partly_selected_is_the_models() -> None:
    source = "from a import (\n    b\n)\nx = 1\n"
    assert told("remove the import", source, [(2, 2)]) is None
    assert told("remove the import", source, [(4, 4)]) == source
    assert told("remove the import", source, [(1, 3)]) == "x = 1\n"


def test_all_of_several_texts_as_f_strings() -> None:
    source = 'a = "<{0}>".format(x)\nb = "%s" % x\n'
    assert told("both of these as f strings", source) == 'a = f"<{x}>"\nb = f"{x}"\n'
