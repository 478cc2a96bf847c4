"""The first rows of the embedding for the edit format's tokens, which `copydesk.adapters.tokens` adds to a tokenizer.

Numbers start as the mean of their digits' rows, ops as an English word's: a pretrained model then reads them as what they mean
from the first step. Knows no training.
"""

from __future__ import annotations

import torch
from tokenizers import Tokenizer

from copydesk.adapters.tokens import NUMBERED

NOISE = 0.2
"""Of the embedding's standard deviation, added to a first row, so that tokens that begin alike can part."""

_MEANING = {
    "<doc>": " document", "<copy>": " copy", "<gen>": " insert", "</gen>": " end", "<sub>": " replace", "<to>": " to",
    "<end>": " end", "<noeol>": " none", "<skip>": " ...", "<req>": " request", "<scope>": " lines", "<at>": " line",
    "<do>": " instruction", "<prog>": " edit", "<path>": " path",
}  # fmt: skip


def first_rows(
    tokenizer: Tokenizer, tokens: list[str], embedding: torch.Tensor, seed: int = 0
) -> torch.Tensor:
    """fp32 rows [len(tokens), E] to begin with, from the rows [V, E] of the tokens that spell the same in plain text."""
    table = embedding.float()
    noise = torch.Generator().manual_seed(seed)
    scale = float(table.std()) * NOISE
    rows = []
    for token in tokens:
        numbered = NUMBERED.fullmatch(token)
        text = (
            ("" if numbered[1] == "L" else " file ") + numbered[2] if numbered else _MEANING.get(token, token)
        )
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        mean = table[ids].mean(0)
        rows.append(mean + torch.randn(mean.shape, generator=noise) * scale)
    return torch.stack(rows)
