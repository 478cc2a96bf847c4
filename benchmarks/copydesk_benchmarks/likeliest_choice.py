"""The answer that a model's choice among refactorings comes to, out of what `refactoring_choice --json` wrote of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from copydesk.decode.finite_choice import PRIOR_WEIGHT
from copydesk.serving.narrowing import ANOTHER, NOTHING


def likeliest(
    choice: dict[str, Any],
    ranking: float = PRIOR_WEIGHT,
    nothing: float = PRIOR_WEIGHT * NOTHING.prior,
    another: float = PRIOR_WEIGHT * ANOTHER.prior,
) -> tuple[float, int]:
    """The probability and the place of the likeliest answer; the last but one is that nothing changes. That another edit is
    meant, the last, has its share of the probability and is no answer. Candidates that come to the same (`same`: the place of
    the first of them) are one, as in the engine.

    ranking: what the ranking counts for. nothing, another: logits.
    """
    priors = [*(ranking * prior for prior in choice["priors"][:-2]), nothing, another]
    law = np.array(choice["likelihoods"]) + priors
    law -= np.logaddexp.reduce(law)
    summed = np.full(len(law), -np.inf)
    same = [*choice["same"], len(law) - 2, len(law) - 1]
    np.logaddexp.at(summed, same, law)
    group = int(summed[:-1].argmax())
    place = max((k for k, first in enumerate(same) if first == group), key=lambda k: float(law[k]))
    return min(1.0, float(np.exp(summed[group]))), place
