"""The languages a decoder writes text in, behind one small face: body tables, old texts, inner grammars.

Every machine is deterministic, has no dead ends and ends with its closing literal. States are immutable, so a draft can be
walked ahead and dropped. Knows automata; nothing of models or lanes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from copydesk.codec import Ids
from copydesk.decode.sampling import TokenSet
from copydesk.grammar.bodies import CLOSED, CLOSED_UNTERMINATED, ILLEGAL, Bodies
from copydesk.grammar.olds import Olds, OldState


class Machine(Protocol):
    """`closed(state)` says the text and its closing literal are complete; no question is asked of a closed state."""

    @property
    def start(self) -> Any: ...

    def tokens(self, state: Any) -> TokenSet:
        """What may come next. Never empty."""
        ...

    def next(self, state: Any, token: int) -> Any | None:
        """The state behind `token`, None if it may not come."""
        ...

    def closed(self, state: Any) -> bool: ...

    def closing(self, state: Any) -> Sequence[int]:
        """A short run of tokens from here to a closed state."""
        ...


class BodyTables:
    """The token sets of a codec's body automaton, made once and shared by all its texts."""

    def __init__(self, bodies: Bodies) -> None:
        self.bodies = bodies
        self._sets: list[TokenSet | None] = [None] * bodies.states

    def tokens(self, state: int) -> TokenSet:
        found = self._sets[state]
        if found is None:
            allow, ids = self.bodies.shorter_list(state)
            found = self._sets[state] = TokenSet(allow=ids) if allow else TokenSet(deny=ids)
        return found

    def gen(self, drop_eol: bool) -> TextMachine:
        return TextMachine(self, self.bodies.gen(drop_eol))

    def new(self, ends_line: bool) -> TextMachine:
        return TextMachine(self, self.bodies.sub(ends_line))


class TextMachine:
    """A gen body or a sub's new text: one table look-up per state."""

    def __init__(self, tables: BodyTables, start: int) -> None:
        self.start = start
        self.tokens = tables.tokens
        self._advance = tables.bodies.advance
        self.closing = tables.bodies.closing_path

    def next(self, state: int, token: int) -> int | None:
        after = self._advance(state, token)
        return None if after == ILLEGAL else after

    def closed(self, state: int) -> bool:
        return state in (CLOSED, CLOSED_UNTERMINATED)


class OldMachine:
    """The old text of a sub at one line."""

    def __init__(self, olds: Olds, line: int, limit: int) -> None:
        self._olds = olds
        self.start = olds.start(line, limit)

    def tokens(self, state: OldState) -> TokenSet:
        return TokenSet(allow=self._olds.allowed(state))

    def next(self, state: OldState, token: int) -> OldState | None:
        return self._olds.advance(state, token)

    def closed(self, state: OldState) -> bool:
        return state.done is not None

    def closing(self, state: OldState) -> Ids:
        path: list[int] = []
        at: OldState | None = state
        while at is not None and at.done is None:
            token = self._olds.closing_token(at)
            path.append(token)
            at = self._olds.advance(at, token)
        return tuple(path)
