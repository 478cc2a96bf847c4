"""A token budget bounds what the model may say; the program is closed and still resolves, and the result says so."""

from __future__ import annotations

import math
import string
from random import Random

import pytest

from copydesk.decode.coroutine import Outcome
from copydesk.decode.repetition import EVERY, SPAN
from copydesk.decode.sampling import Sampler
from copydesk.models.replay import ReplayModel
from copydesk.program import Copy, Gen, Op, Program, Sub
from copydesk.text.document import split_lines
from decoding import Desk, byte_codec
from mock_model import MockModel
from random_pages import check_scope, random_model, random_program, random_scope, random_text
from replaying import program_ids


@pytest.mark.parametrize("kind", ["lines", "tags"])
@pytest.mark.parametrize("max_tokens", [1, 2, 3, 7])
def test_programs_close_within_their_budget(kind: str, max_tokens: int) -> None:
    codec = byte_codec(kind)
    model, random = random_model(codec), Random(f"{kind} {max_tokens}")
    truncated = 0
    for _ in range(40):
        text = random_text(random)
        desk = Desk.of(codec, text, random_scope(random, 1, len(split_lines(text))))
        row = desk.warm(model)
        for _ in range(5):
            sampler = Sampler(1.0, 1.0, random.getrandbits(30))
            outcome, counts, _ = desk.decode(model, row, sampler=sampler, max_tokens=max_tokens)
            assert outcome.program is not None
            check_scope(text, desk, desk.document_scope, outcome.program)
            assert counts.generated + counts.drafted <= max_tokens
            truncated += outcome.truncated
    assert 0 < truncated < 200


@pytest.mark.parametrize(
    ("ops", "needs"),
    [
        # Structure is free; what the model spells is counted, the token that begins a closing included.
        ((Copy(1, 3),), 0),
        ((Copy(1, 1), Copy(3, 3)), 0),
        ((Copy(1, 1), Gen("ab\n"), Copy(3, 3)), 4),
        ((Copy(1, 1), Sub(2, 2, "x", "yz"), Copy(3, 3)), 5),
    ],
)
def test_exactly_enough_is_enough(ops: tuple[Op, ...], needs: int) -> None:
    codec = byte_codec()
    desk = Desk.of(codec, "a\nx(\nb\n", [(2, 2)])
    program = Program(ops)
    model = ReplayModel(MockModel(codec.vocabulary.size))
    start = len(desk.tokens.ids) + len(desk.task.request)
    model.scripts[1] = (start, program_ids(desk, program))
    outcome, counts, _ = desk.decode(model, max_tokens=max(1, needs))
    assert outcome.program == program
    assert not outcome.truncated
    assert counts.generated + counts.drafted == needs
    if needs:
        outcome, counts, _ = desk.decode(model, max_tokens=needs - 1)
        assert outcome.truncated
        assert outcome.program is not None
        assert outcome.program.resolve("a\nx(\nb\n").startswith("a\n")
        assert outcome.program.resolve("a\nx(\nb\n").endswith("b\n")
        assert counts.generated + counts.drafted == needs - 1


def test_closing_tokens_alone_come_behind_the_budget() -> None:
    """What is written behind the budget is the shortest way out, forced and without a forward."""
    codec = byte_codec("tags")
    desk = Desk.of(codec, "a\nb\nc\n", [(2, 2)])
    program = Program((Copy(1, 1), Gen("abcdef\n"), Copy(3, 3)))
    model = ReplayModel(MockModel(codec.vocabulary.size))
    start = len(desk.tokens.ids) + len(desk.task.request)
    model.scripts[1] = (start, program_ids(desk, program))
    row = desk.warm(model)
    for budget in range(1, 7):
        outcome, _, _ = desk.decode(model, row, max_tokens=budget)
        assert outcome.truncated
        assert outcome.program == Program((Copy(1, 1), Gen("abcdef"[:budget] + "\n"), Copy(2, 3)))


@pytest.mark.parametrize("period", [1, 5, 32])
@pytest.mark.parametrize("drafts", [True, False])
def test_a_model_that_says_the_same_over_and_over_is_stopped(period: int, drafts: bool) -> None:
    """At the same token whether drafts guess it or not; what is only long is not."""
    codec = byte_codec()
    desk = Desk.of(codec, "a\nb\nc\n", [(2, 2)], drafts=drafts)
    model = ReplayModel(MockModel(codec.vocabulary.size))
    start = len(desk.tokens.ids) + len(desk.task.request)
    head, once = "head ", string.ascii_lowercase[: period - 1] + "-" if period < 27 else "x" * 31 + "-"
    row = desk.warm(model)

    def said(text: str) -> Outcome:
        program = Program((Copy(1, 1), Gen(text + "\n"), Copy(3, 3)))
        model.scripts[1] = (start, program_ids(desk, program))
        return desk.decode(model, row, max_tokens=10_000)[0]

    outcome = said(head + once * 1000)
    assert outcome.looped
    assert outcome.truncated
    assert outcome.program is not None
    gen = next(op for op in outcome.program.ops if isinstance(op, Gen))
    assert len(gen.text) == 1 + math.ceil((len(head) + SPAN) / EVERY) * EVERY
    most = once * (SPAN // period - 1)
    for fine in (most, most + "end" + most, string.printable.replace("\n", "").replace("\r", "") * 5):
        outcome = said(head + fine)
        assert not outcome.looped
        assert not outcome.truncated


def test_nothing_is_said_behind_a_loop() -> None:
    """Not in another text of the same program, either: all that follows is the shortest way out."""
    codec = byte_codec()
    text = "a\n" + "b" * 300 + "\nc\nd\n"
    desk = Desk.of(codec, text, [(2, 3)])
    model = ReplayModel(MockModel(codec.vocabulary.size))
    start = len(desk.tokens.ids) + len(desk.task.request)
    # What is quoted repeats itself as the document does.
    program = Program((Copy(1, 1), Sub(2, 2, "b" * 300, "no" * 300), Sub(3, 3, "c", "more"), Copy(4, 4)))
    model.scripts[1] = (start, program_ids(desk, program))
    outcome, counts, _ = desk.decode(model, max_tokens=10_000)
    assert outcome.looped
    assert outcome.program is not None
    changed = outcome.program.resolve(text)
    assert changed.startswith("a\n" + "no" * (SPAN // 2))
    assert changed.endswith("\nc\nd\n")
    assert counts.generated + counts.drafted < 300 + 2 * SPAN


def test_random_programs_at_every_budget() -> None:
    codec = byte_codec("tags")
    random = Random(5)
    model = ReplayModel(MockModel(codec.vocabulary.size, context=2))
    for _ in range(30):
        text = random_text(random)
        desk = Desk.of(codec, text, random_scope(random, 1, len(split_lines(text))))
        program = random_program(random, desk.task)
        model.scripts[1] = (len(desk.tokens.ids) + len(desk.task.request), program_ids(desk, program))
        row = desk.warm(model)
        whole, counts, _ = desk.decode(model, row, max_tokens=1000)
        assert whole.program == program
        needed = counts.generated + counts.drafted
        for budget in range(1, needed + 2):
            outcome, _, _ = desk.decode(model, row, max_tokens=budget)
            assert outcome.truncated == (budget < needed)
            assert outcome.program is not None
            check_scope(text, desk, desk.document_scope, outcome.program)
