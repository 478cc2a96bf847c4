"""copydesk in Emacs: eglot with the configuration the README gives, the real server with the embedded model, in batch.

One Emacs of each version plays all cases; what became of each is looked at here. eglot runs one server in a buffer, so the
diagnostics are copydesk's own (`lint`).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import reports
from debian import Unpacked, unpack

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
DEADLINE = 150.0


@dataclass(frozen=True)
class Version:
    """An Emacs, its eglot, and the encoding the two agree on."""

    suite: str
    packages: tuple[str, ...]
    number: str
    encoding: str


VERSIONS = [
    Version("bookworm", ("emacs-nox", "elpa-eglot"), "28", "utf-16"),
    Version("forky", ("emacs-nox",), "30", "utf-32"),
]
NONE = {"first": reports.NONE_LINE, "title": r"\|".join(reports.NONE_TITLES)}
UNUSED = {"first": reports.UNUSED_LINE, "title": r"\|".join(reports.UNUSED_TITLES)}
CASES: dict[str, dict[str, Any]] = {
    "none": NONE,
    "unused": UNUSED,
    "crlf": {**NONE, "crlf": True},
    "crlf-unused": {**UNUSED, "crlf": True},
    "typed above": {**NONE, "typed": {"line": 1, "text": "# 😀 above\n"}},
    "typed there": {**NONE, "typed": {"line": reports.NONE_LINE, "text": "    pass\n    # "}},
    "recipe": {"first": reports.LABEL[0], "last": reports.LABEL[1], "title": "Annotate"},
}


@dataclass
class Played:
    """What an Emacs made of the cases."""

    version: Version
    emacs: str
    results: dict[str, dict[str, Any]]

    def case(self, name: str) -> dict[str, Any]:
        result = self.results[name]
        assert "error" not in result, result["error"]
        return result


@pytest.fixture(scope="module", params=VERSIONS, ids=lambda version: version.number)
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Played:
    version: Version = request.param
    home = tmp_path_factory.mktemp("emacs")
    workspace = home / "workspace"
    workspace.mkdir()
    (workspace / ".copydesk.toml").write_text(
        f'[[recipes]]\ntitle = "Annotate"\ninstruction = "{reports.RETURNS}"\n'
    )
    (workspace / "ruff.toml").write_text('lint.select = ["E711", "F401"]\n')
    cases = []
    for number, case in enumerate(CASES.values()):
        path = workspace / f"report{number}.py"
        path.write_bytes(reports.crlf(reports.TEXT) if case.get("crlf") else reports.TEXT.encode())
        cases.append({"typed": None, "last": None, **case, "file": str(path)})
    (home / "cases.json").write_text(json.dumps(cases))
    output = play(unpack(version.suite, *version.packages), home)
    results = home / "results.json"
    assert results.is_file(), output
    found = json.loads(results.read_text())
    return Played(version, found["emacs"], dict(zip(CASES, found["cases"], strict=True)))


def play(editor: Unpacked, home: Path) -> str:
    number = editor.only("usr/share/emacs/[0-9]*").name
    packages = [str(path) for path in editor.root.glob("usr/share/emacs/site-lisp/elpa-src/*")]
    lisp = editor.root / f"usr/share/emacs/{number}"
    environment = {
        **os.environ,
        "HOME": str(home),
        "LC_ALL": "C.UTF-8",
        "EMACSLOADPATH": os.pathsep.join([*packages, str(lisp / "lisp"), *folders(lisp / "lisp")]),
        "EMACSDATA": str(lisp / "etc"),
        "COPYDESK_CASES": str(home / "cases.json"),
        "COPYDESK_RESULTS": str(home / "results.json"),
        "PYTHONPATH": os.pathsep.join(str(ROOT / name) for name in ("engine", "server")),
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "OMP_NUM_THREADS": "1",
        "HF_HUB_OFFLINE": "1",
    }
    dump = editor.only("usr/libexec/emacs/*/*/*.pdmp")
    command = [
        *editor.command("usr/bin/emacs-nox"),
        f"--dump-file={dump}",
        "-Q",
        "--batch",
        "-l",
        str(HERE / "driver.el"),
    ]
    done = subprocess.run(
        command,
        env=environment,
        cwd=home,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=DEADLINE,
    )
    return done.stdout + done.stderr


def folders(lisp: Path) -> list[str]:
    return sorted(str(path) for path in lisp.rglob("*") if path.is_dir())


def test_the_versions(played: Played) -> None:
    assert played.emacs.split(".")[0] == played.version.number
    assert played.case("none")["encoding"] == played.version.encoding


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("none", reports.NONE_FIXED),
        ("unused", reports.UNUSED_FIXED),
        ("recipe", reports.RETURNS_DONE),
        ("typed above", "# 😀 above\n" + reports.NONE_FIXED),
    ],
)
def test_an_edit(played: Played, name: str, expected: str) -> None:
    assert played.case(name)["text"] == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [("none", reports.NONE_FIXED), ("crlf", reports.NONE_FIXED), ("recipe", reports.RETURNS_DONE)],
)
def test_one_undo_takes_it_back(played: Played, name: str, expected: str) -> None:
    assert played.case(name)["text"] == expected
    assert played.case(name)["undone"] == reports.TEXT


@pytest.mark.parametrize(
    ("name", "expected"), [("crlf", reports.NONE_FIXED), ("crlf-unused", reports.UNUSED_FIXED)]
)
def test_crlf(played: Played, name: str, expected: str) -> None:
    assert played.case(name)["saved"].encode("latin-1") == reports.crlf(expected)


def test_nothing_is_applied_to_lines_that_changed(played: Played) -> None:
    assert played.case("typed there")["text"] == reports.TEXT.replace(
        "    if (mark", "    pass\n    #     if (mark"
    )
    assert "-32801" in played.case("typed there")["problem"], "and the person is told"


def test_no_other_case_ends_in_an_error(played: Played) -> None:
    assert [name for name in CASES if played.case(name)["problem"]] == ["typed there"]


def test_the_readme_has_the_configuration_that_was_tested() -> None:
    lines = (HERE / "configuration.el").read_text().split("\n")
    code = "\n".join(line for line in lines if line and not line.startswith(";"))
    assert f"```elisp\n{code}\n```" in (ROOT / "README.md").read_text()
