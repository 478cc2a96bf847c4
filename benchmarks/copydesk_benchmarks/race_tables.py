"""The race against what people would use instead, as tables and a plot. Depends on what was measured, not on how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, median

from copydesk_benchmarks import plots
from copydesk_benchmarks.race_rows import HEATS, Heat
from copydesk_benchmarks.report import Table, Target, Value

BEHIND = {
    "llama.cpp": "Its forwards are one call of native code with no Python between them. Next: draft the lines that a gen replaces"
    " in the same forward as the choice before them.",
    "grammar": "It takes one token at a time, but no choice is scored and nothing is checked. Next: fewer forwards per choice.",
    "transformers": "Next: find out which of the engine's forwards is slow here.",
}
"""Why a row of some kind may be as fast as copydesk, and what is to be done about it."""


@dataclass(slots=True)
class Cell:
    """One row at one length. seconds: of every run, by heat and edit. why: the reason where it was not run, in words."""

    seconds: dict[Heat, dict[str, list[float]]] = field(default_factory=lambda: {heat: {} for heat in HEATS})
    prompt: int = 0
    written: int = 0
    why: str = ""

    def ms(self, heat: Heat, names: Sequence[str] | None = None) -> float | None:
        """The mean over edits of the median run; None where none was run."""
        runs = [found for name, found in self.seconds[heat].items() if names is None or name in names]
        return fmean(map(median, runs)) * 1e3 if runs else None


@dataclass(slots=True)
class Results:
    """Cells by row and length. files: the length of each file in lines, as asked for and as it is. kinds, groups, own: of
    rows."""

    cells: dict[str, dict[int, Cell]] = field(default_factory=dict)
    files: dict[int, int] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    groups: dict[str, str] = field(default_factory=dict)
    own: list[str] = field(default_factory=list)

    def ratio(self, name: str, reference: str, lines: int, heat: Heat) -> float | None:
        """How many times as long as the reference on the same edits."""
        cell = self.cells[name][lines]
        own = self.cells[reference][lines].ms(heat, list(cell.seconds[heat]))
        ms = cell.ms(heat)
        return ms / own if ms is not None and own else None


def latency_table(results: Results, heat: Heat, reference: str) -> Table:
    """ms of every row at every length, and how many times the reference's that is."""
    rows: list[tuple[Value, ...]] = []
    for name, cells in results.cells.items():
        found: list[Value] = [name]
        for lines in results.files:
            ms, times = cells[lines].ms(heat), results.ratio(name, reference, lines, heat)
            if ms is None:
                found.append(cells[lines].why)
            elif name == reference or times is None:
                found.append(f"{ms:,.0f}")
            else:
                found.append(f"{ms:,.0f} ({times:.1f}×)")
        rows.append(tuple(found))
    columns = ("", *(f"{count:,} lines" for count in results.files.values()))
    return Table(f"Milliseconds an edit, {heat}", columns, tuple(rows), (f"In brackets: × {reference}.",))


def token_table(results: Results) -> Table:
    """What each row reads and writes."""
    rows = []
    for name, cells in results.cells.items():
        told = [f"{cell.prompt:,} + {cell.written:,}" for cell in cells.values()]
        rows.append((name, *told))
    columns = ("", *(f"{count:,} lines" for count in results.files.values()))
    notes = (
        "Of the edit that needs most. copydesk forces and drafts tokens: it runs fewer forwards than it writes tokens.",
    )
    return Table("Tokens: prompt + written", columns, tuple(rows), notes)


def behind_table(results: Results, reference: str) -> Table:
    """Where the reference is not ahead of a row that is not copydesk's, and what is to be done about it."""
    rows: list[tuple[Value, ...]] = []
    for heat in HEATS:
        for name in results.cells:
            if name in results.own:
                continue
            for lines in results.files:
                times = results.ratio(name, reference, lines, heat)
                if times is not None and times <= 1.0:
                    rows.append(
                        (name, f"{heat}, {results.files[lines]:,} lines", times, BEHIND[results.kinds[name]])
                    )
    if not rows:
        rows = [("none: it is ahead of every row that was run, at every length", "", None, "")]
    return Table(
        f"Where {reference} is not ahead",
        ("row", "where", "× copydesk", "why, and what is next"),
        tuple(rows),
    )


def own_table(results: Results, reference: str) -> Table:
    """copydesk's slower rows, and why they are slower."""
    why = {
        "engine": "It has no native forward: torch's operators run one after another. On a CPU copydesk takes int8 by itself.",
        "served": "Request by request, each decision reads all weights for one token and sends the"
        " prompt again; as a whole, each token"
        " of the program is a forward, under a grammar over the whole vocabulary. Next: the nodes of a choice in one request.",
    }
    rows = []
    for name in results.own:
        if name != reference:
            times = [
                f"{found:.1f}×"
                if (found := results.ratio(name, reference, lines, "warm")) is not None
                else ""
                for lines in results.files
            ]
            rows.append((name, ", ".join(times), why[results.kinds[name]]))
    return Table(f"copydesk's other rows against {reference}, warm", ("", "by length", "why"), tuple(rows))


def forcing_table(paces: Mapping[str, Mapping[str, float]]) -> Table:
    """Milliseconds a token of plain writing, by precision and by how it is done."""
    columns = ("", *next(iter(paces.values())))
    rows: tuple[tuple[Value, ...], ...] = tuple((name, *values.values()) for name, values in paces.items())
    notes = (
        "The same prompt and as many tokens: the scope of the shortest file.",
        "told: as in the rows above, without a server. its own choice: the same program, and the model's own tokens.",
        "the server: `llama-server` over HTTP, with its samplers, and the model's own tokens, none of which may end the text."
        " under a forcing grammar: the same, made to write the gold tokens by a GBNF grammar that allows nothing else.",
    )
    return Table("What telling llama.cpp its tokens costs it, ms a token", columns, rows, notes)


def targets(results: Results, reference: str) -> list[Target]:
    """Ahead of every row at every length."""
    found = []
    for heat in HEATS:
        others = {
            (name, lines): times
            for name in results.cells
            if name not in results.own
            for lines in results.files
            if (times := results.ratio(name, reference, lines, heat)) is not None
        }
        if others:
            (name, lines), times = min(others.items(), key=lambda item: item[1])
            said = f"{times:.2f}× ({name}, {results.files[lines]:,} lines)"
            found.append(
                Target(f"{reference}, {heat}: ahead of every row at every length", "> 1×", said, times > 1)
            )
    return found


def plot(results: Results, path: Path) -> list[str]:
    """Warm latency over the length of the file: of each group of rows the fastest."""
    series: dict[str, dict[int, float]] = {}
    for name, cells in results.cells.items():
        points = series.setdefault(results.groups.get(name, name), {})
        for lines, cell in cells.items():
            ms = cell.ms("warm")
            if ms is not None:
                points[results.files[lines]] = min(ms, points.get(results.files[lines], ms))
    drawn = plots.lines(
        path,
        {name: sorted(points.items()) for name, points in series.items() if points},
        title="One edit, warm",
        x="lines of the file",
        y="ms",
        log_x=True,
        log_y=True,
    )
    return [drawn] if drawn is not None else []
