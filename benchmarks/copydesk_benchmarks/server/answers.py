"""The steps `selector` and `quality`: what the model says when nothing is scripted."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from copydesk.editor import Editor
from copydesk.models.installed import BUILT_IN
from copydesk_benchmarks import cases, plots, quality, selector
from copydesk_benchmarks.report import Report
from copydesk_benchmarks.server.bench import Bench, data_folder
from copydesk_server.ruff import Ruff
from copydesk_server.verification import judge_all
from copydesk_training.evaluation import humaneval
from copydesk_training.evaluation.judge import judge
from copydesk_training.example import Example
from copydesk_training.records import read_held_out


def run_selector(bench: Bench) -> Report:
    """Spans chosen by two laws."""
    args, size = bench.args, bench.size
    folder = data_folder(args)
    given = cases.human_eval_fix(folder, "python", None)
    examples = selector.injected([case.after for case in given], size.prompts, args.seed, narrow=False)
    tasks = list(humaneval.tasks(folder / "humanevalpack_python.jsonl"))[: size.prompts // 2]
    report = bench.report("selector", "Spans chosen as a whole, and token by token", examples=len(examples))
    with _editor(bench) as editor:
        report.setting["model"] = editor.loaded_model.model.name
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


def run_quality(bench: Bench) -> Report:
    """Held-out examples and HumanEvalFix."""
    args, size = bench.args, bench.size
    folder = data_folder(args)
    ruff = Ruff.find()

    def verify(example: Example, text: str) -> bool:
        asked = example.request.diagnostics
        said = judge_all(example.before, text, asked, language="python", path=None, ruff=ruff)
        return said.verdict in ("confirmed", "checked")

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
    with _editor(bench) as editor:
        report.setting["model"] = editor.loaded_model.model.name
        bench.say(f"quality: {len(examples)} examples")
        report.tables.append(quality.held_out_table(title, list(judge(editor, examples, verify)), note))
        path = folder / "humanevalpack_python.jsonl"
        report.tables.append(quality.human_eval_fix(editor, path, size.cases, bench.say))
    return report


def _editor(bench: Bench) -> Editor:
    """The engine over the model named by --model, or the embedded one."""
    args = bench.args
    return Editor.load(args.model or BUILT_IN, str(bench.device), dtype=args.dtype, warm=False)
