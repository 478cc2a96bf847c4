"""No program over a Python document that is held to its layer breaks it, and what does not break it can be said."""

from __future__ import annotations

from random import Random

import pytest

import python_structure
from copydesk.decode.sampling import Sampler
from copydesk.program import Copy, Gen, Op, Program, Sub
from copydesk.pushdown.interfaces import first_error
from copydesk.pushdown.python.effects import python_effects
from copydesk.text.document import split_lines
from decoding import Desk, byte_codec
from mock_model import scripted
from python_programs import REGIMES, mock, run_programs
from vocabularies import codec

TEXT = '''"""Doc."""
import os


def first(a, b=(1, 2)):
    """Of them.

    More.
    """
    if a:
        return [
            a,
            b,
        ]
    for c in b:
        print(f"{c!r:>{a}}", c)  # why
    return {"a": a,
            "b": b}


class Second:
    x = 1

    def get(self):
        while self.x:
            self.x -= \\
                1
        return self.x
'''
LINES = split_lines(TEXT)
LAST = len(LINES)


def test_whatever_a_model_says_no_error_is_new() -> None:
    ended = run_programs(codec("line_tokens"), Random("python"), 80)
    # The law says nothing if programs hardly ever change anything, or are mostly closed by force.
    assert ended["edited"] >= 27, ended


@pytest.mark.slow
@pytest.mark.parametrize(("name", "count"), [("line_tokens", 280), ("qwen_like", 60)])
def test_nor_in_many_programs(name: str, count: int) -> None:
    run_programs(codec(name), Random(f"many python {name}"), count)


@pytest.mark.parametrize("max_tokens", [1, 3, 7, 20])
def test_so_it_is_when_the_tokens_are_spent(max_tokens: int) -> None:
    run_programs(codec("line_tokens"), Random(f"spent {max_tokens}"), 40, max_tokens=max_tokens)


def said(text: str, scope: list[tuple[int, int]], program: Program) -> Program | None:
    """What comes of a model that wants to say `program` and nothing else."""
    codec = byte_codec()
    desk = Desk.of(codec, text, scope, language="python")
    pieces = codec.encode_program(program, desk.page.views, desk.tokens.lines, open_end=desk.rules.open_end)
    script = [token for piece in pieces for token in piece.ids]
    prompt = len(desk.tokens.ids) + len(desk.task.request)
    outcome, _, _ = desk.decode(scripted(codec.vocabulary.size, script, prompt=prompt), max_tokens=400)
    return outcome.program


@pytest.mark.parametrize(
    ("scope", "ops"),
    [
        # Another condition, an elif behind, the body deeper, the block gone.
        ([(10, 10)], (Copy(1, 9), Sub(10, 10, "a:", "a and (b or c):"), Copy(11, LAST))),
        ([(15, 14)], (Copy(1, 14), Gen("    elif b:\n        pass\n"), Copy(15, LAST))),
        ([(10, 14)], (Copy(1, 10), Gen("        if b:\n            pass\n"), Copy(11, LAST))),
        ([(15, 16)], (Copy(1, 14), Copy(17, LAST))),
        ([(10, 14)], (Copy(1, 9), Copy(15, LAST))),
        # Inside the docstring anything may stand; it may also be closed and another one begun.
        ([(8, 8)], (Copy(1, 7), Gen('    (["more\n'), Copy(9, LAST))),
        ([(8, 8)], (Copy(1, 7), Gen('    """\n    a = """\n'), Copy(9, LAST))),
        # Inside brackets.
        ([(12, 13)], (Copy(1, 11), Gen("  *a,\n"), Copy(13, LAST))),
        ([(11, 14)], (Copy(1, 10), Gen("        return (a,\n    b)\n"), Copy(15, LAST))),
        ([(17, 18)], (Copy(1, 16), Sub(17, 17, '"a": a', '"a": [a, {1: f"{b}"}]'), Copy(18, LAST))),
        # A whole function anew, with an empty line inside; the end of the file.
        ([(24, 28)], (Copy(1, 23), Gen("    def set(self, x): self.x = x\n\n    y = 2\n"))),
        ([(1, LAST)], (Gen("if True:\n\tpass\n"),)),
        ([(28, 28)], (Copy(1, 27), Gen("        return (self.x)"))),
        # Nothing at all.
        ([(1, LAST)], (Copy(1, LAST),)),
    ],
)
def test_edits_that_break_nothing_are_on_offer(scope: list[tuple[int, int]], ops: tuple[Op, ...]) -> None:
    program = Program(ops)
    assert python_structure.error_of(program.resolve(TEXT)) is None
    assert said(TEXT, scope, program) == program


