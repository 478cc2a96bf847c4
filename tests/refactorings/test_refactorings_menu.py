"""What a menu offers at a cursor and for selected lines: tables of code, where `|` stands at the end of the cursor's line."""

from __future__ import annotations

import pytest

from copydesk.refactorings.menu import MOST, MenuEntry, menu_at_line, menu_for_expression, menu_for_lines
from copydesk.refactorings.registry import all_refactorings
from copydesk.syntax.tree import parse
from copydesk.text.document import split_lines


def tree_of(lines: list[str]):  # type: ignore[no-untyped-def]
    tree = parse(lines, "python")
    assert tree is not None
    return tree


def at_cursor(code: str) -> dict[str, str]:
    """Each title with the text it makes."""
    line = code[: code.index("|")].count("\n") + 1
    lines = split_lines(code.replace("|", "", 1))
    return {entry.title: after(lines, entry) for entry in menu_at_line(lines, tree_of(lines), line)}


def after(lines: list[str], entry: MenuEntry) -> str:
    made = list(lines)
    for edit in reversed(entry.edits):
        made[edit.first - 1 : edit.last] = [edit.text]
    return "".join(made)


def for_expression(code: str) -> dict[str, str]:
    """Each title with the text it makes; the expression stands between two `|`."""
    before, expression, _ = code.split("|")
    lines = split_lines(code.replace("|", ""))
    start = len(before.rpartition("\n")[2])
    found = menu_for_expression(lines, tree_of(lines), before.count("\n") + 1, start, start + len(expression))
    return {entry.title: after(lines, entry) for entry in found}


IF = "def f(x):\n    if x:{}\n        a = 1{}\n    else:{}\n        a = 2\n    return a\n"
TABLE = [
    (IF.format("|", "", ""), 'Invert "if"', "def f(x):\n    if not x:\n        a = 2\n    else:\n        a = 1\n    return a\n"),
    (IF.format("", "", "|"), "Contract to a = 1 if x else 2", "def f(x):\n    a = 1 if x else 2\n    return a\n"),
    ("x = 1|\nprint(x)\n", 'Inline variable "x"', "print(1)\n"),
    ("if a:\n    x = '%s' % y|\n", "Use f-strings", "if a:\n    x = f'{y}'\n"),
    ("def f():\n    print(1)|\n    return 2\n", "Remove debug prints", "def f():\n    return 2\n"),
    ("x = x + 1|\n", "Write x += 1", "x += 1\n"),
    ("def f(x=1):|\n    return x\n", 'Annotate "x" with the type of its default', "def f(x: int=1):\n    return x\n"),
    ("def f(x):\n    go()\n    if x:|\n        a()\n        b()\n", "Return early",
     "def f(x):\n    go()\n    if not x:\n        return\n    a()\n    b()\n"),
    ("x = []|\nfor y in z:\n    x.append(y)\n", 'Make "x" by a comprehension', "x = [y for y in z]\n"),
    ("def f(x: int):|\n    return x > 1\n", "Annotate the return type as bool", "def f(x: int) -> bool:\n    return x > 1\n"),
    ("def f(x: int):|\n    go(x)\n", "Annotate the return type as None", "def f(x: int) -> None:\n    go(x)\n"),
    ("f = lambda x: g(x)|\n", "Make the lambda a function: def f(x)", "def f(x):\n    return g(x)\n"),
    ("x = a.b if hasattr(a, 'b') else 0|\n", "Use getattr with a default, no hasattr: getattr(a, 'b', 0)",
     "x = getattr(a, 'b', 0)\n"),
    ("log.info(f'{a}!')|\n", "Pass the values to log.info as arguments, lazily: %s", "log.info('%s!', a)\n"),
    ("if a:|\n    if b:\n        c()\n", "Merge nested ifs", "if a and b:\n    c()\n"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "title", "after"), TABLE, ids=[row[1] for row in TABLE])
def test_offered_at_the_cursor(code: str, title: str, after: str) -> None:
    made = at_cursor(code)
    assert title in made
    wanted, found = after.replace(" ", ""), made[title].replace(" ", "")
    assert found == wanted


