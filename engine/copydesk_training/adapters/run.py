"""Train an adapter on shards, made for interruption: a run may end at any minute and go on elsewhere.

Two states are kept. `adapter.safetensors` (a few MiB, int8) is what outlives the machine: weights, data cursor and seed; a run
that starts from it has a fresh optimiser and warms up again. `run.pt` beside it also has the fp32 parameters and the
optimiser's averages: a run on the same machine goes on as if it had not stopped. Knows no corpus and no terminal.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import torch
from tokenizers import Tokenizer

from copydesk.adapters.adapter_file import (
    FILE_NAME,
    Adapter,
    AdapterState,
    read_adapter,
    write_adapter,
)
from copydesk.adapters.base import read_base
from copydesk.errors import TrainingError
from copydesk.files.atomic import replacing
from copydesk.models.load import choose_dtype
from copydesk_training import curves, kernels
from copydesk_training.adapters.model import SCALE, AdaptedModel
from copydesk_training.adapters.tokens import first_rows
from copydesk_training.adapters.widened import widened
from copydesk_training.batches import Batch, Batches, Examples
from copydesk_training.choice_loss import choice_loss
from copydesk_training.loop import Budget, stopping
from copydesk_training.prefetch import prefetched
from copydesk_training.rates import matmul_rate
from copydesk_training.schedule import Schedule
from copydesk_training.shards import shards_fingerprint, shards_format
from copydesk_training.validation import Validation

log = logging.getLogger(__name__)

RUN_FILE = "run.pt"
RANK = 32
"""Of a new adapter, where none is asked for."""


@dataclass(frozen=True, slots=True)
class Options:
    """How an adapter is trained. rank: by default that of the adapter to start from, else RANK. rate: of A and B; new rows learn
    `row_factor` times as fast. Rates warm up over `warmup` steps and fall linearly to zero over the last `decay` of the budget.
    batch_tokens: inputs a step, padding included. choice_weight: what a choice among candidates counts, in tokens; its softmax
    is at `choice_temperature`. upper: layers that learn, from the last one down; by default all.
    """

    rank: int | None = None
    rate: float = 1e-3
    row_factor: float = 2.0
    warmup: int = 20
    decay: float = 0.5
    batch_tokens: int = 2048
    seed: int = 0
    betas: tuple[float, float] = (0.9, 0.98)
    clip: float = 1.0
    choice_weight: float = 12.0
    choice_temperature: float = 1.0
    upper: int | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """How a run is doing. loss: nats a token the model chooses, averaged since the last report; rates are of this sitting.
    choice_loss: nats a choice among candidates; chosen: the share of these that is right; None where there were none.

    utilisation: the run's model FLOP/s as a share of this machine's matrix product.
    """

    step: int
    progress: float
    seconds: float
    requests: int
    tokens: int
    loss: float | None
    choice_loss: float | None
    chosen: float | None
    tokens_per_second: float
    requests_per_second: float
    utilisation: float
    figures: dict[str, float]


@dataclass(slots=True)
class Losses:
    """Sums over some steps, in nats: of `weight` tokens, and of `choices` among candidates, `hits` of them right."""

    tokens: float = 0.0
    weight: float = 0.0
    choice: float = 0.0
    hits: int = 0
    choices: int = 0

    @property
    def token_loss(self) -> float | None:
        return self.tokens / self.weight if self.weight else None

    @property
    def choice_loss(self) -> float | None:
        return self.choice / self.choices if self.choices else None

    @property
    def chosen(self) -> float | None:
        return self.hits / self.choices if self.choices else None


Report = Callable[[Progress], None]


class AdapterRun:
    """One sitting of a run in the folder `out`. Raises TrainingError where base, shards and adapter do not fit together."""

    def __init__(
        self,
        base: Path,
        shards: Path,
        out: Path,
        options: Options,
        *,
        device: str = "cpu",
        init: Path | None = None,
        native: bool = True,
        validate: int = 0,
    ) -> None:
        self.out, self.options = out, options
        self.device = torch.device(device)
        cpu = self.device.type == "cpu"
        # bfloat16 where the processor has it: emulated it takes many times as long as float32.
        dtype = choose_dtype("auto", self.device, torch.bfloat16)
        found = read_base(base, dtype, self.device)
        examples = Examples.open(shards)
        tokens = new_tokens(shards, found.config.vocab)
        started = read_adapter(init) if init is not None else None
        if started is not None and (started.state.base, started.state.tokens) != (found.digest, tokens):
            raise TrainingError(f"the adapter {init} belongs to another base or edit format")
        tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
        rows = started.rows if started else first_rows(tokenizer, tokens, found.embedding.cpu())
        if started is not None and options.rank is not None:
            started = widened(started, options.rank, options.seed)
        rank = started.state.rank if started else options.rank or RANK
        torch.manual_seed(options.seed)
        self.model = AdaptedModel(
            found, rows, rank, seed=options.seed, upper=options.upper,
            kernels=kernels.load() if native and cpu else None,
        )  # fmt: skip
        self.state = AdapterState(
            base=found.digest,
            rank=rank,
            scale=SCALE,
            tokens=tokens,
            format=replace(shards_format(shards), chooses=chooses(shards)).to_dict(),
            seed=options.seed,
            shards=f"{shards_fingerprint(shards)}/{len(examples)}",
        )
        self.batches = Batches(examples, tokens=options.batch_tokens, seed=options.seed, lm_sample=0.0)
        if started is not None:
            self._load(started)
        self.optimiser = torch.optim.AdamW(
            [
                {"params": list(self.model.adapters.values()), "factor": 1.0},
                {"params": [self.model.rows], "factor": options.row_factor},
            ],
            lr=options.rate,
            betas=options.betas,
            weight_decay=0.0,
        )
        self.sitting_steps = 0
        self._ahead: Iterator[Batch] | None = None
        self.warm = False
        if started is None and (out / RUN_FILE).is_file():
            self._restore()
        self.model.refresh()
        self.validation = Validation(shards, most=validate) if validate else None
        self.peak = matmul_rate(self.device, dtype)
        out.mkdir(parents=True, exist_ok=True)

    # -- state -------------------------------------------------------------------------------------------------------------

    def _load(self, adapter: Adapter) -> None:
        """Begin with the weights of a stored adapter."""
        with torch.no_grad():
            for name, parameter in self.model.adapters.items():
                parameter.copy_(adapter.tensors[name])
        self._go_on(adapter.state)

    def _restore(self) -> None:
        payload = torch.load(self.out / RUN_FILE, map_location=self.device, weights_only=True)
        state = AdapterState(**payload["state"])
        if (state.base, state.tokens, state.rank) != (self.state.base, self.state.tokens, self.state.rank):
            raise TrainingError(
                f"{self.out} holds a run on another base, of another edit format or rank; name another folder"
            )
        self.model.load_state_dict(payload["parameters"])
        self.optimiser.load_state_dict(payload["optimiser"])
        self.warm = True  # the averages are there: no second warm-up
        self._go_on(state)

    def _go_on(self, told: AdapterState) -> None:
        """Take over what an earlier sitting counted, and its data cursor where the shards are the same."""
        counts = {name: getattr(told, name) for name in ("steps", "requests", "tokens_seen", "seconds")}
        self.state = replace(self.state, **counts)
        if told.shards == self.state.shards:
            self.batches.restore(told.position)
            self.state = replace(self.state, position=told.position)
        else:
            log.info("the shards are not those of before: their examples are taken from the first on")

    def adapter(self) -> Adapter:
        tensors = {name: parameter.detach() for name, parameter in self.model.adapters.items()}
        return Adapter(self.state, tensors, self.model.rows.detach())

    def save(self, name: str = FILE_NAME) -> Path:
        """Write the adapter as `name`, and beside it what a sitting on this machine goes on from."""
        write_adapter(self.out / name, self.adapter())
        kept = {
            "state": asdict(self.state),
            "parameters": self.model.state_dict(),
            "optimiser": self.optimiser.state_dict(),
        }
        with replacing(self.out / RUN_FILE) as partial:
            torch.save(kept, partial)
        return self.out / name

    # -- training ----------------------------------------------------------------------------------------------------------

    def step(self, progress: float, sums: Losses | None = None) -> Batch:
        """One step at `progress` (0 to 1) of the budget: its batch. Its losses are added to `sums`."""
        batch = self._next().to(self.device)
        sums = sums if sums is not None else Losses()
        hidden = self.model.hidden(batch.ids, batch.segments)
        weight, total = batch.weight, float(batch.weight.sum())
        if batch.choices is not None:
            with torch.no_grad():
                _, each = self.model.loss(
                    hidden.detach(), batch.where, batch.target, torch.zeros_like(weight)
                )
            found = choice_loss(each, batch.choices, self.options.choice_temperature)
            weight = weight + self.options.choice_weight * found.coefficient
            total += self.options.choice_weight * batch.choices.count
            sums.choice += found.loss
            sums.hits += found.hits
            sums.choices += batch.choices.count
        loss, each = self.model.loss(hidden, batch.where, batch.target, weight / max(total, 1e-6))
        loss.backward()
        sums.tokens += float((each * batch.weight).sum())
        sums.weight += float(batch.weight.sum())
        if not math.isfinite(float(loss.detach())):
            raise TrainingError(f"the loss is {float(loss)} at step {self.state.steps}: lower the rate")
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.options.clip)
        schedule = Schedule(warmup=self.options.warmup, decay=self.options.decay, curriculum=())
        for group in self.optimiser.param_groups:
            factor = schedule.factor(self.options.warmup if self.warm else self.sitting_steps, progress)
            group["lr"] = self.options.rate * group["factor"] * factor
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        self.model.refresh()
        self.sitting_steps += 1
        self.state = replace(
            self.state,
            steps=self.state.steps + 1,
            requests=self.state.requests + batch.examples,
            tokens_seen=self.state.tokens_seen + batch.tokens,
            position=batch.position,
        )
        return batch

    def _next(self) -> Batch:
        if self.device.type == "cpu":
            return self.batches.next(self.state.steps)
        if self._ahead is None:
            self._ahead = prefetched(self.batches, self.state.steps)
        return next(self._ahead)

    def go(
        self,
        *,
        minutes: float = 60.0,
        steps: int | None = None,
        save_minutes: float = 5.0,
        snapshot_minutes: float = 0.0,
        report_every: int = 10,
        report: Report | None = None,
    ) -> Path:
        """Train until this sitting's budget is spent or a signal asks to stop; the path of the adapter.

        snapshot_minutes: also keep `adapter-REQUESTS.safetensors` this often, for the curve; 0 for none.
        """
        metrics = curves.Metrics(self.out, self.state.steps)
        budget = Budget(minutes * 60, steps, 0.0)
        began = self.state.seconds
        saved = snapped = since = time.monotonic()
        sums = Losses()
        steps_told = tokens = requests = 0
        flops = 0.0
        with stopping() as stop:
            while (progress := budget.progress(self.sitting_steps)) < 1 and not stop.is_set():
                batch = self.step(progress, sums)
                steps_told += 1
                tokens, requests = tokens + batch.tokens, requests + batch.examples
                flops += self.flops(batch)
                self.state = replace(self.state, seconds=began + budget.spent)
                now = time.monotonic()
                due = now - saved >= save_minutes * 60
                if steps_told >= report_every or due:
                    took = max(1e-9, now - since)
                    figures = self._measure() if due else {}
                    row = Progress(
                        self.state.steps, min(1.0, progress), self.state.seconds, self.state.requests,
                        self.state.tokens_seen, sums.token_loss, sums.choice_loss, sums.chosen, tokens / took, requests / took,
                        flops / took / self.peak, figures,
                    )  # fmt: skip
                    metrics.add({**{k: v for k, v in asdict(row).items() if k != "figures"}, **figures})
                    if report is not None:
                        report(row)
                    sums, steps_told, tokens, requests, flops = Losses(), 0, 0, 0, 0.0
                    since = time.monotonic()
                if due:
                    self.save()
                    saved = time.monotonic()
                if snapshot_minutes and now - snapped >= snapshot_minutes * 60:
                    self.save(f"adapter-{self.state.requests:07d}.safetensors")
                    snapped = time.monotonic()
        self.state = replace(self.state, figures=self._measure())
        return self.save()

    def flops(self, batch: Batch) -> float:
        """Model FLOPs of one step: 4 a token and weight (no gradient of frozen weights), attention by the pairs that see each
        other, and the head at the chosen positions.
        """
        config = self.model.config
        attention = 12 * batch.pairs * config.heads * config.width * config.layers
        head = 4 * len(batch.where) * config.hidden * len(self.model.table)
        return float(4 * config.linear_parameters * batch.ids.numel() + attention + head)

    def _measure(self) -> dict[str, float]:
        return {} if self.validation is None else self.validation.measure(self.model, self.device)


def chooses(shards: Path) -> bool:
    """Whether there are choices among candidates in the shards."""
    return any(path for kind in ("choice", "written") for path in shards.glob(f"train-{kind}-*.bin"))


def new_tokens(shards: Path, first: int) -> list[str]:
    """The tokens of the shards' tokenizer behind the base's own `first`, in order. Raises TrainingError where there are none."""
    for folder in (shards, shards.parent):
        path = folder / "tokenizer.json"
        if path.is_file():
            tokenizer = Tokenizer.from_file(str(path))
            size = tokenizer.get_vocab_size(with_added_tokens=True)
            found = [tokenizer.id_to_token(i) for i in range(first, size)]
            if found and None not in found:
                return [str(token) for token in found]
            break
    raise TrainingError(
        f"the shards in {shards} were not made with the base's tokenizer and the format's tokens"
    )
