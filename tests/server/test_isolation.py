"""Nothing of the folder that is open is imported or run: not by the server, its engine, the batch commands or training."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from copydesk.files.executables import find_executable
from decoys import PROGRAMS, ROOT, Trap
from lsp_client import LspClient
from lsp_desk import applied
from training_corpora import module

BROKEN = "def first(x, y):\n    if x == None:\n        return y\n    return x\n"
MENDED = BROKEN.replace("== None", "is None")
SITE = ("sitecustomize", "usercustomize")
COMMANDS = """
import sys
from copydesk_server.__main__ import main
for line in sys.argv[2:] if __name__ == "__main__" else ():
    sys.argv[1:] = line.split("|")
    code = main()
    if code:
        sys.exit(f"{line}: {code}")
"""
SPAWN = """
from copydesk_server.isolation import clean_paths, isolate

if __name__ == "__main__":
    clean_paths()
    isolate()
    from copydesk_server.engine_process.child_process import CONTEXT
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()
    child = CONTEXT.Process(target=print)
    child.start()
    child.join()
    assert child.exitcode == 0
"""


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    return Trap(tmp_path)


def assert_isolated(trap: Trap, processes: int) -> None:
    assert trap.ran() == []
    assert trap.notes("path") == [], "the folder was looked in"
    assert trap.notes("program") == [], "the folder was looked in for a program"
    assert len(trap.notes("process")) >= processes, "the probe rode along"


def test_the_server_and_its_engine_run_nothing_of_the_folder(trap: Trap) -> None:
    uri = (trap.folder / "mine.py").as_uri()
    found = {
        "range": {"start": {"line": 1, "character": 12}, "end": {"line": 1, "character": 16}},
        "message": "Comparison to `None` should be `cond is None`",
        "code": "E711",
        "source": "Ruff",
        "severity": 2,
    }
    command = [sys.executable, str(trap.script), "lsp", "--device", "cpu"]
    with LspClient(command=command, cwd=trap.folder, env=trap.environment()) as client:
        client.ignore("textDocument/publishDiagnostics", "copydesk/status")
        client.settings = {"precompute": False}
        client.initialize(encodings=["utf-16"], folders=[trap.folder])
        client.open(uri, BROKEN)
        params: dict[str, Any] = {
            "textDocument": {"uri": uri},
            "range": found["range"],
            "context": {"diagnostics": [found], "only": ["quickfix"]},
        }
        action, everywhere = client.request("textDocument/codeAction", params)
        assert everywhere["title"].startswith("Fix all in the workspace")
        edit = client.request("codeAction/resolve", action)["edit"]
    assert applied(BROKEN, edit, 1, uri) == MENDED
    assert_isolated(trap, processes=3)  # with multiprocessing's resource tracker


@pytest.mark.slow
def test_batch_commands_and_training_run_nothing_of_the_folder(trap: Trap, tmp_path: Path) -> None:
    mine, source, work = trap.folder / "mine.py", tmp_path / "sources", tmp_path / "work"
    mine.write_text(BROKEN)
    for k in range(4):
        (source / f"p{k}").mkdir(parents=True)
        (source / f"p{k}" / "code.py").write_text(module(f"p{k}", functions=4))
    train = f"train|--quiet|--work|{work}"
    given = "".join(f"|--own|{source / f'p{k}'}" for k in range(4))
    commands = [
        "doctor|--device|cpu",
        "program|oracle|mine.py|mine.py",
        "fix|mine.py|--select|E711|--unsafe-fixes|--write|--quiet|--device|cpu",
        "refactor|mine.py|-i|rename x to value|--lines|1-4|--write|--quiet|--device|cpu",
        f"{train}|corpus{given}",
        f"{train}|tokenizer|--vocabulary|400",
        f"{train}|shards|--workers|2",
        f"{train}|run|--size|xs|--minutes|0.02|--device|cpu",
    ]
    runner = tmp_path / "bin" / "commands.py"
    runner.write_text(COMMANDS)
    done = subprocess.run(
        [sys.executable, str(runner), "", *commands],
        cwd=trap.folder,
        env=trap.environment(XDG_STATE_HOME=str(tmp_path / "state")),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert mine.read_text() == MENDED.replace("x", "value")
    assert (work / "shards" / "manifest.json").is_file()
    assert_isolated(trap, processes=3)  # a worker, and multiprocessing's resource tracker


def test_relative_entries_of_the_environment_reach_no_child(tmp_path: Path) -> None:
    """What Python and the entry point import before they are dropped is Python's own affair: those decoys are spared."""
    script = "import sys, copydesk_server.isolation; print(*{name.partition('.')[0] for name in sys.modules})"
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    trap = Trap(tmp_path, spared=[*told.stdout.split(), *SITE])
    environment = trap.environment(PYTHONUSERBASE=".", PYTHONPYCACHEPREFIX="cache")
    environment["PYTHONPATH"] = os.pathsep.join(["", ".", "src", environment["PYTHONPATH"], ""])
    spawn = tmp_path / "bin" / "spawn.py"
    spawn.write_text(SPAWN)
    done = subprocess.run(
        [sys.executable, str(spawn)],
        cwd=trap.folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert trap.ran() == []
    assert len(trap.notes("process")) == 3, "the probe rode along"


def test_started_as_a_module_it_leaves_the_working_directory_out(tmp_path: Path) -> None:
    """Python itself looks there first for what `-m` needs, and for the package: those are spared."""
    package = tmp_path / "empty"
    package.mkdir()
    (package / "__main__.py").write_text(
        "import sys; print(*{name.partition('.')[0] for name in sys.modules})"
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    told = subprocess.run(
        [sys.executable, "-m", "empty"], env=environment, capture_output=True, text=True, check=True
    )
    trap = Trap(tmp_path, spared=[*told.stdout.split(), "copydesk_server"])
    done = subprocess.run(
        [sys.executable, "-m", "copydesk_server", "program", "oracle", "--help"],
        cwd=trap.folder,
        env=trap.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert trap.ran() == []


def test_an_interpreter_that_ignores_the_environment_must_be_safe_itself() -> None:
    paths = [str(ROOT / name) for name in ("engine", "server")]
    script = f"import sys; sys.path[:0] = {paths!r}; from copydesk_server.cli import main; sys.exit(main(['doctor']))"
    said = subprocess.run([sys.executable, "-E", "-c", script], capture_output=True, text=True, check=False)
    assert (said.returncode, said.stderr.count("-P besides")) == (2, 1)


@pytest.mark.parametrize("folder", ["engine", "server", "benchmarks"])
def test_programs_are_started_by_a_path(folder: str) -> None:
    """A Python with `-P` or `-I`, else `-m` and `-c` look where they stand; others as `find_executable` has found them."""
    for path in (ROOT / folder).rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        if path.name != "executables.py":
            assert "which(" not in source, "copydesk.files.executables looks for programs"
        for node in ast.walk(ast.parse(source)):
            place = f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}"
            if isinstance(node, ast.List) and node.elts:
                words = [ast.unparse(element) for element in node.elts[:2]]
                assert words[0] != "sys.executable" or words[1] in ("'-P'", "'-I'"), place
                assert words[0].strip("'") not in PROGRAMS, place
            if isinstance(node, ast.Call) and ast.unparse(node.func).startswith(("subprocess.", "os.exec")):
                assert not any(keyword.arg == "shell" for keyword in node.keywords), place
                assert not isinstance(node.args[0], ast.Constant | ast.JoinedStr), place


def test_programs_are_not_taken_from_opened_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def program(folder: Path, name: str) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
        return folder / name

    here, opened, tools = tmp_path / "here", tmp_path / "opened", tmp_path / "tools"
    for folder in (here, here / "bin", opened / "bin"):
        program(folder, "cc")
    good = program(tools, "cc")
    (tools / "gcc").symlink_to(opened / "bin" / "cc")
    (tools / "notes").write_text("")
    monkeypatch.chdir(here)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    places = ["", ".", "bin", "../opened/bin", str(here), str(here / "bin"), str(opened / "bin"), str(tools)]
    monkeypatch.setenv("PATH", os.pathsep.join(places))
    assert find_executable("cc", opened=iter([opened])) == good
    assert find_executable("cc") == opened / "bin" / "cc", "a folder that nobody opened"
    assert find_executable("gcc", opened=[opened]) is None, "a link into an opened folder"
    assert find_executable("gcc", "cc", opened=[opened]) == good, "the first name that is there"
    assert find_executable("notes") is None, "it cannot be run"
    assert find_executable("cc", first=[here / "bin"]) == here / "bin" / "cc", "the installation's own"
    monkeypatch.setenv("PATH", "")
    assert find_executable("cc") is None
    monkeypatch.setenv("PATH", str(tools))
    monkeypatch.setenv("HOME", str(here.parent))
    monkeypatch.chdir(here.parent)
    assert find_executable("cc") == good, "whoever starts an editor at home has all of PATH below"


def test_history_is_read_without_the_programs_a_repository_names(tmp_path: Path) -> None:
    from copydesk_training.git_command import git_command

    canary, folder = tmp_path / "canary", tmp_path / "folder"
    run = partial(subprocess.run, check=True, capture_output=True)
    git = ["git", "-c", "user.name=n", "-c", "user.email=e@example.org", "-C", str(folder)]
    folder.mkdir()
    run([*git, "init", "-q"])
    run([*git, "commit", "-q", "--allow-empty", "-m", "signed"])
    signed = run([*git, "cat-file", "commit", "HEAD"]).stdout.replace(
        b"\n\n", b"\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n -----END PGP SIGNATURE-----\n\n", 1
    )
    name = run([*git, "hash-object", "-t", "commit", "-w", "--stdin"], input=signed).stdout.decode().strip()
    run([*git, "update-ref", "HEAD", name])
    for key, value in {
        "log.showSignature": "true", "gpg.program": "{}", "core.fsmonitor": "touch {}", "core.pager": "touch {}",
        "core.sshCommand": "touch {}; false", "remote.origin.url": "ssh://example.invalid/x",
        "remote.origin.promisor": "true", "core.repositoryformatversion": "1", "extensions.partialClone": "origin",
    }.items():  # fmt: skip
        script = tmp_path / "script"
        script.write_text(f"#!/bin/sh\ntouch {canary}\n")
        script.chmod(0o755)
        run([*git, "config", key, value.format(script if value == "{}" else canary)])
    missing = "1" * 40
    for arguments in (("log", "--raw", "--format=%s"), ("cat-file", "-e", missing), ("rev-parse", "HEAD")):
        run(git_command(folder, *arguments), check=False)
    assert not canary.exists()
    run([*git, "log"])
    assert canary.exists()
    canary.unlink()
    run([*git, "cat-file", "-e", missing], check=False)
    assert canary.exists()


def test_editors_start_the_server_outside_of_the_folder() -> None:
    """The editors themselves are tested by name (`make test-editors`): this is what their clients write."""
    code = (ROOT / "vscode-client" / "src" / "server.ts").read_text(encoding="utf-8")
    assert code.count("new LanguageClient(") == 1
    assert 'options: { cwd: vscode.env.appRoot, env: { ...process.env, PYTHONSAFEPATH: "1" } }' in code
    for path in (ROOT / "vscode-client" / "src").glob("*.ts"):
        for start in re.findall(r"\b(?:spawn|exec\w*|fork)\(\s*([^,)]+)", path.read_text(encoding="utf-8")):
            assert start in ("program", "taskkill") or path.name != "processes.ts", (path, start)
    lua = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "nvim-client").rglob("*.lua"))
    assert 'return { cwd = vim.env.VIMRUNTIME, env = { PYTHONSAFEPATH = "1" } }' in lua
    assert re.findall(r"vim\.lsp\.rpc\.start\(([^)]*)\)", lua + "") == ["found, dispatchers, spawning("]
    assert "config.cmd_cwd, config.cmd_env = spawning().cwd, spawning().env" in lua
    assert not re.search(r"vim\.fn\.system|io\.popen|os\.execute", lua), "those run in the folder"
