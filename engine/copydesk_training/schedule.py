"""How far a run is, and what follows from it: learning rate and curriculum.

Progress is a number from 0 to 1: the share of the wall-clock budget that is spent, or of the steps where a run counts steps.
Both end with the decay, whatever the machine's speed. Knows no model and no clock.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Schedule:
    """Linear warm-up over `warmup` steps, constant, then linear to zero over the last `decay` of the run.

    `rate` is Muon's, `adam_rate` AdamW's. `curriculum`: (progress, longest group in tokens) stages, in order.
    """

    rate: float = 0.02
    adam_rate: float = 3e-3
    warmup: int = 100
    decay: float = 0.4
    curriculum: tuple[tuple[float, int], ...] = ((0.0, 768), (0.3, 1 << 30))

    def factor(self, step: int, progress: float) -> float:
        """What both rates are multiplied with at `step` (from 0)."""
        warm = min(1.0, (step + 1) / self.warmup) if self.warmup else 1.0
        if progress <= 1 - self.decay:
            return warm
        return warm * max(0.0, (1 - progress) / self.decay)

    def longest(self, progress: float) -> int:
        """Longest group, in tokens, that is trained on at `progress`."""
        return max((limit for start, limit in self.curriculum if progress >= start), default=1 << 30)
