"""One forward's feeds as several forwards, none of which takes longer than a pace allows.

A chain is cut anywhere: what comes later sees what came before. A tree is cut in the order of its tokens, parents first; its
later tokens are told where the earlier ones lie, of which they see their ancestors alone. Knows feeds; nothing of who asks.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import TypeAlias

import torch

from copydesk.models.feed import Feed
from copydesk.models.model import Model
from copydesk.models.pace import LEAST, Pace

Cut: TypeAlias = tuple[int, int, int]
"""Which feed, and its tokens from which to which."""
WHOLE: list[Cut] = []
"""Stands for a forward of all feeds as they are."""


class Pieces:
    """`forward` is called until it says that nothing is left; `answers` are then what one forward of all feeds would have said.

    Nothing else may be forwarded over their rows, or freed in them, in between.
    """

    def __init__(self, model: Model, feeds: Sequence[Feed], pace: Pace) -> None:
        self._model = model
        self._feeds = feeds
        self._cuts = deque(_cuts(feeds, pace))
        self.answers: list[torch.Tensor] = []
        self._answered = [0] * len(feeds)

    def forward(self) -> bool:
        """Make the next forward. Whether another is left. Raises what `Model.forward` raises."""
        cuts = self._cuts.popleft()
        if cuts is WHOLE:
            self.answers = self._model.forward(self._feeds)
            return False
        parts = [_part(self._feeds[which], first, end) for which, first, end in cuts]
        answers = self._model.forward(parts)
        if not self.answers:  # filled in place: those of a large tree are too large to be there twice
            self.answers = [
                answers[0].new_empty(len(feed.outputs), answers[0].shape[1]) for feed in self._feeds
            ]
        for (which, _, _), part, answer in zip(cuts, parts, answers, strict=True):
            self._feeds[which].slots += part.slots
            first = self._answered[which]
            self._answered[which] += len(answer)
            self.answers[which][first : first + len(answer)] = answer
        return bool(self._cuts)


def _cuts(feeds: Sequence[Feed], pace: Pace) -> list[list[Cut]]:
    """The cuts that each forward takes."""
    if pace.most is None:
        return [WHOLE]
    room = pace.room
    if (
        sum(len(feed.tokens) * pace.cost(len(feed.row)) + len(feed.outputs) * pace.output for feed in feeds)
        <= room
    ):
        return [WHOLE]
    found: list[list[Cut]] = [[]]
    left = room
    for which, feed in enumerate(feeds):
        first, end = 0, len(feed.tokens)
        wanted = set(feed.outputs)
        while first < end:
            cost = pace.cost(len(feed.row) + first)
            least = 0 if found[-1] else LEAST
            taken = 0
            while first + taken < end:
                more = cost + (pace.output if first + taken in wanted else 0.0)
                if more > left and taken >= least:
                    break
                left -= more
                taken += 1
            if taken:
                found[-1].append((which, first, first + taken))
                first += taken
            if first < end:
                found.append([])
                left = room
        if not end:  # a feed without tokens has an answer too
            found[-1].append((which, 0, 0))
    return found if len(found) > 1 else [WHOLE]


def _part(feed: Feed, first: int, end: int) -> Feed:
    outputs = [index - first for index in feed.outputs if first <= index < end]
    tokens, positions = feed.tokens[first:end], feed.positions[first:end]
    if feed.parents is None:
        return Feed(feed.row, feed.owner, tokens, positions, None, outputs)
    parents = feed.parents[:end]
    if all(parent == index - 1 for index, parent in enumerate(parents)):
        return Feed(feed.row, feed.owner, tokens, positions, None, outputs)
    return Feed(feed.row, feed.owner, tokens, positions, parents, outputs, earlier=feed.slots[:first])
