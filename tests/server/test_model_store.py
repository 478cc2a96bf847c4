"""`copydesk model`: getting a model by name, from start to end, and every way it can fail. Nothing is ever half-installed."""

from __future__ import annotations

import errno
import importlib.util
import json
import os
import shutil
import sys
import threading
import zipfile
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from filelock import FileLock

import gguf_files
from copydesk.errors import ModelError
from copydesk.models import load
from copydesk.models.installed import VARIABLE, installed_directory, models_folder
from copydesk_server.cli import main
from copydesk_server.commands import doctor
from copydesk_server.errors import ModelStoreError
from copydesk_server.model_store import catalogue, convert, download, store
from copydesk_server.model_store.catalogue import Entry
from gguf_files import NAME, WHEEL, Source, entry_of, make_source, sha256, wheel_of, write_wheel

needs_pip = pytest.mark.skipif(importlib.util.find_spec("pip") is None, reason="this Python has no pip")


class Shop:
    """A folder for models, a catalogue of one entry, and an index of one wheel."""

    def __init__(self, place: Path, source: Source, patch: pytest.MonkeyPatch) -> None:
        self.folder, self.index, self._patch = place / "models", place / "index", patch
        self.catalogue, self.source = place / "catalogue.json", source
        self.index.mkdir()
        patch.setenv(VARIABLE, str(self.folder))
        self.list(source.entry)

    def list(self, entry: Entry) -> None:
        """Make this the catalogue's entry."""
        path = self.catalogue.with_name(f"{sha256(repr(entry).encode())}.json")  # read once per path
        path.write_text(json.dumps({"models": [asdict(entry)]}))
        self._patch.setattr(catalogue, "CATALOGUE", path)

    def copy(self, path: Path) -> Path:
        """A copy of a shared file, to be damaged."""
        return Path(shutil.copy(path, self.index))

    def use_index(self) -> None:
        """Have pip look into the index alone, by its own configuration."""
        self._patch.setenv("PIP_NO_INDEX", "1")
        self._patch.setenv("PIP_FIND_LINKS", str(self.index))
        self._patch.delenv("PIP_EXTRA_INDEX_URL", raising=False)

    def use_python(self, said: str, code: int = 1) -> None:
        """Put a program in Python's place that says this on standard error."""
        path = self.index / "python"
        path.write_text(f"#!{sys.executable}\nimport sys\nsys.stderr.write({said!r})\nsys.exit({code})\n")
        path.chmod(0o755)
        self._patch.setattr(download, "sys", SimpleNamespace(executable=str(path)))

    def left(self) -> set[str]:
        """What lies in the folder, locks left out."""
        names = {path.name for path in self.folder.iterdir()} if self.folder.exists() else set()
        return {name for name in names if not name.endswith(".lock")}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Source:
    return make_source(tmp_path_factory.mktemp("source"))


@pytest.fixture
def shop(tmp_path: Path, source: Source, monkeypatch: pytest.MonkeyPatch) -> Shop:
    return Shop(tmp_path, source, monkeypatch)


def said_nothing(*_: object) -> None:
    pass


# -- the ways to a model ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["wheel", "gguf"])
def test_from_a_file(shop: Shop, capsys: pytest.CaptureFixture[str], kind: str) -> None:
    assert main(["model", "get", NAME, "--from", str(getattr(shop.source, kind)), "--quiet"]) == 0
    out, err = capsys.readouterr()
    place = shop.folder / NAME
    assert (out, err) == (f"{place}\n", "")
    assert shop.left() == {NAME}
    assert {path.name for path in place.iterdir()} == {
        "README.md", "config.json", "model.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json",
    }  # fmt: skip
    assert convert.installed_digests(place) == {
        "tensors_sha256": shop.source.entry.tensors_sha256,
        "tokenizer_sha256": shop.source.entry.tokenizer_sha256,
    }
    assert store.record(NAME) == shop.source.entry
    card = (place / "README.md").read_text()
    assert shop.source.entry.licence in card
    assert shop.source.entry.tensors_sha256 in card


