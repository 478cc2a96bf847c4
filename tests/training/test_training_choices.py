"""Choices among candidates: what a group holds, what its loss is, and that training on it makes the right one likelier."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random
from unittest import mock

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from adapter_bases import directory, extended
from copydesk.serving.narrowing import ANOTHER, NOTHING
from copydesk_training import choices, kernels
from copydesk_training.adapters.run import AdapterRun, Losses, Options
from copydesk_training.batches import Choices, assemble
from copydesk_training.choice_loss import Chosen, choice_loss
from copydesk_training.choices import ChoiceRenderer, choice_examples
from copydesk_training.defects.registry import KINDS
from copydesk_training.example import Example
from copydesk_training.examples import LONGEST_GROUP, Rendered, Role
from copydesk_training.loss import head_loss
from copydesk_training.model import Config, TrainingModel
from copydesk_training.shard_file import Row, Shard, write_shard
from defect_files import files
from training_corpora import codec, module


@pytest.fixture(scope="module")
def groups() -> list[tuple[Example, Rendered]]:
    renderer = ChoiceRenderer(codec())
    with mock.patch.object(choices, "WITHHELD", 0.3):  # few requests have no right candidate by themselves
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
        assert (group.requests, set(group.parents)) == (1, {0})
        ends = [*group.branches[1:], len(group.ids)]
        spelled = [tuple(group.ids[a:b].tolist()) for a, b in zip(group.branches, ends, strict=True)]
        assert len(set(spelled)) == len(spelled) > 1
        assert len({branch[0] for branch in spelled}) == 1  # the request's last token
        roles = [group.roles[a:b].tolist() for a, b in zip(group.branches, ends, strict=True)]
        assert [told[-1] for told in roles] == [Role.PROGRAM, *[Role.RIVAL] * (len(roles) - 1)]
        assert {role for told in roles for role in told[:-1]} == {Role.CONTEXT}


def test_nothing_to_do_and_another_edit_are_candidates_and_right_where_they_are(
    groups: list[tuple[Example, Rendered]],
) -> None:
    right = {NOTHING: 0, ANOTHER: 0}
    for example, group in groups:
        ends = [*group.branches[1:], len(group.ids)]
        assert {int(group.ids[end - 1]) for end in ends} == {codec().verdict}
        spelled = [
            tuple(group.ids[a + 1 : b - 1].tolist()) for a, b in zip(group.branches, ends, strict=True)
        ]
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
    starts, page = np.array([2, 4], np.uint16), np.zeros(2, np.uint16)
    request = Row(np.arange(7, dtype=np.uint16), np.array([1, 1, 0, 2, 0, 2, 2], np.uint8), starts, page)
    roles = [context, context, context, program, context, rival, rival]
    choice = Row(np.arange(10, 17, dtype=np.uint16), np.array(roles, np.uint8), starts, page)
    batch = assemble([request, choice], 8)
    assert batch.examples == 3
    assert batch.choices is not None
    assert batch.target.tolist() == [3, 5, 6, 13, 15, 16]
    assert batch.weight.tolist() == [1, 1, 1, 0, 0, 0]
    assert batch.choices.candidate.tolist() == [2, 2, 2, 0, 1, 1]
    assert (batch.choices.group.tolist(), batch.choices.right.tolist()) == ([0, 0], [True, False])
    assert batch.choices.count == 1
    assert assemble([request], 8).choices is None


def shared_pages(renderer: ChoiceRenderer) -> Iterator[Rendered]:
    """Groups of several requests."""
    for seed in range(8):
        text = module(f"n{seed}", 5)
        examples = [example for example in choice_examples(text, Random(seed), 30) if example.before == text]
        for group in renderer.render_choices(Random(seed), examples, 64, lambda *_: None):
            if group.requests > 1:
                yield group


def requests_of(page: Rendered) -> list[Rendered]:
    """The requests on a page, each as if it were alone on it."""
    begin, alone = page.parents[0], []
    for parent in dict.fromkeys(page.parents):
        mine = [k for k, at in enumerate(page.parents) if at == parent]
        tokens = [*range(begin), *range(parent, page.ends[mine[-1]])]
        starts = tuple(page.branches[k] - parent + begin for k in mine)
        verdicts = tuple(page.programs[k] - parent + begin for k in mine)
        alone.append(
            Rendered(
                page.ids[tokens], page.roles[tokens], starts, (0,) * len(mine), verdicts,
                tuple(page.kinds[k] for k in mine), tuple(page.located[k] for k in mine), page.page_lines,
            )
        )  # fmt: skip
    return alone


def test_requests_that_share_a_page_are_rendered_as_if_each_were_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # So few rivals that several requests fit behind a page.
    monkeypatch.setattr(choices, "RIVALS", 11)
    monkeypatch.setattr(choices, "FIRST", 7)
    renderer, text = ChoiceRenderer(codec()), module("n", 5)
    examples = [example for example in choice_examples(text, Random(0), 60) if example.before == text]
    dropped: list[str] = []
    groups = list(renderer.render_choices(Random(9), examples, 64, lambda _, reason: dropped.append(reason)))
    rng = Random(9)
    made = [renderer.render_choice(example, 64, rng) for example in examples]
    assert dropped == [one for one in made if isinstance(one, str)]
    wanted = [one for one in made if isinstance(one, Rendered)]
    found = [one for group in groups for one in (requests_of(group) if group.requests > 1 else [group])]
    assert sum(group.requests for group in groups) == len(found)
    assert 1 < len(groups) < len(wanted) / 2
    assert all(len(group.ids) <= LONGEST_GROUP for group in groups)
    for one, other in zip(found, wanted, strict=True):
        assert (one.ids.tolist(), one.roles.tolist()) == (other.ids.tolist(), other.roles.tolist())
        assert (one.branches, one.programs, one.kinds, one.located, one.program_tokens) == (
            other.branches, other.programs, other.kinds, other.located, other.program_tokens
        )  # fmt: skip


def trained(
    model: TrainingModel, groups: list[Rendered]
) -> tuple[Chosen, torch.Tensor, dict[str, torch.Tensor]]:
    """What the candidates of some groups in one batch make of a model: the choices, the token losses and the gradients."""
    rows = [
        Row(g.ids.astype(np.uint16), g.roles, np.array(g.branches, np.uint16), np.array(g.parents, np.uint16))
        for g in groups
    ]
    batch = assemble(rows, max(len(g.ids) for g in groups) - 1)
    assert batch.choices is not None
    model.zero_grad()
    hidden = model.hidden(batch.ids, batch.segments).flatten(0, 1)
    rest = batch.where, batch.target
    with torch.no_grad():
        _, each = head_loss(hidden, model.embedding, *rest, torch.zeros_like(batch.weight), model.kernels)
    found = choice_loss(each, batch.choices, 4.0)
    loss, _ = head_loss(hidden, model.embedding, *rest, found.coefficient, model.kernels)
    loss.backward()
    return found, each, {n: p.grad.float().clone() for n, p in model.named_parameters() if p.grad is not None}


@pytest.mark.parametrize("native", [False, True])
def test_requests_that_share_a_page_are_learnt_as_if_each_were_alone(native: bool) -> None:
    """Losses and gradients: in fp32 with torch's operators, and in bf16 with the native kernels as near as bf16 is."""
    if native and kernels.load() is None:
        pytest.skip("no C++ compiler here: training runs on torch's own operators")
    found = codec()
    config = Config(vocab=found.vocabulary.size, hidden=128, layers=2, heads=2, inner=192)
    torch.manual_seed(0)
    exact = TrainingModel(config, dtype=torch.bfloat16 if native else torch.float32)
    with torch.no_grad():
        for parameter in exact.parameters():  # tokens that attend to each other in earnest
            parameter.add_(torch.randn(parameter.shape).to(parameter.dtype) * 0.05)
    model = TrainingModel(config, dtype=torch.bfloat16, kernels=kernels.load()) if native else exact
    model.load_state_dict(exact.state_dict())
    exact.float()
    for page in islice(shared_pages(ChoiceRenderer(found)), 2):
        together, each, gradients = trained(model, [page])
        apart, each_apart, wanted = trained(exact, requests_of(page))
        assert len(each) == len(each_apart)
        assert torch.allclose(each, each_apart, atol=0.04 if native else 1e-4)
        assert together.loss == pytest.approx(apart.loss, rel=0.002 if native else 1e-4)
        assert torch.allclose(together.coefficient, apart.coefficient, atol=1e-3 if native else 1e-5)
        assert gradients.keys() == wanted.keys()
        _, _, alone = trained(model, requests_of(page)) if native else (None, None, gradients)
        for name, gradient in wanted.items():
            if native:
                far, bfloat16 = (
                    1 - torch.nn.functional.cosine_similarity(gradient.flatten(), one[name].flatten(), 0)
                    for one in (gradients, alone)
                )
                assert far < max(0.0005, 1.5 * bfloat16), name
            else:
                assert torch.allclose(gradients[name], gradient, atol=1e-4 * float(gradient.abs().max())), (
                    name
                )


def test_training_makes_the_right_candidate_likelier(tmp_path: Path) -> None:
    base, shards = directory(tmp_path / "base"), tmp_path / "shards"
    shards.mkdir()
    found = extended(base, shards)
    made = [group for _, group in islice(rendered(ChoiceRenderer(found), 12), 4)]
    (shards / "manifest.json").write_text(
        json.dumps({"format": found.format.to_dict(), "fingerprint": "choices"})
    )
    write_shard(shards / "train-choice-00-00000.bin", made, {})
    written = Shard(shards / "train-choice-00-00000.bin")
    assert all(len(written[k].branches) > 1 for k in range(len(made)))
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
