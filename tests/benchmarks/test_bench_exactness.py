"""The exactness laws on a tiny model shaped as SmolLM2 is (grouped queries 3:1, tied embeddings, the format's tokens added to a
tokenizer of bytes), and what they say of models that break them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Any

import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from copydesk.adapters.tokens import extend
from copydesk.editor import Editor
from copydesk.models.feed import Feed
from copydesk.models.pace import CHUNK
from copydesk.prompting.edit_format import EditFormat
from copydesk.prompting.vocabulary import HFVocabulary
from copydesk.request import EditRequest
from copydesk.results import EditResult
from copydesk.serving.loaded_model import LoadedModel
from copydesk_benchmarks.exactness import TIE, Ask, Law, Laws
from copydesk_benchmarks.examples import library_examples
from copydesk_benchmarks.llguidance_programs import ProgramChecker
from copydesk_benchmarks.traces import Choice, Trace
from copydesk_benchmarks.unsettled import reach_through_edits
from copydesk_training.example import Example
from desks import editor
from grammar_pages import bodies, random_acceptor, random_stream
from tiny_models import build, hand_written, llama
from vocabularies import CODECS

FORMAT = EditFormat(warm_lines=32, after_copy="program", max_number=81)


def grouped_toolkit(wrap: Callable[[Any], Any] = lambda model: model) -> LoadedModel:
    """A random llama with 9 heads over 3, on bytes and the format's tokens."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({c: k for k, c in enumerate(alphabet)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    extend(tokenizer, FORMAT)
    vocabulary = HFVocabulary(tokenizer)
    shape = llama(
        vocabulary.size,
        hidden_size=72,
        num_attention_heads=9,
        num_key_value_heads=3,
        attention_bias=False,
        tie_word_embeddings=True,
    )
    return LoadedModel.of(wrap(hand_written(build(shape))), FORMAT, vocabulary)


@cache
def given() -> list[Example]:
    return list(islice(library_examples(1), 6))


def checked(loaded_model: LoadedModel, examples: int = 6, *, lists: bool = True) -> Laws:
    laws = Laws(Editor(loaded_model, warm=False), random.Random(1), max_tokens=16, masks=0.5)
    made = given()[:examples]
    for start in range(0, examples, 3):
        asks = [
            Ask(one.kind, one.before, one.request if lists else replace(one.request, narrow=False))
            for one in made[start : start + 3]
        ]
        free = [Ask(ask.name, ask.text, EditRequest(scope=[(5, 7)], narrow=False)) for ask in asks]
        laws.check([*asks, *free])  # two requests on each page
    return laws


def test_the_laws_hold_with_grouped_queries_and_added_tokens() -> None:
    laws = checked(grouped_toolkit())
    assert [(law.name, law.checked, law.broken) for law in laws.laws] == [
        (law.name, 12, []) for law in laws.laws
    ]
    assert laws.logits.largest is not None
    assert 0 < laws.logits.largest < 1e-4
    totals = laws.totals
    assert totals.programs == totals.listed == 6
    assert totals.reused > 500
    assert totals.generated > 20
    assert totals.masks > 30
    assert {"op", "start", "end", "text"} <= totals.phases


Wrong = Callable[[Feed, Sequence[Feed]], bool]


def test_the_language_alone_is_checked_once_a_request() -> None:
    laws = Laws(Editor(grouped_toolkit(), warm=False), random.Random(1), max_tokens=8)
    asks = [Ask("", example.before, replace(example.request, narrow=False)) for example in given()[:3]]
    laws.check_language([*asks, Ask("", asks[0].text, EditRequest(scope=[(90_000, 90_000)]))])
    assert [law.checked for law in laws.laws] == [0, 0, 0, 0, 3]
    assert (laws.totals.programs, laws.totals.unserved, laws.language.broken) == (3, 1, [])


class Faulty:
    """A model whose logits are another token's where `wrong` says so of a feed and those forwarded with it."""

    def __init__(self, model: Any, wrong: Wrong) -> None:
        self._model, self._wrong = model, wrong

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def forward(self, feeds: Sequence[Feed]) -> list[torch.Tensor]:
        wrong = [self._wrong(feed, feeds) for feed in feeds]
        answers = self._model.forward(feeds)
        return [answer.roll(1, -1) if bad else answer for answer, bad in zip(answers, wrong, strict=True)]


def in_a_batch(feed: Feed, feeds: Sequence[Feed]) -> bool:
    return len(feeds) > 1


