"""The grammars that servers are sent: both spell the language that the rules allow, tried on thousands of programs."""

from __future__ import annotations

import random

import llguidance
import pytest

import vocabularies
from copydesk.errors import GrammarError
from copydesk.grammar.bodies import ILLEGAL
from copydesk.grammar.fenced import FencedText
from copydesk.grammar.gbnf import gbnf
from copydesk.grammar.lark import _Hashed, _tokenizer
from copydesk.grammar.llguidance_source import llguidance_source
from copydesk.grammar.token_grammar import (
    TokenGrammar,
    denied,
    fenced_text,
    new_text,
    one_of,
    program_grammar,
)
from copydesk.prompting.codec import Codec
from copydesk.prompting.vocabulary import TokenTable
from copydesk_benchmarks.acceptor import Acceptor
from gbnf_matcher import GbnfMatcher
from grammar_pages import bodies, random_acceptor, random_stream

NAME = "line_tokens"
TOLD = 8
"""Programs of each page, and as many that were changed at random."""


def specials(codec: Codec) -> dict[int, str]:
    assert isinstance(codec.vocabulary, TokenTable)
    return {index: name for name, index in codec.vocabulary.specials.items()}


class Server:
    """One grammar as both kinds of server read it."""

    def __init__(self, grammar: TokenGrammar, codec: Codec) -> None:
        self._codec, self._specials = codec, specials(codec)
        source = llguidance.LLMatcher.grammar_from_lark(llguidance_source(grammar))
        self._llguidance = llguidance.LLMatcher(_tokenizer(_Hashed(codec.vocabulary)), source, log_level=0)
        assert not self._llguidance.is_error(), self._llguidance.get_error()
        self._gbnf = GbnfMatcher(gbnf(grammar, self._specials))
        self._denied = set(denied(grammar, codec.vocabulary.token_bytes))

    def llguidance(self, ids: list[int]) -> bool:
        matcher = self._llguidance.deep_copy()
        return matcher.try_consume_tokens(ids) == len(ids) and matcher.is_accepting()

    def gbnf(self, ids: list[int]) -> bool:
        """The text of a character that is cut into tokens comes with the last of them."""
        if self._denied.intersection(ids):
            return False
        table = self._codec.vocabulary.token_bytes
        pieces: list[tuple[int, str]] = []
        held = b""
        for token in ids:
            if held and not table[token]:
                return False  # a special token inside a character
            held += table[token]
            try:
                text, held = held.decode(), b""
            except UnicodeDecodeError:
                text = ""
            pieces.append((token, self._specials.get(token, text)))
        return not held and self._gbnf.accepts(pieces)


def legal(acceptor: Acceptor, ids: list[int]) -> tuple[bool, bool]:
    """Whether it is a program, and whether it is one of those GBNF has, too: llama.cpp takes no part of a character by its id,
    and new text may not spell a special token.
    """
    vocabulary = acceptor.codec.vocabulary
    state, written, whole = acceptor.start(), "", True
    for token in ids:
        if acceptor.done(state) or token not in acceptor.allowed(state):
            return False, False
        cut = "\ufffd" in vocabulary.token_bytes[token].decode("utf-8", "replace")
        whole = whole and not (cut and state.phase == "old")
        if state.phase == "text":
            written += vocabulary.decode([token]) or " "
        state = acceptor.advance(state, token)
    names = specials(acceptor.codec).values()
    return acceptor.done(state), acceptor.done(state) and whole and not any(name in written for name in names)


def changed(rng: random.Random, ids: list[int], codec: Codec) -> list[int]:
    """One token left out, doubled, swapped with the next or replaced by one that means something."""
    ids = list(ids)
    at = rng.randrange(len(ids))
    meaning = sorted(specials(codec))
    match rng.randrange(4):
        case 0:
            del ids[at]
        case 1:
            ids.insert(at, ids[at])
        case 2:
            ids[at : at + 2] = reversed(ids[at : at + 2])
        case _:
            ids[at] = rng.choice(meaning)
    return ids


def compare(seed: int, programs: int) -> tuple[int, int]:
    """How many were legal, and how many not."""
    rng = random.Random(seed)
    codec = vocabularies.codec(NAME)
    counts = [0, 0]
    while sum(counts) < programs:
        acceptor, views, lines = random_acceptor(rng, NAME)
        rules = acceptor.rules
        grammar = program_grammar(
            codec, rules, rules.start(), [()] * len(lines), acceptor.olds, most_olds=100_000
        )
        if not grammar.subs:
            continue  # too many old texts for any server
        server = Server(grammar, codec)
        for _ in range(TOLD):
            told = random_stream(rng, acceptor, [()] * len(lines), budget=60)
            for ids in (told, changed(rng, told, codec)):
                expected, in_gbnf = legal(acceptor, ids)
                assert server.llguidance(ids) == expected, (views, rules.scope, ids)
                assert server.gbnf(ids) == in_gbnf, (views, rules.scope, ids)
                counts[not expected] += 1
    return counts[0], counts[1]


