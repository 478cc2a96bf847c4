"""The languages a decoder writes text in, behind one small interface: body tables, old texts, inner grammars.

Every machine is deterministic, has no dead ends and ends with its closing literal. States are immutable, so a draft can be
walked ahead and dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from copydesk.decode.sampling import TokenSet
from copydesk.errors import GrammarError
from copydesk.grammar.bodies import CLOSED, CLOSED_UNTERMINATED, ILLEGAL, Bodies
from copydesk.grammar.bytes_dfa import LINE_START
from copydesk.grammar.fenced import ILLEGAL as NO_TEXT
from copydesk.grammar.fenced import FencedText
from copydesk.grammar.lark import InnerGrammar, unpack
from copydesk.grammar.olds import Olds, OldState
from copydesk.prompting.codec import Ids
from copydesk.prompting.vocabulary import Vocabulary


class Machine(Protocol):
    """`closed(state)`: whether text and closing literal are complete. The other methods take states that are not closed."""

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
        self._text_masks: dict[int, npt.NDArray[np.uint32]] = {}

    def tokens(self, state: int) -> TokenSet:
        found = self._sets[state]
        if found is None:
            allow, ids = self.bodies.shorter_list(state)
            found = self._sets[state] = TokenSet(allow=ids) if allow else TokenSet(deny=ids)
        return found

    @cached_property
    def goes_on(self) -> npt.NDArray[np.bool_]:
        """Whether text may still grow in a state, or only its closing literal be completed: [states]."""
        bodies = self.bodies
        alive = np.zeros(bodies.states + 1, np.bool_)  # the last entry is ILLEGAL's
        alive[[bodies.gen(), bodies.gen(True), bodies.sub(), bodies.sub(True)]] = True
        # Whatever can come back to a line start may go on: from there each kind of text reaches its own.
        for start in (bodies.gen(), bodies.gen(True), bodies.sub(), bodies.sub(True)):
            alive[start + LINE_START] = True
        while True:
            grown = alive.copy()
            grown[:-1] |= alive[bodies.table].any(axis=1)
            if np.array_equal(grown, alive):
                return alive
            alive = grown

    def text_mask(self, state: int) -> npt.NDArray[np.uint32]:
        """Tokens that carry the text on, those left out that could only belong to the closing literal: [ceil(V/32)]."""
        found = self._text_masks.get(state)
        if found is None:
            bodies = self.bodies
            legal = self.goes_on[bodies.table[state]][bodies.classes]
            bits = np.packbits(legal, bitorder="little")
            packed = np.zeros((len(legal) + 31) // 32 * 4, np.uint8)
            packed[: len(bits)] = bits
            found = self._text_masks[state] = packed.view(np.uint32)
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


@dataclass(frozen=True, slots=True, eq=False)
class InnerState:
    """Narrowed text so far. body: state of `Bodies`. grammar: its place in the inner grammar, None once the text left it.
    ends: what is left of each closing that may have begun.
    """

    body: int
    grammar: InnerGrammar | None
    ends: tuple[Ids, ...] = ()


class InnerMachine:
    """New text narrowed by an inner grammar, closed by the literal `close`. `start` is a start state of `Bodies`.

    Where the grammar accepts, the text may end; where it must end its line, a missing newline comes with the closing. The
    closing's first tokens may be text of the grammar too: both readings are kept until one is left. The grammar
    describes text as the format spells it, with tags escaped. Raises GrammarError where it asks for text that cannot stand here.
    """

    def __init__(self, grammar: InnerGrammar, tables: BodyTables, start: int, close: Ids) -> None:
        self._tables = tables
        self._bodies = tables.bodies
        # The shortest empty text: its closing, behind a newline where text must end its line.
        shortest = tables.bodies.closing_path(start)
        self._closings = (close, shortest) if len(shortest) > len(close) else (close,)
        self.start = InnerState(start, grammar.copy())

    def tokens(self, state: InnerState) -> TokenSet:
        ends = [end[0] for end in self._endings(state)]
        allowed = np.array(sorted(set(ends)), np.int64)
        if state.grammar is not None:
            text = unpack(self._tables.text_mask(state.body) & state.grammar.mask())
            allowed = np.union1d(allowed, text)
        if not len(allowed):
            raise GrammarError("the inner grammar asks for text that cannot stand here")
        return TokenSet(allow=allowed)

    def next(self, state: InnerState, token: int) -> InnerState | None:
        body = self._bodies.advance(state.body, token)
        if body == ILLEGAL:
            return None
        ends = tuple(end[1:] for end in self._endings(state) if end[0] == token)
        grammar = None
        if state.grammar is not None and self._tables.goes_on[body] and state.grammar.accepts([token]):
            grammar = state.grammar.copy()
            grammar.advance(token)
        return InnerState(body, grammar, ends) if ends or grammar is not None else None

    def closed(self, state: InnerState) -> bool:
        return state.body in (CLOSED, CLOSED_UNTERMINATED)

    def closing(self, state: InnerState) -> Ids:
        """Also where the grammar does not accept: the token budget is spent and the text will be refused."""
        ends = self._endings(state)
        return min(ends, key=len) if ends else self._bodies.closing_path(state.body)

    def _endings(self, state: InnerState) -> tuple[Ids, ...]:
        """Ways to close that have begun, or may begin here because the grammar accepts."""
        if state.grammar is None or not state.grammar.is_accepting:
            return state.ends
        begin = next((way for way in self._closings if self._bodies.walk(state.body, way) == CLOSED), None)
        return state.ends if begin is None else (*state.ends, begin)


class FenceMachine:
    """New text behind an opening code fence, up to its closing fence. `fence`: the closing fence itself."""

    def __init__(self, text: FencedText, length: int) -> None:
        self.fence = "`" * length
        self.start = text.start
        self.closing = text.closing_path
        self._text = text
        self._sets: dict[int, TokenSet] = {}

    def tokens(self, state: int) -> TokenSet:
        found = self._sets.get(state)
        if found is None:
            allow, ids = self._text.shorter_list(state)
            found = self._sets[state] = TokenSet(allow=ids) if allow else TokenSet(deny=ids)
        return found

    def next(self, state: int, token: int) -> int | None:
        after = self._text.advance(state, token)
        return None if after == NO_TEXT else after

    def closed(self, state: int) -> bool:
        return state == self._text.closed


class FenceMachines:
    """The machines of one vocabulary, one for each length of a fence, made when first asked for and kept."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._machines: dict[int, FenceMachine] = {}

    def of(self, length: int) -> FenceMachine:
        """Raises GrammarError for a vocabulary that has no way to close a fence."""
        found = self._machines.get(length)
        if found is None:
            found = self._machines[length] = FenceMachine(FencedText(self._vocabulary, length), length)
        return found


class OldMachine:
    """The old text of a sub at one line."""

    def __init__(self, olds: Olds, line: int, limit: int) -> None:
        self._olds = olds
        self.start = olds.start(line, limit)

    def runs(self) -> list[Ids]:
        """Every old text, without its closing literal."""
        return self._olds.legal_runs(self.start.line, self.start.limit)

    def tokens(self, state: OldState) -> TokenSet:
        return TokenSet(allow=self._olds.allowed(state))

    def next(self, state: OldState, token: int) -> OldState | None:
        return self._olds.advance(state, token)

    def closed(self, state: OldState) -> bool:
        return state.done is not None

    def closing(self, state: OldState) -> Ids:
        return self._olds.closing_path(state)
