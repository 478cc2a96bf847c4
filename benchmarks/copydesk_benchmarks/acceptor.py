"""A whole program on one page, token by token: deterministic, canonical tokens only, never a dead end.

Composes the rules of ops (`rules`), the spelling of literals and numbers (`codec`), old texts (`olds`) and
generated text (`bodies`). It accepts exactly what `Codec.encode_program` writes for legal programs, except
that the tokens of a copied span are not its business: `State.pending_span` says that they come next in the
context, and `advance` carries on behind them. Knows no model and no sampling.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from copydesk.errors import GrammarError
from copydesk.grammar import rules as ordering
from copydesk.grammar.bodies import CLOSED_UNTERMINATED, ILLEGAL, Bodies
from copydesk.grammar.olds import Olds, OldState
from copydesk.grammar.rules import Range, Rules
from copydesk.prompting.codec import Codec, Ids

Phase = Literal["op", "start", "end", "line", "old", "text", "done"]


class State(NamedTuple):
    """Where a token stream stands.

    `phase` is what is being spelled: an op's opening literal, a copy's first line (`start`) or last line
    (`end`), a sub's first line (`line`), its old text, generated text; or `done`. `between` is the state of
    `Rules` at the last op boundary. `pending_span` is set only directly behind a copy whose lines follow in
    the context.
    """

    phase: Phase
    between: ordering.State
    node: int = 0
    """Place in the trie of the phase's spellings."""
    line: int = 0
    """First line of the copy or sub being spelled."""
    old: OldState | None = None
    body: int = ILLEGAL
    """State of `Bodies` while text is generated."""
    end_line: int = 0
    """Last line of the sub whose new text is generated; 0 in a gen."""
    pending_span: Range | None = None


class _Choice:
    """A finite set of spellings: for each node its next tokens, leading to another node or (complemented)
    to an outcome."""

    __slots__ = ("allowed", "outcomes", "steps")

    def __init__(self, spellings: Iterable[tuple[Ids, int]]) -> None:
        self.steps: list[dict[int, int]] = [{}]
        self.outcomes: list[int] = []
        for ids, outcome in spellings:
            node = 0
            for token in ids[:-1]:
                if token not in self.steps[node]:
                    self.steps[node][token] = len(self.steps)
                    self.steps.append({})
                node = self.steps[node][token]
            self.steps[node][ids[-1]] = ~len(self.outcomes)
            self.outcomes.append(outcome)
        self.allowed = [np.array(sorted(step), np.int64) for step in self.steps]

    def remaining(self, node: int) -> list[tuple[Ids, int]]:
        """(tokens still missing, outcome) of every spelling below `node`."""
        out: list[tuple[Ids, int]] = []
        for token, behind in self.steps[node].items():
            if behind < 0:
                out.append(((token,), self.outcomes[~behind]))
            else:
                out += [((token, *rest), outcome) for rest, outcome in self.remaining(behind)]
        return out


_OPS = ("copy", "gen", "sub", "end")


