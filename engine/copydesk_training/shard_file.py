"""One shard on disk: groups of examples as flat arrays, mapped into memory rather than read.

A group is a page and the branches behind it, which may continue a request behind the page (`examples.Rendered`). A shard is a
line of magic, one line of JSON that says where each array lies, and the arrays, for N groups with B branches in all:

    tokens   uint16 [T]      all groups end to end
    roles    uint8  [T]      `examples.Role` of each token
    offsets  uint64 [N + 1]  group i is tokens[offsets[i]:offsets[i + 1]]
    pages    uint8  [N]      page length in lines the group was made for
    first    uint64 [N + 1]  the branches of group i are first[i] .. first[i + 1] of the arrays below
    branches uint16 [B]      where the branch begins within its group
    parents  uint16 [B]      where the request begins that the branch continues; 0 where it continues the page
    program  uint16 [B]      where the branch's program begins within the group
    kinds    uint8  [B]      number of the kind (`defects.KINDS`), named by `Shard.kind_names`
    located  uint8  [B]      whether the request points at the place

It knows nothing of how examples are made or used.
"""

from __future__ import annotations

import errno
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from copydesk.errors import TrainingError
from copydesk.files.atomic import replacing
from copydesk_training.defects import KINDS
from copydesk_training.examples import Rendered

_MAGIC = b"copydesk shard 3\n"
_ALIGN = 64


class Row(NamedTuple):
    """One group: tokens, the role of each, where its branches begin, and where what each continues does."""

    tokens: NDArray[np.uint16]
    roles: NDArray[np.uint8]
    branches: NDArray[np.uint16]
    parents: NDArray[np.uint16]


class Shard:
    """A shard, opened for reading. Raises TrainingError where the file is none, or cut short."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with path.open("rb") as file:
                if file.readline() != _MAGIC:
                    raise TrainingError(f"{path} is not a shard")
                self.header: dict[str, Any] = json.loads(file.readline())
                base = -(-file.tell() // _ALIGN) * _ALIGN
            size = path.stat().st_size
        except (OSError, ValueError) as error:
            raise TrainingError(f"cannot read the shard {path}: {error}") from error
        if size != base + self.header["bytes"]:
            raise TrainingError(f"the shard {path} is incomplete")
        self.kind_names: dict[int, str] = {int(k): name for k, name in self.header["kinds"].items()}
        arrays: dict[str, NDArray[Any]] = {}
        for name, (dtype, count, offset) in self.header["arrays"].items():
            arrays[name] = (
                np.memmap(path, dtype, "r", base + offset, (count,)) if count else np.empty(0, dtype)
            )
        self.tokens: NDArray[np.uint16] = arrays["tokens"]
        self.roles: NDArray[np.uint8] = arrays["roles"]
        self.offsets: NDArray[np.uint64] = arrays["offsets"]
        self.pages: NDArray[np.uint8] = arrays["pages"]
        self.first: NDArray[np.uint64] = arrays["first"]
        self.branches: NDArray[np.uint16] = arrays["branches"]
        self.parents: NDArray[np.uint16] = arrays["parents"]
        self.program: NDArray[np.uint16] = arrays["program"]
        self.kinds: NDArray[np.uint8] = arrays["kinds"]
        self.located: NDArray[np.uint8] = arrays["located"]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: int) -> Row:
        start, stop = int(self.offsets[index]), int(self.offsets[index + 1])
        members = slice(int(self.first[index]), int(self.first[index + 1]))
        return Row(
            self.tokens[start:stop], self.roles[start:stop], self.branches[members], self.parents[members]
        )


def write_shard(path: Path, groups: Sequence[Rendered], about: dict[str, Any]) -> None:
    """Write groups in their order, whole or not at all. `about` is kept in the header.

    Raises TrainingError where the disk is full.
    """
    number = {kind: KINDS[kind].id for group in groups for kind in group.kinds}
    kinds = {str(k): kind for kind, k in sorted(number.items(), key=lambda pair: pair[1])}
    arrays: dict[str, NDArray[Any]] = {
        "offsets": _ends(len(g.ids) for g in groups),
        "first": _ends(len(g.branches) for g in groups),
        "tokens": np.concatenate([np.empty(0, np.uint16), *(g.ids for g in groups)]),
        "branches": np.array([at for g in groups for at in g.branches], np.uint16),
        "parents": np.array([at for g in groups for at in g.parents], np.uint16),
        "program": np.array([at for g in groups for at in g.programs], np.uint16),
        "roles": np.concatenate([np.empty(0, np.uint8), *(g.roles for g in groups)]),
        "kinds": np.array([number[kind] for g in groups for kind in g.kinds], np.uint8),
        "located": np.array([located for g in groups for located in g.located], np.uint8),
        "pages": np.array([g.page_lines for g in groups], np.uint8),
    }
    places: dict[str, tuple[str, int, int]] = {}
    at = 0
    for name, array in arrays.items():
        places[name] = (array.dtype.str, len(array), at)
        at += -(-array.nbytes // _ALIGN) * _ALIGN
    header = json.dumps({"kinds": kinds, "arrays": places, "bytes": at, "about": about}).encode() + b"\n"
    try:
        with replacing(path) as partial, partial.open("wb") as file:
            file.write(_MAGIC + header)
            file.write(bytes(-file.tell() % _ALIGN))
            for array in arrays.values():
                file.write(array.tobytes())
                file.write(bytes(-array.nbytes % _ALIGN))
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise TrainingError(
                f"the disk of {path.parent} is full; free some space and run the command again: it continues"
            ) from error
        raise


def _ends(counts: Iterable[int]) -> NDArray[np.uint64]:
    return np.cumsum([0, *counts], dtype=np.uint64)
