"""Shows a training run as it goes: a progress bar in a terminal, plain lines elsewhere. Knows no training but its reports."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn

if TYPE_CHECKING:
    from copydesk_training.adapters.run import Progress as AdapterProgress
    from copydesk_training.train import Status


class TrainingView:
    """Call it with every status; it draws on standard error, so that standard output stays the command's.

    with TrainingView() as view:
        train.run(..., report=view)
    """

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console(stderr=True)
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        if self.console.is_terminal:
            self._bar = Progress(
                TextColumn("training"), BarColumn(), TextColumn("{task.percentage:>3.0f}%"), TextColumn("{task.description}"),
                console=self.console, transient=False,
            )  # fmt: skip
            self._bar.start()
            self._task = self._bar.add_task("starting", total=1.0)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, status: Status) -> None:
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=status.progress, description=line(status))
            if status.validation:
                self._bar.console.print(f"step {status.step}: {figures(status.validation)}")
            return
        text = f"{status.progress:4.0%} step {status.step} {line(status)}"
        if status.validation:
            text += f" | {figures(status.validation)}"
        self.console.print(text, markup=False, highlight=False, soft_wrap=True)


def line(status: Status) -> str:
    """Loss, speed and time left, in one line."""
    parts = [f"loss {status.program_loss:.3f}"]
    if status.document_loss is not None:
        parts.append(f"document {status.document_loss:.3f}")
    parts += [
        f"{status.tokens / 1e6:.2f}M tokens",
        f"{status.tokens_per_second:,.0f} tokens/s",
        f"{status.utilisation:.0%} of peak",
    ]
    if status.seconds_left is not None:
        minutes, seconds = divmod(round(status.seconds_left), 60)
        parts.append(f"{minutes}:{seconds:02d} left")
    return " · ".join(parts)


def adapter_line(row: AdapterProgress) -> str:
    """An adapter run's state, in one line."""
    parts = [
        f"{row.progress:4.0%} step {row.step}" + ("" if row.loss is None else f" loss {row.loss:.3f}"),
        f"{row.requests:,} requests",
        f"{row.requests_per_second:.1f} requests/s",
        f"{row.tokens_per_second:,.0f} tokens/s",
        f"{row.utilisation:.0%} of peak",
    ]
    if row.choice_loss is not None and row.chosen is not None:
        parts.insert(1, f"choices {row.choice_loss:.3f}, {row.chosen:.0%} right")
    return " · ".join([*parts, figures(row.figures)] if row.figures else parts)


def figures(validation: dict[str, float]) -> str:
    """Held-out figures in one line."""
    shown = []
    for name, value in sorted(validation.items()):
        kind, _, held = name.partition("_")
        shown.append(
            f"held out {held} {'exact ' if kind == 'exact' else 'loss '}"
            + (f"{value:.1%}" if kind == "exact" else f"{value:.3f}")
        )
    return ", ".join(shown)
