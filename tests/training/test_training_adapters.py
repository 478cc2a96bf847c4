"""Adapters on tiny random models: gradients, saving, resuming, and the way to a model directory that the engine serves."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random

import pytest
import torch
from tokenizers import Tokenizer
from transformers.models.auto.modeling_auto import AutoModelForCausalLM

import git_repositories
from adapter_bases import FORMAT, byte_tokenizer, directory, extended
from copydesk.adapters.adapter_file import Adapter, quantise, read_adapter, write_adapter
from copydesk.adapters.base import read_base
from copydesk.adapters.merge import merge
from copydesk.adapters.tokens import RESERVED, extend, format_tokens
from copydesk.editor import Editor
from copydesk.errors import AdapterError, TrainingError
from copydesk.prompting.codec import Codec
from copydesk.prompting.vocabulary import HFVocabulary
from copydesk.request import EditRequest
from copydesk_server.cli import main
from copydesk_training import defects, kernels, own_code, pairs, shard_plan
from copydesk_training.adapters.mean import mean
from copydesk_training.adapters.model import AdaptedModel
from copydesk_training.adapters.run import AdapterRun, Options, Progress
from copydesk_training.adapters.tokens import first_rows
from copydesk_training.batches import Batches, Examples
from copydesk_training.examples import Renderer
from copydesk_training.shard_file import write_shard
from defect_files import files
from tiny_models import FAMILY


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return directory(tmp_path_factory.mktemp("base"))


@pytest.fixture(scope="module")
def shards(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Real examples in the base's tokens, grouped on pages."""
    folder = tmp_path_factory.mktemp("shards")
    renderer = Renderer(extended(base, folder))
    made = []
    for file in islice(files(), 6):
        examples = defects.examples(file.text, Random(0), 12)
        made += [group for example in examples if not isinstance(group := renderer.render(example, 12), str)]
    (folder / "manifest.json").write_text(json.dumps({"format": FORMAT.to_dict(), "fingerprint": "real"}))
    write_shard(folder / "train-00-00000.bin", [g for g in made if len(g.ids) < 1500], {})
    return folder


def adapted(base: Path, dtype: torch.dtype, *, native: bool, upper: int | None = None) -> AdaptedModel:
    found = read_base(base, dtype)
    tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
    tokens = extend(tokenizer, FORMAT)
    rows = first_rows(tokenizer, tokens, found.embedding)
    model = AdaptedModel(found, rows, 4, upper=upper, kernels=kernels.load() if native else None)
    draw = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for name, parameter in model.adapters.items():
            if name.endswith("_up"):
                parameter.copy_(torch.randn(parameter.shape, generator=draw) * 0.05)
    model.refresh()
    return model


# -- tokens ----------------------------------------------------------------------------------------------------------------


def test_the_formats_tokens_are_those_a_page_can_show() -> None:
    tokens = format_tokens(FORMAT)
    assert len(tokens) == len(set(tokens))
    assert tokens[-1] == f"<L{FORMAT.numbers_needed}>"
    assert set(RESERVED) < set(tokens)
    tokenizer = byte_tokenizer()
    assert extend(tokenizer, FORMAT) == tokens
    assert extend(tokenizer, FORMAT) == []
    Codec(FORMAT, HFVocabulary(tokenizer))


def test_numbers_begin_as_the_mean_of_their_digits() -> None:
    tokenizer = byte_tokenizer()
    tokens = extend(tokenizer, FORMAT)
    table = torch.randn(256, 64)
    rows = first_rows(tokenizer, tokens, table)
    digits = table[tokenizer.encode("42").ids].mean(0)
    near = torch.nn.functional.cosine_similarity(rows, digits[None])
    assert tokens[int(near.argmax())] == "<L42>"
    torch.testing.assert_close(rows, first_rows(tokenizer, tokens, table))


# -- the model ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", sorted(FAMILY))
def test_without_training_it_is_the_base(family: str, tmp_path: Path) -> None:
    folder = directory(tmp_path, family, torch.float32)
    if family == "llama" or family == "qwen2":
        assert read_base(folder, torch.float32).config.kv_heads == 2
    found = read_base(folder, torch.float32)
    model = AdaptedModel(found, torch.zeros(1, found.config.hidden), 2)
    ids = torch.randint(0, 256, (2, 40))
    theirs = AutoModelForCausalLM.from_pretrained(folder)(input_ids=ids).logits
    ours = model.hidden(ids) @ model.head[:-1].t()
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-4)


