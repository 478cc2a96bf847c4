"""`copydesk train`: from public Python sources to a model directory, step by step in a work folder.

The steps are `corpus`, `tokenizer`, `shards`, `run` and `export`; without one all are done in this order. Each can be
stopped and run again: what exists is kept. The work itself is `copydesk.training`; here arguments are read and progress is shown.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from copydesk.errors import TrainingError
from copydesk.format import EditFormat
from copydesk.models.installed import is_name

if TYPE_CHECKING:
    from copydesk.training.sources import Package

STEPS = ("corpus", "tokenizer", "shards", "run", "export")


def run(args: argparse.Namespace) -> int:
    """Do the step asked for, or all. Raises TrainingError."""
    console = Console(stderr=True, highlight=False, quiet=args.quiet)
    work = Path(args.work)
    work.mkdir(parents=True, exist_ok=True)
    if is_name(args.model):
        from copydesk.models.load import resolve

        args.model = str(resolve(args.model))
    steps = {"corpus": _corpus, "tokenizer": _tokenizer, "shards": _shards, "run": _run, "export": _export}
    for step in (args.step,) if args.step else STEPS:
        steps[step](args, work, console)
    return 0


# -- data ----------------------------------------------------------------------------------------------------------------


def _corpus(args: argparse.Namespace, work: Path, console: Console) -> None:
    from copydesk.training import corpus, filters, sources

    if args.step is None and (work / "corpus" / "manifest.json").is_file():
        console.print(f"corpus: kept, {work / 'corpus'}")
        return
    packages = [_source(Path(path), own=args.own) for path in args.source or ()]
    if not args.only_sources:
        named = args.package if args.package is not None else corpus.named_packages()
        wheels, failed = ([], []) if args.offline else sources.fetch(named, work / "downloads")
        if failed:
            console.print(f"[yellow]not fetched, left out: {', '.join(failed)}[/]")
        packages += [sources.archive(path) for path in wheels]
        packages.append(sources.standard_library())
        known = {package.name for package in packages}
        packages += [package for package in sources.installed() if package.name not in known]
    held_out = frozenset(map(sources.canonical, args.held_out)) if args.held_out else corpus.held_out_names()
    never = filters.evaluation_headers(map(Path, args.never or ()))
    made = corpus.build(packages, work / "corpus", held_out=held_out, evaluation=never)
    if args.history or args.releases:
        console.print(f"pairs: {_pairs(args, work, held_out, never):,} real edits")
    missing = sorted(held_out - {entry.package for entry in made.of("heldout")})
    if missing:
        console.print(f"[yellow]held out, but nothing found of: {', '.join(missing)}[/]")
    for record in made.manifest["packages"]:
        if not record["accepted"]:
            console.print(f"refused: {record['name']} {record['version']}, licence {record['licence']}")
    for split in ("train", "heldout"):
        entries = made.of("train" if split == "train" else "heldout")
        packages_in = len({entry.package for entry in entries})
        lines = sum(entry.lines for entry in entries)
        console.print(f"{split}: {packages_in} packages, {len(entries)} files, {lines:,} lines")


def _pairs(args: argparse.Namespace, work: Path, held_out: frozenset[str], never: frozenset[str]) -> int:
    """Real edits of the repositories and releases that were named, kept beside the corpus."""
    from copydesk.training import pairs, sources

    found: list[Iterator[pairs.Pair]] = []
    for path in map(Path, args.history or ()):
        found.append(pairs.of_history(_source(path, own=args.own), path))
    for named in args.releases or ():
        name, _, versions = named.partition("==")
        old, dots, new = versions.partition("..")
        if not (name and old and dots and new):
            raise TrainingError(f"--releases takes NAME==OLD..NEW, not {named}")
        if sources.canonical(name) in held_out:
            raise TrainingError(f"{name} is held out: nothing of it is learnt from")
        releases = []
        for version in (old, new):
            wheels, failed = sources.fetch([f"{name}=={version}"], work / "downloads")
            if failed:
                raise TrainingError(f"{failed[0]} cannot be fetched")
            releases += [sources.archive(path) for path in wheels]
        found.append(pairs.of_releases(*releases))
    return pairs.write(work / "corpus", chain.from_iterable(found), evaluation=never)


def _source(path: Path, *, own: bool) -> Package:
    from copydesk.training import sources
    from copydesk.training.licences import Decision

    if path.is_dir():
        package = sources.repository(path) if (path / ".git").exists() else sources.folder(path)
    else:
        package = sources.archive(path)
    # Whose code it is nobody can read from the code: the person says so, and the manifest keeps it.
    return (
        replace(package, licence=Decision(True, package.licence.licence, "given as one's own"))
        if own
        else package
    )


def _tokenizer(args: argparse.Namespace, work: Path, console: Console) -> None:
    from copydesk.training.corpus import Corpus
    from copydesk.training.tokenizer import train_tokenizer
    from copydesk.vocabulary import HFVocabulary

    path = work / "tokenizer.json"
    if args.step is None and path.is_file():
        console.print(f"tokenizer: kept, {path}")
        return
    if args.model is not None:
        from copydesk.training.lora import save_tokenizer

        save_tokenizer(args.model, work)
        console.print(f"tokenizer: {HFVocabulary.from_directory(work).size} tokens, of {args.model}")
        return
    if args.tokenizer is not None:
        try:
            shutil.copyfile(args.tokenizer, path)
        except OSError as error:
            raise TrainingError(f"cannot take the tokenizer {args.tokenizer}: {error}") from error
        vocabulary = HFVocabulary.from_directory(work)
        console.print(f"tokenizer: {vocabulary.size} tokens, from {args.tokenizer}")
        return
    corpus = Corpus(work / "corpus")
    entries = corpus.of("train")
    random.Random(args.seed).shuffle(entries)
    vocabulary = train_tokenizer((file.text for file in corpus.read(entries)), path, size=args.vocabulary)
    console.print(f"tokenizer: {vocabulary.size} tokens")


def _shards(args: argparse.Namespace, work: Path, console: Console) -> None:
    from copydesk.training.corpus import Corpus
    from copydesk.training.shards import Settings, ShardRecord, make_shards

    def show(record: ShardRecord, done: int, of: int) -> None:
        rate = record.examples / max(record.seconds, 1e-9)
        console.print(
            f"{done}/{of} {record.name}: {record.examples:,} examples on {record.groups:,} pages, {rate:.0f}/s a worker"
        )

    settings = Settings(seed=args.seed, passes=args.passes, density=args.density)
    records = make_shards(
        Corpus(work / "corpus"),
        work / "tokenizer.json",
        _format(args),
        work / "shards",
        settings,
        ruff=args.ruff,
        workers=args.workers,
        report=show,
    )
    kinds: Counter[str] = Counter()
    for record in records:
        kinds.update(record.kinds if record.name != "heldout" else {})
    table = Table("kind", "examples", box=None)
    for kind, count in kinds.most_common():
        table.add_row(kind, f"{count:,}")
    console.print(table)


def _format(args: argparse.Namespace) -> EditFormat:
    # A model that has a tokenizer already has no tokens for line numbers: it writes tags.
    return EditFormat(kind="lines" if args.model is None else "tags", after_copy=args.after_copy)


# -- the model -----------------------------------------------------------------------------------------------------------


def _run(args: argparse.Namespace, work: Path, console: Console) -> None:
    from copydesk.training import train
    from copydesk_server.training_view import TrainingView

    if args.model is not None:
        _adapt(args, work, console)
        return
    with TrainingView(console) as view:
        path = train.run(
            work / "shards", work / "run", size=args.size, minutes=args.minutes, seed=args.seed,
            device=_device(args.device), init=Path(args.init) if args.init else None, resume=True, report=view,
        )  # fmt: skip
    console.print(f"checkpoint: {path}")


def _adapt(args: argparse.Namespace, work: Path, console: Console) -> None:
    """Fine-tune a model by adapters; its directory is written at once."""
    from copydesk.training.lora import LoraStatus, run_lora

    if args.lora is None:
        raise TrainingError("--model names a model to fine-tune: say --lora RANK, too")
    with console.status("fine-tuning") as line:

        def show(status: LoraStatus) -> None:
            rate = status.tokens / max(status.seconds, 1e-9)
            line.update(
                f"step {status.step}, {status.progress:.0%}, loss {status.loss:.3f}, {rate:,.0f} tokens/s"
            )

        out = run_lora(
            args.model, work / "shards", _shards_format(work / "shards"), Path(args.out or work / "model"),
            minutes=args.minutes, rank=args.lora, alpha=2 * args.lora, seed=args.seed, device=_device(args.device),
            lm_weight=0.1, report=show,
        )  # fmt: skip
    console.print(f"model: {out}")


def _export(args: argparse.Namespace, work: Path, console: Console) -> None:
    from copydesk.training import export

    if args.model is not None:
        return  # the run has written it
    manifest = json.loads((work / "corpus" / "manifest.json").read_text("utf-8"))
    format = _shards_format(work / "shards")
    average = Path(args.average) if args.average is not None else None
    out = export.export(
        work / "run",
        work / "tokenizer.json",
        format,
        Path(args.out or work / "model"),
        manifest,
        average=average,
    )
    console.print(f"model: {out}")


def _shards_format(folder: Path) -> EditFormat:
    """The format the shards were made in: what the model was trained on, whatever is asked for now."""
    try:
        return EditFormat.from_dict(json.loads((folder / "manifest.json").read_text("utf-8"))["format"])
    except (OSError, ValueError, KeyError) as error:
        raise TrainingError(f"there are no shards in {folder}: {error}") from error


def _device(asked: str) -> str:
    import torch

    return asked if asked != "auto" else "cuda" if torch.cuda.is_available() else "cpu"
