"""Tokens of text: encode text as data, and the bytes behind every token id.

Text passed to `encode` never becomes a special token: a document full of `<|im_end|>` or `<L7>` is data.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from tokenizers import Tokenizer

from copydesk.errors import FileRefusedError, TokenizerError
from copydesk.files.regular_file import read_regular

MAX_TOKENIZER_BYTES = 128 << 20
"""The largest `tokenizer.json` in use (some 250,000 tokens and their merges) has 40 MB."""
MAX_TOKENS = 1 << 24
_SURROGATE = re.compile("[\ud800-\udfff]")

# A tokenizer must encode and decode these unchanged before the bytes derived for its tokens are trusted.
_PROBES = (
    "class Ab(X):\n",
    "        return 'é日本\U0001f600\\x'\n",
    "\t<gen>\n",
    "</gen>\n",
    '<copy lines="12-340"/>\n',
    "  \n",
    "<|im_end|>",
    "a\x00\x0b\x85\u2028b\n",
)


@runtime_checkable
class Vocabulary(Protocol):
    """The tokens of one model.

    `token_bytes[i]` is the text behind token i, and `b""` for special tokens and unused ids, which no text encodes to.
    """

    @property
    def size(self) -> int: ...
    @property
    def token_bytes(self) -> Sequence[bytes]: ...
    @property
    def fingerprint(self) -> str:
        """Hex digest that changes with anything that changes tokenisation; keys the automata kept on disk."""
        ...

    def encode(self, text: str) -> list[int]:
        """Tokens of `text` as data. Raises: never (lone surrogates become U+FFFD, and characters for which the tokenizer has no
        token, as SmolLM2 for some control characters, are left out)."""
        ...

    def decode(self, ids: Sequence[int]) -> str:
        """Text of `ids`, special tokens left out, broken UTF-8 replaced."""
        ...

    def special(self, name: str) -> int | None:
        """Id of the special token spelled `name`, if the vocabulary has it."""
        ...


def _printable(text: str) -> str:
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


class TokenTable:
    """The tokens of a vocabulary; `encode` is up to each kind. specials: ids of the special tokens by their text."""

    def __init__(self, token_bytes: list[bytes], specials: dict[str, int], fingerprint: str) -> None:
        self._bytes = token_bytes
        self.specials = specials
        self._fingerprint = fingerprint

    @property
    def size(self) -> int:
        return len(self._bytes)

    @property
    def token_bytes(self) -> Sequence[bytes]:
        return self._bytes

    @property
    def fingerprint(self) -> str:
        return self._fingerprint

    def decode(self, ids: Sequence[int]) -> str:
        return b"".join(self._bytes[i] for i in ids).decode("utf-8", "replace")

    def special(self, name: str) -> int | None:
        return self.specials.get(name)


class ByteVocabulary(TokenTable):
    """Ids 0..255 are the bytes themselves; `specials` follow. For models that have no tokenizer of their own (tests, demos)."""

    def __init__(self, specials: Sequence[str] = ()) -> None:
        super().__init__(
            [bytes([b]) for b in range(256)] + [b""] * len(specials),
            {name: 256 + k for k, name in enumerate(specials)},
            hashlib.sha256(("byte:" + "|".join(specials)).encode()).hexdigest(),
        )

    def encode(self, text: str) -> list[int]:
        return list(_printable(text).encode())


class HFVocabulary(TokenTable):
    """A fast tokenizer of the `tokenizers` library (`tokenizer.json`).

    Raises TokenizerError where tokens cannot be mapped to bytes, or where text does not survive encoding piece by piece.
    """

    def __init__(self, tokenizer: Tokenizer, size: int | None = None) -> None:
        highest = max(tokenizer.get_vocab(with_added_tokens=True).values(), default=-1) + 1
        if highest > (size or MAX_TOKENS):
            # Checked before anything counts that far, including the library: a file of a few bytes can name token four billion.
            raise TokenizerError(f"the tokenizer has {highest} tokens, the model only {size or MAX_TOKENS}")
        spec: dict[str, Any] = json.loads(tokenizer.to_str())
        specials: dict[str, int] = {t["content"]: t["id"] for t in spec.get("added_tokens", [])}
        # Added tokens are matched in any text, whatever the options; a copy without them encodes text as data.
        plain = dict(spec, added_tokens=[], post_processor=None, truncation=None, padding=None)
        self.tokenizer = tokenizer
        self._plain = Tokenizer.from_str(json.dumps(plain))
        # A model's logits may be wider than its tokenizer (padded embeddings); the surplus ids have no text.
        width = max(size or 0, highest)
        digest = hashlib.sha256(json.dumps(spec, sort_keys=True).encode())
        digest.update(str(width).encode())
        super().__init__(_token_bytes(plain, width, set(specials.values())), specials, digest.hexdigest())
        for probe in _PROBES:
            if b"".join(self._bytes[i] for i in self.encode(probe)) != probe.encode():
                raise TokenizerError(f"the tokenizer does not read back {probe!r} as it was written")

    @classmethod
    def from_directory(cls, directory: str | Path, size: int | None = None) -> HFVocabulary:
        """Read `tokenizer.json`. Raises TokenizerError if it is missing or unreadable."""
        path = Path(directory) / "tokenizer.json"
        try:
            tokenizer = Tokenizer.from_buffer(read_regular(path, MAX_TOKENIZER_BYTES))
        except FileNotFoundError:
            raise TokenizerError(f"no tokenizer.json in {directory}") from None
        except (OSError, FileRefusedError) as error:
            raise TokenizerError(f"{path} cannot be read: {error}") from error
        except BaseException as error:  # bare Exception for malformed files; a panic in Rust is no Exception
            if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
                raise
            raise TokenizerError(f"{path} is not a tokenizer: {error}") from error
        try:
            return cls(tokenizer, size)
        except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise TokenizerError(f"{path} cannot be used: {type(error).__name__}: {error}") from error

    def encode(self, text: str) -> list[int]:
        ids: list[int] = self._plain.encode(_printable(text), add_special_tokens=False).ids
        return ids


def _token_bytes(spec: dict[str, Any], size: int, special_ids: set[int]) -> list[bytes]:
    """The bytes behind every id, for byte-level BPE (GPT-2, Qwen, Llama 3) and byte-fallback BPE (Llama 2, Mistral)."""
    model = spec["model"]
    vocab = model.get("vocab")
    if not isinstance(vocab, dict):
        raise TokenizerError(f"tokenizer model {model.get('type')!r} is not a BPE over bytes")
    steps = _steps(spec.get("pre_tokenizer")) + _steps(spec.get("decoder"))
    out = [b""] * size
    if any(step.get("type") == "ByteLevel" for step in steps):
        alphabet = _byte_level_alphabet()
        table = dict.fromkeys(range(256), "Ā")  # what stands for no byte cannot be encoded
        table.update({ord(c): chr(b) for c, b in alphabet.items()})
        for text, index in vocab.items():
            if index not in special_ids:
                with suppress(UnicodeEncodeError):
                    out[index] = text.translate(table).encode("latin-1")
    elif model.get("byte_fallback"):
        for text, index in vocab.items():
            if index in special_ids:
                continue
            if len(text) == 6 and text.startswith("<0x") and text.endswith(">"):
                out[index] = bytes([int(text[3:5], 16)])
            else:
                out[index] = text.replace("▁", " ").encode()
    else:
        raise TokenizerError(
            "the tokenizer is neither byte-level nor byte-fallback, so some text has no spelling"
        )
    return out


def _steps(node: dict[str, Any] | None) -> list[dict[str, Any]]:
    if not node:
        return []
    nested = node.get("pretokenizers") or node.get("decoders")
    return [step for part in nested for step in _steps(part)] if nested else [node]


def _byte_level_alphabet() -> dict[str, int]:
    """GPT-2's printable stand-in for each byte, inverted."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    table = {chr(b): b for b in plain}
    rest = (b for b in range(256) if b not in set(plain))
    table.update({chr(256 + k): b for k, b in enumerate(rest)})
    return table
