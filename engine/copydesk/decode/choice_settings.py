"""How a model's judgements of an instruction's candidates and their priors come to one distribution, and how likely is enough.

Each adapter is as sure of itself as its training made it, so each has settings of its own. They are chosen on held-out requests
and the development set: `python -m copydesk_benchmarks choice_settings`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from copydesk.grammar.trie import Floats

PRIOR_WEIGHT = 0.2
"""What the priors of changing nothing and of another edit count for beside the model's judgements."""


@dataclass(frozen=True, slots=True)
class ChoiceSettings:
    """temperature: what the model's log probabilities are divided by; more than 1 where it is surer than it is right (arXiv
    1706.04599). ranking: what an edit's prior counts for. relative: whether it counts as a share of the priors of all edits,
    so that scores that are high for all edits say nothing against changing nothing or another edit. nothing, another: logits
    of these two, beside what their own priors count for.

    confidence: the least probability with which a program is taken. sure_of_nothing: the least with which the one that changes
    nothing is taken, if that is more: who asked for an edit is told only then that none is needed.
    """

    temperature: float = 1.0
    ranking: float = PRIOR_WEIGHT
    relative: bool = False
    nothing: float = 0.0
    another: float = 0.0
    confidence: float = 0.66
    sure_of_nothing: float = 0.75

    def posterior(
        self, judged: Floats, priors: Floats, nothing: NDArray[np.bool_], another: NDArray[np.bool_]
    ) -> Floats:
        """The model's log probabilities of accepting programs and the logits of their priors as one distribution, in logarithms.

        All have the same length; nothing, another: which of them changes nothing, and which says that another edit is meant.
        """
        edits = ~(nothing | another)
        weighed = PRIOR_WEIGHT * priors + self.nothing * nothing + self.another * another
        if edits.any():
            level = np.logaddexp.reduce(priors[edits]) if self.relative else 0.0
            weighed[edits] = self.ranking * (priors[edits] - level)
        logits = judged / self.temperature + weighed
        found: Floats = logits - np.logaddexp.reduce(logits)
        return found

    def taken_from(self, *, nothing: bool) -> float:
        """The least probability with which an answer is taken; nothing: whether it is to change nothing."""
        return max(self.confidence, self.sure_of_nothing if nothing else 0.0)


STANDARD_SETTINGS = ChoiceSettings()
"""Those of the standard model, and of each that says nothing else."""
BY_MODEL: Mapping[str, ChoiceSettings] = MappingProxyType(
    {
        "coder": ChoiceSettings(
            temperature=1.4,
            ranking=0.4,
            relative=True,
            another=1.5,
            confidence=0.5,
            sure_of_nothing=0.5,
        )
    }
)
"""Settings of the catalogue's models by their names."""
