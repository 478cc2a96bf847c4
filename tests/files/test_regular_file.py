"""Special files in place of what copydesk reads from folders: each is refused in words, and nothing waits."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from copydesk.errors import FileRefusedError, FormatError, ModelError, TokenizerError
from copydesk.files.regular_file import is_plain_name, read_regular
from copydesk.models.load import load
from copydesk.prompting.edit_format import EditFormat
from copydesk.prompting.vocabulary import HFVocabulary
from copydesk.serving.loaded_model import EMBEDDED
from copydesk_server.cli import main
from copydesk_server.errors import FileError, JournalError, RuffError
from copydesk_server.headless.discover import Filters, discover
from copydesk_server.headless.journal import Journal
from copydesk_server.headless.source import read
from copydesk_server.input_file import read_input
from copydesk_server.lsp import project
from copydesk_server.ruff import Ruff
from copydesk_training import sources
from special_files import SPECIAL, impatient, pipe

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a system without named pipes")

Reader = Callable[[Path], object]


@pytest.fixture(autouse=True)
def _impatient() -> Iterator[None]:
    with impatient():
        yield


def project_file(folder: Path) -> object:
    found, wrong = project.load(folder)
    assert found is None
    raise FileRefusedError(*wrong)


def journal(folder: Path) -> object:
    return Journal.open({}, resume=False, folder=folder)


def lint(folder: Path) -> object:
    ruff = Ruff.find()
    assert ruff is not None
    return ruff.check("x = 1\n", folder / "a.py")


def survey(folder: Path) -> object:
    ruff = Ruff.find()
    assert ruff is not None
    return ruff.survey([folder])


def embedded(folder: Path) -> object:
    for path in EMBEDDED.iterdir():
        if not os.path.lexists(folder / path.name):
            shutil.copyfile(path, folder / path.name)
    return load(folder, device="cpu")


JOURNAL = "44136fa355b3678a1146ad16f7e8649e.jsonl"
"""The name of the journal of no command at all."""

READERS: list[tuple[str, Reader, type[Exception]]] = [
    ("file", lambda folder: read_regular(folder / "file", 1 << 20), FileRefusedError),
    ("a.py", lambda folder: read(folder / "a.py", folder), FileError),
    (".gitignore", lambda folder: discover([str(folder)], Filters()), FileError),
    (".git/info/exclude", lambda folder: discover([str(folder)], Filters()), FileError),
    (project.FILE, project_file, FileRefusedError),
    (JOURNAL, journal, JournalError),
    ("found.json", lambda folder: read_input(str(folder / "found.json")), FileError),
    ("pyproject.toml", lint, RuffError),
    ("ruff.toml", lint, RuffError),
    (".gitignore", survey, RuffError),
    ("sub/.ignore", survey, RuffError),
    ("sub/pyproject.toml", survey, RuffError),
    ("copydesk.json", EditFormat.load, FormatError),
    ("tokenizer.json", HFVocabulary.from_directory, TokenizerError),
    ("config.json", embedded, ModelError),
    ("model.safetensors", embedded, ModelError),
    ("model.safetensors.index.json", embedded, ModelError),
    ("tokenizer_config.json", embedded, ModelError),
]


@pytest.mark.parametrize("put", SPECIAL, ids=lambda put: put.__name__)
@pytest.mark.parametrize(
    ("name", "reader", "error"), READERS, ids=[f"{n}-{e.__name__}" for n, _, e in READERS]
)
def test_special_files_are_refused(
    name: str, reader: Reader, error: type[Exception], put: Callable[[Path], None], tmp_path: Path
) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / "b.py").write_text("x = 1\n")
    put(path)
    wanted = "a symbolic link" if name == JOURNAL and path.is_symlink() else SPECIAL[put]
    with pytest.raises(error) as caught:
        reader(tmp_path)
    assert wanted in str(caught.value)


def test_directories_are_no_files(tmp_path: Path) -> None:
    with pytest.raises(FileRefusedError, match="a directory"):
        read_regular(tmp_path, 100)


def test_links_are_followed_where_they_are_wanted(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"text")
    (tmp_path / "b").symlink_to("a")
    assert read_regular(tmp_path / "b", 4) == b"text"
    with pytest.raises(FileRefusedError, match="a symbolic link"):
        read_regular(tmp_path / "b", 4, links=False)
    with pytest.raises(FileRefusedError, match="too large: 4 bytes, at most 3"):
        read_regular(tmp_path / "b", 3)


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="a system without /proc")
def test_files_that_have_no_size(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("/proc/self/status")
    with pytest.raises(FileRefusedError, match="changed while being read"):
        read_regular(tmp_path / "a", 1 << 20)


def test_a_file_that_becomes_a_pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the first look and the opening."""
    path = tmp_path / "a"
    path.write_bytes(b"text")
    real = os.open

    def swapped(*args: object, **named: object) -> int:
        path.unlink()
        pipe(path)
        return real(*args, **named)  # type: ignore[arg-type]

    monkeypatch.setattr("copydesk.files.regular_file.os.open", swapped)
    with pytest.raises(FileRefusedError, match="a named pipe"):
        read_regular(path, 100)


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("a.json", True),
        ("model-00001-of-00002.safetensors", True),
        ("", False),
        (".", False),
        ("..", False),
        ("../a", False),
        ("/etc/shadow", False),
        ("a/b", False),
        ("a\\b", False),
        ("c:a", False),
        ("a\0", False),
        ("a\n", False),
        ("a" * 300, False),
        (3, False),
        (None, False),
    ],
)
def test_plain_names(name: object, plain: bool) -> None:
    assert is_plain_name(name) is plain


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        (".gitignore", ["refactor", "-i", "rename x"]),
        (".gitignore", ["fix"]),
        ("a.py", ["fix"]),
        ("pyproject.toml", ["fix"]),
    ],
)
def test_the_commands_say_it(
    name: str,
    arguments: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "b.py").write_text("import os\n")
    pipe(tmp_path / name)
    monkeypatch.chdir(tmp_path)
    assert main([*arguments, "."]) == 2
    said = capsys.readouterr().err
    assert f"{name} cannot be read: it is a named pipe" in said


def test_a_pipe_of_the_shell_is_input(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.write(writer, b"[]")
    os.close(writer)
    try:
        assert read_input(f"/dev/fd/{reader}") == b"[]"
    finally:
        os.close(reader)


@pytest.mark.parametrize("name", ["x.py", "LICENSE", "PKG-INFO"])
@pytest.mark.parametrize("put", SPECIAL, ids=lambda put: put.__name__)
def test_a_corpus_leaves_special_files_out(name: str, put: Callable[[Path], None], tmp_path: Path) -> None:
    put(tmp_path / name)
    (tmp_path / "a.py").write_text("x = 1\n")
    found = sources.folder(tmp_path)
    assert ([path for path, _ in found.files()], found.version) == (["a.py"], "0")
