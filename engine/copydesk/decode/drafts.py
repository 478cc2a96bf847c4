"""What the next tokens will probably be: the lines being replaced, then n-grams of the page.

A draft only proposes; verification keeps the model's distribution, whatever is proposed.
"""

from __future__ import annotations

from collections.abc import Sequence

NGRAM = 2
MAX_WIDTH = 15
_NEAR = 8
_RUN = 4
"""Tokens proposed of a run that may end behind each: most old texts are no longer."""


class NgramIndex:
    """Where each pair of tokens was last seen in a page. Built on first use, O(tokens)."""

    def __init__(self, tokens: Sequence[int]) -> None:
        self._tokens = tokens
        self._after: dict[tuple[int, int], int] | None = None

    def after(self, first: int, second: int) -> int | None:
        """Index of the token behind the last occurrence of the pair."""
        if self._after is None:
            tokens = self._tokens
            self._after = {(tokens[k], tokens[k + 1]): k + 2 for k in range(len(tokens) - NGRAM)}
        return self._after.get((first, second))

    def slice(self, start: int, width: int) -> list[int]:
        return list(self._tokens[start : start + width])


class Draft:
    """Proposals for one body.

    `source` is the text the body probably repeats with changes (the lines it replaces, or a sub's old text). While the
    body follows it, the next source tokens are proposed; after a difference the source is taken up again at the nearest
    occurrence of the token just written, else behind the one it replaced; at its end the page's n-grams propose.
    Width follows success: doubled when all was accepted, halved when nothing was.
    """

    def __init__(self, source: Sequence[int], page: NgramIndex, max_width: int = MAX_WIDTH) -> None:
        self._source = source
        self._page = page
        self._at = 0
        self._max = max_width
        self._width = min(7, max_width)
        self._last = (-1, -1)

    def propose(self) -> list[int]:
        if self._width <= 0:
            return []
        if self._at < len(self._source):
            return list(self._source[self._at : self._at + self._width])
        found = self._page.after(*self._last)
        return self._page.slice(found, self._width) if found is not None else []

    def observe(self, tokens: Sequence[int]) -> list[int]:
        """These tokens were written, accepted or not. Returns the source index each repeats, -1 for new ones."""
        source = self._source
        repeats = []
        for token in tokens:
            at, found = self._at, -1
            if at < len(source):
                if source[at] == token:
                    found = at
                else:
                    near = range(max(0, at - 2), min(len(source), at + _NEAR))
                    found = next((k for k in near if source[k] == token), -1)
                self._at = (found if found >= 0 else at) + 1
            repeats.append(found)
            self._last = (self._last[1], token)
        return repeats

    def judged(self, proposed: int, accepted: int) -> None:
        """Of `proposed` tokens `accepted` were right."""
        if proposed and accepted == proposed:
            self._width = min(self._max, 2 * self._width)
        elif proposed and not accepted:
            self._width = max(min(2, self._max), self._width // 2)


class RunDraft(Draft):
    """Proposals for a run of `source`: once it has begun, what follows where such a beginning first stands."""

    def __init__(self, source: Sequence[int]) -> None:
        super().__init__(source, NgramIndex(()), _RUN)
        self._written: list[int] = []

    def propose(self) -> list[int]:
        source, written = self._source, self._written
        length = len(written)
        for at in range(len(source) - length) if length else ():
            if all(source[at + k] == token for k, token in enumerate(written)):
                return list(source[at + length : at + length + self._max])
        return []

    def observe(self, tokens: Sequence[int]) -> list[int]:
        self._written += tokens
        return [-1] * len(tokens)
