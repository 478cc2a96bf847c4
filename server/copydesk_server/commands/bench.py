"""`copydesk bench`: every figure copydesk states, by one command, as JSON, Markdown and pictures in a folder.

Puts the measurements of `copydesk.bench` in order and says how far they are. Thread counts are set before anything is loaded.
"""

from __future__ import annotations

import argparse
import gc
import os
import time
from collections import Counter
from collections.abc import Callable
from datetime import date
from itertools import islice
from pathlib import Path

import torch
from rich.console import Console

from copydesk.bench import (
    cases,
    ceiling,
    edit,
    edit_tables,
    facts,
    kernel,
    perturbation,
    plots,
    quality,
    selector,
    serve,
    subject,
)
from copydesk.bench.report import Report, Value, read_table
from copydesk.bench.script import ScriptedModel
from copydesk.bench.sizes import SIZES, Size
from copydesk.codec_cost import CodecCost
from copydesk.editor import Editor
from copydesk.errors import CopydeskError
from copydesk.training import humaneval
from copydesk.training.evaluate import judge
from copydesk.training.example import Example
from copydesk.training.records import read_held_out
from copydesk_server.judge import judge_all
from copydesk_server.ruff import Ruff

DATA = "COPYDESK_EVAL_DATA"
"""Names the folder of the HumanEvalPack files where --data does not."""
ALL = ("kernel", "ceiling", "perturbation", "edit", "selector", "serve", "quality")


