"""New text under an inner grammar: whatever the model says, the text is in the grammar and the program ends."""

from __future__ import annotations

import re
from functools import partial
from random import Random

import pytest

from copydesk.decode.sampling import Sampler
from copydesk.decode.text_automata import InnerMachine
from copydesk.errors import GrammarError
from copydesk.grammar.lark import InnerGrammar
from copydesk.program import Copy, Gen, Op, Program, Sub, escape, sub_span
from copydesk.prompting.codec import Codec
from copydesk.text.document import split_lines
from decoding import Desk
from mock_model import MockModel
from random_pages import check_scope, random_model, random_scope, random_text
from replaying import program_ids, replay
from vocabularies import codec as codec_of

CODECS = ("line_bytes", "bytes", "qwen_like", "line_tokens")
GRAMMARS = {
    "names": ('start: "foo" | "foobar" | "x" | "日本"', r"foo|foobar|x|日本"),
    "words": ("start: /[a-z]+/", r"[a-z]+"),
    "lines": ("start: LINE+\nLINE: /[a-c]*\\n/", r"([a-c]*\n)+"),
    "list": ('start: "[" ITEM ("," ITEM)* "]"\nITEM: /[0-9]{1,3}/', r"\[[0-9]{1,3}(,[0-9]{1,3})*\]"),
    # The closing tags begin with what may be text, and a tag spelled out is none.
    "angles": ("start: /[a<]+/", r"[a<]+"),
    "markup": ("start: /[<>\\/gensubx \\n]{0,9}x/", r"[<>/gensubx \n]{0,9}x"),
    "optional": ("start: /[ab]*/", r"[ab]*"),
}


def desk_with(codec: Codec, text: str, scope: list[tuple[int, int]], grammar: str) -> Desk:
    inner = partial(InnerMachine, InnerGrammar(GRAMMARS[grammar][0], codec.vocabulary))
    return Desk.of(codec, text, scope, inner=inner)


def in_grammar(grammar: str, text: str, *, ends_line: bool) -> bool:
    """A newline may have been added where text must end its line."""
    pattern = GRAMMARS[grammar][1]
    return bool(re.fullmatch(pattern, text) or (ends_line and re.fullmatch(pattern, text.removesuffix("\n"))))


@pytest.mark.parametrize("name", CODECS)
@pytest.mark.parametrize("grammar", GRAMMARS)
def test_new_text_is_in_the_grammar(name: str, grammar: str) -> None:
    codec = codec_of(name)
    random = Random(f"{name} {grammar}")
    model = random_model(codec)
    texts: set[str] = set()
    done = 0
    while done < 120:
        text = random_text(random, 4)
        desk = desk_with(codec, text, random_scope(random, 1, len(split_lines(text))), grammar)
        row = desk.warm(model)
        for _ in range(5):
            sampler = Sampler(1.0, 1.0, random.getrandbits(30))
            outcome, _, _ = desk.decode(model, row, sampler=sampler, max_tokens=40)
            assert outcome.program is not None
            check_scope(text, desk, desk.document_scope, outcome.program)
            if outcome.truncated:
                continue
            for op in outcome.program.ops:
                if isinstance(op, Copy):
                    continue
                new, ends_line = (op.text, True) if isinstance(op, Gen) else (op.new, _ends_line(desk, op))
                spelled = escape(new) if codec.tagged else new
                assert in_grammar(grammar, spelled, ends_line=ends_line)
                texts.add(new)
                done += 1
    assert len(texts) > 2


def _ends_line(desk: Desk, op: Sub) -> bool:
    found = sub_span(desk.task.views, op.start, op.old)
    assert found is not None
    return found.ends_line


@pytest.mark.parametrize("name", CODECS)
@pytest.mark.parametrize(
    ("grammar", "op"),
    [
        ("names", Sub(1, 1, "1", "foo")),
        ("names", Sub(1, 1, "1", "foobar")),
        ("names", Gen("foobar\n")),
        ("names", Sub(1, 1, "1\n", "x\n")),
        ("words", Gen("abc\n")),
        ("lines", Gen("a\n\nbc\n")),
        ("lines", Gen("\n")),
        ("angles", Sub(1, 1, "1", "a<")),
        ("angles", Sub(1, 1, "1", "<<")),
        ("angles", Gen("a<\n")),
        ("markup", Gen("</ge\n</x\n")),
        ("optional", Sub(1, 1, "1", "")),
        ("optional", Sub(1, 1, "1", "ba")),
    ],
)
def test_every_text_of_the_grammar_can_be_said(name: str, grammar: str, op: Op) -> None:
    codec = codec_of(name)
    desk = desk_with(codec, "a = 1\ncd\n", [(1, 1)], grammar)
    program = Program((op, Copy(2, 2)) if isinstance(op, Sub) else (op, Copy(1, 2)))
    assert desk.rules.scope == ((1, 1),)
    model = MockModel(codec.vocabulary.size)
    ids = program_ids(desk, program)
    seen = replay(desk, model, ids, desk.warm(model))
    assert seen.outcome.program == program
    assert not seen.outcome.truncated
    assert seen.stream == [*desk.task.request, *ids]


def test_a_budget_closes_text_the_grammar_has_not_finished() -> None:
    codec = codec_of("bytes")
    desk = desk_with(codec, "ab\n", [(1, 1)], "list")
    model = random_model(codec)
    for seed in range(50):
        outcome, counts, _ = desk.decode(model, sampler=Sampler(1.0, 1.0, seed), max_tokens=2)
        assert outcome.program is not None
        outcome.program.resolve("ab\n")
        assert counts.generated + counts.drafted <= 2


def test_a_grammar_that_never_ends_is_cut_off() -> None:
    codec = codec_of("line_bytes")
    inner = partial(InnerMachine, InnerGrammar('start: "a" start | "b"', codec.vocabulary))
    endless = partial(InnerMachine, InnerGrammar("start: /a{5000}b/", codec.vocabulary))
    for machine in (inner, endless):
        desk = Desk.of(codec, "", [(1, 0)], inner=machine)
        model = MockModel(codec.vocabulary.size)
        model.tilt([ord("a")], 30.0)
        model.tilt([codec.literals.gen_open[0]], 30.0)
        outcome, _, _ = desk.decode(model, max_tokens=20)
        assert outcome.truncated
        assert outcome.program is not None
        assert outcome.program.resolve("").startswith("aaa")


def test_a_grammar_that_asks_for_what_cannot_stand_there_is_a_named_error() -> None:
    codec = codec_of("line_bytes")
    desk = Desk.of(
        codec, "", [(1, 0)], inner=partial(InnerMachine, InnerGrammar('start: "a\\r"', codec.vocabulary))
    )
    model = MockModel(codec.vocabulary.size)
    model.tilt([codec.literals.gen_open[0]], 30.0)
    row = desk.warm(model)
    with pytest.raises(GrammarError):
        desk.decode(model, row)
    row.check_integrity()
    assert row.tokens_of(0) == desk.tokens.ids
