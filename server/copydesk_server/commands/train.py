"""`copydesk train`: from public Python sources to a model directory, step by step in a work folder.

The steps are `corpus`, `tokenizer`, `shards`, `run` and `export`; without one all are done in this order. Each can be
stopped and run again: what exists is kept. `ranking`, the ranking of an instruction's candidates, is trained by itself. What
`--own` needs beside is in `train_own.py`. The work itself is `copydesk_training`; here arguments are read and progress is shown.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from copydesk.errors import TrainingError
from copydesk.models.installed import is_name
from copydesk.prompting.edit_format import EditFormat
from copydesk_server.commands import train_own

if TYPE_CHECKING:
    from copydesk_training.corpus import Corpus
    from copydesk_training.own_code import OwnCode
    from copydesk_training.pairs import Pair
    from copydesk_training.sources import Package

MEAN = "mean.safetensors"
"""Of the run's folder: the adapter that --average makes."""
STEPS = ("corpus", "tokenizer", "shards", "run", "export")


def run(args: argparse.Namespace) -> int:
    """Do the step asked for, or all. Raises TrainingError."""
    console = Console(stderr=True, highlight=False, quiet=args.quiet)
    work = Path(args.work)
    work.mkdir(parents=True, exist_ok=True)
    own = args.own is not None and args.step is None
    if own:
        train_own.fill_in(args)
    if is_name(args.model):
        from copydesk.models.load import resolve

        if own and args.before is not None:
            resolve(args.before)  # what is missing is said now, not after an hour
        args.model = str(resolve(args.model))
    steps = {
        "corpus": _corpus, "tokenizer": _tokenizer, "shards": _shards, "run": _run, "export": _export, "ranking": _ranking,
    }  # fmt: skip
    for step in (args.step,) if args.step else STEPS:
        steps[step](args, work, console)
    if own:
        train_own.report(args, work, console)
    return 0


# -- data ----------------------------------------------------------------------------------------------------------------


def _corpus(args: argparse.Namespace, work: Path, console: Console) -> None:
    from copydesk_training import corpus, filters, sources

    if args.step is None and (work / "corpus" / "manifest.json").is_file():
        console.print(f"corpus: kept, {work / 'corpus'}")
        return
    held_out = frozenset(map(sources.canonical, args.held_out)) if args.held_out else corpus.held_out_names()
    never = filters.evaluation_headers(map(Path, args.never or ()))
    mine = [train_own.read(Path(path), never) for path in args.own or ()]
    packages = [_source(Path(path)) for path in args.source or ()] + [found.files for found in mine]
    if args.own is None and not args.only_sources:
        named = args.package if args.package is not None else corpus.named_packages()
        wheels, failed = ([], []) if args.offline else sources.fetch(named, work / "downloads")
        if failed:
            console.print(f"[yellow]not fetched, left out: {', '.join(failed)}[/]")
        packages += [sources.archive(path) for path in wheels]
        packages.append(sources.standard_library())
        known = {package.name for package in packages}
        packages += [package for package in sources.installed() if package.name not in known]
    made = corpus.build(packages, work / "corpus", held_out=held_out, evaluation=never)
    if args.history or args.releases or mine:
        console.print(f"pairs: {_pairs(args, made, held_out, never, mine):,} real edits")
    train_own.keep_later(work, mine)
    missing = sorted(held_out - {entry.package for entry in made.of("heldout")})
    if missing and not mine:
        console.print(f"[yellow]held out but not found: {', '.join(missing)}[/]")
    for record in made.manifest["packages"]:
        if not record["accepted"]:
            console.print(f"refused: {record['name']} {record['version']}, licence {record['licence']}")
    for split in ("train", "heldout"):
        entries = made.of("train" if split == "train" else "heldout")
        packages_in = len({entry.package for entry in entries})
        lines = sum(entry.lines for entry in entries)
        console.print(f"{split}: {packages_in} packages, {len(entries)} files, {lines:,} lines")


