"""The product's promise: whatever the model says, a program ends, resolves, and touches nothing outside its scope.

5,000 programs of a model whose logits are random, over every edit format there is; 25,000 more among the slow tests.
"""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from copydesk.decode.sampling import Sampler
from copydesk.models.row import SHARED, Row
from copydesk.program import Program
from copydesk.prompting.codec import Codec
from copydesk.text.document import split_lines
from decoding import Desk, byte_codec
from mock_model import MockModel
from random_pages import check_scope, random_model, random_scope, random_text

FORMATS = list(product(("lines", "tags"), ("span", "tail", "program"), (True, False)))
PROGRAMS = {"lines": 600, "tags": 240}
"""Programs for each format: 5,040 in all. Tags spelled in bytes are slow."""
MANY = 5
"""As many times more of them among the slow tests."""
PER_PAGE = 40
"""Programs decoded on each random page."""


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


def warm_again(model: MockModel, desk: Desk, row: Row | None) -> Row:
    if row is not None:
        row.clear()
    return desk.warm(model, row)


@pytest.mark.parametrize(("kind", "after_copy", "sub"), FORMATS)
def test_no_program_changes_anything_outside_its_scope(kind: str, after_copy: str, sub: bool) -> None:
    check_programs(byte_codec(kind, after_copy, sub), Random(f"{kind} {after_copy} {sub}"), PROGRAMS[kind])


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "after_copy", "sub"), FORMATS)
def test_none_of_many_programs_does(kind: str, after_copy: str, sub: bool) -> None:
    random = Random(f"many {kind} {after_copy} {sub}")
    check_programs(byte_codec(kind, after_copy, sub), random, MANY * PROGRAMS[kind])


def check_programs(codec: Codec, random: Random, programs: int) -> None:
    """The promise, for this many random programs in one edit format."""
    model, row = random_model(codec), None
    done = changed = truncated = 0
    while done < programs:
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
