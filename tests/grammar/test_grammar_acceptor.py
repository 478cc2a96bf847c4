"""Whole programs, token by token: accepted streams are legal programs, legal programs are accepted streams."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

import vocabularies
from copydesk.errors import GrammarError, ProgramError
from copydesk.grammar.rules import violation
from copydesk.program import Copy, Gen, Op, Program, Sub
from copydesk.prompting.codec import Codec, Ids
from copydesk_benchmarks.acceptor import Acceptor, State
from grammar_pages import bodies, random_acceptor, random_stream
from program_reader import read_program

NAMES = list(vocabularies.CODECS)


def feed(acceptor: Acceptor, lines: Sequence[Ids], ids: Sequence[int]) -> State:
    """State behind `ids`, spans included. Raises GrammarError where they are not accepted."""
    state, at = acceptor.start(), 0
    while at < len(ids):
        if state.pending_span:
            span = acceptor.codec.span(lines, *state.pending_span)
            if list(ids[at : at + len(span)]) != span:
                raise GrammarError("not the span")
            at += len(span)
        state = acceptor.advance(state, ids[at])
        at += 1
    return state


def stream_of(acceptor: Acceptor, program: Program, views: Sequence[str], lines: Sequence[Ids]) -> list[int]:
    pieces = acceptor.codec.encode_program(program, views, lines, open_end=acceptor.rules.open_end)
    return [token for piece in pieces for token in piece.ids]


def changed_outside(views: Sequence[str], program: Program, scope: Sequence[tuple[int, int]]) -> bool:
    """Whether the result, read as the kept text between the scope's ranges, misses any of it."""
    text, result, at, line = "".join(views), program.resolve("".join(views)), 0, 0
    kept = []
    for start, end in scope:
        kept.append("".join(views[line : start - 1]))
        line = end
    kept.append("".join(views[line:]))
    if not scope:
        return text != result
    if not result.startswith(kept[0]) or not result.endswith(kept[-1]):
        return True
    at = len(kept[0])
    for part in kept[1:-1]:
        at = result.find(part, at)
        if at < 0:
            return True
        at += len(part)
    return len(result) - len(kept[-1]) < at


@pytest.mark.parametrize("name", NAMES)
def test_random_walks_end_in_legal_programs(name: str) -> None:
    rng = random.Random(1)
    ops = 0
    for _ in range(250):
        acceptor, views, lines = random_acceptor(rng, name)
        ids = random_stream(rng, acceptor, lines, rng.choice([0, 10, 60, 200]))
        program = read_program(acceptor.codec, ids, views, lines, open_end=acceptor.rules.open_end)
        ops += len(program.ops)
        program.validate(views)
        assert violation(acceptor.rules, program, views) is None
        assert not changed_outside(views, program, acceptor.rules.scope)
        # Its canonical spelling is accepted as well, and means the same.
        canonical = stream_of(acceptor, program, views, lines)
        assert acceptor.done(feed(acceptor, lines, canonical))
        assert (
            read_program(acceptor.codec, canonical, views, lines, open_end=acceptor.rules.open_end) == program
        )
    assert ops > 250


def every_small_program(views: Sequence[str]) -> list[Program]:
    """Programs over a tiny page, legal or not: up to three ops."""
    M = len(views)
    single: list[Op] = [Copy(i, j) for i in range(1, M + 1) for j in range(i, M + 1)]
    single += [
        Gen("g\n"),
        Gen("g"),
        Sub(1, 1, "one", "1"),
        Sub(2, 2, "two\n", "2\n"),
        Sub(2, 2, "two\n", "2"),
    ]
    single += [Sub(1, 2, "e\nt", ""), Sub(1, 1, "n", "m\n")]
    programs = [Program(())]
    for a in single:
        programs.append(Program((a,)))
        for b in single:
            programs.append(Program((a, b)))
            programs += [Program((a, b, c)) for c in single]
    return programs


@pytest.mark.parametrize("name", ["qwen_like", "line_tokens", "bytes"])
def test_every_legal_program_is_accepted_and_no_other(name: str) -> None:
    codec = vocabularies.codec(name)
    views = ["one\n", "two\n"]
    lines = [codec.line(view) for view in views]
    programs = every_small_program(views)
    for scope in ([], [(1, 1)], [(2, 2)], [(1, 2)], [(1, 0)], [(2, 1), (3, 2)], [(3, 2)]):
        acceptor = Acceptor.for_page(codec, views, lines, scope, bodies(name))
        accepted = 0
        for program in programs:
            state = acceptor.start()
            # Numbers off the page, olds the tokens cannot spell and tokens that may not come all end the attempt.
            with contextlib.suppress(GrammarError, ProgramError):
                state = feed(acceptor, lines, stream_of(acceptor, program, views, lines))
            legal = violation(acceptor.rules, program, views) is None and valid(program, views)
            olds_fit = all(op.old in spelled(acceptor, op.start) for op in program.ops if isinstance(op, Sub))
            legal = legal and olds_fit
            assert acceptor.done(state) == legal, (scope, program)
            accepted += legal
        assert accepted


