"""Metrics of a run: one JSON object a line, and a picture of them. Knows no training."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

log = logging.getLogger(__name__)

METRICS = "metrics.jsonl"
PICTURE = "curves.png"


def read_metrics(folder: Path) -> list[dict[str, Any]]:
    """All rows of `metrics.jsonl`; a last line cut short by a kill is left out."""
    path = folder / METRICS
    rows: list[dict[str, Any]] = []
    if path.is_file():
        for line in path.read_text("utf-8").split("\n"):
            try:
                rows.append(json.loads(line))
            except ValueError:
                continue
    return rows


class Metrics:
    """Appends rows; made with `step`, it first forgets what came after that step (a run that is taken up again)."""

    def __init__(self, folder: Path, step: int) -> None:
        self.path = folder / METRICS
        kept = [row for row in read_metrics(folder) if row["step"] <= step] if step else []
        self.path.write_text("".join(json.dumps(row) + "\n" for row in kept), encoding="utf-8")

    def add(self, row: dict[str, Any]) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


def draw(folder: Path) -> Path | None:
    """`curves.png` beside the metrics: losses, and exact match on held-out shards. None without matplotlib or metrics."""
    rows = read_metrics(folder)
    try:
        from matplotlib.figure import Figure
    except ImportError:
        log.info("no matplotlib: no curves are drawn")
        return None
    if not rows:
        return None
    figure = Figure(figsize=(9, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    for key, label in (("program_loss", "program, training"), ("document_loss", "document, training")):
        points = [(row["tokens"] / 1e6, row[key]) for row in rows if row.get(key) is not None]
        if points:
            left.plot(*zip(*points, strict=True), label=label, linewidth=1)
    names = sorted({key for row in rows for key in row if key.startswith(("loss_", "exact_"))})
    for name in names:
        points = [(row["tokens"] / 1e6, row[name]) for row in rows if name in row]
        kind, _, held = name.partition("_")
        if kind == "loss":
            left.plot(*zip(*points, strict=True), "o--", label=f"program, held out {held}", markersize=3)
        else:
            right.plot([x for x, _ in points], [100 * y for _, y in points], "o-", label=held, markersize=3)
    left.set(xlabel="million tokens", ylabel="nats a token", title="Loss")
    right.set(xlabel="million tokens", ylabel="%", title="Teacher-forced exact match, held out")
    for axes in (left, right):
        axes.grid(alpha=0.3)
        if axes.lines:
            axes.legend(fontsize=8)
    path = folder / PICTURE
    figure.savefig(path)
    return path
