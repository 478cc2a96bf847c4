"""The race as tables, targets and plots. Knows rows; measures nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import median

from copydesk_benchmarks import plots
from copydesk_benchmarks.documents import ONE_HUNK
from copydesk_benchmarks.edit import ENGINE, Race, Row
from copydesk_benchmarks.kernel import Kernel
from copydesk_benchmarks.report import Report, Table, Target, Value
from copydesk_benchmarks.rivals import DRAFT_LAYERS, FORMATS, LOOKUP, METHODS, TUNED
from copydesk_benchmarks.sizes import HEADLINE


def _settings() -> str:
    return ", ".join(
        f"{given['prompt_lookup_num_tokens']} tokens and n-grams up to {given['max_matching_ngram_size']} for {FORMATS[format]}"
        for format, given in TUNED.items()
    )


NOTES = (
    "Every row writes the gold text of its own format by scripted choice over real forwards of the same weights, and is refused"
    " unless the edited file comes out byte for byte. Drafts are accepted as far as the gold text agrees with them.",
    "ms: the mean over edits of the median run. A row that takes long begins with the edit that is dearest for copydesk and may"
    " stop there; its ratios compare the same edits.",
    "cold: nothing is computed yet, so the prompt is part of the time. warm: what the prompt shows of the document (copydesk: its"
    " page) is in a cache, the request is not; copydesk's document has just been typed in, so its syntax tree is out of date.",
    "Prompts are the same tokens, without line numbers for rewriting rows, which need none. Rows that rewrite the scope, or write"
    " search/replace blocks, are shown copydesk's own page of at most 64 lines and not the whole file: without copydesk's"
    " paging their prompts would grow with the file.",
    f"prompt lookup: transformers' own, {LOOKUP['prompt_lookup_num_tokens']} tokens, n-grams up to"
    f" {LOOKUP['max_matching_ngram_size']}. Tuned: what served these edits best of six settings,"
    f" {_settings()}.",
    f"assisted, drafts of its own: the assistant is the model's first layers (one in {DRAFT_LAYERS}) with its embedding and"
    " head, the only smaller model with this tokenizer; nobody trained it to draft. assisted, drafts always right: the same"
    " assistant is made to say the gold text, which no assistant of that size can beat. transformers gives an assistant no"
    " cache, so it reads its prompt each time.",
    "A file longer than the model's context is rewritten with rotary positions that go on beyond it: how long a forward takes"
    " does not depend on whether the model was trained there.",
    "Rewriting rows get their prompts as tokens, and reading what they wrote is not part of their time; copydesk's time has"
    " planning, tokenising, grammar, checks and edits in it.",
    "not run: might take longer than a run may; the seconds are its pace on the shorter file times the tokens, so at least that.",
    "Exact match is not compared: no format but copydesk's is one this model was trained for.",
)


def fill(report: Report, race: Race, kernel: Kernel, folder: Path) -> None:
    """Everything the race found so far, in place of what the report said before."""
    lengths = sorted(race.lengths)
    headline = HEADLINE if HEADLINE in lengths else lengths[-1]
    report.tables = [
        race_table(race, kernel, headline),
        *(growth_table(race, lengths, warm=warm) for warm in (True, False)),
        edits_table(race, headline),
        bound_table(race, kernel, headline),
    ]
    report.targets = targets(race, headline, lengths)
    report.notes = list(NOTES)
    report.plots = _plots(report.name, race, lengths, folder)


def race_table(race: Race, kernel: Kernel, lines: int) -> Table:
    """All rows at one length."""
    rows: list[tuple[Value, ...]] = []
    for warm, cold in zip(race.of(lines, warm=True), race.of(lines, warm=False), strict=True):
        runs = max(map(len, warm.runs.values()), default=0)
        rows.append((
            warm.name, cold.ms(), warm.ms(), warm.least(), ratio(race, cold), ratio(race, warm),
            warm.mean(lambda run: run.forwards), warm.mean(lambda run: run.drafts), warm.mean(lambda run: run.written),
            share(race, kernel, warm), f"{len(warm.runs)} × {runs}" if runs else _not_run(warm),
        ))  # fmt: skip
    return Table(
        f"The race on a file of {race.lengths[lines]} lines",
        (
            "", "cold ms", "warm ms", "warm ms, fastest runs", "× copydesk cold", "× copydesk warm", "forwards",
            "of an assistant", "tokens written", "share of bandwidth, %", "edits × runs",
        ),
        tuple(rows),
        (
            "Share of bandwidth: bytes of weights that the forwards read over the warm time, of what a copy of as many bytes"
            f" reaches ({kernel.bandwidth / 1e9:.1f} GB/s): 100% would be a way that only reads weights.",
        ),
    )  # fmt: skip


def growth_table(race: Race, lengths: Sequence[int], *, warm: bool) -> Table:
    """ms by length, one row per way."""
    names = list(dict.fromkeys(row.name for row in race.rows))
    rows: list[tuple[Value, ...]] = []
    for name in names:
        cells: list[Value] = [name]
        for lines in lengths:
            row = next(r for r in race.of(lines, warm=warm) if r.name == name)
            cells.append(row.ms() if row.runs else _not_run(row))
        rows.append(tuple(cells))
    what = "warm" if warm else "cold"
    return Table(
        f"As the file grows, {what}", (f"{what} ms", *(f"{race.lengths[n]} lines" for n in lengths)), tuple(rows)
    )  # fmt: skip


def edits_table(race: Race, lines: int) -> Table:
    """copydesk's own edits one by one, and the best of the others."""
    engine = race.engine(lines, warm=True)
    rows: list[tuple[Value, ...]] = []
    for name, runs in engine.runs.items():
        others = {
            row.name: ms
            for row in race.of(lines, warm=True)
            if row.name != ENGINE and (ms := row.ms([name])) is not None
        }
        best = min(others, key=lambda key: others[key], default=None)
        ms = median(run.seconds for run in runs) * 1e3
        rows.append((
            name, min(run.seconds for run in runs) * 1e3, ms, runs[0].forwards, runs[0].written,
            ms / max(1, runs[0].forwards), best, others[best] if best else None,
        ))  # fmt: skip
    return Table(
        f"Each edit of {race.lengths[lines]} lines, warm",
        (
            "", "copydesk ms min", "ms median", "forwards", "tokens of the program", "ms a forward, all told",
            "best of the others", "its ms",
        ),
        tuple(rows),
    )  # fmt: skip


