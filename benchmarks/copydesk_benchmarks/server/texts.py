"""The steps `ceiling` and `perturbation`: what texts and right programs say by themselves, no model decoding."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from copydesk.oracle.token_cost import CodecCost
from copydesk_benchmarks import cases, ceiling, kernel, perturbation, plots, subject
from copydesk_benchmarks.report import Report, read_table
from copydesk_benchmarks.server.bench import Bench, data_folder


def run_ceiling(bench: Bench) -> Report:
    """Coverage and the bound."""
    args, size = bench.args, bench.size
    shape = args.shape[0] if args.shape else None
    model = bench.subject(shape)
    codec = model.loaded_model().codec
    assert codec is not None
    cost = CodecCost(codec)
    folder = data_folder(args)
    sets = {name: cases.human_eval_fix(folder, key, size.cases) for key, name in cases.LANGUAGES.items()}
    if args.pairs is not None:
        sets["pairs of files"] = cases.of_folder(Path(args.pairs))[: size.cases]
    if args.history is not None:
        sets["git history"] = list(islice(cases.of_history(Path(args.history)), size.cases))
    found = {name: [ceiling.measure(case, codec, cost) for case in given] for name, given in sets.items()}
    report = bench.report(
        "ceiling", "How much of an edit is copied, and what that can be worth", model=model.name
    )
    speedups = _speedups(bench, model)
    report.tables += ceiling.tables(found, speedups, model.name)
    drawn = plots.lines(
        bench.out / f"{report.name}.png", ceiling.series(found), title="Tokens that copies can supply",
        x="least length of a span, tokens", y="% of the edited text",
    )  # fmt: skip
    report.plots += [drawn] if drawn else []
    return report


def run_perturbation(bench: Bench) -> Report:
    """Exact match under span noise."""
    args, size = bench.args, bench.size
    codec = bench.subject(args.shape[0] if args.shape else None).loaded_model().codec
    assert codec is not None
    cost = CodecCost(codec)
    folder = data_folder(args)
    report = bench.report("perturbation", "Programs whose spans are a little wrong", draws=size.draws)
    series: dict[str, list[tuple[float, float]]] = {}
    for key, name in cases.LANGUAGES.items():
        subjects = [
            perturbation.prepare(case, cost) for case in cases.human_eval_fix(folder, key, size.cases)
        ]
        found = perturbation.measure(subjects, draws=size.draws, seed=args.seed)
        report.tables.append(perturbation.table(name, found, len(subjects), size.draws))
        series |= perturbation.series(name, found)
    drawn = plots.lines(
        bench.out / f"{report.name}.png", series, title="Exact match of shortest programs under span noise",
        x="ε, lines", y="%",
    )  # fmt: skip
    report.plots += [drawn] if drawn else []
    return report


def _speedups(bench: Bench, model: subject.Subject) -> dict[int, float]:
    """s(N) against the model's own decode: of the kernel's results where they are there, else measured now."""
    title = kernel.title(model)
    found = read_table(bench.out, bench.stem("kernel"), title)
    if found is not None:
        at = found.columns.index(kernel.OWN)
        return {int(str(row[0])): float(str(row[at])) for row in found.rows}
    size = bench.size
    return kernel.measure(
        model, size.spans, prefix=size.prefix, steps=size.steps, rounds=3, seed=bench.args.seed
    ).speedups()
