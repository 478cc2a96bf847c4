"""Byte-level BPE after GPT-2 (Radford et al., 2019), every digit alone first, in plain Python: `tokenizers` has to agree.

Written from the definition: numeric characters stand alone, the rest is cut by GPT-2's pattern, each piece becomes printable
stand-ins of its bytes, and the earliest merge is made, leftmost first, until none is left. Bytes whose stand-in is no token are
left out.
"""

from __future__ import annotations

import json
import unicodedata
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

import regex

PIECES = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")


def stand_ins() -> dict[int, str]:
    """GPT-2's printable character for each byte: itself if it is visible Latin-1, else the next from U+0100 on."""
    visible = {*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)}
    hidden = [byte for byte in range(256) if byte not in visible]
    return {byte: chr(byte) if byte in visible else chr(256 + hidden.index(byte)) for byte in range(256)}


class ReferenceBPE:
    """The vocabulary and merges of a `tokenizer.json`; nothing else of it is read."""

    def __init__(self, path: Path) -> None:
        model: dict[str, Any] = json.loads(path.read_text("utf-8"))["model"]
        self.ids: dict[str, int] = model["vocab"]
        merges = [merge.split(" ") if isinstance(merge, str) else merge for merge in model["merges"]]
        self.ranks = {(left, right): rank for rank, (left, right) in enumerate(merges)}
        self.letters = stand_ins()

    def encode(self, text: str) -> list[int]:
        return [
            token
            for part in self.parts(text)
            for piece in PIECES.findall(part)
            for token in self.merge(piece)
        ]

    def parts(self, text: str) -> list[str]:
        """Stretches without digits, and digits (any numeric character: Nd, Nl, No), one by one."""
        found: list[str] = []
        for numeric, run in groupby(text, lambda c: unicodedata.category(c)[0] == "N"):
            part = "".join(run)
            found += part if numeric else [part]
        return found

    def merge(self, piece: str) -> list[int]:
        symbols = [letter for byte in piece.encode() if (letter := self.letters[byte]) in self.ids]
        while True:
            ranked = [
                (self.ranks[pair], at) for at, pair in enumerate(pairwise(symbols)) if pair in self.ranks
            ]
            if not ranked:
                return [self.ids[symbol] for symbol in symbols]
            _, at = min(ranked)
            symbols[at : at + 2] = [symbols[at] + symbols[at + 1]]
