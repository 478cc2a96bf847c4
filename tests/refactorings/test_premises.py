"""Instructions that take for granted what is not so: what is said of it, and nothing where it may be so."""

from __future__ import annotations

import pytest

from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.premises import LONGEST, false_premise
from copydesk.refactorings.premises.undone import undone
from copydesk.syntax.tree import parse
from copydesk.text.document import split_lines

TOTAL = '''\
@staticmethod
def total(items: list[int], start: int = 0) -> int:
    """The sum of the items."""
    return sum(items, start)
'''
LOOP = """\
def show(rows, sep):
    # Widest first.
    for row in rows:
        print(sep.join(row.keys()))
    message = f"{len(rows)} rows"
    return open(message, mode="r")
"""
IMPORTS = "import ast\nimport re\nfrom json import dumps\n"


def said(instruction: str, text: str) -> str | None:
    lines = split_lines(text)
    tree = parse(lines, "python")
    assert tree is not None
    return false_premise(RefactoringContext.of(lines, [(1, len(lines))], tree), instruction)


@pytest.mark.parametrize(
    ("instruction", "text", "reason"),
    [
        ("replace the while loop by a for", LOOP, "the selected lines have no while loop"),
        ("Use a dict comprehension for the loop.", TOTAL, "the selected lines have no loop"),
        ("please remove the debug prints here", TOTAL, "the selected lines have no debug prints"),
        ("drop the comments and the TODO", TOTAL, "the selected lines have no comments"),
        ("a def instead of the lambda", LOOP, "the selected lines have no lambda"),
        ("turn the try/except into an if", LOOP, "the selected lines have no try/except"),
        ("delete the docstring", LOOP, "the selected lines have no docstring"),
        ("use items() instead of values()", LOOP, "values() is not in the selected lines"),
        ("rename `rwos` to rows", LOOP, "rwos is not in the selected lines"),
        ("fix the NameError for size_limt", LOOP, "size_limt is not in the selected lines"),
        ("err_text is misleading, rename it", LOOP, "err_text is not in the selected lines"),
        ("add a short docstring", TOTAL, "there is a docstring already"),
        ("annotate the return type please", TOTAL, "the return type is annotated already: int"),
        ("-> int", TOTAL, "the return type is annotated already: int"),
        ("type the arguments", TOTAL, "the parameters are annotated already"),
        ("start should be optional", TOTAL, "start is optional already"),
        ("let start default to 0", TOTAL, "start is 0 by default already"),
        ("annotate start", TOTAL, "start is annotated already"),
        ("doesn't use self, make it a static method", TOTAL, "it has @staticmethod already"),
        ("sort the imports", IMPORTS, "the imports are sorted already"),
        ("sort the imports", TOTAL, "the selected lines have no imports"),
        ("the message should be an f-string", LOOP, "it is an f-string already"),
        ("make the message an f-string", LOOP, "it is an f-string already"),
        ('mode="r" when opening', LOOP, 'mode is "r" already'),
        ("rename records to rows", LOOP, "records is not in the selected lines"),
        ("rename the parameter records to rows", LOOP, "records is not in the selected lines"),
        ("records should be rows", LOOP, "records is not in the selected lines"),
        ("rows, not records", LOOP, "records is not in the selected lines"),
        ("drop the verbose parameter", LOOP, "verbose is not in the selected lines"),
        ("remove the unused variable total", LOOP, "total is not in the selected lines"),
        ("0 instead of 1", TOTAL, "1 is not in the selected lines"),
        ("limit should be 10", "limit = 10\n", "limit is 10 already"),
        ("set timeout to None", "f(timeout=None)\n", "timeout is None already"),
        (
            "catch OSError as well",
            "try:\n    f()\nexcept (OSError, ValueError):\n    pass\n",
            "OSError is caught already",
        ),
        ("raise TypeError instead of ValueError", "raise TypeError('a')\n", "it raises TypeError already"),
        ("make it a generator", "def f():\n    yield 1\n", "it is a generator already"),
        ("make it async", "async def f():\n    pass\n", "it is async already"),
        ("make b keyword-only", "def f(a, *, b):\n    pass\n", "b is keyword-only already"),
    ],
)
def test_what_is_not_so(instruction: str, text: str, reason: str) -> None:
    assert said(instruction, text) == reason


