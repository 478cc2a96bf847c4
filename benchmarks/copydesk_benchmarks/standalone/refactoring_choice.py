"""Whether a model chooses the right one among the candidates of the refactorings, beside writing the edit freely.

    python -m copydesk_benchmarks refactoring_choice [--model mini] [--examples 4] [--most 32] [--json FILE]
        [--written CORPUS [--every 1] [--again] | --development]

Instructions are those of training, in wordings that training never sees, or with --written those in people's words that were
held out of it, or with --development those of `tests/data/instructions`; a part of them leaves nothing to do. With --again each
is asked of the text that it asks for, so that nothing is left to do; such as may be wanted once more are left out. Candidates are
judged as the engine judges them: by their descriptions, that nothing changes and that another edit is meant among them, in one
forward. Free decoding is asked without lists; phrases are off throughout.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path

import numpy as np
import torch

from copydesk.decode.coroutine import Ask, Lane
from copydesk.decode.finite_choice import Offer, described
from copydesk.decode.log_probabilities import judged
from copydesk.decode.lookahead import Tree
from copydesk.editor import Document, Editor
from copydesk.errors import CopydeskError
from copydesk.models.feed import Feed
from copydesk.models.row import SHARED
from copydesk.program import Program
from copydesk.prompting.prompt import page_tokens
from copydesk.quickfixes.handler import Candidates
from copydesk.refactorings.arguments import arguments_of
from copydesk.refactorings.candidate import Candidate
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits
from copydesk.refactorings.equivalence import meaning
from copydesk.refactorings.registry import enumerate_candidates
from copydesk.request import EditRequest
from copydesk.serving.lowering import Lowering, listed_programs
from copydesk.serving.narrowing import ANOTHER, NOTHING, offer
from copydesk.serving.plan import Plan
from copydesk.syntax.tree import parse
from copydesk.text.document import apply_edits, split_lines
from copydesk_benchmarks.instruction_records import FOLDER, Packages, Record, load_records
from copydesk_benchmarks.likeliest_choice import law_of
from copydesk_benchmarks.standalone.refactoring_recall import examples, held_out, kinds
from copydesk_training.corpus import Corpus
from copydesk_training.example import Example
from copydesk_training.wanted import Wanted
from copydesk_training.written import carried_out

WAYS = ("present", "free", "free where present", "model", "ranking", "both")
"""present: examples whose answer is among the candidates that are weighed, or that leave nothing to do. model: chosen by the
model alone. ranking: the first candidate. both: as the engine chooses.
"""
IDLE = ("clean_instruction", "clean_impossible", "clean_unclear")
"""Kinds of instructions that leave nothing to do; four times as many examples as of the others."""
LEVELS = (0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95)


@dataclass(frozen=True, slots=True)
class Choice:
    """The candidates of one example, the last two that nothing changes and that another edit is meant: the model's judgements
    (log probabilities), the priors of the ranking, both together, and which are right. same: for each candidate the first that
    comes to the same.
    """

    kind: str
    instruction: str
    titles: list[str]
    likelihoods: list[float]
    priors: list[float]
    both: list[float]
    right: list[bool]
    same: list[int]

    @property
    def place(self) -> int:
        """The likeliest by both."""
        return int(np.argmax(self.both))


CHOICES: list[Choice] = []


@dataclass(frozen=True, slots=True)
class Question:
    """A request about a text, whether it leaves nothing to do, and whether edits of its lines, or a text, do what it asks for."""

    request: EditRequest
    before: str
    idle: bool
    made_by: Callable[[Edits], bool]
    makes: Callable[[str], bool]

    @classmethod
    def of_example(cls, example: Example) -> Question:
        """Where the text that is wanted is known."""
        idle = example.before == example.after
        wanted = Wanted.of(example)
        return cls(example.request, example.before, idle, wanted.made_by, lambda text: text == example.after)

    @classmethod
    def of_record(cls, record: Record, before: str) -> Question:
        """Where a check says what is right."""

        def makes(after: str) -> bool:
            return record.check.accepts(before, record.lines, after)

        def made_by(edits: Edits) -> bool:
            lines = split_lines(before)
            for edit in reversed(edits):
                lines[edit.first - 1 : edit.last] = [edit.text]
            return makes("".join(lines))

        request = EditRequest(scope=[record.lines], instruction=record.instruction)
        return cls(request, before, record.check.kind == "unchanged", made_by, makes)


def offers_of(editor: Editor, plan: Plan, found: Sequence[Candidate]) -> list[tuple[Candidate, Offer]]:
    """The candidates the page can say, no program and no description twice."""
    codec, cost = editor.loaded_model.codec, editor.loaded_model.cost
    assert codec is not None
    assert cost is not None
    said: dict[Program, Candidate] = {}
    tokens, lines = page_tokens(codec, plan.page), plan.snapshot.lines.lines
    lowering = Lowering(codec, cost, plan.rules, plan.page, tokens, lines, plan.scope)
    for candidate in found:
        listed = listed_programs(lowering, Candidates((candidate.edits,)))
        if listed is not None:
            said.setdefault(listed.programs[0], candidate)
    offers: dict[Program | None, Offer] = {
        program: offer(plan.page, candidate) for program, candidate in said.items()
    }
    kept = (program for program in described(codec, offers).values() if program is not None)
    return [(said[program], offers[program]) for program in kept]


def weighed(editor: Editor, plan: Plan, offers: Sequence[Offer]) -> list[float]:
    """The log probability of accepting each."""
    codec, model = editor.loaded_model.codec, editor.loaded_model.model
    assert codec is not None
    asked = plan.asked[: -len(codec.literals.program_open)]
    texts = [codec.described(one.title, one.line) for one in offers]
    tree = Tree(texts)
    row = model.new_row(len(plan.prefix) + len(asked) + len(tree) + 64)
    try:
        with torch.inference_mode():
            model.forward([Feed(row, SHARED, plan.prefix, range(len(plan.prefix)))])
            base = len(asked)
            parents = [*range(-1, base - 1), *(base + p if p >= 0 else base - 1 for p in tree.parents)]
            ask = Ask([*asked, *tree.tokens], [base + tree.index[text] for text in texts], parents)
            (logits,) = model.forward([Lane(row, 1, len(plan.prefix)).feed(ask)])
    finally:
        row.store.release()
    return [float(one) for one in judged(logits, codec.verdict)]


def measure(
    editor: Editor, kind: str, question: Question, most: int, totals: Counter[str], *, free: bool
) -> None:
    """Adds one question to the totals."""
    request, idle = replace(question.request, phrases=False), question.idle
    lines = split_lines(question.before)
    tree = parse(lines, "python")
    assert tree is not None
    assert request.scope is not None
    document = editor.open("example.py", question.before)
    try:
        totals["examples"] += 1
        written = free and _free(document, replace(request, narrow=False), question)
        totals["free"] += written
        context = RefactoringContext.of(lines, request.scope, tree)
        found = enumerate_candidates(context, arguments_of(request.instruction or ""), most)
        plan = document.plan(request)
        begin = time.perf_counter()
        said = offers_of(editor, plan, [replace(one, edits=context.original(one.edits)) for one in found])
        totals["lowering ms"] += round((time.perf_counter() - begin) * 1000)
        correct = [not idle and question.made_by(candidate.edits) for candidate, _ in said]
        totals["candidates"] += len(said)
        if said:
            begin = time.perf_counter()
            law = weighed(editor, plan, [*(told for _, told in said), NOTHING, ANOTHER])
            totals["choosing ms"] += round((time.perf_counter() - begin) * 1000)
            titles = [candidate.title for candidate, _ in said]
            right = [*correct, idle, not idle and not any(correct)]
            priors = [*(candidate.score for candidate, _ in said), NOTHING.prior, ANOTHER.prior]
            both = law_of(law, priors, editor.loaded_model.choice).tolist()
            meanings = [meaning(context, candidate.edits) for candidate, _ in said]
            same = [meanings.index(one) for one in meanings]
            choice = Choice(kind, request.instruction or "", titles, law, priors, both, right, same)
            totals["weighed"] += 1
            if idle or any(correct):
                totals["present"] += 1
                totals["free where present"] += written
                totals["model"] += choice.right[int(np.argmax(law))]
                totals["ranking"] += choice.right[int(np.argmax(priors))]
                totals["both"] += choice.right[choice.place]
            CHOICES.append(choice)
    finally:
        document.close()


def coverage() -> Iterator[str]:
    """How many choices there are of at least each probability, and how many of these are right; no candidate may be."""
    yield "| probability at least | taken | right | edits among them that are right |\n|---|---|---|---|"
    for level in LEVELS:
        taken = [one for one in CHOICES if math.exp(one.both[one.place]) >= level]
        right = sum(one.right[one.place] for one in taken)
        edits = [one.right[one.place] for one in taken if one.place < len(one.titles)]
        yield (
            f"| {level} | {len(taken)} of {len(CHOICES)} | {right} ({right / max(1, len(taken)):.0%}) "
            f"| {sum(edits)} of {len(edits)} |"
        )


def _free(document: Document, request: EditRequest, question: Question) -> bool:
    result = document.edit(request)
    return question.makes(apply_edits(question.before, result.edits))


def asked(args: argparse.Namespace) -> Iterator[tuple[str, Iterable[Question]]]:
    """What the model is asked, by kind."""
    if args.development:
        packages = Packages()
        for record in load_records(FOLDER / "dev.jsonl"):
            yield record.kind, [Question.of_record(record, packages.text(record))]
    elif args.written is not None:
        for kind, those in held_out(Corpus(Path(args.written)), idle=True):
            sample = list(islice(those, 0, None, args.every))
            if args.again:
                sample = [done for one in sample if (done := carried_out(one)) is not None]
            yield kind, map(Question.of_example, sample)
    else:
        for kind in args.kinds.split(",") if args.kinds else [*kinds(), *IDLE]:
            yield kind, map(Question.of_example, examples(kind, args.examples * (4 if kind in IDLE else 1)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--model", default="mini", help="a name, directory or hub id (default: mini, the embedded model)"
    )
    parser.add_argument("--examples", type=int, default=4, help="of each kind")
    parser.add_argument("--kinds", default="", help="comma-separated; all by default")
    parser.add_argument(
        "--written", metavar="CORPUS", help="the requests written for this corpus and held out"
    )
    parser.add_argument(
        "--every", type=int, default=1, metavar="N", help="only one in N of these, of each kind"
    )
    parser.add_argument("--again", action="store_true", help="ask for what is done already")
    parser.add_argument(
        "--development", action="store_true", help="the development set of instructions in people's words"
    )
    parser.add_argument("--most", type=int, default=32, help="candidates that are weighed")
    parser.add_argument("--no-free", action="store_true", help="leave out free decoding, which takes longest")
    parser.add_argument("--json", metavar="FILE", help="write every choice, and how sure it was")
    parser.add_argument("--dtype", default="auto", help="precision of the weights")
    args = parser.parse_args()
    print(f"| kind | examples | {' | '.join(WAYS)} |\n|---|---{'|---' * len(WAYS)}|")
    every = Counter[str]()
    with Editor.load(args.model, warm=False, dtype=args.dtype) as editor:
        for kind, those in asked(args):
            totals = Counter[str]()
            for question in those:
                try:
                    measure(editor, kind, question, args.most, totals, free=not args.no_free)
                except CopydeskError as error:
                    print(f"{kind}: {error}", file=sys.stderr)
            every += totals
            cells = (str(totals[name]) for name in ("examples", *WAYS))
            print(f"| {kind} | {' | '.join(cells)} |", flush=True)
    print(f"| all | {' | '.join(str(every[name]) for name in ('examples', *WAYS))} |\n")
    print("\n".join(coverage()))
    share = every["weighed"] or 1
    print(
        f"\nCandidates {every['candidates'] / (every['examples'] or 1):.0f}, lowering "
        f"{every['lowering ms'] / (every['examples'] or 1):.0f} ms, choosing {every['choosing ms'] / share:.0f} ms."
    )
    if args.json is not None:
        Path(args.json).write_text(json.dumps([asdict(one) for one in CHOICES]), encoding="utf-8")
    return 0
