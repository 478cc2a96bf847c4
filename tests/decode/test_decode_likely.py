"""Candidates of an instruction: weighed by their descriptions with the exact law, and taken where one is likely enough."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.decode import finite_choice
from copydesk.decode.choice_settings import PRIOR_WEIGHT, STANDARD_SETTINGS, ChoiceSettings
from copydesk.decode.coroutine import Lane, Outcome, Steps
from copydesk.decode.counts import Counts
from copydesk.decode.finite_choice import (
    WORTH_ASKING,
    ChoiceDecoder,
    ChoiceTask,
    Offer,
)
from copydesk.decode.program_decoder import ProgramDecoder
from copydesk.decode.sampling import Sampler
from copydesk.decode.schedule import Job, run
from copydesk.decode.token_emitter import TokenEmitter
from copydesk.decode.weighed_program import combined
from copydesk.oracle import oracle_program
from copydesk.oracle.token_cost import CodecCost
from copydesk.program import Copy, Gen, Program, Sub
from copydesk.prompting.codec import Codec
from copydesk.text.document import split_lines
from decoding import Desk, byte_codec
from finite import Recorder, next_log_probabilities
from mock_model import MockModel
from random_pages import random_text

CODEC = byte_codec("lines", "program")


def proposing(random: Random, codec: Codec = CODEC) -> tuple[Desk, list[Program]]:
    """A page all of which may change, and programs that change one of its lines, with one that changes none."""
    views: list[str] = []
    while not views:
        text = random_text(random, 5)
        views = split_lines(text)
    desk = Desk.of(codec, text, [(1, len(views))], instruction="do something")
    found = [Program((Copy(1, len(views)),))]
    for word in ("(", "x", ", y", "é"):
        changed = list(desk.task.views)
        at = random.randrange(len(changed))
        changed[at] = word + changed[at]
        found.append(oracle_program("".join(desk.task.views), "".join(changed), cost=CodecCost(codec)))
    return desk, list(dict.fromkeys(found))


def decode(
    desk: Desk,
    model: Any,
    programs: list[Program] | None,
    sampler: Sampler,
    priors: Sequence[float] = (),
    *,
    another: float | None = None,
    take_likeliest: bool = False,
    settings: ChoiceSettings = STANDARD_SETTINGS,
) -> tuple[Outcome, Counts]:
    """With candidates, or freely without. priors: of the first candidates; of all others 0; another: that none is right."""
    task, counts = desk.task, Counts()
    lane = Lane(desk.warm(model), 1, len(desk.tokens.ids))
    emitter = TokenEmitter(lane, sampler, counts, 60)
    free = ProgramDecoder(task, emitter)
    steps: Steps = free.run()
    if programs is not None:
        offers: dict[Program | None, Offer] = {
            program: Offer(title(k), k, prior)
            for k, (program, prior) in enumerate(zip_longest(programs, priors, fillvalue=0.0))
        }
        if another is not None:
            offers[None] = Offer("another", 0, another)
        listed = ChoiceTask(
            task.codec, task.views, task.lines, task.request, programs, desk.rules.open_end,
            offers=offers, take_likeliest=take_likeliest, settings=settings,
        )  # fmt: skip
        steps = ChoiceDecoder(listed, emitter, free).run()
    job = Job(lane, steps)
    for _ in run(model, [job], lambda: None):
        pass
    assert job.outcome is not None
    return job.outcome, counts


def title(k: int) -> str:
    return "QWERTYUIOP"[k] + f" {k}"


def accepted(model: MockModel, desk: Desk, k: int) -> float:
    """How likely the model accepts the description of the k-th program, one token after the other."""
    row = [*asked(desk), *CODEC.described(title(k), k)]
    return float(np.exp(next_log_probabilities(model, row)[-1, CODEC.verdict]))


def asked(desk: Desk) -> list[int]:
    """What comes before a description: the page and the request, without the program's opening."""
    return [*desk.tokens.ids, *desk.task.request[: -len(CODEC.literals.program_open)]]


