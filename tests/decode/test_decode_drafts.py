"""Drafts save forwards and change nothing: not the greedy text, not the sampled law."""

from __future__ import annotations

from collections import Counter
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest

from copydesk.decode.drafts import Draft, NgramIndex, RunDraft
from copydesk.decode.sampling import Sampler
from copydesk.program import Gen
from copydesk.text.document import split_lines
from decoding import Desk, byte_codec
from mock_model import CallbackModel
from random_pages import random_model, random_scope, random_text
from tiny_models import build, hand_written, qwen2

NOTHING = NgramIndex([])


def ids(text: str) -> list[int]:
    return list(text.encode())


def proposal(draft: Draft) -> str:
    return bytes(draft.propose()).decode()


# -- what is proposed ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "proposed"),
    [
        ("", "return "),
        ("ret", "urn val"),
        # One token substituted, two inserted, three left out: taken up again behind the next token that fits.
        ("reX", "urn val"),
        ("retXYr", "n value"),
        ("retn", " value"),
        ("return valued", ""),
    ],
)
def test_realigns_with_its_source(written: str, proposed: str) -> None:
    draft = Draft(ids("return value"), NOTHING)
    draft.observe(ids(written))
    assert proposal(draft) == proposed


def test_says_what_repeats_the_source() -> None:
    draft = Draft(ids("abcdef"), NOTHING)
    assert draft.observe(ids("ab")) == [0, 1]
    assert draft.observe(ids("X")) == [-1]
    assert draft.observe(ids("de")) == [3, 4]
    assert draft.observe(ids("f!")) == [5, -1]


def test_falls_back_to_the_last_occurrence_of_a_pair() -> None:
    page = NgramIndex(ids("foo(a, b)\nfoo(c, d)\n"))
    draft = Draft(ids(""), page)
    assert draft.propose() == []
    draft.observe(ids("fo"))
    assert proposal(draft) == "o(c, d)"
    draft.observe(ids("o(a"))
    assert proposal(draft) == ", b)\nfo"
    draft.observe(ids("?!"))
    assert draft.propose() == []


def test_width_follows_success() -> None:
    draft = Draft(ids("a" * 100), NOTHING)
    widths = []
    for accepted in (7, 14, 15, 3, 0, 0, 0, 0, 2):
        widths.append(len(draft.propose()))
        draft.judged(len(draft.propose()), accepted)
    assert widths == [7, 14, 15, 15, 15, 7, 3, 2, 2]
    assert Draft(ids("abc"), NOTHING, 0).propose() == []


# -- what it changes -------------------------------------------------------------------------------------------------------


@cache
def noisy_copier(kind: str) -> CallbackModel:
    """Mostly repeats what stood behind the same pair of tokens before, so that drafts are often right and often wrong."""
    codec = byte_codec(kind)
    noise = random_model(codec)
    opening = codec.literals.gen_open[:2][-1]  # what sets a gen apart from other ops

    def logits(context: list[int]) -> Any:
        chance = hash(tuple(context[-5:]))
        out = noise._first[chance % 1024].copy()
        out[opening] += 8.0 * (kind == "lines" or context[-1] == ord("<"))
        out[context[2:60]] += 5.0
        if chance % 8 == 0:
            return out
        pair = context[-2:]
        for at in range(len(context) - 3, 0, -1):
            if context[at - 1 : at + 1] == pair:
                out[context[at + 1]] += 12.0
                break
        return out

    return CallbackModel(codec.vocabulary.size, logits)


def test_a_run_goes_on_as_it_does_where_it_first_stands() -> None:
    draft = RunDraft(ids("abcdefabxy"))
    assert draft.propose() == []  # it may begin anywhere
    draft.observe(ids("a"))
    assert draft.propose() == ids("bcde")
    draft.observe(ids("bx"))
    assert draft.propose() == ids("y")
    draft.observe(ids("q"))
    assert draft.propose() == []


@pytest.mark.parametrize("kind", ["lines", "tags"])
@pytest.mark.parametrize("name", ["copier", "random", "qwen2"])
def test_greedy_programs_do_not_depend_on_drafts(name: str, kind: str) -> None:
    codec = byte_codec(kind)
    model: Any
    match name:
        case "copier":
            model = noisy_copier(kind)
        case "random":
            model = random_model(codec)
        case _:
            model = hand_written(build(qwen2(codec.vocabulary.size), seed=4))
    random = Random(f"{name} {kind}")
    drafted = saved = 0
    for _ in range(20 if name == "qwen2" else 60):
        text = random_text(random)
        scope = random_scope(random, 1, len(split_lines(text)))
        drafting, plain = (Desk.of(codec, text, scope, drafts=drafts) for drafts in (True, False))
        budget = random.choice((3, 12, 40))
        ours, counts, events = drafting.decode(model, max_tokens=budget)
        theirs, without, others = plain.decode(model, max_tokens=budget)
        assert ours.program == theirs.program
        assert ours.truncated == theirs.truncated
        assert events == others
        assert without.drafted == 0
        assert counts.generated + counts.drafted == without.generated
        assert counts.forwards <= without.forwards
        drafted += counts.drafted
        saved += without.forwards - counts.forwards
    if name == "copier":
        assert drafted > 30
        assert saved > 15


@pytest.mark.slow
def test_sampled_drafts_follow_the_law_without() -> None:
    """Gen bodies over a small alphabet, the draft being right about half of the time."""
    codec = byte_codec("lines")
    newline, a, b = ids("\nab")
    close, gen = codec.literals.gen_close[0], codec.literals.gen_open[0]

    @cache
    def law_behind(token: int) -> Any:
        p = np.full(codec.vocabulary.size, 1e-9)
        if token == newline:
            p[[close, a, b]] = 0.5, 0.3, 0.2
        elif token in (a, gen):
            p[[a, b, newline]] = 0.35, 0.45, 0.2
        elif token == b:
            p[[a, b, newline]] = 0.2, 0.3, 0.5
        else:
            p[gen] = 1.0
        return np.log(p)

    model = CallbackModel(codec.vocabulary.size, lambda context: law_behind(context[-1]))
    laws: list[Counter[str]] = []
    drafted = 0
    draws = 1500
    for drafts in (True, False):
        desk = Desk.of(codec, "abab\nab\n", [(1, 2)], drafts=drafts)
        row = desk.warm(model)
        law: Counter[str] = Counter()
        for seed in range(draws):
            sampler = Sampler(1.0, 1.0, seed + draws * drafts)
            outcome, counts, _ = desk.decode(model, row, sampler=sampler, max_tokens=7)
            assert outcome.program is not None
            text = next(op.text for op in outcome.program.ops if isinstance(op, Gen))
            law[text[:4]] += 1
            drafted += counts.drafted
        laws.append(law)
    assert drafted > draws
    # Chi-square of two samples; texts too rare to count are one class.
    common = [text for text, count in (laws[0] + laws[1]).items() if count > 20]
    ours, theirs = (
        np.array([*(law[t] for t in common), draws - sum(law[t] for t in common)]) for law in laws
    )
    classes = len(common) + 1
    assert classes > 15
    assert ((ours - theirs) ** 2 / (ours + theirs)).sum() < classes + 4 * np.sqrt(2 * classes)
