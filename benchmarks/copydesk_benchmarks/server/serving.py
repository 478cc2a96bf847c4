"""The step `serve`: many requests at once."""

from __future__ import annotations

from copydesk.editor import Editor
from copydesk_benchmarks import plots, serve
from copydesk_benchmarks.bandwidth import copy_bandwidth
from copydesk_benchmarks.report import Report
from copydesk_benchmarks.script import ScriptedModel
from copydesk_benchmarks.server.bench import Bench


def run(bench: Bench) -> Report:
    """On one document and on many, packed and one after another."""
    size = bench.size
    model = bench.subject(bench.args.shape[0] if bench.args.shape else None)
    report = bench.report(
        "serve", "Many requests at once", model=model.name, precision=str(model.dtype).removeprefix("torch.")
    )
    limit = None if bench.device.type == "cuda" else model.weight_bytes  # as in the kernel's tables
    bandwidth = copy_bandwidth(bench.device, limit)
    series: dict[str, list[tuple[float, float]]] = {}
    for make, name in ((serve.on_one, "one document"), (serve.on_many, "many documents")):
        found: dict[int, tuple[list[serve.Served], list[serve.Served]]] = {}
        for count in size.together:
            bench.say(f"serve: {count} on {name}")
            loaded_model = model.loaded_model()
            scripted = loaded_model.model = ScriptedModel(model.model)
            with Editor(loaded_model, warm=False) as editor:
                asked = make(editor, count)
                serve.prepare(editor, scripted, asked)
                serve.packed(editor, scripted, asked)  # warms up
                rounds = [
                    (serve.packed(editor, scripted, asked), serve.sequential(editor, scripted, asked))
                    for _ in range(size.serve_rounds)
                ]
            found[count] = [a for a, _ in rounds], [b for _, b in rounds]
        report.tables.append(serve.table(f"Requests at once, {name}", found, model.weight_bytes, bandwidth))
        series |= serve.series(name, found)
    drawn = plots.lines(
        bench.out / f"{report.name}.png", series, title=f"Throughput, {model.name}", x="requests at once",
        y="requests a second", log_x=True,
    )  # fmt: skip
    report.plots += [drawn] if drawn else []
    return report
