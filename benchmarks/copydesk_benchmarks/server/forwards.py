"""The step `kernel`: forwards alone, of one model or several shapes."""

from __future__ import annotations

from copydesk_benchmarks import kernel, plots
from copydesk_benchmarks.report import Report
from copydesk_benchmarks.server.bench import Bench


def run(bench: Bench) -> Report:
    """s(N) and a decode step of every shape asked for."""
    shapes: list[str | None] = list(bench.args.shape or [None])
    report = bench.report("kernel", "One parallel forward against N decode steps")
    series: dict[str, list[tuple[float, float]]] = {}
    size = bench.size
    for shape in shapes:
        model = bench.subject(shape)
        bench.say(f"kernel: {model.name}")
        found = kernel.measure(
            model, size.spans, prefix=size.prefix, steps=size.steps, rounds=size.kernel_rounds, seed=bench.args.seed
        )  # fmt: skip
        kernel.fill(report, model, found)
        series |= kernel.series(model, found)
        report.setting["precision"] = str(model.dtype).removeprefix("torch.")
        bench.release()
    drawn = plots.lines(
        bench.out / f"{report.name}.png", series, title="s(N) = N decode steps / one forward over N tokens",
        x="N", y="s(N)", log_x=True, log_y=True,
    )  # fmt: skip
    report.plots += [drawn] if drawn else []
    return report
