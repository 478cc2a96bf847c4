"""Every law against brute force on languages small enough to be written down, and drafts that change no law."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest
import torch

from copydesk.decode.coroutine import Lane, Outcome
from copydesk.decode.counts import Counts
from copydesk.decode.laws.law import LAWS, Asking, Language, Law, NextToken, Words, weakest
from copydesk.decode.laws.look_ahead import EXACT, LOCAL, ONE_STEP, LookAhead
from copydesk.decode.laws.rollouts import MonteCarlo
from copydesk.decode.lookahead import Path
from copydesk.decode.sampling import Sampler, TokenSet
from copydesk.decode.schedule import Job, run
from copydesk.decode.token_emitter import TokenEmitter
from copydesk.grammar.trie import Trie
from copydesk_benchmarks.small_languages import Dyck, strings
from decoding import Desk, byte_codec
from finite import Recorder, ask, brute_law, followed, frequencies, total_variation
from mock_model import MockModel

VOCABULARY = 12
DRAWS = 1000
NOISE = 0.09
"""Total variation that 1000 draws from some forty strings stay below (expected 0.07)."""
DYCK = Dyck(((1, 2), (5, 3)), 2)
Says = Callable[[Path], torch.Tensor]


def random_words(random: Random, count: int) -> list[Path]:
    found: list[Path] = []
    while len(found) < count:
        word = tuple(random.choices(range(5), k=random.randint(1, 4)))
        if not any(word[: len(other)] == other or other[: len(word)] == word for other in found):
            found.append(word)
    return found


def saying(seed: int, memory: int | None = None, scale: float = 2.0) -> Says:
    """A model: random logits by what was written, of which it remembers the last `memory` tokens."""

    @cache
    def says(remembered: Path) -> torch.Tensor:
        digest = [seed, len(remembered), *remembered]
        return torch.from_numpy(np.random.default_rng(digest).normal(0, scale, VOCABULARY)).float()

    return lambda path: says(path if memory is None else path[max(0, len(path) - memory) :])


def answered(asking: Asking[NextToken], says: Says, written: Path) -> NextToken:
    try:
        paths = next(asking)
        while True:
            paths = asking.send(torch.stack([says((*written, *path)) for path in paths]))
    except StopIteration as finished:
        found: NextToken = finished.value
        return found


def along(language: Language, law: Law, says: Says, word: Path) -> float:
    """The probability with which `law`, token by token, writes `word`."""
    p, state = 1.0, language.start
    for k, token in enumerate(word):
        found = answered(law.next(language, state), says, word[:k])
        assert found.ids is not None
        assert np.isclose(np.exp(found.log_p).sum(), 1.0)
        p *= float(np.exp(found.log_p[list(found.ids).index(token)]))
        state = language.next(state, token)
    return p


def over(language: Language, law: Law, says: Says) -> Any:
    return np.array([along(language, law, says, word) for word in strings(language)])


def conditioned(language: Language, says: Says) -> Any:
    """The model's own probabilities of the language's strings, normalised: nothing but their definition."""
    p = []
    for word in strings(language):
        rows = [torch.log_softmax(says(word[:k]).double(), 0)[token] for k, token in enumerate(word)]
        p.append(float(torch.stack(rows).sum().exp()))
    return np.array(p) / sum(p)


# -- what the laws are ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", [DYCK, Words(random_words(Random(1), 15))], ids=["dyck", "words"])
def test_the_exact_law_is_the_models_own_given_that_the_string_is_legal(language: Language) -> None:
    for seed in range(5):
        says = saying(seed)
        wanted = conditioned(language, says)
        np.testing.assert_allclose(over(language, EXACT, says), wanted, atol=1e-6)
        assert total_variation(over(language, LOCAL, says), wanted) > 0.02
    assert answered(EXACT.next(language, language.start), saying(0), ()).law == "exact"


@pytest.mark.parametrize("steps", [0, 1, 2, None])
@pytest.mark.parametrize("seed", range(4))
def test_token_by_token_a_law_is_what_it_is_over_the_trie(steps: int | None, seed: int) -> None:
    words, says = sorted(random_words(Random(seed), 12)), saying(seed)
    trie, law = Trie(words), LookAhead(steps)
    paths: list[Path] = [()]
    for token, parent in zip(trie.tokens, trie.parents, strict=True):
        paths.append((*paths[parent + 1], token))
    rows = torch.stack([torch.log_softmax(says(path).double(), 0) for path in paths]).numpy()
    found = law.over(trie, rows[trie.edge_nodes, trie.edge_tokens])
    np.testing.assert_allclose(np.exp(found), over(Words(words), law, says), atol=1e-6)


def test_one_step_is_written_down_by_hand() -> None:
    language, says = Words([(0, 1), (0, 2), (3, 4)]), saying(3)
    p = {path: torch.softmax(says(path).double(), 0).numpy() for path in ((), (0,), (3,))}
    left, right = p[()][0] * (p[(0,)][1] + p[(0,)][2]), p[()][3] * p[(3,)][4]
    found = answered(ONE_STEP.next(language, ()), says, ())
    np.testing.assert_allclose(np.exp(found.log_p), np.array([left, right]) / (left + right), atol=1e-6)


def test_states_are_merged_exactly_for_a_model_that_remembers_no_more() -> None:
    language = Dyck(((1, 2), (5, 3)), 4)
    for memory in (1, 2):
        says = saying(7, memory)
        law = LookAhead(memory=memory)
        wanted = answered(EXACT.next(language, language.start), says, ())
        found = answered(law.next(language, language.start), says, ())
        np.testing.assert_allclose(found.log_p, wanted.log_p, atol=1e-6)
        assert found.law == "automaton"
    nodes = [len(law._unfolded(language, language.start)[0]) for law in (LookAhead(memory=1), EXACT)]
    assert nodes[0] < nodes[1] / 5


def test_rollouts_come_to_the_exact_law_the_more_there_are() -> None:
    says = saying(11)
    wanted = answered(EXACT.next(DYCK, DYCK.start), says, ())
    off = []
    for rollouts in (1, 2000):
        laws = [
            answered(MonteCarlo(rollouts, seed).next(DYCK, DYCK.start), says, ()).log_p for seed in range(4)
        ]
        off.append(np.mean([total_variation(np.exp(law), np.exp(wanted.log_p)) for law in laws]))
    assert off[1] < 0.02 < off[0]


def test_an_estimate_by_rollouts_has_no_bias() -> None:
    """Of one token's Φ: the mean of many single rollouts is its exact value."""
    language, says = Words([(0, 1, 2), (0, 1, 3), (0, 4, 0), (0, 2, 2), (1,)]), saying(5)
    p = {path: torch.softmax(says(path).double(), 0).numpy() for path in ((), (0,), (0, 1), (0, 4), (0, 2))}
    phi = p[(0,)][1] * (p[(0, 1)][2] + p[(0, 1)][3]) + p[(0,)][4] * p[(0, 4)][0] + p[(0,)][2] * p[(0, 2)][2]
    estimates = []
    for seed in range(400):
        log_p = answered(MonteCarlo(1, seed).next(language, ()), says, ()).log_p
        estimates.append(np.exp(log_p[0] - log_p[1]) * p[()][1] / p[()][0])
    assert abs(np.mean(estimates) - phi) < 4 * np.std(estimates) / 20 + 1e-9


