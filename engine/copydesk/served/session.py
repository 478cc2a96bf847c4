"""One server in use: its dialect, what it was found to be able to do, and the grammars its requests get."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from copydesk.decode.sampling import Sampler
from copydesk.decode.text_automata import (
    BodyTables,
    FenceMachine,
    InnerMachine,
    Machine,
    OldMachine,
    TextMachine,
)
from copydesk.grammar.token_grammar import TokenGrammar, denied, fenced_text, new_text, one_of
from copydesk.prompting.codec import Codec
from copydesk.served.dialect import Description, Dialect, Generated, Generation, Judged, Scored
from copydesk.served.http_client import Call
from copydesk.served.prompts import Wire

Way: TypeAlias = Literal["decisions", "whole"]
"""How a program is decoded: a request for every decision, or one for all that is left of the program."""
MOST_SCORED = 16
"""Nodes of a choice that are scored, a request each; a larger one is made by the server under a grammar."""


@dataclass(slots=True)
class Session:
    """`codec` and `tables` are None for a model that rewrites text. round_trip: seconds of a request for one token."""

    dialect: Dialect
    description: Description
    wire: Wire
    codec: Codec | None = None
    tables: BodyTables | None = None
    way: Way = "decisions"
    round_trip: float = 0.0
    _denied: list[int] | None = field(default=None, repr=False)

    @property
    def most_scored(self) -> int:
        """0 where the server tells no log probabilities, or knows none of our tokens."""
        return MOST_SCORED if self.dialect.abilities.scores and self.codec is not None else 0

    def score(self, prompt: Sequence[int], tokens: Sequence[int], call: Call) -> Scored:
        """Log probabilities of `tokens` behind `prompt`. Raises ServerError."""
        return self.dialect.score(prompt, tokens, call)

    def judge(self, prompt: Sequence[int], token: int, call: Call) -> Judged:
        """As the dialect's. Raises ServerError."""
        return self.dialect.judge(prompt, token, call)

    def generate(
        self,
        tokens: Sequence[int],
        grammar: TokenGrammar,
        most: int,
        sampler: Sampler,
        call: Call,
        seed: int = 0,
    ) -> Generated:
        """What the server writes behind `tokens`. Raises ServerError."""
        asked = Generation(
            self.wire.prompt(tokens),
            grammar if self.dialect.abilities.grammars else None,
            most,
            self._never(grammar) if grammar.has_text else (),
            sampler.temperature,
            sampler.top_p,
            seed,
        )
        return self.dialect.generate(asked, call)

    def grammar(self, machine: Machine, written: Sequence[int]) -> TokenGrammar:
        """A grammar that has all of `machine`'s texts in it, without the tokens that are written already; where it has more, what
        comes back is still checked by the machine."""
        if isinstance(machine, FenceMachine):
            return fenced_text(len(machine.fence))
        assert self.codec is not None
        assert self.tables is not None
        literals = self.codec.literals
        if isinstance(machine, OldMachine):
            skip = len(written)
            runs = [run + literals.sub_to for run in machine.runs()]
            return one_of([run[skip:] for run in runs if list(run[:skip]) == list(written)])
        start = machine.start
        if isinstance(machine, InnerMachine):
            start = machine.start.body
        bodies = self.tables.bodies
        if isinstance(machine, TextMachine | InnerMachine):
            if start == bodies.gen():
                return new_text([("lines", literals.gen_close)])
            if start == bodies.gen(True):
                return new_text(
                    [("lines", literals.gen_close), ("open", literals.no_eol + literals.gen_close)]
                )
            if start == bodies.sub(True):
                return new_text([("lines", literals.sub_close)])
        return new_text([("any", literals.sub_close)])

    def respelled(self, tokens: Sequence[int]) -> list[int]:
        """The same text in our own tokens, up to the first special one; the rest as it is."""
        if self.codec is None:
            return list(tokens)
        table = self.codec.vocabulary.token_bytes
        end = next((k for k, token in enumerate(tokens) if not table[token]), len(tokens))
        return [*self.codec.fragment(self.codec.vocabulary.decode(tokens[:end])), *tokens[end:]]

    def _never(self, grammar: TokenGrammar) -> list[int]:
        if self.codec is None:
            return []
        if self._denied is None:
            self._denied = denied(TokenGrammar({}), self.codec.vocabulary.token_bytes)
        named = grammar.tokens
        return [token for token in self._denied if token not in named]
