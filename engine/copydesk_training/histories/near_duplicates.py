"""Changes that say the same, wherever they stand: MinHash over their tokens (Broder 1997), compared by bands.

Backports, vendored copies and forks repeat changes with other names round them. Knows lists of texts alone.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

HASHES = 64
BANDS = 16
"""Of four hashes each: what shares half of its shingles is found with a chance of 2 in 3, what shares 80% surely."""
SHINGLE = 3
MOST_ALIKE = 0.75
"""Estimated Jaccard similarity from which a change counts as said before."""

_PRIME = (1 << 31) - 1


class NearDuplicates:
    """What was seen so far. The same texts in the same order give the same answers."""

    def __init__(self) -> None:
        rng = np.random.default_rng(1997)
        self._a = rng.integers(1, _PRIME, HASHES, dtype=np.int64)
        self._b = rng.integers(0, _PRIME, HASHES, dtype=np.int64)
        self._buckets: dict[tuple[int, bytes], list[int]] = {}
        self._seen: list[NDArray[np.int64]] = []

    def add(self, tokens: Sequence[str]) -> bool:
        """Whether the tokens resemble ones added before; if not they count as seen from now on."""
        signature = self._signature(shingles(tokens))
        bands = [(k, band.tobytes()) for k, band in enumerate(signature.reshape(BANDS, -1))]
        near = {other for band in bands for other in self._buckets.get(band, ())}
        if any(float(np.mean(self._seen[other] == signature)) >= MOST_ALIKE for other in near):
            return True
        for band in bands:
            self._buckets.setdefault(band, []).append(len(self._seen))
        self._seen.append(signature)
        return False

    def _signature(self, found: Iterable[int]) -> NDArray[np.int64]:
        values = np.array(sorted(found), np.int64)[:, None] % _PRIME
        # Below 2^62: both factors are below 2^31.
        return ((values * self._a + self._b) % _PRIME).min(axis=0)


def shingles(tokens: Sequence[str]) -> set[int]:
    """Hashes of all runs of SHINGLE tokens; of shorter lists the hash of the whole."""
    runs = [tokens[k : k + SHINGLE] for k in range(max(1, len(tokens) - SHINGLE + 1))]
    return {zlib.crc32("\0".join(run).encode("utf-8", "replace")) for run in runs}