def test_no_more_nodes_than_may_be_are_looked_at_and_the_law_says_so() -> None:
    says, language = saying(2), Words(random_words(Random(4), 40))
    names = []
    for most in (1, 6, 1000):
        asked = 0
        asking = LookAhead(most=most).next(language, ())
        try:
            paths = next(asking)
            while True:
                asked += len(paths)
                paths = asking.send(torch.stack([says(path) for path in paths]))
        except StopIteration as finished:
            names.append(finished.value.law)
        assert asked <= most
    assert names == ["local", "one-step", "exact"]


class Unlisted:
    """Two tokens, of which the second may be nearly any: its set is held as what it denies."""

    start = 0

    def __init__(self, first: TokenSet) -> None:
        self._sets = (first, TokenSet(deny=np.array([3])))

    def tokens(self, state: int) -> TokenSet:
        return self._sets[state]

    def next(self, state: int, token: int) -> int:
        return state + 1

    def closed(self, state: int) -> bool:
        return state == 2


def test_where_nearly_everything_may_come_only_the_mass_of_it_counts() -> None:
    says = saying(6)
    everything, few = Unlisted(TokenSet(deny=np.array([2]))), Unlisted(TokenSet(allow=[1, 4]))
    p = {path: torch.softmax(says(path).double(), 0).numpy() for path in ((), (1,), (4,))}
    corrected = np.array([p[()][token] * (1 - p[(token,)][3]) for token in (1, 4)])
    for law in (LOCAL, ONE_STEP, EXACT, MonteCarlo(4)):
        found = answered(law.next(everything, 0), says, ())
        assert (found.law, found.ids) == ("local", None)
        np.testing.assert_allclose(found.log_p, everything.tokens(0).log_softmax(says(()))[0])
        if law is not LOCAL:
            found = answered(law.next(few, 0), says, ())
            assert found.law in ("one-step", "monte-carlo")
            np.testing.assert_allclose(np.exp(found.log_p), corrected / corrected.sum(), atol=1e-6)