@pytest.mark.skipif(kernels.load() is None, reason="no C++ compiler: there are no native kernels")
def test_native_gradients_are_those_of_torch(base: Path, shards: Path) -> None:
    batch = Batches(Examples.open(shards), tokens=1500, lm_sample=0.0).next(0)
    weight = batch.weight / batch.weight.sum()
    found = []
    for dtype, native in ((torch.float32, False), (torch.bfloat16, True)):
        model = adapted(base, dtype, native=native)
        loss, _ = model.loss(model.hidden(batch.ids, batch.segments), batch.where, batch.target, weight)
        loss.backward()
        found.append((float(loss.detach()), {n: p.grad for n, p in model.named_parameters()}))
    (exact, wanted), (near, got) = found
    assert near == pytest.approx(exact, rel=0.02)
    for name, gradient in wanted.items():
        other = got[name]
        assert gradient is not None
        assert other is not None
        assert torch.nn.functional.cosine_similarity(gradient.flatten(), other.flatten(), 0) > 0.98, name
        assert float(other.norm()) == pytest.approx(float(gradient.norm()), rel=0.1), name


@pytest.mark.parametrize("native", [False, True])
def test_upper_layers_alone_learn_what_they_learn_among_all(base: Path, shards: Path, native: bool) -> None:
    if native and kernels.load() is None:
        pytest.skip("no C++ compiler: there are no native kernels")
    batch = Batches(Examples.open(shards), tokens=1500, seed=0).next(0)
    gradients = []
    for upper in (None, 1):
        model = adapted(base, torch.bfloat16 if native else torch.float32, native=native, upper=upper)
        hidden = model.hidden(batch.ids, batch.segments)
        model.loss(hidden, batch.where, batch.target, batch.weight / batch.weight.sum())[0].backward()
        gradients.append({name: p.grad for name, p in model.adapters.items()})
    whole, part = gradients
    last = f"{model.config.layers - 1}_"
    for name, gradient in part.items():
        assert (gradient is not None) == name.startswith(last), name
        if gradient is not None:
            torch.testing.assert_close(gradient, whole[name])


# -- files -------------------------------------------------------------------------------------------------------------------


def test_int8_keeps_each_row_within_half_a_step() -> None:
    matrix = torch.randn(7, 50) * torch.logspace(-6, 3, 7)[:, None]
    whole, scale = quantise(matrix)
    assert bool(((whole.float() * scale[:, None] - matrix).abs() <= scale[:, None] * 0.501).all())
    assert not quantise(torch.zeros(2, 3))[0].any()


def test_an_adapter_reads_back_and_a_damaged_one_is_refused(base: Path, shards: Path, tmp_path: Path) -> None:
    run = AdapterRun(base, shards, tmp_path / "out", Options(rank=4, batch_tokens=1000))
    run.step(0.0)
    path = run.save()
    found = read_adapter(tmp_path / "out")
    assert found.state == run.state
    assert found.tensors.keys() == set(run.model.adapters)
    again = tmp_path / "again.safetensors"
    write_adapter(again, found)
    for name, tensor in read_adapter(again).tensors.items():
        torch.testing.assert_close(tensor, found.tensors[name], rtol=1e-5, atol=1e-9)
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(AdapterError, match="cannot read the adapter"):
        read_adapter(path)
    with pytest.raises(AdapterError, match="could not be written"):
        write_adapter(tmp_path / "again.safetensors" / "below", found)


# -- runs --------------------------------------------------------------------------------------------------------------------


def test_it_learns_and_the_engine_serves_it(base: Path, shards: Path, tmp_path: Path) -> None:
    seen: list[Progress] = []
    run = AdapterRun(base, shards, tmp_path / "out", Options(rank=8, rate=1e-2, batch_tokens=1500, warmup=3))
    run.go(steps=30, report_every=3, report=seen.append)
    assert seen[-1].loss < 0.8 * seen[0].loss
    folder = merge(base, read_adapter(tmp_path / "out"), tmp_path / "model")
    merged, ours = read_base(folder, torch.bfloat16), run.model
    if ours.kernels is not None:  # only they keep merged weights, on processors with bfloat16
        expected = ours.merged[1]["down"]
        torch.testing.assert_close(merged.layers[1].linears["down"], expected, rtol=0.02, atol=2e-3)
    with Editor.load(folder, device="cpu", warm=False) as editor:
        assert editor.loaded_model.format == FORMAT
        assert editor.open("a.py", "x = 1\n").edit(EditRequest(scope=[(1, 1)], max_tokens=4)).status


