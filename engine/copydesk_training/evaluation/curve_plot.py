"""The picture of `curve.jsonl`: exact match and losses over the requests trained on. Needs matplotlib."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from copydesk.errors import TrainingError
from copydesk_training.evaluation.curve import Measured, measured
from copydesk_training.evaluation.groups import OPTIONS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PICTURE = "curve.png"


def draw(run: Path, path: Path, *, mode: str | None = None) -> Path:
    """Write the picture to `path`: one panel a group, and one for the losses.

    mode: "off", without lists, or "on"; by default "off" where that was measured. Levels (the embedded model's, say) are
    horizontal lines in their 95% intervals. Raises TrainingError where there is nothing to draw, or no matplotlib.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise TrainingError("drawing a curve needs matplotlib: install copydesk[train]") from error
    found = measured(run)
    mode = mode or ("off" if any("off" in row.exact for row in found) else "on")
    rows = [row for row in found if row.exact.get(mode)]
    curve = sorted((row for row in rows if row.point is not None), key=_requests)
    levels = [row for row in rows if row.point is None]
    if not curve:
        raise TrainingError(f"{run} has no measured model with lists {mode}: run `copydesk eval curve` first")
    groups = [name for name in OPTIONS.values() if any(name in row.exact[mode] for row in curve)]
    columns = 3
    lines = -(-(len(groups) + 1) // columns)
    figure = Figure(figsize=(4.2 * columns, 3.4 * lines), dpi=110, layout="constrained")
    panels = figure.subplots(lines, columns, squeeze=False).flatten()
    for group, axes in zip(groups, panels, strict=False):
        _draw_group(axes, group, mode, curve, levels)
    _draw_losses(panels[len(groups)], curve)
    for axes in panels[len(groups) + 1 :]:
        axes.set_axis_off()
    figure.suptitle(f"{run.resolve().name}: exact match with lists {mode}, 95% intervals")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    return path


def _draw_group(axes: Axes, group: str, mode: str, curve: list[Measured], levels: list[Measured]) -> None:
    shown = [(_requests(row), row.exact[mode][group]) for row in curve if group in row.exact[mode]]
    x = [requests for requests, _ in shown]
    y = [100 * share["hits"] / share["total"] for _, share in shown]
    low, high = ([100 * share[end] for _, share in shown] for end in ("low", "high"))
    axes.fill_between(x, low, high, alpha=0.2, color="C0", linewidth=0)
    axes.plot(x, y, "o-", color="C0", markersize=4, label="this run")
    for number, level in enumerate(levels, 1):
        share = level.exact[mode].get(group)
        if share is not None:
            colour = f"C{number}"
            axes.axhspan(100 * share["low"], 100 * share["high"], alpha=0.12, color=colour, linewidth=0)
            axes.axhline(100 * share["hits"] / share["total"], color=colour, linestyle="--", label=level.name)
    axes.set(title=group, xlabel="requests", ylabel="% exact", ylim=(0, 100))
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)


def _draw_losses(axes: Axes, curve: list[Measured]) -> None:
    names = sorted({name for row in curve if row.point is not None for name in row.point.losses})
    for name in names:
        shown = [row.point for row in curve if row.point is not None and name in row.point.losses]
        axes.plot(
            [p.requests for p in shown], [p.losses[name] for p in shown], "o-", markersize=4, label=name
        )
    axes.set(title="losses", xlabel="requests", ylabel="nats a token")
    axes.grid(alpha=0.3)
    if names:
        axes.legend(fontsize=8)


def _requests(row: Measured) -> int:
    return row.point.requests if row.point is not None else 0