@pytest.mark.parametrize(
    "code",
    [
        "x = 1|\n",
        "def f(x, y):|\n    return x\n",
        "import os|\n",
        "# a comment|\nx = 1\n",
        "|\n",
        "x = True|\ny = 2\n",
        "@wraps|\ndef f():\n    pass\n",
        "x = (|\n",
        "log.info('%s %s' % pair)|\n",
        IF.format("", "|", ""),
    ],
)
def test_no_noise(code: str) -> None:
    assert at_cursor(code) == {}


def test_what_is_inside_or_around_the_cursor_s_statement_is_not_offered() -> None:
    code = "def f(x):|\n    if x:\n        print(1)\n    else:\n        y = '%s' % x\n"
    assert at_cursor(code) == {}


def test_a_selection_gets_all_in_it_the_smallest_first_and_not_too_many() -> None:
    lines = split_lines(
        "def f(x):\n" + "    a = a + 1  # more\n" * 30 + "    if x:\n        b()\n    else:\n        c()\n"
    )
    found = menu_for_lines(lines, tree_of(lines), (1, len(lines)))
    assert len(found) <= MOST
    sizes = [sum(edit.last - edit.first + 1 for edit in entry.edits) for entry in found]
    assert sizes == sorted(sizes)
    assert {entry.title for entry in menu_for_lines(lines, tree_of(lines), (32, 35))} == {
        'Invert "if"',
        "Contract to b() if x else c()",
    } - {"Contract to b() if x else c()"}
    comments = menu_for_lines(lines, tree_of(lines), (2, 3))
    assert "Remove comments" in {entry.title for entry in comments}


def test_nothing_that_changes_what_callers_rely_on() -> None:
    never = {refactoring.name for refactoring in all_refactorings() if refactoring.menu == "never"}
    assert {
        "remove_parameter",
        "keyword_only",
        "rename",
        "delete_statement",
        "comment_out",
    } <= never


EXPRESSIONS = [
    ("é = f(|a.get_name()|)\n", {'Extract variable "name"': "name = a.get_name()\né = f(name)\n"}),
    ("def f(name):\n    if |a.name|:\n        pass\n",
     {'Extract variable "name_2"': "def f(name):\n    name_2 = a.name\n    if name_2:\n        pass\n"}),
    ("if |a.name|:\n    pass\n", {'Extract variable "name"': "name = a.name\nif name:\n    pass\n"}),
    ("# Why.\ndef f():\n    go(waitTime=|30|)\n",
     {'Extract variable "wait_time"': "# Why.\ndef f():\n    wait_time = 30\n    go(waitTime=wait_time)\n",
      'Extract constant "WAIT_TIME"': "WAIT_TIME = 30\n\n\n# Why.\ndef f():\n    go(waitTime=WAIT_TIME)\n"}),
    ("def f(x=|-1|):\n    pass\n", {'Extract constant "X"': "X = -1\n\n\ndef f(x=X):\n    pass\n"}),
    ("open(p, |'utf-8'|)\n", {'Extract variable "utf_8"': "utf_8 = 'utf-8'\nopen(p, utf_8)\n",
                              'Extract constant "UTF_8"': "UTF_8 = 'utf-8'\nopen(p, UTF_8)\n"}),
    ("while |f(x)|:\n    pass\n", {}),
    ("match x:\n    case |1|:\n        pass\n", {}),
    ("def f():\n    |'Text.'|\n", {}),
    ("x = -|1|\n", {'Extract variable "value"': "value = 1\nx = -value\n"}),
    ("|f|(x)\n", {}),
    ("f(|x, y|)\n", {}),
    ("f(|x|)\n", {}),
]  # fmt: skip


@pytest.mark.parametrize(("code", "made"), EXPRESSIONS, ids=[row[0] for row in EXPRESSIONS])
def test_a_selected_expression_can_get_a_name(code: str, made: dict[str, str]) -> None:
    assert for_expression(code) == made
