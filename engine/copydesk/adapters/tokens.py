"""The edit format's tokens for a tokenizer that lacks them. Knows no models."""

from __future__ import annotations

import json
import re

from tokenizers import AddedToken, Tokenizer

from copydesk.prompting.codec import special_tokens
from copydesk.prompting.edit_format import EditFormat

RESERVED = ("<path>", *(f"<F{n}>" for n in range(1, 9)))
"""For programs over several files: the mark before a page's path, and the files of a request. No prompt holds them yet."""
NUMBERED = re.compile(r"<([LF])(\d+)>")
"""The token of a line (L) or a file (F), and its number."""


def format_tokens(format: EditFormat) -> list[str]:
    """Every token that `format` (of kind `lines`) needs, numbers a page can never show left out, and those reserved."""
    ops = [token for token in special_tokens(format.max_number)[1:] if not NUMBERED.fullmatch(token)]
    return [*ops, *RESERVED, *(f"<L{n}>" for n in range(format.max_number + 1))]


def extend(tokenizer: Tokenizer, format: EditFormat) -> list[str]:
    """Add to `tokenizer` what it lacks of `format_tokens`; the tokens added, in the order of their ids."""
    missing = [token for token in format_tokens(format) if tokenizer.token_to_id(token) is None]
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in missing])
    return missing


def extended_json(text: str, tokens: list[str], first: int) -> str:
    """`text`, a `tokenizer.json`, with `tokens` added as `extend` adds them: special, with ids from `first` on.

    Its bytes do not depend on the version of the tokenizers library. Raises ValueError, KeyError for text of another kind.
    """
    said = json.loads(text)
    said["added_tokens"] += [
        {
            "id": first + i, "content": token, "single_word": False, "lstrip": False, "rstrip": False,
            "normalized": False, "special": True,
        }
        for i, token in enumerate(tokens)
    ]  # fmt: skip
    return json.dumps(said, ensure_ascii=False, indent=2)
