"""Where Python sources come from: what is installed, the standard library, wheels, source archives, folders, git repositories.

Each is read as one `Package`: a name, a version, a licence decision and its `.py` files as bytes. Packages named but not at
hand are fetched by pip as wheels (nothing of a wheel is run). It judges no file: that is `corpus.py`.
"""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from email.message import Message
from email.parser import BytesHeaderParser, HeaderParser
from importlib import metadata
from pathlib import Path, PurePosixPath

from copydesk.errors import FileRefusedError, TrainingError
from copydesk.files.regular_file import read_regular
from copydesk_training.histories.commits import Blobs, resolved, tree
from copydesk_training.licences import Decision, decide

File = tuple[str, bytes]
"""A path with forward slashes inside the package, and what is there."""

MAX_BYTES = 16 << 20
"""Of a source file or licence in somebody's folder; the corpus leaves out much smaller ones."""
_LICENCE = re.compile(r"(?i)(^|/)(licen[cs]e|copying)[^/]*$")


@dataclass(frozen=True, slots=True)
class Package:
    """`files` reads the sources when called, in the order of their paths. `origin` says what kind of source it was."""

    name: str
    version: str
    origin: str
    licence: Decision
    files: Callable[[], Iterator[File]]


def canonical(name: str) -> str:
    """A package's name as indexes compare it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def standard_library() -> Package:
    """The standard library of the running interpreter."""
    root = Path(sysconfig.get_paths()["stdlib"])
    version = ".".join(map(str, sys.version_info[:3]))

    def files() -> Iterator[File]:
        for path in sorted(root.rglob("*.py")):
            inside = path.relative_to(root)
            if inside.parts[0] not in ("site-packages", "dist-packages"):
                yield inside.as_posix(), path.read_bytes()

    licence = Decision(True, "PSF-2.0", "the interpreter's own licence")
    return Package("python", version, "standard library", licence, files)


def installed() -> list[Package]:
    """Every distribution installed in the running environment, by name; copydesk itself is left out."""
    found: dict[str, Package] = {}
    for dist in metadata.distributions():
        name = canonical(dist.metadata["Name"] or "")
        if name and name != "copydesk" and name not in found:
            found[name] = _of_distribution(name, dist)
    return [found[name] for name in sorted(found)]


def _of_distribution(name: str, dist: metadata.Distribution) -> Package:
    listed = dist.files or []

    def files() -> Iterator[File]:
        for entry in sorted(listed, key=str):
            if entry.suffix == ".py" and ".." not in entry.parts:
                path = Path(str(entry.locate()))
                if path.is_file():
                    yield entry.as_posix(), path.read_bytes()

    texts = [
        Path(str(entry.locate())).read_text("utf-8", "replace")
        for entry in listed
        if _LICENCE.search(entry.as_posix()) and Path(str(entry.locate())).is_file()
    ]
    header = dist.read_text("METADATA") or dist.read_text("PKG-INFO") or ""
    licence = decide(_header(header), texts)
    return Package(name, dist.version, "installed", licence, files)


def archive(path: Path) -> Package:
    """A wheel or a source archive. Raises TrainingError where it is neither, or broken."""
    try:
        if zipfile.is_zipfile(path):
            return _of_members(path, _zip_names(path), _read_zip)
        if tarfile.is_tarfile(path):
            return _of_members(path, _tar_names(path), _read_tar)
    except (OSError, zipfile.BadZipFile, tarfile.TarError) as error:
        raise TrainingError(f"cannot read {path}: {error}") from error
    raise TrainingError(f"{path} is neither a wheel nor a source archive")


def folder(path: Path, name: str | None = None) -> Package:
    """The sources under a folder; its licence is what `pyproject.toml`'s neighbours say, its version is unknown."""
    if not path.is_dir():
        raise TrainingError(f"there is no folder {path}")
    root = path.resolve()

    def files() -> Iterator[File]:
        for file in sorted(root.rglob("*.py")):
            inside = file.relative_to(root)
            if not any(part.startswith(".") for part in inside.parts):
                data = _read_bounded(file)
                if data is not None:
                    yield inside.as_posix(), data

    found = [_read_bounded(file) for file in sorted(root.iterdir()) if _LICENCE.search(file.name)]
    texts = [data.decode("utf-8", "replace") for data in found if data is not None]
    info = _read_bounded(root / "PKG-INFO")
    header = _header(info.decode("utf-8", "replace")) if info is not None else Message()
    return Package(
        name or canonical(root.name), header.get("Version") or "0", "folder", decide(header, texts), files
    )


