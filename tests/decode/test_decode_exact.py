"""Finite choices follow their exact law: spans, lines, new text chosen from a list.

The decoder scores a whole trie in one tree-mask forward; here every candidate gets a forward of its own.
"""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest

from copydesk.decode.sampling import Sampler, tempered
from copydesk.grammar.trie import Trie, finite_choices
from copydesk.program import Copy, Gen, Program, Sub, sub_span
from copydesk.prompting.codec import Ids
from copydesk.text.document import split_lines
from decoding import Desk, byte_codec
from finite import Recorder, ask, brute_law, brute_local_law, frequencies, total_variation
from mock_model import CallbackModel, MockModel
from random_pages import random_scope, random_text
from tiny_models import build, hand_written, qwen2

DRAWS = 2000
NOISE = 0.05
"""Total variation that 2000 draws from a dozen choices stay below (expected 0.03)."""


@cache
def model_of(name: str, vocab_size: int) -> Any:
    if name == "mock":
        return MockModel(vocab_size, seed=3, context=0)
    return hand_written(build(qwen2(vocab_size), seed=1))


def expected_laws(model: Any, desk: Desk, program: Program) -> list[np.ndarray[Any, Any]]:
    """The law of every finite choice that led to `program`, by brute force, in the order they were made."""
    codec, rules, task = desk.codec, desk.rules, desk.task
    lit = codec.literals
    opening = {"copy": lit.copy_open, "gen": lit.gen_open, "sub": lit.sub_open, "end": lit.end}
    context = [*desk.tokens.ids, *task.request]
    laws = []

    def choice(candidates: list[Ids], *, local: bool = False) -> None:
        if len(candidates) > 1:
            laws.append((brute_local_law if local else brute_law)(model, context, candidates))

    state = rules.start()
    for op in (*program.ops, None):
        choice([opening[name] for name in rules.options(state)], local=True)
        match op:
            case Copy(start, end):
                context += lit.copy_open
                spans = [
                    (i, j) for i in rules.copy_starts(state) for js in rules.copy_ends(state, i) for j in js
                ]
                choice([codec.copy_start(i) + codec.copy_end(j) for i, j in spans])
                context += [
                    *codec.copy_start(start),
                    *codec.copy_end(end),
                    *codec.span(task.lines, start, end),
                ]
                state = rules.after_copy(state, start, end)
            case Gen(text):
                context += lit.gen_open
                if task.choices:
                    choice(
                        list(finite_choices(codec, task.choices, lit.gen_close, ends_line=True)[1].sequences)
                    )
                context += [*codec.body(text), *lit.gen_close]
                state = rules.after_gen(state, not text.endswith("\n"))
            case Sub(start, end, old, new):
                context += lit.sub_open
                choice([codec.sub_start(line) for line in rules.sub_starts(state)])
                context += [*codec.sub_start(start), *codec.vocabulary.encode(old), *lit.sub_to]
                found = sub_span(task.views, start, old)
                assert found is not None
                if task.choices:
                    whole = found.ends_line
                    choice(
                        list(finite_choices(codec, task.choices, lit.sub_close, ends_line=whole)[1].sequences)
                    )
                context += [*codec.fragment(new), *lit.sub_close]
                kept = task.views[end - 1][found.end_offset :]
                state = rules.after_sub(state, end, not (kept or new).endswith("\n"))
    return laws


@pytest.mark.parametrize("kind", ["lines", "tags"])
@pytest.mark.parametrize("name", ["mock", "qwen2"])
def test_laws_equal_brute_force(name: str, kind: str) -> None:
    codec = byte_codec(kind)
    model = model_of(name, codec.vocabulary.size)
    random = Random(f"{name} {kind}")
    checked, seed = 0, 0
    while checked < 60:
        seed += 1
        text = random_text(random, 5)
        scope = random_scope(random, 1, len(split_lines(text)))
        choices = ("x", "xy", "foo", "é\n", "</gen>")
        desk = Desk.of(codec, text, scope, choices=choices)
        sampler = Recorder(seed=seed)
        outcome, _, _ = desk.decode(model, sampler=sampler, max_tokens=40)
        if outcome.truncated or not sampler.laws:
            continue
        assert outcome.exact
        assert outcome.program is not None
        expected = expected_laws(model, desk, outcome.program)
        assert len(expected) == len(sampler.laws)
        for brute, law in zip(expected, sampler.laws, strict=True):
            np.testing.assert_allclose(np.exp(law), brute, atol=1e-5)
            checked += 1


# -- a model on which local masking samples another law --------------------------------------------------------------------


