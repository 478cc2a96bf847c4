"""The configuration of a model that `copydesk train export` wrote, read without transformers.

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
        "use_sliding_window",
    }
)
_IGNORED = frozenset({"architectures", "bos_token_id", "eos_token_id", "pad_token_id"})
"""Nothing that the forward depends on."""


def plain_config(directory: Path) -> SimpleNamespace | None:
    """What `config.json` in `directory` says, by attribute; None where transformers has to read it. Raises: never."""
    try:
        said = json.loads(read_regular_text(directory / "config.json", MAX_CONFIG_BYTES))
    except (OSError, ValueError, RecursionError, FileRefusedError):
        return None
    if not isinstance(said, dict) or said.keys() - _IGNORED != _SAID:
        return None
    rope = said["rope_parameters"]
    plain = said["model_type"] == "qwen2" and said["use_sliding_window"] is False
    if not plain or not isinstance(rope, dict) or rope.keys() != {"rope_type", "rope_theta"}:
        return None
    return SimpleNamespace(**said) if rope["rope_type"] == "default" else None
