"""The automata held against llguidance, state by state, and inner grammars.

Masks are equal except for tokens that go on behind a newline (text is tokenised line by line) and tokens that complete a tag in
other tokens than the canonical ones. Which tokens those are is worked out here from the bytes alone.
"""

from __future__ import annotations

import codecs
import random
from collections.abc import Sequence

import numpy as np
import pytest

import vocabularies
from copydesk.codec import Codec, Ids
from copydesk.errors import GrammarError
from copydesk.grammar.acceptor import Acceptor, State
from copydesk.grammar.bodies import CLOSED, CLOSED_UNTERMINATED
from copydesk.grammar.lark import (
    InnerGrammar,
    choice_grammar,
    gen_grammar,
    names_grammar,
    new_grammar,
)
from grammar_pages import TAGS, bodies, random_acceptor, random_token

NAMES = list(vocabularies.CODECS)


class Kind:
    """One kind of generated text: its llguidance grammar, its start state, and how it may close, from first principles."""

    def __init__(self, name: str, which: str) -> None:
        self.codec: Codec = vocabularies.codec(name)
        self.which = which
        made, lit = bodies(name), self.codec.literals
        self.source = {
            "gen": gen_grammar(self.codec),
            "gen drop": gen_grammar(self.codec, drop_eol=True),
            "sub": new_grammar(self.codec),
            "sub line": new_grammar(self.codec, ends_line=True),
        }[which]
        self.start = {
            "gen": made.gen(),
            "gen drop": made.gen(True),
            "sub": made.sub(),
            "sub line": made.sub(True),
        }[which]
        self.close = lit.gen_close if which.startswith("gen") else lit.sub_close
        self.no_eol = lit.no_eol

    def may_close(self, tokens: Sequence[int]) -> list[Ids]:
        """Literals that may begin behind the text spelled by `tokens`."""
        table = self.codec.vocabulary.token_bytes
        text = b"".join(table[t] for t in tokens)
        try:
            text.decode()
        except UnicodeDecodeError:
            return []
        if self.which == "sub" or (text and text.endswith(b"\n")):
            return [self.close]
        return [self.no_eol + self.close] if text and self.which == "gen drop" else []

    def is_canonical(self, tokens: Sequence[int]) -> bool:
        """Whether `tokens` end inside or at the end of a closing literal spelled canonically."""
        for size in range(1, 1 + len(self.no_eol) + len(self.close)):
            if size <= len(tokens):
                head, tail = tokens[: len(tokens) - size], tuple(tokens[len(tokens) - size :])
                if any(literal[:size] == tail for literal in self.may_close(head)):
                    return True
        return False


def utf8_prefix(text: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(text)
    except UnicodeDecodeError:
        return False
    return True


def check_masks(kind: Kind, grammar: InnerGrammar, state: int, tokens: list[int], name: str) -> None:
    table = kind.codec.vocabulary.token_bytes
    ours, theirs = set(bodies(name).allowed(state).tolist()), set(grammar.allowed().tolist())
    assert ours <= theirs
    text = b"".join(table[t] for t in tokens)
    # Long enough for any tag, and cut where a character begins.
    tail = text[-24:].lstrip(bytes(range(0x80, 0xC0))) if len(text) > 24 else text
    for token in theirs:
        spelled = table[token]
        crosses = b"\n" in spelled[:-1]
        tagged = kind.codec.tagged and any(tag in tail + spelled for tag in TAGS)
        excepted = crosses or (tagged and not kind.is_canonical([*tokens, token]))
        assert (token in ours) != excepted, (tokens[-8:], spelled)
    broken = {t for t, spelled in enumerate(table) if spelled and not utf8_prefix(tail + spelled)}
    assert not broken & (ours | theirs)


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


@pytest.mark.parametrize("which", ["gen", "gen drop", "sub", "sub line"])
@pytest.mark.parametrize("name", NAMES)
def test_text_masks_equal_llguidance_in_every_state(name: str, which: str) -> None:
    kind = Kind(name, which)
    pristine = InnerGrammar(kind.source, kind.codec.vocabulary)
    found = ways(name, kind.start)
    assert len(found) > (30 if kind.codec.tagged else 8)
    for state, tokens in found.items():
        grammar = pristine.copy()
        for token in tokens:
            grammar.advance(token)
        assert grammar.is_accepting == (state in (CLOSED, CLOSED_UNTERMINATED))
        check_masks(kind, grammar, state, tokens, name)


@pytest.mark.parametrize("which", ["gen", "gen drop", "sub", "sub line"])
@pytest.mark.parametrize("name", NAMES)
def test_text_masks_equal_llguidance_along_random_texts(name: str, which: str) -> None:
    kind = Kind(name, which)
    made, vocabulary = bodies(name), kind.codec.vocabulary
    pristine = InnerGrammar(kind.source, vocabulary)
    rng = random.Random(11)
    for _ in range(8):
        grammar, state, tokens = pristine.copy(), kind.start, list[int]()
        planned: list[int] = []
        for _ in range(14):
            check_masks(kind, grammar, state, tokens, name)
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


def phase_grammar(acceptor: Acceptor, state: State) -> str:
    """The llguidance grammar of what is being spelled, rebuilt from rules and codec for this one state."""
    codec, rules, between = acceptor.codec, acceptor.rules, state.between
    lit = codec.literals
    match state.phase:
        case "op":
            opens = {"copy": lit.copy_open, "gen": lit.gen_open, "sub": lit.sub_open, "end": lit.end}
            return choice_grammar(opens[op] for op in rules.options(between))
        case "start":
            return choice_grammar(codec.copy_start(i) for i in rules.copy_starts(between))
        case "end":
            return choice_grammar(
                codec.copy_end(j) for ends in rules.copy_ends(between, state.line) for j in ends
            )
        case "line":
            return choice_grammar(codec.sub_start(i) for i in rules.sub_starts(between))
        case "old":
            runs = acceptor.olds.legal_runs(state.line, rules.sub_limit(state.line))
            return choice_grammar(run + lit.sub_to for run in runs)
    raise AssertionError(state.phase)


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


def test_names_grammar_refuses_nothing_to_choose() -> None:
    for names in ([], [""], ["a", ""]):
        with pytest.raises(GrammarError):
            names_grammar(names)
