"""Random documents, scopes, programs and a random model for property tests of decoding; and what is promised of them all."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np

from copydesk.decode.program_decoder import PageTask
from copydesk.grammar.rules import normalise, violation
from copydesk.program import Copy, Gen, Op, Program, Sub, sub_span
from copydesk.prompting.codec import Codec
from copydesk.text.document import Encoding, apply_edits, split_lines
from decoding import Desk
from mock_model import MockModel

_WORDS = (
    "x",
    "y",
    "foo",
    "if ",
    " = ",
    "(",
    ")",
    "é",
    "日",
    "</gen>",
    "<",
    "1",
    "12",
    "+",
    "\t",
    "    ",
    "  ",
    ":",
)
_BREAKS = ("\n", "\n", "\n", "\r\n", "\r\n", "\r")

TEXTS = ("x = 1\n", "a\n\n", "é\n", "if x:\n    y\n", "</gen>\n")

Range = tuple[int, int]


def random_text(random: Random, max_lines: int = 6) -> str:
    """A few short lines with any mix of terminators; the last may have none."""
    breaks = _BREAKS if random.random() < 0.5 else (random.choice(_BREAKS),)
    parts: list[str] = []
    for _ in range(random.randint(0, max_lines)):
        parts += random.choices(_WORDS, k=random.choice((0, 1, 2, 3, 5)))
        parts.append(random.choice(breaks))
    if random.random() < 0.3:
        parts += random.choices(_WORDS, k=2)
    return "".join(parts)


def random_scope(random: Random, first: int, last: int) -> list[Range]:
    """One to three ranges of lines first..last (`first - 1 == last` if there is none), some of them empty."""
    scope = []
    for _ in range(random.choice((1, 1, 2, 3))):
        start = random.randint(first, last + 1)
        scope.append((start, random.randint(start - 1, min(last, start + 3))))
    return scope


def random_program(random: Random, task: PageTask, texts: Sequence[str] = TEXTS) -> Program:
    """A legal page program, its old texts runs of the page's own tokens."""
    ops: list[Op] = []
    rules = task.rules
    state = rules.start()
    while True:
        match random.choice(rules.options(state)):
            case "end":
                return Program(tuple(ops))
            case "copy":
                start = random.choice(rules.copy_starts(state))
                end = random.choice([j for ends in rules.copy_ends(state, start) for j in ends])
                ops.append(Copy(start, end))
                state = rules.after_copy(state, start, end)
            case "gen":
                text = random.choice(texts)
                if rules.may_drop_eol(state) and random.random() < 0.3:
                    text = text.rstrip("\n")
                ops.append(Gen(text))
                state = rules.after_gen(state, not text.endswith("\n"))
            case "sub":
                op, ends_bare = _random_sub(random, task, random.choice(rules.sub_starts(state)), texts)
                ops.append(op)
                state = rules.after_sub(state, op.end, ends_bare)


def _random_sub(random: Random, task: PageTask, line: int, texts: Sequence[str]) -> tuple[Sub, bool]:
    """A sub at `line`, and whether its result lacks a terminator."""
    codec = task.codec
    old = codec.vocabulary.decode(random.choice(task.olds.legal_runs(line, task.rules.sub_limit(line))))
    found = sub_span(task.views, line, old, max_lines=codec.format.sub_lines)
    assert found is not None
    new = random.choice(texts) if found.ends_line else random.choice((*texts, "", "y", "</sub>"))
    kept = task.views[found.end_line - 1][found.end_offset :]
    return Sub(line, found.end_line, old, new), not (kept or new).endswith("\n")


def random_model(codec: Codec) -> MockModel:
    """Random logits, tilted to what ends texts and lines: else nearly every text would run into its budget."""
    model = MockModel(codec.vocabulary.size, seed=7, context=4)
    literals, newline = codec.literals, codec.vocabulary.encode("\n")
    ends = [literals.gen_close[0], literals.sub_close[0], literals.sub_to[0], newline[0]]
    model.tilt(ends, 5.0 + np.log(codec.vocabulary.size / 256))
    return model


def check_scope(text: str, desk: Desk, document_scope: list[tuple[int, int]], program: Program) -> str:
    """What `program` makes of `text`, having checked all that is promised of it."""
    lines = split_lines(text)
    assert violation(desk.rules, program, desk.page.views) is None
    whole = desk.page.to_document(program, lines)
    result = whole.resolve(text)
    edits = whole.edits(text, Encoding.UTF32)
    assert apply_edits(text, edits, Encoding.UTF32) == result
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line))
    offsets.append(offsets[-1])  # behind the last terminator lies an empty line
    areas = [(offsets[start - 1], offsets[end]) for start, end in normalise(document_scope)]
    for edit in edits:
        begin = offsets[edit.start.line] + edit.start.character
        end = offsets[edit.end.line] + edit.end.character
        assert any(first <= begin <= end <= last for first, last in areas), (edit, document_scope)
    return result
