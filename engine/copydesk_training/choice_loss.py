"""The loss of a choice among candidates: a softmax over what they score.

A candidate's score is the log probability of the token that accepts it (of its tokens, if several are learnt), which is what
serving chooses by; the softmax is at a temperature. As a sum of weighted token losses it has the same gradient: each token of
candidate j is weighted with ([j is right] - P(j)) / temperature.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from copydesk_training.batches import Choices


@dataclass(frozen=True, slots=True)
class Chosen:
    """coefficient: fp32 [n], of the token losses, whose weighted sum has the gradient of the summed loss. loss: nats, summed over
    the groups. hits: groups whose right candidate scores highest.
    """

    coefficient: torch.Tensor
    loss: float
    hits: int


def choice_loss(each: torch.Tensor, choices: Choices, temperature: float = 1.0) -> Chosen:
    """each: fp32 [n], the losses of the chosen positions, without gradient."""
    count = len(choices.group)
    scores = each.new_zeros(count + 1).index_add_(0, choices.candidate, -each)[:count]
    table = scores.new_full((choices.count, count), float("-inf"))
    table[choices.group, torch.arange(count, device=each.device)] = scores / temperature
    log_p = table.log_softmax(1)[choices.group, torch.arange(count, device=each.device)]
    wanted = choices.right.to(each.dtype)
    by_candidate = torch.cat(((wanted - log_p.exp()) / temperature, each.new_zeros(1)))
    best = table.argmax(1)
    return Chosen(
        by_candidate[choices.candidate], float(-log_p[choices.right].sum()), int(choices.right[best].sum())
    )
