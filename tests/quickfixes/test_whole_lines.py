"""Answers that put other lines in place of some. `¦` marks the diagnostic's place."""

from __future__ import annotations

import ast

import pytest

from copydesk.editor import Document, Editor
from copydesk.grammar.rules import violation
from copydesk.oracle.token_cost import CodecCost
from copydesk.program import Copy, Program
from copydesk.prompting.prompt import page_tokens
from copydesk.quickfixes.handler import Candidates, FixContext
from copydesk.quickfixes.handlers.missing_indent import MissingIndent
from copydesk.quickfixes.registry import quick_fixes
from copydesk.request import Diagnostic, EditRequest
from copydesk.serving.lowering import Lowering, listed_programs
from copydesk.syntax.tree import parse
from copydesk.text.document import Position, split_lines
from defect_files import diagnosed
from desks import editor
from quick_fixes import applied, candidates, marked

E302 = "Expected 2 blank lines, found {}"
E731 = "Do not assign a `lambda` expression, use a `def`"


def results(source: str, code: str | None, message: str) -> list[str]:
    """The texts that all candidates come to."""
    text, at = marked(source)
    lines = split_lines(text)
    return [applied(lines, edit) for edit in candidates(Diagnostic(at, at, message, code), lines)]


def moved(diagnostic: Diagnostic, lines: list[str]) -> Candidates | None:
    context: FixContext = quick_fixes(diagnostic, lines, "python", parse(lines, "python")).context
    return MissingIndent().candidates(context)


EXACT = [
    ("import a\n¦def f():\n    pass\n", "E302", E302.format(0), ["import a\n\n\ndef f():\n    pass\n"]),
    ("import a\n\n¦@b\ndef f():\n    pass\n", "E302", E302.format(1), ["import a\n\n\n@b\ndef f():\n    pass\n"]),
    ("import a\n\n¦class A: pass\n", None, "E302 expected 2 blank lines, found 1", ["import a\n\n\nclass A: pass\n"]),
    ("class A:\n    x = 1\n    ¦def f(self): pass\n", "E301", "Expected 1 blank line, found 0",
     ["class A:\n    x = 1\n\n    def f(self): pass\n"]),
    ("@a\n\n¦def f(): pass\n", "E304", "Blank lines found after function decorator (1)", ["@a\ndef f(): pass\n"]),
    ("def f(): pass\n\n¦x = 1\n", "E305", "Expected 2 blank lines after class or function definition, found (1)",
     ["def f(): pass\n\n\nx = 1\n"]),
    ("def f():\n    x = 1\n    ¦def g(): pass\n", "E306", "expected 1 blank line before a nested definition, found 0",
     ["def f():\n    x = 1\n\n    def g(): pass\n"]),
    ("x = 1\n\n\n\n¦def f(): pass\n", "E303", "Too many blank lines (3)", ["x = 1\n\n\ndef f(): pass\n"]),
    ("x = 1\n\n\n\n¦# Said.\ndef f(): pass\n", "E303", "too many blank lines (3)", ["x = 1\n\n\n# Said.\ndef f(): pass\n"]),
    ("def f(): pass\n\n\n\n¦x = 1\n", "E303", "Too many blank lines (3)", ["def f(): pass\n\n\nx = 1\n"]),
    ("x = 1\n\n\n\n¦y = 1\n", "E303", "E303 too many blank lines (3)",
     ["x = 1\ny = 1\n", "x = 1\n\ny = 1\n", "x = 1\n\n\ny = 1\n"]),
    ("if x:\n    a\n\n\n    ¦b\n", "E303", "Too many blank lines (2)", ["if x:\n    a\n    b\n", "if x:\n    a\n\n    b\n"]),
    ("class A:\n\n\n    ¦def f(self): pass\n", "E303", "Too many blank lines (2)",
     ["class A:\n    def f(self): pass\n", "class A:\n\n    def f(self): pass\n"]),
    ("x = 1¦", "W292", "No newline at end of file", ["x = 1\n"]),
    ("x = 1¦", "C0304", "Final newline missing", ["x = 1\n"]),
    ("x = 1\n¦\n\n", "W391", "Too many newlines at end of file", ["x = 1\n"]),
    ("x = 1\n¦  \n", None, "Trailing newlines", ["x = 1\n"]),
    ("¦f = lambda: 1\n", "E731", E731, ["def f():\n    return 1\n"]),
    ("¦f = lambda: 1\nif f:\n  f()\n", "E731", E731, ["def f():\n  return 1\nif f:\n  f()\n"]),
    ("¦f = lambda: 1\nif f:\n    # a\n\t# tab\n    f()\n", "E731", E731,
     ["def f():\n    return 1\nif f:\n    # a\n\t# tab\n    f()\n"]),
    ("if x:\n    ¦f = lambda a, *b, c=1: a + c", "E731", E731, ["if x:\n    def f(a, *b, c=1):\n        return a + c"]),
    ("f: Callable = ¦(lambda a: a)\n", "C3001", "", ["def f(a):\n    return a\n"]),
    ("¦f = lambda a: a  # same\n", "E731", E731, ["def f(a):\n    return a  # same\n", "def f(a):  # same\n    return a\n"]),
    ("f = (\n    ¦lambda a: a\n    + 1\n)\n", "E731", E731, ["def f(a):\n    return (a\n    + 1)\n"]),
    ("if x:\n\t¦f = lambda: [\n\t\t1]\n", None, "do not assign a lambda expression, use a def",
     ["if x:\n\tdef f():\n\t\treturn [\n\t\t1]\n"]),
]  # fmt: skip

