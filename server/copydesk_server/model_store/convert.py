"""A GGUF file as a model directory: tensors, configuration, tokenizer, model card."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import gguf
import safetensors.torch
from safetensors import SafetensorError

from copydesk.models.tensor_digest import tensors_sha256
from copydesk_server.errors import ModelStoreError
from copydesk_server.model_store import gguf_tokenizer, gguf_weights
from copydesk_server.model_store.catalogue import Entry

WEIGHTS = "model.safetensors"
TOKENIZER = "tokenizer.json"


def convert(source: Path, entry: Entry, target: Path, progress: Callable[[int, int], None]) -> None:
    """Write the model in the GGUF file `source` into the folder `target`.

    Raises ModelStoreError for what cannot be converted, and where the result is not what the catalogue recorded.
    """
    try:
        reader = gguf.GGUFReader(source)
        said = gguf_weights.metadata(reader)
    except (ValueError, KeyError, IndexError, OverflowError) as error:
        raise ModelStoreError(f"{source.name} is not a GGUF file that can be read: {error}") from error
    config = gguf_weights.model_config(said, tied=gguf_weights.holds_one_table(reader))
    tensors = gguf_weights.model_tensors(reader, config, progress)
    compare("converted tensors", tensors_sha256(tensors), entry.tensors_sha256)
    # Spelled as the `tokenizers` library spells its files: where a model was published with one, the digest is that file's.
    tokenizer = json.dumps(gguf_tokenizer.tokenizer_json(said), ensure_ascii=False, indent=2).encode()
    compare("converted tokenizer", hashlib.sha256(tokenizer).hexdigest(), entry.tokenizer_sha256)
    (target / TOKENIZER).write_bytes(tokenizer)
    _write_json(target / "config.json", config)
    _write_json(target / "tokenizer_config.json", gguf_tokenizer.tokenizer_config(said))
    (target / "README.md").write_text(_card(entry), "utf-8")
    try:
        safetensors.torch.save_file(tensors, target / WEIGHTS, metadata={"format": "pt"})
    except SafetensorError as error:  # what the library makes of an OSError
        raise ModelStoreError(f"{target / WEIGHTS} cannot be written: {error}") from error


def installed_digests(directory: Path) -> dict[str, str]:
    """The digests of the tensors and the tokenizer in a model directory. Raises ModelStoreError where they cannot be read."""
    try:
        tensors = safetensors.torch.load_file(directory / WEIGHTS)
        tokenizer = (directory / TOKENIZER).read_bytes()
    except (SafetensorError, OSError) as error:
        raise ModelStoreError(f"{directory} is damaged: {error}") from error
    return {
        "tensors_sha256": tensors_sha256(tensors),
        "tokenizer_sha256": hashlib.sha256(tokenizer).hexdigest(),
    }


def compare(what: str, found: str, wanted: str) -> None:
    """Raises ModelStoreError where a digest is not the catalogue's."""
    if found != wanted:
        raise ModelStoreError(
            f"the SHA-256 of the {what} is {found}, the catalogue says {wanted}: not installed"
        )


def _write_json(path: Path, value: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n", "utf-8")


def _card(entry: Entry) -> str:
    return f"""# {entry.name}

{entry.title}: {entry.summary}.

- Licence: {entry.licence}
- Origin: {entry.origin}
- Made from {entry.source} by `copydesk model get`: quantised weights computed back and rounded to bf16. They are not the tensors
  of the origin's own bf16 weights.
- SHA-256 of the GGUF: {entry.gguf_sha256}
- SHA-256 of the tensors: {entry.tensors_sha256}
"""
