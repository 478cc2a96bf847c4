"""The oracle's price list in a model's own tokens: what a program costs in one edit format.

With it the oracle's shortest program is the one with the fewest tokens for this model, and a sub's old text is a run of the
tokens the page shows. Old texts begin and end between words: replacing half a word would often save a token, but it could not be
chosen from a list of names, and models learn it less well.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from copydesk.prompting.codec import Codec


class CodecCost:
    """`oracle.Cost` for `codec`. Prices are token counts; every line number is priced like the shortest.

    Without `words` old texts may cut words where the tokenizer does.
    """

    def __init__(self, codec: Codec, *, words: bool = True) -> None:
        lit = codec.literals
        self._codec = codec
        self.copy_cost: int = len(lit.copy_open) + len(codec.copy_start(1)) + len(codec.copy_end(1))
        self.gen_cost: int = len(lit.gen_open) + len(lit.gen_close)
        self.sub_cost: int = (
            len(lit.sub_open) + len(codec.sub_start(1)) + len(lit.sub_to) + len(lit.sub_close)
        )
        self._mark = len(lit.no_eol)
        self._words = words
        self._pieces = lru_cache(maxsize=1 << 16)(self._cut)
        self._priced = lru_cache(maxsize=1 << 16)(self._price)

    def line_tokens(self, line: str) -> Sequence[str]:
        """The line's tokens as text; tokens that share a character or, with `words`, a word are one piece."""
        return self._pieces(line)

    def text_cost(self, text: str) -> int:
        """Tokens of `text` in a body, escapes included."""
        return self._priced(text)

    def _price(self, text: str) -> int:
        codec = self._codec
        if not codec.tagged and text.endswith("\n") and text.count("\n") == 1:
            return len(codec.line(text))
        return len(codec.fragment(text))

    def _cut(self, line: str) -> tuple[str, ...]:
        ids = self._codec.line(line)
        if not line.endswith("\n"):
            ids = ids[: len(ids) - self._mark]
        table, words = self._codec.vocabulary.token_bytes, self._words
        pieces: list[str] = []
        held = b""
        for token in ids:
            held += table[token]
            try:
                text = held.decode()
            except UnicodeDecodeError:
                continue  # inside a character
            held = b""
            if words and pieces and _in_word(text[:1]) and _in_word(pieces[-1][-1:]):
                pieces[-1] += text
            else:
                pieces.append(text)
        return tuple(pieces)


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "_"