@needs_pip
def test_from_the_index_by_pip_and_without_it_ever_after(
    shop: Shop, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.copy(shop.source.wheel)
    shop.use_index()
    # A file of this name in the folder one happens to be in is not imported by pip's Python.
    (shop.index / "pip.py").write_text("raise SystemExit('the wrong pip')")
    monkeypatch.chdir(shop.index)
    monkeypatch.setenv("PYTHONPATH", str(shop.index))
    assert main(["model", "get", NAME]) == 0
    out, err = capsys.readouterr()
    assert out == f"{shop.folder / NAME}\n"
    assert "converting" in err
    assert shop.left() == {NAME, ".downloads"}
    assert list((shop.folder / ".downloads").iterdir()) == []
    shop.use_python("the index was asked again")
    assert main(["model", "get", NAME]) == 0


def test_a_second_get_changes_nothing(shop: Shop) -> None:
    place = store.get(NAME, said_nothing, shop.source.gguf)
    before = {path.name: path.stat().st_mtime_ns for path in place.iterdir()}
    shop.use_python("the index was asked")
    assert store.get(NAME, said_nothing) == place
    assert {path.name: path.stat().st_mtime_ns for path in place.iterdir()} == before


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json"])
@pytest.mark.parametrize("damage", ["other", "short", "gone"])
def test_a_damaged_model_is_told_and_replaced(
    shop: Shop, capsys: pytest.CaptureFixture[str], name: str, damage: str
) -> None:
    place = store.get(NAME, said_nothing, shop.source.gguf)
    assert main(["model", "info", NAME]) == 0
    assert "installed and whole" in capsys.readouterr().out
    path = place / name
    data = path.read_bytes()
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]) if damage == "other" else data[:-9])
    if damage == "gone":
        path.unlink()
    assert main(["model", "info", NAME]) == 1
    assert "damaged" in capsys.readouterr().out
    store.get(NAME, said_nothing, shop.source.gguf)
    assert path.read_bytes() == data
    assert shop.left() == {NAME}


