"""One training run in one process: step after step, told and saved as it goes, until its budget is spent or it is asked to stop.

Knows no size names, no folders of shards and no terminal; `train.py` puts a run together.
"""

from __future__ import annotations

import logging
import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch

from copydesk.errors import TrainingError
from copydesk_training import checkpoint as checkpoints
from copydesk_training import curves
from copydesk_training.batches import Batch, Batches, Examples
from copydesk_training.checkpoint import Checkpoint
from copydesk_training.loss import head_loss
from copydesk_training.model import TrainingModel
from copydesk_training.optim import MuonAdamW
from copydesk_training.rates import matmul_rate
from copydesk_training.schedule import Schedule
from copydesk_training.segments import Segments
from copydesk_training.validation import Validation

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Status:
    """How a run is doing, for whoever watches. Losses in nats a token, averaged since the last report.

    utilisation: model FLOP/s as a share of `peak`, this machine's measured matrix product. seconds_left of the budget (None:
    the budget counts steps). validation: figures on held-out shards, where this report has new ones.
    """

    step: int
    progress: float
    seconds: float
    seconds_left: float | None
    tokens: int
    examples: int
    epoch: float
    rate: float
    program_loss: float
    document_loss: float | None
    tokens_per_second: float
    utilisation: float
    padding: float
    validation: dict[str, float]


Report = Callable[[Status], None]


class Budget:
    """The clock of a run: seconds of training over all its sittings, or steps."""

    def __init__(self, seconds: float, steps: int | None, spent: float) -> None:
        self.seconds, self.steps = seconds, steps
        self._started = time.monotonic() - spent

    @property
    def spent(self) -> float:
        return time.monotonic() - self._started

    def progress(self, step: int) -> float:
        if self.steps is not None:
            return step / max(1, self.steps)
        return self.spent / max(1e-9, self.seconds)

    @property
    def left(self) -> float | None:
        return None if self.steps is not None else max(0.0, self.seconds - self.spent)


@dataclass(slots=True)
class _Since:
    """Sums since the last report."""

    started: float
    program: float = 0.0
    document: float = 0.0
    documents: int = 0
    steps: int = 0
    tokens: int = 0
    inputs: int = 0
    flops: float = 0.0
    paused: float = 0.0


