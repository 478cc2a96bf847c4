"""The automata beside llguidance, state by state: the grammar of what is being spelled, and where the two masks differ.

Masks are equal except for tokens that go on behind a newline (text is tokenised line by line) and, with text tags, tokens that
complete a tag in other tokens than the canonical ones. Which tokens those are is worked out here from the bytes alone. Knows
automata; no models.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from copydesk.grammar.bodies import Bodies
from copydesk.grammar.lark import InnerGrammar
from copydesk.prompting.codec import Codec, Ids
from copydesk_benchmarks.acceptor import Acceptor, State
from copydesk_benchmarks.llguidance_grammars import choice_grammar, gen_grammar, new_grammar

Which = Literal["gen", "gen drop", "sub", "sub line"]
WHICH: tuple[Which, ...] = ("gen", "gen drop", "sub", "sub line")
TAGS = (b"</gen>", b"</sub>", b"</old>", b"</new>", b"<noeol/>")
_LONGEST_TAIL = 24
"""Bytes of a text that the longest tag may reach back."""


class TextKind:
    """One kind of generated text: its llguidance grammar, its start state, and how it may close, from first principles.

    which: a gen body, one that may drop its last newline (`gen drop`), a sub's new text, one that ends its line (`sub line`).
    """

    def __init__(self, codec: Codec, bodies: Bodies, which: Which) -> None:
        self.codec, self.bodies, self.which = codec, bodies, which
        lit = codec.literals
        drops, ends_line = which == "gen drop", which == "sub line"
        gen = which.startswith("gen")
        self.source = gen_grammar(codec, drop_eol=drops) if gen else new_grammar(codec, ends_line=ends_line)
        self.start = bodies.gen(drops) if gen else bodies.sub(ends_line)
        self.close = lit.gen_close if gen else lit.sub_close
        self.no_eol = lit.no_eol

    @cached_property
    def pristine(self) -> InnerGrammar:
        """llguidance's grammar at the text's start; copy it."""
        return InnerGrammar(self.source, self.codec.vocabulary)

    @cached_property
    def _crossing(self) -> npt.NDArray[np.bool_]:
        """[V]: tokens with something behind a newline."""
        return np.array([b"\n" in spelled[:-1] for spelled in self.codec.vocabulary.token_bytes])

    def disagreements(self, grammar: InnerGrammar, state: int, tokens: Sequence[int]) -> list[int]:
        """Tokens that only one of the two allows behind the text `tokens`, those left out where only llguidance allows them and
        the line-by-line tokenisation or the canonical spelling of tags says why. state: `Bodies`' state there.
        """
        theirs = grammar.allowed()
        ours = self.bodies.allowed(state)
        excepted = theirs[self._crossing[theirs]]
        if self.codec.tagged:
            excepted = np.union1d(excepted, self._uncanonical(theirs, tokens))
        found: list[int] = np.setxor1d(ours, np.setdiff1d(theirs, excepted)).tolist()
        return found

    def tail(self, tokens: Sequence[int]) -> bytes:
        """The end of the text `tokens`: long enough for any tag, cut where a character begins."""
        text = b"".join(self.codec.vocabulary.token_bytes[t] for t in tokens)
        if len(text) <= _LONGEST_TAIL:
            return text
        return text[-_LONGEST_TAIL:].lstrip(bytes(range(0x80, 0xC0)))

    def _uncanonical(self, candidates: npt.NDArray[np.int64], tokens: Sequence[int]) -> list[int]:
        """Of `candidates` those that complete a tag behind `tokens` in other tokens than the canonical ones."""
        table, tail = self.codec.vocabulary.token_bytes, self.tail(tokens)
        return [
            token
            for token in candidates.tolist()
            if any(tag in tail + table[token] for tag in TAGS) and not self._is_canonical([*tokens, token])
        ]

    def _is_canonical(self, tokens: Sequence[int]) -> bool:
        """Whether `tokens` end inside or at the end of a closing literal spelled canonically."""
        for size in range(1, 1 + len(self.no_eol) + len(self.close)):
            if size <= len(tokens):
                head, tail = tokens[: len(tokens) - size], tuple(tokens[len(tokens) - size :])
                if any(literal[:size] == tail for literal in self._may_close(head)):
                    return True
        return False

    def _may_close(self, tokens: Sequence[int]) -> list[Ids]:
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


def phase_grammar(acceptor: Acceptor, state: State) -> str:
    """The llguidance grammar of the finite choice being spelled in `state`, rebuilt from rules and codec for this one state."""
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
    raise AssertionError(f"{state.phase} is no finite choice")
