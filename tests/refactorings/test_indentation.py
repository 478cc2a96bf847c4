"""Documents that are not indented by four spaces: a refactoring makes the same of them, in their own steps."""

from __future__ import annotations

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.refactorings.arguments import arguments_of
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.indentation import Indentation
from copydesk.refactorings.menu import menu_at_line, menu_for_expression, menu_for_lines
from copydesk.refactorings.phrases import instruction_edits
from copydesk.refactorings.registry import all_refactorings
from copydesk.syntax.tree import parse
from copydesk.text.document import indent_step, indentation, split_lines
from copydesk.text.line_edit import LineEdit
from refactoring_cases import CASES

STEPS = ["\t", "  ", "   "]
FUNCTION = 'def f(a):\n    """Text."""\n    if a:\n        b = g(a, 10)\n        h(b)\n'


def stepped(text: str, step: str) -> str:
    """The same text in other steps."""
    lines = []
    for line in split_lines(text):
        count = len(indentation(line)) // 4
        lines.append(step * count + line[4 * count :])
    return "".join(lines)


def applied(source: str, edits: tuple[LineEdit, ...]) -> str:
    lines = split_lines(source)
    for edit in reversed(edits):
        lines[edit.first - 1 : edit.last] = [edit.text]
    return "".join(lines)


def context_of(source: str) -> RefactoringContext:
    lines = split_lines(source)
    tree = parse(lines, "python")
    assert tree is not None
    return RefactoringContext.of(lines, [(1, len(lines))], tree)


@pytest.mark.parametrize("step", STEPS)
def test_each_makes_the_same(step: str) -> None:
    by_name = {one.name: one for one in all_refactorings()}
    cases = [
        (name, instruction, stepped(source, step), title, stepped(expected, step))
        for name, instruction, source, title, expected in chain.from_iterable(CASES.values())
        if indent_step(split_lines(stepped(source, step))) == step  # else nothing in it is indented
    ]
    assert len(cases) > 200
    for name, instruction, source, title, expected in cases:
        context = context_of(source)
        offered = by_name[name].candidates(context, arguments_of(instruction))
        made = next((context.original(one.edits) for one in offered if one.title == title), ())
        assert applied(source, made) == expected, (name, title)


@pytest.mark.parametrize("step", STEPS)
def test_so_do_a_menu_and_what_wording_settles(step: str) -> None:
    source = stepped(FUNCTION, step)
    lines = split_lines(source)
    tree = parse(lines, "python")
    assert tree is not None
    for found in (menu_for_lines(lines, tree, (1, 5)), menu_at_line(lines, tree, 3)):
        made = [applied(source, entry.edits) for entry in found]
        assert any(f"{step}if not a:\n{step * 2}return\n{step}b = g(" in text for text in made), made
    column = lines[3].index("10")
    (named,) = menu_for_expression(lines, tree, 4, column, column + 2)[:1]
    assert f"{step * 2}value = 10\n{step * 2}b = g(a, value)\n" in applied(source, named.edits)
    said = instruction_edits("wrap this in try/except KeyError and return None", lines, [(4, 4)], tree)
    assert said is not None
    tried = f"{step * 2}try:\n{step * 3}b = g(a, 10)\n{step * 2}except KeyError:\n{step * 3}return None\n"
    assert tried in applied(source, said)


def test_selected_lines_of_spaces_in_a_document_of_tabs_stay_as_they_are() -> None:
    lines = split_lines(stepped(FUNCTION, "\t") * 3 + "def g():\n    if a:\n        b()\n")
    assert Indentation.of(lines, [(1, 5)]) is not None
    assert Indentation.of(lines, [(1, len(lines))]) is None


@given(
    st.lists(st.text(" \tx#:", max_size=8).map(lambda line: f"{line}\n"), min_size=1, max_size=12),
    st.sampled_from(STEPS),
)
def test_lines_that_an_edit_keeps_stay_as_they_were(lines: list[str], step: str) -> None:
    document = [*split_lines(stepped(FUNCTION, step)), *lines]
    found = Indentation.of(document, [(1, 5)])
    if found is not None:
        everything = LineEdit(1, len(document), "".join(found.widened))
        assert found.restored((everything,)) == (LineEdit(1, len(document), "".join(document)),)


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("a = 1\n", "    "),
        ("def f():\n\treturn 1\n", "\t"),
        ("class A:  # one\n\n  def f(self):\n    pass\n", "  "),
        ("if a:\n   b(\n       c)\n", "   "),
        ('def f():\n    """Text.\n\n    Args:\n      a: one\n    Returns:\n      two\n    """\n', "    "),
        ("a = {\n  1:\n    2}\nb = [x for x in a:\n  c\n", "    "),
    ],
)
def test_blocks_tell_how_code_is_indented(text: str, step: str) -> None:
    assert indent_step(split_lines(text)) == step
