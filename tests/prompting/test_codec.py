"""An edit format in tokens: pieces, numbers, whole programs both ways."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import vocabularies
from copydesk.errors import FormatError, ProgramError, TokenizerError
from copydesk.program import Copy, Gen, Program, Sub
from copydesk.prompting.codec import Codec, own_run
from copydesk.prompting.edit_format import REWRITE, EditFormat
from copydesk.prompting.vocabulary import ByteVocabulary
from copydesk.text.document import split_lines
from program_reader import read_program

VIEWS = split_lines("import os\n\ndef f(x):\n    return x == None\nlast")
PROGRAMS = [
    Program((Copy(1, 5),)),
    Program(()),
    Program((Copy(1, 2), Gen("def g():\n    pass\n"), Copy(4, 5))),
    Program((Copy(1, 3), Sub(4, 4, " ==", " is"), Copy(5, 5))),
    Program((Copy(1, 3), Gen("</gen> <\\/gen> <noeol/>\n<L3>\nend"))),
    Program((Gen("a\n"), Sub(1, 1, "os", "re\nimport os"), Copy(2, 5))),
]


@pytest.mark.parametrize("name", vocabularies.CODECS)
@pytest.mark.parametrize("program", PROGRAMS, ids=str)
@pytest.mark.parametrize("open_end", [True, False])
def test_programs_survive_their_tokens(name: str, program: Program, open_end: bool) -> None:
    codec = vocabularies.codec(name)
    lines = [codec.line(view) for view in VIEWS]
    try:
        pieces = codec.encode_program(program, VIEWS, lines, open_end=open_end)
    except ProgramError:
        # This vocabulary cuts the line elsewhere: the old text is no run of its tokens.
        subs = [op for op in program.ops if isinstance(op, Sub)]
        assert any(own_run(codec, VIEWS, lines, op.start, op.old) is None for op in subs)
        return
    ids = [token for piece in pieces for token in piece.ids]
    assert read_program(codec, ids, VIEWS, lines, open_end=open_end) == program


@pytest.mark.parametrize("name", vocabularies.CODECS)
@given(text=st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=40))
def test_bodies_are_read_back(name: str, text: str) -> None:
    codec = vocabularies.codec(name)
    assert codec.read_fragment(codec.fragment(text)) == text
    if text:
        assert codec.read_body(codec.body(text)) == text


@pytest.mark.parametrize("name", vocabularies.CODECS)
def test_no_number_is_a_prefix_of_another(name: str) -> None:
    codec = vocabularies.codec(name)
    for spell in (codec.copy_start, codec.copy_end, codec.sub_start):
        spelled = [spell(n) for n in range(1, 120)]
        for a in spelled:
            assert [b for b in spelled if b[: len(a)] == a] == [a]


@pytest.mark.parametrize("after_copy", ["span", "tail", "program"])
def test_what_follows_a_copy(after_copy: str) -> None:
    codec = Codec(EditFormat(kind="tags", after_copy=after_copy), ByteVocabulary())  # type: ignore[arg-type]
    lines = [codec.line(f"{n}\n") for n in range(1, 6)]
    text = codec.vocabulary.decode(codec.span(lines, 1, 4))
    assert text == {"span": "1\n2\n3\n4\n", "tail": "3\n4\n", "program": ""}[after_copy]


def test_vocabularies_that_cannot_spell_the_format_are_refused() -> None:
    with pytest.raises(TokenizerError, match="no special token <doc>"):
        Codec(EditFormat(kind="lines"), ByteVocabulary())

    class Deaf(ByteVocabulary):
        """Cannot spell an angle bracket."""

        def encode(self, text: str) -> list[int]:
            return [token for token in super().encode(text) if token != ord("<")]

    with pytest.raises(TokenizerError, match="cannot spell"):
        Codec(EditFormat(kind="tags"), Deaf())
    with pytest.raises(FormatError):
        Codec(REWRITE, ByteVocabulary())


@pytest.mark.parametrize(
    "ids",
    [
        [],
        [65],
        "<gen>\nnever closed",
        '<copy lines="9-9"/>\n',
        '<sub line="4">\nzzz</old>\n</sub>\n</program>\n',
    ],
)
def test_streams_that_are_no_program(ids: list[int] | str) -> None:
    codec = vocabularies.codec("bytes")
    lines = [codec.line(view) for view in VIEWS]
    tokens = list(ids.encode()) if isinstance(ids, str) else ids
    with pytest.raises(ProgramError):
        read_program(codec, tokens, VIEWS, lines, open_end=False)
