"""`copydesk eval`: how often a model's edits are the wanted ones, asked through the engine as a person's would be.

Held-out examples come from `copydesk train shards`, HumanEvalFix from a file the caller has. Greedy decoding. `copydesk eval
curve` measures the saved models of a training run.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from itertools import combinations
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.progress import Progress

from copydesk.adapters.adapter_file import read_adapter
from copydesk.adapters.merge import merge
from copydesk.editor import CACHE_BYTES, Editor
from copydesk.errors import ModelError, TrainingError
from copydesk.models.installed import BUILT_IN
from copydesk.models.load import resolve
from copydesk.prompting.edit_format import EditFormat
from copydesk_server.commands.eval_humaneval import humaneval_section
from copydesk_server.ruff import Ruff
from copydesk_server.verification import judge_all
from copydesk_training.evaluation import curve
from copydesk_training.evaluation.curve_plot import PICTURE, draw
from copydesk_training.evaluation.groups import kinds_of
from copydesk_training.evaluation.judge import judge_all_models
from copydesk_training.evaluation.selection import select
from copydesk_training.evaluation.table import (
    GROUPS,
    compare,
    exact_shares,
    markdown,
    markdown_comparison,
    table,
)
from copydesk_training.evaluation.verdict import Verdict
from copydesk_training.example import Example
from copydesk_training.examples import page_format
from copydesk_training.statistics import Share

MODES = {"both": (True, False), "on": (True,), "off": (False,)}
EMBEDDED = "embedded"


@dataclass(slots=True)
class Subject:
    """A model that is measured, and what it has said so far. format: as the model declares it."""

    name: str
    editor: Editor
    format: EditFormat
    verdicts: list[Verdict] = field(default_factory=list)


def run(args: argparse.Namespace) -> int:
    """Print Markdown tables; with --json write every verdict too. Raises CopydeskError, OSError."""
    console = Console(stderr=True, quiet=args.quiet)
    out = Console(soft_wrap=True, highlight=False, markup=False, emoji=False)
    if args.what == "curve":
        return _curve(args, console, out)
    if args.examples is None and args.humaneval is None:
        raise TrainingError("nothing to measure: name --examples DIR, --humaneval FILE or both")
    with _loaded(args, args.model or [None]) as subjects:
        if args.json is not None:
            Path(args.json).write_text("", encoding="utf-8")
        for lines in (args.page_lines or [None]) if args.examples is not None else ():
            out.print(_held_out(args, subjects, lines, console))
        for subject in subjects:
            subject.editor.loaded_model.format = subject.format
        if args.humaneval is not None:
            editors = {subject.name: subject.editor for subject in subjects}
            out.print(humaneval_section(editors, Path(args.humaneval), _modes(args), args.together, console))
    return 0


def _held_out(
    args: argparse.Namespace, subjects: Sequence[Subject], lines: int | None, console: Console
) -> str:
    """All tables for pages of `lines` lines (None: as each model declares)."""
    for subject in subjects:
        subject.verdicts.clear()
    asked, complete = _measure(args, subjects, lines, console)
    title = f"pages of {lines} lines" if lines is not None else "pages as the model declares"
    parts: list[str] = []
    for subject in subjects:
        for narrow in _modes(args):
            found = _of_mode(subject, narrow)
            rows = [row for row in table(found) if not args.brief or row.kind in GROUPS]
            parts.append(f"## {subject.name}, {_mode(narrow)}, {title}\n\n{markdown(rows)}\n")
            parts[-1] += _footnote(found, args.together)
    sides = [(subject, narrow) for subject in subjects for narrow in _modes(args)]
    for (first, mode), (second, other) in combinations(sides, 2):
        if (first is second) == (mode == other):
            continue  # neither the same model in the same mode, nor two differences at once
        names = (_mode(mode), _mode(other)) if first is second else (first.name, second.name)
        about = first.name if first is second else _mode(mode)
        pairs = compare(_of_mode(first, mode), _of_mode(second, other))
        chosen = [row for row in pairs if not args.brief or row.kind in GROUPS]
        parts.append(
            f"## {names[0]} and {names[1]}: {about}, {title}\n\n{markdown_comparison(chosen, *names)}"
        )
    if not complete:
        counts = Counter(v.kind for v in _of_mode(subjects[0], _modes(args)[0]))
        each = [counts[kind] for kind in asked]
        parts.append(
            f"The budget of {args.minutes:g} minutes ended the run early: {min(each)} to {max(each)} examples of each kind were"
            f" measured, {sum(each)} of {sum(asked.values())}.\n"
        )
    return "\n".join(parts)


def _measure(
    args: argparse.Namespace, subjects: Sequence[Subject], lines: int | None, console: Console
) -> tuple[Counter[str], bool]:
    """Fill in the verdicts of all models. How many examples of each kind were to be asked, and whether all of them were."""
    for subject in subjects:
        if lines is not None and subject.editor.loaded_model.codec is not None:
            subject.editor.loaded_model.format = page_format(subject.format, lines)
    rounds = select(
        Path(args.examples),
        pages=[lines] if lines is not None else [subject.format.page_lines for subject in subjects],
        per_kind=args.per_kind,
        kinds=kinds_of(args.kind or (), args.group or ()),
        seed=args.seed,
        balanced=args.minutes is not None,
    )
    asked = Counter(example.kind for examples in rounds for example in examples)
    modes = _modes(args)
    answers = judge_all_models(
        [subject.editor for subject in subjects],
        rounds,
        _verifier(),
        modes=modes,
        phrases=args.phrases == "on",
        together=args.together,
        stop=_budget(args.minutes, len(args.page_lines or [None])),
    )
    label = ", ".join(subject.name for subject in subjects)
    with Progress(console=console, disable=args.quiet) as progress:
        bar = progress.add_task(label, total=sum(asked.values()) * len(subjects) * len(modes))
        for index, verdicts in answers:
            subjects[index].verdicts += verdicts
            progress.advance(bar, len(verdicts))
            if args.json is not None:
                _write(Path(args.json), subjects[index].name, lines, verdicts)
    return asked, all(len(s.verdicts) == len(modes) * sum(asked.values()) for s in subjects)


def _curve(args: argparse.Namespace, console: Console, out: Console) -> int:
    """Measure a run's saved models that are new, and the models named by --model as levels; draw the picture.

    1 where a model could not be loaded.
    """
    if args.run is None or args.examples is None:
        raise TrainingError("`copydesk eval curve` needs --run DIR and --examples DIR")
    folder = Path(args.run)
    if not folder.is_dir():
        raise TrainingError(f"no training run: {folder} is not a directory")
    lines = args.page_lines[0] if args.page_lines else None
    settings = {
        "page_lines": lines,
        "per_kind": args.per_kind,
        "seed": args.seed,
        "narrow": [curve.MODES[mode] for mode in _modes(args)],
        "kinds": sorted(kinds_of(args.kind or (), args.group or ())),
    }
    if any(row.settings != settings for row in curve.measured(folder)):
        raise TrainingError(
            f"{folder / curve.CURVE} was measured with other options: give the same, or remove the file"
        )
    names = {_name(model): model for model in args.model or [None]}
    known = {row.name for row in curve.measured(folder) if row.point is None}
    todo: list[tuple[str, str | None, curve.Point | None]] = [
        (name, model, None) for name, model in names.items() if name not in known
    ]
    todo += [(point.model, str(folder / point.model), point) for point in curve.missing(folder)]
    failed = 0
    for name, model, point in todo:
        try:
            with _loaded(args, [model]) as subjects:
                _measure(args, subjects, lines, console)
                found = subjects[0]
        except ModelError as error:  # the others can be measured all the same
            console.print(f"{name} is not measured: {error}", markup=False, style="red")
            failed = 1
            continue
        exact = {curve.MODES[mode]: exact_shares(table(_of_mode(found, mode))) for mode in _modes(args)}
        curve.append(folder / curve.CURVE, curve.Measured(name, point, settings, exact).as_dict())
        share = Share(sum(v.exact for v in found.verdicts), len(found.verdicts))
        out.print(f"{name}: exact match {share}")
    try:
        out.print(str(draw(folder, folder / PICTURE)))
    except TrainingError as error:
        console.print(f"no picture: {error}", markup=False)
    return failed


@contextmanager
def _loaded(args: argparse.Namespace, models: Sequence[str | None]) -> Iterator[list[Subject]]:
    """Editors over the models, closed at the end; on a CPU they share the cache's usual budget."""
    with ExitStack() as stack:
        subjects: list[Subject] = []
        for model in models:
            name = _name(model)
            if any(subject.name == name for subject in subjects):
                name = f"{name} ({len(subjects) + 1})"
            share = CACHE_BYTES // len(models) if len(models) > 1 else None
            editor = Editor.load(
                _directory(args, model, stack),
                args.device,
                dtype=args.dtype,
                cache_bytes=share,
                warm=False,
                forward_seconds=None,
                served_model=args.served_model,
            )
            subjects.append(Subject(name, stack.enter_context(editor), editor.loaded_model.format))
        yield subjects


