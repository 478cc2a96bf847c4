"""Finite choices as tries of tokens: the exact distribution over whole choices, from the next-token logits of each trie node.

A choice (a copy span, a line number, a name) is a token sequence; no sequence is a prefix of another. Its probability is the
product of the model's full next-token probabilities along its path, normalised over the legal choices: the future-validity
correction Φ of arXiv 2605.07698, which is plain enumeration on a finite language. Masking each step to the tokens that some
choice continues with (`steps=0`) samples another distribution. Logits are arrays here, and no model is involved.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from copydesk.errors import GrammarError
from copydesk.prompting.codec import Codec, Ids

MAX_NODES = 128
"""The most internal nodes, including the root, for which one tree-mask forward scores a choice exactly."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Trie:
    """A prefix-free set of token sequences.

    Internal nodes are numbered in breadth-first order, the root being 0; the root's logits are those after the
    last token before the choice. Nodes 1..N-1 are what a tree-mask forward feeds: `tokens`, `parents`
    (index among `tokens`, -1 for the root, as `models.Feed` wants them) and `depths` (1 for the root's
    children; a token's position is that of the root plus its depth). Leaves keep the order of `sequences`.
    Edges (`edge_nodes[k]`, `edge_tokens[k]`) are the (node, next token) pairs whose log probability the
    distribution needs.

    Raises GrammarError if there is no sequence, an empty or repeated one, or one that is a prefix of another.
    """

    __slots__ = (
        "_behind", "_paths", "_sizes", "depths", "edge_nodes", "edge_tokens", "parents", "sequences", "tokens",
    )  # fmt: skip

    def __init__(self, sequences: Sequence[Sequence[int]]) -> None:
        self.sequences: tuple[tuple[int, ...], ...] = tuple(tuple(s) for s in sequences)
        if not self.sequences or any(not s for s in self.sequences):
            raise GrammarError("a choice needs at least one sequence, and none may be empty")
        self.tokens: list[int] = []
        self.parents: list[int] = []
        self.depths: list[int] = []
        edges: dict[tuple[int, int], int] = {}
        child: dict[int, int] = {}  # edge -> internal node below it
        at = [0] * len(self.sequences)
        paths: list[list[int]] = [[] for _ in self.sequences]
        alive = list(range(len(self.sequences)))
        depth = 0
        while alive:  # one level at a time, so that a node's parents come before it
            going: list[int] = []
            ended: set[int] = set()
            for leaf in alive:
                sequence, node = self.sequences[leaf], at[leaf]
                token = sequence[depth]
                edge = edges.setdefault((node, token), len(edges))
                paths[leaf].append(edge)
                last = depth + 1 == len(sequence)
                if edge in ended or (last and edge in child):
                    raise GrammarError("no choice may be a prefix of another")
                if last:
                    ended.add(edge)
                    continue
                if edge not in child:
                    self.tokens.append(token)
                    self.parents.append(node - 1)
                    self.depths.append(depth + 1)
                    child[edge] = len(self.tokens)
                at[leaf] = child[edge]
                going.append(leaf)
            alive, depth = going, depth + 1
        self.edge_nodes: Ints = np.fromiter((n for n, _ in edges), np.int64, len(edges))
        self.edge_tokens: Ints = np.fromiter((t for _, t in edges), np.int64, len(edges))
        self._behind: Ints = np.fromiter((child.get(edge, -1) for edge in range(len(edges))), np.int64)
        self._paths: Ints = np.fromiter((e for path in paths for e in path), np.int64)
        self._sizes: Ints = np.fromiter((len(path) for path in paths), np.int64, len(paths))

    def __len__(self) -> int:
        """Number of choices."""
        return len(self.sequences)

    @property
    def nodes(self) -> int:
        """Number of internal nodes, including the root: the rows of logits that the distribution needs."""
        return len(self.tokens) + 1

    @property
    def common(self) -> tuple[int, ...]:
        """The tokens that every choice begins with, which cancel in the distribution; the whole sequence if there is only
        one choice."""
        first, last = min(self.sequences), max(self.sequences)
        size = next((k for k, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
        return first[:size]

    def law(self, edge_log_probabilities: ArrayLike, steps: int | None = None) -> Floats:
        """Log probability of each choice, normalised over the choices: [len(self)].

        steps: None for the exact law; else each token is chosen by its own probability times that of the next `steps` being
        legal too, and 0 is the local mask: for comparison, and where a trie has too many nodes.
        """
        edges = np.asarray(edge_log_probabilities, np.float64)
        if steps is None:
            scores = self._sum(edges)
            return scores - _logsumexp(scores)
        legal = np.zeros(self.nodes + 1)  # the last entry is what the end of a choice has
        for _ in range(steps):
            legal[:-1] = self._totals(edges + legal[self._behind])
        corrected = edges + legal[self._behind]
        with np.errstate(divide="ignore", invalid="ignore"):
            return self._sum(np.nan_to_num(corrected - self._totals(corrected)[self.edge_nodes], nan=-np.inf))

    def _totals(self, edges: Floats) -> Floats:
        """The logarithm of the sum over each node's edges: [nodes]."""
        top = np.full(self.nodes, -np.inf)
        np.maximum.at(top, self.edge_nodes, edges)
        top[~np.isfinite(top)] = 0.0
        total = np.zeros(self.nodes)
        np.add.at(total, self.edge_nodes, np.exp(edges - top[self.edge_nodes]))
        with np.errstate(divide="ignore"):
            found: Floats = np.log(total) + top
        return found

    def _sum(self, edges: Floats) -> Floats:
        starts = np.concatenate(([0], np.cumsum(self._sizes)[:-1]))
        out: Floats = np.add.reduceat(edges[self._paths], starts)
        return out


def _logsumexp(x: Floats) -> Any:
    top = np.max(x, axis=-1, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        return (np.log(np.sum(np.exp(x - top), axis=-1, keepdims=True)) + top)[..., 0]


def finite_choices(
    codec: Codec, choices: Sequence[str], close: Ids, *, ends_line: bool = False
) -> tuple[list[str], Trie]:
    """The texts of `choices` that may stand as generated text closed by `close`, and the trie of their
    tokens, `close` included.

    `ends_line` says that the text must end in a newline (a gen, or a sub that takes its line's end away);
    one is added where it is missing. Repeated and empty texts are left out. Raises GrammarError if nothing
    is left.
    """
    texts = dict.fromkeys(
        c if c.endswith("\n") or not ends_line else c + "\n" for c in choices if c and "\r" not in c
    )
    if not texts:
        raise GrammarError("the list of choices is empty")
    return list(texts), Trie([codec.fragment(text) + close for text in texts])
