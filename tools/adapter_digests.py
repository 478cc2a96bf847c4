"""Record in the catalogue what a merged model is made of by now: to be run after its adapter in the package was replaced.

    python tools/adapter_digests.py standard|coder

It merges the installed base with the adapter in `engine/copydesk/models/NAME/` in a temporary folder, and writes the digests of
adapter, tensors and tokenizer, and the number of parameters, to the catalogue of `copydesk model`.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from pathlib import Path

from safetensors.torch import load_file

from copydesk.adapters.adapter_file import read_adapter
from copydesk.adapters.merge import merge
from copydesk.models.installed import adapter_of, installed_directory, not_installed
from copydesk_server.model_store.catalogue import CATALOGUE, MergedEntry, entry
from copydesk_server.model_store.convert import WEIGHTS, installed_digests


def main(name: str) -> int:
    """Raises AdapterError where base and adapter do not belong together."""
    listed = entry(name)
    assert isinstance(listed, MergedEntry)
    base = installed_directory(listed.base)
    if base is None:
        sys.stderr.write(f"{not_installed(listed.base)}\n")
        return 2
    path = adapter_of(name)
    with tempfile.TemporaryDirectory() as folder:
        made = merge(base, read_adapter(path), Path(folder))
        found: dict[str, object] = dict(installed_digests(made))
        found["parameters"] = sum(tensor.numel() for tensor in load_file(made / WEIGHTS).values())
    found["adapter_sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    said = json.loads(CATALOGUE.read_text("utf-8"))
    for model in said["models"]:
        if model["name"] == name:
            model.update(found)
    CATALOGUE.write_text(json.dumps(said, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