def _directory(args: argparse.Namespace, model: str | None, stack: ExitStack) -> str:
    """A model as `Editor.load` takes it; an adapter file is merged with its base, for as long as the stack lasts."""
    if model is None:
        return BUILT_IN
    if not model.endswith(".safetensors"):
        return model
    folder = stack.enter_context(TemporaryDirectory(prefix="copydesk-merged-"))
    return str(merge(resolve(args.base), read_adapter(Path(model)), Path(folder)))


def _name(model: str | None) -> str:
    return EMBEDDED if model is None else Path(model).name or model


def _modes(args: argparse.Namespace) -> tuple[bool, ...]:
    return (False,) if args.no_narrow else MODES[args.narrow]


def _mode(narrow: bool) -> str:
    return "lists on" if narrow else "lists off"


def _of_mode(subject: Subject, narrow: bool) -> list[Verdict]:
    return [verdict for verdict in subject.verdicts if verdict.narrow is narrow]


def _budget(minutes: float | None, runs: int) -> Callable[[], bool]:
    """Whether the minutes are spent: an equal part of them for each of `runs`."""
    ends = None if minutes is None else time.monotonic() + 60 * minutes / runs
    return lambda: ends is not None and time.monotonic() >= ends


def _verifier() -> Callable[[Example, str], bool]:
    ruff = Ruff.find()

    def verify(example: Example, text: str) -> bool:
        asked = example.request.diagnostics
        said = judge_all(example.before, text, asked, language="python", path=None, ruff=ruff)
        return said.verdict in ("confirmed", "checked")

    return verify


def _footnote(verdicts: Sequence[Verdict], together: int) -> str:
    outside = sum(v.outside for v in verdicts)
    middle = median(v.ms for v in verdicts) if verdicts else 0.0
    return (
        f"{len(verdicts)} examples; edits outside their scope: {outside}; median {middle:.0f} ms a request on warm pages,"
        f" {together} at once. Tokens (chosen one at a time) and forwards are means, ms medians.\n"
    )


def _write(path: Path, model: str, lines: int | None, verdicts: Sequence[Verdict]) -> None:
    with path.open("a", encoding="utf-8") as file:
        for verdict in verdicts:
            file.write(json.dumps({"model": model, "page_lines": lines, **asdict(verdict)}) + "\n")
