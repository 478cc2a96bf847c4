"""The optimiser: orthogonal updates, fp32 masters, a state that can be put back; and the schedule."""

from __future__ import annotations

import pytest
import torch

from copydesk.errors import TrainingError
from copydesk_training.model import Config, TrainingModel
from copydesk_training.optim import MuonAdamW, orthogonal
from copydesk_training.schedule import Schedule

TINY = Config(vocab=64, hidden=64, layers=1, heads=1, inner=96, positions=64)


def made(seed: int = 0, config: Config = TINY) -> tuple[TrainingModel, MuonAdamW]:
    torch.manual_seed(seed)
    model = TrainingModel(config)
    return model, MuonAdamW(model)


def give_gradients(model: TrainingModel, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    for parameter in model.parameters():
        parameter.grad = torch.randn(parameter.shape, generator=generator).to(parameter.dtype)


@pytest.mark.parametrize("shape", [(3, 64, 64), (2, 48, 96), (2, 96, 48)])
def test_updates_are_nearly_orthogonal(shape: tuple[int, ...]) -> None:
    torch.manual_seed(0)
    values = torch.linalg.svdvals(orthogonal(torch.randn(*shape)))
    assert values.median() > 0.7
    assert values.max() < 1.4
    assert (values > 0.5).float().mean() > 0.9  # the smallest ones of a square matrix take more steps


def test_matrices_take_muon_and_the_rest_adam() -> None:
    _, optimiser = made()
    assert set(optimiser.second) == {
        "embedding", "norm", "layers.0.input_norm", "layers.0.qkv_bias", "layers.0.mlp_norm",
    }  # fmt: skip
    assert "layers.0.qkv" in optimiser.matrices


def test_fused_projections_are_updated_part_by_part() -> None:
    model, optimiser = made()
    give_gradients(model, 1)
    before = optimiser.masters["layers.0.qkv"].clone()
    optimiser.step(1.0, 0.0)
    change = optimiser.masters["layers.0.qkv"] - before * (1 - optimiser.hyper.decay)
    for part in change.chunk(3):
        values = torch.linalg.svdvals(part)
        assert 0.7 < values.median() < values.max() < 1.4


def test_weights_are_the_masters_rounded() -> None:
    model, optimiser = made()
    give_gradients(model, 1)
    optimiser.step(0.02, 3e-3)
    for name, parameter in model.named_parameters():
        assert torch.equal(parameter, optimiser.masters[name].bfloat16()), name
        assert parameter.grad is None


def test_a_restored_optimiser_goes_on_the_same() -> None:
    model, optimiser = made()
    for seed in range(3):
        give_gradients(model, seed)
        optimiser.step(0.02, 3e-3)
    other, again = made(seed=5)
    again.restore(optimiser.state())
    for each, step in ((model, optimiser), (other, again)):
        give_gradients(each, 9)
        step.step(0.02, 3e-3)
    for a, b in zip(model.parameters(), other.parameters(), strict=True):
        assert torch.equal(a, b)


def test_a_state_of_another_shape_is_refused() -> None:
    _, optimiser = made()
    _, other = made(config=Config(vocab=64, hidden=64, layers=1, heads=1, inner=64, positions=64))
    with pytest.raises(TrainingError, match="another shape"):
        other.restore(optimiser.state())
    with pytest.raises(TrainingError, match="another shape"):
        other.load_weights(optimiser.masters)


def test_the_schedule_warms_up_stays_and_always_decays_to_zero() -> None:
    schedule = Schedule(warmup=10, decay=0.4)
    assert schedule.factor(0, 0.0) == pytest.approx(0.1)
    assert schedule.factor(50, 0.3) == schedule.factor(50, 0.6) == 1.0
    assert schedule.factor(50, 0.8) == pytest.approx(0.5)
    assert schedule.factor(50, 1.0) == schedule.factor(50, 1.2) == 0.0


def test_the_curriculum_grows() -> None:
    schedule = Schedule(curriculum=((0.0, 100), (0.5, 1000)))
    assert [schedule.longest(p) for p in (0.0, 0.49, 0.5, 1.0)] == [100, 100, 1000, 1000]
