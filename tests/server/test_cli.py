"""The command line, run as a person runs it: real processes, real files, exact bytes. Tables of programs run in this process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import copydesk
from copydesk_server.cli import main
from copydesk_server.ruff import Ruff
from repository import ROOT

BEFORE = b"import os\n\ndef f(x):\n    return x\n\nprint(f(1))\n"
AFTER = b"import os\n\ndef f(x):\n    if x is None:\n        return 0\n    return x\n\nprint(f(2))\n"


def copydesk_command(
    *args: str | Path, stdin: bytes = b"", env: dict[str, str] | None = None
) -> tuple[int, bytes, str]:
    """Exit code, stdout and stderr of `copydesk ARGS`."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT / "engine"), str(ROOT / "server")))}
    environment.pop("FORCE_COLOR", None)
    done = subprocess.run(
        [sys.executable, "-m", "copydesk_server", *map(str, args)],
        input=stdin,
        capture_output=True,
        env=environment | (env or {}),
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr.decode()


@pytest.fixture
def called(capsysbinary: pytest.CaptureFixture[bytes]) -> Callable[..., tuple[int, bytes, str]]:
    """Exit code, stdout and stderr of `copydesk ARGS` in this process, which starts none."""

    def call(*args: str | Path) -> tuple[int, bytes, str]:
        code = main([*map(str, args)])
        out, errors = capsysbinary.readouterr()
        return code, out, errors.decode()

    return call


@pytest.fixture
def write(tmp_path: Path):
    def to_file(name: str, data: bytes | str) -> Path:
        path = tmp_path / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path

    return to_file


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (BEFORE, AFTER),
        (b"", AFTER),
        (AFTER, b""),
        (b"", b""),
        (b"\xef\xbb\xbfa = 1\r\nb = 2\r\n", b"\xef\xbb\xbfa = 1\r\nb = 3\r\nc = 4\r\n"),
        (b"a\rb\r\nc\nd", b"a\rB\r\nc\nd\n"),
        (b"latin \xe9\xff\nkept \x80\n", b"latin \xe9\xff!\nkept \x80\n"),
        (b"form\x0cfeed\nx \xe2\x80\xa8 y\n", b"form\x0cfeed\nx \xe2\x80\xa8 z\n"),
        (b"</gen>\n<copy lines=\"1-2\"/>\n", b"</gen>\n</gen>\n<\\/gen>\n<copy lines=\"1-2\"/>\n"),
    ],
    ids=["edit", "from-empty", "to-empty", "both-empty", "bom-crlf", "mixed-breaks", "not-utf-8", "not-line-breaks", "own-tags"],
)  # fmt: skip
@pytest.mark.parametrize("options", [(), ("--no-subs",)], ids=["subs", "no-subs"])
def test_oracle_then_resolve_gives_the_very_bytes(
    write, called, before: bytes, after: bytes, options: tuple[str, ...]
) -> None:
    a, b = write("a.py", before), write("b.py", after)
    code, program, errors = called("program", "oracle", a, b, *options)
    assert (code, errors) == (0, "")
    code, result, errors = called("program", "resolve", a, write("p", program))
    assert (code, errors) == (0, "")
    assert result == after


def test_programs_go_through_pipes(write) -> None:
    before, after = BEFORE + b"kept \x80\r\n", AFTER + b"latin \xe9\xff\r\n"
    a, b = write("a.py", before), write("b.py", after)
    code, program, errors = copydesk_command("program", "oracle", a, b)
    assert (code, errors) == (0, "")
    assert copydesk_command("program", "resolve", a, "-", stdin=program) == (0, after, "")


