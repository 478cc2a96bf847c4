"""The bytes that generated text may hold, as a small automaton: valid UTF-8, no carriage return, no raw tag.

States record what matters for a closing tag: nothing written yet, just after a newline, inside a line, inside a character, or
partway into one of the tags that `program.escape` escapes (an Aho–Corasick automaton; text may never complete one).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

TAGS = ("</gen>", "</sub>", "</old>", "</new>", "<noeol/>")
"""The tags that `program.escape` escapes."""

EMPTY, LINE_START, INSIDE = 0, 1, 2
"""States at a character boundary outside any tag: nothing written yet, after a newline, inside a line."""

# What may follow each kind of lead byte (Unicode 15, table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF).
# Name of a partial state -> (lowest, highest next byte, state behind it).
_PARTIAL = {
    "1": (0x80, 0xBF, ""),
    "2": (0x80, 0xBF, "1"),
    "3": (0x80, 0xBF, "2"),
    "e0": (0xA0, 0xBF, "1"),
    "ed": (0x80, 0x9F, "1"),
    "f0": (0x90, 0xBF, "2"),
    "f4": (0x80, 0x8F, "2"),
}
_LEADS = (
    (0xC2, 0xDF, "1"), (0xE0, 0xE0, "e0"), (0xE1, 0xEC, "2"), (0xED, 0xED, "ed"), (0xEE, 0xEF, "2"),
    (0xF0, 0xF0, "f0"), (0xF1, 0xF3, "3"), (0xF4, 0xF4, "f4"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class BytesDFA:
    """`step[state, byte]` is the next state, `dead` (the last row) which is never left.

    `boundary[state]` says whether the bytes so far are whole characters. States 0..2 are EMPTY, LINE_START
    and INSIDE.
    """

    step: NDArray[np.int16]
    boundary: NDArray[np.bool_]

    @property
    def dead(self) -> int:
        return len(self.step) - 1


def text_dfa(tagged: bool) -> BytesDFA:
    """The automaton of generated text; `tagged` excludes the raw tags."""
    prefixes = sorted({tag[:k] for tag in TAGS for k in range(1, len(tag))}) if tagged else []
    partial = {name: 3 + k for k, name in enumerate(_PARTIAL)}
    node = {prefix: 3 + len(partial) + k for k, prefix in enumerate(prefixes)}
    dead = 3 + len(partial) + len(node)
    step = np.full((dead + 1, 256), dead, np.int16)
    inside = np.full(256, dead, np.int16)
    inside[:0x80] = INSIDE
    inside[0x0A] = LINE_START
    inside[0x0D] = dead  # view text has no terminator but the newline
    for low, high, name in _LEADS:
        inside[low : high + 1] = partial[name]
    if tagged:
        inside[ord("<")] = node["<"]
    for state in (EMPTY, LINE_START, INSIDE):
        step[state] = inside
    for name, (low, high, behind) in _PARTIAL.items():
        step[partial[name], low : high + 1] = partial[behind] if behind else INSIDE
    for prefix, state in node.items():
        step[state] = inside
        # Tags have `<` only in front, so a mismatch falls back to the root or to "<", both already in `inside`.
        for c in {tag[len(prefix)] for tag in TAGS if tag.startswith(prefix)}:
            step[state, ord(c)] = node.get(prefix + c, dead)
    boundary = np.ones(dead + 1, np.bool_)
    boundary[[*partial.values(), dead]] = False
    return BytesDFA(step, boundary)


def run_tokens(dfa: BytesDFA, token_bytes: Sequence[bytes]) -> NDArray[np.int16]:
    """The state after every token from every state: [states, tokens]; `dead` for tokens without text.

    A token that continues after a newline is dead too: text is tokenised line by line.
    """
    size = len(token_bytes)
    lengths = np.fromiter((len(t) for t in token_bytes), np.int64, size)
    ends = np.cumsum(lengths)
    flat = np.frombuffer(b"".join(token_bytes), np.uint8)
    order = np.argsort(-lengths, kind="stable")  # longest first, so that those still running are a prefix
    starts, falling = (ends - lengths)[order], -lengths[order]
    now = np.repeat(np.arange(len(dfa.step), dtype=np.int16)[:, None], size, axis=1)
    step = dfa.step.ravel()
    for at in range(int(lengths.max(initial=0))):
        running = int(np.searchsorted(falling, -at, side="left"))
        now[:, :running] = step[now[:, :running].astype(np.int32) * 256 + flat[starts[:running] + at]]
    out = np.empty_like(now)
    out[:, order] = now
    out[:, lengths == 0] = dfa.dead
    newlines = np.flatnonzero(flat == 0x0A)
    owners = np.searchsorted(ends, newlines, side="right")
    out[:, owners[newlines != ends[owners] - 1]] = dfa.dead
    return out
