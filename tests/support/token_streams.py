"""The law of canonical tokens: what the engine writes is, token for token, what training writes for the same program."""

from __future__ import annotations

from random import Random

from copydesk.models.row import Row
from copydesk.text.document import split_lines
from decoding import Desk
from mock_model import MockModel
from program_reader import read_program
from random_pages import TEXTS, random_program, random_scope, random_text
from replaying import program_ids, replay
from vocabularies import codec as codec_of

PER_PAGE = 10
MORE_TEXTS = (
    *TEXTS,
    "    return None\n",
    "><\n",
    "    def f(self, value):\n        if value:\n            return 1\n\n",
    "naïve = '日本'\n",
    "x\n\n\ny\n",
)


def check_streams(name: str, programs: int, random: Random | None = None) -> None:
    """The law, for this many random programs in one codec."""
    codec, random = codec_of(name), random or Random(name)
    model = MockModel(codec.vocabulary.size, context=2)
    row: Row | None = None
    done = 0
    kinds: set[str] = set()
    while done < programs:
        text = random_text(random)
        scope = random_scope(random, 1, len(split_lines(text)))
        desk = Desk.of(codec, text, scope)
        if row is not None:
            row.clear()
        row = desk.warm(model, row)
        for _ in range(PER_PAGE):
            program = random_program(random, desk.task, MORE_TEXTS)
            ids = program_ids(desk, program)
            seen = replay(desk, model, ids, row)
            assert seen.outcome.program == program
            assert not seen.outcome.truncated
            assert seen.stream == [*desk.task.request, *ids]
            assert row.used == len(desk.tokens.ids)
            back = read_program(codec, ids, desk.task.views, desk.tokens.lines, open_end=desk.rules.open_end)
            assert back == program
            kinds |= {type(op).__name__ for op in program.ops}
            done += 1
        row.check_integrity()
    assert kinds == {"Copy", "Gen", "Sub"}
