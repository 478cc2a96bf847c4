"""`copydesk eval`: how often a model's edits are the wanted ones, asked through the engine as a person's would be.

Held-out examples come from `copydesk train shards`, HumanEvalFix from a file the caller has. Greedy decoding.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

from rich.console import Console
from rich.progress import track

from copydesk.editor import Editor
from copydesk.training import humaneval
from copydesk.training.evaluate import Verdict, judge, markdown, table
from copydesk.training.example import Example
from copydesk.training.examples import page_format
from copydesk.training.records import read_held_out
from copydesk.training.statistics import Share
from copydesk_server.judge import judge_all
from copydesk_server.ruff import Ruff


def run(args: argparse.Namespace) -> int:
    """Print Markdown tables; with --json write every verdict too. Raises CopydeskError, OSError."""
    console = Console(stderr=True, quiet=args.quiet)
    out = Console(soft_wrap=True, highlight=False, markup=False, emoji=False)
    verdicts: list[dict[str, object]] = []
    ruff = Ruff.find()

    def verify(example: Example, text: str) -> bool:
        asked = example.request.diagnostics
        said = judge_all(example.before, text, asked, language="python", path=None, ruff=ruff)
        return said.verdict == "verified"

    with Editor.load(args.model, args.device, dtype=args.dtype, warm=False) as editor:
        served = editor.toolkit.format
        if args.examples is not None:
            for lines in args.page_lines or [served.page_lines]:
                if editor.toolkit.codec is not None and args.page_lines:
                    editor.toolkit.format = page_format(served, lines)
                examples = list(_held_out(Path(args.examples), args, lines))
                progress = track(
                    judge(editor, examples, verify), f"pages of {lines} lines", len(examples), console=console
                )
                found = list(progress)
                out.print(
                    f"## Pages of {lines} lines, {editor.toolkit.model.name}\n\n{markdown(table(found))}"
                )
                out.print(_footnote(found))
                verdicts += [{"page_lines": lines, **asdict(verdict)} for verdict in found]
        editor.toolkit.format = served
        if args.humaneval is not None:
            out.print(_humaneval(editor, Path(args.humaneval), console))
    if args.json is not None:
        Path(args.json).write_text("".join(json.dumps(row) + "\n" for row in verdicts), encoding="utf-8")
    return 0


def _held_out(folder: Path, args: argparse.Namespace, lines: int) -> Iterator[Example]:
    seen: Counter[str] = Counter()
    for row in read_held_out(folder):
        kind = row.example.kind
        wanted = not args.kind or kind in args.kind
        if wanted and lines in row.pages and seen[kind] < args.per_kind:
            seen[kind] += 1
            request = replace(row.example.request, narrow=not args.no_narrow)
            yield replace(row.example, request=request)


def _footnote(verdicts: list[Verdict]) -> str:
    clean = [v for v in verdicts if v.kind.startswith("clean")]
    untouched = Share(sum(v.exact for v in clean), len(clean))
    times = sorted(v.ms for v in verdicts)
    middle = times[len(times) // 2] if times else 0.0
    outside = sum(v.outside for v in verdicts)
    return (
        f"{len(verdicts)} examples; clean code untouched {untouched}; edits outside their scope: {outside}; "
        f"median {middle:.0f} ms a request (cold, several at once)\n"
    )


def _humaneval(editor: Editor, path: Path, console: Console) -> str:
    tasks = list(humaneval.tasks(path))
    exact = passed = 0
    for task in track(tasks, "HumanEvalFix", console=console):
        document = editor.open("solution.py", task.example.before)
        result = document.edit(replace(task.example.request, max_tokens=512))
        text = result.text
        exact += text == task.example.after
        passed += humaneval.passes(task, text)
        document.close()
    total = len(tasks)
    return f"## HumanEvalFix, Python\n\nexact match {Share(exact, total)}; pass@1 {Share(passed, total)}\n"