def test_the_law_is_that_of_brute_force_and_what_is_unlikely_is_not_taken() -> None:
    random = Random(2)
    for seed in range(30):
        model = MockModel(CODEC.vocabulary.size, seed=seed, context=0)
        desk, programs = proposing(random)
        law = np.array([accepted(model, desk, k) for k in range(len(programs))])
        priors = [random.gauss(0, 2) for _ in programs]
        settings = ChoiceSettings(1.3, 0.3, seed % 2 == 0, 0.7, sure_of_nothing=0.0)
        # The first changes nothing; of the others the ranking's scores count, relative ones as shares of their sum.
        shift = sum(math.exp(prior) for prior in priors[1:]) if settings.relative else 1.0
        weights = [0.7 + PRIOR_WEIGHT * priors[0], *(0.3 * (prior - math.log(shift)) for prior in priors[1:])]
        law = law ** (1 / 1.3) * np.exp(weights)
        law /= law.sum()
        sampler = Recorder(temperature=0.0)
        sure = replace(settings, confidence=law.max() * 0.999)
        outcome, counts = decode(desk, model, programs, sampler, priors, settings=sure)
        np.testing.assert_allclose(np.exp(sampler.laws[0]), law, atol=1e-5)
        assert (outcome.program, outcome.unsure) == (programs[int(law.argmax())], False)
        assert math.isclose(outcome.log_likelihood, math.log(law.max()), abs_tol=1e-4)
        assert (counts.forwards, counts.generated, counts.choices) == (1, 0, 1)
        unsure = replace(settings, confidence=law.max() * 1.001)
        outcome, counts = decode(desk, model, programs, Sampler(), priors, settings=unsure)
        assert outcome.program is None
        likeliest = [k for k in np.argsort(-law)[:3] if law[k] >= WORTH_ASKING]
        assert [one.program for one in outcome.alternatives] == [programs[k] for k in likeliest]
        assert [one.title for one in outcome.alternatives] == [title(k) for k in likeliest]
        np.testing.assert_allclose(
            [one.probability for one in outcome.alternatives], law[likeliest], atol=1e-5
        )
        named = [f"{place}. {title(k)} ({law[k]:.0%})" for place, k in enumerate(likeliest, 1)]
        asked = "this" if len(named) == 1 else "one of these"
        assert outcome.refusal == f"did you mean {asked}? {' '.join(named)}"
        assert (outcome.unsure, outcome.confidence) == (True, None)
        assert (counts.forwards, counts.generated) == (1, 0)
        alternatives = outcome.alternatives
        outcome, _ = decode(
            desk, model, programs, Sampler(temperature=0.0), priors, take_likeliest=True, settings=unsure
        )
        assert (outcome.program, outcome.unsure) == (programs[int(law.argmax())], True)
        assert outcome.alternatives == alternatives
        assert outcome.program == alternatives[0].program
        assert outcome.confidence == pytest.approx(alternatives[0].probability)


@pytest.mark.parametrize(
    ("edit", "nothing", "said"),
    [
        (
            -4.0,
            0.0,
            "perhaps nothing is to be done (35%); if something is, say it in other words, or name the code",
        ),
        (
            -4.0,
            -2.0,
            "no edit that copydesk can think of seems to be meant; say it in other words, or name the code",
        ),
    ],
)
def test_nobody_is_asked_about_changing_nothing_alone(edit: float, nothing: float, said: str) -> None:
    """Equally accepted by the model, what counts are the priors: an edit below 2%, nothing, and that another one is meant."""
    desk = Desk.of(CODEC, "line 1\nline 2\n", [(1, 2)], instruction="do something")
    programs = [Program((Sub(1, 1, "line", "row"), Copy(2, 2))), Program((Copy(1, 2),))]
    priors = [logit / PRIOR_WEIGHT for logit in (edit, nothing)]
    model = MockModel(CODEC.vocabulary.size, seed=0, context=0, scale=0.0)
    outcome, _ = decode(desk, model, programs, Sampler(), priors, another=0.6 / PRIOR_WEIGHT)
    assert (outcome.program, outcome.unsure, outcome.alternatives) == (None, True, ())
    assert outcome.refusal == said


def test_programs_that_make_the_same_text_are_one_alternative() -> None:
    """The spellings of one edit share its probability, which would otherwise leave it behind an edit that has one."""
    text = "".join(f"line {number}\n" for number in range(1, 4))
    desk = Desk.of(CODEC, text, [(1, 3)], instruction="do something")
    spelt = [
        Program((Copy(1, 1), Sub(2, 2, "line 2", "row"), Copy(3, 3))),
        Program((Copy(1, 1), Gen("row\n"), Copy(3, 3))),
        Program((Copy(1, 3),)),
        Program((Sub(1, 1, "line", "row"), Copy(2, 3))),
    ]
    model = MockModel(CODEC.vocabulary.size, seed=4, context=0)
    law = np.array([accepted(model, desk, k) for k in range(len(spelt))])
    law /= law.sum()
    outcome, _ = decode(desk, model, spelt, Sampler(), settings=ChoiceSettings(confidence=1.0))
    found = {one.program: one.probability for one in outcome.alternatives}
    likelier = spelt[int(law[1] > law[0])]
    assert found[likelier] == pytest.approx(law[0] + law[1], abs=1e-5)
    assert len(found) == 3
    assert sum(found.values()) == pytest.approx(1.0)


