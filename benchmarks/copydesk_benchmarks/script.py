"""Choices that are scripted over forwards that are real, for both sides of a race.

Both raise the logit of the script's next token wherever the context stands at a known position: drafts, trees and masks go
their own way, and are accepted as far as the script agrees with them. No candidate is told what the script is, so nobody's
draft is better than its own method makes it. Knows positions; nothing of programs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from copydesk.models.feed import Feed
from copydesk.models.replay import ReplayModel
from copydesk.models.row import SHARED

BOOST = 1e4


class ScriptedModel(ReplayModel):
    """A `ReplayModel` that serves many requests at once: a script belongs to what a request asks, at its place.

    Two requests that are in flight together must differ in their tokens or their place.
    """

    def __init__(self, model: Any) -> None:
        super().__init__(model)
        self.calls = 0
        self._by_request: dict[tuple[int, tuple[int, ...]], tuple[int, Sequence[int]]] = {}
        self._by_lane: dict[tuple[int, int], tuple[int, Sequence[int]]] = {}

    def say(self, asked: Sequence[int], script: tuple[int, Sequence[int]]) -> None:
        """Answer `asked`, the request's tokens behind its page, with `script` (position of its first token, tokens)."""
        self._by_request[script[0] - len(asked), tuple(asked)] = script

    def forget(self) -> None:
        """Drop all scripts."""
        self._by_request.clear()
        self._by_lane.clear()

    @torch.inference_mode()
    def forward(self, feeds: Sequence[Feed]) -> list[torch.Tensor]:
        self.calls += 1
        for feed in feeds:
            if feed.owner != SHARED and feed.tokens:
                self._meet(feed)
        answers = self.model.forward(feeds)
        for feed, logits in zip(feeds, answers, strict=True):
            first, script = self._by_lane.get((id(feed.row), feed.owner), (0, ()))
            for row, index in enumerate(feed.outputs):
                at = feed.positions[index] + 1 - first
                if 0 <= at < len(script):
                    logits[row, script[at]] += BOOST
        return answers

    def _meet(self, feed: Feed) -> None:
        """A lane's first feed begins with its request."""
        for (place, asked), script in self._by_request.items():
            if feed.positions[0] == place and tuple(feed.tokens[: len(asked)]) == asked:
                self._by_lane[id(feed.row), feed.owner] = script
                return


class Prompted:
    """Hooks a transformers model to say a script, and counts its forwards while it is held.

    A hook on the model rather than a logits processor: processors are handed to whoever makes candidates, and would tell an
    assistant the script and prompt lookup which of its candidates are wrong.
    """

    def __init__(self, model: Any, first: int, script: Sequence[int]) -> None:
        self._model = model
        self._first = first
        self._script = torch.tensor(script, device=model.device)
        self.forwards = 0
        self.tokens = 0
        self._handle: Any = None

    def __enter__(self) -> Prompted:
        self._handle = self._model.register_forward_hook(self._hook, with_kwargs=True)
        return self

    def __exit__(self, *_: object) -> None:
        self._handle.remove()

    def _hook(self, _model: Any, _args: Any, kwargs: dict[str, Any], output: Any) -> None:
        self.forwards += 1
        ids = kwargs.get("input_ids")
        self.tokens += ids.shape[1] if ids is not None else 0
        logits = output.logits
        # The last row stands behind the last token the cache holds; row r of R predicts position length - R + r + 1.
        start = output.past_key_values.get_seq_length() - logits.shape[1] + 1 - self._first
        low, high = max(0, start), min(len(self._script), start + logits.shape[1])
        if low < high:
            rows = torch.arange(low - start, high - start, device=logits.device)
            logits[0, rows, self._script[low:high]] += BOOST