class Acceptor:
    """The acceptor of one page and scope. States are plain values of one acceptor; it caches what it
    derives from them."""

    def __init__(self, codec: Codec, rules: Rules, olds: Olds, bodies: Bodies) -> None:
        self.codec, self.rules, self.olds, self.bodies = codec, rules, olds, bodies
        self._choices: dict[tuple[Phase, ordering.State, int], _Choice] = {}
        self._olds_allowed: dict[OldState, NDArray[np.int64]] = {}
        self._rows: dict[bytes, NDArray[np.uint32]] = {}
        lit = codec.literals
        self._open: tuple[Ids, ...] = (lit.copy_open, lit.gen_open, lit.sub_open, lit.end)

    @classmethod
    def for_page(
        cls,
        codec: Codec,
        views: Sequence[str],
        lines: Sequence[Ids],
        scope: Sequence[Range],
        bodies: Bodies,
        *,
        at_end: bool = True,
    ) -> Acceptor:
        """The acceptor of a page with lines `views` (view text) and `lines` (their tokens). Raises
        ScopeError."""
        olds = Olds(codec, views, lines)
        unterminated = bool(views) and not views[-1].endswith("\n")
        rules = Rules(
            len(views),
            tuple(scope),
            unterminated=unterminated,
            at_end=at_end,
            sub=codec.format.sub,
            has_old=olds.has_legal_old,
        )
        return cls(codec, rules, olds, bodies)

    def start(self) -> State:
        """State behind `program_open`."""
        return State("op", self.rules.start())

    def done(self, state: State) -> bool:
        return state.phase == "done"

    # -- one step ----------------------------------------------------------------------------------------------------

    def allowed(self, state: State) -> NDArray[np.int64]:
        """Legal next tokens, ascending; empty only when done (cached; do not write)."""
        match state.phase:
            case "text":
                return self.bodies.allowed(state.body)
            case "old":
                assert state.old is not None
                found = self._olds_allowed.get(state.old)
                if found is None:
                    found = self._olds_allowed[state.old] = np.array(self.olds.allowed(state.old), np.int64)
                return found
            case "done":
                return np.empty(0, np.int64)
        return self._choice(state).allowed[state.node]

    def mask(self, state: State) -> NDArray[np.uint32]:
        """Legal next tokens as a packed row, like `Bodies.masks` (cached; do not write)."""
        if state.phase == "text":
            row: NDArray[np.uint32] = self.bodies.masks[state.body]
            return row
        tokens = self.allowed(state)
        key = tokens.tobytes()
        cached = self._rows.get(key)
        if cached is None:
            cached = self._rows[key] = np.zeros((len(self.bodies.classes) + 31) // 32, np.uint32)
            np.bitwise_or.at(cached, tokens >> 5, np.uint32(1) << (tokens & 31).astype(np.uint32))
        return cached

    def advance(self, state: State, token: int) -> State:
        """State behind `token`. Raises GrammarError if it may not come."""
        phase = state.phase
        if phase == "text":
            body = self.bodies.advance(state.body, token)
            if body > CLOSED_UNTERMINATED:
                return State("text", state.between, 0, state.line, None, body, state.end_line)
            if body != ILLEGAL:
                return self._behind_text(state, body == CLOSED_UNTERMINATED)
        elif phase == "old":
            assert state.old is not None
            old = self.olds.advance(state.old, token)
            if old is not None:
                if old.done is None:
                    return State("old", state.between, 0, state.line, old)
                body = self.bodies.sub(old.done.ends_line)
                return State("text", state.between, 0, state.line, None, body, old.done.end_line)
        elif phase != "done":
            choice = self._choice(state)
            behind = choice.steps[state.node].get(token)
            if behind is not None:
                if behind >= 0:
                    return State(phase, state.between, behind, state.line)
                return self._behind(state, choice.outcomes[~behind])
        raise GrammarError(f"token {token} may not come while spelling {phase}")

    def forced(self, state: State) -> Ids:
        """The longest run of tokens that can only come one way. It stops behind a copy whose span goes into
        the context first."""
        run: list[int] = []
        while True:
            tokens = self.allowed(state)
            if len(tokens) != 1:
                return tuple(run)
            run.append(int(tokens[0]))
            state = self.advance(state, run[-1])
            if state.pending_span:
                return tuple(run)

    def _choice(self, state: State) -> _Choice:
        key = (state.phase, state.between, state.line)
        choice = self._choices.get(key)
        if choice is None:
            choice = self._choices[key] = _Choice(self._spellings(*key))
        return choice

    def _spellings(self, phase: Phase, between: ordering.State, line: int) -> list[tuple[Ids, int]]:
        codec, rules = self.codec, self.rules
        match phase:
            case "op":
                return [(self._open[k], k) for k in (_OPS.index(op) for op in rules.options(between))]
            case "start":
                return [(codec.copy_start(i), i) for i in rules.copy_starts(between)]
            case "end":
                return [(codec.copy_end(j), j) for ends in rules.copy_ends(between, line) for j in ends]
            case "line":
                return [(codec.sub_start(i), i) for i in rules.sub_starts(between)]
        raise GrammarError(f"{phase} is no finite choice")

    def _behind(self, state: State, outcome: int) -> State:
        """State behind a completed spelling."""
        between, rules = state.between, self.rules
        match state.phase:
            case "op":
                match _OPS[outcome]:
                    case "copy":
                        return State("start", between)
                    case "gen":
                        return State("text", between, body=self.bodies.gen(rules.may_drop_eol(between)))
                    case "sub":
                        return State("line", between)
                return State("done", between)
            case "start":
                return State("end", between, line=outcome)
            case "line":
                old = self.olds.start(outcome, rules.sub_limit(outcome))
                return State("old", between, line=outcome, old=old)
        span = (state.line, outcome) if outcome < rules.lines or rules.open_end else None
        return State("op", rules.after_copy(between, state.line, outcome), pending_span=span)

    def _behind_text(self, state: State, unterminated: bool) -> State:
        if state.end_line:
            return State("op", self.rules.after_sub(state.between, state.end_line))
        return State("op", self.rules.after_gen(state.between, unterminated))

    # -- the shortest way out ----------------------------------------------------------------------------------------

    def closing_path(self, state: State) -> Ids:
        """Few tokens that end the program from `state` (spans, which `advance` reports on the way, not
        among them).

        It prefers to keep lines: open texts are closed, then the rest of the page is copied. Empty if the
        program is done.
        """
        path: list[int] = []
        while state.phase != "done":
            step = self._closing_step(state)
            path += step
            for token in step:
                state = self.advance(state, token)
        return tuple(path)

    def _closing_step(self, state: State) -> Ids:
        match state.phase:
            case "text":
                return self.bodies.closing_path(state.body)
            case "old":
                assert state.old is not None
                return self.olds.closing_path(state.old)
        ways = self._choice(state).remaining(state.node)
        match state.phase:
            case "op":
                # End, else copy the rest, else (behind a copy that must not go on) a gen.
                order = {"end": 0, "copy": 1, "gen": 2, "sub": 3}
                if state.between.previous == "copy" and not self.rules.deletable(
                    state.between.position + 1, self.rules.lines
                ):
                    order["gen"] = 1
                    order["copy"] = 2
                return min(ways, key=lambda way: order[_OPS[way[1]]])[0]
            case "start":
                return min(ways, key=lambda way: way[1])[0]
            case "end":
                return max(ways, key=lambda way: way[1])[0]
        return min(ways, key=lambda way: len(way[0]))[0]
