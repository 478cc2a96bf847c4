"""Trains the ranking of candidates (`copydesk.refactorings.ranking`) on requests in people's words, and on plain instructions.

People leave much unsaid; the instructions of the generated kinds say all of it, as somebody may, too. For each request all
proposals of the refactorings are told by their features; the loss is a softmax over them, of the right ones. The table is small
and the model linear: a few passes of Adagrad take minutes. Knows no language model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
from numpy.typing import NDArray

from copydesk.errors import TrainingError
from copydesk.refactorings.arguments import arguments_of
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.ranking import Hashes, features_of, hashes, places, words_of
from copydesk.refactorings.ranking_table import BITS
from copydesk.refactorings.registry import proposals
from copydesk.syntax.tree import parse
from copydesk.text.document import split_lines
from copydesk_training import written
from copydesk_training.corpus import Corpus
from copydesk_training.defects.parsed import ParsedFile
from copydesk_training.defects.registry import KINDS, draw
from copydesk_training.example import Example
from copydesk_training.wanted import Wanted

MOST_RIVALS = 150
"""Proposals of one request that are learnt from, drawn anew for each; the right ones are always among them."""
RATE = 0.1
PASSES = 2
ORDERS = 4
"""Tables of which the mean is taken: each has met the same requests in an order of its own, and errs otherwise."""
CAREFUL = 0.3
"""What the squares of a weight's gradients start at where a table goes on learning: first steps are as small as late ones."""
PLAIN = 40
"""Generated instructions of each kind."""
SHORTEST, LONGEST = 40, 250
"""Lines of the files that these are about."""
KINDS_OF_A_FILE = 6


@dataclass(frozen=True, slots=True)
class Ranked:
    """The proposals of one request: where in the table the weights of each are. The first `right` of them are right."""

    found: list[Hashes]
    right: int

    def scores(self, table: NDArray[np.float32]) -> NDArray[np.float32]:
        """float32 [n]."""
        return np.array([table[one].sum() for one in self.found], np.float32)


def ranked(example: Example, rng: Random, most_rivals: int | None = MOST_RIVALS) -> Ranked | None:
    """A request's proposals; None where none is right."""
    lines, scope = split_lines(example.before), [*(example.request.scope or ())]
    tree = parse(lines, "python")
    if tree is None or example.request.instruction is None:
        return None
    context, arguments = RefactoringContext.of(lines, scope, tree), arguments_of(example.request.instruction)
    every = proposals(context, arguments)
    wanted = Wanted(example, lines)
    told = [wanted.made_by(context.original(one.candidate.edits)) for one in every]
    right = [one for one, is_right in zip(every, told, strict=True) if is_right]
    if not right:
        return None
    rivals = [one for one, is_right in zip(every, told, strict=True) if not is_right]
    most = len(rivals) if most_rivals is None else most_rivals
    kept = [*right, *rng.sample(rivals, min(len(rivals), most))]
    words = hashes(words_of(arguments))
    found = []
    for one in kept:
        paired, single = features_of(context, arguments, one)
        found.append(places(words, hashes(paired), hashes(single)))
    return Ranked(found, len(right))


def examples(
    corpus: Corpus, *, held_out: bool = False, only: tuple[str, ...] = (), turns: int = 2
) -> Iterator[Example]:
    """The written requests with something to do; `only`: of these files."""
    entries = written.asked_of(corpus, held_out=held_out, only=only)
    for turn in range(turns):
        for asked, example in written.examples(corpus, entries, turn, held_out=held_out, only=only):
            if asked.edits:
                yield example


def plain_examples(corpus: Corpus, rng: Random, each: int = PLAIN) -> Iterator[Example]:
    """Instructions of every kind that has something to do, on different files of the training set: fewer where they are rare."""
    kinds = [kind for kind in KINDS.values() if 100 <= kind.id < 180 and not kind.nothing_to_do]
    made = Counter[str]()
    entries = [entry for entry in corpus.of("train") if SHORTEST <= entry.lines <= LONGEST]
    rng.shuffle(entries)
    for file in corpus.read(entries[: each * len(kinds)]):
        left = [kind for kind in kinds if made[kind.name] < each]
        try:
            parsed = ParsedFile(file.text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        for kind in rng.sample(left, min(KINDS_OF_A_FILE, len(left))):
            example = draw(kind, parsed, rng)
            if example is not None and "\r" not in example.before:
                made[kind.name] += 1
                yield example


def train(
    groups: Sequence[Ranked],
    *,
    passes: int = PASSES,
    orders: int = ORDERS,
    seed: int = 0,
    start: NDArray[np.float32] | None = None,
) -> NDArray[np.float32]:
    """The table: float32 [2^BITS]. start: goes on from this one. Raises TrainingError where there is nothing to learn from."""
    if not groups:
        raise TrainingError("no request has its edit among the candidates")
    rng = np.random.default_rng(seed)
    total = np.zeros(1 << BITS, np.float32)
    for _ in range(orders):
        total += _learnt(groups, passes, rng, start)
    return total / np.float32(orders)


def _learnt(
    groups: Sequence[Ranked], passes: int, rng: np.random.Generator, start: NDArray[np.float32] | None
) -> NDArray[np.float32]:
    """The table of one order: float32 [2^BITS]."""
    table = np.zeros(1 << BITS, np.float32) if start is None else start.copy()
    squares = np.full(1 << BITS, 1e-3 if start is None else CAREFUL, np.float32)
    for _ in range(passes):
        for k in rng.permutation(len(groups)):
            group = groups[k]
            at = np.concatenate(group.found)
            ends = np.cumsum([len(one) for one in group.found])
            scores = np.add.reduceat(table[at], np.concatenate([[0], ends[:-1]]))
            chances = np.exp(scores - scores.max())
            chances /= chances.sum()
            wanted = np.where(np.arange(len(chances)) < group.right, chances, 0)
            slope = chances - wanted / max(wanted.sum(), 1e-9)
            each = np.repeat(slope, [len(one) for one in group.found]).astype(np.float32)
            where, inverse = np.unique(at, return_inverse=True)
            gradient = np.bincount(inverse, each).astype(np.float32)
            squares[where] += gradient**2
            table[where] -= RATE * gradient / np.sqrt(squares[where])
    return table


def recall(groups: Sequence[Ranked], table: NDArray[np.float32], most: int) -> float:
    """The share of requests one of whose right proposals is among the first `most`; a wrong one as good comes before it."""
    hits = 0
    for group in groups:
        scores = group.scores(table)
        ahead = (scores[group.right :] >= scores[: group.right].max()).sum()
        hits += bool(ahead < most)
    return hits / max(len(groups), 1)
