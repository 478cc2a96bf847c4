"""Export: a directory the engine, the editor and transformers all read, with the training model's own logits."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import AutoModelForCausalLM

import training_data
from copydesk.editor import Editor
from copydesk.errors import TrainingError
from copydesk.models.load import load
from copydesk.models.plain_config import plain_config
from copydesk.prompting.codec import special_tokens
from copydesk.prompting.edit_format import EditFormat
from copydesk.request import EditRequest
from copydesk_training import checkpoint, train
from copydesk_training.export import export, exported
from copydesk_training.model import TrainingModel

FORMAT = EditFormat(after_copy="program")
VOCAB = 448


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    train.run(
        training_data.write(folder / "shards"), folder, size="xs", steps=3, threads=1, vocab=VOCAB,
        batch_tokens=512, validate=4,
    )  # fmt: skip
    return folder


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    made = Tokenizer(models.BPE({c: k for k, c in enumerate(alphabet)}, []))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens(special_tokens(FORMAT.max_number))
    path = tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"
    made.save(str(path))
    return path


def ids(length: int = 40) -> torch.Tensor:
    return torch.randint(0, VOCAB, (1, length), generator=torch.Generator().manual_seed(0))


def test_logits_are_the_training_models(run: Path, tokenizer: Path, tmp_path: Path) -> None:
    state = checkpoint.load(run)
    out = export(run, tokenizer, FORMAT, tmp_path, dtype=torch.float32)
    theirs = AutoModelForCausalLM.from_pretrained(out)
    assert type(theirs).__name__ == "Qwen2ForCausalLM"
    own = TrainingModel(state.config, dtype=torch.float32)
    own.load_state_dict(state.masters)
    with torch.no_grad():
        assert torch.allclose(own.logits(ids()), theirs(ids()).logits, atol=1e-4)


@pytest.mark.parametrize("shard_mib", [None, 1])
def test_the_editor_loads_it(run: Path, tokenizer: Path, tmp_path: Path, shard_mib: int | None) -> None:
    out = export(run, tokenizer.parent, FORMAT, tmp_path, shard_mib=shard_mib)
    files = list(out.glob("*.safetensors"))
    assert len(files) == 1 if shard_mib is None else len(files) > 1
    assert all(path.stat().st_size <= (shard_mib or 16) << 20 for path in files)
    assert load(out).model.vocab_size == VOCAB
    assert EditFormat.load(out) == FORMAT
    editor = Editor.load(out, device="cpu", warm=False)
    document = editor.open("a.py", "x = 1\ny = 2\n")
    result = document.edit(EditRequest(scope=[(2, 2)], max_tokens=20))
    assert result.status in ("edited", "unchanged"), result


def test_transformers_is_not_needed_to_read_its_configuration(
    run: Path, tokenizer: Path, tmp_path: Path
) -> None:
    assert plain_config(export(run, tokenizer, EditFormat(), tmp_path)) is not None


def test_weights_between_two_models(run: Path, tokenizer: Path, tmp_path: Path) -> None:
    state = checkpoint.load(run)
    zero = {name: torch.zeros_like(weight) for name, weight in state.masters.items()}
    checkpoint.save(tmp_path / "zero", replace(state, optimiser={**state.optimiser, "masters": zero}))
    other = export(tmp_path / "zero", tokenizer, FORMAT, tmp_path / "other", dtype=torch.float32)
    out = export(run, tokenizer, FORMAT, tmp_path / "out", dtype=torch.float32, average=other, share=0.25)
    _, found = exported(out)
    assert all(torch.allclose(found[name], weight / 4) for name, weight in state.masters.items())


def test_exporting_again_leaves_no_old_weights(run: Path, tokenizer: Path, tmp_path: Path) -> None:
    export(run, tokenizer, FORMAT, tmp_path, shard_mib=1)
    export(run, tokenizer, FORMAT, tmp_path)
    assert [path.name for path in tmp_path.glob("model*")] == ["model.safetensors"]


def test_the_card_says_what_it_was_made_of(run: Path, tokenizer: Path, tmp_path: Path) -> None:
    package = {"name": "example", "version": "1.2", "licence": "MIT", "files": 7, "split": "train"}
    manifest = tmp_path / "manifest.json"
    manifest.write_text(json.dumps({"packages": [package]}))
    out = export(run, tokenizer, FORMAT, tmp_path / "out", manifest, figures={"exact match": 0.5})
    card = (out / "README.md").read_text()
    assert "| example | 1.2 | MIT | 7 | train |" in card
    assert "| exact match | 0.5 |" in card
    assert "held-out pages p20" in card
    assert "## Weaknesses" in card


def test_a_missing_tokenizer_is_said(run: Path, tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="no tokenizer"):
        export(run, tmp_path / "absent.json", FORMAT, tmp_path / "out")
