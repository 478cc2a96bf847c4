"""The model that is measured, twice over the same weights: as this engine runs it, and as transformers does.

Either a model directory, or a published shape with random weights: how long a forward takes does not depend on them, and
a random model can say anything when its choices are scripted. Knows no documents.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from copydesk.models.checkpoint import open_checkpoint
from copydesk.models.llama import LlamaModel
from copydesk.models.load import choose_device, choose_dtype, quiet, read_config
from copydesk.prompting.edit_format import EditFormat
from copydesk.prompting.vocabulary import HFVocabulary
from copydesk.serving.loaded_model import EMBEDDED, LoadedModel

SHAPES: dict[str, dict[str, Any]] = {
    "135m": {
        "vocab_size": 49152, "hidden_size": 576, "intermediate_size": 1536, "num_hidden_layers": 30,
        "num_attention_heads": 9, "num_key_value_heads": 3, "tie_word_embeddings": True,
    },
    "1.5b": {
        "vocab_size": 151936, "hidden_size": 1536, "intermediate_size": 8960, "num_hidden_layers": 28,
        "num_attention_heads": 12, "num_key_value_heads": 2, "tie_word_embeddings": True,
    },
    "7b": {
        "vocab_size": 152064, "hidden_size": 3584, "intermediate_size": 18944, "num_hidden_layers": 28,
        "num_attention_heads": 28, "num_key_value_heads": 4, "tie_word_embeddings": False,
    },
    # Small enough for a test, and for trying the CUDA script where there is no GPU.
    "tiny": {
        "vocab_size": 8448, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2,
        "num_attention_heads": 4, "num_key_value_heads": 2, "tie_word_embeddings": True,
    },
}  # fmt: skip
"""SmolLM2's (135m, the standard model's) and Qwen2.5's published sizes."""
LLAMAS = ("135m",)
"""Shapes of the Llama family; the others are Qwen2's."""
POSITIONS = 1 << 17
"""Rotary positions go on by the same formula; a baseline that rewrites a long file needs more of them than a small model has."""

ARENA = 1 << 17
"""Slots of keys and values on CUDA: room for every page there is here, beside a second copy of the weights."""


@dataclass(slots=True)
class Subject:
    """name: as tables call it. directory: where tokenizer and edit format lie. model, rival: one set of weights, two forwards."""

    name: str
    model: LlamaModel
    rival: Any
    directory: Path
    parameters: int

    @property
    def device(self) -> torch.device:
        return self.model.device

    @property
    def dtype(self) -> torch.dtype:
        return self.model.dtype

    @property
    def weight_bytes(self) -> int:
        """What a decode step has to read: all weights, of an untied embedding only the one row."""
        weights = self.model.weights
        tensors = [weights.norm, weights.head, *(t for layer in weights.layers for t in layer)]
        return sum(t.numel() * t.element_size() for t in tensors if t is not None)

    def loaded_model(self, cache_folder: Path | None = None) -> LoadedModel:
        """The engine over `model`, with the tokenizer and format of `directory`. Raises TokenizerError, FormatError."""
        vocabulary = HFVocabulary.from_directory(self.directory, self.model.vocab_size)
        return LoadedModel.of(
            self.model, EditFormat.load(self.directory), vocabulary, cache_folder=cache_folder
        )


def load(directory: Path | None, *, device: str = "auto", dtype: str = "auto") -> Subject:
    """The model of a directory (None: the embedded one). Raises ModelError."""
    from transformers import AutoModelForCausalLM

    place = EMBEDDED if directory is None else directory
    target = choose_device(device)
    config = read_config(place)
    kind = choose_dtype(dtype, target, getattr(config, "dtype", None))
    with open_checkpoint(place) as checkpoint:
        model = LlamaModel(config, checkpoint.fetch, name=place.name, device=target, dtype=kind)
    with quiet():
        rival = AutoModelForCausalLM.from_pretrained(
            place, dtype=kind, local_files_only=True, trust_remote_code=False
        )
    return _subject("the embedded model" if directory is None else place.name, model, rival, target, place)


def random(shape: str, *, device: str = "auto", dtype: str = "bf16", seed: int = 0) -> Subject:
    """A shape of `SHAPES` with random weights, speaking through the embedded model's tokenizer."""
    from transformers import AutoModelForCausalLM, LlamaConfig, Qwen2Config

    target = choose_device(device)
    kind = choose_dtype(dtype, target, None)
    sizes = {**SHAPES[shape], "max_position_embeddings": POSITIONS}
    llama = shape in LLAMAS
    config = LlamaConfig(**sizes) if llama else Qwen2Config(**sizes, use_sliding_window=False)
    family = "SmolLM2" if llama else "Qwen2.5"
    torch.manual_seed(seed)
    standing = torch.get_default_dtype()
    torch.set_default_dtype(kind)
    try:
        with torch.device(target):
            rival = AutoModelForCausalLM.from_config(config)
    finally:
        torch.set_default_dtype(standing)
    tensors: Callable[[str], torch.Tensor | None] = rival.state_dict().get
    model = LlamaModel(config, tensors, name=f"{family}-{shape} shape", device=target, dtype=kind)
    return _subject(f"{family}-{shape} shape, random weights", model, rival, target, EMBEDDED)


def _subject(name: str, model: LlamaModel, rival: Any, device: torch.device, directory: Path) -> Subject:
    rival = rival.eval().to(device)
    rival.generation_config.eos_token_id = None  # what ends a replay is the length of its text
    rival.generation_config.pad_token_id = 0
    rival.generation_config.do_sample = False
    rival.config.max_position_embeddings = POSITIONS
    parameters = sum(p.numel() for p in rival.parameters())
    if device.type == "cuda":
        model.run_static(capture=True, slots=ARENA)
    return Subject(name, model, rival, directory, parameters)
