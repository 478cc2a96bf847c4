"""Hunks are final once they stream: later ops only add to them, and their positions only advance."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from copydesk.decode.coroutine import Decided
from copydesk.program import Copy, Gen, Op, Program, Sub
from copydesk.text.document import Encoding, TextEdit, split_lines
from decoding import Desk, byte_codec
from mock_model import MockModel
from random_pages import random_program, random_scope, random_text
from replaying import program_ids, replay


def edits_of(desk: Desk, text: str, program: Program) -> list[TextEdit]:
    return desk.page.to_document(program, split_lines(text)).edits(text, Encoding.UTF32)


def check_stream(text: str, desk: Desk, program: Program, events: Sequence[Decided]) -> list[int]:
    """How many edits each event shows, having checked that it shows a beginning of the program's edits."""
    final = edits_of(desk, text, program)
    start, shown = 0, [0]
    for event in events:
        last = event.program.ops[-1]
        assert isinstance(last, Copy)
        assert last.start > start
        assert last.end == len(desk.page)
        assert event.program.ops[:-1] == program.ops[: len(event.program.ops) - 1]
        edits = edits_of(desk, text, event.program)
        assert edits == final[: len(edits)]
        assert len(edits) >= shown[-1]
        start = last.start
        shown.append(len(edits))
    return shown[1:]


@pytest.mark.parametrize("kind", ["lines", "tags"])
def test_decided_hunks_never_change_afterwards(kind: str) -> None:
    codec = byte_codec(kind)
    model = MockModel(codec.vocabulary.size, context=1)
    random = Random(kind)
    row, decided = None, 0
    while decided < 300:
        text = random_text(random)
        desk = Desk.of(codec, text, random_scope(random, 1, len(split_lines(text))))
        if row is not None:
            row.clear()
        row = desk.warm(model, row)
        for _ in range(10):
            program = random_program(random, desk.task)
            seen = replay(desk, model, program_ids(desk, program), row)
            assert seen.outcome.program == program
            decided += len(check_stream(text, desk, program, seen.events))


@pytest.mark.parametrize(
    ("text", "ops", "shown"),
    [
        ("a\nb\nc\n", (Copy(1, 3),), []),
        ("a\nb\nc\n", (Copy(1, 1), Gen("x\n"), Copy(3, 3)), [1]),
        ("a\nb\nc\n", (Gen("x\n"), Copy(1, 1), Copy(3, 3)), [1, 2]),
        ("a\nb\nc\n", (Copy(2, 3),), [1]),
        ("a\nb\nc\n", (Copy(1, 2),), []),
        # A sub is settled where a copy follows it.
        ("ab\nb\nc\n", (Sub(1, 1, "b", "x"), Copy(2, 3)), [1]),
        # New text and a sub at the very start of the next line are one edit: nothing streams before a sub.
        ("ab\nb\nc\n", (Gen("x\n"), Sub(1, 1, "a", "y"), Copy(2, 3)), [1]),
        ("ab\nb\nc\n", (Gen("x\n"), Sub(1, 1, "b", "y"), Copy(2, 3)), [2]),
        ("ab\nb\nc\n", (Sub(1, 1, "b\n", "\n"), Sub(2, 2, "b", "y"), Copy(3, 3)), [1]),
        ("ab\nb\nc\n", (Sub(2, 2, "b", "y"), Copy(3, 3)), [1]),
        ("ab\nbc\nc\n", (Copy(1, 1), Sub(2, 2, "c", "y"), Copy(3, 3)), [1]),
    ],
)
def test_what_streams(text: str, ops: tuple[Op, ...], shown: list[int]) -> None:
    codec = byte_codec()
    desk = Desk.of(codec, text, [(1, len(split_lines(text)))])
    model = MockModel(codec.vocabulary.size)
    program = Program(ops)
    seen = replay(desk, model, program_ids(desk, program), desk.warm(model))
    assert seen.outcome.program == program
    assert check_stream(text, desk, program, seen.events) == shown
