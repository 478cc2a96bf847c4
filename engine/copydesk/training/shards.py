"""From corpus to shards: every file's defects through the engine into tokens, in parallel, a shard at a time.

A shard is a fixed set of files, and a file's examples depend on the seed, the pass and the file alone: the same command gives
the same bytes with any number of workers, and a run that was stopped goes on where it was. Held-out examples are kept as text
too, for measuring through the engine. Nothing here knows models.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import random
import shutil
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

from copydesk.codec import Codec
from copydesk.errors import TrainingError
from copydesk.format import EditFormat
from copydesk.training import defects
from copydesk.training.corpus import Corpus, Entry
from copydesk.training.example import Example
from copydesk.training.examples import Rendered, Renderer
from copydesk.training.excerpts import excerpts
from copydesk.training.records import FILE as HELD_OUT, HeldOut, write_held_out
from copydesk.training.shard_file import write_shard
from copydesk.vocabulary import HFVocabulary

VERSION = 1
_TOO_SHORT = ("no page shows the scope", "the change is outside the scope")
"""Why an example may fit on a longer page: its scope is long, or the header shows too little of the imports."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What decides the bytes of shards, beside corpus, tokenizer and format.

    `pages` gives the weight of each page length in training, `heldout_pages` the lengths that are measured. `density` is
    examples per line of a file; `per_kind` how many held-out examples each kind gets at most.
    """

    seed: int = 0
    passes: int = 1
    density: float = 0.075
    most_per_file: int = 96
    shard_lines: int = 80_000
    pages: tuple[tuple[int, float], ...] = ((8, 0.35), (20, 0.35), (32, 0.20), (64, 0.10))
    heldout_pages: tuple[int, ...] = (20, 64)
    per_kind: int = 150


@dataclass(slots=True)
class ShardRecord:
    """One finished shard: counts of examples by kind and by page length, and of those dropped by reason."""

    name: str
    files: int = 0
    examples: int = 0
    tokens: int = 0
    program_tokens: int = 0
    seconds: float = 0.0
    kinds: dict[str, int] = field(default_factory=dict)
    pages: dict[str, int] = field(default_factory=dict)
    dropped: dict[str, int] = field(default_factory=dict)


Report = Callable[[ShardRecord, int, int], None]
"""Called with each finished shard, how many are finished, and how many there will be."""


def make_shards(
    corpus: Corpus,
    tokenizer: Path,
    format: EditFormat,
    folder: Path,
    settings: Settings | None = None,
    *,
    workers: int = 1,
    report: Report | None = None,
) -> list[ShardRecord]:
    """Make every shard that is not in `folder` yet; all of them, finished earlier or now, in order.

    Raises TrainingError where the folder holds shards made from something else, a disk is full or a worker dies.
    """
    settings = settings or Settings()
    if not corpus.of("train"):
        raise TrainingError(f"the corpus in {corpus.folder} has no file to train on; its manifest says why")
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = HFVocabulary.from_directory(tokenizer.parent)
    print_ = _fingerprint(corpus, vocabulary, format, settings)
    manifest = _Manifest(folder, print_, settings, format)
    tasks = [_Task("heldout", 0, 0, corpus.of("heldout"))] if corpus.of("heldout") else []
    tasks += [
        _Task("train", p, k, part)
        for p in range(settings.passes)
        for k, part in enumerate(_parts(corpus.of("train"), settings, p))
    ]
    missing = [task for task in tasks if not manifest.has(task.name)]
    finished = len(tasks) - len(missing)
    if not (folder / tokenizer.name).is_file():
        shutil.copyfile(tokenizer, folder / tokenizer.name)  # shards mean nothing without it
    job = _Job(str(corpus.folder), str(tokenizer.parent), format, settings, str(folder))
    for record in _run(job, missing, workers):
        manifest.add(record)
        finished += 1
        if report is not None:
            report(record, finished, len(tasks))
    return [manifest.records[task.name] for task in tasks]


# -- the plan ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Task:
    split: str
    round: int
    number: int
    entries: Sequence[Entry]

    @property
    def name(self) -> str:
        return self.split if self.split == "heldout" else f"train-{self.round:02d}-{self.number:05d}"


def _parts(entries: Sequence[Entry], settings: Settings, round: int) -> Iterator[list[Entry]]:
    """The files of one pass in a random order, cut into parts of about `shard_lines`."""
    order = list(entries)
    random.Random(f"{settings.seed}/{round}").shuffle(order)
    part: list[Entry] = []
    lines = 0
    for entry in order:
        part.append(entry)
        lines += entry.lines
        if lines >= settings.shard_lines:
            yield part
            part, lines = [], 0
    if part:
        yield part


# -- the work ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Job:
    """What a worker needs to know; sent once."""

    corpus: str
    tokenizer: str
    format: EditFormat
    settings: Settings
    folder: str


def _run(job: _Job, tasks: Sequence[_Task], workers: int) -> Iterator[ShardRecord]:
    if workers <= 1:
        worker = _Worker(job)
        yield from map(worker.make, tasks)
        return
    # Spawned, not forked: the caller may have threads (tokenizers, torch) that a fork would freeze.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, initializer=_start, initargs=(job,)) as pool:
        waiting: set[Future[ShardRecord]] = {pool.submit(_work, task) for task in tasks}
        try:
            while waiting:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        except BrokenProcessPool as error:
            raise TrainingError("a worker was killed (out of memory?); run the command again: it continues") from error
        finally:
            for future in waiting:
                future.cancel()


_worker: _Worker | None = None


def _start(job: _Job) -> None:
    global _worker
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _worker = _Worker(job)


def _end_with_parent() -> None:
    """A caller that is killed would leave its workers waiting for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(task: _Task) -> ShardRecord:
    assert _worker is not None
    return _worker.make(task)


