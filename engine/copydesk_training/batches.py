"""Batches of about equally long groups of examples from memory-mapped shards, in a random order that can be taken up anywhere.

Groups (a page and its branches) are sorted into classes by length; a batch comes from one class, so little of it is padding.
Which class, and which of its groups, depends on the seed, the step and the position in each class alone: the position is all a
checkpoint needs. Knows no model; tokens whose loss counts are marked here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from copydesk.errors import TrainingError
from copydesk_training.examples import Role, branch_ends
from copydesk_training.segments import Segments
from copydesk_training.shard_file import Row, Shard

PAD_TO = 16
"""Lengths are padded to multiples of this, so that few shapes occur."""
ROLE_WEIGHTS = {Role.PROGRAM: 1.0}
"""Loss of the program by role. What the grammar forces is never asked of the model, so it is not learnt."""


@dataclass(frozen=True, slots=True)
class Choices:
    """The requests of a batch that are answered by one of some candidates (`choices.py`).

    candidate: int64 [n], which of the C candidates each chosen position spells, C for none. group: int64 [C], which of the G
    requests it is a candidate of. right: bool [C], one of each request. count: G.
    """

    candidate: torch.Tensor
    group: torch.Tensor
    right: torch.Tensor
    count: int


@dataclass(frozen=True, slots=True)
class Batch:
    """B groups, cut to inputs [B, T] and flat targets.

    ids int64 [B, T]: padded behind. segments: what each input sees, None where every row has one branch. For the n chosen
    positions (rows of the flattened [B T]): where, target int64 [n], weight fp32 [n] (0 for document tokens and for candidates),
    document bool [n]. choices: None where there are none. examples: requests; tokens: without padding; pairs: of inputs with the
    inputs they see, padding's included. position: where the next batch starts.
    """

    ids: torch.Tensor
    segments: Segments | None
    where: torch.Tensor
    target: torch.Tensor
    weight: torch.Tensor
    document: torch.Tensor
    examples: int
    tokens: int
    pairs: int
    position: list[tuple[int, int]]
    choices: Choices | None = None

    def to(self, device: torch.device) -> Batch:
        if device.type == "cpu":
            return self

        def moved(tensor: torch.Tensor) -> torch.Tensor:
            return tensor.pin_memory().to(device, non_blocking=True)

        segments, choices = self.segments, self.choices
        if choices is not None:
            choices = Choices(
                moved(choices.candidate), moved(choices.group), moved(choices.right), choices.count
            )
        return replace(
            self, ids=moved(self.ids), where=moved(self.where), target=moved(self.target), weight=moved(self.weight),
            document=moved(self.document), segments=segments and Segments(*map(moved, segments)), choices=choices,
        )  # fmt: skip

    @property
    def padding(self) -> float:
        """Share of the inputs that is padding."""
        return 1 - self.tokens / self.ids.numel()


class Examples:
    """All groups of several shards under one index."""

    def __init__(self, shards: Sequence[Shard]) -> None:
        self.shards = list(shards)
        self.names = [shard.path.name for shard in shards]
        self.first = np.cumsum([0, *map(len, shards)])
        parts = [np.diff(shard.offsets).astype(np.int32) for shard in shards]
        self.lengths: NDArray[np.int32] = np.concatenate([np.empty(0, np.int32), *parts])

    @classmethod
    def open(
        cls, folder: Path, *, pattern: str = "train-*.bin", names: Sequence[str] | None = None
    ) -> Examples:
        """The shards of `folder`, or those named. Raises TrainingError where there are none or one is missing."""
        paths = sorted(folder.glob(pattern)) if names is None else [folder / name for name in names]
        if not paths:
            raise TrainingError(f"{folder} holds no shards ({pattern})")
        return cls([Shard(path) for path in paths])

    def __len__(self) -> int:
        return len(self.lengths)

    def __getitem__(self, index: int) -> Row:
        """Group `index`."""
        shard = int(np.searchsorted(self.first, index, "right")) - 1
        return self.shards[shard][index - int(self.first[shard])]


@dataclass(slots=True)
class _Class:
    """Groups of about one length. width: inputs a row, padded; rows: groups a batch."""

    members: NDArray[np.uint32]
    width: int
    rows: int
    tokens: int
    epoch: int = 0
    at: int = 0
    order: NDArray[np.uint32] | None = None
    order_epoch: int = -1


class Batches:
    """The stream of batches of one run. `tokens`: about how many inputs a batch has, padding included."""

    def __init__(
        self, examples: Examples, *, tokens: int = 5120, seed: int = 0, lm_sample: float = 0.3
    ) -> None:
        self.examples = examples
        self.seed = seed
        self.lm_sample = lm_sample
        self.classes = _classes(examples.lengths, tokens)
        if not self.classes:
            raise TrainingError("the shards hold no examples")

    @property
    def epoch(self) -> float:
        """How often the groups have been seen, on average over classes by tokens."""
        seen = sum((c.epoch + c.at / len(c.members)) * c.tokens for c in self.classes)
        return seen / sum(c.tokens for c in self.classes)

    def restore(self, position: Sequence[Sequence[int]]) -> None:
        """Go on where `Batch.position` says. Raises TrainingError where the examples are not the same."""
        if len(position) != len(self.classes):
            raise TrainingError("the checkpoint was made with other shards or another batch size")
        for part, (epoch, at) in zip(self.classes, position, strict=True):
            part.epoch, part.at = int(epoch), int(at)

    def next(self, step: int, longest: int = 1 << 30) -> Batch:
        """The batch of `step`, of groups no longer than `longest` tokens (the shortest class at least)."""
        allowed = [c for c in self.classes if c.width <= longest] or self.classes[:1]
        rng = np.random.default_rng((self.seed, step))
        share = np.array([c.tokens for c in allowed], np.float64)
        number = int(rng.choice(len(allowed), p=share / share.sum()))
        rows = [self.examples[int(i)] for i in self._take(number, allowed[number])]
        return assemble(rows, allowed[number].width, rng, self.lm_sample, self._position())

    def _position(self) -> list[tuple[int, int]]:
        return [(c.epoch, c.at) for c in self.classes]

    def _take(self, number: int, part: _Class) -> list[int]:
        taken: list[int] = []
        while len(taken) < part.rows:
            if part.order is None or part.order_epoch != part.epoch:
                rng = np.random.default_rng((self.seed, 1 << 32, number, part.epoch))
                part.order, part.order_epoch = rng.permutation(part.members), part.epoch
            more = part.order[part.at : part.at + part.rows - len(taken)].tolist()
            taken += more
            part.at += len(more)
            if part.at >= len(part.members):
                part.epoch, part.at = part.epoch + 1, 0
        return taken


def _classes(lengths: NDArray[np.int32], tokens: int) -> list[_Class]:
    """Groups by padded length; a class that does not fill one batch joins the next."""
    width = -(-(lengths - 1) // PAD_TO) * PAD_TO
    edges = [e for e in _edges(int(width.max(initial=0))) if e]
    out: list[_Class] = []
    low, waiting = 0, np.empty(0, np.uint32)
    for edge in edges:
        here = np.flatnonzero((width > low) & (width <= edge)).astype(np.uint32)
        low, waiting = edge, np.concatenate((waiting, here))
        rows = max(1, tokens // edge)
        if len(waiting) >= rows:
            out.append(_Class(waiting, edge, rows, int(lengths[waiting].sum())))
            waiting = np.empty(0, np.uint32)
    if len(waiting):
        edge = edges[-1]
        rows = min(len(waiting), max(1, tokens // edge))
        out.append(_Class(waiting, edge, rows, int(lengths[waiting].sum())))
    return out


def _edges(longest: int) -> list[int]:
    """Class borders: steps of about an eighth of the length, the last at `longest`."""
    edges = [PAD_TO * 2]
    while edges[-1] < longest:
        edges.append(edges[-1] + max(1, edges[-1] // 8 // PAD_TO) * PAD_TO)
    edges[-1] = min(edges[-1], max(longest, PAD_TO))
    return edges


def assemble(
    rows: Sequence[Row],
    width: int,
    rng: np.random.Generator | None = None,
    lm_sample: float = 0.0,
    position: list[tuple[int, int]] | None = None,
) -> Batch:
    """Groups as one batch of inputs [B, width]; `lm_sample` of the document tokens are chosen."""
    B = len(rows)
    ids = np.zeros((B, width + 1), np.int64)
    roles = np.full((B, width + 1), Role.CONTEXT, np.uint8)
    seen = np.zeros((4, B, width + 1), np.int32)
    candidate = np.full((B, width + 1), -1, np.int64)
    groups: list[tuple[int, int]] = []
    right: list[bool] = []
    total = branches = requests = 0
    for k, row in enumerate(rows):
        size, starts, parents = len(row.tokens), row.branches.tolist(), row.parents.tolist()
        ids[k, :size] = row.tokens
        roles[k, :size] = row.roles
        # What comes before a branch in its row is another branch: nothing foretells its first token.
        roles[k, starts] = Role.CONTEXT
        _place(starts, parents, seen[:, k])
        total += size - 1
        branches += len(starts)
        members = list(zip(starts, branch_ends(starts, parents, size), parents, strict=True))
        chosen_among = {on for start, end, on in members if (row.roles[start:end] == Role.RIVAL).any()}
        requests += len(chosen_among)
        for start, end, on in members:
            if on not in chosen_among:
                requests += 1
                continue
            candidate[k, start + 1 : end] = len(groups)
            groups.append((k, on))
            right.append(bool(row.roles[start + 1] == Role.PROGRAM))
    targets, role_of = ids[:, 1:].ravel(), roles[:, 1:].ravel()
    weight = np.zeros(targets.shape, np.float32)
    candidates = candidate[:, 1:].ravel()
    for role_, value in ROLE_WEIGHTS.items():
        weight[(role_of == role_) & (candidates < 0)] = value
    document = np.zeros(targets.shape, bool)
    if rng is not None and lm_sample > 0:
        document = (role_of == Role.DOCUMENT) & (rng.random(targets.shape, np.float32) < lm_sample)
    where = np.flatnonzero((weight > 0) | document | (candidates >= 0))
    segments = Segments.of(*seen[:, :, :-1])
    return Batch(
        ids=torch.from_numpy(np.ascontiguousarray(ids[:, :-1])),
        segments=segments if branches > B else None,
        where=torch.from_numpy(where),
        target=torch.from_numpy(targets[where]),
        weight=torch.from_numpy(weight[where]),
        document=torch.from_numpy(document[where]),
        examples=requests,
        tokens=total,
        pairs=int((segments.positions + 1).sum()),
        position=position or [],
        choices=_choices(candidates[where], groups, right) if groups else None,
    )


def _place(starts: Sequence[int], parents: Sequence[int], row: NDArray[np.int32]) -> None:
    """Write what the tokens of one row see, the parts of `Segments`, into row [4, T]: its branches begin at `starts` and continue
    what begins at `parents`. Padding behind them belongs to the last one.
    """
    own, shared, parent, parent_end = row
    page = parents[0] or starts[0]
    shared[page:] = parent[page:] = parent_end[page:] = page
    request = (0, 0)
    for start, at in zip(starts, parents, strict=True):
        if at and at != request[0]:
            own[at:start] = at
            parent[at:start] = parent_end[at:start] = page
            request = (at, start)
        own[start:] = start
        parent[start:], parent_end[start:] = request if at else (page, page)


def _choices(
    candidate: NDArray[np.int64], requests: Sequence[tuple[int, int]], right: Sequence[bool]
) -> Choices:
    """requests: what each candidate answers, as row and parent."""
    numbers = {request: k for k, request in enumerate(dict.fromkeys(requests))}
    return Choices(
        candidate=torch.from_numpy(np.where(candidate < 0, len(requests), candidate)),
        group=torch.tensor([numbers[request] for request in requests]),
        right=torch.tensor(right),
        count=len(numbers),
    )
