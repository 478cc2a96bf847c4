"""One shard on disk: examples as flat arrays, mapped into memory rather than read.

A shard is a line of magic, one line of JSON that says where each array lies, and the arrays:

    tokens   uint16 [T]      all examples end to end
    roles    uint8  [T]      `examples.Role` of each token
    offsets  uint64 [N + 1]  example i is tokens[offsets[i]:offsets[i + 1]]
    program  uint16 [N]      where the program begins within the example
    kinds    uint8  [N]      number of the kind (`defects.KINDS`), named by `Shard.kind_names`
    pages    uint8  [N]      page length in lines the example was made for
    located  uint8  [N]      whether the request points at the place

It knows nothing of how examples are made or used.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copydesk.errors import TrainingError
from copydesk.training.defects import KINDS
from copydesk.training.examples import Rendered

_MAGIC = b"copydesk shard 1\n"
_ALIGN = 64


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
        self.program: NDArray[np.uint16] = arrays["program"]
        self.kinds: NDArray[np.uint8] = arrays["kinds"]
        self.pages: NDArray[np.uint8] = arrays["pages"]
        self.located: NDArray[np.uint8] = arrays["located"]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: int) -> tuple[NDArray[np.uint16], NDArray[np.uint8]]:
        """Tokens and roles of one example."""
        start, stop = int(self.offsets[index]), int(self.offsets[index + 1])
        return self.tokens[start:stop], self.roles[start:stop]


def write_shard(path: Path, examples: Sequence[tuple[Rendered, str, bool]], about: dict[str, Any]) -> None:
    """Write (rendered, kind, located) examples in their order, whole or not at all. `about` is kept in the header.

    Raises TrainingError where the disk is full.
    """
    number = {kind: KINDS[kind].id for _, kind, _ in examples}
    kinds = {str(k): kind for kind, k in sorted(number.items(), key=lambda pair: pair[1])}
    offsets = np.zeros(len(examples) + 1, np.uint64)
    np.cumsum([len(r.ids) for r, _, _ in examples], out=offsets[1:])
    arrays: dict[str, NDArray[Any]] = {
        "offsets": offsets,
        "tokens": np.concatenate([np.empty(0, np.uint16), *(r.ids for r, _, _ in examples)]),
        "program": np.array([r.program for r, _, _ in examples], np.uint16),
        "roles": np.concatenate([np.empty(0, np.uint8), *(r.roles for r, _, _ in examples)]),
        "kinds": np.array([number[kind] for _, kind, _ in examples], np.uint8),
        "pages": np.array([r.page_lines for r, _, _ in examples], np.uint8),
        "located": np.array([located for _, _, located in examples], np.uint8),
    }
    places: dict[str, tuple[str, int, int]] = {}
    at = 0
    for name, array in arrays.items():
        places[name] = (array.dtype.str, len(array), at)
        at += -(-array.nbytes // _ALIGN) * _ALIGN
    header = json.dumps({"kinds": kinds, "arrays": places, "bytes": at, "about": about}).encode() + b"\n"
    partial = path.with_name(path.name + ".partial")
    try:
        with partial.open("wb") as file:
            file.write(_MAGIC + header)
            file.write(bytes(-file.tell() % _ALIGN))
            for array in arrays.values():
                file.write(array.tobytes())
                file.write(bytes(-array.nbytes % _ALIGN))
        os.replace(partial, path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        if error.errno == errno.ENOSPC:
            raise TrainingError(
                f"the disk of {path.parent} is full; free some space and run the command again: it continues"
            ) from error
        raise