class _Worker:
    """Makes shards, one after the other, in one process."""

    def __init__(self, job: _Job) -> None:
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        self.settings = job.settings
        self.folder = Path(job.folder)
        self.corpus = Corpus(Path(job.corpus))
        self.renderer = Renderer(Codec(job.format, HFVocabulary.from_directory(job.tokenizer)))

    def make(self, task: _Task) -> ShardRecord:
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

    def _train(self, task: _Task, record: ShardRecord, counts: Counter[str]) -> None:
        settings = self.settings
        made: list[tuple[Rendered, str, bool]] = []
        lengths, weights = zip(*settings.pages, strict=True)
        for file in self.corpus.read(task.entries):
            rng = random.Random(f"{settings.seed}/{task.round}/{file.package}/{file.path}")
            for example in _examples(file.text, rng, settings):
                length = rng.choices(lengths, weights)[0]
                rendered = self._shortest(example, [n for n in sorted(lengths) if n >= length], counts)
                if rendered is not None:
                    made.append((rendered, example.kind, example.located))
        random.Random(f"{settings.seed}/{task.name}").shuffle(made)
        self._write(f"{task.name}.bin", made, record)

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

    def _heldout(self, task: _Task, record: ShardRecord, counts: Counter[str]) -> None:
        """Each kind's first `per_kind` examples at each page length, over all held-out packages in turn."""
        settings = self.settings
        order = list(task.entries)
        random.Random(f"{settings.seed}/heldout").shuffle(order)
        made: dict[int, list[tuple[Rendered, str, bool]]] = {length: [] for length in settings.heldout_pages}
        have: Counter[tuple[int, str]] = Counter()
        rows: list[tuple[str, HeldOut]] = []
        for file in self.corpus.read(order):
            rng = random.Random(f"{settings.seed}/heldout/{file.package}/{file.path}")
            wanted = min(settings.most_per_file, max(8, round(file.text.count("\n") * settings.density * 2)))
            of_file: Counter[str] = Counter()
            for example in defects.examples(file.text, rng, wanted):
                of_file[example.kind] += 1
                if of_file[example.kind] > 4:
                    continue  # no kind is measured on one large file
                pages = []
                for length in settings.heldout_pages:
                    if have[length, example.kind] >= settings.per_kind:
                        continue
                    rendered = self.renderer.render(example, length)
                    if isinstance(rendered, str):
                        counts[f"{rendered}: {example.kind}"] += 1
                        continue
                    have[length, example.kind] += 1
                    made[length].append((rendered, example.kind, example.located))
                    pages.append(length)
                if pages:
                    origin = (file.package, file.version, file.path)
                    rows.append((file.text, HeldOut(example, *origin, tuple(pages))))
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


def _examples(text: str, rng: random.Random, settings: Settings) -> Iterator[Example]:
    for part in excerpts(text):
        wanted = min(settings.most_per_file, max(2, round(part.count("\n") * settings.density)))
        yield from defects.examples(part, rng, wanted)


# -- the manifest --------------------------------------------------------------------------------------------------------


class _Manifest:
    """`manifest.json` of a folder of shards: what they were made from, and which exist."""

    def __init__(self, folder: Path, print_: str, settings: Settings, format: EditFormat) -> None:
        self.path = folder / "manifest.json"
        self.records: dict[str, ShardRecord] = {}
        self.head: dict[str, Any] = {
            "version": VERSION,
            "fingerprint": print_,
            "settings": asdict(settings),
            "format": format.to_dict(),
        }
        if self.path.is_file():
            found = json.loads(self.path.read_text("utf-8"))
            if found["fingerprint"] != print_:
                raise TrainingError(
                    f"the shards in {folder} were made from another corpus or tokenizer, or with other settings; "
                    "remove them or name another folder"
                )
            self.records = {row["name"]: ShardRecord(**row) for row in found["shards"]}

    def has(self, name: str) -> bool:
        files = (HELD_OUT,) if name == "heldout" else (f"{name}.bin",)
        return name in self.records and all((self.path.parent / file).is_file() for file in files)

    def add(self, record: ShardRecord) -> None:
        self.records[record.name] = record
        rows = [asdict(self.records[name]) for name in sorted(self.records)]
        partial = self.path.with_name("manifest.json.partial")
        partial.write_text(json.dumps({**self.head, "shards": rows}, indent=1) + "\n", encoding="utf-8")
        os.replace(partial, self.path)


def _fingerprint(corpus: Corpus, vocabulary: HFVocabulary, format: EditFormat, settings: Settings) -> str:
    told = json.dumps(
        [VERSION, corpus.digest, vocabulary.fingerprint, format.to_dict(), asdict(settings)], sort_keys=True
    )
    return hashlib.sha256(told.encode()).hexdigest()[:24]