def numbers_model() -> CallbackModel:
    """Wants to copy; of first lines it begins many with "1" but then mostly leaves for what is no number at all."""
    codec = byte_codec("tags")

    @cache
    def law(behind: tuple[int, ...]) -> Any:
        said = codec.vocabulary.decode(behind)
        p = np.full(codec.vocabulary.size, 1e-6)
        if said.endswith(' lines="'):
            p[[ord("1"), ord("2"), ord("3")]] = 0.6, 0.2, 0.1
        elif said.endswith(' lines="1'):
            p[[ord("-"), ord("0"), ord("2"), ord("x")]] = 0.02, 0.03, 0.05, 0.9
        elif said.endswith("-1"):
            p[[ord('"'), ord("0"), ord("2"), ord("1")]] = 0.1, 0.2, 0.3, 0.1
        elif said[-2:-1] == '"' and said[-1:].isdigit():
            p[ord("-")] = 0.9
        elif said.endswith("-"):
            p[[ord("1"), ord("5")]] = 0.5, 0.1
        else:
            p[ord("<")], p[ord("c")], p[ord('"')] = 0.3, 0.3, 0.3
        return np.log(p)

    return CallbackModel(codec.vocabulary.size, lambda context: law(tuple(context[-14:])))


def spans_of(desk: Desk) -> list[tuple[int, int]]:
    rules = desk.rules
    state = rules.start()
    return [(i, j) for i in rules.copy_starts(state) for ends in rules.copy_ends(state, i) for j in ends]


def numbers_desk() -> Desk:
    return Desk.of(byte_codec("tags", "program"), "a\n" * 12, [(1, 2), (12, 12)])


def spelled(desk: Desk) -> list[Ids]:
    return [desk.codec.copy_start(i) + desk.codec.copy_end(j) for i, j in spans_of(desk)]


def prompt_of(desk: Desk) -> list[int]:
    return [*desk.task.request, *desk.codec.literals.copy_open]


@pytest.mark.slow
def test_sampled_spans_follow_the_exact_law_and_digits_do_not() -> None:
    desk, model = numbers_desk(), numbers_model()
    row = desk.warm(model)
    spans, choices, prompt = spans_of(desk), spelled(desk), prompt_of(desk)
    exact = brute_law(model, [*desk.tokens.ids, *prompt], choices)
    local = brute_local_law(model, [*desk.tokens.ids, *prompt], choices)
    assert total_variation(exact, local) > 0.4

    def draws(**how: Any) -> Any:
        drawn = (ask(model, row, prompt, choices, Sampler(1.0, 1.0, seed), **how) for seed in range(DRAWS))
        return frequencies(drawn, len(spans))

    assert total_variation(draws(), exact) < NOISE
    digit_by_digit = draws(max_nodes=1)
    assert total_variation(digit_by_digit, local) < NOISE
    assert total_variation(digit_by_digit, exact) > 0.4
    assert total_variation(draws(local=True), local) < NOISE


@pytest.mark.slow
def test_spans_of_whole_programs_follow_the_exact_law() -> None:
    desk, model = numbers_desk(), numbers_model()
    row = desk.warm(model)
    spans = spans_of(desk)
    exact = brute_law(model, [*desk.tokens.ids, *prompt_of(desk)], spelled(desk))
    drawn = []
    for seed in range(DRAWS):
        outcome, _, _ = desk.decode(model, row, sampler=Sampler(1.0, 1.0, seed), max_tokens=1)
        assert outcome.program is not None
        first = outcome.program.ops[0] if outcome.program.ops else None
        if isinstance(first, Copy):
            drawn.append(spans.index((first.start, first.end)))
    assert len(drawn) > DRAWS // 4
    assert total_variation(frequencies(drawn, len(spans)), exact) < 2 * NOISE


@pytest.mark.parametrize(
    ("temperature", "top_p"),
    [
        pytest.param(0.5, 1.0, marks=pytest.mark.slow),
        pytest.param(2.0, 1.0, marks=pytest.mark.slow),
        (1.0, 0.6),
        (1.5, 0.8),
    ],
)
def test_temperature_and_top_p_act_on_whole_spans(temperature: float, top_p: float) -> None:
    desk, model = numbers_desk(), numbers_model()
    row = desk.warm(model)
    choices, prompt = spelled(desk), prompt_of(desk)
    law = tempered(np.log(brute_law(model, [*desk.tokens.ids, *prompt], choices)), temperature, top_p)
    drawn = [ask(model, row, prompt, choices, Sampler(temperature, top_p, seed)) for seed in range(DRAWS)]
    assert total_variation(frequencies(drawn, len(choices)), law) < NOISE
    assert not set(drawn) - set(np.flatnonzero(law))


def test_greedy_takes_the_likeliest_span() -> None:
    desk, model = numbers_desk(), numbers_model()
    choices, prompt = spelled(desk), prompt_of(desk)
    exact = brute_law(model, [*desk.tokens.ids, *prompt], choices)
    local = brute_local_law(model, [*desk.tokens.ids, *prompt], choices)
    assert ask(model, desk.warm(model), prompt, choices, Sampler()) == exact.argmax() != local.argmax()


def test_results_say_when_a_span_was_not_chosen_exactly() -> None:
    codec = byte_codec("tags", "program", False)
    model = MockModel(codec.vocabulary.size)
    model.tilt([ord("c")], 50.0)  # of <copy and <gen it takes <copy
    for last, exact in ((3, True), (40, False)):
        desk = Desk.of(codec, "a\n" * 64, [(2, last)])
        outcome, _, _ = desk.decode(model, sampler=Sampler(), max_tokens=2)
        nodes = Trie(spelled(desk)).nodes
        assert (nodes <= 128) == exact
        assert outcome.exact == exact