def parameters(run: AdapterRun) -> dict[str, torch.Tensor]:
    return {name: p.detach().clone() for name, p in run.model.named_parameters()}


def test_a_run_goes_on_as_if_it_had_not_stopped(base: Path, shards: Path, tmp_path: Path) -> None:
    options = Options(rank=4, batch_tokens=1000, warmup=2)
    whole = AdapterRun(base, shards, tmp_path / "whole", options)
    for _ in range(6):
        whole.step(0.0)
    first = AdapterRun(base, shards, tmp_path / "parts", options)
    for _ in range(3):
        first.step(0.0)
    first.save()
    second = AdapterRun(base, shards, tmp_path / "parts", options)
    assert second.state == first.state
    for _ in range(3):
        second.step(0.0)
    assert second.state == whole.state
    for name, value in parameters(second).items():
        torch.testing.assert_close(value, parameters(whole)[name], rtol=0, atol=0)


def test_elsewhere_it_starts_from_the_adapter_with_cursor_and_counts(
    base: Path, shards: Path, tmp_path: Path
) -> None:
    options = Options(rank=4, batch_tokens=1000)
    first = AdapterRun(base, shards, tmp_path / "here", options)
    for _ in range(3):
        first.step(0.0)
    path = first.save()
    second = AdapterRun(base, shards, tmp_path / "there", replace(options, rank=None), init=path)
    assert second.state.rank == 4
    assert second.batches.epoch == first.batches.epoch
    second.step(0.0)
    assert second.state.steps == 4
    assert second.state.requests > first.state.requests
    for name, value in parameters(AdapterRun(base, shards, tmp_path / "x", options, init=path)).items():
        torch.testing.assert_close(value, parameters(first)[name], rtol=0.02, atol=1e-3)


def test_what_does_not_belong_together_is_refused(base: Path, shards: Path, tmp_path: Path) -> None:
    other = directory(tmp_path / "other", "qwen2")
    run = AdapterRun(base, shards, tmp_path / "out", Options(rank=2, batch_tokens=500))
    path = run.save()
    with pytest.raises(TrainingError, match="another base"):
        AdapterRun(other, shards, tmp_path / "b", Options(), init=path)
    with pytest.raises(AdapterError, match="another base"):
        merge(other, read_adapter(path), tmp_path / "m")
    with pytest.raises(TrainingError, match="another base, of another edit format"):
        AdapterRun(base, shards, tmp_path / "out", Options(rank=3))
    found = read_adapter(path)
    fewer = replace(found.state, tokens=found.state.tokens[:-1])
    with pytest.raises(AdapterError, match="another edit format"):
        merge(base, Adapter(fewer, found.tensors, found.rows), tmp_path / "m")
    (tmp_path / "bare").mkdir()
    write_shard(tmp_path / "bare" / "train-00-00000.bin", [], {})
    with pytest.raises(TrainingError, match="not made with the base's tokenizer"):
        AdapterRun(base, tmp_path / "bare", tmp_path / "c", Options())


def test_a_wider_adapter_begins_as_the_one_it_was(base: Path, shards: Path, tmp_path: Path) -> None:
    run = AdapterRun(base, shards, tmp_path / "a", Options(rank=3, batch_tokens=1000))
    run.go(steps=2)
    narrow = read_adapter(run.save())
    wide = AdapterRun(
        base, shards, tmp_path / "b", Options(rank=5, batch_tokens=1000), init=tmp_path / "a"
    ).adapter()
    assert wide.state.rank == 5
    assert wide.state.requests == narrow.state.requests
    for name in (name for name in wide.tensors if name.endswith("_down")):
        up = name.removesuffix("_down") + "_up"
        assert wide.tensors[name].shape[0] == wide.tensors[up].shape[1] == 5
        assert wide.tensors[name][3:].abs().min() > 0
        found, before = (one.tensors[up] @ one.tensors[name] for one in (wide, narrow))
        torch.testing.assert_close(found, before)
    with pytest.raises(TrainingError, match="has rank 3, which cannot become 2"):
        AdapterRun(base, shards, tmp_path / "c", Options(rank=2), init=tmp_path / "a")


