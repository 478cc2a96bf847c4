"""How much of an edited text its original could supply, and what that is worth at most.
 The statistics of Copy-as-Decode (arXiv 2604.18170; withdrawn by its author in v2, cited for the
mechanism): coverage by lines, coverage by tokens at a minimum span, the spans' lengths, and the speed bound
that follows from them. They are upper bounds, reached by a decoder that picks every span right. Tokens are
any hashable values; no tokenizer is known here.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence

from copydesk.program import Copy, Program
from copydesk.text.document import split_lines

MIN_SPANS = range(1, 33)
"""The minimum spans that coverage is usually tabled at."""


def copied_lines(program: Program) -> int:
    """How many lines of the result `program`'s copies supply."""
    return sum(op.end - op.start + 1 for op in program.ops if isinstance(op, Copy))


def line_coverage(before: str, after: str) -> float:
    """The largest share of `after`'s lines that copies which advance through `before` can supply; 1 for an
    empty `after`.

    That is the longest common subsequence of lines over the lines of `after`, found with one big integer as
    bit vector (Hyyrö 2004). A shortest program may copy less: writing a blank line can be cheaper than a
    copy.
    """
    old, new = split_lines(before), split_lines(after)
    if not new:
        return 1.0
    places: dict[str, int] = {}
    for k, line in enumerate(old):
        places[line] = places.get(line, 0) | 1 << k
    mask = (1 << len(old)) - 1
    row = mask
    for line in new:
        match = row & places.get(line, 0)
        row = (row + match | row - match) & mask
    return (len(old) - row.bit_count()) / len(new)


def match_lengths(before: Sequence[Hashable], after: Sequence[Hashable]) -> list[int]:
    """For each place in `after`, the length of the longest run from there on that occurs anywhere in
    `before`.

    Linear time: the suffix automaton of the reversed `before` reads `after` from its end.
    """
    links, lengths, edges = [-1], [0], [dict[Hashable, int]()]
    last = 0
    for token in reversed(before):
        state = len(links)
        links.append(0)
        lengths.append(lengths[last] + 1)
        edges.append({})
        at, last = last, state
        while at >= 0 and token not in edges[at]:
            edges[at][token] = state
            at = links[at]
        if at < 0:
            continue
        target = edges[at][token]
        if lengths[target] == lengths[at] + 1:
            links[state] = target
            continue
        clone = len(links)
        links.append(links[target])
        lengths.append(lengths[at] + 1)
        edges.append(dict(edges[target]))
        while at >= 0 and edges[at].get(token) == target:
            edges[at][token] = clone
            at = links[at]
        links[target] = links[state] = clone
    found = [0] * len(after)
    at = length = 0
    for j in range(len(after) - 1, -1, -1):
        while at and after[j] not in edges[at]:
            at = links[at]
            length = lengths[at]
        if after[j] in edges[at]:
            at = edges[at][after[j]]
            length += 1
        found[j] = length
    return found


def copied_spans(
    before: Sequence[Hashable], after: Sequence[Hashable], min_span: int = 1
) -> list[tuple[int, int]]:
    """The spans (start, length) of `after` that greedy longest match copies from anywhere in `before`.

    From the left: where the longest match has at least `min_span` tokens it is copied whole, else one token
    is written.
    """
    return _greedy(match_lengths(before, after), min_span)


def token_coverage(before: Sequence[Hashable], after: Sequence[Hashable], min_span: int) -> float:
    """The share of `after`'s tokens inside `copied_spans`; 1 for an empty `after`."""
    return token_coverages(before, after, (min_span,))[min_span]


def token_coverages(
    before: Sequence[Hashable], after: Sequence[Hashable], min_spans: Iterable[int] = MIN_SPANS
) -> dict[int, float]:
    """`token_coverage` at several minimum spans, for the price of one matching."""
    lengths = match_lengths(before, after)
    return {
        span: sum(length for _, length in _greedy(lengths, span)) / len(after) if after else 1.0
        for span in min_spans
    }


def span_histogram(before: Sequence[Hashable], after: Sequence[Hashable], min_span: int = 1) -> Counter[int]:
    """How many copied spans there are of each length, in tokens."""
    return Counter(length for _, length in copied_spans(before, after, min_span))


def speed_bound(spans: Mapping[int, int], generated: int, speedups: Mapping[int, float]) -> float:
    """How many times faster copies can make decoding, in closed form.

    `spans` counts copied spans by length N, `generated` is the number of tokens decoded one by one,
    `speedups` the measured s(N) = N · decode / parallel(N). Copying takes Σ N/s(N) decode steps, so the
    bound is (Σ N + generated) / (Σ N/s(N) + generated). Between table entries the time N/s(N) is
    interpolated linearly from one step at N = 1; beyond the last entry s stays as there. Returns 1 where
    there are no tokens.
    """
    table = {1: 1.0} | {length: length / s for length, s in speedups.items()}
    lengths = sorted(table)
    tokens = generated
    steps = float(generated)
    for length, count in spans.items():
        tokens += length * count
        at = bisect_left(lengths, length)
        if at == len(lengths):
            time = table[lengths[-1]] * length / lengths[-1]
        elif lengths[at] == length:
            time = table[length]
        else:
            low, high = lengths[at - 1], lengths[at]
            time = table[low] + (table[high] - table[low]) * (length - low) / (high - low)
        steps += count * time
    return tokens / steps if tokens else 1.0


def _greedy(lengths: Sequence[int], min_span: int) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    at = 0
    while at < len(lengths):
        length = lengths[at]
        if length and length >= min_span:
            spans.append((at, length))
            at += length
        else:
            at += 1
    return spans