def test_the_mass_of_a_set_is_the_same_however_it_is_held() -> None:
    row = torch.randn(VOCABULARY, generator=torch.Generator().manual_seed(3))
    p = torch.softmax(row.double(), 0).numpy()
    kept, others = np.array([1, 4, 5]), np.array([0, 2, 3, 6, 7, 8, 9, 10, 11])
    for allowed in (TokenSet(allow=kept), TokenSet(deny=others)):
        assert np.isclose(np.exp(allowed.log_mass(row)), p[kept].sum())


def test_the_weakest_law_names_them_all() -> None:
    assert weakest(()) == "exact"
    assert [weakest({"exact", name}) for name in LAWS] == list(LAWS)
    assert weakest({"one-step", "local", "monte-carlo"}) == "local"


# -- in the decoder -------------------------------------------------------------------------------------------------------


def model() -> MockModel:
    return MockModel(VOCABULARY, seed=9, context=0, scale=2.5)


def warm(mock: MockModel) -> Any:
    from copydesk.models.feed import Feed
    from copydesk.models.row import SHARED

    row = mock.new_row(64)
    mock.forward([Feed(row, SHARED, [6, 7, 8], range(3))])
    return row


def brute(mock: MockModel, words: Sequence[Path]) -> Any:
    return brute_law(mock, [6, 7, 8, 9], words)


@pytest.mark.parametrize("law", [EXACT, LOCAL, ONE_STEP])
def test_strings_are_written_with_the_frequencies_of_their_law(law: Law) -> None:
    mock = model()
    row, words = warm(mock), list(strings(DYCK))
    wanted = over(DYCK, law, lambda path: next_row(mock, [6, 7, 8, 9, *path]))
    if law is EXACT:
        np.testing.assert_allclose(wanted, brute(mock, words), atol=1e-6)
    drawn = [
        words.index(followed(mock, row, [9], DYCK, law, Sampler(1.0, 1.0, seed))[0]) for seed in range(DRAWS)
    ]
    assert total_variation(frequencies(drawn, len(words)), wanted) < NOISE / 2


def test_exactly_drawn_strings_pass_the_chi_square_test() -> None:
    mock = model()
    row, words = warm(mock), list(strings(Dyck(DYCK.brackets, 3)))
    p = brute(mock, words)
    common = p * DRAWS > 5
    drawn = np.array([
        ask(mock, row, [9], words, Sampler(1.0, 1.0, seed)) for seed in range(DRAWS)
    ])  # fmt: skip
    seen = np.bincount(drawn, minlength=len(words))
    observed = np.append(seen[common], seen[~common].sum())
    expected = np.append(p[common], p[~common].sum()) * DRAWS
    statistic, freedom = float(((observed - expected) ** 2 / expected).sum()), len(expected) - 1
    assert statistic < freedom + 3.5 * np.sqrt(2 * freedom)  # one run of fixed seeds in some thousand fails


@pytest.mark.parametrize("law", [LOCAL, ONE_STEP, LookAhead(most=6)])
def test_a_draft_saves_forwards_and_changes_nothing(law: Law) -> None:
    mock = model()
    row = warm(mock)
    words = sorted(strings(DYCK), key=lambda word: -brute(mock, [word, *strings(DYCK)])[0])
    cost = [0, 0]
    for seed in range(40):
        found = []
        for place, likely in enumerate(((), words)):
            written, forwards = followed(mock, row, [9], DYCK, law, Sampler(1.0, 1.0, seed), likely)
            found.append(written)
            cost[place] += forwards
        assert found[0] == found[1]
    assert cost[1] < 0.8 * cost[0]


