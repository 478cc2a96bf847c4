"""The work behind one shard: files, their defects, the engine, a file of tokens. Knows nothing of who else works."""

from __future__ import annotations

import hashlib
import os
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter

from copydesk.codec import Codec
from copydesk.format import EditFormat
from copydesk.training import defects
from copydesk.training.corpus import Corpus, SourceFile
from copydesk.training.example import Example
from copydesk.training.examples import Rendered, Renderer
from copydesk.training.excerpts import excerpts
from copydesk.training.records import HeldOut, write_held_out
from copydesk.training.shard_file import write_shard
from copydesk.training.shard_plan import Settings, ShardRecord, Task
from copydesk.vocabulary import HFVocabulary

_PER_FILE = 4
_TOO_SHORT = ("no page shows the scope", "the change is outside the scope")
"""Why an example may fit on a longer page: its scope is long, or the header shows too little of the imports."""


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
        self.renderer = Renderer(Codec(job.format, HFVocabulary.from_directory(job.tokenizer)))

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
        made: list[tuple[Rendered, str, bool]] = []
        found = self._fixes(task, rng) if task.split == "ruff" else self._defects(task)
        for example, draw in found:
            lengths, weights = zip(*self.settings.pages, strict=True)
            length = draw.choices(lengths, weights)[0]
            rendered = self._shortest(example, [n for n in sorted(lengths) if n >= length], counts)
            if rendered is not None:
                made.append((rendered, example.kind, example.located))
        rng.shuffle(made)
        self._write(f"{task.name}.bin", made, record)

    def _defects(self, task: Task) -> Iterator[tuple[Example, random.Random]]:
        settings = self.settings
        for file in self.corpus.read(task.entries):
            rng = random.Random(f"{settings.seed}/{task.round}/{file.package}/{file.path}")
            for part in excerpts(file.text):
                wanted = min(settings.most_per_file, max(2, round(part.count("\n") * settings.density)))
                for example in defects.examples(part, rng, wanted):
                    yield example, rng

    def _fixes(self, task: Task, rng: random.Random) -> Iterator[tuple[Example, random.Random]]:
        from copydesk.training.defects.ruff_teacher import ruff_fixes

        texts = [part for file in self.corpus.read(task.entries) for part in excerpts(file.text)]
        for _, example in ruff_fixes(texts, rng):
            yield example, rng

    def _shortest(self, example: Example, lengths: Sequence[int], counts: Counter[str]) -> Rendered | None:
        """On the first of the page lengths that shows the example's scope."""
        result: Rendered | str = "no page"
        for length in lengths:
            result = self.renderer.render(example, length)
            if not isinstance(result, str) or result not in _TOO_SHORT:
                break
        if isinstance(result, str):
            counts[f"{result}: {example.kind}"] += 1
            return None
        return result

    def _heldout(self, task: Task, record: ShardRecord, counts: Counter[str]) -> None:
        """Each kind's first `per_kind` examples at each page length, over all held-out packages in turn."""
        settings = self.settings
        made: dict[int, list[tuple[Rendered, str, bool]]] = {length: [] for length in settings.heldout_pages}
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
                made[length].append((rendered, example.kind, example.located))
                pages.append(length)
            if pages:
                seen.add(key)
                origin = (file.package, file.version, file.path)
                rows.append((file.text, HeldOut(example, *origin, tuple(pages))))

        order = list(task.entries)
        random.Random(f"{settings.seed}/heldout").shuffle(order)
        for file in self.corpus.read(order):
            rng = random.Random(f"{settings.seed}/heldout/{file.package}/{file.path}")
            wanted = min(settings.most_per_file, max(8, round(file.text.count("\n") * settings.density * 2)))
            of_file: Counter[str] = Counter()
            for example in defects.examples(file.text, rng, wanted):
                of_file[example.kind] += 1
                if of_file[example.kind] <= _PER_FILE:  # no kind is measured on one large file
                    take(file, example)
        # Kinds that few files have a place for are looked for by name.
        longest = max(settings.heldout_pages)
        rare = [kind for kind, count in have[longest].items() if count < settings.per_kind]
        for file in self.corpus.read(order) if rare else ():
            rng = random.Random(f"{settings.seed}/rare/{file.package}/{file.path}")
            for kind in rare:
                for _ in range(2 if have[longest][kind] < settings.per_kind else 0):
                    try:
                        found = defects.for_kind(kind, file.text, rng)
                    except (SyntaxError, ValueError, RecursionError):
                        break
                    if found is None:
                        break
                    take(file, found)
        for length, examples in made.items():
            self._write(f"heldout-p{length}-00000.bin", examples, record)
        write_held_out(self.folder, rows)

    def _write(self, name: str, made: Sequence[tuple[Rendered, str, bool]], record: ShardRecord) -> None:
        write_shard(self.folder / name, made, {"settings": asdict(self.settings)})
        record.examples += len(made)
        record.tokens += sum(len(r.ids) for r, _, _ in made)
        record.program_tokens += sum(len(r.ids) - r.program for r, _, _ in made)
        record.kinds = dict(sorted((Counter(record.kinds) + Counter(kind for _, kind, _ in made)).items()))
        record.pages = dict(Counter(record.pages) + Counter(str(r.page_lines) for r, _, _ in made))
