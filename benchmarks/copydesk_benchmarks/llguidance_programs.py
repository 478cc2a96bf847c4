"""Whole programs through llguidance, token by token: each token must be in its mask, each piece must end where it accepts.

One grammar a phase (an op, a number, an old text, new text), by `llguidance_grammars.py`; at sampled states its mask is held
against the automaton's own. Knows automata and tokens; no models.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from copydesk.errors import GrammarError
from copydesk.grammar.bodies import Bodies
from copydesk.grammar.lark import InnerGrammar
from copydesk.prompting.codec import Codec, Ids
from copydesk_benchmarks.acceptor import Acceptor, State
from copydesk_benchmarks.llguidance_masks import WHICH, TextKind, phase_grammar


@dataclass(slots=True)
class Agreement:
    """What one program showed. tokens: those llguidance was asked about. masks: states at which both masks were compared whole.
    problem: the first disagreement, in words; None where there is none.
    """

    tokens: int = 0
    masks: int = 0
    phases: set[str] = field(default_factory=set)
    problem: str | None = None


class ProgramChecker:
    """Checks programs of one codec. Keeps the grammars of new text, which are the same for every page."""

    def __init__(self, codec: Codec, bodies: Bodies) -> None:
        self._codec, self._bodies = codec, bodies
        kinds = [TextKind(codec, bodies, which) for which in WHICH]
        self._kinds = {(kind.which.startswith("sub"), kind.start): kind for kind in kinds}

    def check(
        self, acceptor: Acceptor, lines: Sequence[Ids], stream: Sequence[int], compare: Callable[[], bool]
    ) -> Agreement:
        """Follow `stream`, a program's tokens behind `program_open` with what copies put into the context.

        lines: tokens of the page's lines. compare: whether to compare whole masks at the next state.
        """
        found = Agreement()
        try:
            self._follow(acceptor, lines, stream, compare, found)
        except (GrammarError, _DisagreementError) as error:
            found.problem = f"{error}, behind {found.tokens} tokens"
        return found

    def _follow(
        self,
        acceptor: Acceptor,
        lines: Sequence[Ids],
        stream: Sequence[int],
        compare: Callable[[], bool],
        found: Agreement,
    ) -> None:
        state, at = acceptor.start(), 0
        grammar: InnerGrammar | None = None
        kind: TextKind | None = None
        spelled: list[int] = []
        while not acceptor.done(state):
            if grammar is None:
                if state.pending_span:
                    at += _span(self._codec, lines, state, stream[at:])
                kind = self._kinds[state.end_line > 0, state.body] if state.phase == "text" else None
                grammar = (
                    kind.pristine.copy()
                    if kind
                    else InnerGrammar(phase_grammar(acceptor, state), self._codec.vocabulary)
                )
                spelled = []
            if at >= len(stream):
                raise _DisagreementError(f"the program ends early, at {state.phase}")
            if compare():
                found.masks += 1
                self._compare(acceptor, state, grammar, kind, spelled)
            token = stream[at]
            if not (grammar.mask()[token >> 5] >> np.uint32(token & 31)) & 1:
                raise _DisagreementError(f"llguidance's mask lacks token {token} at {state.phase}")
            grammar.advance(token)
            behind = acceptor.advance(state, token)
            at += 1
            spelled.append(token)
            found.tokens += 1
            found.phases.add(state.phase)
            over = _begins(behind) != _begins(state)
            if over != grammar.is_accepting:
                raise _DisagreementError(f"only one of the two says that {state.phase} is complete")
            if over:
                grammar = None
            state = behind
        if at != len(stream):
            raise _DisagreementError(f"{len(stream) - at} tokens behind the program's end")

    def _compare(
        self,
        acceptor: Acceptor,
        state: State,
        grammar: InnerGrammar,
        kind: TextKind | None,
        spelled: Sequence[int],
    ) -> None:
        if kind is None:
            differ = np.setxor1d(grammar.allowed(), acceptor.allowed(state)).tolist()
            if not differ and not np.array_equal(grammar.mask(), acceptor.mask(state)):
                raise _DisagreementError(f"equal sets, but other masks at {state.phase}")
        else:
            differ = kind.disagreements(grammar, state.body, spelled)
        if differ:
            raise _DisagreementError(
                f"{len(differ)} tokens in one mask only at {state.phase}, as {differ[:3]}"
            )


class _DisagreementError(Exception):
    """Where the two part, in words."""


def _begins(state: State) -> tuple[object, ...]:
    """Equal as long as the same piece is being spelled."""
    return state.phase, state.between, state.line, state.end_line


def _span(codec: Codec, lines: Sequence[Ids], state: State, rest: Sequence[int]) -> int:
    """How many tokens the copy behind us put into the context."""
    assert state.pending_span is not None
    span = codec.span(lines, *state.pending_span)
    if list(rest[: len(span)]) != span:
        raise _DisagreementError(f"the context does not show what a copy of lines {state.pending_span} shows")
    return len(span)
