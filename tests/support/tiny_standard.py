"""A small stand-in for `standard`: an adapter for the base of `gguf_files`, and the catalogue's entry for both merged."""

from __future__ import annotations

import tempfile
from dataclasses import asdict
from pathlib import Path

import torch
from tokenizers import Tokenizer

from copydesk.adapters.adapter_file import Adapter, AdapterState, read_adapter, write_adapter
from copydesk.adapters.base import read_config
from copydesk.adapters.merge import merge
from copydesk.adapters.tokens import extend
from copydesk.prompting.edit_format import EditFormat
from copydesk_server.model_store import convert
from copydesk_server.model_store.catalogue import MergedEntry
from gguf_files import Source, sha256

NAME = "standard"
FORMAT = EditFormat(page_lines=16, page_overlap=8, header_lines=4, max_number=24, after_copy="program")
RANK = 4


def write_tiny_adapter(path: Path, base: Path, digest: str, seed: int) -> None:
    """Random updates for the base in the directory `base`, whose tensors have this digest."""
    config = read_config(base)
    random = torch.Generator().manual_seed(seed)
    tokens = extend(Tokenizer.from_file(str(base / "tokenizer.json")), FORMAT)
    tensors = {}
    for layer in range(config.layers):
        for name, (outputs, inputs) in config.linears.items():
            tensors[f"{layer}_{name}_down"] = torch.randn(RANK, inputs, generator=random) / 8
            tensors[f"{layer}_{name}_up"] = torch.randn(outputs, RANK, generator=random) / 8
    state = AdapterState(base=digest, rank=RANK, scale=0.5, tokens=tokens, format=FORMAT.to_dict())
    write_adapter(path, Adapter(state, tensors, torch.randn(len(tokens), config.hidden, generator=random)))


def make_standard(path: Path, source: Source, seed: int) -> MergedEntry:
    """Write an adapter to `path`; the entry for it and the base in `source`, its digests computed by the merge itself."""
    with tempfile.TemporaryDirectory() as folder:
        base, merged = Path(folder) / "base", Path(folder) / "merged"
        base.mkdir()
        convert.convert(source.gguf, source.entry, base, lambda *_: None)
        write_tiny_adapter(path, base, source.entry.tensors_sha256, seed)
        digests = convert.installed_digests(merge(base, read_adapter(path), merged))
    return MergedEntry(
        name=NAME, title="Tiny standard", summary="random weights", licence="Apache-2.0", origin="tests", parameters=1,
        base=source.entry.name, adapter_sha256=sha256(path.read_bytes()), installed_bytes=2_000_000, **digests,
    )  # fmt: skip


def catalogue_of(*entries: object) -> dict[str, object]:
    """What `catalogue.json` would say."""
    return {"models": [asdict(entry) for entry in entries]}  # type: ignore[call-overload]