class Bench:
    """One run of the command: where results go, how large it is, and the models loaded so far."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.size: Size = SIZES[args.size]
        self.out = Path(args.out)
        self.device = torch.device("cuda" if _on_cuda(args.device) else "cpu")
        self.console = Console(stderr=True, quiet=args.quiet, highlight=False)
        self._loaded: dict[str, subject.Subject] = {}

    def subject(self, shape: str | None) -> subject.Subject:
        """The model of a shape, or the one named by --model. One at a time: two of 7B need not fit."""
        key = shape or "model"
        if key not in self._loaded:
            self._loaded.clear()
            self.say(f"loading {shape or self.args.model or 'the embedded model'}")
            args = self.args
            if shape is not None:
                dtype = "bf16" if args.dtype == "auto" else args.dtype
                self._loaded[key] = subject.random(
                    shape, device=str(self.device), dtype=dtype, seed=args.seed
                )
            else:
                place = Path(args.model) if args.model is not None else None
                self._loaded[key] = subject.load(place, device=str(self.device), dtype=args.dtype)
        return self._loaded[key]

    def editor(self) -> Editor:
        """The engine over the model named by --model, with nothing scripted."""
        args = self.args
        return Editor.load(args.model, str(self.device), dtype=args.dtype, warm=False)

    def release(self) -> None:
        """Let go of the model, where another comes."""
        if len(self.args.shape or ()) > 1:
            self._loaded.clear()
            gc.collect()
            if self.device.type == "cuda":
                torch.cuda.empty_cache()

    def report(self, name: str, title: str, **setting: Value) -> Report:
        return Report(
            self.stem(name),
            title,
            command_line(self.args.argv),
            date.today().isoformat(),
            facts.facts(self.device),
            {**setting, "size": self.args.size, "seed": self.args.seed},
        )

    def stem(self, name: str) -> str:
        """What the files of a benchmark are called."""
        tag = f"-{self.args.tag}" if self.args.tag else ""
        return f"{name}-{self.device.type}{tag}"

    def say(self, what: str) -> None:
        self.console.print(what, style="dim")


def run(args: argparse.Namespace) -> int:
    """Run what was asked for. 1 where a target was missed. Raises CopydeskError, OSError."""
    torch.set_num_threads(args.threads or facts.default_threads())
    bench = Bench(args)
    missed = 0
    out = Console(soft_wrap=True, highlight=False, markup=False, emoji=False)
    for what in ALL if args.what == "all" else (args.what,):
        started = time.perf_counter()
        report = WORK[what](bench)
        path = report.save(bench.out)
        out.print(report.markdown())
        missed += sum(target.met is False for target in report.targets)
        bench.say(f"{what}: {time.perf_counter() - started:.0f} s, {path}")
    return 1 if missed else 0


def _kernel(bench: Bench) -> Report:
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


def _edit(bench: Bench) -> Report:
    shape = bench.args.shape[0] if bench.args.shape else None
    model, size = bench.subject(shape), bench.size
    report = bench.report(
        "edit", "The race: one edit, by every way there is",
        model=model.name, precision=str(model.dtype).removeprefix("torch."), batch=1,
    )  # fmt: skip
    speeds = kernel.measure(
        model, size.spans, prefix=size.page_prefix, steps=size.steps, rounds=3, seed=bench.args.seed
    )
    race = edit.Race(model, model.toolkit(), size.limits)
    try:
        for lines in bench.args.lines or size.lengths:
            race.run(lines, size.rivals, size.edits, bench.say)
        edit_tables.fill(report, race, speeds, bench.out)
    finally:
        race.close()
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


def _ceiling(bench: Bench) -> Report:
    args, size = bench.args, bench.size
    shape = args.shape[0] if args.shape else None
    model = bench.subject(shape)
    codec = model.toolkit().codec
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


def _perturbation(bench: Bench) -> Report:
    args, size = bench.args, bench.size
    codec = bench.subject(args.shape[0] if args.shape else None).toolkit().codec
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


def _selector(bench: Bench) -> Report:
    args, size = bench.args, bench.size
    folder = data_folder(args)
    given = cases.human_eval_fix(folder, "python", None)
    examples = selector.injected([case.after for case in given], size.prompts, args.seed, narrow=False)
    tasks = list(humaneval.tasks(folder / "humanevalpack_python.jsonl"))[: size.prompts // 2]
    report = bench.report("selector", "Spans chosen as a whole, and token by token", examples=len(examples))
    with bench.editor() as editor:
        report.setting["model"] = editor.toolkit.model.name
        ways = []
        for candidates in selector.CANDIDATES:
            for token_by_token, name in ((False, "as a whole, exactly"), (True, "token by token")):
                bench.say(f"selector: {name}, candidates {candidates}")
                ways.append(
                    selector.measure(
                        editor, examples, candidates=candidates, token_by_token=token_by_token, name=name
                    )
                )
        report.tables.append(selector.choice_table("How spans are chosen", ways))
        bench.say("selector: HumanEvalFix")
        bugs = selector.measure(
            editor, [task.example for task in tasks], candidates=1, token_by_token=False, name=""
        )
    gaps = {"defects with a diagnostic": ways[0].gaps, "HumanEvalFix, Python": bugs.gaps}
    report.tables.append(selector.gap_table(gaps))
    drawn = plots.lines(
        bench.out / f"{report.name}.png", selector.series(gaps),
        title="Local masking against the exact law", x="share of choices", y="total variation, at most",
    )  # fmt: skip
    report.plots += [drawn] if drawn else []
    return report


def _serve(bench: Bench) -> Report:
    size = bench.size
    model = bench.subject(bench.args.shape[0] if bench.args.shape else None)
    report = bench.report(
        "serve", "Many requests at once", model=model.name, precision=str(model.dtype).removeprefix("torch.")
    )
    series: dict[str, list[tuple[float, float]]] = {}
    for make, name in ((serve.on_one, "one document"), (serve.on_many, "many documents")):
        found: dict[int, tuple[list[serve.Served], list[serve.Served]]] = {}
        for count in size.together:
            bench.say(f"serve: {count} on {name}")
            toolkit = model.toolkit()
            scripted = toolkit.model = ScriptedModel(model.model)
            with Editor(toolkit, warm=False) as editor:
                asked = make(editor, count)
                serve.prepare(editor, scripted, asked)
                rounds = [
                    (serve.packed(editor, scripted, asked), serve.sequential(editor, scripted, asked))
                    for _ in range(size.serve_rounds)
                ]
            found[count] = [a for a, _ in rounds], [b for _, b in rounds]
        report.tables.append(serve.table(f"Requests at once, {name}", found))
        series |= serve.series(name, found)
    drawn = plots.lines(
        bench.out / f"{report.name}.png", series, title=f"Throughput, {model.name}", x="requests at once",
        y="requests a second", log_x=True,
    )  # fmt: skip
    report.plots += [drawn] if drawn else []
    return report


def _quality(bench: Bench) -> Report:
    args, size = bench.args, bench.size
    folder = data_folder(args)
    ruff = Ruff.find()

    def verify(example: Example, text: str) -> bool:
        asked = example.request.diagnostics
        said = judge_all(example.before, text, asked, language="python", path=None, ruff=ruff)
        return said.verdict == "verified"

    if args.examples is not None:
        title, note = "Held-out examples", "Held-out packages, which the model never saw."
        seen: Counter[str] = Counter()
        examples = []
        for row in read_held_out(Path(args.examples)):
            seen[row.example.kind] += 1
            if seen[row.example.kind] <= size.held_out:
                examples.append(row.example)
    else:
        title = "Defects put into HumanEvalPack's solutions"
        note = "Kinds of defects in turn, each put into a solution that the model never saw; no shards were given."
        texts = [case.after for case in cases.human_eval_fix(folder, "python")]
        examples = selector.injected(texts, 40 * size.held_out, args.seed, narrow=True)
    report = bench.report("quality", "How often the model is right", examples=len(examples))
    with bench.editor() as editor:
        report.setting["model"] = editor.toolkit.model.name
        bench.say(f"quality: {len(examples)} examples")
        report.tables.append(quality.held_out_table(title, list(judge(editor, examples, verify)), note))
        path = folder / "humanevalpack_python.jsonl"
        report.tables.append(quality.human_eval_fix(editor, path, size.cases, bench.say))
    return report


WORK: dict[str, Callable[[Bench], Report]] = {
    "kernel": _kernel,
    "ceiling": _ceiling,
    "perturbation": _perturbation,
    "edit": _edit,
    "selector": _selector,
    "serve": _serve,
    "quality": _quality,
}


def data_folder(args: argparse.Namespace) -> Path:
    """Where the HumanEvalPack files are. Raises CopydeskError where nobody says."""
    named = args.data or os.environ.get(DATA)
    if named is None:
        raise CopydeskError(f"name the folder of the HumanEvalPack files with --data or {DATA}")
    return Path(named)


def command_line(argv: list[str]) -> str:
    """The command as a reader would type it: what names this machine's folders is left as the name of what it is."""
    words = ["copydesk"]
    for word in argv:
        name, joined, value = word.partition("=")
        if joined and os.sep in value:
            words.append(f"{name}={name.lstrip('-').upper()}")
        elif os.sep in word:
            words.append(words[-1].lstrip("-").upper())
        else:
            words.append(word)
    return " ".join(words)


def _on_cuda(device: str) -> bool:
    if device == "cuda" and not torch.cuda.is_available():
        raise CopydeskError("CUDA was asked for and is not available")
    return device == "cuda" or (device == "auto" and torch.cuda.is_available())
