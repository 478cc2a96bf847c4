"""The configuration of a model that copydesk wrote (`train export`, `model get`), read without transformers.

Importing transformers' configurations takes longer than all the rest of loading such a model (0.75 of 1.0 s). What is read here
says everything itself, so no default of transformers' is repeated; a file with anything more or less is not read here.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

from copydesk.errors import FileRefusedError
from copydesk.files.regular_file import read_regular_text

MAX_CONFIG_BYTES = 4 << 20
_SAID = frozenset(
    {
        "model_type",
        "dtype",
        "hidden_act",
        "vocab_size",
        "hidden_size",
        "intermediate_size",
        "num_hidden_layers",
        "num_attention_heads",
        "num_key_value_heads",
        "max_position_embeddings",
        "rope_parameters",
        "rms_norm_eps",
        "tie_word_embeddings",
    }
)
_FIXED: dict[str, dict[str, object]] = {
    "qwen2": {"use_sliding_window": False},
    "llama": {"attention_bias": False, "mlp_bias": False},
}
"""What else an architecture's configuration says, and the only value of it that is read here."""
_OPTIONAL: dict[str, frozenset[str]] = {"qwen2": frozenset(), "llama": frozenset({"head_dim"})}
_IGNORED = frozenset({"architectures", "bos_token_id", "eos_token_id", "pad_token_id"})
"""Nothing that the forward depends on."""


def plain_config(directory: Path) -> SimpleNamespace | None:
    """What `config.json` in `directory` says, by attribute; None where transformers has to read it. Raises: never."""
    try:
        said = json.loads(read_regular_text(directory / "config.json", MAX_CONFIG_BYTES))
    except (OSError, ValueError, RecursionError, FileRefusedError):
        return None
    fixed = _FIXED.get(str(said.get("model_type"))) if isinstance(said, dict) else None
    if fixed is None or any(said.get(key) is not value for key, value in fixed.items()):
        return None
    if said.keys() - _IGNORED - _OPTIONAL[said["model_type"]] != _SAID | fixed.keys():
        return None
    rope = said["rope_parameters"]
    if not isinstance(rope, dict) or rope.keys() != {"rope_type", "rope_theta"}:
        return None
    return SimpleNamespace(**said) if rope["rope_type"] == "default" else None