@pytest.mark.parametrize("most", [9, 20])
def test_choices_too_many_for_a_forward_are_nearer_to_the_exact_law_than_the_mask(most: int) -> None:
    mock, words = model(), random_words(Random(8), 40)
    row = warm(mock)
    wanted, language = brute(mock, words), Words(words)

    def by(law: Law) -> Any:
        def says(path: Path) -> torch.Tensor:
            return next_row(mock, [6, 7, 8, 9, *path])

        return np.array([along(language, law, says, word) for word in words])

    law = by(LookAhead(most=most))
    drawn = [ask(mock, row, [9], words, Sampler(1.0, 1.0, seed), max_nodes=most) for seed in range(DRAWS)]
    assert total_variation(frequencies(drawn, len(words)), law) < NOISE
    assert total_variation(law, wanted) < 0.8 * total_variation(by(LOCAL), wanted)


@cache
def next_rows(mock: MockModel, tokens: tuple[int, ...]) -> torch.Tensor:
    from finite import next_log_probabilities

    return torch.from_numpy(next_log_probabilities(mock, tokens)[-1]).float()


def next_row(mock: MockModel, tokens: list[int]) -> torch.Tensor:
    return next_rows(mock, tuple(tokens))


def test_the_error_of_the_mask_is_the_distance_of_the_two_laws() -> None:
    mock, words = model(), random_words(Random(12), 12)
    row = warm(mock)
    laws = Recorder()
    for local in (False, True):
        ask(mock, row, [9], words, laws, local=local)
    exact, local_mask = laws.laws
    assert ask_error(mock, row, words) == pytest.approx(
        0.5 * np.abs(np.exp(exact) - np.exp(local_mask)).sum()
    )
    assert ask_error(mock, row, [(0,), (1,), (4,)]) is None  # of one token: the same law


def ask_error(mock: MockModel, row: Any, words: Sequence[Path]) -> float | None:
    """The error of the mask that a decoder notes when it chooses among `words`."""
    emitter = TokenEmitter(Lane(row, 1, 3), Sampler(), Counts(), 100)

    def steps() -> Any:
        emitter.pending.append(9)
        yield from emitter.choose(words)
        return Outcome(None)

    for _ in run(mock, [Job(emitter.lane, steps())], lambda: None):
        pass
    return emitter.mask_error


def test_spans_of_a_long_page_are_nearer_to_the_exact_law_than_digit_by_digit() -> None:
    """40 lines in digits are more nodes than a forward scores: a start is weighed by what its ends may begin with."""
    codec = byte_codec("tags", "program", False)
    desk = Desk.of(codec, "a\n" * 64, [(1, 40)])
    mock = MockModel(codec.vocabulary.size, context=12, scale=1.5)
    mock.tilt([ord("c")], 60.0)  # of <copy and <gen it takes <copy
    rules, row = desk.rules, desk.warm(mock)
    state = rules.start()
    spans = [(i, j) for i in rules.copy_starts(state) for run in rules.copy_ends(state, i) for j in run]
    trie = Trie([codec.copy_start(i) + codec.copy_end(j) for i, j in spans])
    assert trie.nodes > 128
    laws = Recorder(seed=1)
    for local in (False, True):
        ask(
            mock,
            row,
            [*desk.task.request, *codec.literals.copy_open],
            trie.sequences,
            laws,
            local=local,
            max_nodes=9999,
        )
    starts = np.array([i - 1 for i, _ in spans])
    exact, local_mask = (np.bincount(starts, np.exp(law)) for law in laws.laws)
    sampler = Recorder(seed=1)
    outcome, _, _ = desk.decode(mock, row, sampler=sampler, max_tokens=1)
    assert (outcome.law, outcome.exact) == ("local", False)  # ops are chosen under the mask
    assert outcome.mask_error is not None
    _, law, *_ = map(np.exp, sampler.laws)
    assert len(law) == len(exact)
    assert total_variation(law, exact) < 0.8 * total_variation(local_mask, exact)
