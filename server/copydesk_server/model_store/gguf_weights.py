"""Weights and configuration of a Llama model in a GGUF file, as transformers names and lays them out.

Quantised blocks are computed back to fp32 by the `gguf` package and rounded to bf16. llama.cpp stores the rows of query and
key projections in another order, for its rotation pairs neighbours where transformers pairs halves; that order is undone.
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

_OUTSIDE = {
    "token_embd.weight": "model.embed_tokens.weight",
    "output_norm.weight": "model.norm.weight",
    "output.weight": "lm_head.weight",
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
_LAYER = re.compile(r"blk\.(\d+)\.(\w+)\.weight\Z")


def metadata(reader: gguf.GGUFReader) -> dict[str, Any]:
    """Every key of the file's header with its value."""
    return {name: field.contents() for name, field in reader.fields.items()}


def llama_config(said: Mapping[str, Any], *, tied: bool) -> dict[str, Any]:
    """What `config.json` says of the model with these metadata. Raises ModelStoreError for another architecture.

    tied: the embedding is the output layer, too.
    """
    if said.get("general.architecture") != "llama":
        raise ModelStoreError(f"the GGUF holds a {said.get('general.architecture')} model, not a Llama model")
    if scaling := [key for key in said if key.startswith("llama.rope.scaling")]:
        raise ModelStoreError(f"the GGUF scales its rotary embedding ({scaling[0]}), which is not converted")
    try:
        heads = said["llama.attention.head_count"]
        return {
            "architectures": ["LlamaForCausalLM"],
            "model_type": "llama",
            "dtype": "bfloat16",
            "hidden_act": "silu",
            "vocab_size": len(said["tokenizer.ggml.tokens"]),
            "hidden_size": said["llama.embedding_length"],
            "intermediate_size": said["llama.feed_forward_length"],
            "num_hidden_layers": said["llama.block_count"],
            "num_attention_heads": heads,
            "num_key_value_heads": said.get("llama.attention.head_count_kv", heads),
            "head_dim": said.get("llama.attention.key_length", said["llama.embedding_length"] // heads),
            "max_position_embeddings": said["llama.context_length"],
            "rope_parameters": {
                "rope_type": "default",
                "rope_theta": _shortest(said.get("llama.rope.freq_base", 10000.0)),
            },
            "rms_norm_eps": _shortest(said["llama.attention.layer_norm_rms_epsilon"]),
            "attention_bias": False,
            "mlp_bias": False,
            "tie_word_embeddings": tied,
            "bos_token_id": said.get("tokenizer.ggml.bos_token_id"),
            "eos_token_id": said.get("tokenizer.ggml.eos_token_id"),
            "pad_token_id": said.get("tokenizer.ggml.padding_token_id"),
        }
    except KeyError as error:
        raise ModelStoreError(f"the GGUF does not say {error.args[0]}") from error


def llama_tensors(reader: gguf.GGUFReader, config: Mapping[str, Any], progress: Progress) -> Tensors:
    """Every weight in bf16 under its transformers name. Raises ModelStoreError for tensors a Llama model has not, or lacks."""
    heads, kv_heads = config["num_attention_heads"], config["num_key_value_heads"]
    found: Tensors = {}
    total = sum(int(tensor.n_elements) for tensor in reader.tensors)
    done = 0
    for tensor in reader.tensors:
        name = _llama_name(tensor.name, config["num_hidden_layers"])
        try:
            values = gguf.dequantize(tensor.data, tensor.tensor_type)
        except NotImplementedError as error:
            raise ModelStoreError(
                f"{tensor.name} is quantised as {tensor.tensor_type.name}: {error}"
            ) from error
        if name.endswith("q_proj.weight"):
            values = _in_halves(values, heads)
        elif name.endswith("k_proj.weight"):
            values = _in_halves(values, kv_heads)
        # A copy: the values may still lie in the file's memory map.
        found[name] = torch.from_numpy(np.array(values, dtype=np.float32)).to(torch.bfloat16)
        done += int(tensor.n_elements)
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
        "input_layernorm": (hidden,),
        "self_attn.q_proj": (query, hidden),
        "self_attn.k_proj": (key, hidden),
        "self_attn.v_proj": (key, hidden),
        "self_attn.o_proj": (hidden, query),
        "post_attention_layernorm": (hidden,),
        "mlp.gate_proj": (inner, hidden),
        "mlp.up_proj": (inner, hidden),
        "mlp.down_proj": (hidden, inner),
    }
    shapes: dict[str, tuple[int, ...]] = {
        "model.embed_tokens.weight": (config["vocab_size"], hidden),
        "model.norm.weight": (hidden,),
    }
    for layer in range(config["num_hidden_layers"]):
        shapes |= {f"model.layers.{layer}.{name}.weight": shape for name, shape in in_layer.items()}
    return (
        shapes
        if config["tie_word_embeddings"]
        else shapes | {"lm_head.weight": (config["vocab_size"], hidden)}
    )


def _llama_name(name: str, layers: int) -> str:
    if name in _OUTSIDE:
        return _OUTSIDE[name]
    match = _LAYER.match(name)
    if match is None or match[2] not in _IN_LAYER or int(match[1]) >= layers:
        raise ModelStoreError(f"the GGUF holds a tensor {name}, which a Llama model has not")
    return f"model.layers.{match[1]}.{_IN_LAYER[match[2]]}.weight"


def gguf_name(name: str) -> str:
    """llama.cpp's name of a Llama weight that transformers calls `name`."""
    outside = {theirs: ours for ours, theirs in _OUTSIDE.items()}
    if name in outside:
        return outside[name]
    inside = {theirs: ours for ours, theirs in _IN_LAYER.items()}
    layer, _, rest = name.removeprefix("model.layers.").partition(".")
    return f"blk.{layer}.{inside[rest.removesuffix('.weight')]}.weight"


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
