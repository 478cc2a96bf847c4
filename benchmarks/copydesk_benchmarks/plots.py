"""Pictures of tables, drawn with matplotlib where that is installed (the extra `bench`).

Knows points and labels; nothing of what they mean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

BESIDE = 7
"""Series up to which their names fit into the picture."""
COLOURS = 10
"""After so many the colours begin again, dashed."""
Points = Sequence[tuple[float, float]]


def lines(
    path: Path,
    series: Mapping[str, Points],
    *,
    title: str,
    x: str,
    y: str,
    log_x: bool = False,
    log_y: bool = False,
) -> str | None:
    """One line per series. The file's name, or None where matplotlib is missing."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return None
    crowded = len(series) > BESIDE
    figure = Figure(figsize=(10.5 if crowded else 7.5, 4.8), dpi=110, layout="constrained")
    axes = figure.subplots()
    for number, (name, points) in enumerate(series.items()):
        if points:
            style = "-" if number < COLOURS else "--"
            axes.plot(
                [p[0] for p in points], [p[1] for p in points], style, marker="o", markersize=4, label=name
            )
    if log_x:
        axes.set_xscale("log")
    if log_y:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)  # so that what does not grow looks it, and what does too
    axes.set(title=title, xlabel=x, ylabel=y)
    axes.grid(alpha=0.3, which="both")
    if crowded:
        figure.legend(fontsize=8, loc="outside right upper")
    else:
        axes.legend(fontsize=8)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    return path.name
