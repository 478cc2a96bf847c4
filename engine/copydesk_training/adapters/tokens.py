"""The edit format's tokens for a tokenizer that lacks them, and the first rows of the embedding for these.

Numbers start as the mean of their digits' rows, ops as an English word's: a pretrained model then reads them as what they mean
from the first step. Knows no training.
"""

from __future__ import annotations

import re

import torch
from tokenizers import AddedToken, Tokenizer

from copydesk.prompting.codec import special_tokens
from copydesk.prompting.edit_format import EditFormat

RESERVED = ("<path>", *(f"<F{n}>" for n in range(1, 9)))
"""For programs over several files: the mark before a page's path, and the files of a request. No prompt holds them yet."""
NOISE = 0.2
"""Of the embedding's standard deviation, added to a first row, so that tokens that begin alike can part."""

_MEANING = {
    "<doc>": " document", "<copy>": " copy", "<gen>": " insert", "</gen>": " end", "<sub>": " replace", "<to>": " to",
    "<end>": " end", "<noeol>": " none", "<skip>": " ...", "<req>": " request", "<scope>": " lines", "<at>": " line",
    "<do>": " instruction", "<prog>": " edit", "<path>": " path",
}  # fmt: skip
_NUMBERED = re.compile(r"<([LF])(\d+)>")


def format_tokens(format: EditFormat) -> list[str]:
    """Every token that `format` (of kind `lines`) needs, numbers a page can never show left out, and those reserved."""
    ops = [token for token in special_tokens(format.max_number)[1:] if not _NUMBERED.fullmatch(token)]
    return [*ops, *RESERVED, *(f"<L{n}>" for n in range(format.max_number + 1))]


def extend(tokenizer: Tokenizer, format: EditFormat) -> list[str]:
    """Add to `tokenizer` what it lacks of `format_tokens`; the tokens added, in the order of their ids."""
    missing = [token for token in format_tokens(format) if tokenizer.token_to_id(token) is None]
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in missing])
    return missing


def first_rows(
    tokenizer: Tokenizer, tokens: list[str], embedding: torch.Tensor, seed: int = 0
) -> torch.Tensor:
    """fp32 rows [len(tokens), E] to begin with, from the rows [V, E] of the tokens that spell the same in plain text."""
    table = embedding.float()
    noise = torch.Generator().manual_seed(seed)
    scale = float(table.std()) * NOISE
    rows = []
    for token in tokens:
        numbered = _NUMBERED.fullmatch(token)
        text = (
            ("" if numbered[1] == "L" else " file ") + numbered[2] if numbered else _MEANING.get(token, token)
        )
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        mean = table[ids].mean(0)
        rows.append(mean + torch.randn(mean.shape, generator=noise) * scale)
    return torch.stack(rows)
