"""Verdicts as tables: one model's shares by kind and group, and two models (or two modes) side by side."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import TypeVar

from copydesk_training.evaluation.groups import ALL, OPTIONS, groups_of
from copydesk_training.evaluation.mistakes import MISTAKES, Mistake
from copydesk_training.evaluation.verdict import Verdict
from copydesk_training.statistics import Paired, Share

T = TypeVar("T")

GROUPS = (*OPTIONS.values(), ALL)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table, over the verdicts of one kind or group.

    mistakes: how many of each. generated, forwards: means a request. ms: the median.
    """

    kind: str
    exact: Share
    spans: Share
    applied: Share
    verified: Share
    mistakes: dict[Mistake, int]
    generated: float
    forwards: float
    ms: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two lists of verdicts on the same examples of one kind or group."""

    kind: str
    paired: Paired


def table(verdicts: Iterable[Verdict]) -> list[Row]:
    """Rows by kind, alphabetical, then one for each group that has verdicts, then one over all."""
    return [_row(name, found) for name, found in _by_name(verdicts, lambda verdict: verdict.kind)]


def compare(first: Iterable[Verdict], second: Iterable[Verdict]) -> list[Comparison]:
    """Exact match side by side, on the examples (by number) that both have; rows as in `table`."""
    theirs = {verdict.number: verdict for verdict in second}
    pairs = [(mine, theirs[mine.number]) for mine in first if mine.number in theirs]
    out: list[Comparison] = []
    for name, found in _by_name(pairs, lambda pair: pair[0].kind):
        counts = Counter((mine.exact, other.exact) for mine, other in found)
        paired = Paired(counts[True, True], counts[True, False], counts[False, True], counts[False, False])
        out.append(Comparison(name, paired))
    return out


def exact_shares(rows: Iterable[Row]) -> dict[str, dict[str, float]]:
    """Exact match of each row as plain numbers: hits, total, and the ends (low, high) of the 95% interval."""
    return {
        row.kind: {"hits": row.exact.hits, "total": row.exact.total, "low": low, "high": high}
        for row in rows
        for low, high in (row.exact.interval,)
    }


def markdown(rows: Sequence[Row]) -> str:
    """The table as Markdown, shares with 95% intervals."""
    return markdown_table(
        ("kind", "exact match", "spans right", *MISTAKES, "applied", "verified", "tokens", "forwards", "ms"),
        [
            (
                row.kind, row.exact, row.spans, *(row.mistakes[mistake] for mistake in MISTAKES), row.applied, row.verified,
                f"{row.generated:.1f}", f"{row.forwards:.1f}", f"{row.ms:.0f}",
            )
            for row in rows
        ],
    )  # fmt: skip


def markdown_comparison(rows: Sequence[Comparison], first: str, second: str) -> str:
    """The comparison as Markdown: percentage points with a paired 95% interval, and McNemar's exact p."""
    return markdown_table(
        ("kind", first, second, "difference", f"only {first}", f"only {second}", "p"),
        [
            (row.kind, *row.paired.shares, row.paired, row.paired.first, row.paired.second, f"{row.paired.p_value:.3f}")
            for row in rows
        ],
    )  # fmt: skip


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Any table as Markdown."""
    written = [f"| {' | '.join(map(str, row))} |\n" for row in (head, *rows)]
    return "".join([written[0], f"|{'---|' * len(head)}\n", *written[1:]])


def _by_name(items: Iterable[T], kind_of: Callable[[T], str]) -> list[tuple[str, list[T]]]:
    kinds: dict[str, list[T]] = defaultdict(list)
    groups: dict[str, list[T]] = defaultdict(list)
    for item in items:
        kinds[kind_of(item)].append(item)
        for group in groups_of(kind_of(item)):
            groups[group].append(item)
    return [*sorted(kinds.items()), *((name, groups[name]) for name in GROUPS if name in groups)]


def _row(kind: str, verdicts: Sequence[Verdict]) -> Row:
    total = len(verdicts)
    mistakes = Counter(verdict.mistake for verdict in verdicts)
    return Row(
        kind,
        Share(sum(v.exact for v in verdicts), total),
        Share(sum(v.spans for v in verdicts), total),
        Share(sum(v.applied for v in verdicts), total),
        Share(sum(v.verified for v in verdicts), total),
        {mistake: mistakes[mistake] for mistake in MISTAKES},
        fmean(v.generated for v in verdicts),
        fmean(v.forwards for v in verdicts),
        median(v.ms for v in verdicts),
    )
