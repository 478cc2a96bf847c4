"""Whether a model chooses the right one among the candidates of the refactorings, beside writing the edit freely.

    python -m copydesk_benchmarks refactoring_choice [--model mini] [--examples 4] [--most 150]

Instructions are those of training, in wordings that training never sees. All candidates are scored as programs by one tree-mask
forward behind the request (and by one behind the same request without its instruction). Free decoding is asked without phrases.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from copydesk.decode.coroutine import Ask, Lane
from copydesk.editor import Document, Editor
from copydesk.errors import CopydeskError
from copydesk.grammar.trie import Floats, Trie
from copydesk.models.feed import Feed
from copydesk.models.row import SHARED
from copydesk.program import Program
from copydesk.prompting.prompt import page_tokens, request_tokens
from copydesk.quickfixes.handler import Candidates
from copydesk.refactorings.arguments import arguments_of
from copydesk.refactorings.candidate import Candidate
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.registry import enumerate_candidates
from copydesk.request import EditRequest
from copydesk.serving.lowering import Lowering, listed_programs
from copydesk.serving.plan import Plan
from copydesk.syntax.tree import parse
from copydesk.text.document import apply_edits, split_lines
from copydesk_benchmarks.standalone.refactoring_recall import after, examples, kinds
from copydesk_training.example import Example

LAWS = ("likelihood", "local", "likelihood - prior", "local - prior", "words", "words, local")
"""How a candidate is chosen. local: at each token among those that some candidate has there. prior: the same without the
instruction. words: the first candidate of `enumerate_candidates`, by no model. words, local: by `local` among those whose titles
have as many words of the instruction as any.
"""


CHOICES: list[tuple[str, str, bool, float]] = []
"""Of every example and law: whether the right one was chosen, and the log probability it was chosen with."""


def programs_of(editor: Editor, plan: Plan, found: Sequence[Candidate]) -> list[tuple[Candidate, Program]]:
    """The candidates the page can say, no program twice."""
    codec = editor.loaded_model.codec
    assert codec is not None
    said: dict[Program, Candidate] = {}
    tokens, lines = page_tokens(codec, plan.page), plan.snapshot.lines.lines
    lowering = Lowering(codec, plan.rules, plan.page, tokens, lines, plan.scope)
    for candidate in found:
        listed = listed_programs(lowering, Candidates((candidate.edits,)))
        if listed is not None:
            said.setdefault(listed.programs[0], candidate)
    return [(candidate, program) for program, candidate in said.items()]


def edges_of(editor: Editor, plan: Plan, trie: Trie, asked: Sequence[int]) -> Floats:
    """The model's log probability of every edge behind the page and `asked`."""
    model = editor.loaded_model.model
    row = model.new_row(len(plan.prefix) + len(asked) + len(trie.tokens) + 64)
    try:
        model.forward([Feed(row, SHARED, plan.prefix, range(len(plan.prefix)))])
        base = len(asked)
        parents = [*range(-1, base - 1), *(base + p if p >= 0 else base - 1 for p in trie.parents)]
        ask = Ask([*asked, *trie.tokens], range(base - 1, base + len(trie.tokens)), parents)
        (logits,) = model.forward([Lane(row, 1, len(plan.prefix)).feed(ask)])
    finally:
        row.store.release()
    nodes, tokens = torch.from_numpy(trie.edge_nodes), torch.from_numpy(trie.edge_tokens)
    scores = logits.double()
    found: Floats = (scores[nodes, tokens] - torch.logsumexp(scores, -1)[nodes]).cpu().numpy()
    return found


