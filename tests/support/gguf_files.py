"""A small Llama or Qwen2 in a GGUF file, quantised and laid out as llama.cpp writes one, its wheel, and the catalogue's entry."""

from __future__ import annotations

import hashlib
import json
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from copydesk.models.tensor_digest import tensors_sha256
from copydesk_server.errors import ModelStoreError
from copydesk_server.model_store import gguf_tokenizer, gguf_weights
from copydesk_server.model_store.catalogue import Entry, Wheel
from vocabularies import corpus

NAME = "tiny-base"
HIDDEN, INNER, HEADS, KV_HEADS, LAYERS = 96, 128, 6, 2, 2
SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
MEMBER = "tiny_wheel/tiny.Q4_1.gguf"
WHEEL = "tiny_wheel-1.0-py3-none-any.whl"
TEMPLATE = "{% for message in messages %}<|im_start|>{{ message['content'] }}<|im_end|>{% endfor %}"

Array = np.ndarray[Any, Any]


@cache
def trained_tokenizer() -> Tokenizer:
    """A small byte-level BPE with digits alone: the tokenizer that the GGUF's own has to equal."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=500, special_tokens=list(SPECIAL), initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator([corpus()[0]], trainer)
    return tokenizer


@cache
def weights(arch: str = "llama") -> dict[str, Array]:
    """Random weights in fp32, by their names in transformers."""
    random = np.random.default_rng(7)
    width = HIDDEN // HEADS
    config = {
        "model_type": arch, "hidden_size": HIDDEN, "intermediate_size": INNER, "head_dim": width, "num_attention_heads": HEADS,
        "num_key_value_heads": KV_HEADS, "num_hidden_layers": LAYERS, "tie_word_embeddings": True,
        "vocab_size": trained_tokenizer().get_vocab_size(),
    }  # fmt: skip
    shapes = gguf_weights.expected_shapes(config)
    return {name: random.normal(0, 0.2, shape).astype(np.float32) for name, shape in shapes.items()}


def neighbours(weight: Array, heads: int) -> Array:
    """Rows reordered as llama.cpp's convert_hf_to_gguf.py does it to queries and keys (`LlamaModel.permute`)."""
    shape = weight.shape
    return weight.reshape(heads, 2, shape[0] // heads // 2, *shape[1:]).swapaxes(1, 2).reshape(shape)


def write_gguf(path: Path, **changes: Any) -> Path:
    """The file. `changes`: other metadata (`pre`, `model`, `arch`), `drop` leaves out a tensor, `add` names one too many, `twice`
    holds the table a second time, times that factor, `unused` pads it with so many rows.
    """
    spec = json.loads(trained_tokenizer().to_str())["model"]
    tokens = sorted(spec["vocab"], key=spec["vocab"].__getitem__)
    unused = changes.get("unused", 0)
    arch = changes.get("arch", "llama")
    writer = gguf.GGUFWriter(path, arch)
    writer.add_context_length(256)
    writer.add_embedding_length(HIDDEN)
    writer.add_feed_forward_length(INNER)
    writer.add_block_count(LAYERS)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_HEADS)
    writer.add_rope_freq_base(100000.0)
    writer.add_rope_dimension_count(HIDDEN // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(tokens) + unused)
    if "scaling" in changes:
        writer.add_rope_scaling_type(changes["scaling"])
    writer.add_tokenizer_model(changes.get("model", "gpt2"))
    writer.add_tokenizer_pre(changes.get("pre", "smollm"))
    writer.add_token_list([*tokens, *(f"[PAD{k}]" for k in range(unused))])
    writer.add_token_types([*(3 if token in SPECIAL else 1 for token in tokens), *[5] * unused])
    writer.add_token_merges(changes.get("merges", [" ".join(pair) for pair in spec["merges"]]))
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_pad_token_id(2)
    writer.add_chat_template(TEMPLATE)
    names = {ours: theirs for theirs, ours in _gguf_names().items()}
    for name, weight in weights("qwen2" if arch == "qwen2" else "llama").items():
        if name == changes.get("drop"):
            continue
        if arch == "llama" and (".q_proj." in name or ".k_proj." in name):
            weight = neighbours(weight, HEADS if ".q_proj." in name else KV_HEADS)
        if weight.ndim == 1:
            writer.add_tensor(names[name], weight)
            continue
        kind = gguf.GGMLQuantizationType.Q8_0 if "embed" in name else gguf.GGMLQuantizationType.Q4_1
        if "embed" in name:
            weight = np.concatenate([weight, np.zeros((unused, HIDDEN), np.float32)])
            if "twice" in changes:
                again = gguf.quantize(weight * changes["twice"], kind)
                writer.add_tensor("output.weight", again, raw_dtype=kind)
                kind = gguf.GGMLQuantizationType.Q5_0
        writer.add_tensor(names[name], gguf.quantize(weight, kind), raw_dtype=kind)
    if "add" in changes:
        writer.add_tensor(changes["add"], np.zeros(32, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _gguf_names() -> dict[str, str]:
    """llama.cpp's name of every tensor, to transformers' name."""
    parts = {
        "attn_norm": "input_layernorm", "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj",
        "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj", "ffn_norm": "post_attention_layernorm",
        "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj",
    }  # fmt: skip
    names = {"token_embd.weight": "model.embed_tokens.weight", "output_norm.weight": "model.norm.weight"}
    for layer in range(LAYERS):
        for kind in ("weight", "bias"):
            names |= {f"blk.{layer}.{a}.{kind}": f"model.layers.{layer}.{b}.{kind}" for a, b in parts.items()}
    return names


@dataclass(frozen=True, slots=True)
class Source:
    """A GGUF file of an architecture, the wheel that holds it, and the catalogue's entry for both."""

    arch: str
    gguf: Path
    wheel: Path
    entry: Entry


def make_source(folder: Path, **changes: Any) -> Source:
    """The files, written to `folder`, and an entry with their digests. Changes of `write_gguf`."""
    path = write_gguf(folder / "tiny.gguf", **changes)
    wheel = write_wheel(folder / WHEEL, path.read_bytes())
    return Source(changes.get("arch", "llama"), path, wheel, entry_of(path, wheel))


def write_wheel(path: Path, member: bytes, name: str = MEMBER) -> Path:
    distribution, version, _ = path.name.split("-", 2)
    info = f"{distribution}-{version}.dist-info"
    about = (
        f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\nRequires-Dist: no-such-package\n"
    )
    files: dict[str, bytes] = {
        name: member,
        # Whoever imports it is found out.
        "tiny_wheel/__init__.py": b"raise SystemExit('a wheel of weights was imported')\n",
        f"{info}/METADATA": about.encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{file},,\n" for file in [*files, f"{info}/RECORD"])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, data in {**files, f"{info}/RECORD": record.encode()}.items():
            archive.writestr(file, data)
    return path


def entry_of(path: Path, wheel: Path) -> Entry:
    """The entry, its digests of tensors and tokenizer computed by the conversion itself."""
    tensors, tokenizer = "0" * 64, "0" * 64
    with suppress(ModelStoreError):  # a file that is not to be converted: its digests do not matter
        reader = gguf.GGUFReader(path)
        said = gguf_weights.metadata(reader)
        config = gguf_weights.model_config(said, tied=gguf_weights.holds_one_table(reader))
        tensors = tensors_sha256(gguf_weights.model_tensors(reader, config, lambda *_: None))
        spelled = json.dumps(gguf_tokenizer.tokenizer_json(said), ensure_ascii=False, indent=2)
        tokenizer = sha256(spelled.encode())
    return Entry(
        name=NAME, title="Tiny", summary="random weights", licence="Apache-2.0", origin="tests", parameters=1,
        wheels=(wheel_of(wheel, path.stat().st_size),), gguf=path.name, gguf_sha256=sha256(path.read_bytes()),
        gguf_bytes=path.stat().st_size, tensors_sha256=tensors, tokenizer_sha256=tokenizer, installed_bytes=2_000_000,
    )  # fmt: skip


def wheel_of(path: Path, size: int) -> Wheel:
    """What the catalogue says of a wheel that holds a file of `size` bytes."""
    distribution, version, _ = path.name.split("-", 2)
    digest, length = sha256(path.read_bytes()), path.stat().st_size
    return Wheel(distribution.replace("_", "-"), version, path.name, digest, length, MEMBER, size)


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
