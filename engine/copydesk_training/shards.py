"""From corpus to shards: every file's defects through the engine into tokens, in parallel, a shard at a time.

A shard is a fixed set of files, and a file's examples depend on the seed, the pass and the file alone: the same command
gives the same bytes with any number of workers, and a run that was stopped goes on where it was. Held-out examples are kept
as text too, for measuring through the engine. Nothing here knows models.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from copydesk.errors import TrainingError
from copydesk.files.atomic import replacing
from copydesk.prompting.edit_format import EditFormat
from copydesk.prompting.vocabulary import HFVocabulary
from copydesk_training import pairs, written
from copydesk_training.corpus import Corpus
from copydesk_training.records import FILE as HELD_OUT
from copydesk_training.shard_plan import Settings, ShardRecord, Task, parts
from copydesk_training.shard_worker import Job, Worker

__all__ = ["Settings", "ShardRecord", "make_shards"]

VERSION = 4
WRITTEN_SHARDS = 8
"""Of the requests that were written, at most."""

Report = Callable[[ShardRecord, int, int], None]
"""Called with each finished shard, how many are finished, and how many there will be."""


def make_shards(
    corpus: Corpus,
    tokenizer: Path,
    format: EditFormat,
    folder: Path,
    settings: Settings | None = None,
    *,
    most: int | None = None,
    ruff: bool = False,
    choices: bool = False,
    bugs: bool = False,
    workers: int = 1,
    report: Report | None = None,
) -> list[ShardRecord]:
    """Make every shard that is not in `folder` yet; all of them, finished earlier or now, in order.

    most: of the training shards, only the first so many. With `ruff`, each set of files gives a second shard, of ruff's own fixes
    (`train-ruff-…`); with `choices`, one of choices among the refactorings' candidates (`train-choice-…`), and all requests
    written for files of the corpus give shards of their own (`train-written-…`); with `bugs`, one of bugs in single functions
    (`train-bugs-…`). Where the settings name files of records, only the shards of these are made. Raises TrainingError where the
    folder holds shards made from something else, a disk is full or a worker dies.
    """
    settings = settings or Settings()
    if not corpus.of("train"):
        raise TrainingError(f"the corpus in {corpus.folder} has no file to train on; its manifest says why")
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = HFVocabulary.from_directory(tokenizer.parent)
    fingerprint = _fingerprint(corpus, vocabulary, format, settings)
    manifest = Manifest(folder, fingerprint, settings, format)
    if settings.records:
        tasks = _written(corpus, settings)
    else:
        tasks = _tasks(corpus, settings, most)
        first = [task for task in tasks if task.split == "train" and task.round == 0]
        if choices:
            tasks += [replace(task, split="choice") for task in first] + _written(corpus, settings)
        if bugs:
            tasks += [replace(task, split="bugs") for task in first]
        if ruff:
            tasks += [replace(task, split="ruff") for task in first]
    missing = [task for task in tasks if not manifest.has(task.name)]
    finished = len(tasks) - len(missing)
    if not (folder / tokenizer.name).is_file():
        shutil.copyfile(tokenizer, folder / tokenizer.name)  # shards mean nothing without it
    job = Job(str(corpus.folder), str(tokenizer.parent), format, settings, str(folder))
    for record in _run(job, missing, workers):
        manifest.add(record)
        finished += 1
        if report is not None:
            report(record, finished, len(tasks))
    return [manifest.records[task.name] for task in tasks]


def _tasks(corpus: Corpus, settings: Settings, most: int | None) -> list[Task]:
    """The held-out shards, and those of defects in every file, or the first so many of these."""
    found = [
        Task("train", p, k, part)
        for p in range(settings.passes)
        for k, part in enumerate(parts(corpus.of("train"), settings, p))
    ]
    held_out = corpus.of("heldout")
    return [*([Task("heldout", 0, 0, held_out)] if held_out else []), *found[:most]]


def _written(corpus: Corpus, settings: Settings) -> list[Task]:
    """The shards of the requests that were written for files of the corpus, or of those in the settings' files of records."""
    asked = written.asked_of(corpus, only=settings.records)
    return [
        Task("written", p, k, asked[k::WRITTEN_SHARDS])
        for p in range(settings.passes)
        for k in range(min(WRITTEN_SHARDS, len(asked)))
    ]


# -- the work


def _run(job: Job, tasks: Sequence[Task], workers: int) -> Iterator[ShardRecord]:
    if workers <= 1:
        worker = Worker(job)
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
            raise TrainingError(
                "a worker was killed (out of memory?); run the command again: it continues"
            ) from error
        finally:
            for future in waiting:
                future.cancel()


_worker: Worker | None = None


def _start(job: Job) -> None:
    global _worker
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _worker = Worker(job)


def _end_with_parent() -> None:
    """A caller that is killed would leave its workers waiting for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(task: Task) -> ShardRecord:
    assert _worker is not None
    return _worker.make(task)


# -- the manifest


class Manifest:
    """`manifest.json` of a folder of shards: what they were made from, and which exist."""

    def __init__(self, folder: Path, fingerprint: str, settings: Settings, format: EditFormat) -> None:
        self.path = folder / "manifest.json"
        self.records: dict[str, ShardRecord] = {}
        self.head: dict[str, Any] = {
            "version": VERSION,
            "fingerprint": fingerprint,
            "settings": asdict(settings),
            "format": format.to_dict(),
        }
        if self.path.is_file():
            found = json.loads(self.path.read_text("utf-8"))
            if found["fingerprint"] != fingerprint:
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
        with replacing(self.path) as partial:
            partial.write_text(json.dumps({**self.head, "shards": rows}, indent=1) + "\n", encoding="utf-8")


def shards_fingerprint(folder: Path) -> str:
    """What the shards of `folder` were made from, as their manifest says; "" where it does not."""
    try:
        return str(json.loads((folder / "manifest.json").read_text("utf-8"))["fingerprint"])
    except (OSError, ValueError, KeyError):
        return ""


def shards_format(folder: Path) -> EditFormat:
    """The format the shards of `folder` were made in: what a model learns from them. Raises TrainingError."""
    try:
        return EditFormat.from_dict(json.loads((folder / "manifest.json").read_text("utf-8"))["format"])
    except (OSError, ValueError, KeyError) as error:
        raise TrainingError(f"there are no shards in {folder}: {error}") from error


def _fingerprint(corpus: Corpus, vocabulary: HFVocabulary, format: EditFormat, settings: Settings) -> str:
    sources = [corpus.digest, pairs.digest(corpus.folder), written.digest()]
    told = json.dumps(
        [VERSION, sources, vocabulary.fingerprint, format.to_dict(), asdict(settings)], sort_keys=True
    )
    return hashlib.sha256(told.encode()).hexdigest()[:24]