def behind_a_draft(feed: Feed, feeds: Sequence[Feed]) -> bool:
    return len(feed.outputs) > 1 and feed.parents is None


class OnAnEditedPage:
    """Whether the row's prefix was computed from some place in its middle on."""

    def __init__(self) -> None:
        self._edited: dict[int, bool] = {}

    def __call__(self, feed: Feed, feeds: Sequence[Feed]) -> bool:
        row = id(feed.row)
        if feed.row.used == 0:
            self._edited[row] = False
        if not feed.outputs and feed.positions[0] % CHUNK:
            self._edited[row] = True
        return self._edited.get(row, True)


@pytest.mark.parametrize(
    ("wrong", "broken"),
    [
        (in_a_batch, {"packed"}),
        (behind_a_draft, {"drafts"}),
        (OnAnEditedPage(), {"logits", "cold", "packed"}),
    ],
)
def test_a_model_that_breaks_a_law_is_found(
    wrong: Callable[[Sequence[Feed]], bool], broken: set[str]
) -> None:
    laws = checked(grouped_toolkit(lambda model: Faulty(model, wrong)), examples=3, lists=False)
    names = ("logits", "cold", "drafts", "packed", "language")
    assert {name for name in names if getattr(laws, name).broken} == broken


@pytest.mark.parametrize("name", list(CODECS))
def test_llguidance_takes_every_program_and_no_changed_one(name: str) -> None:
    rng = random.Random(5)
    refused = changed = 0
    checker: ProgramChecker | None = None
    for _ in range(8):
        acceptor, _, lines = random_acceptor(rng, name)
        checker = checker or ProgramChecker(acceptor.codec, bodies(name))
        stream = random_stream(rng, acceptor, lines, 40)
        found = checker.check(acceptor, lines, stream, lambda: rng.random() < 0.1)
        assert found.problem is None
        assert found.tokens <= len(stream)
        assert checker.check(acceptor, lines, stream[:-1], lambda: False).problem is not None
        assert checker.check(acceptor, lines, [*stream, stream[-1]], lambda: False).problem is not None
        at = rng.randrange(len(stream))
        other = [*stream[:at], rng.randrange(acceptor.codec.vocabulary.size), *stream[at + 1 :]]
        changed += 1
        refused += checker.check(acceptor, lines, other, lambda: False).problem is not None
    assert refused > changed // 3


def trace(*choices: tuple[int, float], tokens: Sequence[int] = (), text: str = "") -> Trace:
    return Trace(
        [Choice(*choice) for choice in choices], list(tokens), EditResult("edited", text, reason=text)
    )


@pytest.mark.parametrize(
    ("ours", "theirs", "ties", "broken"),
    [
        (trace((1, 0.0), tokens=[1]), trace((1, 0.0), tokens=[1]), 0, 0),
        (trace((1, TIE / 2), tokens=[1]), trace((2, 3.0), tokens=[2]), 1, 0),
        (trace((1, 2 * TIE), tokens=[1]), trace((2, 3.0), tokens=[2]), 0, 1),
        (trace((3, 0.0), (1, 1.0), tokens=[1]), trace((3, 0.0), (2, 1.0), tokens=[2]), 0, 1),  # a tie before
        (trace((1, 0.0), tokens=[1]), trace((1, 0.0), tokens=[2]), 0, 1),  # nothing was chosen otherwise
        (trace((1, 9.0), tokens=[1], text="a"), trace((1, 9.0), tokens=[1], text="b"), 0, 1),
    ],
)
def test_runs_part_at_ties_only(ours: Trace, theirs: Trace, ties: int, broken: int) -> None:
    law = Law("law")
    law.check_same("it", ours, theirs)
    assert (law.checked, law.ties, len(law.broken)) == (1, ties, broken)


@pytest.mark.parametrize("difference", [2 * TIE, float("nan")])
def test_logits_that_differ_break_the_law(difference: float) -> None:
    law = Law("law")
    law.check_close("it", TIE)
    assert not law.broken
    law.check_close("it", difference)
    assert len(law.broken) == 1


@pytest.mark.parametrize("text", ["", "x", "a = 1\r\nb = 2\r\n", "é = '日本'\n\n\nlast", "pass\n" * 50])
def test_edits_and_undos_end_where_they_should(text: str) -> None:
    desk = editor()
    for seed in range(10):
        document = reach_through_edits(desk, "a.py", text, 1 + seed, random.Random(seed))
        assert document.text == text
        desk.check_integrity()
        document.close()
