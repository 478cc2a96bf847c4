"""The configuration of a model that `copydesk train export` or `copydesk model get` wrote, read without transformers.

Importing transformers' configurations takes longer than all the rest of loading such a model. What is read here
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
_PLAIN: dict[str, dict[str, bool]] = {
    "llama": {"attention_bias": False, "mlp_bias": False},
    "qwen2": {"use_sliding_window": False},
}
"""What an architecture's file says besides, and the value that the forward needs no code for."""
_OPTIONAL = {"llama": frozenset({"head_dim"})}
_IGNORED = frozenset({"architectures", "bos_token_id", "eos_token_id", "pad_token_id"})
"""Nothing that the forward depends on."""


def plain_config(directory: Path) -> SimpleNamespace | None:
    """What `config.json` in `directory` says, by attribute; None where transformers has to read it. Raises: never."""
    try:
        said = json.loads(read_regular_text(directory / "config.json", MAX_CONFIG_BYTES))
    except (OSError, ValueError, RecursionError, FileRefusedError):
        return None
    if not isinstance(said, dict):
        return None
    kind = str(said.get("model_type"))
    plain = _PLAIN.get(kind)
    if plain is None or any(said.get(key) is not value for key, value in plain.items()):
        return None
    if said.keys() - _IGNORED - _OPTIONAL.get(kind, frozenset()) != _SAID | plain.keys():
        return None
    rope = said["rope_parameters"]
    if not isinstance(rope, dict) or rope.keys() != {"rope_type", "rope_theta"}:
        return None
    return SimpleNamespace(**said) if rope["rope_type"] == "default" else None
