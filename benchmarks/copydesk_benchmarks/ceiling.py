"""How much of an edited text its original could supply, and how fast that could make decoding at most.

Coverage by lines and by tokens, the lengths of spans, and the closed form over the measured s(N): upper bounds, reached by a
decoder that picks every span right and for which choosing is free. Knows texts and counts; decodes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from copydesk.oracle import oracle_program
from copydesk.oracle.token_cost import CodecCost
from copydesk.program import Copy
from copydesk.prompting.codec import Codec
from copydesk.text.document import split_lines, view_line
from copydesk_benchmarks.cases import Case
from copydesk_benchmarks.coverage import copied_lines, copied_spans, line_coverage, speed_bound
from copydesk_benchmarks.report import Table, Value

MIN_SPANS = (1, 2, 4, 8, 16, 32)
EDGES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)


@dataclass(frozen=True, slots=True)
class Ceiling:
    """One case. lines: the largest share of lines copies can supply. program_lines: the share the shortest program's copies do.
    line_spans: tokens of the runs of copied lines. token_spans: by minimum span, those of copied runs of tokens.
    """

    tokens: int
    lines: float
    program_lines: float
    line_spans: Counter[int]
    token_spans: Mapping[int, Counter[int]]

    def bound(self, speedups: Mapping[int, float], min_span: int | None = None) -> float:
        """The closed form for whole lines (None), or for runs of at least `min_span` tokens."""
        spans = self.line_spans if min_span is None else self.token_spans[min_span]
        return speed_bound(spans, self.tokens - _tokens(spans), speedups)


def measure(case: Case, codec: Codec, cost: CodecCost) -> Ceiling:
    """All statistics of one case, in the tokens of `codec`."""
    old = [list(codec.line(view_line(line))) for line in split_lines(case.before)]
    new = [list(codec.line(view_line(line))) for line in split_lines(case.after)]
    before, after = [t for line in old for t in line], [t for line in new for t in line]
    program = oracle_program(case.before, case.after, subs=False, cost=cost)
    spans = Counter(sum(map(len, old[op.start - 1 : op.end])) for op in program.ops if isinstance(op, Copy))
    return Ceiling(
        len(after),
        line_coverage(case.before, case.after),
        copied_lines(program) / len(new) if new else 1.0,
        spans,
        {n: Counter(length for _, length in copied_spans(before, after, n)) for n in MIN_SPANS},
    )


def tables(found: Mapping[str, Sequence[Ceiling]], speedups: Mapping[int, float], model: str) -> list[Table]:
    """Coverage, bounds and histograms of several sets of cases."""
    sets = {name: cases for name, cases in found.items() if cases}
    coverage: list[tuple[Value, ...]] = []
    bounds: list[tuple[Value, ...]] = []
    for name, cases in sets.items():
        total = sum(case.tokens for case in cases)
        shares = [100 * sum(_tokens(case.token_spans[n]) for case in cases) / total for n in MIN_SPANS]
        coverage.append((
            name, len(cases), total, 100 * fmean(case.lines for case in cases),
            100 * fmean(case.program_lines for case in cases),
            100 * sum(_tokens(case.line_spans) for case in cases) / total, *shares,
        ))  # fmt: skip
        for label, n in (("whole lines", None), *((f"tokens, spans of {n} or more", n) for n in (1, 8, 32))):
            each = [case.bound(speedups, n) for case in cases]
            spans = sum((case.line_spans if n is None else case.token_spans[n] for case in cases), Counter())
            pooled = speed_bound(spans, total - _tokens(spans), speedups)
            bounds.append((name, label, pooled, fmean(each), median(each), max(each)))
    measured = ", ".join(f"s({n}) = {s:.1f}" for n, s in sorted(speedups.items()))
    return [
        Table(
            "Coverage of the edited text",
            (
                "", "cases", "tokens", "lines, %", "lines of the shortest program, %", "tokens in copied lines, %",
                *(f"tokens in spans ≥ {n}, %" for n in MIN_SPANS),
            ),
            tuple(coverage),
            (
                "lines: the longest common subsequence of lines over the lines of the edited text, the mean over cases. Lines of"
                " the shortest program: by copies and gens alone; writing a blank line can be cheaper than a copy.",
                "tokens: greedy longest match of the edited text in the original, all cases together.",
            ),
        ),
        Table(
            "The bound, in closed form",
            ("", "copies of", "all cases together, ×", "mean, ×", "median, ×", "best, ×"),
            tuple(bounds),
            (
                "(Σ N + g) / (Σ N/s(N) + g) for copied spans of N tokens and g tokens written one by one, against decoding every"
                " token; choosing and spelling the spans is free. Between the measured N the time N/s(N) is interpolated.",
                f"{model}, against its own decode step: {measured}.",
                "Short functions leave little to gain: the copies of a file of hundreds of lines are longer (see the race).",
            ),
        ),
        _histogram(sets),
    ]  # fmt: skip


def series(found: Mapping[str, Sequence[Ceiling]]) -> dict[str, list[tuple[float, float]]]:
    """Points for a plot: tokens covered, by least span."""
    return {
        name: [
            (n, 100 * sum(_tokens(c.token_spans[n]) for c in cases) / sum(c.tokens for c in cases))
            for n in MIN_SPANS
        ]
        for name, cases in found.items()
        if cases
    }


def _histogram(sets: Mapping[str, Sequence[Ceiling]]) -> Table:
    rows: list[tuple[Value, ...]] = []
    for low, high in zip(EDGES, (*EDGES[1:], None), strict=True):
        cells: list[Value] = [
            f"{low}" if high == low + 1 else f"{low}-{high - 1}" if high else f"{low} or more"
        ]
        for cases in sets.values():
            for spans in ([c.line_spans for c in cases], [c.token_spans[1] for c in cases]):
                cells.append(
                    sum(
                        n
                        for s in spans
                        for length, n in s.items()
                        if low <= length and (high is None or length < high)
                    )
                )
        rows.append(tuple(cells))
    columns = [f"{name}: {what}" for name in sets for what in ("whole lines", "runs of tokens")]
    return Table("Copied spans by their length in tokens", ("tokens", *columns), tuple(rows))


def _tokens(spans: Mapping[int, int]) -> int:
    return sum(length * count for length, count in spans.items())
