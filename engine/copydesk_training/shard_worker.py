"""The work behind one shard: files, their defects, the engine, a file of tokens. Knows nothing of who else works."""

from __future__ import annotations

import hashlib
import os
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from time import perf_counter
from typing import get_args

from copydesk.prompting.codec import Codec
from copydesk.prompting.edit_format import EditFormat
from copydesk.prompting.vocabulary import HFVocabulary
from copydesk_training import defects, function_bugs, pairs, written
from copydesk_training.balance import Balance
from copydesk_training.choices import ChoiceRenderer, choice_examples
from copydesk_training.composite import composites
from copydesk_training.corpus import Corpus, SourceFile
from copydesk_training.defects.asks import HeldOutRandom
from copydesk_training.example import Example
from copydesk_training.examples import Rendered
from copydesk_training.excerpts import excerpts
from copydesk_training.records import HeldOut, write_held_out
from copydesk_training.shard_file import write_shard
from copydesk_training.shard_plan import Settings, ShardRecord, Task

CHOICES_PER_EXCERPT = 10
"""Instructions that are tried on an excerpt; two thirds have a page and rivals."""
REAL_CHOICES = 2
"""How often a pass shows each of people's own edits as a choice."""
WORDINGS = 2
"""Of a written request that are learnt from."""
_PER_FILE = 4
_HELDOUT_DENSITY = 0.15
_MOST_HELDOUT = 96
_TOO_SHORT = ("no page shows the scope", "the change is outside the scope")
"""Why an example may fit on a longer page: its scope is long, or the header shows too little of the imports."""

Render = Callable[[Sequence[Example], int, Callable[[Example, str], None]], Iterator[Rendered]]
"""Makes groups of examples of one document on pages of a length, and says which have no place there, and why."""


@dataclass(frozen=True, slots=True)
class Job:
    """What a worker needs to know; sent once."""

    corpus: str
    tokenizer: str
    format: EditFormat
    settings: Settings
    folder: str