def test_a_catalogue_with_another_model_of_the_name_replaces_it(
    shop: Shop, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    store.get(NAME, said_nothing, shop.source.gguf)
    (tmp_path / "new").mkdir()
    monkeypatch.setattr(gguf_files, "TEMPLATE", "another")
    made = {name: weight + 1 for name, weight in gguf_files.weights().items()}
    monkeypatch.setattr(gguf_files, "weights", lambda _: made)
    newer = make_source(tmp_path / "new")
    shop.list(newer.entry)
    assert main(["model", "info", NAME]) == 0
    assert "the catalogue has another one" in capsys.readouterr().out
    place = store.get(NAME, said_nothing, newer.gguf)
    assert convert.installed_digests(place)["tensors_sha256"] == newer.entry.tensors_sha256
    assert newer.entry.tensors_sha256 != shop.source.entry.tensors_sha256
    assert shop.left() == {NAME}


def test_a_record_of_another_release_is_out_of_date(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    place = store.get(NAME, said_nothing, shop.source.gguf)
    said = json.loads((place / "model.json").read_text("utf-8"))
    said["entry"]["member"] = said["entry"].pop("gguf")
    (place / "model.json").write_text(json.dumps(said), "utf-8")
    assert main(["model", "list"]) == 0
    assert f"out of date: run copydesk model get {NAME}" in capsys.readouterr().out
    assert main(["model", "info", NAME]) == 0
    assert "installed and whole; out of date" in capsys.readouterr().out
    assert store.get(NAME, said_nothing) == place
    assert store.record(NAME) == shop.source.entry


# -- every way to fail -----------------------------------------------------------------------------------------------------


def flipped(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def bad_wheel(shop: Shop, damage: Callable[[Path], None]) -> Path:
    path = shop.copy(shop.source.wheel)
    damage(path)
    return path


def listed(shop: Shop, wheel: Path) -> Path:
    """The catalogue recorded this very wheel, wrong as it is."""
    shop.list(replace(shop.source.entry, wheels=(wheel_of(wheel, shop.source.entry.gguf_bytes),)))
    return wheel


def other_member(shop: Shop) -> Path:
    wheel = shop.index / WHEEL
    return listed(shop, write_wheel(wheel, shop.source.gguf.read_bytes(), "elsewhere.gguf"))


def long_member(shop: Shop) -> Path:
    return listed(shop, write_wheel(shop.index / WHEEL, shop.source.gguf.read_bytes() + b"\0" * 50_000_000))


def changed_member(shop: Shop) -> Path:
    data = bytearray(shop.source.gguf.read_bytes())
    data[-1] ^= 1
    return listed(shop, write_wheel(shop.index / WHEEL, bytes(data)))


def broken_member(shop: Shop) -> Path:
    """The archive's directory is whole, the compressed bytes are not."""
    wheel = shop.copy(shop.source.wheel)
    with zipfile.ZipFile(wheel) as archive:
        info = archive.getinfo(gguf_files.MEMBER)
    data = bytearray(wheel.read_bytes())
    at = info.header_offset + 200
    data[at : at + 2000] = b"\xff" * 2000
    wheel.write_bytes(data)
    return listed(shop, wheel)


def no_archive(shop: Shop) -> Path:
    wheel = shop.index / WHEEL
    wheel.write_bytes(b"PK\x03\x04" + b"no archive" * 100)
    return listed(shop, wheel)


def other_tensors(shop: Shop) -> Path:
    shop.list(replace(shop.source.entry, tensors_sha256="1" * 64))
    return shop.source.gguf


def other_tokenizer(shop: Shop) -> Path:
    shop.list(replace(shop.source.entry, tokenizer_sha256="1" * 64))
    return shop.source.wheel


def no_gguf(shop: Shop) -> Path:
    """Recorded as it is, but no GGUF behind its first bytes."""
    path = shop.index / "no.gguf"
    path.write_bytes(b"GGUF" + b"\3\0\0\0" + b"\1" * 5000)
    shop.list(
        replace(shop.source.entry, gguf_sha256=sha256(path.read_bytes()), gguf_bytes=path.stat().st_size)
    )
    return path


def text_file(shop: Shop) -> Path:
    path = shop.index / "notes.txt"
    path.write_text("no model")
    return path


def short_gguf(shop: Shop) -> Path:
    path = shop.copy(shop.source.gguf)
    cut(path)
    return path


def flipped_gguf(shop: Shop) -> Path:
    path = shop.copy(shop.source.gguf)
    flipped(path)
    return path


FILES: list[tuple[str, Callable[[Shop], Path], str]] = [
    ("absent", lambda shop: shop.index / "absent.whl", "there is no file"),
    ("folder", lambda shop: shop.index, "there is no file"),
    ("text", text_file, "is neither a wheel nor a GGUF file"),
    ("cut wheel", lambda shop: bad_wheel(shop, cut), "an incomplete or another file"),
    ("flipped wheel", lambda shop: bad_wheel(shop, flipped), "not the recorded file, not used"),
    ("cut gguf", short_gguf, "an incomplete or another file"),
    ("flipped gguf", flipped_gguf, "not the recorded file, not used"),
    ("no archive", no_archive, "is broken"),
    ("member elsewhere", other_member, f"holds no {gguf_files.MEMBER}"),
    ("member too long", long_member, "bytes, not"),
    ("member changed", changed_member, "not the recorded file, not used"),
    ("member broken", broken_member, "is broken"),
    ("no gguf", no_gguf, "is not a GGUF file that can be read"),
    ("other tensors", other_tensors, "the SHA-256 of the converted tensors is"),
    ("other tokenizer", other_tokenizer, "the SHA-256 of the converted tokenizer is"),
]


@pytest.mark.parametrize(("make", "message"), [case[1:] for case in FILES], ids=[case[0] for case in FILES])
def test_a_wrong_file_is_one_error_and_nothing_is_installed(
    shop: Shop, capsys: pytest.CaptureFixture[str], make: Callable[[Shop], Path], message: str
) -> None:
    path = make(shop)
    check_refused(shop, capsys, ["--from", str(path)], message)
    assert shop.left() == set()


def check_refused(shop: Shop, capsys: pytest.CaptureFixture[str], options: list[str], message: str) -> str:
    """`model get` says this in one line, exits with 2, and no model is there. Gives what it said."""
    assert main(["model", "get", NAME, "--quiet", *options]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("copydesk: ")
    assert err.count("\n") == 1
    assert message in err
    assert installed_directory(NAME) is None
    assert not shop.left() - {".downloads"}
    return err


PIPS = [
    ("/usr/bin/python: No module named pip\n", "has no pip to download tiny-wheel==1.0; install it"),
    ("ERROR: Could not install: [Errno 28] No space left on device\n", "the disk is full"),
    ("WARNING: Retrying\nERROR: Nothing\nERROR: No matching distribution\n", "No matching distribution; try again"),
    ("Traceback\nKeyError: 'x'\n", "cannot be downloaded: KeyError: 'x'"),
    ("", f"no file {WHEEL} arrived"),
]  # fmt: skip


@pytest.mark.parametrize(("said", "message"), PIPS, ids=["no-pip", "full", "no-match", "crash", "silent"])
def test_a_failed_download(shop: Shop, capsys: pytest.CaptureFixture[str], said: str, message: str) -> None:
    shop.use_python(said)
    err = check_refused(shop, capsys, [], message)
    assert "--from FILE" in err or "full" in message


def test_a_download_that_ends_well_and_brings_nothing(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    shop.use_python("", 0)
    check_refused(shop, capsys, [], f"no file {WHEEL} arrived")


def test_a_python_that_cannot_be_run(
    shop: Shop, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "sys", SimpleNamespace(executable=str(shop.index / "absent")))
    check_refused(shop, capsys, [], "No such file or directory")


@needs_pip
@pytest.mark.parametrize(
    ("damage", "message"),
    [(None, "No matching distribution found"), (flipped, "SHA-256")],
    ids=["empty", "flipped"],
)
def test_pip_itself_with_a_bad_index(
    shop: Shop, capsys: pytest.CaptureFixture[str], damage: Callable[[Path], None] | None, message: str
) -> None:
    if damage is not None:
        bad_wheel(shop, damage)
    shop.use_index()
    check_refused(shop, capsys, [], message)


def full(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("where", ["unpacking", "tokenizer", "card", "weights", "record", "folder"])
def test_a_full_disk(
    shop: Shop, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    targets: dict[str, tuple[object, str]] = {
        "unpacking": (download, "_unpack_member"),
        "tokenizer": (Path, "write_bytes"),
        "card": (Path, "write_text"),
        "weights": (convert.safetensors.torch, "save_file"),
        "record": (store.os, "fsync"),
        "folder": (Path, "mkdir"),
    }
    with monkeypatch.context() as patch:
        patch.setattr(*targets[where], full)
        check_refused(shop, capsys, ["--from", str(shop.source.wheel)], "the disk is full")
    assert store.get(NAME, said_nothing, shop.source.wheel) == shop.folder / NAME


def test_what_safetensors_says_of_a_disk(
    shop: Shop, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise convert.SafetensorError("I/O error: No space left on device (os error 28)")

    monkeypatch.setattr(convert.safetensors.torch, "save_file", fail)
    check_refused(
        shop, capsys, ["--from", str(shop.source.gguf)], "cannot be written: I/O error: No space left"
    )


def test_too_little_room_is_said_before_anything_is_fetched(
    shop: Shop, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.use_python("the index was asked")
    monkeypatch.setattr(store.shutil, "disk_usage", lambda _: SimpleNamespace(free=17_000_000))
    check_refused(shop, capsys, [], "has room for 17 MB, and")


def test_a_folder_that_may_not_be_written(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    shop.folder.write_text("a file where the folder should be")
    assert main(["model", "get", NAME, "--quiet"]) == 2
    assert "File exists; tiny-base was not installed" in capsys.readouterr().err


@pytest.mark.parametrize(
    "args",
    [["get", "absent"], ["info", "absent"], ["remove", "absent"], ["path", "absent"], ["remove", "mini"]],
)
def test_names_that_are_not_there(shop: Shop, capsys: pytest.CaptureFixture[str], args: list[str]) -> None:
    assert main(["model", *args]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert args[1] in err


# -- a file in several wheels ----------------------------------------------------------------------------------------------


@pytest.fixture
def parts(shop: Shop) -> list[Path]:
    """The GGUF in three wheels, as the catalogue has it now."""
    data = shop.source.gguf.read_bytes()
    third = len(data) // 3
    cuts = (data[:third], data[third : 2 * third], data[2 * third :])
    made = [
        write_wheel(shop.index / f"tiny_part{k}-1.0-py3-none-any.whl", part) for k, part in enumerate(cuts)
    ]
    wheels = tuple(wheel_of(path, len(part)) for path, part in zip(made, cuts, strict=True))
    shop.list(replace(shop.source.entry, wheels=wheels))
    return made


@needs_pip
def test_a_file_in_several_wheels(shop: Shop, parts: list[Path]) -> None:
    shop.use_index()
    told: dict[str, list[tuple[int, int]]] = {}
    made = store.get(NAME, lambda stage, done, whole: told.setdefault(stage, []).append((done, whole)))
    assert made == shop.folder / NAME
    whole = sum(path.stat().st_size for path in parts)
    assert told["checking"][-1] == (whole, whole)  # one bar for all of them
    for steps in (told["checking"], told["downloading"]):
        assert {total for _, total in steps} == {whole}
        assert [done for done, _ in steps] == sorted(done for done, _ in steps)
    assert convert.installed_digests(shop.folder / NAME)["tensors_sha256"] == shop.source.entry.tensors_sha256
    assert list((shop.folder / ".downloads").iterdir()) == []


@needs_pip
def test_wheels_that_have_arrived_are_not_fetched_again(
    shop: Shop, parts: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    shop.use_index()
    last = parts[-1].read_bytes()
    parts[-1].unlink()
    assert main(["model", "get", NAME, "--quiet"]) == 2
    assert "get tiny.gguf by other means" in capsys.readouterr().err
    assert {path.name for path in (shop.folder / ".downloads").iterdir()} == {path.name for path in parts[:2]}
    parts[-1].write_bytes(last)
    for path in parts[:2]:
        path.unlink()
    assert store.get(NAME, said_nothing) == shop.folder / NAME


def test_one_of_several_wheels_is_no_model(
    shop: Shop, parts: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    check_refused(shop, capsys, ["--from", str(parts[0])], "is made of 3 wheels: name tiny.gguf instead")
    assert store.get(NAME, said_nothing, shop.source.gguf) == shop.folder / NAME


# -- cut off, and at the same time -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("stage", ["unpacking", "converting"])
def test_an_interrupted_get_leaves_nothing_and_its_wheel(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    wheel = shop.source.wheel
    monkeypatch.setattr(
        download, "fetch_wheel", lambda entry, _, folder, __: shutil.copy(wheel, folder) and folder / WHEEL
    )

    def stop(now: str, done: int, total: int) -> None:
        if now == stage:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.get(NAME, stop)
    assert shop.left() == {".downloads"}
    assert (shop.folder / ".downloads" / WHEEL).read_bytes() == wheel.read_bytes()
    shop.use_python("the index was asked again")
    assert store.get(NAME, said_nothing) == shop.folder / NAME
    assert not (shop.folder / ".downloads" / WHEEL).exists()


def test_a_kept_wheel_that_is_damaged_is_fetched_again(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = shop.folder / ".downloads" / WHEEL
    kept.parent.mkdir(parents=True)
    kept.write_bytes(b"half of it")
    wheel = shop.source.wheel
    monkeypatch.setattr(
        download, "fetch_wheel", lambda entry, _, folder, __: shutil.copy(wheel, folder) and folder / WHEEL
    )
    assert store.get(NAME, said_nothing) == shop.folder / NAME


def test_what_a_killed_run_left_is_no_model_and_is_cleaned_up(shop: Shop) -> None:
    left = shop.folder / f".{NAME}.partial" / "made"
    left.mkdir(parents=True)
    (left / "model.json").write_text("{}")
    assert installed_directory(NAME) is None
    assert installed_directory(f".{NAME}.partial") is None
    store.get(NAME, said_nothing, shop.source.gguf)
    assert shop.left() == {NAME}


def test_two_gets_at_once_take_turns(shop: Shop) -> None:
    shop.folder.mkdir()
    waiting, results = threading.Event(), list[Path]()

    def report(stage: str, done: int, total: int) -> None:
        if stage.startswith("waiting"):
            waiting.set()

    with FileLock(shop.folder / f".{NAME}.lock"):
        thread = threading.Thread(target=lambda: results.append(store.get(NAME, report, shop.source.gguf)))
        thread.start()
        assert waiting.wait(60)
        assert not shop.left()
    thread.join(60)
    assert results == [shop.folder / NAME]


# -- by name ---------------------------------------------------------------------------------------------------------------


def test_list_path_and_remove(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    def said(*args: str) -> str:
        assert main(["model", *args]) == 0
        return capsys.readouterr().out

    rows = said("list").split("\n")
    assert rows[0].split()[:3] == ["mini", "built", "in"]
    assert rows[1].split()[:3] == [NAME, "not", "installed"]
    assert f"not installed; copydesk model get {NAME}" in said("info", NAME)
    store.get(NAME, said_nothing, shop.source.gguf)
    assert said("list").split("\n")[1].split()[:2] == [NAME, "installed"]
    assert said("path", NAME) == f"{shop.folder / NAME}\n"
    assert Path(said("path").strip()).name == "mini"
    assert said("path", "mini") == said("path")
    assert "mini" in said("info")
    assert said("remove", NAME) == ""
    assert shop.left() == set()
    assert main(["model", "remove", NAME]) == 2


def test_a_model_that_is_in_no_catalogue_any_more_is_listed_and_removed(
    shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    store.get(NAME, said_nothing, shop.source.gguf)
    shop.list(replace(shop.source.entry, name="another"))
    assert main(["model", "list"]) == 0
    rows = [row.split()[:2] for row in capsys.readouterr().out.split("\n")[1:3]]
    assert rows == [["another", "not"], [NAME, "installed"]]
    assert main(["model", "info", NAME]) == 0
    assert main(["model", "remove", NAME]) == 0
    assert installed_directory(NAME) is None


def test_a_name_stands_for_the_installed_model(
    shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        ModelError, match=f"the model {NAME} is not installed; run `copydesk model get {NAME}`"
    ):
        load.resolve(NAME)
    (tmp_path / NAME).mkdir()
    assert load.resolve(NAME) == Path(NAME)
    store.get(NAME, said_nothing, shop.source.gguf)
    assert load.resolve(NAME) == shop.folder / NAME
    assert load.resolve(f"./{NAME}") == Path(NAME)
    assert load.resolve(Path(NAME)) == Path(NAME)
    loaded = load.load(NAME, device="cpu")
    assert (loaded.directory, loaded.model.name) == (shop.folder / NAME, NAME)
    assert load.resolve("mini").name == "mini"


def test_the_doctor_names_installed_models(shop: Shop) -> None:
    def found(model: str | None) -> dict[str, doctor.Finding]:
        return {finding.subject: finding for finding in doctor.examine(model, "cpu")}

    assert found(None)["models"].state == f"none installed ({shop.folder})"
    missing = found(NAME)["model"]
    assert (missing.ok, missing.state) == (
        False,
        f"the model {NAME} is not installed; run `copydesk model get {NAME}`",
    )
    store.get(NAME, said_nothing, shop.source.gguf)
    assert found(None)["models"].state == f"{NAME} ({shop.folder})"
    assert found(NAME)["model"].ok


def test_the_folder_is_the_variables_or_the_users_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert models_folder().parts[-2:] == ("copydesk", "models")
    monkeypatch.setenv(VARIABLE, "here")
    assert models_folder() == Path.cwd() / "here"


# -- the catalogue ---------------------------------------------------------------------------------------------------------


def test_the_catalogue_that_is_shipped() -> None:
    entries = [entry for entry in catalogue.entries() if isinstance(entry, Entry)]
    assert {entry.name: entry.licence for entry in entries} == {
        "standard-base": "Apache-2.0",
        "coder-base": "Apache-2.0",
    }
    for entry in entries:
        for wheel in entry.wheels:
            assert wheel.archive.startswith(f"{wheel.distribution.replace('-', '_')}-{wheel.version}-")
        assert sum(wheel.member_bytes for wheel in entry.wheels) == entry.gguf_bytes
        assert entry.gguf_bytes > sum(wheel.archive_bytes for wheel in entry.wheels) > 90e6


BAD: list[tuple[object, str]] = [
    ("{", "is no catalogue"),
    ({}, "is no catalogue"),
    ({"models": [{"name": "x"}]}, "wrong keys"),
    ({"name": "../x"}, "unusable name"),
    ({"gguf_sha256": "AB"}, "the catalogue says gguf_sha256"),
    ({"gguf_bytes": "many"}, "the catalogue says gguf_bytes"),
    ({"wheels": []}, r"the catalogue says wheels = \[\]"),
    ({"wheels": "none"}, "the catalogue says wheels = 'none'"),
    ({"wheels": [1]}, r"the catalogue says wheels = \[1\]"),
    ({"wheels": [{"archive": "x.whl"}]}, "wrong keys"),
]
WHEELS: list[tuple[dict[str, object], str]] = [
    ({"archive": "../x.whl"}, "unusable name"),
    ({"archive_sha256": "AB"}, "the catalogue says archive_sha256"),
    ({"archive_bytes": "many"}, "the catalogue says archive_bytes"),
]


@pytest.mark.parametrize(("change", "message"), WHEELS, ids=[message for _, message in WHEELS])
def test_a_malformed_wheel_in_the_catalogue(
    source: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: dict[str, object], message: str
) -> None:
    wheel = {**asdict(source.entry.wheels[0]), **change}
    test_a_malformed_catalogue(source, tmp_path, monkeypatch, {"wheels": [wheel]}, message)


@pytest.mark.parametrize(("change", "message"), BAD, ids=[message for _, message in BAD])
def test_a_malformed_catalogue(
    source: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: object, message: str
) -> None:
    if isinstance(change, dict) and change and "models" not in change:
        change = {"models": [{**asdict(source.entry), **change}]}
    path = tmp_path / "catalogue.json"
    path.write_text(change if isinstance(change, str) else json.dumps(change))
    monkeypatch.setattr(catalogue, "CATALOGUE", path)
    with pytest.raises(ModelStoreError, match=message):
        catalogue.entries()


def test_the_test_wheel_is_a_wheel(source: Source) -> None:
    assert entry_of(source.gguf, source.wheel) == source.entry
    with zipfile.ZipFile(source.wheel) as wheel:
        assert wheel.testzip() is None
