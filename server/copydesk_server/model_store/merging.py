"""A model made of an installed or freshly converted base and its adapter inside the package."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

from copydesk.adapters.adapter_file import read_adapter
from copydesk.adapters.merge import merge
from copydesk.errors import AdapterError
from copydesk.models import installed
from copydesk_server.errors import ModelStoreError
from copydesk_server.model_store.catalogue import MergedEntry
from copydesk_server.model_store.convert import compare, installed_digests


def merge_adapter(base: Path, entry: MergedEntry, target: Path, progress: Callable[[int, int], None]) -> None:
    """Write the base in the directory `base`, merged with the entry's adapter, into the folder `target`.

    Raises ModelStoreError where the two do not fit together, and where adapter or result are not what the catalogue recorded.
    """
    path = installed.adapter_of(entry.name)
    try:
        compare("adapter", hashlib.sha256(path.read_bytes()).hexdigest(), entry.adapter_sha256)
        merge(base, read_adapter(path), target, progress)
    except (OSError, AdapterError) as error:
        raise ModelStoreError(f"{entry.name} cannot be made: {error}") from error
    found = installed_digests(target)
    compare("merged tensors", found["tensors_sha256"], entry.tensors_sha256)
    compare("merged tokenizer", found["tokenizer_sha256"], entry.tokenizer_sha256)
    (target / "README.md").write_text(_card(entry), "utf-8")


def _card(entry: MergedEntry) -> str:
    return f"""# {entry.name}

{entry.title}: {entry.summary}.

- Licence: {entry.licence}
- Origin: {entry.origin}
- Made by `copydesk model get` from `{entry.base}` and the adapter inside copydesk, whose model card lies beside it.
- SHA-256 of the adapter: {entry.adapter_sha256}
- SHA-256 of the tensors: {entry.tensors_sha256}
"""
