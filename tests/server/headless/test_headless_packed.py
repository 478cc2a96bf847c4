"""Objects of packs: those git wrote come back as git has them, and none costs more than is stated, whatever its headers say."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk_server.errors import RepositoryError
from copydesk_server.headless import packed
from copydesk_server.headless.objects import Objects
from copydesk_server.headless.packed import read_packed
from git_repositories import git, repository

BLOB, OFFSET, NAME = 3, 6, 7
COPY_ALL = b"\x80"
"""Copy 65,536 bytes from the beginning."""


def number(value: int) -> bytes:
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])


def head(kind: int, size: int) -> bytes:
    first, rest = kind << 4 | size & 15, size >> 4
    return bytes([first | 128]) + number(rest) if rest else bytes([first])


def entry(kind: int, data: bytes, base: bytes = b"", size: int | None = None) -> bytes:
    return head(kind, len(data) if size is None else size) + base + zlib.compress(data)


def delta(source: int, size: int, ops: bytes) -> bytes:
    return number(source) + number(size) + ops


def nowhere(_: bytes) -> int:
    raise KeyError


def read(*entries: bytes, find: Callable[[bytes], int] = nowhere) -> tuple[int, bytes]:
    """The last of them; the first lies at 1."""
    return read_packed(io.BytesIO(b"-" + b"".join(entries)), 1 + sum(map(len, entries[:-1])), find)


@given(st.binary(max_size=100), st.integers(0, 100), st.integers(1, 100), st.binary(min_size=1, max_size=127))
def test_a_delta_copies_and_inserts(base: bytes, first: int, length: int, new: bytes) -> None:
    base += bytes(200)
    ops = bytes([len(new)]) + new + bytes([0x91, first, length])
    data = delta(len(base), len(new) + length, ops)
    plain = entry(BLOB, base)
    wanted = BLOB, new + base[first : first + length]
    assert (
        read(
            plain,
            entry(
                OFFSET, data, bytes([len(plain)]) if len(plain) < 128 else b"\x80" + bytes([len(plain) - 128])
            ),
        )
        == wanted
    )
    assert read(plain, entry(NAME, data, b"n" * 20), find=lambda name: 1) == wanted


BASE = entry(BLOB, b"x" * 65536)
BACK = b"\x80" + bytes([len(BASE) - 128]) if len(BASE) >= 128 else bytes([len(BASE)])
HUGE = packed.LARGEST + 1


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ([entry(BLOB, b"x", size=HUGE)], "too large"),
        ([entry(BLOB, b"x" * (1 << 20), size=10)], "damaged"),
        ([entry(BLOB, b"x", size=10)], "damaged"),
        ([head(BLOB, 10) + b"no deflated bytes"], "damaged"),
        ([head(BLOB, 10)], "damaged"),
        ([b"\xff" * 70], "damaged"),
        ([b""], "damaged"),
        ([entry(0, b"")], "damaged"),
        ([entry(5, b"")], "damaged"),
        ([BASE, entry(OFFSET, delta(65536, HUGE, COPY_ALL * 5000), BACK)], "too large"),
        ([BASE, entry(OFFSET, delta(65536, 65536, COPY_ALL * 5000), BACK)], "damaged"),
        ([BASE, entry(OFFSET, delta(65536, 70000, COPY_ALL), BACK)], "damaged"),
        ([BASE, entry(OFFSET, delta(1, 65536, COPY_ALL), BACK)], "damaged"),
        ([BASE, entry(OFFSET, delta(65536, 5, b"\x91\xff"), BACK)], "damaged"),
        ([BASE, entry(OFFSET, delta(65536, 5, b"\x05x"), BACK)], "damaged"),
        ([BASE, entry(OFFSET, delta(65536, 5, b"\0"), BACK)], "damaged"),
        ([BASE, entry(OFFSET, b"\xff" * 20, BACK)], "damaged"),
        ([BASE, entry(OFFSET, delta(65536, 65536, COPY_ALL), b"\xff\xff\x7f")], "damaged"),
        ([entry(OFFSET, delta(0, 0, b""), b"\0")], "damaged"),
        ([entry(NAME, delta(0, 0, b""), b"n" * 20)], "damaged"),
    ],
)  # fmt: skip
def test_what_lies_about_itself_is_refused(entries: list[bytes], said: str) -> None:
    with pytest.raises(RepositoryError, match=said):
        read(*entries)


def test_chains_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "MOST_MADE", 10 * 65536)
    parts = [BASE]
    one = delta(65536, 65536, COPY_ALL)
    for _ in range(11):
        back = len(parts[-1])
        parts.append(entry(OFFSET, one, bytes([back]) if back < 128 else b"\x80" + bytes([back - 128])))
    assert read(*parts[:-1])[1] == b"x" * 65536
    with pytest.raises(RepositoryError, match="too large"):
        read(*parts)


def test_deltas_that_are_each_others_bases_end() -> None:
    one = entry(NAME, delta(0, 0, b""), b"1" * 20)
    two = entry(NAME, delta(0, 0, b""), b"0" * 20)
    with pytest.raises(RepositoryError, match="damaged"):  # its own
        read(one, two, find=lambda name: 1 if name[:1] == b"1" else 1 + len(one))
    with pytest.raises(RepositoryError, match="too large"):
        read(one, two, find=lambda name: 1 + len(one) if name[:1] == b"1" else 1)


def test_packs_that_git_wrote(tmp_path: Path) -> None:
    """With deltas by offset and by name: every object is what `git cat-file` says."""
    text = "".join(f"line {n}\n" for n in range(500))
    folder = repository(tmp_path, a=text)
    for n in range(8):
        (folder / "a.py").write_text(text.replace(f"line {n}\n", f"{n} is another\n"))
        git(folder, "commit", "-q", "-a", "-m", str(n))
    names = git(folder, "rev-list", "--objects", "--all").decode().split("\n")
    wanted = {
        name.split()[0]: git(folder, "cat-file", "-t", name.split()[0]).decode().strip()
        for name in names
        if name
    }
    for by_offset in ("true", "false"):
        git(folder, "-c", f"repack.useDeltaBaseOffset={by_offset}", "repack", "-q", "-a", "-d", "-f")
        objects = Objects(folder / ".git" / "objects")
        assert not list((folder / ".git" / "objects").glob("??/*")), "all are packed"
        for name, kind in wanted.items():
            assert objects.read(name.encode(), kind.encode()) == git(folder, "cat-file", kind, name)
        objects.close()
