"""Tiny random models with a byte-level tokenizer, for adapters to be trained on."""

from __future__ import annotations

from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from copydesk.adapters.tokens import extend
from copydesk.prompting.codec import Codec
from copydesk.prompting.edit_format import EditFormat
from copydesk.prompting.vocabulary import HFVocabulary
from tiny_models import FAMILY, build

FORMAT = EditFormat(warm_lines=32, after_copy="program", max_number=81)
SIZES = {"max_position_embeddings": 2048, "tie_word_embeddings": True, "attention_bias": False}
GROUPED = {"num_key_value_heads": 2, "head_dim": 16, "hidden_size": 64}


def byte_tokenizer() -> Tokenizer:
    """A token for every byte."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({c: k for k, c in enumerate(alphabet)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def directory(folder: Path, family: str = "llama", dtype: torch.dtype = torch.bfloat16) -> Path:
    """A model of `family` and its tokenizer, written to `folder`."""
    changes = {**SIZES, **GROUPED} if family in ("llama", "qwen2") else {"tie_word_embeddings": False}
    if family == "qwen2":
        changes.pop("attention_bias")
    build(FAMILY[family](256, **changes), dtype=dtype).save_pretrained(folder)
    PreTrainedTokenizerFast(tokenizer_object=byte_tokenizer()).save_pretrained(folder)
    return folder


def extended(base: Path, folder: Path) -> Codec:
    """The codec of FORMAT on the tokenizer of `base`, which is written to `folder` with the format's tokens."""
    tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
    extend(tokenizer, FORMAT)
    tokenizer.save(str(folder / "tokenizer.json"))
    return Codec(FORMAT, HFVocabulary(tokenizer))
