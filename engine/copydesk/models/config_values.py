"""Whether the values of a `config.json` are ones a model can have: types, ranges, finite numbers.

transformers takes what it is given: a width of minus one, an epsilon called "nan" or a billion layers come to light as a
traceback, as memory that runs out, or never. Names are those of every decoder-only architecture; a name that is not known is
only asked for numbers that are finite. Knows plain JSON values.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from copydesk.errors import FileRefusedError, ModelError
from copydesk.files.regular_file import read_regular_text
from copydesk.models.directory import CONFIG, MAX_CONFIG_BYTES

MAX_DEPTH = 16
MAX_VALUES = 100_000

_WIDTH, _COUNT, _POSITIONS = (1, 1 << 20), (1, 1 << 12), (1, 1 << 32)
_WHOLE: dict[str, tuple[int, int]] = {
    "vocab_size": (1, 1 << 24),
    **dict.fromkeys(("hidden_size", "intermediate_size", "n_embd", "n_inner", "d_model", "ffn_dim"), _WIDTH),
    **dict.fromkeys(("num_hidden_layers", "num_layers", "n_layer", "n_layers"), _COUNT),
    **dict.fromkeys(("num_attention_heads", "num_key_value_heads", "n_head", "num_heads"), _COUNT),
    "head_dim": (2, 1 << 14),
    **dict.fromkeys(
        ("max_position_embeddings", "n_positions", "n_ctx", "sliding_window", "max_window_layers"), _POSITIONS
    ),
    "original_max_position_embeddings": _POSITIONS,
}
_MAY_BE_ZERO = frozenset({"max_window_layers"})
_MAY_BE_NULL = frozenset(
    {"head_dim", "num_key_value_heads", "n_inner", "sliding_window", "intermediate_size"}
)
_REAL: dict[str, tuple[float, float]] = {
    **dict.fromkeys(("rms_norm_eps", "layer_norm_eps", "layer_norm_epsilon", "norm_eps"), (0.0, 1.0)),
    **dict.fromkeys(("rope_theta", "rotary_emb_base"), (1e-6, 1e15)),
    **dict.fromkeys(("rotary_pct", "partial_rotary_factor"), (0.0, 1.0)),
    **dict.fromkeys(("factor", "attention_factor", "short_factor", "long_factor"), (1e-6, 1e6)),
}
_SWITCHES = frozenset(
    {"tie_word_embeddings", "use_sliding_window", "attention_bias", "mlp_bias", "use_cache", "is_encoder_decoder"}
)  # fmt: skip
_WORDS = frozenset({"model_type", "hidden_act", "hidden_activation", "rope_type"})
_DTYPE = re.compile(r"(torch\.)?(float(16|32|64)|bfloat16|auto)\Z")


def read_values(directory: Path) -> dict[str, Any]:
    """What `config.json` in `directory` says, every value looked at. Raises ModelError."""
    path = directory / CONFIG
    try:
        said = json.loads(read_regular_text(path, MAX_CONFIG_BYTES), parse_constant=_no_number)
    except FileNotFoundError:
        raise ModelError(f"{directory} holds no {CONFIG}") from None
    except (OSError, ValueError, RecursionError, FileRefusedError) as error:
        raise ModelError(f"{path} is not a configuration that can be used: {error}") from error
    if not isinstance(said, dict):
        raise ModelError(f"{path} is not a configuration that can be used: it is no JSON object")
    try:
        check_values(said)
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from None
    return said


def check_values(said: dict[str, Any]) -> None:
    """Raises ModelError for the first value that no model can have."""
    for key, value in _all(said):
        _check(key, value)
    if not isinstance(said.get("model_type"), str):
        raise ModelError("`model_type` must be a string")
    kinds = said.get("layer_types")
    if kinds is not None and not (isinstance(kinds, list) and all(isinstance(kind, str) for kind in kinds)):
        raise ModelError("`layer_types` must be a list of strings")
    for key in ("rope_parameters", "rope_scaling"):
        if not isinstance(said.get(key), dict | None):
            raise ModelError(f"`{key}` must be an object")
    _check_heads(said)


def _check_heads(said: dict[str, Any]) -> None:
    heads, hidden = said.get("num_attention_heads"), said.get("hidden_size")
    groups, width = said.get("num_key_value_heads"), said.get("head_dim")
    if heads and groups and heads % groups:
        raise ModelError(f"{heads} attention heads cannot share {groups} key and value heads")
    if heads and hidden and width is None and (hidden % heads or hidden // heads < 2):
        raise ModelError(f"a hidden size of {hidden} cannot be split among {heads} heads")
    if (
        heads
        and hidden
        and (width or hidden // heads) % 2
        and said["model_type"] in ("llama", "mistral", "qwen2", "qwen3")
    ):
        raise ModelError("a head's width must be even to be rotated")


def _all(said: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Every value with the name it has, an entry of a list with the list's. Raises ModelError for too many, or too deep."""
    waiting: list[tuple[str, Any, int]] = [(key, value, 1) for key, value in said.items()]
    for _ in range(MAX_VALUES):
        if not waiting:
            return
        key, value, depth = waiting.pop()
        if depth > MAX_DEPTH:
            raise ModelError(f"it is nested more than {MAX_DEPTH} deep")
        if isinstance(value, dict):
            waiting += [(name, inner, depth + 1) for name, inner in value.items()]
        elif isinstance(value, list):
            waiting += [(key, inner, depth + 1) for inner in value]
        if not isinstance(value, dict | list):
            yield key, value
        elif key in _WHOLE or key in _SWITCHES or key in _WORDS or key in ("dtype", "torch_dtype"):
            raise ModelError(f"`{key}` must be a single value")
    raise ModelError(f"it holds more than {MAX_VALUES:,} values")


def _check(key: str, value: Any) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise ModelError(f"`{key}` is not a finite number")
    if isinstance(value, int) and abs(value) >= 1 << 63:
        raise ModelError(f"`{key}` is too large a number")
    if key in _WHOLE and not (value is None and key in _MAY_BE_NULL):
        low, high = _WHOLE[key]
        low = 0 if key in _MAY_BE_ZERO else low
        if type(value) is not int or not low <= value <= high:
            raise ModelError(f"`{key}` must be a whole number from {low} to {high}, not {_shown(value)}")
    if key in _REAL and value is not None:
        least, most = _REAL[key]
        if type(value) not in (int, float) or not least <= value <= most:
            raise ModelError(f"`{key}` must be a number from {least:g} to {most:g}, not {_shown(value)}")
    if key in _SWITCHES and value is not None and type(value) is not bool:
        raise ModelError(f"`{key}` must be true or false, not {_shown(value)}")
    if key in _WORDS and value is not None and not isinstance(value, str):
        raise ModelError(f"`{key}` must be a string, not {_shown(value)}")
    if key in ("dtype", "torch_dtype") and value is not None:
        if not isinstance(value, str) or not _DTYPE.match(value):
            raise ModelError(f"`{key}` must be float32, float16 or bfloat16, not {_shown(value)}")


def _shown(value: Any) -> str:
    return json.dumps(value)[:40]


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a finite number")
