"""The law over finite choices against brute force."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

import vocabularies
from copydesk.errors import GrammarError
from copydesk.grammar.trie import Trie, finite_choices

WORDS = [(1, 2, 3), (1, 2, 4), (1, 5), (2, 1), (2, 6, 1, 1), (7,)]


def node_paths(trie: Trie) -> list[tuple[int, ...]]:
    """The tokens leading to each internal node."""
    paths: list[tuple[int, ...]] = [()]
    for token, parent in zip(trie.tokens, trie.parents, strict=True):
        paths.append((*paths[parent + 1], token))
    return paths


def log_softmax(x: np.ndarray) -> np.ndarray:
    return x - np.log(np.exp(x - x.max()).sum()) - x.max()


def edges(trie: Trie, logits: np.ndarray) -> np.ndarray:
    """Log probabilities of the trie's edges by the logits [nodes, V]."""
    rows = np.array([log_softmax(row) for row in logits])
    return rows[trie.edge_nodes, trie.edge_tokens]


def brute_force(trie: Trie, logits: np.ndarray) -> np.ndarray:
    row = {path: log_softmax(logits[k]) for k, path in enumerate(node_paths(trie))}
    scores = np.array([sum(row[s[:k]][t] for k, t in enumerate(s)) for s in trie.sequences])
    return scores - math.log(np.exp(scores).sum())


def random_words(rng: random.Random) -> list[tuple[int, ...]]:
    words: list[tuple[int, ...]] = []
    for _ in range(rng.randint(1, 30)):
        word = tuple(rng.randrange(6) for _ in range(rng.randint(1, 5)))
        if not any(w[: len(word)] == word or word[: len(w)] == w for w in words):
            words.append(word)
    return words


@pytest.mark.parametrize("seed", range(20))
def test_exact_law_equals_brute_force(seed: int) -> None:
    trie = Trie(random_words(random.Random(seed)))
    logits = np.random.default_rng(seed).normal(0, 3, (trie.nodes, 8))
    law = trie.law(edges(trie, logits))
    assert np.allclose(law, brute_force(trie, logits), atol=1e-12)
    assert math.isclose(np.exp(law).sum(), 1.0)
    assert all(parent < k for k, parent in enumerate(trie.parents))
    assert trie.depths == [len(path) for path in node_paths(trie)[1:]]


def test_local_law_is_another_one() -> None:
    trie = Trie([(1, 2), (3, 4)])
    # Both begin alike, but the model hardly ever goes on with 2 behind 1: masking forces it to.
    logits = np.zeros((3, 8))
    logits[1, 2] = -9.0
    assert np.allclose(np.exp(trie.law(edges(trie, logits), steps=0)), [0.5, 0.5])
    assert np.exp(trie.law(edges(trie, logits)))[0] < 1e-3


@pytest.mark.parametrize("seed", range(5))
def test_local_law_equals_step_by_step_masking(seed: int) -> None:
    trie = Trie(random_words(random.Random(seed)))
    logits = np.random.default_rng(seed).normal(0, 2, (trie.nodes, 8))
    row = dict(zip(node_paths(trie), logits, strict=True))
    for k, word in enumerate(trie.sequences):
        p = 1.0
        for depth, token in enumerate(word):
            prefix = word[:depth]
            children = {w[depth] for w in trie.sequences if len(w) > depth and w[:depth] == prefix}
            weights = {t: math.exp(row[prefix][t]) for t in children}
            p *= weights[token] / sum(weights.values())
        assert math.isclose(p, math.exp(trie.law(edges(trie, logits), steps=0)[k]), rel_tol=1e-9)


@pytest.mark.parametrize("words", [[], [()], [(1,), (1,)], [(1,), (1, 2)], [(1, 2), (1,)], [(1, 2), (1, 2)]])
def test_choices_that_are_no_trie(words: list[tuple[int, ...]]) -> None:
    with pytest.raises(GrammarError):
        Trie(words)


def test_common_prefix_cancels() -> None:
    assert Trie([(1, 2, 3), (1, 2, 4)]).common == (1, 2)
    assert Trie([(1, 2)]).common == (1, 2)
    assert Trie(WORDS).common == ()
    trie = Trie([(1, 2, 3), (1, 2, 4)])
    logits = np.random.default_rng(0).normal(size=(trie.nodes, 8))
    law = trie.law(edges(trie, logits))
    logits[:2] = 0
    assert np.allclose(law, trie.law(edges(trie, logits)))


def test_finite_choices_are_prefix_free_even_where_names_are_not() -> None:
    for name in vocabularies.CODECS:
        codec = vocabularies.codec(name)
        texts, trie = finite_choices(codec, ["foo", "foobar", "foo", "f", ""], codec.literals.sub_close)
        assert texts == ["foo", "foobar", "f"]
        assert trie.sequences[0] == (*codec.fragment("foo"), *codec.literals.sub_close)
        texts, _ = finite_choices(
            codec, ["import os", "import os\n"], codec.literals.gen_close, ends_line=True
        )
        assert texts == ["import os\n"]
        with pytest.raises(GrammarError):
            finite_choices(codec, ["", "a\rb"], codec.literals.sub_close)
