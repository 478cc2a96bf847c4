"""No program over a document that a parser holds can break it, and what does not break it can be said."""

from __future__ import annotations

import json
from random import Random

import pytest

from copydesk.decode.sampling import Sampler
from copydesk.program import Copy, Gen, Program, Sub
from copydesk.pushdown.interfaces import first_error
from copydesk.pushdown.languages import effects_for
from copydesk.text.document import split_lines
from decoding import Desk, byte_codec
from json_programs import mock, run_programs, run_schema_programs
from json_texts import PACKAGE, TSCONFIG
from mock_model import scripted

PROGRAMS = {"lines": 100, "tags": 40}


@pytest.mark.parametrize("kind", ["lines", "tags"])
def test_whatever_a_model_says_the_document_parses(kind: str) -> None:
    ended = run_programs(byte_codec(kind), Random(f"parsed {kind}"), PROGRAMS[kind])
    # The law says nothing if programs hardly ever change anything, or are mostly closed by force.
    assert ended["edited"] >= PROGRAMS[kind] // (2 if kind == "lines" else 4), ended


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "count"), [("lines", 600), ("tags", 160)])
def test_whatever_it_says_in_many_programs(kind: str, count: int) -> None:
    run_programs(byte_codec(kind), Random(f"many parsed {kind}"), count)


@pytest.mark.parametrize("max_tokens", [1, 3, 7, 20])
def test_so_it_does_when_the_tokens_are_spent(max_tokens: int) -> None:
    run_programs(byte_codec(), Random(f"spent {max_tokens}"), 40, max_tokens=max_tokens)


def said(text: str, scope: list[tuple[int, int]], program: Program, language: str = "json") -> Program | None:
    """What comes of a model that wants to say `program` and nothing else."""
    codec = byte_codec()
    desk = Desk.of(codec, text, scope, language=language)
    pieces = codec.encode_program(program, desk.page.views, desk.tokens.lines, open_end=desk.rules.open_end)
    script = [token for piece in pieces for token in piece.ids]
    prompt = len(desk.tokens.ids) + len(desk.task.request)
    outcome, _, _ = desk.decode(scripted(codec.vocabulary.size, script, prompt=prompt), max_tokens=400)
    return outcome.program


def test_whatever_a_model_says_the_schemas_automaton_takes_it() -> None:
    ended = run_schema_programs(byte_codec("lines"), Random("schemas"), 150)
    assert ended["edited"] >= 90, ended
    assert ended["invalid"] <= 15, ended  # what no automaton holds: the check refuses it


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "count"), [("lines", 400), ("tags", 100)])
def test_so_it_does_in_many_programs(kind: str, count: int) -> None:
    run_schema_programs(byte_codec(kind), Random(f"many schemas {kind}"), count)


LAST = len(split_lines(PACKAGE))


@pytest.mark.parametrize(
    ("scope", "ops"),
    [
        # A script more, behind the last one, which gets a comma.
        ([(6, 9)], (Copy(1, 7), Sub(8, 8, ".js", '.js",\n    "lint": "eslint .'), Copy(9, LAST))),
        ([(8, 8)], (Copy(1, 7), Gen('    "lint": "eslint .",\n'), Copy(8, LAST))),
        # One less, and the comma before it.
        ([(7, 8)], (Copy(1, 6), Sub(7, 7, '",', '"'), Copy(9, LAST))),
        # An object round them, in two steps; another value in their place.
        ([(6, 9)], (Copy(1, 6), Gen('    "a": {\n'), Copy(7, 8), Gen("    }\n"), Copy(9, LAST))),
        ([(6, 9)], (Copy(1, 5), Gen('  "scripts": null,\n'), Copy(10, LAST))),
        # Another text, number or word, from the inside of a string.
        ([(2, 2)], (Copy(1, 1), Sub(2, 2, "left-pad", "right-\\u0070ad"), Copy(3, LAST))),
        ([(22, 22)], (Copy(1, 21), Sub(22, 22, "false", "[1, {}]"), Copy(23, LAST))),
        # A whole object closed and another one begun.
        ([(9, 10)], (Copy(1, 8), Gen('  }, "more": {"a": [\n  ]},\n'), Copy(10, LAST))),
        # Two ranges.
        (
            [(2, 2), (20, 20)],
            (Copy(1, 1), Gen('  "name": "x",\n'), Copy(3, 19), Gen('  "files": ["a"],\n'), Copy(21, LAST)),
        ),
        # Nothing at all.
        ([(1, LAST)], (Copy(1, LAST),)),
        # All of it anew.
        ([(1, LAST)], (Gen('[1,\n{"b": []}]\n'),)),
    ],
)
def test_edits_that_break_nothing_are_on_offer(scope, ops) -> None:
    program = Program(ops)
    json.loads(program.resolve(PACKAGE))
    assert said(PACKAGE, scope, program) == program


