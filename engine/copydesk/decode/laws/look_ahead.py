"""Φ by enumeration: of no step (the local mask), of one, of as many as fit into a forward, or of all (the exact law)."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from copydesk.decode.laws.law import Asking, Language, LawName, NextToken
from copydesk.decode.log_probabilities import log_probabilities
from copydesk.decode.lookahead import Path
from copydesk.decode.sampling import Floats, TokenSet
from copydesk.grammar.trie import MAX_NODES, Trie

_CLOSED, _CUT = -1, -2
"""In place of a child: the string ends there, or nothing behind it is looked at. Φ is taken to be 1 at both."""


@dataclass(slots=True)
class _Node:
    """Where a string may stand. children: of each allowed token, in order, the node behind it."""

    path: Path
    state: Any
    allowed: TokenSet
    children: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class LookAhead:
    """Dynamic programming over the automaton, unfolded level by level: Φ of a state is Σ p(t) Φ(behind t), and 1 where it is cut.

    steps: levels behind the next token that are looked at; None: all there are, so that Φ is exact. most: nodes of the
    unfolding; a level that goes beyond is left out as a whole. Without either the language must be finite. memory: strings of one
    length that came to the same state are one node if their last `memory` tokens agree, which is exact for a model that remembers
    no more; None: none are.
    """

    steps: int | None = None
    most: int | None = None
    memory: int | None = None

    @property
    def name(self) -> LawName:
        """Of all choices of a trie; `next` may see less, and says so."""
        return "exact" if self.steps is None else "one-step" if self.steps else "local"

    def over(self, trie: Trie, edges: Floats) -> Floats:
        """Log probability of every choice of `trie`, from its edges' own: what `next` comes to where memory is None."""
        return trie.law(edges, self.steps)

    def next(self, language: Language, state: Any) -> Asking[NextToken]:
        nodes, whole = self._unfolded(language, state)
        future = np.zeros(len(nodes))
        edges: list[Floats] = []
        for first in range(0, len(nodes), MAX_NODES):
            part = nodes[first : first + MAX_NODES]
            logits = yield [node.path for node in part]
            for k, node in enumerate(part):
                if (
                    node.allowed.ids is None
                ):  # nearly everything may come next: nothing is looked at behind it
                    future[first + k] = node.allowed.log_mass(logits[k])
            rows = [k for k, node in enumerate(part) for _ in node.children]
            tokens = [token for node in part if node.allowed.ids is not None for token in node.allowed.ids]
            found = log_probabilities(logits, rows, tokens)
            edges += np.split(found, np.cumsum([len(node.children) for node in part])[:-1])
            if nodes[0].allowed.ids is None:
                return NextToken(*nodes[0].allowed.log_softmax(logits[0]), "local")
        corrected = np.empty(0)
        for k in range(len(nodes) - 1, -1, -1):
            if nodes[k].children:
                behind = [future[child] if child >= 0 else 0.0 for child in nodes[k].children]
                corrected = edges[k] + behind
                future[k] = np.logaddexp.reduce(corrected)
        name: LawName = "local" if len(nodes) == 1 and not whole else "one-step"
        if whole:
            name = "exact" if self.memory is None else "automaton"
        return NextToken(corrected - future[0], nodes[0].allowed.ids, name)

    def _unfolded(self, language: Language, state: Any) -> tuple[list[_Node], bool]:
        """The nodes, each level behind the one before; and whether they are all there are."""
        nodes = [_Node((), state, language.tokens(state))]
        begin, steps, whole = 0, 0, True
        while begin < len(nodes):
            level: dict[Hashable, _Node] = {}
            behind: list[list[Hashable | None]] = []
            end = len(nodes)
            for node in nodes[begin:end]:
                ids = node.allowed.ids
                whole = whole and ids is not None
                keys: list[Hashable | None] = []
                for token in () if ids is None else map(int, ids):
                    after, path = language.next(node.state, token), (*node.path, token)
                    key = path if self.memory is None else (after, path[len(path) - self.memory :])
                    closed = language.closed(after)
                    if not closed and key not in level:
                        level[key] = _Node(path, after, language.tokens(after))
                    keys.append(None if closed else key)
                behind.append(keys)
            cut = steps == self.steps or (self.most is not None and end + len(level) > self.most)
            place = {key: end + k for k, key in enumerate(level)}
            for node, keys in zip(nodes[begin:end], behind, strict=True):
                node.children = [_CLOSED if key is None else _CUT if cut else place[key] for key in keys]
            if cut:
                return nodes, whole and not level
            nodes += level.values()
            begin, steps = end, steps + 1
        return nodes, whole


LOCAL = LookAhead(steps=0)
"""The local mask: every legal token keeps its probability, whatever may follow it."""
ONE_STEP = LookAhead(steps=1)
EXACT = LookAhead()