class Loop:
    """One run in one process."""

    budget: Budget

    def __init__(
        self,
        model: TrainingModel,
        device: torch.device,
        examples: Examples,
        out: Path,
        settings: dict[str, Any],
    ) -> None:
        self.model, self.device, self.out, self.settings = model, device, out, settings
        self.optimiser = MuonAdamW(model)
        self.schedule = Schedule(**_tuples(settings["schedule"]))
        self.batches = Batches(
            examples,
            tokens=settings["batch_tokens"],
            seed=settings["seed"],
            lm_sample=settings["lm_sample"] if settings["lm_weight"] else 0.0,
        )
        self.hidden: Callable[[torch.Tensor, Segments | None], torch.Tensor] = model.hidden
        if device.type == "cuda":
            # Lengths come from a few dozen classes: symbolic shapes compile once.
            self.hidden = torch.compile(model.hidden, dynamic=True)
        self.validation: Validation | None = None
        self.position = [(0, 0)] * len(self.batches.classes)
        self.step = self.tokens = self.examples = 0
        self.seconds = self.flops = 0.0
        self.measured: dict[str, float] = {}
        self.peak = matmul_rate(device, next(model.parameters()).dtype)

    def restore(self, found: Checkpoint) -> None:
        self.optimiser.restore(found.optimiser)
        self.batches.restore(found.position)
        self.position, self.step, self.seconds = found.position, found.step, found.seconds
        self.tokens, self.examples, self.flops = found.tokens, found.examples, found.flops
        self.measured = found.validation

    def go(self, every: float, report_every: int, stop_after: int | None, report: Report | None) -> None:
        """Train to the end of the budget, or until asked to stop; a checkpoint is there when this returns."""
        metrics = curves.Metrics(self.out, self.step)
        since = _Since(time.monotonic())
        saved = time.monotonic()
        with stopping() as stop, ThreadPoolExecutor(1) as pool:
            ahead: Future[Batch] | None = None
            while True:
                progress = self.budget.progress(self.step)
                if progress >= 1:
                    break
                if stop.is_set() or (stop_after is not None and self.step >= stop_after):
                    log.info("stopped at step %d; the run can be resumed", self.step)
                    self._save(finished=False)
                    return
                batch = ahead.result() if ahead is not None else self._next(self.step, progress)
                ahead = pool.submit(self._next, self.step + 1, self.budget.progress(self.step + 1))
                self._train(batch, progress, since)
                if self.step % report_every == 0:
                    self._tell(metrics, report, since, progress, {})
                    since = _Since(time.monotonic())
                if time.monotonic() - saved >= every:
                    paused = time.monotonic()
                    self._validate_and_save(metrics, report, since, progress)
                    saved = time.monotonic()
                    since = replace(since, paused=since.paused + saved - paused)
        self._validate_and_save(metrics, report, since, 1.0, finished=True)
        curves.draw(self.out)

    def _next(self, step: int, progress: float) -> Batch:
        return self.batches.next(step, self.schedule.longest(progress))

    def _train(self, batch: Batch, progress: float, since: _Since) -> None:
        moved = batch.to(self.device)
        documents = int(batch.document.sum())
        coefficient = moved.weight / moved.weight.sum().clamp(min=1e-6)
        if documents:
            coefficient = coefficient + moved.document * (self.settings["lm_weight"] / documents)
        hidden = self.hidden(moved.ids, moved.segments)
        loss, each = head_loss(
            hidden.flatten(0, 1),
            self.model.embedding,
            moved.where,
            moved.target,
            coefficient,
            self.model.kernels,
        )
        loss.backward()
        program = float((each * moved.weight).sum() / moved.weight.sum().clamp(min=1e-6))
        document = float((each * moved.document).sum()) / documents if documents else 0.0
        if not (math.isfinite(program) and math.isfinite(document)):
            raise TrainingError(
                f"the loss is {program} at step {self.step}; the last checkpoint is whole, lower the rates and resume"
            )
        factor = self.schedule.factor(self.step, progress)
        self.optimiser.step(self.schedule.rate * factor, self.schedule.adam_rate * factor)
        rows, length = batch.ids.shape
        flops = self.model.config.flops(rows * length, length, len(batch.where), batch.pairs)
        self.step += 1
        self.tokens += batch.tokens
        self.examples += batch.examples
        self.flops += flops
        self.position = batch.position
        since.program += program
        since.document += document
        since.documents += documents > 0
        since.steps += 1
        since.tokens += batch.tokens
        since.inputs += batch.ids.numel()
        since.flops += flops

    def _tell(
        self,
        metrics: curves.Metrics,
        report: Report | None,
        since: _Since,
        progress: float,
        found: dict[str, float],
    ) -> None:
        if not since.steps and not found:
            return
        took = max(1e-9, time.monotonic() - since.started - since.paused)
        status = Status(
            step=self.step,
            progress=min(1.0, progress),
            seconds=self.budget.spent,
            seconds_left=self.budget.left,
            tokens=self.tokens,
            examples=self.examples,
            epoch=self.batches.epoch,
            rate=self.schedule.rate * self.schedule.factor(self.step, progress),
            program_loss=since.program / max(1, since.steps),
            document_loss=since.document / since.documents if since.documents else None,
            tokens_per_second=since.tokens / took,
            utilisation=since.flops / took / self.peak,
            padding=1 - since.tokens / max(1, since.inputs),
            validation=found,
        )
        row = asdict(status)
        row.update(row.pop("validation"))
        if not since.steps:
            row.update(program_loss=None, document_loss=None)
        metrics.add(row)
        if report is not None:
            report(status)

    def _validate_and_save(
        self,
        metrics: curves.Metrics,
        report: Report | None,
        since: _Since,
        progress: float,
        *,
        finished: bool = False,
    ) -> None:
        found = self.validation.measure(self.model, self.device) if self.validation is not None else {}
        self.measured = found or self.measured
        self._tell(metrics, report, since, progress, found)
        self._save(finished=finished)

    def _save(self, *, finished: bool) -> None:
        state = Checkpoint(
            config=self.model.config, optimiser=self.optimiser.state(), step=self.step, seconds=self.budget.spent,
            tokens=self.tokens, examples=self.examples, flops=self.flops, position=self.position,
            shards=self.batches.examples.names, settings=self.settings, finished=finished, validation=self.measured,
        )  # fmt: skip
        checkpoints.save(self.out / checkpoints.FILE_NAME, state)


@contextmanager
def stopping() -> Iterator[threading.Event]:
    """An event that SIGTERM and SIGINT set, so that a run ends between two steps; a second signal acts as usual."""
    event = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield event
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}

    def handle(number: int, _frame: object) -> None:
        event.set()
        signal.signal(number, before[signal.Signals(number)])

    for number in before:
        signal.signal(number, handle)
    try:
        yield event
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _tuples(schedule: dict[str, Any]) -> dict[str, Any]:
    """A schedule read back from a checkpoint: lists become tuples again."""
    return {**schedule, "curriculum": tuple((float(a), int(b)) for a, b in schedule["curriculum"])}
