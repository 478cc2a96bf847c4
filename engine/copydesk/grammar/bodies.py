"""Generated text, token by token: one precomputed table for gen bodies and the new text of subs.

Text is valid UTF-8 without carriage returns or raw tags, in tokens that end at a newline if they contain one (`bytes_dfa`). It
ends only with the canonical tokens of a closing literal, which is followed in parallel with the text where its first tokens are
text too; spelled in any other tokens, the tag is illegal. Four kinds of text share the table and differ in their start state.
From every state the text can be closed. An automaton depends on one vocabulary and format, not on pages, scopes or models.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from copydesk.errors import GrammarError
from copydesk.grammar.bytes_dfa import EMPTY, LINE_START, BytesDFA, run_tokens, text_dfa
from copydesk.prompting.codec import Codec, Ids

CLOSED = 0
"""The state after a closing literal."""
CLOSED_UNTERMINATED = 1
"""The state after a closing literal where the text ended without a newline."""
ILLEGAL = -1

_MAGIC = b"copydesk bodies 1\n"
_GEN, _GEN_DROP, _SUB, _SUB_LINE = range(4)

Progress = frozenset[tuple[int, int]]
Table = NDArray[np.int32]


class Bodies:
    """The automaton of text for one codec.

    `advance(state, token)` and `masks[state]` are look-ups. `classes` [V] gives each token its column of
    `table` [states, columns] (tokens that all states treat alike share one); entries of `table` are next
    states, `ILLEGAL` where there is none. `masks` [states, ceil(V/32)] holds a bit per legal token, least
    significant first, as llguidance packs them.
    """

    def __init__(
        self,
        key: str,
        starts: Sequence[int],
        classes: NDArray[np.int32],
        table: Table,
        exits: NDArray[np.int32],
    ) -> None:
        self.key = key
        self.classes = classes
        self.table = table
        self._starts = tuple(int(s) for s in starts)
        self._exits = exits
        # Plain lists: indexing a NumPy array from Python takes five times as long.
        self._class: list[int] = classes.tolist()
        self._rows: list[list[int]] = table.tolist()
        self._unique, self._mask_of = np.unique(table != ILLEGAL, axis=0, return_inverse=True)
        self._mask_of = self._mask_of.reshape(-1)
        self._lists: dict[int, tuple[bool, NDArray[np.int64]]] = {}
        self._allowed: dict[int, NDArray[np.int64]] = {}

    # -- making ------------------------------------------------------------------------------------------------------

    @classmethod
    def build(cls, codec: Codec) -> Bodies:
        """Run the byte automaton over the whole vocabulary (about a second for 150,000 tokens).

        Raises GrammarError for a vocabulary in which a text cannot be closed once it has begun.
        """
        dfa = text_dfa(codec.tagged)
        literals = codec.literals
        marked = sorted({*literals.gen_close, *literals.sub_close, *literals.no_eol})
        classes, columns = _classes(run_tokens(dfa, codec.vocabulary.token_bytes), marked)
        builder = _Product(dfa, columns, {t: int(classes[t]) for t in marked}, codec)
        table = builder.table()
        distance = _distances(table)
        starts = [builder.base(variant, EMPTY) for variant in range(4)]
        if not all(np.isfinite(distance[starts])):
            raise GrammarError(
                "the vocabulary has no newline or no closing literal: text could never be closed"
            )
        table[(table != ILLEGAL) & ~np.isfinite(distance)[table]] = ILLEGAL
        return cls(bodies_key(codec), starts, classes, table, _exits(table, distance, classes, codec))

    def to_bytes(self) -> bytes:
        """The automaton as a versioned, checksummed file body."""
        head = {
            "key": self.key,
            "starts": self._starts,
            "classes": len(self.classes),
            "table": self.table.shape,
        }
        arrays = [self.classes, self.table, self._exits]
        payload = json.dumps(head).encode() + b"\n" + b"".join(a.astype("<i4").tobytes() for a in arrays)
        return _MAGIC + hashlib.sha256(payload).digest() + payload

    @classmethod
    def from_bytes(cls, codec: Codec, data: bytes) -> Bodies:
        """The inverse of `to_bytes`. Raises GrammarError if `data` is corrupt, of another version or for
        another codec."""
        at = len(_MAGIC)
        if data[:at] != _MAGIC or data[at : at + 32] != hashlib.sha256(data[at + 32 :]).digest():
            raise GrammarError("the stored automaton is corrupt or of another version")
        line, _, rest = data[at + 32 :].partition(b"\n")
        head = json.loads(line)
        if head["key"] != bodies_key(codec):
            raise GrammarError("the stored automaton belongs to another tokenizer or edit format")
        states, width = head["table"]
        numbers = np.frombuffer(rest, "<i4").astype(np.int32)
        classes, table, exits = np.split(numbers, [head["classes"], head["classes"] + states * width])
        return cls(head["key"], head["starts"], classes, table.reshape(states, width), exits)

    # -- asking ------------------------------------------------------------------------------------------------------

    @property
    def states(self) -> int:
        return len(self.table)

    def gen(self, drop_eol: bool = False) -> int:
        """Start of a gen body: one or more whole lines; with `drop_eol` the last may say that it has no
        newline."""
        return self._starts[_GEN_DROP if drop_eol else _GEN]

    def sub(self, ends_line: bool = False) -> int:
        """Start of a sub's new text: any text, even none; with `ends_line` not empty and ending in a
        newline."""
        return self._starts[_SUB_LINE if ends_line else _SUB]

    def advance(self, state: int, token: int) -> int:
        """The state after `token`; `ILLEGAL` (-1) if it is not legal. `state` must not be closed or illegal."""
        return self._rows[state][self._class[token]]

    def walk(self, state: int, tokens: Sequence[int]) -> int:
        """The state after all of `tokens`, `ILLEGAL` if one is not legal (closed states have no legal token)."""
        for token in tokens:
            if state == ILLEGAL:
                break
            state = self._rows[state][self._class[token]]
        return state

    @cached_property
    def masks(self) -> NDArray[np.uint32]:
        """Legal tokens of each state: [states, ceil(V/32)]."""
        V = len(self.classes)
        packed = np.zeros((len(self._unique), (V + 31) // 32 * 4), np.uint8)
        for k, row in enumerate(self._unique):
            bits = np.packbits(row[self.classes], bitorder="little")
            packed[k, : len(bits)] = bits
        return packed.view(np.uint32)[self._mask_of]

    def allowed(self, state: int) -> NDArray[np.int64]:
        """Legal tokens, ascending (cached; do not write)."""
        k = int(self._mask_of[state])
        if k not in self._allowed:
            self._allowed[k] = np.flatnonzero(self._unique[k][self.classes])
        return self._allowed[k]

    def shorter_list(self, state: int) -> tuple[bool, NDArray[np.int64]]:
        """(True, legal tokens) or (False, illegal tokens), whichever is the shorter list, for an `index_fill`
        (cached; do not write)."""
        k = int(self._mask_of[state])
        if k not in self._lists:
            legal = self._unique[k][self.classes]
            allow = 2 * int(np.count_nonzero(legal)) <= len(legal)
            self._lists[k] = (allow, np.flatnonzero(legal if allow else ~legal))
        return self._lists[k]

    def closing_path(self, state: int) -> Ids:
        """A shortest run of tokens from `state` to a closed text. Empty if it is closed."""
        path: list[int] = []
        while state not in (CLOSED, CLOSED_UNTERMINATED):
            path.append(int(self._exits[state]))
            state = self.advance(state, path[-1])
        return tuple(path)


class _Product:
    """States (kind of text, state of its bytes, progress in closing literals) by subset construction.

    Ids: CLOSED, CLOSED_UNTERMINATED, then every state without progress kind by kind, then those with
    progress as they are found.
    """

    def __init__(
        self, dfa: BytesDFA, columns: NDArray[np.int16], marked: dict[int, int], codec: Codec
    ) -> None:
        lit = codec.literals
        self.dfa, self.columns, self.marked = dfa, columns, marked
        self.text_states = dfa.dead
        anywhere = frozenset(int(q) for q in np.flatnonzero(dfa.boundary))
        line_end = frozenset({LINE_START})
        inside = anywhere - {EMPTY, LINE_START}
        gen = (lit.gen_close, line_end, CLOSED)
        # For each kind of text: how it may end (literal, states of the bytes it may begin behind, closed state).
        self.closers: tuple[tuple[tuple[Ids, frozenset[int], int], ...], ...] = (
            (gen,),
            (gen, (lit.no_eol + lit.gen_close, inside, CLOSED_UNTERMINATED)),
            ((lit.sub_close, anywhere, CLOSED),),
            ((lit.sub_close, line_end, CLOSED),),
        )
        self.found: dict[tuple[int, int, Progress], int] = {}
        self.todo: list[tuple[int, int, Progress]] = []

    def base(self, variant: int, text: int) -> int:
        return 2 + variant * self.text_states + text

    def table(self) -> Table:
        width = self.columns.shape[1]
        rows: list[Table] = [np.full(width, ILLEGAL, np.int32) for _ in (CLOSED, CLOSED_UNTERMINATED)]
        for variant in range(4):
            rows += [self._row(variant, q, frozenset()) for q in range(self.text_states)]
        for state in self.todo:  # grows while it is read
            rows.append(self._row(*state))
        return np.stack(rows)

    def _row(self, variant: int, text: int, progress: Progress) -> Table:
        behind = self.columns[text].astype(np.int32)
        row = np.where(behind == self.dfa.dead, ILLEGAL, self.base(variant, 0) + behind).astype(np.int32)
        for token, column in self.marked.items():
            row[column] = self._behind(variant, text, progress, token, int(behind[column]))
        return row

    def _behind(self, variant: int, text: int, progress: Progress, token: int, text_behind: int) -> int:
        closers = self.closers[variant]
        begun = {(k, 0) for k, (_, starts, _) in enumerate(closers) if text in starts}
        ahead = {(k, n + 1) for k, n in progress | begun if closers[k][0][n] == token}
        for k, n in ahead:
            if n == len(closers[k][0]):
                return closers[k][2]
        if not ahead:
            return ILLEGAL if text_behind == self.dfa.dead else self.base(variant, text_behind)
        state = (variant, text_behind, frozenset(ahead))
        if state not in self.found:
            self.found[state] = self.base(4, 0) + len(self.found)
            self.todo.append(state)
        return self.found[state]


def _classes(
    columns: NDArray[np.int16], marked: Sequence[int]
) -> tuple[NDArray[np.int32], NDArray[np.int16]]:
    """Tokens with equal columns share a class, except `marked` ones: (class of each token [V], columns
    [states, classes])."""
    states, size = columns.shape
    # Grouping by a random linear hash is ten times faster than sorting columns; equality is checked below.
    weights: NDArray[np.int64] = np.random.default_rng(0).integers(1 << 20, 1 << 62, size=(states,))
    digest = np.zeros(size, np.int64)
    for state in range(states):
        digest += weights[state] * columns[state]  # wraps around
    digest[list(marked)] = np.arange(-len(marked), 0)
    _, first, classes = np.unique(digest, return_index=True, return_inverse=True)
    representative = columns[:, first]
    if not np.array_equal(representative[:, classes], columns):
        raise GrammarError("two different tokens hash alike")
    return classes.reshape(-1).astype(np.int32), representative


def _distances(table: Table) -> NDArray[np.float64]:
    """The fewest tokens from each state to a closed one: [states], infinite where there is no path."""
    distance = np.full(len(table), np.inf)
    distance[[CLOSED, CLOSED_UNTERMINATED]] = 0
    while True:
        behind = np.where(table == ILLEGAL, np.inf, distance[table])
        better = np.minimum(distance, 1 + behind.min(axis=1))
        if np.array_equal(better, distance):
            return distance
        distance = better


def _exits(
    table: Table, distance: NDArray[np.float64], classes: NDArray[np.int32], codec: Codec
) -> NDArray[np.int32]:
    """The first token of a shortest path from each state to a closed one: [states], -1 for closed and unused states."""
    spelled = codec.vocabulary.token_bytes
    order = sorted(
        range(len(spelled)), key=lambda t: (not spelled[t], len(spelled[t]), t)
    )  # plain short text first
    rank = np.full(table.shape[1], len(spelled))
    rank_of = np.empty(len(spelled), np.int64)
    rank_of[order] = np.arange(len(spelled))
    np.minimum.at(rank, classes, rank_of)
    leads = (table != ILLEGAL) & (distance[table] == distance[:, None] - 1)
    best = np.where(leads, rank, len(spelled)).min(axis=1)
    return np.array([order[b] if b < len(spelled) else -1 for b in best], np.int32)


def bodies_key(codec: Codec) -> str:
    """Identifies the vocabulary and the spelling of the closing literals that an automaton is for; its file is named by this."""
    lit = codec.literals
    spelled = json.dumps([codec.format.kind, lit.gen_close, lit.sub_close, lit.no_eol])
    return hashlib.sha256(f"{codec.vocabulary.fingerprint}|{spelled}".encode()).hexdigest()
