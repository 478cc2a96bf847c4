"""Many requests at once: packed into shared forwards, or one after another.

On one document, whose pages requests share, and on many. All pages are warm and every answer is scripted over real forwards, so
that both ways do the same work and must end with the same texts. Knows requests and times; nothing of packing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median
from time import perf_counter

from copydesk.editor import Document, Editor
from copydesk.errors import CopydeskError
from copydesk.oracle import oracle_program
from copydesk.oracle.token_cost import CodecCost
from copydesk.request import EditRequest
from copydesk.results import EditResult
from copydesk.serving.plan import script_of
from copydesk.text.document import split_lines
from copydesk_benchmarks.documents import EDITS, TARGET, surroundings
from copydesk_benchmarks.report import Table, Value
from copydesk_benchmarks.script import ScriptedModel

LINES = 100
"""Of each of many documents."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One request on an open document, and what it must end with."""

    document: Document
    request: EditRequest
    after: str


@dataclass(frozen=True, slots=True)
class Served:
    """One round. latencies: seconds from the moment all requests were there to each one's result."""

    seconds: float
    latencies: tuple[float, ...]
    forwards: int


def on_one(editor: Editor, count: int) -> list[Asked]:
    """`count` edits of one document, each in a function of its own."""
    parts = [TARGET.replace("summarise", f"summarise_{k}") for k in range(count)]
    document = editor.open("one.py", "\n\n".join(parts))
    size = len(split_lines(TARGET)) + 2
    names = list(EDITS)
    asked = []
    for k in range(count):
        changed = [*parts]
        instruction, request = _changed(names[k % len(names)], k * size + 1)
        for old, new in EDITS[names[k % len(names)]][1]:
            changed[k] = changed[k].replace(old, new, 1)
        asked.append(
            Asked(document, replace(request, instruction=f"{instruction}, {k}"), "\n\n".join(changed))
        )
    return asked


def on_many(editor: Editor, count: int) -> list[Asked]:
    """`count` documents, one edit each."""
    head, tail = surroundings(LINES)
    names = list(EDITS)
    asked = []
    for k in range(count):
        own = f"# document {k}\n"
        after = TARGET
        for old, new in EDITS[names[k % len(names)]][1]:
            after = after.replace(old, new, 1)
        instruction, request = _changed(names[k % len(names)], len(split_lines(own + head)) + 1)
        document = editor.open(f"{k}.py", own + head + TARGET + tail)
        asked.append(
            Asked(document, replace(request, instruction=f"{instruction}, {k}"), own + head + after + tail)
        )
    return asked


def prepare(editor: Editor, scripted: ScriptedModel, asked: Sequence[Asked]) -> None:
    """Warm every page, and put the answers into the model's mouth."""
    codec = editor.loaded_model.codec
    assert codec is not None
    cost = CodecCost(codec)
    for one in asked:
        assert one.request.scope is not None
        program = oracle_program(one.document.text, one.after, cost=cost, scope=one.request.scope)
        plan = one.document.plan(one.request)
        scripted.say(plan.asked, script_of(editor.loaded_model, plan, program))
        one.document.edit(one.request)  # warms the page it is on


def packed(editor: Editor, scripted: ScriptedModel, asked: Sequence[Asked]) -> Served:
    """All together."""
    before, started = scripted.calls, perf_counter()
    latencies: dict[int, float] = {}
    for index, event in editor.edit_all([(one.document, one.request) for one in asked]):
        if isinstance(event, EditResult):
            latencies[index] = perf_counter() - started
            _check(event, asked[index])
    taken = tuple(latencies[index] for index in range(len(asked)))
    return Served(perf_counter() - started, taken, scripted.calls - before)


def sequential(_: Editor, scripted: ScriptedModel, asked: Sequence[Asked]) -> Served:
    """One after another."""
    before, started = scripted.calls, perf_counter()
    latencies = []
    for one in asked:
        _check(one.document.edit(one.request), one)
        latencies.append(perf_counter() - started)
    return Served(perf_counter() - started, tuple(latencies), scripted.calls - before)


def table(
    title: str, found: dict[int, tuple[list[Served], list[Served]]], weight_bytes: int, bandwidth: float
) -> Table:
    """Throughput and latency by requests at once; `found` has the rounds of both ways. bandwidth: bytes a second."""
    rows: list[tuple[Value, ...]] = []
    for count, (together, apart) in found.items():
        best, alone = _middle(together), _middle(apart)
        rows.append((
            count, 1e3 * best.seconds, count / best.seconds, 1e3 * median(best.latencies), 1e3 * max(best.latencies),
            best.forwards, 1e3 * alone.seconds, count / alone.seconds, 1e3 * median(alone.latencies), alone.forwards,
            alone.seconds / best.seconds,
            100 * best.forwards * weight_bytes / best.seconds / bandwidth,
            100 * alone.forwards * weight_bytes / alone.seconds / bandwidth,
        ))  # fmt: skip
    return Table(
        title,
        (
            "requests", "packed ms", "packed a second", "latency ms, median", "longest", "forwards",
            "sequential ms", "sequential a second", "sequential latency ms, median", "sequential forwards", "packed is faster, ×",
            "share of bandwidth, packed, %", "sequential, %",
        ),
        tuple(rows),
        (
            "Median of the rounds. All requests are there at the start; latency is from then to a request's own result. Warm"
            " pages; every answer is scripted over real forwards and checked byte for byte, both ways.",
            "Share of bandwidth: bytes of weights that the forwards read over the time, of what a copy of as many bytes reaches"
            f" ({bandwidth / 1e9:.1f} GB/s). Packing reads them fewer times, so its share falls as it gets faster.",
        ),
    )  # fmt: skip


def series(
    name: str, found: dict[int, tuple[list[Served], list[Served]]]
) -> dict[str, list[tuple[float, float]]]:
    """Points for a plot of throughput."""
    return {
        f"{name}, packed": [(n, n / _middle(together).seconds) for n, (together, _) in found.items()],
        f"{name}, sequential": [(n, n / _middle(apart).seconds) for n, (_, apart) in found.items()],
    }


def _changed(name: str, first: int) -> tuple[str, EditRequest]:
    instruction = EDITS[name][0]
    return instruction, EditRequest(scope=[(first, first + len(split_lines(TARGET)) - 1)], narrow=False)


def _check(result: EditResult, one: Asked) -> None:
    if result.status != "edited" or result.text != one.after:
        raise CopydeskError(f"a request did not end with its gold text: {result.status}, {result.reason}")


def _middle(rounds: Sequence[Served]) -> Served:
    return sorted(rounds, key=lambda served: served.seconds)[len(rounds) // 2]
