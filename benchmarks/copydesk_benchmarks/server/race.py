"""The step `edit`: one edit by every way there is. The report is written after each length, so that a run that is stopped
leaves what it found."""

from __future__ import annotations

from copydesk_benchmarks import edit, edit_tables, kernel
from copydesk_benchmarks.report import Report
from copydesk_benchmarks.server.bench import Bench


def run(bench: Bench) -> Report:
    """The race at every length."""
    shape = bench.args.shape[0] if bench.args.shape else None
    model, size = bench.subject(shape), bench.size
    report = bench.report(
        "edit", "The race: one edit, by every way there is",
        model=model.name, precision=str(model.dtype).removeprefix("torch."), batch=1,
    )  # fmt: skip
    speeds = kernel.measure(
        model, size.spans, prefix=size.page_prefix, steps=size.steps, rounds=3, seed=bench.args.seed
    )
    race = edit.Race(model, model.loaded_model(), size.limits)
    try:
        for lines in sorted(bench.args.lines or size.lengths):
            race.run(lines, size.rivals, size.edits, bench.say)
            edit_tables.fill(report, race, speeds, bench.out)
            report.save(bench.out)
    finally:
        race.close()
    return report
