"""A model directory of Llama or Qwen2 architecture as one GGUF file, for llama.cpp: the inverse of what `convert.py` reads.

The file holds the weights (base and adapter are merged in the directory already), the tokenizer with its special tokens at the
same ids, and the chat template. Nothing of the edit format is in it: whoever asks the served model needs the directory, too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import torch
from safetensors import SafetensorError, safe_open

from copydesk.errors import FileRefusedError
from copydesk.files.atomic import replacing
from copydesk.files.regular_file import read_regular
from copydesk_server.errors import ModelStoreError
from copydesk_server.model_store.convert import TOKENIZER, WEIGHTS
from copydesk_server.model_store.gguf_tokenizer import gguf_tokenizer
from copydesk_server.model_store.gguf_weights import expected_shapes, gguf_name, in_pairs

PRECISIONS = ("bf16", "f16", "f32", "q8_0")
"""How weights can be written: bf16 is what the directory has, q8_0 half of that and about as exact as int8 on the CPU."""
_MOST_JSON = 1 << 28
_QUANTIZATIONS = {
    "bf16": gguf.GGMLQuantizationType.BF16,
    "f16": gguf.GGMLQuantizationType.F16,
    "f32": gguf.GGMLQuantizationType.F32,
    "q8_0": gguf.GGMLQuantizationType.Q8_0,
}
_FILE_TYPES = {
    "bf16": gguf.LlamaFileType.MOSTLY_BF16,
    "f16": gguf.LlamaFileType.MOSTLY_F16,
    "f32": gguf.LlamaFileType.ALL_F32,
    "q8_0": gguf.LlamaFileType.MOSTLY_Q8_0,
}


def export_gguf(
    directory: Path, target: Path, name: str, precision: str, progress: Callable[[int, int], None]
) -> None:
    """Write the model in `directory` to `target`, which is replaced whole or left as it was. name: what the file calls it.

    Raises ModelStoreError for a model that cannot be written so, and where a file cannot be read or written.
    """
    config = _json(directory / "config.json")
    kind = config.get("model_type")
    if kind not in ("llama", "qwen2") or config.get("attention_bias") or config.get("mlp_bias"):
        raise ModelStoreError(
            f"{directory} holds a {kind} model; only plain Llama and Qwen2 models are exported"
        )
    try:
        tokenizer = gguf_tokenizer(
            _json(directory / TOKENIZER), _json(directory / "tokenizer_config.json"), config["vocab_size"]
        )
        with replacing(target) as partial:
            writer = gguf.GGUFWriter(partial, kind)
            _describe(writer, config, name, precision)
            for key, value in tokenizer.items():
                _add(writer, key, value)
            for tensor, values in _tensors(directory / WEIGHTS, config, progress):
                stored = _QUANTIZATIONS[precision] if values.ndim > 1 else gguf.GGMLQuantizationType.F32
                writer.add_tensor(tensor, gguf.quants.quantize(values, stored), raw_dtype=stored)
            writer.write_header_to_file()
            writer.write_kv_data_to_file()
            writer.write_tensors_to_file()
            writer.close()
    except KeyError as error:
        raise ModelStoreError(f"{directory} does not say {error.args[0]}") from error
    except SafetensorError as error:
        raise ModelStoreError(f"{directory / WEIGHTS} is damaged: {error}") from error
    except OSError as error:
        raise ModelStoreError(f"{target} cannot be written: {error}") from error


def _describe(writer: gguf.GGUFWriter, config: Mapping[str, Any], name: str, precision: str) -> None:
    rope = config.get("rope_parameters") or {}
    if rope.get("rope_type", "default") != "default" or config.get("rope_scaling"):
        raise ModelStoreError("the model scales its rotary embedding, which is not exported")
    writer.add_name(name)
    writer.add_file_type(_FILE_TYPES[precision])
    writer.add_quantization_version(gguf.GGML_QUANT_VERSION)
    writer.add_vocab_size(config["vocab_size"])
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_key_length(config["head_dim"])
    writer.add_value_length(config["head_dim"])
    writer.add_rope_dimension_count(config["head_dim"])
    writer.add_rope_freq_base(rope.get("rope_theta", config.get("rope_theta", 10000.0)))
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])


def _add(writer: gguf.GGUFWriter, key: str, value: Any) -> None:
    if isinstance(value, bool):
        writer.add_bool(key, value)
    elif isinstance(value, int):
        writer.add_uint32(key, value)
    elif isinstance(value, str):
        writer.add_string(key, value)
    else:
        writer.add_array(key, value)


def _tensors(
    path: Path, config: Mapping[str, Any], progress: Callable[[int, int], None]
) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    """Every weight in fp32 under llama.cpp's name and in its layout."""
    shapes = expected_shapes(config)
    heads = {"q_proj": config["num_attention_heads"], "k_proj": config["num_key_value_heads"]}
    paired = config["model_type"] == "llama"
    with safe_open(path, framework="pt") as file:
        if unknown := sorted(set(file.keys()) - shapes.keys()):
            raise ModelStoreError(f"{path} holds {unknown[0]}, which such a model has not")
        for done, (name, shape) in enumerate(shapes.items(), 1):
            tensor = file.get_tensor(name)
            if tuple(tensor.shape) != shape:
                raise ModelStoreError(f"{name} has shape {tuple(tensor.shape)}, not {shape}")
            values = tensor.to(torch.float32).numpy()
            projection = re.search(r"([qk]_proj)\.weight\Z", name)
            yield gguf_name(name), in_pairs(values, heads[projection[1]]) if projection and paired else values
            progress(done, len(shapes))


def _json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(read_regular(path, _MOST_JSON))
    except (OSError, FileRefusedError, ValueError) as error:
        raise ModelStoreError(f"{path} cannot be read: {error}") from error
    if not isinstance(value, dict):
        raise ModelStoreError(f"{path} is not a JSON object")
    return value
