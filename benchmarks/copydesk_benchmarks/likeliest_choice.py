"""The answers that a model's choice among refactorings comes to, out of what `refactoring_choice --json` wrote of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from copydesk.decode.choice_settings import STANDARD_SETTINGS, ChoiceSettings
from copydesk.grammar.trie import Floats


def law_of(likelihoods: Sequence[float], priors: Sequence[float], settings: ChoiceSettings) -> Floats:
    """The logarithms of the distribution; the last two are that nothing changes and that another edit is meant."""
    at = np.arange(len(likelihoods)) - len(likelihoods)
    return settings.posterior(np.array(likelihoods), np.array(priors), at == -2, at == -1)


def by_probability(
    choice: dict[str, Any], settings: ChoiceSettings = STANDARD_SETTINGS
) -> list[tuple[float, int]]:
    """The probability and the place of every answer, the likeliest first; the place before the last says that nothing changes.
    That another edit is meant, the last, has its share of the probability and is no answer. Candidates that come to the same
    (`same`: the place of the first of them) are one, as in the engine; its place is that of the likeliest of them.
    """
    law = law_of(choice["likelihoods"], choice["priors"], settings)
    summed = np.full(len(law), -np.inf)
    same = [*choice["same"], len(law) - 2, len(law) - 1]
    np.logaddexp.at(summed, same, law)
    places: dict[int, int] = {}
    for place, first in enumerate(same[:-1]):
        if first not in places or law[place] > law[places[first]]:
            places[first] = place
    found = [(min(1.0, float(np.exp(summed[first]))), place) for first, place in places.items()]
    return sorted(found, key=lambda answer: -answer[0])


def likeliest(choice: dict[str, Any], settings: ChoiceSettings = STANDARD_SETTINGS) -> tuple[float, int]:
    """The first of `by_probability`."""
    return by_probability(choice, settings)[0]