def bound_table(race: Race, kernel: Kernel, lines: int) -> Table:
    """The measured speed beside the closed form's."""
    engine = race.engine(lines, warm=True)
    step, speedups = kernel.own_decode.median, kernel.speedups()
    rows: list[tuple[Value, ...]] = []
    for gold in race.golds[lines]:
        seconds = median(run.seconds for run in engine.runs[gold.edit.name])
        measured, bound = gold.file_tokens * step / seconds, gold.bound(speedups)
        rows.append((
            gold.edit.name, gold.file_tokens, sum(n * c for n, c in gold.spans.items()), gold.spoken, bound, measured,
            100 * measured / bound,
        ))  # fmt: skip
    return Table(
        f"Against the bound, {race.lengths[lines]} lines, warm",
        (
            "", "tokens of the file", "copied", "written", "bound, ×", "measured, ×", "share of the bound, %",
        ),
        tuple(rows),
        (
            f"Both against writing the file token by token at this engine's own decode step ({step * 1e3:.2f} ms), a"
            " product and not a run. The bound is (Σ N + g) / (Σ N/s(N) + g) over the copied spans N and g written tokens of the"
            " file, with s(N) as measured; it counts no program syntax and no choices, and takes every span through a forward.",
            "Above 100%: lines outside the page cost nothing at all, and this model's programs are not followed by their spans,"
            " so copies inside the page cost a choice and no forward of their length.",
        ),
    )  # fmt: skip


