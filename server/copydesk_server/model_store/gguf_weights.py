"""Weights and configuration of a Llama or Qwen2 model in a GGUF file, as transformers names and lays them out.

Quantised blocks are computed back to fp32 by the `gguf` package and rounded to bf16. llama.cpp stores the rows of query and
key projections of Llama models in another order, for its rotation pairs neighbours where transformers pairs halves; that order
is undone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import gguf
import numpy as np
import torch

from copydesk_server.errors import ModelStoreError

Tensors = dict[str, torch.Tensor]
Progress = Callable[[int, int], None]
"""Called with how much is done, and of how much."""

_EMBEDDING, _OUTPUT = "token_embd.weight", "output.weight"
_OUTSIDE = {
    _EMBEDDING: "model.embed_tokens.weight",
    "output_norm.weight": "model.norm.weight",
    _OUTPUT: "lm_head.weight",
}
_IN_LAYER = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
_TOKENS, _KINDS = "tokenizer.ggml.tokens", "tokenizer.ggml.token_type"
_BIASED = frozenset({"attn_q", "attn_k", "attn_v"})
_COMPARED_ROWS = 4096
_SAME_TABLE = 0.1
"""How far two quantisations of one table may lie apart, by the table's norm (Q5_0 and Q8_0 of Qwen2.5-Coder: 0.04)."""
_LAYER = re.compile(r"blk\.(\d+)\.(\w+)\.(weight|bias)\Z")
_CLASSES = {"llama": "LlamaForCausalLM", "qwen2": "Qwen2ForCausalLM"}
"""Architectures, as both GGUF files and transformers name them, and transformers' classes."""


def metadata(reader: gguf.GGUFReader) -> dict[str, Any]:
    """Every key of the file's header with its value. Unused tokens at the end, there to pad the table, are left out."""
    said = {name: field.contents() for name, field in reader.fields.items()}
    kinds = said.get(_KINDS)
    if isinstance(kinds, list):
        used = len(kinds)
        while used and kinds[used - 1] == gguf.TokenType.UNUSED:
            used -= 1
        said |= {key: said[key][:used] for key in (_KINDS, _TOKENS) if isinstance(said.get(key), list)}
    return said


