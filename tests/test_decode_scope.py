"""The product's promise: whatever the model says, a program ends, resolves, and touches nothing outside its scope.

100,000 programs of a model whose logits are random, over every edit format there is.
"""

from __future__ import annotations

from itertools import product
from random import Random

import numpy as np
import pytest

from copydesk.codec import Codec
from copydesk.decode.sampling import Sampler
from copydesk.document import Encoding, apply_edits, split_lines
from copydesk.grammar.rules import normalise, violation
from copydesk.models.row import SHARED, Row
from copydesk.program import Program
from decoding import Desk, byte_codec
from mock_model import MockModel
from random_pages import random_scope, random_text

FORMATS = list(product(("lines", "tags"), ("span", "tail", "program"), (True, False)))
PROGRAMS = {"lines": 12_000, "tags": 4_700}
"""Programs for each format: 100,200 in all. Tags spelled in bytes are slow."""
PER_PAGE = 40
"""Programs decoded on each random page."""


def random_model(codec: Codec) -> MockModel:
    """Random logits, tilted to what ends texts and lines: else nearly every text would run into its budget."""
    model = MockModel(codec.vocabulary.size, seed=7, context=4)
    literals, newline = codec.literals, codec.vocabulary.encode("\n")
    ends = [literals.gen_close[0], literals.sub_close[0], literals.sub_to[0], newline[0]]
    model._first[:, sorted(set(ends))] += np.float32(5.0 + np.log(codec.vocabulary.size / 256))
    return model


def random_desk(random: Random, codec: Codec) -> tuple[str, Desk]:
    """A page of a random document, not always all of it, and a scope it shows."""
    text = random_text(random)
    count = len(split_lines(text))
    window, header = (1, count), None
    if count > 2 and random.random() < 0.3:
        first = random.randint(1, count - 1)
        window = (first, random.randint(first, count))
        header = (1, random.randint(1, count)) if first > 1 and random.random() < 0.5 else None
    scope = random_scope(random, *window)
    return text, Desk.of(codec, text, scope, window=window, header=header)


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


def warm_again(model: MockModel, desk: Desk, row: Row | None) -> Row:
    if row is not None:
        row.clear()
    return desk.warm(model, row)


@pytest.mark.parametrize(("kind", "after_copy", "sub"), FORMATS)
def test_no_program_changes_anything_outside_its_scope(kind: str, after_copy: str, sub: bool) -> None:
    codec = byte_codec(kind, after_copy, sub)
    random = Random(f"{kind} {after_copy} {sub}")
    model, row = random_model(codec), None
    done = changed = truncated = 0
    while done < PROGRAMS[kind]:
        text, desk = random_desk(random, codec)
        row = warm_again(model, desk, row)
        prefix = row.used
        seen: set[Program] = set()
        for _ in range(PER_PAGE):
            sampler = Sampler(1.0, 1.0, random.getrandbits(32))
            outcome, counts, _ = desk.decode(
                model, row, sampler=sampler, max_tokens=random.choice((1, 4, 12))
            )
            program = outcome.program
            assert program is not None
            assert counts.generated + counts.drafted <= 12
            if program not in seen:  # the same program on the same page proves nothing new
                seen.add(program)
                changed += check_scope(text, desk, desk.document_scope, program) != text
            truncated += outcome.truncated
            done += 1
        row.check_integrity()
        assert row.used == prefix
        assert row.owners in ({SHARED: prefix}, {})
    # The law says nothing if programs hardly ever change anything, or are all closed by force.
    assert changed > done // 10
    assert 0 < truncated < done * 9 // 10