@pytest.mark.parametrize(
    ("scope", "ops"),
    [
        ([(7, 8)], (Copy(1, 7), Copy(9, LAST))),  # leaves a comma behind
        ([(9, 9)], (Copy(1, 8), Copy(10, LAST))),
        ([(8, 8)], (Copy(1, 7), Gen('    "lint": "eslint ."\n'), Copy(8, LAST))),
        ([(8, 8)], (Copy(1, 7), Gen("    lint: 1,\n"), Copy(8, LAST))),
        ([(2, 2)], (Copy(1, 1), Sub(2, 2, "left-pad", 'x"y'), Copy(3, LAST))),
        ([(23, 23)], (Copy(1, 22),)),
    ],
)
def test_edits_that_break_it_are_not(scope, ops) -> None:
    program = Program(ops)
    with pytest.raises(ValueError):
        json.loads(program.resolve(PACKAGE))
    found = said(PACKAGE, scope, program)
    assert found is not None
    assert found != program
    json.loads(found.resolve(PACKAGE))


def test_comments_and_trailing_commas_stay_where_they_are_allowed() -> None:
    last = len(split_lines(TSCONFIG))
    ops = (Copy(1, 6), Gen('    // "strict": false,\n    "lib": [],\n'), Copy(7, last))
    assert said(TSCONFIG, [(7, 7)], Program(ops), "json") == Program(ops)
    # In the middle of a comment of several lines the rest of it is what text must lead to.
    ops = (Copy(1, 4), Gen('*/ "a": 1, /*\n'), Copy(5, last))
    assert said(TSCONFIG, [(5, 4)], Program(ops), "jsonc") == Program(ops)
    assert said(PACKAGE, [(2, 1)], Program((Copy(1, 1), Gen("// no\n"), Copy(2, LAST)))) != Program(
        (Copy(1, 1), Gen("// no\n"), Copy(2, LAST))
    )


BROKEN = {
    "a comma too many": (PACKAGE.replace('perf.js"', 'perf.js",'), 9),
    "a comma missing": (PACKAGE.replace('test",', 'test"'), 8),
    "a bracket missing": (PACKAGE.replace('"pad"]', '"pad"'), 11),
    "too early an end": (PACKAGE.rstrip("}\n") + "\n", LAST),
    "two documents": (PACKAGE + "{}\n", LAST + 1),
    "no document": ("\n\n", 3),
}


def error_line(text: str) -> int:
    effects = effects_for("json", [])
    assert effects is not None
    return first_error(effects, split_lines(text))


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_never_made_worse(name: str) -> None:
    text, error = BROKEN[name]
    lines = split_lines(text)
    assert error_line(text) == error
    random = Random(name)
    codec = byte_codec()
    for number in range(40):
        start = random.randint(1, len(lines))
        scope = [(start, min(len(lines), start + random.randint(-1, 4)))]
        desk = Desk.of(codec, text, scope, language="json")
        model = mock(codec, ("uniform", "structure")[number % 2], number % 4)
        outcome, _, _ = desk.decode(model, sampler=Sampler(1.0, 1.0, number), max_tokens=120)
        assert outcome.program is not None
        after = outcome.program.resolve(text)
        behind = len(split_lines(after)) - len(lines)
        if outcome.truncated:
            continue
        found = error_line(after)
        whole = found > len(split_lines(after)) + 1
        if scope[0][1] < error:
            # What stands before the error is edited: it is the same error, or there is none.
            assert whole or found - behind == error, after
        elif scope[0][0] <= error:
            # The error is in the scope. It is gone, or in a line that was there, not before the one it was in; behind it in that
            # line anything may stand.
            kept = {line[:12] for line in lines[error - 1 :]}
            assert found > len(split_lines(after)) or split_lines(after)[found - 1][:12] in kept, after


def test_what_is_broken_can_be_mended() -> None:
    text, _ = BROKEN["a comma missing"]
    program = Program((Copy(1, 6), Sub(7, 7, '"\n', '",\n'), Copy(8, LAST)))
    json.loads(program.resolve(text))
    assert said(text, [(6, 9)], program) == program
    # And elsewhere the document can be edited as if it were whole.
    program = Program((Copy(1, 1), Gen('  "name": "x",\n'), Copy(3, LAST)))
    assert said(text, [(2, 2)], program) == program
    program = Program((Copy(1, 17), Gen('    "tape": "^1",\n'), Copy(18, LAST)))
    assert said(text, [(18, 18)], program) == program


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    text = "\ufeff" + PACKAGE
    program = Program((Copy(1, 1), Gen('  "name": "x",\n'), Copy(3, LAST)))
    assert said(text, [(1, 3)], program) == program