def test_edits_are_lsp_text_edits(write) -> None:
    document = write("a.py", "x = '\U0001f600'; y = 1\nz = 2\n")
    program = write(
        "p",
        '<program>\n<sub lines="1-1"><old>y = 1</old><new>y = 10</new></sub>\n<copy lines="2-2"/>\n</program>\n',
    )
    for encoding, character in (("utf-16", 10), ("utf-8", 12), ("utf-32", 9)):
        code, out, _ = copydesk_command("program", "edits", document, program, "--encoding", encoding)
        start, end = {"line": 0, "character": character}, {"line": 0, "character": character + 5}
        assert code == 0
        assert json.loads(out) == [{"range": {"start": start, "end": end}, "newText": "y = 10"}]
    assert copydesk_command("program", "edits", document, program)[1] == copydesk_command(
        "program", "edits", document, program, "--encoding", "utf-16"
    )[1]  # fmt: skip


def test_copying_everything_is_no_edit(write) -> None:
    document, program = write("a", "a\nb\n"), write("p", '<program>\n<copy lines="1-2"/>\n</program>\n')
    code, out, _ = copydesk_command("program", "edits", document, program)
    assert (code, json.loads(out)) == (0, [])


def test_show_marks_every_line(write) -> None:
    document = write("a.py", "one\ntwo\nthree = 3\nfour\nfive")
    program = write(
        "p",
        '<program>\n<copy lines="1-1"/>\n<gen>\nTWO\n2\n</gen>\n'
        '<sub lines="3-3"><old>= 3</old><new>= 33</new></sub>\n<copy lines="5-5"/>\n</program>\n',
    )
    code, out, errors = copydesk_command("program", "show", document, program)
    assert (code, errors) == (0, "")
    assert out.decode().splitlines() == [
        "1 = copy 1 │ one",
        "2 + gen    │ TWO",
        "3 +        │ 2",
        "4 ~ sub 3  │ three = 33",
        "           │       ^^^^",
        "5 = copy 5 │ five (no newline at the end)",
        "5 lines: 2 copied, 2 generated, 1 substituted; 2 of the document's own dropped",
    ]


def test_show_in_colour_says_the_same(write) -> None:
    document = write("a.py", "a = 1\n")
    program = write("p", '<program>\n<sub lines="1-1"><old>1</old><new>2</new></sub>\n</program>\n')
    code, out, _ = copydesk_command(
        "program", "show", document, program, env={"FORCE_COLOR": "1", "TERM": "xterm"}
    )
    assert code == 0
    assert "\x1b[30;43m2\x1b[0m" in out.decode()
    assert "^" not in out.decode()


def test_show_lets_no_control_character_through(write) -> None:
    document = write("a", b"\x1b]0;title\x07\x9b red\r\n\xe2\x80\xae \xff\n")
    program = write("p", '<program>\n<copy lines="1-2"/>\n</program>\n')
    code, out, _ = copydesk_command("program", "show", document, program)
    assert code == 0
    text = out.decode()
    assert "\u241b]0;title\u2407" in text
    assert not {"\x1b", "\x07", "\r", "\u202e", "\x9b"} & set(text)


def test_move_mode(write) -> None:
    document = write("a", "a\nb\n")
    program = write("p", '<program>\n<copy lines="2-2"/>\n<copy lines="1-1"/>\n</program>\n')
    assert copydesk_command("program", "resolve", document, program)[0] == 1
    assert copydesk_command("program", "resolve", document, program, "--mode", "move")[:2] == (0, b"b\na\n")


@pytest.mark.parametrize("action", ["resolve", "edits", "show"])
@pytest.mark.parametrize(
    "program",
    [
        '<program>\n<copy lines="1-9"/>\n</program>\n',
        '<program>\n<copy lines="2-2"/>\n<copy lines="1-1"/>\n</program>\n',
        '<program>\n<sub lines="1-1"><old>absent</old><new>x</new></sub>\n</program>\n',
        '<program>\n<copy lines="one"/>\n</program>\n',
        "no program at all",
    ],
    ids=["past-the-end", "backwards", "absent-old", "not-a-number", "no-program"],
)
def test_an_illegal_program_exits_with_1_and_one_line(write, called, action: str, program: str) -> None:
    code, out, errors = called("program", action, write("a", "a\nb\n"), write("p", program))
    assert (code, out) == (1, b"")
    assert errors.startswith("copydesk: ")
    assert errors.count("\n") == 1
    assert "Traceback" not in errors