def chosen(
    editor: Editor, plan: Plan, programs: Sequence[Program], words: Sequence[int]
) -> list[tuple[int, float]]:
    """The index of the program that each of `LAWS` chooses, and how sure it is, as a log probability. words: that each title
    has of the instruction.
    """
    codec = editor.loaded_model.codec
    assert codec is not None
    lines = page_tokens(codec, plan.page).lines
    runs = []
    for program in programs:
        pieces = codec.encode_program(program, plan.page.views, lines, open_end=plan.rules.open_end)
        runs.append([token for piece in pieces for token in piece.ids])
    trie = Trie(runs)
    unasked = request_tokens(codec, plan.page, plan.page_scope, replace(plan.request, instruction=None))
    with torch.inference_mode():
        told, prior = (edges_of(editor, plan, trie, asked) for asked in (plan.asked, unasked))
    exact, local = trie.law(told), trie.local_law(told)
    best = np.where(np.asarray(words) == max(words), 0.0, -np.inf)
    laws = (
        exact, local, exact - trie.law(prior), local - trie.local_law(prior), best - np.arange(len(best)) * 1e-9, best + local,
    )  # fmt: skip
    return [(int(np.argmax(law)), float(np.max(law) - np.logaddexp.reduce(law))) for law in laws]


def measure(editor: Editor, example: Example, most: int, totals: Counter[str]) -> None:
    """Adds one example to the totals."""
    request = replace(example.request, phrases=False)
    lines = split_lines(example.before)
    tree = parse(lines, "python")
    assert tree is not None
    assert request.scope is not None
    document = editor.open("example.py", example.before)
    try:
        totals["examples"] += 1
        totals["free"] += (free := _free(document, request, example))
        context = RefactoringContext.of(lines, request.scope, tree)
        found = enumerate_candidates(context, arguments_of(request.instruction or ""), most)
        plan = document.plan(request)
        begin = time.perf_counter()
        said = programs_of(editor, plan, found)
        totals["lowering ms"] += round((time.perf_counter() - begin) * 1000)
        right = [after(example, candidate) == example.after for candidate, _ in said]
        totals["candidates"] += len(said)
        if any(right):
            totals["present"] += 1
            totals["free where present"] += free
            begin = time.perf_counter()
            given = set(re.findall(r"\w+", (request.instruction or "").lower()))
            words = [len(given & set(re.findall(r"\w+", candidate.title.lower()))) for candidate, _ in said]
            found_by = chosen(editor, plan, [program for _, program in said], words)
            totals["choosing ms"] += round((time.perf_counter() - begin) * 1000)
            for law, (place, sure) in zip(LAWS, found_by, strict=True):
                totals[law] += right[place]
                CHOICES.append((example.kind, law, right[place], sure))
    finally:
        document.close()


def _free(document: Document, request: EditRequest, example: Example) -> bool:
    result = document.edit(request)
    return apply_edits(example.before, result.edits) == example.after


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", help="a name, directory or hub id (default: the embedded model)")
    parser.add_argument("--examples", type=int, default=4, help="of each kind")
    parser.add_argument("--kinds", default="", help="comma-separated; all by default")
    parser.add_argument("--most", type=int, default=150, help="candidates that are scored")
    parser.add_argument("--json", metavar="FILE", help="write every choice, and how sure it was")
    args = parser.parse_args()
    names = ("present", "free", "free where present", *LAWS)
    print(f"| kind | examples | {' | '.join(names)} |\n|---|---{'|---' * len(names)}|")
    every = Counter[str]()
    with Editor.load(args.model, warm=False) as editor:
        for kind in args.kinds.split(",") if args.kinds else kinds():
            totals = Counter[str]()
            for example in examples(kind, args.examples):
                try:
                    measure(editor, example, args.most, totals)
                except CopydeskError as error:
                    print(f"{kind}: {error}", file=sys.stderr)
            every += totals
            cells = (str(totals[name]) for name in ("examples", *names))
            print(f"| {kind} | {' | '.join(cells)} |", flush=True)
    print(f"| all | {' | '.join(str(every[name]) for name in ('examples', *names))} |")
    share = every["present"] or 1
    print(
        f"\nCandidates {every['candidates'] / (every['examples'] or 1):.0f}, lowering "
        f"{every['lowering ms'] / (every['examples'] or 1):.0f} ms, choosing {every['choosing ms'] / share:.0f} ms."
    )
    if args.json is not None:
        Path(args.json).write_text(json.dumps(CHOICES), encoding="utf-8")
    return 0