def test_both_grammars_say_what_the_rules_say() -> None:
    right, wrong = compare(1, 600)
    assert right > 200
    assert wrong > 200


@pytest.mark.slow
def test_both_grammars_say_what_the_rules_say_of_many_programs() -> None:
    right, wrong = compare(2, 1_600)
    assert right > 600
    assert wrong > 600


def test_subs_are_left_out_where_there_are_too_many_old_texts() -> None:
    codec = vocabularies.codec(NAME)
    views = ["total = first + second\n", "return total\n"]
    acceptor = Acceptor.for_page(codec, views, [codec.line(view) for view in views], [(1, 1)], bodies(NAME))
    lines = [codec.line(view) for view in views]
    start = acceptor.rules.start()
    every = program_grammar(codec, acceptor.rules, start, lines, acceptor.olds)
    few = program_grammar(codec, acceptor.rules, start, lines, acceptor.olds, most_olds=3)
    assert every.subs
    assert not few.subs
    assert codec.literals.sub_open[0] in every.tokens
    assert codec.literals.sub_open[0] not in few.tokens
    ids = [
        *codec.literals.gen_open,
        *codec.body("x = 1\n"),
        *codec.literals.gen_close,
        *codec.literals.copy_open,
    ]
    ids += [*codec.copy_start(2), *codec.copy_end(2), *codec.literals.end]
    for grammar in (every, few):
        server = Server(grammar, codec)
        assert server.llguidance(ids)
        assert server.gbnf(ids)


def test_spans_are_in_the_grammar_where_the_format_shows_them() -> None:
    codec = vocabularies.codec(NAME)
    assert codec.format.after_copy == "span"
    views = ["a = 1\n", "b = 2\n", "c = 3\n"]
    lines = [codec.line(view) for view in views]
    acceptor = Acceptor.for_page(codec, views, lines, [(2, 2)], bodies(NAME))
    server = Server(
        program_grammar(codec, acceptor.rules, acceptor.rules.start(), lines, acceptor.olds), codec
    )
    lit = codec.literals
    ids = [*lit.copy_open, *codec.copy_start(1), *codec.copy_end(1), *lines[0]]
    ids += [*lit.copy_open, *codec.copy_start(3), *codec.copy_end(3), *lit.end]
    assert server.llguidance(ids)
    assert server.gbnf(ids)
    without = [token for k, token in enumerate(ids) if not 3 <= k < 3 + len(lines[0])]
    assert not server.llguidance(without)
    assert not server.gbnf(without)


def test_choices_and_texts() -> None:
    codec = vocabularies.codec(NAME)
    lit = codec.literals
    words = [codec.fragment(word) + lit.gen_close for word in ("x", "xy", "total")]
    choice = Server(one_of(words), codec)
    assert [choice.gbnf(list(word)) and choice.llguidance(list(word)) for word in words] == [True] * 3
    assert not choice.gbnf(list(words[0][:-1]))
    gen = Server(new_text([("lines", lit.gen_close), ("open", lit.no_eol + lit.gen_close)]), codec)
    for text, close, right in (
        ("a\n\nb\n", lit.gen_close, True),
        ("a\nb", lit.gen_close, False),
        ("a\nb", lit.no_eol + lit.gen_close, True),
        ("a\n", lit.no_eol + lit.gen_close, False),
        ("", lit.gen_close, False),
        ("a <b < /> é日\n", lit.gen_close, True),
    ):
        ids = [*codec.fragment(text), *close]
        assert gen.llguidance(ids) == right, text
        assert gen.gbnf(ids) == right, text


@pytest.mark.parametrize("ticks", [3, 4])
def test_fenced_text_is_the_automatons(ticks: int) -> None:
    vocabulary = vocabularies.plain_bytes()
    codec = vocabularies.codec("bytes")
    server = Server(fenced_text(ticks), codec)
    text = FencedText(vocabulary, ticks)
    rng = random.Random(ticks)
    counts = [0, 0]
    for _ in range(2000):
        written = "".join(
            rng.choice(["`", "``", "`" * ticks, "\n", " ", "x", "\t"]) for _ in range(rng.randint(0, 8))
        )
        written += rng.choice(["`" * ticks, ""])
        state = text.start
        for byte in written.encode():
            state = text.advance(state, byte) if state not in (ILLEGAL, text.closed) else ILLEGAL
        expected = state == text.closed
        counts[expected] += 1
        assert server.llguidance(list(written.encode())) == expected, written
        assert server.gbnf(list(written.encode())) == expected, written
    assert min(counts) > 100


def test_names_that_cannot_be_kept_out_of_text_are_refused() -> None:
    grammar = new_text([("lines", (7,))])
    assert gbnf(grammar, {7: "<end>"})
    for name in ("[end]", "<<end>"):
        with pytest.raises(GrammarError, match="angle brackets"):
            gbnf(grammar, {7: name})