def ratio(race: Race, row: Row) -> float | None:
    """How many times as long as copydesk on the same edits, both cold or both warm."""
    ms, own = row.ms(), race.engine(row.lines, warm=row.warm).ms(list(row.runs))
    return ms / own if ms is not None and own else None


def targets(race: Race, lines: int, lengths: Sequence[int]) -> list[Target]:
    """What was wanted of the race."""
    warm = {row.name: row for row in race.of(lines, warm=True)}
    found = []
    size = race.lengths[lines]
    on_cuda = race.subject.device.type == "cuda"
    if on_cuda:
        one = race.engine(lines, warm=True).ms([ONE_HUNK])
        if one is not None:
            found.append(
                Target(f"warm edit of one hunk, {race.subject.name}", "≤ 60 ms", f"{one:.1f} ms", one <= 60)
            )
    else:
        for least, name in (
            (30, f"{METHODS['generate']}, {FORMATS['file']}"),
            (8, f"{METHODS['prompt lookup']}, {FORMATS['file']}"),
            (2, f"{METHODS['prompt lookup']}, {FORMATS['scope']}"),
        ):
            times = ratio(race, warm[name]) if name in warm else None
            said = "not run" if times is None else f"{times:.1f}×"
            met = None if times is None else times >= least
            found.append(Target(f"warm, {size} lines, against {name}", f"≥ {least}×", said, met))
    others = {n: r for n, row in warm.items() if n != ENGINE and (r := ratio(race, row)) is not None}
    if others:
        closest = min(others, key=lambda name: others[name])
        said = f"{others[closest]:.1f}× ({closest})"
        found.append(
            Target(f"warm, {size} lines, ahead of every other row", "> 1×", said, others[closest] > 1)
        )
    if len(lengths) > 1:
        first, last = race.engine(lengths[0], warm=True).ms(), race.engine(lengths[-1], warm=True).ms()
        assert first is not None
        assert last is not None
        said = f"{first:.1f} ms at {race.lengths[lengths[0]]} lines, {last:.1f} ms at {race.lengths[lengths[-1]]}"
        found.append(
            Target("a warm edit's cost as the file grows", "does not grow", said, last <= 1.25 * first)
        )
    return found


def share(race: Race, kernel: Kernel, row: Row) -> float | None:
    """Bytes of weights read over the row's time, in % of the measured bandwidth."""
    ms, read = row.ms(), race.read(row)
    return None if ms is None or read is None else 100 * read / (ms / 1e3) / kernel.bandwidth


def _not_run(row: Row) -> str:
    return f"not run (≥ {row.expected:.0f} s)" if row.expected else "not run"


def _plots(name: str, race: Race, lengths: Sequence[int], folder: Path) -> list[str]:
    series: dict[str, list[tuple[float, float]]] = {}
    for warm, suffix in ((True, "warm"), (False, "cold")):
        for lines in lengths:
            for row in race.of(lines, warm=warm):
                ms = row.ms()
                if ms is not None and (warm or row.name == ENGINE):
                    series.setdefault(f"{row.name}, {suffix}", []).append((race.lengths[lines], ms))
    drawn = [
        plots.lines(
            folder / f"{name}-race.png", series, title=f"One edit, {race.subject.name}", x="lines of the file", y="ms",
            log_x=True, log_y=True,
        ),
        plots.lines(
            folder / f"{name}-growth.png",
            {
                edit: [
                    (race.lengths[n], median(run.seconds for run in race.engine(n, warm=True).runs[edit]) * 1e3)
                    for n in lengths
                ]
                for edit in race.engine(lengths[0], warm=True).runs
            },
            title="A warm edit of copydesk", x="lines of the file", y="ms", log_x=True,
        ),
    ]  # fmt: skip
    return [made for made in drawn if made is not None]