NONE = [
    ("import a\n# Said.\n¦def f(): pass\n", "E302", E302.format(0)),  # above the comment or below it
    ("import a\n\n# Said.\n¦def f(): pass\n", "E302", E302.format(1)),
    ("import a\n\n\n¦def f(): pass\n", "E302", E302.format(1)),  # out of date
    ('x = """\n\n\n\n¦y\n"""\n', "E303", "Too many blank lines (3)"),
    ("¦x = 1\n", "E303", "Too many blank lines (3)"),
    ("x = 1\n¦", "W292", "No newline at end of file"),
    ("x = 1\n   ¦", "W292", "No newline at end of file"),
    ("x = 1¦\n", "W391", "Too many newlines at end of file"),
    ("¦\n\n", "W391", "Too many newlines at end of file"),
    ("¦self.f = lambda: 1\n", "E731", E731),
    ("¦f = g = lambda: 1\n", "E731", E731),
    ("¦f = lambda: 1; g = 2\n", "E731", E731),
    ("if x: ¦f = lambda: 1\n", "E731", E731),
    ("¦f = 1\n", "E731", E731),
]


@pytest.mark.parametrize(("source", "code", "message", "expected"), EXACT)
def test_all_there_are(source: str, code: str | None, message: str, expected: list[str]) -> None:
    assert results(source, code, message) == expected
    text, at = marked(source)
    request = EditRequest(diagnostics=[Diagnostic(at, at, message, code)])
    assert set(listed(editor(), text, request)) == set(expected)


@pytest.mark.parametrize(("source", "code", "message"), NONE)
def test_what_is_left_to_the_model(source: str, code: str | None, message: str) -> None:
    assert results(source, code, message) == []


INDENTS = [
    ("def f():\n¦x = 1\ny = 2\nz = 3\n", [
        "def f():\n    x = 1\ny = 2\nz = 3\n", "def f():\n    x = 1\n    y = 2\nz = 3\n",
        "def f():\n    x = 1\n    y = 2\n    z = 3\n"]),
    ("if a:\n¦if b:\n    c\nd\n", [  # what is deeper goes along
        "if a:\n    if b:\n        c\nd\n", "if a:\n    if b:\n        c\n    d\n"]),
    ("def f():\n¦x = 1\ny = 2\n    z = 3\n", ["def f():\n    x = 1\n    y = 2\n    z = 3\n"]),
    ("def f(\n    a,\n):\n¦x = 1\ny = 2\n", [
        "def f(\n    a,\n):\n    x = 1\ny = 2\n", "def f(\n    a,\n):\n    x = 1\n    y = 2\n"]),
]  # fmt: skip

LONE = [
    "def f():\n¦x = 1\n",
    'def f():\n¦"""Said\nand said.\n"""\nx = 1\n',  # what is in a string stays
    "def f():\n¦x = 1\n\ny = 2\n",
    "def f():\n    ¦x = 1\n    y = 2\n",  # out of date
]


@pytest.mark.parametrize(("source", "among"), INDENTS)
def test_a_body_of_several_lines(source: str, among: list[str]) -> None:
    text, at = marked(source)
    diagnostic = Diagnostic(at, at, "expected an indented block after function definition on line 1")
    lines = split_lines(text)
    made = moved(diagnostic, lines)
    assert made is not None
    found = {applied(lines, edit) for edit in made.edits}
    assert set(among) <= found
    for result in found:
        ast.parse(result)
    assert set(among) <= set(listed(editor(), text, EditRequest(diagnostics=[diagnostic])))