def test_the_mean_of_two_adapters(base: Path, shards: Path, tmp_path: Path) -> None:
    first = AdapterRun(base, shards, tmp_path / "a", Options(rank=4))
    first.go(steps=2)
    second = AdapterRun(base, shards, tmp_path / "b", Options(rank=4, seed=1), init=first.save())
    second.go(steps=2)
    one, other = read_adapter(first.save()), read_adapter(second.save())
    found = mean(other, one, 0.25)
    assert found.state == other.state
    for name, tensor in found.tensors.items():
        torch.testing.assert_close(tensor, 0.25 * other.tensors[name] + 0.75 * one.tensors[name])
    torch.testing.assert_close(found.rows, 0.25 * other.rows + 0.75 * one.rows)
    for share, same in ((1.0, other), (0.0, one)):
        assert all(torch.equal(t, same.tensors[name]) for name, t in mean(other, one, share).tensors.items())
    with pytest.raises(TrainingError, match="between 0 and 1"):
        mean(other, one, 1.5)
    with pytest.raises(TrainingError, match="no mean can be taken"):
        mean(other, Adapter(replace(one.state, rank=8), one.tensors, one.rows))


READER = """import os


def read_lines(path, limit=10):
    result = []
    with open(path) as file:
        for line in file:
            if len(result) < limit:
                result.append(line.strip())
    return result


def sizes(folder):
    found = {}
    for name in os.listdir(folder):
        found[name] = os.path.getsize(os.path.join(folder, name))
    return found
"""


def test_the_command_line_trains_and_exports(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # A tokenizer of bytes makes long pages: none would be full.
    monkeypatch.setattr(shard_plan, "PACKED", replace(shard_plan.PACKED, tokens_per_branch=2000))
    work, source = tmp_path / "work", tmp_path / "own"
    source.mkdir()
    for k, text in enumerate(file.text for file in islice(files(), 3)):
        (source / f"m{k}.py").write_text(text)
    git_repositories.repository(source, reader=READER)
    (source / "reader.py").write_text(READER.replace("limit=10", "limit=20"))
    git_repositories.git(source, "commit", "-q", "-a", "-m", "Default limit of read_lines to 20")
    monkeypatch.setattr(own_code, "FEWEST", 1)
    monkeypatch.setattr(own_code, "LATER", 1.0)
    argv = ["train", "--work", str(work), "--model", str(base), "--rank", "4", "--minutes", "0.05", "--own", str(source),
            "--device", "cpu", "--density", "0.5", "--quiet"]  # fmt: skip
    assert main(argv) == 0
    assert (work / "adapter" / "adapter.safetensors").is_file()
    assert read_adapter(work / "adapter").state.base in (work / "model" / "README.md").read_text("utf-8")
    with Editor.load(work / "model", device="cpu", warm=False) as editor:
        assert editor.loaded_model.format.kind == "lines"
    # The mean of this run and of an earlier adapter is the mean of their weights.
    earlier = work / "earlier.safetensors"
    earlier.write_bytes((work / "adapter" / "adapter.safetensors").read_bytes())
    again = ["train", "export", "--work", str(work), "--model", str(base), "--average", str(earlier),
             "--out", str(tmp_path / "averaged"), "--quiet"]  # fmt: skip
    assert main(again) == 0
    found, run = read_adapter(work / "adapter" / "mean.safetensors"), read_adapter(work / "adapter")
    assert found.state == run.state
    assert (tmp_path / "averaged" / "model.safetensors").read_bytes() == (
        work / "model" / "model.safetensors"
    ).read_bytes()
    # The only edit of the history is kept apart, and the new model is measured on it.
    assert not pairs.read(work / "corpus")
    assert [edit.instruction for edit in pairs.read(work / "later")] == ["Default limit of read_lines to 20"]
    assert re.search(r"on your newest edits.*\n\s*after .*/1\)", capsys.readouterr().out)