@pytest.mark.parametrize(
    ("instruction", "text"),
    [
        ("replace the for loop by a comprehension", LOOP),
        ("remove the print", LOOP),
        ("drop the comment", LOOP),
        ("delete the docstring", TOTAL),
        ("use items() instead of keys()", LOOP),
        ("rename rows to lines", LOOP),
        # No name by its form, and "none" stands nowhere where code returns it.
        ("use words rather than numbers", LOOP),
        ("return 0 instead of None", LOOP),
        ("-1 rather than KeyError", LOOP),
        ("rename rows to lines", LOOP.replace("message", "lines")),
        ("lines should be texts", LOOP),
        ("remove the unused variable", LOOP),
        ("drop the third parameter", LOOP),
        ("1 instead of 0", TOTAL),
        ("limit should be 1", "limit = 10\n"),
        ("only catch OSError", "try:\n    f()\nexcept (OSError, ValueError):\n    pass\n"),
        ("don't catch OSError", "try:\n    f()\nexcept OSError:\n    pass\n"),
        ("raise TypeError", "raise TypeError('a')\nraise ValueError('b')\n"),
        ("raise TypeError instead of ValueError", "raise ValueError('a')\n"),
        ("make it async", "def f():\n    pass\n"),
        ("make a keyword-only", "def f(a, *, b):\n    pass\n"),
        ('drop "else" from the message', LOOP),
        ("add a docstring", LOOP),
        ("add a docstring: Show the rows.", TOTAL),
        ("shorten the docstring", TOTAL),
        ("annotate the return type", LOOP),
        ("annotate the return type as Self", TOTAL),
        ("-> float", TOTAL),
        ("type the arguments", LOOP),
        ("sep should be optional", LOOP),
        ("let start default to 1", TOTAL),
        ("make it static", LOOP),
        ("don't make it static", TOTAL),
        ("sort the imports", "import re\nimport ast\n"),
        ("use an f-string", LOOP.replace("print(", "print('%s' % ")),
        ("make the message an f-string", LOOP.replace("print(sep", "print('One of', sep")),
        ('mode="w" when opening', LOOP),
        ("add a docstring" + " at last" * LONGEST, TOTAL),
        ("add a docstring", TOTAL.replace(":\n", "\n")),
    ],
)
def test_what_may_be_so(instruction: str, text: str) -> None:
    assert said(instruction, text) is None


RAISING = "def f(size):\n    if size < 1:\n        raise E('too small')\n"


@pytest.mark.parametrize(
    ("instruction", "text", "lacking"),
    [
        ("add a debug print of size", RAISING, True),
        ("print the rows", LOOP, False),
        ("log it", RAISING, True),
        ("don't log it", RAISING, False),
        ("print is python 2, use the function", RAISING, False),
        ("add a docstring", RAISING, True),
        ("add a docstring", TOTAL, False),
        ("include the size in the error", RAISING, True),
        ("include the size in the error", RAISING.replace("'too small'", "f'too small: {size}'"), False),
        ("mention the colour in the message", RAISING, False),
        ("reduce isn't used", "from a import reduce, b\n", True),
        ("reduce is not needed", "from a import b\n", False),
        ("what is this for, remove it", "try:\n    a()\nfinally:\n    pass\n", True),
    ],
)
def test_what_is_clearly_not_done_yet(instruction: str, text: str, lacking: bool) -> None:
    lines = split_lines(text)
    tree = parse(lines, "python")
    assert tree is not None
    assert undone(RefactoringContext.of(lines, [(1, len(lines))], tree), instruction) is lacking
