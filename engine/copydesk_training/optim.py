"""Muon for matrices, AdamW for embedding, norms and biases; fp32 masters behind weights of any dtype.

Muon (Jordan et al., 2024): the momentum of a matrix is replaced by its nearest semi-orthogonal matrix, found by five
Newton-Schulz steps. Fused projections are orthogonalised part by part (queries, keys, values; gate, up), as if they were
matrices of their own. Knows no schedule: learning rates are given at each step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from copydesk.errors import TrainingError
from copydesk.models.load import choose_dtype

PARTS = {"qkv": 3, "gate_up": 2}
"""How many matrices a fused projection of that name holds, one above the other."""

_A, _B, _C = 3.4445, -4.7750, 2.0315
"""The quintic of Newton-Schulz, chosen for its slope at zero (Jordan et al.)."""


@dataclass(frozen=True, slots=True)
class Hyper:
    """What stays the same from step to step. Momentum rises from `momentum_start` within `momentum_steps`."""

    momentum: float = 0.95
    momentum_start: float = 0.85
    momentum_steps: int = 300
    newton_steps: int = 5
    decay: float = 0.05
    betas: tuple[float, float] = (0.9, 0.98)
    eps: float = 1e-8


def orthogonal(stack: torch.Tensor, steps: int = 5) -> torch.Tensor:
    """About the nearest semi-orthogonal matrix to each of `stack` [K, m, n], in fp32; computed in bf16 where the device has it.

    Singular values end between about 0.7 and 1.2, which serves as well as 1.
    """
    x = stack.to(choose_dtype("auto", stack.device, torch.bfloat16))
    tall = x.shape[-2] > x.shape[-1]
    if tall:
        x = x.mT
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(steps):
        gram = x @ x.mT
        x = torch.baddbmm(x, torch.baddbmm(gram, gram, gram, beta=_B, alpha=_C), x, beta=_A)
    return (x.mT if tall else x).float()


class MuonAdamW:
    """The optimiser of one model. State is fp32, by parameter name."""

    def __init__(self, model: nn.Module, hyper: Hyper | None = None) -> None:
        self.hyper = hyper or Hyper()
        self.steps = 0
        self.parameters = dict(model.named_parameters())
        self.masters = {n: p.detach().float().clone() for n, p in self.parameters.items()}
        self.first = {n: torch.zeros_like(m) for n, m in self.masters.items()}
        self.matrices = [n for n, p in self.parameters.items() if p.dim() == 2 and n != "embedding"]
        rest = [n for n in self.parameters if n not in set(self.matrices)]
        self.second = {n: torch.zeros_like(self.masters[n]) for n in rest}

    @torch.no_grad()
    def step(self, rate: float, adam_rate: float) -> None:
        """Apply the gradients and drop them. rate: Muon's learning rate, adam_rate: AdamW's."""
        self.steps += 1
        self._muon(rate)
        self._adam(adam_rate)
        for name, parameter in self.parameters.items():
            parameter.copy_(self.masters[name])
            parameter.grad = None

    def _muon(self, rate: float) -> None:
        hyper = self.hyper
        rise = min(1.0, self.steps / hyper.momentum_steps)
        momentum = hyper.momentum_start + (hyper.momentum - hyper.momentum_start) * rise
        updates: list[tuple[torch.Tensor, torch.Tensor]] = []  # (update, master), matrix by matrix
        for name in self.matrices:
            grad = self._grad(name)
            average = self.first[name].mul_(momentum).add_(grad)
            update = grad.add_(average, alpha=momentum)  # Nesterov
            parts = PARTS.get(name.rpartition(".")[2], 1)
            updates += zip(update.chunk(parts), self.masters[name].chunk(parts), strict=True)
        groups: dict[torch.Size, list[tuple[torch.Tensor, torch.Tensor]]] = {}
        for pair in updates:
            groups.setdefault(pair[0].shape, []).append(pair)
        for (rows, columns), pairs in groups.items():
            scale = max(1.0, rows / columns) ** 0.5
            for new, (_, master) in zip(
                orthogonal(torch.stack([u for u, _ in pairs]), hyper.newton_steps), pairs, strict=True
            ):
                master.mul_(1 - rate * hyper.decay).add_(new, alpha=-rate * scale)

    def _adam(self, rate: float) -> None:
        first, second = self.hyper.betas
        for name, squares in self.second.items():
            grad = self._grad(name)
            average = self.first[name].mul_(first).add_(grad, alpha=1 - first)
            squares.mul_(second).addcmul_(grad, grad, value=1 - second)
            root = (squares / (1 - second**self.steps)).sqrt_().add_(self.hyper.eps)
            self.masters[name].addcdiv_(average, root, value=-rate / (1 - first**self.steps))

    def _grad(self, name: str) -> torch.Tensor:
        """The gradient in fp32; may be written to."""
        grad = self.parameters[name].grad
        assert grad is not None, name
        return grad.float() if grad.dtype != torch.float32 else grad.clone()

    def state(self) -> dict[str, Any]:
        """Everything that goes into a checkpoint, on the CPU."""
        groups = {"masters": self.masters, "first": self.first, "second": self.second}
        packed: dict[str, Any] = {k: {n: t.cpu() for n, t in g.items()} for k, g in groups.items()}
        return {**packed, "steps": self.steps}

    @torch.no_grad()
    def restore(self, state: dict[str, Any]) -> None:
        """Masters, averages and weights of `state`. Raises TrainingError where it belongs to another model."""
        groups = {"masters": self.masters, "first": self.first, "second": self.second}
        for group, own in groups.items():
            found = state[group]
            if {n: t.shape for n, t in found.items()} != {n: t.shape for n, t in own.items()}:
                raise TrainingError("the checkpoint belongs to a model of another shape")
            for name, tensor in own.items():
                tensor.copy_(found[name])
        self.steps = int(state["steps"])
        for name, parameter in self.parameters.items():
            parameter.copy_(self.masters[name])

    @torch.no_grad()
    def load_weights(self, masters: dict[str, torch.Tensor]) -> None:
        """Start from these weights with fresh averages. Raises TrainingError where shapes differ."""
        if {n: t.shape for n, t in masters.items()} != {n: t.shape for n, t in self.masters.items()}:
            raise TrainingError("the weights to start from belong to a model of another shape")
        for name, parameter in self.parameters.items():
            self.masters[name].copy_(masters[name])
            parameter.copy_(self.masters[name])
