"""Choices among candidates: what a group holds, what its loss is, and that training on it makes the right one likelier."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from adapter_bases import directory, extended
from copydesk.serving.narrowing import ANOTHER, NOTHING
from copydesk_training.adapters.run import AdapterRun, Losses, Options
from copydesk_training.batches import Choices, assemble
from copydesk_training.choice_loss import choice_loss
from copydesk_training.choices import ChoiceRenderer, choice_examples
from copydesk_training.defects.registry import KINDS
from copydesk_training.example import Example
from copydesk_training.examples import Rendered, Role
from copydesk_training.shard_file import Row, Shard, write_shard
from defect_files import files
from training_corpora import codec


@pytest.fixture(scope="module")
def groups() -> list[tuple[Example, Rendered]]:
    renderer = ChoiceRenderer(codec())
    return list(islice(rendered(renderer, 20), 24))


def rendered(renderer: ChoiceRenderer, page_lines: int) -> Iterator[tuple[Example, Rendered]]:
    rng = Random(4)
    for file in files():
        for example in choice_examples(file.text, rng, 6, idle=0.4):
            group = renderer.render_choice(example, page_lines, rng)
            if not isinstance(group, str):
                yield example, group


def test_the_first_branch_is_right_and_no_two_are_alike(groups: list[tuple[Example, Rendered]]) -> None:
    for _, group in groups:
        assert group.choice
        ends = [*group.branches[1:], len(group.ids)]
        spelled = [tuple(group.ids[a:b].tolist()) for a, b in zip(group.branches, ends, strict=True)]
        assert len(set(spelled)) == len(spelled) > 1
        assert len({branch[0] for branch in spelled}) == 1  # the request's last token
        roles = [set(group.roles[a + 1 : b].tolist()) for a, b in zip(group.branches, ends, strict=True)]
        assert roles == [{Role.PROGRAM}, *[{Role.RIVAL}] * (len(roles) - 1)]


def test_nothing_to_do_and_another_edit_are_candidates_and_right_where_they_are(
    groups: list[tuple[Example, Rendered]],
) -> None:
    right = {NOTHING: 0, ANOTHER: 0}
    for example, group in groups:
        ends = [*group.branches[1:], len(group.ids)]
        spelled = [tuple(group.ids[a + 1 : b].tolist()) for a, b in zip(group.branches, ends, strict=True)]
        places = {told: spelled.index(codec().described(told.title, told.line)) for told in right}
        for told, place in places.items():
            right[told] += place == 0
        assert (places[NOTHING] == 0) == KINDS[example.kind].nothing_to_do
    assert all(right.values())


@given(
    st.lists(st.lists(st.integers(1, 4), min_size=2, max_size=5), min_size=1, max_size=4),
    st.integers(0, 1 << 30),
    st.sampled_from([1.0, 4.0]),
)
def test_the_coefficients_give_the_gradient_of_the_softmax(
    groups: list[list[int]], seed: int, temperature: float
) -> None:
    """groups: the tokens of each candidate. Positions of no choice stand between them and get no coefficient."""
    draw = torch.Generator().manual_seed(seed)
    candidate, group, right = [], [], []
    for g, sizes in enumerate(groups):
        answer = int(torch.randint(len(sizes), (), generator=draw))
        for k, size in enumerate(sizes):
            candidate += [len(group)] * size
            group.append(g)
            right.append(k == answer)
    places = torch.tensor([len(group), *candidate, len(group)])
    choices = Choices(places, torch.tensor(group), torch.tensor(right), len(groups))
    each = (torch.rand(len(places), generator=draw) * 3).requires_grad_()
    scores = -torch.stack([each[places == k].sum() for k in range(len(group))])
    log_p = torch.cat([(scores[choices.group == g] / temperature).log_softmax(0) for g in range(len(groups))])
    loss = -log_p[choices.right].sum()
    loss.backward()
    found = choice_loss(each.detach(), choices, temperature)
    assert each.grad is not None
    assert torch.allclose(found.coefficient, each.grad, atol=1e-5)
    assert math.isclose(found.loss, float(loss.detach()), rel_tol=1e-4, abs_tol=1e-4)


def test_a_batch_tells_candidates_from_requests() -> None:
    context, program, rival = int(Role.CONTEXT), int(Role.PROGRAM), int(Role.RIVAL)
    request = Row(
        np.arange(7, dtype=np.uint16), np.array([1, 1, 0, 2, 0, 2, 2], np.uint8), np.array([2, 4], np.uint16)
    )
    roles = [context, context, context, program, context, rival, rival]
    choice = Row(np.arange(10, 17, dtype=np.uint16), np.array(roles, np.uint8), np.array([2, 4], np.uint16))
    batch = assemble([request, choice], 8)
    assert batch.examples == 3
    assert batch.choices is not None
    assert batch.target.tolist() == [3, 5, 6, 13, 15, 16]
    assert batch.weight.tolist() == [1, 1, 1, 0, 0, 0]
    assert batch.choices.candidate.tolist() == [2, 2, 2, 0, 1, 1]
    assert (batch.choices.group.tolist(), batch.choices.right.tolist()) == ([0, 0], [True, False])
    assert batch.choices.count == 1
    assert assemble([request], 8).choices is None


def test_training_makes_the_right_candidate_likelier(tmp_path: Path) -> None:
    base, shards = directory(tmp_path / "base"), tmp_path / "shards"
    shards.mkdir()
    found = extended(base, shards)
    made = [group for _, group in islice(rendered(ChoiceRenderer(found), 12), 4)]
    (shards / "manifest.json").write_text(
        json.dumps({"format": found.format.to_dict(), "fingerprint": "choices"})
    )
    write_shard(shards / "train-choice-00-00000.bin", made, {})
    with_rivals = [
        len(b) for _, _, b in (Shard(shards / "train-choice-00-00000.bin")[k] for k in range(len(made)))
    ]
    assert min(with_rivals) > 1
    run = AdapterRun(
        base, shards, tmp_path / "out", Options(rate=5e-3, warmup=1, batch_tokens=4096), native=False
    )
    losses = []
    for _ in range(20):
        sums = Losses()
        batch = run.step(0.0, sums)
        assert batch.choices is not None
        assert sums.token_loss is None
        assert sums.choice_loss is not None
        losses.append(sums.choice_loss)
    first, last = sum(losses[:4]), sum(losses[-4:])
    assert last < 0.7 * first
