"""`copydesk bench fidelity`: how far the local mask would have been off, on real requests, and where that changes the result.

Instructions as people type them and findings of ruff, on released packages that no model was trained on. Each request is decoded
by the exact law and again with every choice of several tokens made under the mask, greedily both times. The report is
`fidelity-cpu.json` and `.md`, with `--tag` in their names.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np
import torch
from rich.console import Console

from copydesk.editor import Editor
from copydesk.errors import CopydeskError, RequestError
from copydesk.request import EditRequest
from copydesk.results import EditResult
from copydesk_benchmarks import facts
from copydesk_benchmarks.instruction_records import FOLDER, Packages, Record, load_records
from copydesk_benchmarks.report import Table, Value
from copydesk_benchmarks.selector import watched
from copydesk_benchmarks.server.bench import Bench
from copydesk_server.ruff import Ruff
from copydesk_training.statistics import Share

SELECT = "E,F,W,B,C4,RET,SIM,UP,PLR1,PLW"
REQUESTS = 500
A_FILE = 12
"""Findings of one file at most."""
NARROWED = "narrowed to candidates"
FREE = "written by the model"


@dataclass(frozen=True, slots=True)
class Measured:
    """One request. off: total variation, the most of any choice; None where nothing could differ. other: whether the mask alone
    would have made another text.
    """

    kind: str
    off: float | None
    other: bool


def run(args: argparse.Namespace) -> int:
    """Exit code. Raises CopydeskError, OSError."""
    ruff = Ruff.find()
    if ruff is None:
        raise RequestError("ruff is not there")
    console = Console(stderr=True, quiet=args.quiet, highlight=False, markup=False)
    threads = args.threads or facts.default_threads()
    torch.set_num_threads(threads)
    records, packages = load_records(FOLDER / "dev.jsonl"), Packages()
    asked = list(requests(records, packages, ruff, args.requests or REQUESTS, args.seed))
    found: list[Measured] = []
    with Editor.load(args.model, args.device, dtype=args.dtype, warm=False) as editor:
        for number, (kind, text, request) in enumerate(asked, 1):
            found += measured(editor, kind, text, request)
            if number % 25 == 0:
                console.print(f"{number} of {len(asked)}")
        name = editor.loaded_model.model.name
    bench = Bench(args)
    report = bench.report(
        "fidelity",
        "How far the local mask would have been off",
        model=name,
        precision=args.dtype,
        threads=threads,
    )
    report.tables.append(table(found))
    report.save(bench.out)
    Console(soft_wrap=True, highlight=False, markup=False, emoji=False).print(report.markdown())
    return 0


def requests(
    records: Sequence[Record], packages: Packages, ruff: Ruff, count: int, seed: int
) -> Iterator[tuple[str, str, EditRequest]]:
    """At most `count` requests with their kinds and texts, as many of each: instructions and findings, each narrowed and not."""
    rng, texts = Random(seed), dict[str, str]()
    instructions: list[tuple[str, EditRequest]] = []
    for record in records:
        text = texts[record.file] = packages.text(record)
        instructions.append(
            (text, EditRequest(scope=[record.lines], instruction=record.instruction, phrases=False))
        )
    findings: list[tuple[str, EditRequest]] = []
    for text in texts.values():
        told = ruff.check(text, None, select=SELECT)
        some = rng.sample(told, min(A_FILE, len(told)))
        findings += [(text, EditRequest(diagnostics=[replace(one, fixes=())])) for one in some]
    for kind, given in (("instructions", instructions), ("findings", findings)):
        for narrow, how in ((True, NARROWED), (False, FREE)):
            for text, request in rng.sample(given, min(count // 4, len(given))):
                yield f"{kind}, {how}", text, replace(request, narrow=narrow)


def measured(editor: Editor, kind: str, text: str, request: EditRequest) -> Iterator[Measured]:
    """Nothing for a request that cannot be served."""
    document = editor.open("a.py", text)
    try:
        results = list[EditResult]()
        for token_by_token in (False, True):
            plan = watched(document.plan(request), [], token_by_token)
            results += [
                event for _, event in editor.run_plans([(document, plan)]) if isinstance(event, EditResult)
            ]
    except CopydeskError:
        return
    finally:
        document.close()
    exact, masked = results
    if exact.status != "failed":
        same = (exact.program, exact.status) == (masked.program, masked.status)
        yield Measured(kind, exact.mask_error, not same)


def table(found: Sequence[Measured]) -> Table:
    """By kind of request, and all together."""
    kinds = list(dict.fromkeys(one.kind for one in found))
    rows: list[tuple[Value, ...]] = []
    for name in (*kinds, "all"):
        some = [one for one in found if name in (one.kind, "all")]
        off = np.array([one.off for one in some if one.off is not None])
        figures: tuple[Value, ...] = (None,) * 4
        if off.size:
            quantiles = np.quantile(off, (0.5, 0.9, 1.0))
            figures = tuple(100 * float(value) for value in (off.mean(), *quantiles))
        rows.append(
            (name, len(some), off.size, *figures, str(Share(sum(one.other for one in some), len(some))))
        )
    return Table(
        "By kind of request",
        (
            "requests", "number", "with a choice of several tokens", "total variation, mean, %", "median, %",
            "90th percentile, %", "most, %", "another result",
        ),
        tuple(rows),
        (
            "Total variation between the exact law and the local mask, the most of any choice of a request that the engine scores"
            " as a whole; the other requests have none, and the laws are the same for them.",
            "Another result: greedily, with every such choice under the mask.",
        ),
    )  # fmt: skip
