"""The automaton of generated text: what it lets through, how it closes, that it never gets stuck, how it is kept."""

from __future__ import annotations

import random

import numpy as np
import pytest

import vocabularies
from copydesk.errors import GrammarError
from copydesk.grammar.bodies import CLOSED, CLOSED_UNTERMINATED, ILLEGAL, Bodies
from copydesk.grammar.bytes_dfa import EMPTY, run_tokens, text_dfa
from copydesk.program import escape, unescape
from copydesk.prompting.codec import Codec
from copydesk.prompting.vocabulary import ByteVocabulary
from copydesk_benchmarks.llguidance_masks import TAGS
from grammar_pages import bodies

NAMES = list(vocabularies.CODECS)


def reachable(made: Bodies) -> set[int]:
    """States that some token stream leads to."""
    found = {made.gen(), made.gen(True), made.sub(), made.sub(True)}
    todo = list(found)
    while todo:
        row = made.table[todo.pop()]
        new = set(row[row != ILLEGAL].tolist()) - found
        found |= new
        todo += new
    return found


def test_tokenizers_are_what_the_tests_think() -> None:
    qwen = set(vocabularies.qwen_like().token_bytes)
    assert {b"><", b"/></", b"):\n", b"\n\n"} <= qwen
    assert {b"117", b"404", b"12"} <= set(vocabularies.llama3_like().token_bytes)
    lines = vocabularies.line_tokens()
    assert [t for t in lines.token_bytes if b"\n" in t] == [b"\n"]
    assert not [t for t in lines.token_bytes if t.isdigit() and len(t) > 1]


def test_guarded_tags_are_those_that_escape_knows() -> None:
    for tag in TAGS:
        assert escape(tag.decode()) != tag.decode()
    dfa = text_dfa(tagged=True)
    for text in (
        "</gen>",
        "<noeol/>",
        "<\\/gen>",
        "</gem>",
        "<</old>",
        "</subb>",
        "<noeo/>",
        "<<<",
        "</",
        "</new",
    ):
        state = EMPTY
        for byte in text.encode():
            state = int(dfa.step[state, byte])
        assert (state == dfa.dead) == (escape(unescape(text)) != text), text


def test_bytes_are_exactly_utf8_without_carriage_returns() -> None:
    dfa = text_dfa(tagged=False)
    rng = random.Random(0)
    edges = [0x00, 0x0A, 0x0D, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED,
             0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF]  # fmt: skip
    for _ in range(20_000):
        text = bytes(rng.choice(edges) for _ in range(rng.randint(1, 5)))
        state = EMPTY
        for byte in text:
            state = int(dfa.step[state, byte])
        try:
            text.decode()
            whole = b"\r" not in text
        except UnicodeDecodeError:
            whole = False
        assert bool(dfa.boundary[state]) == whole, text


def test_running_tokens_equals_running_bytes() -> None:
    dfa = text_dfa(tagged=True)
    tokens = vocabularies.qwen_like().token_bytes
    table = run_tokens(dfa, tokens)
    for token in range(0, len(tokens), 7):
        for start in range(len(dfa.step)):
            state = start
            for k, byte in enumerate(tokens[token]):
                state = dfa.dead if k and tokens[token][k - 1] == 0x0A else int(dfa.step[state, byte])
            assert table[start, token] == (state if tokens[token] else dfa.dead)
    assert run_tokens(dfa, []).shape == (len(dfa.step), 0)


@pytest.mark.parametrize("name", NAMES)
def test_no_state_is_a_dead_end_and_closing_paths_close(name: str) -> None:
    made = bodies(name)
    for state in reachable(made) - {CLOSED, CLOSED_UNTERMINATED}:
        assert len(made.allowed(state))
        path = made.closing_path(state)
        assert made.walk(state, path) in (CLOSED, CLOSED_UNTERMINATED)
        # Shortest: no token leads to a state that closes in two fewer.
        ahead = {made.advance(state, int(t)) for t in made.allowed(state)}
        assert min(len(made.closing_path(s)) for s in ahead) == len(path) - 1
    assert made.closing_path(CLOSED) == ()
    assert not len(made.allowed(CLOSED))


@pytest.mark.parametrize("name", NAMES)
def test_masks_lists_and_steps_agree(name: str) -> None:
    made = bodies(name)
    V = len(made.classes)
    for state in sorted(reachable(made)):
        legal = [t for t in range(V) if made.advance(state, t) != ILLEGAL]
        assert made.allowed(state).tolist() == legal
        bits = np.unpackbits(made.masks[state].view(np.uint8), bitorder="little")
        assert np.flatnonzero(bits).tolist() == legal
        allow, ids = made.shorter_list(state)
        assert ids.dtype == np.int64
        assert ids.tolist() == (legal if allow else sorted(set(range(V)) - set(legal)))
        assert len(ids) <= V - len(ids)