def _read_bounded(path: Path) -> bytes | None:
    """The bytes of a regular file; None for anything else, and for more than `MAX_BYTES`."""
    try:
        return read_regular(path, MAX_BYTES)
    except (OSError, FileRefusedError):
        return None


def repository(path: Path, name: str | None = None, *, revision: str | None = None) -> Package:
    """What a git repository held at a revision; without one its working tree's files, or those of its newest commit where it is
    bare.

    Raises TrainingError where git knows none there.
    """
    commit = resolved(path, revision or "HEAD")
    if revision is None and (path / ".git").exists():
        package = folder(path, name)
        return Package(package.name, commit[:12], "git", package.licence, package.files)
    listed = tree(path, commit)
    with Blobs(path) as blobs:
        texts = [
            blobs.read(blob).decode("utf-8", "replace")
            for inside, blob in listed
            if "/" not in inside and _LICENCE.search(inside)
        ]

    def files() -> Iterator[File]:
        with Blobs(path) as blobs:
            for inside, blob in listed:
                if inside.endswith(".py"):
                    yield inside, blobs.read(blob)

    found = name or canonical(path.resolve().name.removesuffix(".git"))
    return Package(found, commit[:12], "git", decide(Message(), texts), files)


def listed_repositories(path: Path) -> list[tuple[str, Path]]:
    """The repositories of a list: one a line, its name and its path, relative to the list; `#` begins a comment.

    Raises TrainingError for a line with anything else.
    """
    found = []
    for number, line in enumerate(path.read_text("utf-8").split("\n"), 1):
        words = line.split("#")[0].split()
        if words and len(words) != 2:
            raise TrainingError(
                f"{path}, line {number}: a line names a repository and its path, not {line!r}"
            )
        if words:
            found.append((words[0], path.parent / words[1]))
    return found


def fetch(names: Iterable[str], cache: Path) -> tuple[list[Path], list[str]]:
    """Wheels of `names` in the folder `cache`, fetched with pip where they are not there yet; and the names that failed.

    A name may carry a version (`flask==3.1.0`).
    """
    cache.mkdir(parents=True, exist_ok=True)
    wheels: list[Path] = []
    failed: list[str] = []
    for name in names:
        wheel = _cached(name, cache)
        if wheel is None:
            command = [
                sys.executable,
                "-P",
                "-m",
                "pip",
                "download",
                "--quiet",
                "--no-deps",
                "--only-binary=:all:",
            ]
            done = subprocess.run(
                [*command, "--dest", str(cache), name], capture_output=True, text=True, check=False
            )
            wheel = _cached(name, cache) if done.returncode == 0 else None
        if wheel is None:
            failed.append(name)
        else:
            wheels.append(wheel)
    return wheels, failed


def _cached(name: str, cache: Path) -> Path | None:
    wanted, _, version = name.partition("==")
    for path in sorted(cache.glob("*.whl"), reverse=True):
        parts = path.name.split("-")
        if canonical(parts[0]) == canonical(wanted) and version in ("", parts[1]):
            return path
    return None


def _of_members(path: Path, names: list[str], read: Callable[[Path, list[str]], Iterator[File]]) -> Package:
    info = [n for n in names if n.endswith((".dist-info/METADATA", "/PKG-INFO")) and n.count("/") == 1]
    licences = [n for n in names if _LICENCE.search(n) and n.count("/") <= 3]
    texts = dict(read(path, info[:1] + licences))
    header = BytesHeaderParser().parsebytes(texts[info[0]]) if info else Message()
    name = header.get("Name") or path.name.split("-")[0]
    licence = decide(header, [texts[n].decode("utf-8", "replace") for n in licences])
    sources = sorted(n for n in names if n.endswith(".py") and ".." not in PurePosixPath(n).parts)
    origin = "wheel" if path.suffix == ".whl" else "archive"
    return Package(
        canonical(name), header.get("Version") or "0", origin, licence, lambda: read(path, sources)
    )


def _zip_names(path: Path) -> list[str]:
    with zipfile.ZipFile(path) as opened:
        return opened.namelist()


def _read_zip(path: Path, names: list[str]) -> Iterator[File]:
    with zipfile.ZipFile(path) as opened:
        for name in names:
            yield name, opened.read(name)


def _tar_names(path: Path) -> list[str]:
    with tarfile.open(path) as opened:
        return [member.name for member in opened.getmembers() if member.isfile()]


def _read_tar(path: Path, names: list[str]) -> Iterator[File]:
    wanted = set(names)
    with tarfile.open(path) as opened:
        found = {
            m.name: f.read() for m in opened if m.name in wanted and (f := opened.extractfile(m)) is not None
        }
    yield from ((name, found[name]) for name in names if name in found)


def _header(text: str) -> Message:
    return HeaderParser().parsestr(text)
