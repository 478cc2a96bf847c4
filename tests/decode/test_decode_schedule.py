"""Many decoders share forwards: each says what it says alone, can be stopped before any forward, and leaves no trace."""

from __future__ import annotations

from collections.abc import Callable, Generator
from random import Random

import pytest
import torch

from copydesk.decode.coroutine import Ask, Decided, Lane, Outcome, Steps
from copydesk.decode.sampling import Sampler
from copydesk.decode.schedule import MOST_TOKENS, Job, run
from copydesk.errors import ContextLengthError, CopydeskError, OutOfMemoryError
from copydesk.models.feed import Feed
from copydesk.models.pace import LEAST, Pace
from copydesk.models.row import SHARED
from copydesk.text.document import split_lines
from decoding import Desk, byte_codec
from mock_model import MockModel
from random_pages import random_model, random_scope, random_text
from tiny_models import build, hand_written, qwen2

TEXT = "def f(x):\n    return x+1\n\nprint(f(2))\n"


def desk_of(random: Random, kind: str) -> tuple[str, Desk]:
    text = random_text(random)
    return text, Desk.of(byte_codec(kind), text, random_scope(random, 1, len(split_lines(text))))


def sampled(seed: int) -> Sampler:
    return Sampler(1.0, 1.0, seed)


@pytest.mark.parametrize("kind", ["lines", "tags"])
@pytest.mark.parametrize("seed", range(10))
def test_packed_and_batched_decoders_say_what_each_says_alone(kind: str, seed: int) -> None:
    random = Random(f"{kind} {seed}")
    model = random_model(byte_codec(kind))
    desks = [desk_of(random, kind)[1] for _ in range(3)]
    cases = [(desk, random.randrange(1000)) for desk in desks for _ in range(random.randint(1, 3))]
    alone = []
    for desk, chosen in cases:
        outcome, counts, decided = desk.decode(model, sampler=sampled(chosen), max_tokens=20)
        alone.append((outcome, counts, [event.program for event in decided]))
    rows = {id(desk): desk.warm(model) for desk in desks}
    jobs = []
    for owner, (desk, chosen) in enumerate(cases, 1):
        jobs.append(desk.job(rows[id(desk)], owner=owner, sampler=sampled(chosen), max_tokens=20))
    before = model.forwards
    said = list(run(model, [job for job, _ in jobs], lambda: None))
    assert model.forwards - before == max(counts.forwards for _, counts, _ in alone)
    for (job, emitter), (outcome, counts, events) in zip(jobs, alone, strict=True):
        assert job.outcome == outcome
        assert emitter.counts == counts
        assert [event.program for who, event in said if who is job and isinstance(event, Decided)] == events
    for desk in desks:
        row = rows[id(desk)]
        row.check_integrity()
        assert row.tokens_of(SHARED) == desk.tokens.ids
        assert set(row.owners) == {SHARED}


def test_packed_decoders_on_a_real_model() -> None:
    codec = byte_codec("tags")
    model = hand_written(build(qwen2(codec.vocabulary.size)))
    desk = Desk.of(codec, TEXT, [(2, 2)])
    row = desk.warm(model)
    alone = [desk.decode(model, row, sampler=sampled(seed), max_tokens=12)[0] for seed in range(4)]
    jobs = [desk.job(row, owner=seed + 1, sampler=sampled(seed), max_tokens=12)[0] for seed in range(4)]
    for _ in run(model, jobs, lambda: None):
        pass
    for job, outcome in zip(jobs, alone, strict=True):
        assert job.outcome is not None
        assert job.outcome.program == outcome.program
        assert job.outcome.log_likelihood == pytest.approx(outcome.log_likelihood, abs=1e-4)


def test_stop_is_asked_before_every_forward() -> None:
    model = random_model(byte_codec())
    desk = Desk.of(byte_codec(), TEXT, [(2, 3)])
    row = desk.warm(model)
    _, counts, _ = desk.decode(model, row, sampler=sampled(1))
    assert counts.forwards > 5
    for allowed in range(counts.forwards):
        jobs = [desk.job(row, owner=owner, sampler=sampled(owner))[0] for owner in (1, 2)]
        before = model.forwards
        for _ in run(model, jobs, stop_after(model, before + allowed)):
            pass
        assert model.forwards - before == allowed
        assert jobs[0].stopped == "cancelled"
        assert jobs[0].outcome is None
        row.check_integrity()
        assert row.owners == {SHARED: len(desk.tokens.ids)}
        assert row.used == len(desk.tokens.ids)


def test_stop_is_asked_between_the_pieces_of_a_forward() -> None:
    model = random_model(byte_codec())
    row = model.new_row(300)
    pace = Pace(most=1.0, token=1 / LEAST)
    answers: list[torch.Tensor] = []

    def steps() -> Steps:
        answers.append((yield Ask([7] * 100, [40, 99])))
        return Outcome(None)

    for allowed in range(5):
        before = model.forwards
        job = Job(Lane(row, 1, 0), steps())
        for _ in run(model, [job], stop_after(model, before + allowed), pace=pace):
            pass
        assert model.forwards - before == min(3, allowed)
        assert job.stopped == (None if allowed >= 3 else "cancelled")
        assert not row.used
    (whole,) = model.forward([Feed(row, 1, [7] * 100, range(100), None, [40, 99])])
    assert [answer.tolist() for answer in answers] == [whole.tolist()] * 2