@pytest.mark.parametrize(
    ("scope", "ops"),
    [
        ([(10, 14)], (Copy(1, 10), Copy(15, LAST))),  # no body
        ([(10, 10)], (Copy(1, 9), Copy(11, LAST))),  # a body of nothing
        ([(10, 10)], (Copy(1, 9), Sub(10, 10, "a:", "a"), Copy(11, LAST))),
        ([(10, 10)], (Copy(1, 9), Sub(10, 10, "a:", "(a:"), Copy(11, LAST))),
        ([(14, 14)], (Copy(1, 13), Copy(15, LAST))),
        ([(14, 14)], (Copy(1, 13), Gen("        )\n"), Copy(15, LAST))),
        ([(6, 6)], (Copy(1, 5), Gen("    Of them.\n"), Copy(7, LAST))),
        ([(16, 16)], (Copy(1, 15), Sub(16, 16, "{c!r", "{c)!r"), Copy(17, LAST))),
        ([(15, 14)], (Copy(1, 14), Gen("   x = 1\n"), Copy(15, LAST))),
        ([(15, 14)], (Copy(1, 14), Gen("\tx = 1\n"), Copy(15, LAST))),
        ([(28, 28)], (Copy(1, 27), Gen("        def"))),
    ],
)
def test_edits_that_break_it_are_not(scope: list[tuple[int, int]], ops: tuple[Op, ...]) -> None:
    program = Program(ops)
    assert python_structure.error_of(program.resolve(TEXT)) is not None
    found = said(TEXT, scope, program)
    assert found is not None
    assert found != program
    assert python_structure.error_of(found.resolve(TEXT)) is None


BROKEN = {
    "a bracket missing": (TEXT.replace("        ]\n", ""), 0),
    "a bracket too many": (TEXT.replace("print(f", "print)(f"), 16),
    "a body missing": (TEXT.replace("    x = 1\n\n", "").replace("    def get", "def get"), 22),
    "indented too far": (TEXT.replace("    for c", "      for c"), 15),
    "a quote missing": (TEXT.replace('    More.\n    """', "    More."), 0),
    "quotes as since 3.12": (TEXT.replace('f"{c!r', 'f"{c["a"]!r'), 16),
}
"""Texts, and the line of the first error; 0 where it is found further down."""


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_never_made_worse(name: str) -> None:
    text, error = BROKEN[name]
    lines = split_lines(text)
    found = first_error(python_effects(), lines)
    assert found <= len(lines) + 1
    assert error in (0, found)
    random, error = Random(name), found
    vocabulary = codec("line_tokens")
    for number in range(40):
        start = random.randint(1, len(lines))
        scope = [(start, min(len(lines), start + random.randint(-1, 4)))]
        desk = Desk.of(vocabulary, text, scope, language="python")
        model = mock(vocabulary, REGIMES[number % 3], number % 4)
        outcome, _, _ = desk.decode(model, sampler=Sampler(1.0, 1.0, number), max_tokens=120)
        assert outcome.program is not None
        after = split_lines(outcome.program.resolve(text))
        found, grown = first_error(python_effects(), after), len(after) - len(lines)
        if scope[0][1] < error:
            # The edit is in front of the error: it is the same error, or there is none.
            assert found in (len(after) + 2, error + grown), after
        elif scope[0][0] > error:
            assert found == error
        else:
            # The error is in the scope. It is gone, or in a line that was there, not before the one it was in; behind it in that
            # line anything may stand.
            kept = {line[:12] for line in lines[error - 1 :]}
            assert found > len(after) or after[found - 1][:12] in kept, after


def test_what_is_broken_can_be_mended() -> None:
    text, _ = BROKEN["a body missing"]
    program = Program((Copy(1, 21), Gen("    pass\n"), Copy(22, len(split_lines(text)))))
    assert python_structure.error_of(text) is not None
    mended = said(text, [(22, 21)], program)
    assert mended == program
    # And elsewhere the document can be edited as if it were whole.
    program = Program((Copy(1, 1), Gen("import sys\n"), Copy(3, len(split_lines(text)))))
    assert said(text, [(2, 2)], program) == program


def test_what_a_diagnostic_leaves_is_offered_where_it_breaks_nothing() -> None:
    codec = byte_codec()
    desk = Desk.of(codec, TEXT, [(22, 22)], language="python")
    desk.task.narrow = lambda _line, _begin, _stop: [")", "2"]
    wanted = Program((Copy(1, 21), Sub(22, 22, "1", ")"), Copy(23, LAST)))
    pieces = codec.encode_program(wanted, desk.page.views, desk.tokens.lines, open_end=desk.rules.open_end)
    script = [token for piece in pieces for token in piece.ids]
    prompt = len(desk.tokens.ids) + len(desk.task.request)
    outcome, _, _ = desk.decode(scripted(codec.vocabulary.size, script, prompt=prompt), max_tokens=400)
    assert outcome.program is not None
    assert Sub(22, 22, "1", "2") in outcome.program.ops
