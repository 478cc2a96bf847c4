"""How spans are chosen: as a whole by their exact law, or token by token under a mask, and by how much the two laws differ.

The same prompts, the same model; only the law of a choice of several tokens is another (arXiv 2605.07698). Knows programs and
laws; nothing of how a forward works.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from time import perf_counter

import numpy as np

from copydesk.decode.emitter import Emitter
from copydesk.decode.laws.law import total_variation
from copydesk.decode.laws.look_ahead import LOCAL, LookAhead
from copydesk.decode.token_emitter import TokenEmitter
from copydesk.editor import Document, Editor
from copydesk.errors import CopydeskError
from copydesk.grammar.trie import Floats, Trie
from copydesk.oracle import oracle_program
from copydesk.oracle.token_cost import CodecCost
from copydesk.program import Copy, Program
from copydesk.quickfixes.scope import resolve_scope
from copydesk.results import EditResult
from copydesk.serving.plan import Plan
from copydesk.text.document import split_lines
from copydesk_benchmarks.report import Table, Value
from copydesk_training.defects import KINDS, for_kind
from copydesk_training.example import Example
from copydesk_training.statistics import Share

CANDIDATES = (1, 2, 4)
TOGETHER = 8
MOST_TOKENS = 256
INSTRUCTIONS = 100
"""Ids of kinds from here on say what to do; those below are found by tools."""


def injected(texts: Sequence[str], count: int, seed: int, *, narrow: bool) -> list[Example]:
    """`count` defects, kinds in turn, each put into one of `texts`. Without `narrow` what a diagnostic says does not narrow the
    edit, and the model chooses its spans itself."""
    rng = Random(seed)
    kinds = [name for name, kind in KINDS.items() if kind.id < INSTRUCTIONS and kind.inject is not None]
    found: list[Example] = []
    tried = 0
    while len(found) < count and tried < 20 * count:
        kind = kinds[tried % len(kinds)]
        tried += 1
        try:
            example = for_kind(kind, rng.choice(texts), rng)
        except (SyntaxError, ValueError):
            continue
        if example is not None and example.before != example.after:
            found.append(replace(example, request=replace(example.request, narrow=narrow)))
    return found


class WatchedSpeaker(TokenEmitter):
    """Chooses spans by the law it is told to, and notes how far apart the two laws are where they can differ."""

    token_by_token = False
    seen: list[Gap]

    @classmethod
    def of(cls, emitter: Emitter, seen: list[Gap], *, token_by_token: bool) -> WatchedSpeaker:
        assert isinstance(emitter, TokenEmitter)
        made = cls(emitter.lane, emitter.sampler, emitter.counts, emitter.left)
        made.token_by_token, made.seen = token_by_token, seen
        return made

    def over(self, trie: Trie, edges: Floats, law: LookAhead) -> Floats:
        if law is LOCAL:
            return law.over(trie, edges)
        exact, masked = law.over(trie, edges), LOCAL.over(trie, edges)
        self.seen.append(Gap.of(trie, exact, masked))
        return masked if self.token_by_token else exact


@dataclass(frozen=True, slots=True)
class Gap:
    """One choice: how many ways there were, whether they differ in one token alone (then the laws are the same), total
    variation between the two laws, and whether their likeliest ways differ."""

    ways: int
    one_token: bool
    variation: float
    other: bool

    @classmethod
    def of(cls, trie: Trie, exact: Floats, masked: Floats) -> Gap:
        other = int(exact.argmax()) != int(masked.argmax())
        return cls(len(trie), trie.nodes == 1, total_variation(exact, masked), other)


@dataclass(slots=True)
class Way:
    """One way to choose, and what came of it over all examples."""

    name: str
    candidates: int
    total: int = 0
    exact: int = 0
    endpoints: int = 0
    right: int = 0
    spans: int = 0
    forwards: int = 0
    seconds: float = 0.0
    gaps: list[Gap] = field(default_factory=list)


def measure(
    editor: Editor, examples: Sequence[Example], *, candidates: int, token_by_token: bool, name: str
) -> Way:
    """Decode all examples one way: greedily, or the likeliest of several candidates that passes its checks."""
    way = Way(name, candidates)
    cost = CodecCost(editor.loaded_model.codec) if editor.loaded_model.codec is not None else None
    for first in range(0, len(examples), TOGETHER):
        group = examples[first : first + TOGETHER]
        started = perf_counter()
        for example, result in zip(group, _decoded(editor, group, way, token_by_token), strict=True):
            way.total += 1
            way.forwards += result.counts.forwards
            if result.program is None:
                continue
            scope = resolve_scope(
                split_lines(example.before),
                example.request,
                "python",
                editor.loaded_model.format.header_lines,
            )
            try:
                wanted = _copies(oracle_program(example.before, example.after, cost=cost, scope=scope))
                text = result.program.resolve(example.before)
            except CopydeskError:
                continue
            got = _copies(result.program)
            way.exact += text == example.after
            way.spans += got == wanted
            way.endpoints += 2 * len(wanted)
            way.right += _common_endpoints(got, wanted)
        way.seconds += perf_counter() - started
    return way


def _decoded(
    editor: Editor, group: Sequence[Example], way: Way, token_by_token: bool
) -> Iterator[EditResult]:
    documents = [editor.open("example.py", example.before) for example in group]
    plans: list[tuple[Document, Plan | CopydeskError]] = []
    for document, example in zip(documents, group, strict=True):
        request = replace(example.request, temperature=0.0, candidates=way.candidates, max_tokens=MOST_TOKENS)
        try:
            plans.append((document, watched(document.plan(request), way.gaps, token_by_token)))
        except CopydeskError as error:
            plans.append((document, error))
    results: dict[int, EditResult] = {}
    for index, event in editor.run_plans(plans):
        if isinstance(event, EditResult):
            results[index] = event
    for document in documents:
        document.close()
    yield from (results[index] for index in range(len(group)))


def watched(plan: Plan, seen: list[Gap], token_by_token: bool) -> Plan:
    """The plan with a decoder that chooses as it is told and notes in `seen` how far the laws are apart."""
    return replace(
        plan,
        begin=lambda emitter: plan.begin(WatchedSpeaker.of(emitter, seen, token_by_token=token_by_token)),
    )


def choice_table(title: str, ways: Sequence[Way]) -> Table:
    """Exact match and endpoints of every way."""
    rows: list[tuple[Value, ...]] = [
        (
            way.name, way.candidates, str(Share(way.exact, way.total)), str(Share(way.spans, way.total)),
            str(Share(way.right, way.endpoints)), way.forwards / max(1, way.total), 1e3 * way.seconds / max(1, way.total),
        )
        for way in ways
    ]  # fmt: skip
    return Table(
        title,
        ("spans chosen", "candidates", "exact match", "every span right", "endpoints right", "forwards", "ms a request"),
        tuple(rows),
        (
            "Defects of all kinds that tools find, put into HumanEvalPack's solutions, which the model never saw; diagnostics do"
            " not narrow the edit to a list here, so that every span is the model's own choice. Greedy; of several candidates,"
            f" the most probable programs, the first that passes its checks wins. {TOGETHER} requests together.",
            "Endpoints: first and last lines of the shortest program's copies that are one of the decoded program's.",
        ),
    )  # fmt: skip


def gap_table(found: Mapping[str, Sequence[Gap]]) -> Table:
    """Total variation between the two laws."""
    rows: list[tuple[Value, ...]] = []
    for name, gaps in found.items():
        free = [gap for gap in gaps if not gap.one_token]
        if not free:
            rows.append((name, len(gaps), 0, *[None] * 6))
            continue
        values = 100 * np.array([gap.variation for gap in free])
        rows.append((
            name, len(gaps), len(free), float(np.median([gap.ways for gap in free])), float(values.mean()),
            float(np.median(values)), float(np.quantile(values, 0.9)), float(values.max()),
            str(Share(sum(gap.other for gap in free), len(free))),
        ))  # fmt: skip
    return Table(
        "Local masking against the exact law",
        (
            "prompts", "choices", "of several tokens", "ways, median", "total variation, mean, %", "median, %",
            "90th percentile, %", "most, %", "another way is likeliest",
        ),
        tuple(rows),
        (
            "Every choice of a span or a line met while decoding by the exact law. Where the ways differ in one token the two"
            " laws are the same; the rest of the row is about the others. Total variation is ½ Σ |p - q|: the largest difference"
            " in the probability of any set of ways. A format of one token a line number leaves masking little to get wrong.",
        ),
    )  # fmt: skip


def series(found: Mapping[str, Sequence[Gap]]) -> dict[str, list[tuple[float, float]]]:
    """Points for a plot: the share of choices with at most so much total variation."""
    drawn: dict[str, list[tuple[float, float]]] = {}
    for name, gaps in found.items():
        values = sorted(gap.variation for gap in gaps if not gap.one_token)
        drawn[name] = [(k / len(values), value) for k, value in enumerate(values, 1)]
    return drawn


def _copies(program: Program) -> list[tuple[int, int]]:
    return [(op.start, op.end) for op in program.ops if isinstance(op, Copy)]


def _common_endpoints(got: Sequence[tuple[int, int]], wanted: Sequence[tuple[int, int]]) -> int:
    starts, ends = {start for start, _ in got}, {end for _, end in got}
    return sum(start in starts for start, _ in wanted) + sum(end in ends for _, end in wanted)
