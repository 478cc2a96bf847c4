"""Logits that are already there: a small tree of continuations fed along with a forward that was needed anyway.

At an op boundary a program can continue in a few ways (copy from here, new text, a sub of that line), all of them known. Feeding
them as a tree makes the next decision free once the op is chosen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import torch

Path = tuple[int, ...]


class Tree:
    """The prefix closure of some token paths, parents before children.

    `tokens` and `parents` are what a forward is fed (parent -1: the root), `index` finds a path's node.
    """

    def __init__(self, paths: Iterable[Sequence[int]]) -> None:
        self.tokens: list[int] = []
        self.parents: list[int] = []
        self.index: dict[Path, int] = {}
        for path in paths:
            node = -1
            for k in range(1, len(path) + 1):
                prefix = tuple(path[:k])
                found = self.index.get(prefix)
                if found is None:
                    found = self.index[prefix] = len(self.tokens)
                    self.tokens.append(path[k - 1])
                    self.parents.append(node)
                node = found

    def __len__(self) -> int:
        return len(self.tokens)


def leading(sequences: Iterable[Path], most: int) -> list[Path]:
    """The first of `sequences`, as many as have a trie of at most `most` internal nodes besides its root."""
    nodes: set[Path] = {()}
    kept: list[Path] = []
    for path in sequences:
        for k in range(len(path) - 1, 0, -1):
            if path[:k] in nodes:
                break
            nodes.add(path[:k])
        if len(nodes) - 1 > most:
            break
        kept.append(path)
    return kept


class Lookahead:
    """Next-token logits at the root of a tree and at each node; `base` tokens of the same feed came before the tree.

    logits: [1 + len(tree), vocabulary], the root first.
    """

    def __init__(self, tree: Tree, base: int, logits: torch.Tensor) -> None:
        self._tree = tree
        self._base = base
        self._logits = logits

    def rows(self, paths: Sequence[Path]) -> torch.Tensor | None:
        """The logits behind each path, or None where one was not fed."""
        found = [self._tree.index.get(path, -1) if path else -1 for path in paths]
        if any(node < 0 and path for node, path in zip(found, paths, strict=True)):
            return None
        rows = [node + 1 for node in found]
        # Of a large tree all are asked for in order, and a copy of them takes longer than much else.
        return self._logits[: len(rows)] if rows == list(range(len(rows))) else self._logits[rows]

    def survivors(self, path: Sequence[int]) -> tuple[list[int], int]:
        """Which tokens of the feed stay when `path` was taken, and how many tokens of it they hold."""
        kept = list(range(self._base))
        for k in range(1, len(path) + 1):
            node = self._tree.index.get(tuple(path[:k]))
            if node is None:
                return kept, k - 1
            kept.append(self._base + node)
        return kept, len(path)
