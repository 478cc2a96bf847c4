"""Inner grammars that narrow generated text, run by llguidance. This is the one module that imports it, and only when first used.

Masks are packed rows as in `Bodies.masks`. A bad grammar raises nothing in llguidance, so `is_error` is asked; an error there is
permanent, so tokens are tried before they are consumed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copydesk.errors import GrammarError
from copydesk.prompting.codec import Ids
from copydesk.prompting.vocabulary import Vocabulary


class _Tokens:
    """A vocabulary as llguidance wants it, with an end-of-text token of its own behind the last id."""

    bos_token_id = None

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.eos_token_id = vocabulary.size
        self.tokens = [*vocabulary.token_bytes, b"\xff<eos>"]
        self.special_token_ids = [vocabulary.size]
        self._encode = vocabulary.encode

    def __call__(self, text: bytes | str) -> list[int]:
        return self._encode(text.decode("utf-8", "replace") if isinstance(text, bytes) else text)


class _Hashed:
    """A vocabulary keyed by its fingerprint."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary

    def __hash__(self) -> int:
        return hash(self.vocabulary.fingerprint)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Hashed) and self.vocabulary.fingerprint == other.vocabulary.fingerprint


@lru_cache(maxsize=4)
def _tokenizer(key: _Hashed) -> Any:
    """llguidance's tokenizer: one or two seconds for 150,000 tokens, so it is built once per vocabulary."""
    import llguidance

    return llguidance.LLTokenizer(llguidance.TokenizerWrapper(_Tokens(key.vocabulary)))


class InnerGrammar:
    """A Lark grammar over one vocabulary, with a position in its text. `copy` takes microseconds: keep one at the
    start and copy it.

    Raises GrammarError for a grammar that llguidance refuses, and for one that no token of the vocabulary
    can begin.
    """

    __slots__ = ("_matcher", "_row", "size")

    def __init__(self, lark_source: str, vocabulary: Vocabulary) -> None:
        import llguidance

        self.size = vocabulary.size
        matcher = llguidance.LLMatcher
        self._matcher: Any = matcher(
            _tokenizer(_Hashed(vocabulary)), matcher.grammar_from_lark(lark_source), log_level=0
        )
        self._row: NDArray[np.int32] | None = None
        self._check()
        if not self.is_accepting and not self.mask().any():
            raise GrammarError("the grammar accepts nothing in this vocabulary")

    def copy(self) -> InnerGrammar:
        """An independent grammar at the same position."""
        other = object.__new__(InnerGrammar)
        other.size, other._matcher, other._row = self.size, self._matcher.deep_copy(), self._row
        return other

    def mask(self) -> NDArray[np.uint32]:
        """Tokens that may come next: [ceil(V/32)], packed as in `Bodies.masks`. Do not write."""
        if self._row is None:
            # One word more than needed where the end-of-text token falls into it; its bit is dropped.
            row = np.zeros((self.size + 32) // 32, np.int32)
            self._matcher.unsafe_compute_mask_ptr(row.ctypes.data, row.nbytes)
            self._check()
            self._row = row[: (self.size + 31) // 32]
            if self.size % 32:
                self._row[-1] &= (1 << self.size % 32) - 1
        return self._row.view(np.uint32)

    def allowed(self) -> NDArray[np.int64]:
        """Tokens that may come next, ascending."""
        return unpack(self.mask())

    def accepts(self, tokens: Sequence[int]) -> int:
        """How many of `tokens` could be consumed from here."""
        return int(self._matcher.validate_tokens(list(tokens)))

    def advance(self, token: int) -> None:
        """Consume `token`. Raises GrammarError if it is not legal; the grammar is then unchanged."""
        if self._matcher.try_consume_tokens([token]) != 1:
            raise GrammarError(f"token {token} does not fit the grammar here")
        self._row = None

    def forced(self) -> Ids:
        """The tokens that are forced from here, without those that could merge with what follows."""
        return tuple(self._matcher.compute_ff_tokens())

    @property
    def is_accepting(self) -> bool:
        """Whether the text so far is complete."""
        return bool(self._matcher.is_accepting())

    def _check(self) -> None:
        if self._matcher.is_error():
            raise GrammarError(f"llguidance refuses the grammar: {self._matcher.get_error()}")


def unpack(row: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Indices of the set bits of a packed row, ascending."""
    return np.flatnonzero(np.unpackbits(row.view(np.uint8), bitorder="little"))