def _pairs(
    args: argparse.Namespace,
    made: Corpus,
    held_out: frozenset[str],
    never: frozenset[str],
    mine: Sequence[OwnCode],
) -> int:
    """Real edits of the repositories and releases that were named, kept beside the corpus."""
    from copydesk_training import pairs, sources

    mined = [*_histories(args, made, held_out, never), *(found.earlier for found in mine)]
    found: list[Iterator[pairs.Pair]] = [iter(edits) for edits in mined]
    for named in args.releases or ():
        name, _, versions = named.partition("==")
        old, dots, new = versions.partition("..")
        if not (name and old and dots and new):
            raise TrainingError(f"--releases takes NAME==OLD..NEW, not {named}")
        if sources.canonical(name) in held_out:
            raise TrainingError(f"{name} is held out and never trained on")
        releases = []
        for version in (old, new):
            wheels, failed = sources.fetch([f"{name}=={version}"], made.folder.parent / "downloads")
            if failed:
                raise TrainingError(f"{failed[0]} cannot be fetched")
            releases += [sources.archive(path) for path in wheels]
        found.append(pairs.of_releases(*releases))
    return pairs.write(made.folder, chain.from_iterable(found), evaluation=never)


def _histories(
    args: argparse.Namespace, made: Corpus, held_out: frozenset[str], never: frozenset[str]
) -> list[list[Pair]]:
    """The edits of each repository; the record of all lies beside the corpus."""
    from copydesk_training import sources
    from copydesk_training.filters import Seen
    from copydesk_training.histories import mining

    repositories: list[tuple[str | None, Path]] = []
    for path in map(Path, args.history or ()):
        repositories += sources.listed_repositories(path) if path.is_file() else [(None, path)]
    if not repositories:
        return []
    seen = Seen(never)
    for file in made.read(made.of("heldout")):
        seen.refuses(file.text, file.text.encode(), held_out=True)
    known = mining.Known(seen)
    done = []
    for name, path in repositories:
        done.append(mining.mine(sources.repository(path, name), path, known, never=held_out))
    kept = mining.share_out([edits for edits, _ in done])
    mining.write_record(made.folder, mining.record_of([record for _, record in done], kept))
    return kept


def _source(path: Path) -> Package:
    from copydesk_training import sources
    from copydesk_training.histories.commits import is_repository

    if path.is_dir():
        return sources.repository(path) if is_repository(path) else sources.folder(path)
    return sources.archive(path)


