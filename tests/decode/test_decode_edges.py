"""Log probabilities of a trie's edges are those of the model, however many nodes are added up at a time."""

from __future__ import annotations

import random

import numpy as np
import pytest
import torch

from copydesk.decode.log_probabilities import ROWS_AT_ONCE, edge_log_probabilities
from copydesk.decode.lookahead import Lookahead, Tree
from copydesk.grammar.trie import Trie


def choices(count: int, seed: int) -> list[tuple[int, ...]]:
    """Prefix-free: all of one length."""
    rng = random.Random(seed)
    return sorted({tuple(rng.choices(range(50), k=4)) for _ in range(count)})


@pytest.mark.parametrize("count", [2, 3, 40])
@pytest.mark.parametrize("spread", [1.0, 30.0, 1000.0])
def test_edges_have_the_models_own_probabilities(count: int, spread: float) -> None:
    trie = Trie(choices(count, count))
    logits = torch.randn(trie.nodes, 50, generator=torch.Generator().manual_seed(count)) * spread
    logits[0, 7] = -1e9  # nobody's first token, or hardly ever
    found = edge_log_probabilities(trie, logits)
    law = torch.log_softmax(logits.double(), -1).numpy()
    assert np.allclose(found, law[trie.edge_nodes, trie.edge_tokens], rtol=1e-7, atol=1e-6)
    if count > 2:
        assert trie.nodes > ROWS_AT_ONCE


def test_a_tree_is_read_in_any_order() -> None:
    paths = [(1,), (1, 2), (3,), (3, 4)]
    logits = torch.randn(5, 9)
    ahead = Lookahead(Tree(paths), 0, logits)
    for asked in ([(), *paths], [()], [(), (1,)], [(3,), ()], [(3, 4)], [(1,), (1, 2)]):
        rows = ahead.rows(asked)
        assert rows is not None
        expected = [logits[0] if not path else logits[1 + paths.index(path)] for path in asked]
        assert torch.equal(rows, torch.stack(expected))
    assert ahead.rows([(), (2,)]) is None
