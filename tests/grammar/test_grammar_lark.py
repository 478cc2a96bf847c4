"""The automata held against llguidance, state by state, and inner grammars."""

from __future__ import annotations

import codecs
import random
from collections.abc import Sequence

import numpy as np
import pytest

import vocabularies
from copydesk.errors import GrammarError
from copydesk.grammar.bodies import CLOSED, CLOSED_UNTERMINATED
from copydesk.grammar.lark import InnerGrammar
from copydesk_benchmarks.llguidance_grammars import choice_grammar
from copydesk_benchmarks.llguidance_masks import WHICH, TextKind, Which, phase_grammar
from grammar_pages import bodies, random_acceptor, random_token

NAMES = list(vocabularies.CODECS)


def text_kind(name: str, which: Which) -> TextKind:
    return TextKind(vocabularies.codec(name), bodies(name), which)


def utf8_prefix(text: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(text)
    except UnicodeDecodeError:
        return False
    return True


def check_masks(kind: TextKind, grammar: InnerGrammar, state: int, tokens: list[int]) -> None:
    assert not kind.disagreements(grammar, state, tokens), tokens[-8:]
    table, tail = kind.codec.vocabulary.token_bytes, kind.tail(tokens)
    broken = {t for t, spelled in enumerate(table) if spelled and not utf8_prefix(tail + spelled)}
    assert not broken & {*kind.bodies.allowed(state).tolist(), *grammar.allowed().tolist()}


SNIPPETS = (
    "</gen>", "</gen", "</", "<", "<noeol/>", "<noeol", "</sub", "<\\/gen>", "é", "日本", "\U0001f600", "\n", "\n\n", "  ",
    "def f(x):\n", "><", "</olde", "/></", "x",
)  # fmt: skip


def ways(name: str, start: int) -> dict[int, list[int]]:
    """A shortest run of tokens to every state that `start` leads to."""
    made, found, todo = bodies(name), {start: list[int]()}, [start]
    for state in todo:
        for token in made.allowed(state).tolist():
            behind = made.advance(state, token)
            if behind not in found:
                found[behind] = [*found[state], token]
                todo.append(behind)
    return found


@pytest.mark.parametrize("which", WHICH)
@pytest.mark.parametrize("name", NAMES)
def test_text_masks_equal_llguidance_in_every_state(name: str, which: Which) -> None:
    kind = text_kind(name, which)
    found = ways(name, kind.start)
    assert len(found) > (30 if kind.codec.tagged else 8)
    for state, tokens in found.items():
        grammar = kind.pristine.copy()
        for token in tokens:
            grammar.advance(token)
        assert grammar.is_accepting == (state in (CLOSED, CLOSED_UNTERMINATED))
        check_masks(kind, grammar, state, tokens)


@pytest.mark.parametrize("which", WHICH)
@pytest.mark.parametrize("name", NAMES)
def test_text_masks_equal_llguidance_along_random_texts(name: str, which: Which) -> None:
    kind = text_kind(name, which)
    made, vocabulary = bodies(name), kind.codec.vocabulary
    rng = random.Random(11)
    for _ in range(8):
        grammar, state, tokens = kind.pristine.copy(), kind.start, list[int]()
        planned: list[int] = []
        for _ in range(14):
            check_masks(kind, grammar, state, tokens)
            allowed = made.allowed(state)
            if not planned:
                draw = rng.random()
                if draw < 0.3:
                    planned = list(made.closing_path(state)[: rng.randint(1, 8)])
                elif draw < 0.7:
                    planned = vocabulary.encode(rng.choice(SNIPPETS))
                    # Broken characters too: single bytes of them, where the vocabulary has those.
                    if rng.random() < 0.3:
                        raw = rng.choice(SNIPPETS).encode()
                        planned = [t for b in raw for t in _byte(vocabulary.token_bytes, b)]
            token = planned.pop(0) if planned else int(allowed[rng.randrange(len(allowed))])
            behind = made.advance(state, token)
            if behind < 0:
                planned = []
                continue
            grammar.advance(token)
            tokens.append(token)
            state = behind
            if state in (CLOSED, CLOSED_UNTERMINATED):
                assert grammar.is_accepting
                assert not len(grammar.allowed())
                break
            assert not grammar.is_accepting


def _byte(table: Sequence[bytes], byte: int) -> list[int]:
    return [next(t for t, spelled in enumerate(table) if spelled == bytes([byte]))]


@pytest.mark.parametrize("name", NAMES)
def test_structural_masks_equal_llguidance_along_random_programs(name: str) -> None:
    rng = random.Random(12)
    phases = set()
    for _ in range(12):
        acceptor, _, _ = random_acceptor(rng, name)
        state, grammar, spelling = acceptor.start(), None, None
        for _ in range(200):
            if acceptor.done(state):
                break
            # A number's or literal's first node begins a new grammar.
            begins = (state.phase, state.between, state.line)
            if state.phase == "text":
                grammar = spelling = None
            elif begins != spelling:
                grammar, spelling = (
                    InnerGrammar(phase_grammar(acceptor, state), acceptor.codec.vocabulary),
                    begins,
                )
            if grammar is not None:
                assert np.array_equal(grammar.allowed(), acceptor.allowed(state)), state
                assert np.array_equal(grammar.mask(), acceptor.mask(state))
                phases.add(state.phase)
            token = (
                acceptor.closing_path(state)[0]
                if state.phase == "text"
                else random_token(rng, acceptor, state)
            )
            if grammar is not None:
                grammar.advance(token)
            state = acceptor.advance(state, token)
    assert phases == {"op", "start", "end", "line", "old"}


def test_choice_grammar_follows_shared_beginnings() -> None:
    vocabulary = vocabularies.plain_bytes()
    grammar = InnerGrammar(choice_grammar([(49, 50), (49, 51, 52), (53,)]), vocabulary)
    assert grammar.allowed().tolist() == [49, 53]
    other = grammar.copy()
    grammar.advance(49)
    assert grammar.allowed().tolist() == [50, 51]
    assert other.allowed().tolist() == [49, 53]
    other.advance(53)
    assert other.is_accepting
    with pytest.raises(GrammarError):
        choice_grammar([])


@pytest.mark.parametrize("source", ["start: (", "start: missing", "start: /[/", "", "start: A\nA: /a/ & /b/"])
def test_bad_grammars_have_a_named_error(source: str) -> None:
    with pytest.raises(GrammarError):
        InnerGrammar(source, vocabularies.plain_bytes())


@pytest.mark.parametrize("name", NAMES)
def test_inner_grammar_at_run_time(name: str) -> None:
    vocabulary = vocabularies.codec(name).vocabulary
    grammar = InnerGrammar('start: "total" /[0-9]{2}/', vocabulary)
    assert vocabulary.decode(grammar.forced()).startswith("tot")
    for token in vocabulary.encode("total"):
        assert not grammar.is_accepting
        grammar.advance(token)
    before = grammar.allowed().tolist()
    with pytest.raises(GrammarError):
        grammar.advance(vocabulary.encode("x")[0])
    assert grammar.allowed().tolist() == before
    assert all(vocabulary.token_bytes[t].isdigit() for t in before)
    assert grammar.accepts(vocabulary.encode("12")) == len(vocabulary.encode("12"))
    assert grammar.accepts(vocabulary.encode("1x")) == 1