def test_a_missing_file_exits_with_2_and_its_name(write, tmp_path: Path) -> None:
    code, out, errors = copydesk_command("program", "resolve", tmp_path / "absent.py", write("p", ""))
    assert (code, out) == (2, b"")
    assert errors == f"copydesk: {tmp_path / 'absent.py'}: No such file or directory\n"


@pytest.mark.parametrize(
    "args",
    [(), ("program",), ("program", "resolve"), ("absent",), ("program", "show", "a", "b", "--mode", "x")],
)
def test_wrong_usage_exits_with_2(args: tuple[str, ...]) -> None:
    code, out, errors = copydesk_command(*args)
    assert (code, out) == (2, b"")
    assert "usage: copydesk" in errors


@pytest.mark.parametrize(
    ("args", "usage"),
    [
        (("fix", "a.py", "--no-such"), "usage: copydesk fix "),
        (("refactor", "a.py", "-i", "x", "--no-such"), "usage: copydesk refactor "),
        (("program", "oracle", "a", "b", "--no\x1b-such"), "usage: copydesk program oracle "),
        (("--no-such", "doctor"), "usage: copydesk [-h]"),
    ],
)
def test_unknown_options_print_the_usage_of_their_command(args: tuple[str, ...], usage: str) -> None:
    code, _, errors = copydesk_command(*args)
    assert code == 2
    assert errors.startswith(usage)
    assert "\x1b" not in errors


def test_version_and_help() -> None:
    assert copydesk_command("--version")[:2] == (0, f"copydesk {copydesk.__version__}\n".encode())
    code, out, _ = copydesk_command("--help")
    assert code == 0
    for command in ("program", "doctor", "demo"):
        assert command in out.decode()


def test_doctor_names_what_it_found() -> None:
    code, out, errors = copydesk_command("doctor", "--device", "cpu")
    assert (code in (0, 1), errors) == (True, "")
    words = out.decode()
    for word in (
        "copydesk",
        "python",
        "torch",
        "transformers",
        "llguidance",
        "ruff",
        "device",
        "cache",
        "model",
    ):
        assert word in words


def test_doctor_misses_ruff(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(Ruff, "find", classmethod(lambda *_: None))
    assert main(["doctor", "--device", "cpu", "--quiet"]) == 1
    assert "ruff" in capsys.readouterr().out


def test_doctor_says_what_a_model_directory_lacks(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    code, out, _ = copydesk_command("doctor", "--device", "cpu", "--model", str(tmp_path))
    assert code == 1
    assert "tokenizer.json" in out.decode()
    assert "safetensors" in out.decode()


def test_a_reader_that_goes_away_is_no_failure(write) -> None:
    document = write("a", "x\n" * 50_000)
    program = write("p", '<program>\n<copy lines="1-50000"/>\n</program>\n')
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT / "engine"), str(ROOT / "server")))}
    with subprocess.Popen(
        [sys.executable, "-m", "copydesk_server", "program", "resolve", str(document), str(program)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        errors = process.stderr.read()
        assert (process.wait(60), errors) == (0, b"")


def test_program_commands_import_no_model_library(write) -> None:
    a, b = write("a.py", BEFORE), write("b.py", AFTER)
    script = (
        "import sys; from copydesk_server.cli import main; code = main(sys.argv[1:]);"
        "heavy = {'torch', 'transformers', 'tokenizers', 'llguidance', 'numpy', 'rich'} & set(sys.modules);"
        "sys.exit(f'imported {heavy}' if heavy else code)"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT / "engine"), str(ROOT / "server")))}
    done = subprocess.run(
        [sys.executable, "-c", script, "program", "oracle", str(a), str(b)],
        capture_output=True,
        env=environment,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