class Worker:
    """Makes shards, one after the other, in one process."""

    def __init__(self, job: Job) -> None:
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        self.settings = job.settings
        self.folder = Path(job.folder)
        self.corpus = Corpus(Path(job.corpus))
        self.balance = Balance()
        self.renderer = ChoiceRenderer(Codec(job.format, HFVocabulary.from_directory(job.tokenizer)))

    def make(self, task: Task) -> ShardRecord:
        started = perf_counter()
        record = ShardRecord(task.name, files=len(task.entries))
        counts: Counter[str] = Counter()
        if task.split == "heldout":
            self._heldout(task, record, counts)
        else:
            self._train(task, record, counts)
        record.dropped = dict(sorted(counts.items()))
        record.seconds = round(perf_counter() - started, 2)
        return record

    def _train(self, task: Task, record: ShardRecord, counts: Counter[str]) -> None:
        rng = random.Random(f"{self.settings.seed}/{task.name}")
        if task.split == "choice":
            self._write(f"{task.name}.bin", list(self._choices(task, counts)), record)
            return
        if task.split == "written":
            self._write(f"{task.name}.bin", list(self._written(task, counts)), record)
            return
        if task.split == "bugs":
            self._write(f"{task.name}.bin", list(self._bugs(task, counts)), record)
            return
        made: list[Rendered] = []
        self.balance = Balance()
        for examples, length in (
            self._fixes(task, rng) if task.split == "ruff" else self._defects(task, counts)
        ):
            for group in self._groups(examples, length, counts):
                # A real edit stands alone on its page and comes once: it is kept whatever the page costs.
                real = group.kinds[0] in get_args(pairs.Kind)
                full = self.settings.tokens_per_branch * self.balance.worth(group.kinds) / len(group.ids)
                if real or rng.random() <= full**self.settings.strictness:
                    self.balance.add(group.kinds)
                    made.append(group)
                else:
                    counts.update(f"too few on the page: {kind}" for kind in group.kinds)
        rng.shuffle(made)
        self._write(f"{task.name}.bin", made, record)

    def _choices(self, task: Task, counts: Counter[str]) -> Iterator[Rendered]:
        """Choices among the candidates of instructions, on pages of any length that shows their scope. People's own edits are
        among them, few of which a candidate makes.
        """
        rng = random.Random(f"{self.settings.seed}/{task.name}")
        for example in self._instructions(task, rng):
            made = self.renderer.render_choice(example, self._length(rng), rng)
            if isinstance(made, str):
                counts[f"{made}: {example.kind}"] += 1
            else:
                yield made

    def _written(self, task: Task, counts: Counter[str]) -> Iterator[Rendered]:
        """The written requests on files, each on the shortest page that shows its scope, in both ways that they are answered: as
        choices where a candidate is right, all those of a page together, and as what is to be written; as choices alone where the
        settings name files of records. From the second pass on, another edit has been made before.
        """
        rng = random.Random(f"{self.settings.seed}/{task.name}")
        already = rng if task.round else None
        for entry in task.entries:
            documents: dict[str, list[Example]] = {}
            for turn in range(WORDINGS):
                only = self.settings.records
                for _, example in written.examples(self.corpus, [entry], turn, only=only, already=already):
                    documents.setdefault(example.before, []).append(example)
            for examples in documents.values():
                yield from self._shortest(examples, counts, partial(self.renderer.render_choices, rng))
                if not self.settings.records:
                    yield from self._shortest(examples, counts, self.renderer.render_groups)

    def _shortest(self, examples: list[Example], counts: Counter[str], render: Render) -> Iterator[Rendered]:
        """Examples of one document, each on the shortest page that takes it."""
        lengths = sorted(length for length, _ in self.settings.pages)
        for length in lengths:
            dropped: list[tuple[Example, str]] = []
            yield from render(examples, length, lambda *told, dropped=dropped: dropped.append(told))
            examples = [example for example, reason in dropped if reason in _TOO_SHORT]
            last = length == lengths[-1]
            counts.update(f"{why}: {one.kind}" for one, why in dropped if last or why not in _TOO_SHORT)
            if not examples:
                return

    def _bugs(self, task: Task, counts: Counter[str]) -> Iterator[Rendered]:
        """Bugs in the functions of the files, each alone on its page."""
        rng = random.Random(f"{self.settings.seed}/{task.name}")
        longest = max(length for length, _ in self.settings.pages)
        for file in self.corpus.read(task.entries):
            for example in function_bugs.examples(file.text, rng):
                made = self.renderer.render(example, longest)
                if isinstance(made, str):
                    counts[f"{made}: {example.kind}"] += 1
                else:
                    yield made

    def _instructions(self, task: Task, rng: random.Random) -> Iterator[Example]:
        for file in self.corpus.read(task.entries):
            found = excerpts(file.text)
            for part in rng.sample(found, min(len(found), self.settings.excerpts_per_file)):
                yield from choice_examples(part, rng, CHOICES_PER_EXCERPT)
        for example in pairs.examples_for(self.corpus, task.entries, REAL_CHOICES):
            if example.request.instruction and not example.request.diagnostics:
                yield example

    def _length(self, rng: random.Random) -> int:
        lengths, weights = zip(*self.settings.pages, strict=True)
        return int(rng.choices(lengths, weights)[0])

    def _defects(self, task: Task, counts: Counter[str]) -> Iterator[tuple[list[Example], int]]:
        """Examples of one document at a time, and the length of its pages."""
        settings = self.settings
        for file in self.corpus.read(task.entries):
            rng = random.Random(f"{settings.seed}/{task.round}/{file.package}/{file.path}")
            found = excerpts(file.text)
            for part in rng.sample(found, min(len(found), settings.excerpts_per_file)):
                wanted = min(settings.most_per_excerpt, max(4, round(part.count("\n") * settings.density)))
                length = self._length(rng)
                drawn = self.balance.thinned(defects.examples(part, rng, wanted), rng)
                documents, left = composites(part, drawn, length, settings.documents)
                counts.update(f"no document takes it: {example.kind}" for example in left)
                for examples in documents:
                    yield examples, length
        rng = random.Random(f"{settings.seed}/{task.name}/pairs")
        for example in pairs.examples_for(self.corpus, task.entries, settings.real_edits):
            yield [example], self._length(rng)

    def _fixes(self, task: Task, rng: random.Random) -> Iterator[tuple[list[Example], int]]:
        from copydesk_training.defects.ruff_teacher import ruff_fixes

        texts = [part for file in self.corpus.read(task.entries) for part in excerpts(file.text)]
        for _, found in groupby((e for _, e in ruff_fixes(texts, rng)), key=lambda example: example.before):
            yield list(found), self._length(rng)

    def _groups(self, examples: Sequence[Example], length: int, counts: Counter[str]) -> Iterator[Rendered]:
        """Each example on the first of the page lengths from `length` that shows its scope."""
        lengths = sorted(n for n, _ in self.settings.pages if n >= length)
        for length in lengths:
            dropped: list[tuple[Example, str]] = []
            yield from self.renderer.render_groups(
                examples, length, lambda *told, dropped=dropped: dropped.append(told)
            )
            longer = [e for e, reason in dropped if reason in _TOO_SHORT and length < lengths[-1]]
            counts.update(f"{reason}: {e.kind}" for e, reason in dropped if e not in longer)
            if not longer:
                return
            examples = longer

    def _heldout(self, task: Task, record: ShardRecord, counts: Counter[str]) -> None:
        """Each kind's first `per_kind` examples at each page length, over all held-out packages in turn, in wordings
        that training never uses.
        """
        settings = self.settings
        made: dict[int, list[Rendered]] = {length: [] for length in settings.heldout_pages}
        have: dict[int, Counter[str]] = {length: Counter() for length in settings.heldout_pages}
        rows: list[tuple[str, HeldOut]] = []
        seen: set[bytes] = set()

        def take(file: SourceFile, example: Example) -> None:
            key = hashlib.sha256(f"{example.request}{example.before}".encode("utf-8", "replace")).digest()
            pages = []
            for length in settings.heldout_pages:
                if have[length][example.kind] >= settings.per_kind or key in seen:
                    continue
                rendered = self.renderer.render(example, length)
                if isinstance(rendered, str):
                    counts[f"{rendered}: {example.kind}"] += 1
                    continue
                have[length][example.kind] += 1
                made[length].append(rendered)
                pages.append(length)
            if pages:
                seen.add(key)
                origin = (file.package, file.version, file.path)
                rows.append((file.text, HeldOut(example, *origin, tuple(pages))))

        order = list(task.entries)
        random.Random(f"{settings.seed}/heldout").shuffle(order)
        for file in self.corpus.read(order):
            rng = HeldOutRandom(f"{settings.seed}/heldout/{file.package}/{file.path}")
            wanted = min(_MOST_HELDOUT, max(8, round(file.text.count("\n") * _HELDOUT_DENSITY)))
            of_file: Counter[str] = Counter()
            for example in defects.examples(file.text, rng, wanted):
                of_file[example.kind] += 1
                if of_file[example.kind] <= _PER_FILE:  # no kind is measured on one large file
                    take(file, example)
        # Kinds that few files have a place for are looked for by name.
        longest = max(settings.heldout_pages)
        rare = [kind for kind, count in have[longest].items() if count < settings.per_kind]
        for file in self.corpus.read(order) if rare else ():
            rng = HeldOutRandom(f"{settings.seed}/rare/{file.package}/{file.path}")
            for kind in rare:
                for _ in range(2 if have[longest][kind] < settings.per_kind else 0):
                    try:
                        found = defects.for_kind(kind, file.text, rng)
                    except (SyntaxError, ValueError, RecursionError):
                        break
                    if found is None:
                        break
                    take(file, found)
        for length, groups in made.items():
            self._write(f"heldout-p{length}-00000.bin", groups, record)
        write_held_out(self.folder, rows)

    def _write(self, name: str, made: Sequence[Rendered], record: ShardRecord) -> None:
        write_shard(self.folder / name, made, {"settings": asdict(self.settings)})
        record.groups += len(made)
        record.examples += sum(group.requests for group in made)
        record.tokens += sum(len(group.ids) for group in made)
        record.program_tokens += sum(group.program_tokens for group in made)
        kinds = Counter(kind for group in made for kind in group.kinds)
        pages = Counter(str(group.page_lines) for group in made for _ in group.kinds)
        record.kinds = dict(sorted((Counter(record.kinds) + kinds).items()))
        record.pages = dict(Counter(record.pages) + pages)
