"""Forward passes, counted: structure and copies cost next to none, what the model must spell costs one per token."""

from __future__ import annotations

from random import Random

import pytest

from copydesk.program import Copy, Gen, Op, Program, Sub, sub_span
from decoding import Desk
from mock_model import MockModel
from replaying import program_ids, replay
from vocabularies import codec as codec_of

CODECS = ("line_tokens", "qwen_like", "llama3_like", "line_bytes")

LINES = (
    "def area(shape):\n", "    if shape == None:\n", "        return 0\n", "    width = shape.width\n",
    "    height = shape.height\n", "\n", "    for side in shape.sides:\n", "        width += side\n",
    "    return width * height\n", "# end\n",
)  # fmt: skip


def one_hunk(random: Random, desk: Desk, start: int, end: int) -> Program:
    """Some line of start..end rewritten, replaced, deleted or preceded by a new one; everything else copied."""
    M = len(desk.page)
    at = random.randint(start, end)
    before: list[Op] = [Copy(1, at - 1)] if at > 1 else []
    after: list[Op] = [Copy(at + 1, M)] if at < M else []
    line = desk.page.views[at - 1]
    words = random.choice(("x", "width", "not shape", "side + 1"))
    match random.choice(("replace", "insert", "append", "sub", "sub", "sub")):
        case "replace":
            return Program(
                (*before, Gen(line.replace("shape", words) if "shape" in line else "    pass\n"), *after)
            )
        case "append":
            return Program((*before, Gen(line + f"    {words} = {words}\n"), *after))
        case "insert":
            return Program((*before, Gen(f"    {words} = 1\n"), Copy(at, M)))
        case _:
            runs = desk.task.olds.legal_runs(at, desk.rules.sub_limit(at))
            if not runs:
                return one_hunk(random, desk, start, end)
            old = desk.codec.vocabulary.decode(random.choice(runs))
            found = sub_span(desk.page.views, at, old)
            assert found is not None
            rest: list[Op] = [Copy(found.end_line + 1, M)] if found.end_line < M else []
            return Program((*before, Sub(at, found.end_line, old, words + "\n" * found.ends_line), *rest))


@pytest.mark.slow
@pytest.mark.parametrize("name", CODECS)
def test_one_hunk_on_a_warm_page(name: str) -> None:
    """At most 2 + (generated tokens not covered by a draft) + (number of copies)."""
    codec = codec_of(name)
    model = MockModel(codec.vocabulary.size, context=2)
    random = Random(name)
    row = None
    spare = []
    for _ in range(60):
        text = "".join(random.choices(LINES, k=random.randint(22, 60)))
        M = text.count("\n")
        size = random.randint(1, 20)
        start = random.randint(1, M - size + 1)
        desk = Desk.of(codec, text, [(start, start + size - 1)])
        if row is not None:
            row.clear()
        row = desk.warm(model, row)
        for _ in range(5):
            program = one_hunk(random, desk, start, start + size - 1)
            before = model.forwards
            seen = replay(desk, model, program_ids(desk, program), row)
            assert seen.outcome.program == program
            counts = seen.counts
            assert counts.forwards == model.forwards - before
            copies = sum(isinstance(op, Copy) for op in program.ops)
            assert counts.forwards <= 2 + counts.generated + copies, (str(program), counts)
            spare.append(2 + counts.generated + copies - counts.forwards)
    assert min(spare) >= 0


@pytest.mark.parametrize("name", CODECS)
def test_leaving_everything_as_it_is_takes_one_forward(name: str) -> None:
    codec = codec_of(name)
    desk = Desk.of(codec, "".join(LINES), [(4, 6)])
    model = MockModel(codec.vocabulary.size)
    seen = replay(desk, model, program_ids(desk, Program((Copy(1, 10),))), desk.warm(model))
    assert seen.counts.forwards == 1
    # The page was never read again: a copy that only a forced end follows stays out of the context.
    assert seen.counts.copied == 0
    assert model.forwarded < len(desk.tokens.ids) + len(desk.task.request) + 100


@pytest.mark.parametrize("name", CODECS)
def test_literals_cost_no_forward(name: str) -> None:
    """With no choice left to the model the whole program takes no forward at all."""
    codec = codec_of(name)
    desk = Desk.of(codec, "a\nb\n", [])
    model = MockModel(codec.vocabulary.size)
    row = desk.warm(model)
    before = model.forwards
    outcome, counts, _ = desk.decode(model, row)
    assert outcome.program == Program((Copy(1, 2),))
    assert model.forwards == before
    assert counts.forwards == counts.choices == counts.generated == 0
    assert counts.forced == len(program_ids(desk, Program((Copy(1, 2),))))


def test_an_empty_page_without_scope_is_done_at_once() -> None:
    codec = codec_of("line_bytes")
    desk = Desk.of(codec, "", [])
    model = MockModel(codec.vocabulary.size)
    outcome, counts, _ = desk.decode(model, desk.warm(model))
    assert outcome.program == Program(())
    assert counts.forwards == 0


@pytest.mark.parametrize("name", CODECS)
def test_counts_add_up(name: str) -> None:
    """Every token of the program is forced, chosen, drafted, generated or copied."""
    codec = codec_of(name)
    random = Random(name)
    model = MockModel(codec.vocabulary.size, context=2)
    for _ in range(40):
        desk = Desk.of(codec, "".join(LINES), [(2, 8)])
        program = one_hunk(random, desk, 2, 8)
        ids = program_ids(desk, program)
        counts = replay(desk, model, ids, desk.warm(model)).counts
        assert counts.forced + counts.drafted + counts.generated + counts.copied <= len(ids)
        covered = sum(
            len(desk.tokens.lines[k])
            for op in program.ops
            if isinstance(op, Copy)
            for k in range(op.start - 1, op.end)
        )
        assert counts.covered == covered