def test_large_asks_take_turns() -> None:
    """Three that together are too many for a forward, and a small one that fits beside any of them."""
    model = random_model(byte_codec())
    sizes, forwarded = (600, 700, 800, 5), list[int]()
    heard = dict[int, list[list[float]]]()

    def steps(size: int) -> Steps:
        for step in range(2):
            (answer,) = yield Ask([size % 200 + step] * size, [size - 1])
            heard.setdefault(size, []).append(answer.tolist())
            forwarded.append(model.forwards)
        return Outcome(None)

    rows = [model.new_row(2000) for _ in sizes]
    jobs = [Job(Lane(row, 1, 0), steps(size)) for row, size in zip(rows, sizes, strict=True)]
    for _ in run(model, jobs, lambda: None):
        assert model.forwarded <= model.forwards * MOST_TOKENS["cpu"]
    assert all(job.outcome is not None for job in jobs)
    assert forwarded == [1, 1, 2, 2, 3, 4, 5, 6]
    for size in sizes:
        row = model.new_row(2000)
        for step, said in enumerate(heard[size]):
            at = step * size
            feed = Feed(row, 1, [size % 200 + step] * size, range(at, at + size), None, [size - 1])
            assert model.forward([feed])[0][0].tolist() == said


def stop_after(model: MockModel, forwards: int) -> Callable[[], str | None]:
    return lambda: "cancelled" if model.forwards >= forwards else None


def test_a_finished_decoder_keeps_its_outcome_when_the_rest_is_stopped() -> None:
    model = random_model(byte_codec())
    desk = Desk.of(byte_codec(), TEXT, [(2, 3)])
    row = desk.warm(model)
    lengths = [desk.decode(model, row, sampler=sampled(seed))[1].forwards for seed in range(6)]
    short, long = lengths.index(min(lengths)), lengths.index(max(lengths))
    jobs = [desk.job(row, owner=seed + 1, sampler=sampled(seed))[0] for seed in (short, long)]
    limit = model.forwards + min(lengths)
    assert [type(event) for job, event in run(model, jobs, stop_after(model, limit)) if job is jobs[0]][
        -1
    ] is Outcome
    assert jobs[0].done
    assert jobs[0].outcome is not None
    assert jobs[1].stopped == "cancelled"


def failing(model: MockModel, error: CopydeskError, after: int) -> Callable[[], None]:
    """A flag that never stops but makes the model fail once it has done `after` forwards."""

    def stop() -> None:
        if model.forwards == after:
            model.fail_next = error

    return stop


@pytest.mark.parametrize("error", [OutOfMemoryError("full"), ContextLengthError("long")])
def test_errors_leave_rows_at_their_prefix(error: CopydeskError) -> None:
    model = random_model(byte_codec())
    desks = [Desk.of(byte_codec(), TEXT, [(2, 3)]), Desk.of(byte_codec(), "a\nb\n", [(1, 2)])]
    rows = [desk.warm(model) for desk in desks]
    for after in range(8):
        jobs = []
        for desk, row in zip(desks, rows, strict=True):
            jobs += [desk.job(row, owner=owner, sampler=sampled(owner))[0] for owner in (1, 2)]
        with pytest.raises(type(error)):
            list(run(model, jobs, failing(model, error, model.forwards + after)))
        for desk, row in zip(desks, rows, strict=True):
            row.check_integrity()
            assert row.tokens_of(SHARED) == desk.tokens.ids
            assert set(row.owners) == {SHARED}
    outcome, _, _ = desks[0].decode(model, rows[0], sampler=sampled(1))
    assert outcome == desks[0].decode(model, sampler=sampled(1))[0]


def test_a_context_that_is_too_long_is_a_named_error() -> None:
    codec = byte_codec()
    desk = Desk.of(codec, TEXT, [(2, 3)])
    model = MockModel(codec.vocabulary.size, max_positions=len(desk.tokens.ids) + 20)
    row = desk.warm(model)
    with pytest.raises(ContextLengthError):
        desk.decode(model, row, sampler=sampled(1))
    row.check_integrity()
    assert row.tokens_of(SHARED) == desk.tokens.ids


def test_abandoning_the_stream_releases_the_lanes() -> None:
    model = random_model(byte_codec())
    desk = Desk.of(byte_codec(), TEXT, [(1, 4)])
    row = desk.warm(model)
    for seed in range(40):
        stream = run(model, [desk.job(row, sampler=sampled(seed))[0]], lambda: None)
        next(stream)
        assert isinstance(stream, Generator)
        stream.close()
        assert set(row.owners) == {SHARED}
        row.check_integrity()
