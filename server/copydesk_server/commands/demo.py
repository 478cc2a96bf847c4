"""`copydesk demo`: watch an edit being decoded, op by op, and see what it cost.

With a model, its own choices are shown. Without one the choices are those of the oracle's program, while every forward pass runs
for real on random weights: what is shown then is the machinery, not a model's judgement, and the demo says so.
"""

from __future__ import annotations

import argparse
import sys
import time

from rich.console import Console

from copydesk.document import Position, split_lines
from copydesk.editor import Editor
from copydesk.request import Diagnostic, EditRequest
from copydesk.results import EditResult, Hunk, Retraction
from copydesk_server.program_view import show

BEFORE = '''\
"""Temperatures of the day, by hour."""

import csv
import json


def read(path):
    with open(path) as file:
        rows = list(csv.reader(file))
    return [float(row[1]) for row in rows[1:]]


def mean(values):
    total = 0
    for value in values:
        total += value
    return total / len(values)


def warmest(values, default=None):
    if default == None:
        default = 0.0
    return max(values, default=default)


def report(path):
    values = read(path)
    print("mean", mean(values))
    print("warmest", warmest(values))
'''
AFTER = BEFORE.replace("if default == None:", "if default is None:")


def run(args: argparse.Namespace) -> int:
    """Decode one fix and draw it. Raises CopydeskError where the model cannot be loaded."""
    console = Console(file=sys.stdout, highlight=False, markup=False, emoji=False)
    line = next(n for n, text in enumerate(split_lines(BEFORE)) if "== None" in text)
    diagnostic = Diagnostic(
        Position(line, 18),
        Position(line, 22),
        "Comparison to `None` should be `cond is None`",
        "E711",
        "ruff",
    )
    request = EditRequest(diagnostics=[diagnostic], seed=args.seed)
    editor, scripted = _editor(args, request)
    with editor:
        document = editor.open("temperatures.py", BEFORE)
        while editor.warm_step():
            pass
        console.print(f"{line + 1}: {diagnostic.message} [{diagnostic.code}]", soft_wrap=True)
        console.print(
            f"model: {editor.toolkit.model.name}" + (" (choices scripted by the oracle)" if scripted else "")
        )
        started = time.perf_counter()
        for event in document.stream(request):
            at = f"{(time.perf_counter() - started) * 1e3:6.1f} ms"
            if isinstance(event, Hunk):
                for edit in event.edits:
                    place = f"{edit.start.line + 1}:{edit.start.character + 1}"
                    console.print(f"{at}  hunk at {place}: {edit.new_text!r}")
            elif isinstance(event, Retraction):
                console.print(f"{at}  retracted: {event.reason}")
            elif isinstance(event, EditResult):
                console.print(f"{at}  {event.status}" + (f": {event.reason}" if event.reason else ""))
                _report(console, event)
                return 0 if event.status in ("edited", "unchanged") else 1
    return 1


def _report(console: Console, result: EditResult) -> None:
    if result.program is not None:
        console.print()
        console.print(str(result.program), end="")
        console.print()
        show(result.program, result.before, console)
    counts = result.counts
    console.print(
        f"{counts.forwards} forward passes: {counts.generated} tokens generated, {counts.drafted} from drafts, "
        f"{counts.copied} copied in parallel, {counts.forced} forced; {counts.covered} tokens of the result are copies"
    )


def _editor(args: argparse.Namespace, request: EditRequest) -> tuple[Editor, bool]:
    """An editor on the model asked for or shipped; without one, on random weights and scripted choices."""
    from copydesk.toolkit import EMBEDDED, Toolkit

    if args.model is not None or (EMBEDDED / "config.json").is_file():
        return Editor.load(args.model, args.device, dtype=args.dtype, warm=False), False
    from transformers import Qwen2Config

    from copydesk.codec import special_tokens
    from copydesk.format import EditFormat
    from copydesk.models.random_weights import random_model
    from copydesk.models.replay import ReplayModel
    from copydesk.oracle import oracle_program
    from copydesk.plan import script_of
    from copydesk.vocabulary import ByteVocabulary

    vocabulary = ByteVocabulary(special_tokens(127))
    config = Qwen2Config(
        vocab_size=vocabulary.size, hidden_size=256, intermediate_size=768, num_hidden_layers=6,
        num_attention_heads=4, num_key_value_heads=4, max_position_embeddings=8192, tie_word_embeddings=True,
    )  # fmt: skip
    model = ReplayModel(random_model(config, name="random Qwen2, 5M parameters, one token per byte"))
    editor = Editor(Toolkit.of(model, EditFormat(), vocabulary), warm=False)
    with_scope = editor.open("temperatures.py", BEFORE)
    model.scripts[1] = script_of(editor.toolkit, with_scope.plan(request), oracle_program(BEFORE, AFTER))
    with_scope.close()
    return editor, True
