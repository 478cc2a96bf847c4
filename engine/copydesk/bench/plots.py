"""Pictures of tables, drawn with matplotlib where that is installed (the extra `bench`).

Knows points and labels; nothing of what they mean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

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
    figure = Figure(figsize=(7.5, 4.8), dpi=110, layout="constrained")
    axes = figure.subplots()
    for name, points in series.items():
        if points:
            axes.plot([p[0] for p in points], [p[1] for p in points], marker="o", markersize=4, label=name)
    if log_x:
        axes.set_xscale("log")
    if log_y:
        axes.set_yscale("log")
    axes.set(title=title, xlabel=x, ylabel=y)
    axes.grid(alpha=0.3, which="both")
    axes.legend(fontsize=8)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    return path.name
