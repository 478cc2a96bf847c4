"""Fine-tuning a tiny random Qwen2 by adapters, through the same shards and loss."""

from __future__ import annotations

from pathlib import Path

import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

import training_data
from copydesk.editor import Editor
from copydesk.errors import ModelError, TrainingError
from copydesk.format import EditFormat
from copydesk.training.lora import LoraStatus, run_lora
from tiny_models import build, qwen2

pytest.importorskip("peft")

FORMAT = EditFormat(kind="tags", after_copy="span")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    build(qwen2(training_data.VOCAB)).save_pretrained(folder)
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({c: k for k, c in enumerate(alphabet)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer).save_pretrained(folder)
    return folder


def test_it_learns_and_the_editor_loads_the_merged_weights(model: Path, tmp_path: Path) -> None:
    shards = training_data.write(tmp_path / "shards")
    seen: list[LoraStatus] = []
    out = run_lora(
        model, shards, FORMAT, tmp_path / "out", steps=30, rate=2e-2, threads=1, batch_tokens=512,
        device="cpu", lm_weight=0.1, report=seen.append,
    )  # fmt: skip
    assert seen[-1].loss < seen[0].loss
    assert Editor.load(out, device="cpu", warm=False).toolkit.format == FORMAT


def test_the_adapter_alone(model: Path, tmp_path: Path) -> None:
    shards = training_data.write(tmp_path / "shards", shards=1)
    out = run_lora(
        model,
        shards,
        FORMAT,
        tmp_path / "out",
        steps=1,
        threads=1,
        batch_tokens=256,
        device="cpu",
        merge=False,
    )
    assert (out / "adapter_model.safetensors").is_file()
    assert (out / "copydesk.json").is_file()


def test_what_cannot_be_fine_tuned_is_said(model: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError):
        run_lora(tmp_path / "absent", tmp_path, FORMAT, tmp_path / "out", device="cpu")
    with pytest.raises(TrainingError, match="rewrite"):
        run_lora(model, tmp_path, EditFormat(kind="rewrite"), tmp_path / "out", device="cpu")