def valid(program: Program, views: Sequence[str]) -> bool:
    try:
        program.validate(views)
    except ProgramError:
        return False
    return True


def spelled(acceptor: Acceptor, line: int) -> set[str]:
    decode = acceptor.codec.vocabulary.decode
    return {decode(run) for run in acceptor.olds.legal_runs(line, acceptor.rules.sub_limit(line))}


@pytest.mark.parametrize("name", NAMES)
def test_forced_runs_are_the_only_way(name: str) -> None:
    rng = random.Random(2)
    seen = 0
    for _ in range(60):
        acceptor, _, _ = random_acceptor(rng, name)
        state = acceptor.start()
        for _ in range(60):
            if acceptor.done(state):
                break
            forced = acceptor.forced(state)
            seen += len(forced)
            behind = state
            for token in forced:
                assert acceptor.allowed(behind).tolist() == [token]
                behind = acceptor.advance(behind, token)
            assert (
                acceptor.done(behind)
                or behind.pending_span
                or len(acceptor.allowed(behind)) > 1
                or not forced
            )
            choices = acceptor.allowed(state)
            state = acceptor.advance(state, int(choices[rng.randrange(len(choices))]))
    assert seen


def test_a_copy_of_everything_is_forced_without_scope() -> None:
    for name in NAMES:
        codec = vocabularies.codec(name)
        views = ["a\n", "b"]
        acceptor = Acceptor.for_page(codec, views, [codec.line(v) for v in views], [], bodies(name))
        ids = acceptor.forced(acceptor.start())
        assert ids == codec.literals.copy_open + codec.copy_start(1) + codec.copy_end(2) + codec.literals.end
        assert acceptor.closing_path(acceptor.start()) == ids


@pytest.mark.parametrize("name", NAMES)
def test_masks_are_the_allowed_tokens(name: str) -> None:
    rng = random.Random(3)
    for _ in range(20):
        acceptor, _, _ = random_acceptor(rng, name)
        state = acceptor.start()
        for _ in range(30):
            bits = np.unpackbits(acceptor.mask(state).view(np.uint8), bitorder="little")
            assert np.flatnonzero(bits).tolist() == acceptor.allowed(state).tolist()
            if acceptor.done(state):
                break
            allowed = acceptor.allowed(state)
            state = acceptor.advance(state, int(allowed[rng.randrange(len(allowed))]))


@pytest.mark.parametrize("name", NAMES)
def test_tokens_that_may_not_come_are_refused_and_change_nothing(name: str) -> None:
    rng = random.Random(4)
    for _ in range(20):
        acceptor, _, _ = random_acceptor(rng, name)
        state = acceptor.start()
        for _ in range(20):
            if acceptor.done(state):
                break
            allowed = set(acceptor.allowed(state).tolist())
            for token in rng.sample(range(acceptor.codec.vocabulary.size), 30):
                if token not in allowed:
                    with pytest.raises(GrammarError):
                        acceptor.advance(state, token)
            assert set(acceptor.allowed(state).tolist()) == allowed
            state = acceptor.advance(state, rng.choice(sorted(allowed)))


def test_behind_the_end_nothing_may_come() -> None:
    acceptor = Acceptor.for_page(vocabularies.codec("line_bytes"), [], [], [(1, 0)], bodies("line_bytes"))
    state = acceptor.start()
    for token in acceptor.closing_path(state):
        state = acceptor.advance(state, token)
    assert acceptor.done(state)
    with pytest.raises(GrammarError):
        acceptor.advance(state, 0)


@pytest.mark.parametrize("kind", ["span", "tail", "program"])
def test_spans_follow_as_the_format_says(kind: str) -> None:
    format = replace(vocabularies.LINES, after_copy=kind)
    codec = Codec(format, vocabularies.line_bytes())
    views = ["a\n", "b\n", "c\n", "d\n"]
    lines = [codec.line(view) for view in views]
    acceptor = Acceptor.for_page(codec, views, lines, [(4, 4)], bodies("line_bytes"))
    program = Program((Copy(1, 3), Gen("x\n")))
    ids = stream_of(acceptor, program, views, lines)
    assert acceptor.done(feed(acceptor, lines, ids))
    assert read_program(acceptor.codec, ids, views, lines, open_end=acceptor.rules.open_end) == program
