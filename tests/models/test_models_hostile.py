"""Model directories that are made to do harm: one named error each, before anything of them is used."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from copydesk.errors import FormatError, ModelError, TokenizerError
from copydesk.models import checkpoint
from copydesk.models.load import load
from copydesk.serving.loaded_model import LoadedModel
from copydesk_server.cli import main
from hostile_models import HOSTILE, Damage, config, index, poisoned
from special_files import impatient
from tiny_models import transformers_model

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a system without named pipes")


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny random model with a tokenizer of bytes and a format of tags."""
    folder = tmp_path_factory.mktemp("good")
    transformers_model("qwen2").save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE(vocab={char: k for k, char in enumerate(alphabet)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text("{}")
    (folder / "copydesk.json").write_text(json.dumps({"format": {"kind": "tags"}}))
    return folder


@pytest.fixture
def folder(good: Path, tmp_path: Path) -> Path:
    shutil.copytree(good, tmp_path / "model")
    return tmp_path / "model"


def test_there_are_many_and_the_good_one_loads(folder: Path) -> None:
    assert len(HOSTILE) >= 44
    assert len({name for name, _, _ in HOSTILE}) == len(HOSTILE)
    loaded_model = LoadedModel.load(folder, device="cpu")
    assert (loaded_model.model.vocab_size, loaded_model.vocabulary.size) == (300, 300)


@pytest.mark.parametrize(("damage", "part"), [(d, p) for _, d, p in HOSTILE], ids=[n for n, _, _ in HOSTILE])
def test_hostile_directories_are_named_errors(damage: Damage, part: str, folder: Path) -> None:
    damage(folder)
    with impatient(), pytest.raises((ModelError, TokenizerError, FormatError)) as caught:
        LoadedModel.load(folder, device="cpu")
    assert part in str(caught.value)


@pytest.mark.parametrize("name", ["/etc/shadow", "../outside.safetensors", "sub/x.safetensors"])
def test_nothing_outside_is_opened(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    real = checkpoint.safe_open
    for place in (folder / "sub", folder):
        place.mkdir(exist_ok=True)
        shutil.copyfile(folder / "model.safetensors", place.parent / "outside.safetensors")
    shutil.copyfile(folder / "model.safetensors", folder / "sub" / "x.safetensors")

    def recorded(path: Path, **named: Any) -> Any:
        opened.append(str(path))
        return real(path, **named)

    monkeypatch.setattr(checkpoint, "safe_open", recorded)
    index({"model.norm.weight": "model.safetensors", "model.embed_tokens.weight": name})(folder)
    with pytest.raises(ModelError, match="not a safetensors file of this directory"):
        load(folder, device="cpu")
    assert opened == []


@pytest.mark.parametrize(
    ("damage", "part"),
    [
        (poisoned("gpt_neox.embed_in.weight", float("nan")), "NaN or infinity"),
        (config(hidden_size=1 << 14, intermediate_size=1 << 16, num_attention_heads=64), "asks for"),
        (config(num_hidden_layers=-1), "num_hidden_layers"),
        (config(layer_norm_eps="nan"), "layer_norm_eps"),
        (config(num_hidden_layers=3), "missing"),
        (index({"gpt_neox.embed_in.weight": "/etc/shadow"}), "not a safetensors file"),
    ],
)
def test_models_of_other_families(damage: Damage, part: str, tmp_path: Path) -> None:
    transformers_model("neox").save_pretrained(tmp_path)
    (tmp_path / "tokenizer.json").write_text("{}")
    damage(tmp_path)
    with pytest.raises(ModelError) as caught:
        load(tmp_path, device="cpu")
    assert part in str(caught.value)


def test_weights_larger_than_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    from copydesk.models.load import check_memory

    check_memory(1 << 20, torch.device("cpu"))
    with pytest.raises(ModelError, match="GB"):
        check_memory(1 << 60, torch.device("cpu"))


@pytest.mark.parametrize("name", ["rms_norm_eps = 'nan'", "index names '/etc/shadow'", "config.json is pipe"])
def test_the_command_exits_with_2_and_a_line(
    name: str, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    damage = next(damage for known, damage, _ in HOSTILE if known == name)
    damage(folder)
    (folder.parent / "a.py").write_text("x = 1\n")
    monkeypatch.chdir(folder.parent)
    assert main(["refactor", "-i", "rename x", "--model", str(folder), "--device", "cpu", "a.py"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("copydesk: ")
    assert said.count("\n") == 1