def model_config(said: Mapping[str, Any], *, tied: bool) -> dict[str, Any]:
    """What `config.json` says of the model with these metadata. Raises ModelStoreError for another architecture.

    tied: the embedding is the output layer, too.
    """
    kind = said.get("general.architecture")
    if kind not in _CLASSES:
        raise ModelStoreError(f"the GGUF holds a {kind} model, neither Llama nor Qwen2")
    if scaling := [key for key in said if key.startswith(f"{kind}.rope.scaling")]:
        raise ModelStoreError(f"the GGUF scales its rotary embedding ({scaling[0]}), which is not converted")
    try:
        heads = said[f"{kind}.attention.head_count"]
        return {
            "architectures": [_CLASSES[kind]],
            "model_type": kind,
            "dtype": "bfloat16",
            "hidden_act": "silu",
            "vocab_size": len(said[_TOKENS]),
            "hidden_size": said[f"{kind}.embedding_length"],
            "intermediate_size": said[f"{kind}.feed_forward_length"],
            "num_hidden_layers": said[f"{kind}.block_count"],
            "num_attention_heads": heads,
            "num_key_value_heads": said.get(f"{kind}.attention.head_count_kv", heads),
            "head_dim": said.get(f"{kind}.attention.key_length", said[f"{kind}.embedding_length"] // heads),
            "max_position_embeddings": said[f"{kind}.context_length"],
            "rope_parameters": {
                "rope_type": "default",
                "rope_theta": _shortest(said.get(f"{kind}.rope.freq_base", 10000.0)),
            },
            "rms_norm_eps": _shortest(said[f"{kind}.attention.layer_norm_rms_epsilon"]),
            **({"attention_bias": False, "mlp_bias": False} if kind == "llama" else {}),
            "tie_word_embeddings": tied,
            "bos_token_id": said.get("tokenizer.ggml.bos_token_id"),
            "eos_token_id": said.get("tokenizer.ggml.eos_token_id"),
            "pad_token_id": said.get("tokenizer.ggml.padding_token_id"),
        }
    except KeyError as error:
        raise ModelStoreError(f"the GGUF does not say {error.args[0]}") from error


def holds_one_table(reader: gguf.GGUFReader) -> bool:
    """Whether embedding and output layer are one matrix: the file has no output layer, or the same, quantised in another way."""
    both = {tensor.name: tensor for tensor in reader.tensors if tensor.name in (_EMBEDDING, _OUTPUT)}
    if len(both) < 2:
        return _OUTPUT not in both
    embedding, output = (both[name] for name in (_EMBEDDING, _OUTPUT))
    if list(embedding.shape) != list(output.shape):
        return False
    first, second = (_values(tensor, _COMPARED_ROWS) for tensor in (embedding, output))
    return bool(np.linalg.norm(first - second) < _SAME_TABLE * np.linalg.norm(second))


def model_tensors(reader: gguf.GGUFReader, config: Mapping[str, Any], progress: Progress) -> Tensors:
    """Every weight in bf16 under its transformers name. A table that the file holds twice is read as the output layer, which
    llama.cpp quantises more finely. Raises ModelStoreError for tensors a model of this configuration has not, or lacks.
    """
    pairs = {"q_proj.weight": config["num_attention_heads"], "k_proj.weight": config["num_key_value_heads"]}
    found: Tensors = {}
    names = {tensor.name for tensor in reader.tensors}
    total = sum(int(tensor.n_elements) for tensor in reader.tensors)
    done = 0
    for tensor in reader.tensors:
        done += int(tensor.n_elements)
        if config["tie_word_embeddings"] and tensor.name == _EMBEDDING and _OUTPUT in names:
            continue
        name = _transformers_name(tensor.name, config)
        values = _values(tensor)
        if tensor.name in (_EMBEDDING, _OUTPUT):
            values = values[: config["vocab_size"]]
        projection = next((heads for ending, heads in pairs.items() if name.endswith(ending)), None)
        if projection is not None and config["model_type"] == "llama":
            values = _in_halves(values, projection)
        # A copy: the values may still lie in the file's memory map.
        found[name] = torch.from_numpy(np.array(values, dtype=np.float32)).to(torch.bfloat16)
        progress(done, total)
    for name, shape in expected_shapes(config).items():
        if name not in found:
            raise ModelStoreError(f"the GGUF lacks {name}")
        if tuple(found[name].shape) != shape:
            raise ModelStoreError(f"{name} has shape {tuple(found[name].shape)}, not {shape}")
    return found


def expected_shapes(config: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """The shape of every weight that a model of this configuration has."""
    hidden, inner, width = config["hidden_size"], config["intermediate_size"], config["head_dim"]
    query, key = config["num_attention_heads"] * width, config["num_key_value_heads"] * width
    in_layer: dict[str, tuple[int, ...]] = {
        "input_layernorm.weight": (hidden,),
        "self_attn.q_proj.weight": (query, hidden),
        "self_attn.k_proj.weight": (key, hidden),
        "self_attn.v_proj.weight": (key, hidden),
        "self_attn.o_proj.weight": (hidden, query),
        "post_attention_layernorm.weight": (hidden,),
        "mlp.gate_proj.weight": (inner, hidden),
        "mlp.up_proj.weight": (inner, hidden),
        "mlp.down_proj.weight": (hidden, inner),
    }
    if config["model_type"] == "qwen2":
        in_layer |= {f"self_attn.{x}_proj.bias": (query if x == "q" else key,) for x in "qkv"}
    shapes: dict[str, tuple[int, ...]] = {
        "model.embed_tokens.weight": (config["vocab_size"], hidden),
        "model.norm.weight": (hidden,),
    }
    for layer in range(config["num_hidden_layers"]):
        shapes |= {f"model.layers.{layer}.{name}": shape for name, shape in in_layer.items()}
    return (
        shapes
        if config["tie_word_embeddings"]
        else shapes | {"lm_head.weight": (config["vocab_size"], hidden)}
    )


def _transformers_name(name: str, config: Mapping[str, Any]) -> str:
    if name == _OUTPUT and config["tie_word_embeddings"]:
        name = _EMBEDDING
    if name in _OUTSIDE:
        return _OUTSIDE[name]
    match = _LAYER.match(name)
    if match is not None and match[2] in _IN_LAYER and int(match[1]) < config["num_hidden_layers"]:
        found = f"model.layers.{match[1]}.{_IN_LAYER[match[2]]}.{match[3]}"
        if match[3] == "weight" or (config["model_type"] == "qwen2" and match[2] in _BIASED):
            return found
    raise ModelStoreError(f"the GGUF holds a tensor {name}, which such a model has not")


def _values(tensor: gguf.ReaderTensor, rows: int | None = None) -> np.ndarray[Any, Any]:
    """Its numbers in fp32, or those of its first rows. Raises ModelStoreError for a kind of quantisation that the `gguf` package
    cannot undo.
    """
    try:
        return gguf.dequantize(tensor.data[:rows], tensor.tensor_type)
    except NotImplementedError as error:
        raise ModelStoreError(f"{tensor.name} is quantised as {tensor.tensor_type.name}: {error}") from error


def gguf_name(name: str) -> str:
    """llama.cpp's name of a tensor that transformers calls `name`."""
    outside = {theirs: ours for ours, theirs in _OUTSIDE.items()}
    if name in outside:
        return outside[name]
    inside = {theirs: ours for ours, theirs in _IN_LAYER.items()}
    layer, _, rest = name.removeprefix("model.layers.").partition(".")
    part, _, kind = rest.rpartition(".")
    return f"blk.{layer}.{inside[part]}.{kind}"


def in_pairs(weight: np.ndarray[Any, Any], heads: int) -> np.ndarray[Any, Any]:
    """The inverse of `_in_halves`: rows as llama.cpp lays them out."""
    rows, columns = weight.shape
    return weight.reshape(heads, 2, rows // heads // 2, columns).swapaxes(1, 2).reshape(rows, columns)


def _in_halves(weight: np.ndarray[Any, Any], heads: int) -> np.ndarray[Any, Any]:
    """Rows [heads x width, in] whose rotated pairs are neighbours, reordered so that a pair is row i and i + width / 2 of its
    head. The inverse of `permute` in llama.cpp's convert_hf_to_gguf.py."""
    rows, columns = weight.shape
    return weight.reshape(heads, rows // heads // 2, 2, columns).swapaxes(1, 2).reshape(rows, columns)


def _shortest(value: float) -> float:
    """The fp32 number `value` as the shortest decimal that means it: 1e-05, not 9.999999747378752e-06."""
    return float(str(np.float32(value)))