def _tokenizer(args: argparse.Namespace, work: Path, console: Console) -> None:
    from copydesk.prompting.vocabulary import HFVocabulary
    from copydesk_training.corpus import Corpus
    from copydesk_training.tokenizer import train_tokenizer

    path = work / "tokenizer.json"
    if args.step is None and path.is_file():
        console.print(f"tokenizer: kept, {path}")
        return
    if args.model is not None:
        from tokenizers import Tokenizer

        from copydesk.adapters.tokens import extend

        tokenizer = Tokenizer.from_file(str(Path(args.model) / "tokenizer.json"))
        added = extend(tokenizer, _format(args))
        tokenizer.save(str(path))
        console.print(f"tokenizer: of {args.model}, and {len(added)} tokens of the edit format")
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
    from copydesk_training.corpus import Corpus
    from copydesk_training.shard_plan import PACKED
    from copydesk_training.shards import Settings, ShardRecord, make_shards

    def show(record: ShardRecord, done: int, of: int) -> None:
        rate = record.examples / max(record.seconds, 1e-9)
        console.print(
            f"{done}/{of} {record.name}: {record.examples:,} examples on {record.groups:,} pages, {rate:.0f}/s a worker"
        )

    # An adapter learns from packed pages: its base reads well already, and requests are what it lacks.
    settings = PACKED if args.model is not None else Settings()
    settings = replace(settings, seed=args.seed, passes=args.passes, records=_files_of_records(args))
    if args.density is not None:
        settings = replace(settings, density=args.density)
    records = make_shards(
        Corpus(work / "corpus"),
        work / "tokenizer.json",
        _format(args),
        work / "shards",
        settings,
        most=args.most_shards,
        ruff=args.ruff,
        choices=args.choices,
        bugs=args.bugs,
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


def _files_of_records(args: argparse.Namespace) -> tuple[str, ...]:
    return tuple(f"{name}.jsonl" for name in args.records or ())


def _ranking(args: argparse.Namespace, work: Path, console: Console) -> None:
    from copydesk.files.atomic import replacing
    from copydesk.refactorings.ranking_table import FILE, RankingTable, ranking_table
    from copydesk_training import ranking
    from copydesk_training.corpus import Corpus

    made, rng = Corpus(work / "corpus"), random.Random(args.seed)
    only = _files_of_records(args)
    given = ranking.examples(made, only=only, turns=1 if only else 2)
    given = given if only else chain(given, ranking.plain_examples(made, rng))
    learnt = [ranking.ranked(example, rng) for example in given]
    start = ranking_table().logits if only else None
    table = ranking.train([one for one in learnt if one is not None], seed=args.seed, start=start)
    path = Path(args.out) if args.out is not None else work / FILE
    with replacing(path) as partial, partial.open("wb") as file:
        RankingTable.of(table).write(file)
    asked = [ranking.ranked(example, rng, None) for example in ranking.examples(made, held_out=True, turns=1)]
    found = [one for one in asked if one is not None]
    shares = ", ".join(
        f"among the first {most} {ranking.recall(found, table, most):.0%}" for most in (1, 8, 32)
    )
    used = sum(one is not None for one in learnt)
    console.print(f"{path}: learnt from {used:,} of {len(learnt):,} requests")
    console.print(f"held out: the edit is proposed for {len(found)} of {len(asked)}; of these {shares}")


def _format(args: argparse.Namespace) -> EditFormat:
    if args.model is None:
        return EditFormat(after_copy=args.after_copy)
    found = EditFormat(after_copy=args.after_copy, warm_lines=32)
    # Numbers that no page can show would be rows nobody trains.
    return replace(found, max_number=found.numbers_needed)


# -- the model -----------------------------------------------------------------------------------------------------------


def _run(args: argparse.Namespace, work: Path, console: Console) -> None:
    from copydesk_server.training_view import TrainingView
    from copydesk_training import train
    from copydesk_training.freed_memory import keep_freed_memory

    keep_freed_memory()
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
    """Train an adapter for a pretrained model; goes on where an earlier run in the same folder stopped."""
    import torch

    from copydesk_server.training_view import adapter_line
    from copydesk_training.adapters.run import AdapterRun, Options

    torch.set_num_threads(args.threads)
    rate = args.rate if args.rate is not None else Options().rate
    options = Options(
        args.rank, rate, decay=args.decay, batch_tokens=args.batch_tokens, seed=args.seed, upper=args.upper
    )
    init = Path(args.init) if args.init else None
    run = AdapterRun(
        Path(args.model), work / "shards", work / "adapter", options,
        device=_device(args.device), init=init, validate=args.validate,
    )  # fmt: skip
    path = run.go(
        minutes=args.minutes,
        snapshot_minutes=args.snapshot_minutes,
        report=lambda row: console.print(adapter_line(row), soft_wrap=True),
    )
    console.print(f"adapter: {path}, {path.stat().st_size / 2**20:.1f} MiB, {run.state.requests:,} requests")


def _export(args: argparse.Namespace, work: Path, console: Console) -> None:
    from copydesk_training import export
    from copydesk_training.shards import shards_format

    if args.model is not None:
        _merge(args, work, Path(args.out or work / "model"), console)
        return
    manifest = json.loads((work / "corpus" / "manifest.json").read_text("utf-8"))
    average = Path(args.average) if args.average is not None else None
    out = export.export(
        work / "run",
        work / "tokenizer.json",
        shards_format(work / "shards"),
        Path(args.out or work / "model"),
        manifest,
        average=average,
        share=args.share if args.share is not None else 0.7,
    )
    console.print(f"model: {out}")


def _merge(args: argparse.Namespace, work: Path, out: Path, console: Console) -> None:
    """Write the adapter's model card, and the model directory it makes with its base. With `--average` it is the mean of two
    adapters, which is written beside the run's.
    """
    from copydesk.adapters.adapter_file import read_adapter, write_adapter
    from copydesk.adapters.merge import merge
    from copydesk_training.adapters.adapter_card import adapter_card
    from copydesk_training.adapters.mean import mean

    base, adapter = Path(args.model), read_adapter(work / "adapter")
    if args.average is not None:
        share = args.share if args.share is not None else 0.5
        adapter = mean(adapter, read_adapter(Path(args.average)), share)
        write_adapter(work / "adapter" / MEAN, adapter)
        console.print(f"the mean: {work / 'adapter' / MEAN}")
    manifest, histories = (
        json.loads(path.read_text("utf-8")) if path.is_file() else None
        for path in (work / "corpus" / "manifest.json", work / "corpus" / "histories.json")
    )
    card = adapter_card(adapter.state, base.name, manifest=manifest, histories=histories)
    (work / "adapter" / "README.md").write_text(card, encoding="utf-8")
    console.print(f"model: {merge(base, adapter, out)}")
    (out / "README.md").write_text(card, encoding="utf-8")


def _device(asked: str) -> str:
    import torch

    return asked if asked != "auto" else "cuda" if torch.cuda.is_available() else "cpu"
