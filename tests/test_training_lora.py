"""Fine-tuning a tiny random Qwen2 by adapters, through the same shards and loss."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

import training_data
from copydesk.editor import Editor
from copydesk.errors import ModelError, TrainingError
from copydesk.format import EditFormat
from copydesk.request import EditRequest
from copydesk.training.batches import Batches, Examples
from copydesk.training.lora import LoraStatus, _seen, run_lora, save_tokenizer
from copydesk.training.shard_file import write_shard
from copydesk_server.cli import main
from defect_files import files
from tiny_models import build, qwen2

pytest.importorskip("peft")


def better(seen: list[LoraStatus]) -> bool:
    """Whether the last few losses are lower than the first few: one batch says little."""
    few = len(seen) // 4
    return sum(s.loss for s in seen[-few:]) < sum(s.loss for s in seen[:few])


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
        model, shards, FORMAT, tmp_path / "out", steps=150, rate=3e-3, threads=1, batch_tokens=512,
        device="cpu", report=seen.append,
    )  # fmt: skip
    assert better(seen)
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


WIDE = 70_000


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model whose newline and letters have ids that 16 bits do not hold."""
    folder = tmp_path_factory.mktemp("wide")
    build(qwen2(WIDE)).save_pretrained(folder)
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {c: WIDE - len(alphabet) + k for k, c in enumerate(alphabet)}
    vocabulary |= {f"filler {k}": k for k in range(1, WIDE - len(alphabet))}
    vocabulary["<|endoftext|>"] = 0  # what transformers adds to Qwen's tokenizers that have none
    tokenizer = Tokenizer(models.BPE(vocabulary, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer).save_pretrained(folder)
    return folder


def test_a_vocabulary_beyond_16_bits(wide: Path, tmp_path: Path) -> None:
    shards = tmp_path / "shards"
    shards.mkdir()
    rng = np.random.default_rng(0)
    made = [training_data.rendered(rng, most=3) for _ in range(60)]
    made = [
        replace(one, ids=one.ids.astype(np.uint32) + np.uint32(WIDE - training_data.VOCAB)) for one in made
    ]
    write_shard(shards / "train-00-00000.bin", made, {})
    save_tokenizer(wide, shards)
    seen: list[LoraStatus] = []
    out = run_lora(
        wide, shards, FORMAT, tmp_path / "out", steps=24, rate=1e-2, threads=1, batch_tokens=512,
        device="cpu", report=seen.append,
    )  # fmt: skip
    assert better(seen)
    with Editor.load(out, device="cpu", warm=False) as editor:
        assert editor.toolkit.format == FORMAT
        assert editor.open("a.py", "x = 1\n").edit(EditRequest(scope=[(1, 1)], max_tokens=4)).status


def test_shards_of_another_tokenizer_are_refused(model: Path, wide: Path, tmp_path: Path) -> None:
    shards = training_data.write(tmp_path / "shards", shards=1)
    save_tokenizer(model, shards)
    with pytest.raises(TrainingError, match="another tokenizer"):
        run_lora(wide, shards, FORMAT, tmp_path / "out", steps=1, device="cpu")


def test_branches_on_one_page_do_not_see_each_other(model: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    group = training_data.rendered(rng, most=3)
    while len(group.branches) < 2:
        group = training_data.rendered(rng, most=3)
    row = group.ids[: group.branches[1]]
    alone = torch.from_numpy(
        np.concatenate([group.ids[: group.branches[0]], group.ids[group.branches[1] :]]).astype(np.int64)
    )
    write_shard(tmp_path / "train-00-00000.bin", [group], {})
    batch = Batches(Examples.open(tmp_path), tokens=64, lm_sample=0.0).next(0)
    net = build(qwen2(training_data.VOCAB)).eval()
    with torch.no_grad():
        both = net(input_ids=batch.ids, use_cache=False, **_seen(batch)).logits[0]
        one = net(input_ids=alone[None], use_cache=False).logits[0]
    size = min(len(group.ids) - len(row), batch.ids.shape[1] - len(row))
    begin = group.branches[0]
    stop = (group.branches[2] if len(group.branches) > 2 else len(group.ids)) - len(row)
    size = min(size, stop)
    torch.testing.assert_close(
        both[len(row) : len(row) + size - 1], one[begin : begin + size - 1], rtol=1e-4, atol=1e-4
    )


def test_the_command_line_fine_tunes(model: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    source = tmp_path / "own"
    source.mkdir()
    for k, text in enumerate(file.text for file in islice(files(), 3)):
        (source / f"m{k}.py").write_text(text)
    argv = ["train", "--work", str(work), "--model", str(model), "--lora", "4", "--minutes", "0.05", "--only-sources", "--own",
            "--source", str(source), "--device", "cpu", "--density", "0.1", "--quiet"]  # fmt: skip
    assert main(argv) == 0
    with Editor.load(work / "model", device="cpu", warm=False) as editor:
        assert editor.toolkit.format.kind == "tags"


def test_what_cannot_be_fine_tuned_is_said(model: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError):
        run_lora(tmp_path / "absent", tmp_path, FORMAT, tmp_path / "out", device="cpu")
    with pytest.raises(TrainingError, match="rewrite"):
        run_lora(model, tmp_path, EditFormat(kind="rewrite"), tmp_path / "out", device="cpu")