@pytest.mark.parametrize("source", LONE)
def test_a_body_of_one_line_is_a_repair(source: str) -> None:
    text, at = marked(source)
    diagnostic = Diagnostic(at, at, "Expected an indented block")
    assert moved(diagnostic, split_lines(text)) is None


HANDLERS = [
    ("try:\n    a\n¦except:\n    b\n", "E722", "Do not use bare `except`", ["Exception", "BaseException"]),
    ("try:\n    a\n¦except:\n    b\n", None, "bare except; use `except Exception:`", ["Exception"]),
    ("try:\n    a\nexcept OSError:\n    b\n¦except:\n    raise x.Gone(1)\nraise KeyError\nraise gone\n", "W0702", "",
     ["Exception", "BaseException", "x.Gone", "KeyError"]),
    ("try:\n    a\nexcept (A, B) as e:\n    b\ntry:\n    a\n¦except :\n    b\n", "E722", "",
     ["Exception", "BaseException", "(A, B)"]),
    ("try:\n    a\n¦except OSError:\n    b\n", "E722", "", []),
]  # fmt: skip


@pytest.mark.parametrize(("source", "code", "message", "names"), HANDLERS)
def test_what_a_bare_except_may_catch(source: str, code: str | None, message: str, names: list[str]) -> None:
    text, at = marked(source)
    lines = split_lines(text)
    found = candidates(Diagnostic(at, at, message, code), lines)
    assert [(edit.first, edit.text) for (edit,) in found] == [
        (at.line + 1, f"except {name}:\n") for name in names
    ]


def programs(desk: Editor, document: Document, request: EditRequest) -> tuple[Program, ...]:
    plan = document.plan(request)
    codec, parsed = desk.loaded_model.codec, plan.snapshot.parsed
    assert codec is not None
    assert parsed is not None
    lines = plan.snapshot.lines.lines
    lowering = Lowering(
        codec, CodecCost(codec), plan.rules, plan.page, page_tokens(codec, plan.page), lines, plan.scope
    )
    fixes = quick_fixes(request.diagnostics[0], lines, "python", parsed.tree)
    made = next(fixes.candidates(plan.scope), None)
    found = listed_programs(lowering, made) if made is not None and not made.within_lines else None
    if found is None:
        return ()
    for program in found.programs:
        assert violation(plan.rules, program, plan.page.views) is None
    return tuple(plan.page.to_document(program, lines) for program in found.programs)


def listed(desk: Editor, text: str, request: EditRequest) -> list[str]:
    return [
        program.resolve(text)
        for program in programs(desk, desk.open("a.py", text, language="python"), request)
    ]


LEAST = {"blank_lines": 0.95, "end_of_file": 1.0, "lambda_assignment": 0.95, "missing_indent": 0.9}
"""How often the true fix is on the list, at least."""


@pytest.mark.parametrize("kind", LEAST)
def test_the_true_fix_is_on_the_list(kind: str) -> None:
    """All are legal on the page, stay inside the scope, and what comes out parses."""
    total = true = 0
    for example in diagnosed(kind, f"rewritten {kind}"):
        desk = editor()
        document = desk.open("a.py", example.before)
        plan = document.plan(example.request)
        found = programs(desk, document, example.request)
        if not found and kind == "missing_indent":
            continue  # one line is a repair
        total += 1
        results = [program.resolve(example.before) for program in found]
        assert len(set(results)) == len(results)
        for program, result in zip(found, results, strict=True):
            ast.parse(result)
            assert result != example.before
            kept = {n for op in program.ops if isinstance(op, Copy) for n in range(op.start, op.end + 1)}
            for number in set(range(1, len(plan.snapshot.lines.lines) + 1)) - kept:
                assert any(first <= number <= last for first, last in plan.scope)
        true += example.after in results
    assert total > (0 if kind == "missing_indent" else 5)
    assert true >= LEAST[kind] * total, f"{true} of {total}"


def test_windows_line_ends_stay() -> None:
    text = "import a\r\n\r\nf = lambda: 1\r\n"
    at = Position(2, 0)
    (found,) = listed(editor(), text, EditRequest(diagnostics=[Diagnostic(at, at, E731, "E731")]))
    assert found == "import a\r\n\r\ndef f():\r\n    return 1\r\n"


def test_one_way_asks_nothing_of_the_model() -> None:
    at = Position(0, 5)
    request = EditRequest(diagnostics=[Diagnostic(at, at, "No newline at end of file", "W292")])
    result = editor().open("a.py", "x = 1").edit(request)
    assert result.text == "x = 1\n"
    assert result.counts.choices == result.counts.generated == 0
