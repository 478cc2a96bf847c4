"""A training run in a terminal: a bar with the losses, tokens per second, utilisation and the time left. Knows no training."""

from __future__ import annotations

from types import TracebackType
from typing import Protocol, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn


class Status(Protocol):
    """What is shown of a run's status; losses in nats a token, `utilisation` as a share."""

    @property
    def step(self) -> int: ...
    @property
    def progress(self) -> float: ...
    @property
    def seconds_left(self) -> float | None: ...
    @property
    def program_loss(self) -> float: ...
    @property
    def document_loss(self) -> float | None: ...
    @property
    def tokens_per_second(self) -> float: ...
    @property
    def utilisation(self) -> float: ...
    @property
    def validation(self) -> dict[str, float]: ...


class TrainingView:
    """Call `update` with each status; where the console is no terminal, figures are printed at every validation."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bar = Progress(
            TextColumn("step {task.fields[step]}"), BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[figures]}"),
            console=console,
        )  # fmt: skip
        self._task = self._bar.add_task("", total=1.0, step=0, figures="")

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._bar.stop()

    def update(self, status: Status) -> None:
        """Show `status`."""
        figures = describe(status)
        self._bar.update(self._task, completed=status.progress, step=status.step, figures=figures)
        if status.validation:
            told = "  ".join(f"{name} {value:.3f}" for name, value in status.validation.items())
            self._console.print(f"step {status.step}: {figures}  {told}")


def describe(status: Status) -> str:
    """The figures of a status in one line."""
    parts = [f"program {status.program_loss:.3f}"]
    if status.document_loss is not None:
        parts.append(f"document {status.document_loss:.3f}")
    parts.append(f"{status.tokens_per_second:,.0f} tokens/s")
    parts.append(f"{status.utilisation:.0%} of the matmul rate")
    if status.seconds_left is not None:
        minutes, seconds = divmod(round(max(0.0, status.seconds_left)), 60)
        parts.append(f"{minutes}:{seconds:02d} left")
    return "  ".join(parts)
