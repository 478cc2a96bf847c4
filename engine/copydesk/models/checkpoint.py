"""The weights of a model directory: safetensors files, their headers looked at before a tensor is read.

A name in the index is a plain name of a file in the directory, or nothing is opened. What a header may say (offsets within the
file, none overlapping, sizes as shapes and types ask) is checked by the safetensors library when it opens a file; how long one
may be, and that no tensor comes twice, here. Knows files and tensors by name; no architecture.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import torch
from safetensors import SafetensorError, safe_open

from copydesk.errors import FileRefusedError, ModelError
from copydesk.files.regular_file import is_plain_name, read_regular_text
from copydesk.models.directory import INDEX, MAX_TEXT_BYTES, MAX_WEIGHTS_BYTES, WEIGHTS, check_file

Fetch = Callable[[str], torch.Tensor | None]
"""A checkpoint's tensor by name, None when it has none of that name."""

MAX_HEADER_BYTES = 32 << 20
"""100,000 tensors have a header of some 15 MB."""
MAX_FILES = 1000
STORED = ("F64", "F32", "F16", "BF16")
"""What weights may be stored as, as safetensors names it."""


class Expected(NamedTuple):
    """What a model needs of one tensor."""

    size: tuple[int, ...]
    needed: bool


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """All tensors of a directory, by name. headers: shape and safetensors' name of the type."""

    directory: Path
    headers: dict[str, tuple[tuple[int, ...], str]]
    handles: dict[str, Any]

    @property
    def numbers(self) -> int:
        """How many numbers all tensors hold together."""
        return sum(_count(shape) for shape, _ in self.headers.values())

    def fetch(self, name: str) -> torch.Tensor | None:
        """Raises ModelError where it cannot be read."""
        handle = self.handles.get(name)
        if handle is None:
            return None
        try:
            result: torch.Tensor = handle.get_tensor(name)
        except (SafetensorError, OSError, ValueError, RuntimeError) as error:
            raise ModelError(f"weight {name} in {self.directory} is corrupt: {error}") from error
        return result

    def check(self, expected: Mapping[str, Expected]) -> None:
        """Raises ModelError where a weight that is needed is missing, or has another shape, or is stored as no number."""
        for name, (size, needed) in expected.items():
            header = self.headers.get(name)
            if header is None:
                if needed:
                    raise ModelError(f"weight {name} is missing in {self.directory}")
                continue
            shape, stored = header
            if shape != size:
                raise ModelError(f"weight {name} has shape {shape}, the configuration says {size}")
            if stored not in STORED:
                raise ModelError(f"weight {name} is stored as {stored}, not as one of {', '.join(STORED)}")


@contextmanager
def open_checkpoint(directory: Path) -> Iterator[Checkpoint]:
    """Raises ModelError for missing or corrupt files, and for names that lead out of the directory."""
    promised = _promised(directory)
    files = sorted(set(promised.values())) if promised is not None else [WEIGHTS]
    with ExitStack() as stack:
        headers: dict[str, tuple[tuple[int, ...], str]] = {}
        handles: dict[str, Any] = {}
        for name in files:
            path = directory / name
            if not path.is_file():
                raise ModelError(f"{path} is missing (weights must be safetensors)")
            check_file(path, MAX_WEIGHTS_BYTES)
            _check_header_length(path)
            try:
                handle = stack.enter_context(safe_open(path, framework="pt"))
                names: list[str] = handle.keys()
                for tensor in names:
                    if tensor in headers:
                        raise ModelError(f"weight {tensor} comes twice in {directory}")
                    part = handle.get_slice(tensor)
                    headers[tensor] = tuple(part.get_shape()), str(part.get_dtype())
                    handles[tensor] = handle
            except (SafetensorError, OSError, ValueError) as error:
                raise ModelError(f"{path} is corrupt: {error}") from error
        if promised is not None and (lost := sorted(promised.keys() - headers.keys())):
            raise ModelError(f"weight {lost[0]} is in the index of {directory} and in no file")
        yield Checkpoint(directory, headers, handles)


def check_finite(name: str, weight: torch.Tensor) -> None:
    """Raises ModelError where a weight holds what is no number. One pass over the memory: a sum is finite if its terms are."""
    if not weight.is_floating_point():
        return
    if not torch.isfinite(weight.sum(dtype=torch.float32)) and not torch.isfinite(weight).all():
        raise ModelError(f"weight {name} holds NaN or infinity")


def _promised(directory: Path) -> dict[str, str] | None:
    """The index: which file each tensor is in. None where there is no index. Raises ModelError."""
    path = directory / INDEX
    try:
        said = json.loads(read_regular_text(path, MAX_TEXT_BYTES))
        found = said["weight_map"]
        if not isinstance(found, dict) or not found:
            raise ValueError("`weight_map` names no weights")
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, RecursionError, FileRefusedError) as error:
        raise ModelError(f"{path} is not an index of weights: {error}") from error
    for name in found.values():
        if not is_plain_name(name) or not name.endswith(".safetensors"):
            raise ModelError(f"{path} names {str(name)[:80]!r}: not a safetensors file of this directory")
    if len(set(found.values())) > MAX_FILES:
        raise ModelError(f"{path} names more than {MAX_FILES} files")
    return found


def _check_header_length(path: Path) -> None:
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
    if length > MAX_HEADER_BYTES:
        raise ModelError(f"{path} is corrupt: its header would have {length:,} bytes")


def _count(shape: tuple[int, ...]) -> int:
    count = 1
    for size in shape:
        count *= size
    return count
