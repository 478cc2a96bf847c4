"""Small packages of real-looking Python and a tokenizer, for the tests of the training data."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from copydesk.prompting.codec import Codec
from copydesk.prompting.edit_format import EditFormat
from copydesk_training.licences import Decision
from copydesk_training.sources import File, Package
from vocabularies import corpus as library
from vocabularies import line_tokens

MIT = Decision(True, "MIT", "License-Expression")


def module(name: str, functions: int = 12) -> str:
    """A module whose lines nobody else has."""
    head = f'"""The module {name}."""\n\nimport os\nimport sys\nfrom collections import Counter\n\n\n'
    parts = [
        f"def {name}_{k}(values, default=None):\n"
        f'    """Count {name} number {k}."""\n'
        f"    if default is None:\n"
        f"        default = os.environ.get({name!r}, sys.platform)\n"
        f"    {name}_total = Counter(values)\n"
        f"    for key_{k} in values:\n"
        f"        {name}_total[key_{k}] += len(default) * {k}\n"
        f"    return {name}_total\n"
        for k in range(functions)
    ]
    return head + "\n\n".join(parts)


def package(name: str, files: dict[str, str | bytes], licence: Decision = MIT) -> Package:
    """A package of `files`."""

    def read() -> Iterator[File]:
        for path in sorted(files):
            data = files[path]
            yield path, data if isinstance(data, bytes) else data.encode()

    return Package(name, "1.0", "wheel", licence, read)


def wheel(folder: Path, name: str, files: dict[str, str], metadata: str) -> Path:
    """A wheel on disk."""
    path = folder / f"{name}-1.0-py3-none-any.whl"
    head = f"Metadata-Version: 2.4\nName: {name}\nVersion: 1.0\n"
    with zipfile.ZipFile(path, "w") as out:
        for inside, text in files.items():
            out.writestr(inside, text)
        out.writestr(f"{name}-1.0.dist-info/METADATA", f"{head}{metadata}\n")
    return path


@cache
def codec(after_copy: str = "program") -> Codec:
    """The `lines` format over a small tokenizer."""
    return Codec(EditFormat(after_copy=after_copy), line_tokens())  # type: ignore[arg-type]


def texts() -> tuple[str, ...]:
    """Real code."""
    return library()
