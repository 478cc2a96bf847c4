"""The files of a model directory, looked at before any of them is opened: regular files, of sizes that make sense.

What is checked is all that copydesk, transformers and tokenizers would read, by name. Knows names and sizes; not what files hold.
"""

from __future__ import annotations

import os
from pathlib import Path

from copydesk.errors import FileRefusedError, ModelError
from copydesk.files.regular_file import check_regular

CONFIG = "config.json"
INDEX = "model.safetensors.index.json"
WEIGHTS = "model.safetensors"
TOKENIZER_FILES = ("tokenizer.json", "tokenizer.model", "vocab.json", "vocab.txt")
MAX_TEXT_BYTES = 256 << 20
"""Of a tokenizer, the largest file that is not weights."""
MAX_CONFIG_BYTES = 4 << 20
MAX_WEIGHTS_BYTES = 1 << 38
"""Of one file of weights: the hub takes none of more than 50 GB."""
_TEXT = (".json", ".txt", ".model", ".jinja")
_TEMPLATES = "additional_chat_templates"


def check_files(directory: Path) -> None:
    """Raises ModelError for a file that is read by some library and is a pipe, a device, a directory, or too large."""
    for folder in (directory, directory / _TEMPLATES):
        try:
            names = sorted(os.listdir(folder))
        except FileNotFoundError:
            continue
        except OSError as error:
            raise ModelError(f"{folder} cannot be read: {error.strerror}") from error
        for name in names:
            limit = limit_of(name)
            if limit is not None:
                check_file(folder / name, limit)


def check_file(path: Path, limit: int) -> None:
    """Raises ModelError for anything but a regular file of at most `limit` bytes."""
    try:
        check_regular(path, limit)
    except (OSError, FileRefusedError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ModelError(f"{path} cannot be read: {why}") from error


def limit_of(name: str) -> int | None:
    """The most bytes a file of this name may have; None for files that nothing reads."""
    if name in (CONFIG, "copydesk.json", "generation_config.json"):
        return MAX_CONFIG_BYTES
    if name.endswith(".safetensors"):
        return MAX_WEIGHTS_BYTES
    return MAX_TEXT_BYTES if name.endswith(_TEXT) else None