@pytest.mark.parametrize("name", NAMES)
def test_bodies_of_the_codec_are_accepted(name: str) -> None:
    codec, made = vocabularies.codec(name), bodies(name)
    lit = codec.literals
    for text in (
        "x = 1\n",
        "\n",
        "\n\n",
        "é\U0001f600\n",
        "a </gen> b\n<noeol/>\n",
        "</sub>",
        "<",
        "x</",
        "no newline",
        "<\\/gen>\n",
    ):
        ids = codec.body(text)
        whole = text.endswith("\n")
        assert made.walk(made.gen(True), ids + lit.gen_close) == (CLOSED if whole else CLOSED_UNTERMINATED)
        assert made.walk(made.gen(), ids + lit.gen_close) == (CLOSED if whole else ILLEGAL)
        assert codec.read_body(ids) == text
        ids = codec.fragment(text)
        assert made.walk(made.sub(), ids + lit.sub_close) == CLOSED
        assert made.walk(made.sub(True), ids + lit.sub_close) == (CLOSED if whole else ILLEGAL)
    assert made.walk(made.gen(), lit.gen_close) == ILLEGAL
    assert made.walk(made.gen(True), lit.no_eol + lit.gen_close) == ILLEGAL
    assert made.walk(made.gen(True), codec.fragment("x\n") + lit.no_eol + lit.gen_close) == ILLEGAL
    assert made.walk(made.sub(), lit.sub_close) == CLOSED
    assert made.walk(made.sub(True), lit.sub_close) == ILLEGAL


@pytest.mark.parametrize("name", ["qwen_like", "llama3_like", "bytes"])
def test_only_the_canonical_spelling_closes(name: str) -> None:
    codec, made = vocabularies.codec(name), bodies(name)
    tokens = codec.vocabulary.token_bytes
    by_bytes = {t: i for i, t in enumerate(tokens) if t}
    text = codec.fragment("x\n")
    canonical = [tokens[i] for i in codec.literals.gen_close]
    spellings = [
        [b"<", b"/", b"g", b"e", b"n", b">", b"\n"],
        [b"</", b"gen", b">\n"],
        [b"</", b"gen", b">", b"\n"],
    ]
    for spelled in spellings:
        if all(piece in by_bytes for piece in spelled):
            ids = [by_bytes[piece] for piece in spelled]
            closed = made.walk(made.gen(), [*text, *ids]) == CLOSED
            assert closed == (spelled == canonical), spelled


@pytest.mark.parametrize("name", NAMES)
def test_text_stops_at_newlines_and_holds_no_specials(name: str) -> None:
    codec, made = vocabularies.codec(name), bodies(name)
    tokens = codec.vocabulary.token_bytes
    for state in (made.gen(), made.gen(True), made.sub(), made.sub(True)):
        for token in made.allowed(state).tolist():
            assert b"\n" not in tokens[token][:-1]
            assert b"\r" not in tokens[token]
            assert tokens[token] or token in (*codec.literals.sub_close, *codec.literals.gen_close)


@pytest.mark.parametrize("name", NAMES)
def test_bodies_survive_being_stored(name: str) -> None:
    codec, made = vocabularies.codec(name), bodies(name)
    stored = made.to_bytes()
    again = Bodies.from_bytes(codec, stored)
    assert again.to_bytes() == stored
    assert np.array_equal(again.masks, made.masks)
    assert [again.gen(), again.gen(True), again.sub(), again.sub(True)] == [
        made.gen(), made.gen(True), made.sub(), made.sub(True)
    ]  # fmt: skip
    assert again.closing_path(again.gen()) == made.closing_path(made.gen())
    for broken in (
        b"",
        stored[:-1],
        stored[:40],
        stored + b"x",
        b"x" + stored,
        bytes([*stored[:-9], stored[-9] ^ 1, *stored[-8:]]),
    ):
        with pytest.raises(GrammarError):
            Bodies.from_bytes(codec, broken)
    other = vocabularies.codec("bytes" if name != "bytes" else "qwen_like")
    with pytest.raises(GrammarError):
        Bodies.from_bytes(other, stored)


def test_a_vocabulary_without_a_lone_newline_byte_still_closes_or_says_so() -> None:
    class NoNewline(ByteVocabulary):
        @property
        def token_bytes(self) -> list[bytes]:
            return [b"" if t == b"\n" else t for t in super().token_bytes]

    vocabulary = NoNewline(vocabularies.special_tokens(127))
    with pytest.raises(GrammarError):
        Bodies.build(Codec(vocabularies.LINES, vocabulary))


def test_tokens_a_state_cannot_close_behind_are_pruned() -> None:
    # Without continuation bytes a lead byte would be a dead end.
    class Ascii(ByteVocabulary):
        @property
        def token_bytes(self) -> list[bytes]:
            return [b"" if t and 0x80 <= t[0] < 0xC0 else t for t in super().token_bytes]

    made = Bodies.build(Codec(vocabularies.LINES, Ascii(vocabularies.special_tokens(127))))
    assert all(t < 0x80 or t >= 0x100 for t in made.allowed(made.gen()).tolist())


def test_building_is_deterministic() -> None:
    assert Bodies.build(vocabularies.codec("qwen_like")).to_bytes() == bodies("qwen_like").to_bytes()