@given(st.lists(st.tuples(st.integers(0, 5), st.floats(-60, 0)), min_size=1, max_size=12))
def test_alternatives_are_likely_in_their_order_and_no_more_than_certain(
    drawn: list[tuple[int, float]],
) -> None:
    """Programs that replace the one line by one of six texts, by whatever title, with any law."""
    programs = [
        (Program((Gen(f"a = {text}\n"),)), f"title {k}", str(text)) for k, (text, _) in enumerate(drawn)
    ]
    logits = np.array([logit for _, logit in drawn])
    law = logits - np.logaddexp.reduce(logits)
    found, summed = combined(programs, law)
    assert len({one.program.resolve("a = 1\n") for one in found}) == len(found) == len({t for t, _ in drawn})
    assert math.fsum(one.probability for one in found) == pytest.approx(1.0)
    assert [one.probability for one in found] == pytest.approx(list(np.exp(summed)))
    for one in found:
        mine = [k for k, (program, *_) in enumerate(programs) if program == one.program]
        assert one.title == f"title {max(mine, key=lambda k: law[k])}"
        assert one.probability == pytest.approx(sum(math.exp(law[k]) for k in mine))


def test_that_nothing_changes_has_to_be_likelier() -> None:
    """The first program of `proposing` changes nothing."""
    desk, programs = proposing(Random(5))
    model = MockModel(CODEC.vocabulary.size, seed=1, context=0)
    for first, sure, taken in (
        (100.0, 1 - 1e-6, programs[0]),
        (3.0, 1 - 1e-6, None),
        (4.0, 0.5, programs[0]),
    ):
        settings = ChoiceSettings(confidence=0.5, sure_of_nothing=sure)
        priors = [first / PRIOR_WEIGHT]
        outcome, _ = decode(desk, model, programs, Sampler(temperature=0.0), priors, settings=settings)
        assert outcome.program == taken


def test_where_another_edit_is_likeliest_none_is_taken() -> None:
    anything = ChoiceSettings(confidence=1e-9)
    desk, programs = proposing(Random(5))
    model = MockModel(CODEC.vocabulary.size, seed=1, context=0)
    for settings, prior in ((anything, 40 / PRIOR_WEIGHT), (replace(anything, another=40.0), 0.0)):
        outcome, _ = decode(desk, model, programs, Sampler(), another=prior, settings=settings)
        assert (outcome.program, outcome.unsure) == (None, True)
        assert outcome.refusal is not None
        assert "another" not in outcome.refusal
        plain, _ = decode(desk, model, programs, Sampler(temperature=0.0), settings=anything)
        taken, _ = decode(
            desk,
            model,
            programs,
            Sampler(temperature=0.0),
            another=prior,
            take_likeliest=True,
            settings=settings,
        )
        assert (taken.program, taken.unsure) == (plain.program, True)


def test_relative_scores_of_the_ranking_say_nothing_against_changing_nothing() -> None:
    """All of the edits' scores raised alike: the law is the same."""
    settings = ChoiceSettings(relative=True, ranking=0.4)
    nothing = np.array([False, False, False, True, False])
    another = np.array([False, False, False, False, True])
    judged, priors = np.log([0.2, 0.4, 0.1, 0.2, 0.1]), np.array([1.0, 2.0, -1.0, -5.0, -10.0])
    law = settings.posterior(judged, priors, nothing, another)
    raised = settings.posterior(judged, priors + 7 * ~(nothing | another), nothing, another)
    np.testing.assert_allclose(raised, law)
    assert np.exp(law).sum() == pytest.approx(1.0)
    plain = ChoiceSettings().posterior(judged, priors, nothing, another)
    np.testing.assert_allclose(
        plain, judged + PRIOR_WEIGHT * priors - np.logaddexp.reduce(judged + PRIOR_WEIGHT * priors)
    )


def test_the_last_candidates_are_left_out_where_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    desk, programs = proposing(Random(3))
    model, kept = MockModel(CODEC.vocabulary.size, seed=1, context=0), programs[:3]
    spelled = [CODEC.described(title(k), k) for k in range(len(kept))]
    nodes = {ids[:k] for ids in spelled for k in range(1, len(ids))}
    monkeypatch.setattr(finite_choice, "MOST_NODES", len(nodes))
    sampler = Recorder(temperature=0.0)
    outcome, _ = decode(desk, model, programs, sampler, settings=ChoiceSettings(confidence=1e-9))
    assert len(sampler.laws[0]) == len(kept)
    assert outcome.program in kept
    monkeypatch.setattr(finite_choice, "MOST_NODES", 1)
    assert decode(desk, model, programs, Sampler())[0] == decode(desk, model, None, Sampler())[0]
