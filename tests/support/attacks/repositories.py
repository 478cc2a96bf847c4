"""Folders whose every name is a trap: modules and programs that note that they ran, a repository whose every setting does."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from attacks.arena import MENDED, TEXT, Arena
from decoys import SCRIPT, Trap
from git_repositories import git, hostile, repository

HOOKS = ("post-index-change", "pre-commit", "fsmonitor-watchman", "reference-transaction", "post-checkout")


def _trap(arena: Arena) -> tuple[Trap, Path]:
    """The folder, and where the repository's programs would leave their names."""
    trap = Trap(arena.folder / "trap")
    canary = arena.folder / "canaries"
    canary.mkdir()
    repository(trap.folder, mine=TEXT)
    (trap.folder / ".gitattributes").write_text(
        "*.py filter=hostile diff=hostile merge=hostile\nmine.py !filter\n"
    )
    git(trap.folder, "add", "-f", ".gitattributes", "mine.py")
    git(trap.folder, "commit", "-q", "-m", "attributes")
    config = trap.folder / ".git" / "config"
    if arena.random.random() < 0.5:
        (trap.folder / ".git" / "more").write_text(hostile(canary))
        config.open("a").write("[include]\n\tpath = more\n")
    else:
        config.open("a").write(hostile(canary))
    for hook in HOOKS:
        path = trap.folder / ".git" / "hooks" / hook
        path.write_text(f"#!/bin/sh\ntouch {canary}/hook-{hook}\n")
        path.chmod(0o755)
    (trap.folder / "ruff.toml").write_text(
        f'extend = "{arena.folder}/outside.toml"\ncache-dir = "{canary}/cache"\n'
    )
    (arena.folder / "outside.toml").write_text('[lint]\nselect = ["E711"]\n')
    return trap, canary


def _nothing_ran(trap: Trap, canary: Path) -> None:
    assert not trap.ran(), trap.ran()
    assert not trap.notes("path"), trap.notes("path")
    assert not trap.notes("program"), trap.notes("program")
    assert not list(canary.iterdir()), list(canary.iterdir())


def server(arena: Arena) -> None:
    """Started in the folder, trusted or not."""
    trap, canary = _trap(arena)
    uri = (trap.folder / "mine.py").as_uri()
    command = [sys.executable, str(trap.script), "lsp", "--device", "cpu"]
    settings = {"lint": "on", "untrusted": arena.random.random() < 0.5}
    with arena.server(
        folders=[trap.folder], settings=settings, command=command, cwd=trap.folder, env=trap.environment()
    ) as server:
        server.open(uri, TEXT)
        assert server.settled(server.edit(uri)) in ("edited", "-32803")
        server.close(uri)
    _nothing_ran(trap, canary)
    arena.tried()


def fix(arena: Arena) -> None:
    """And the command, which reads the repository before it writes."""
    trap, canary = _trap(arena)
    program = arena.folder / "fix.py"
    program.write_text(SCRIPT)
    env = {**trap.environment(), "XDG_STATE_HOME": str(arena.folder / "state")}
    mine = trap.folder / "mine.py"
    code, said = arena.command(
        "fix",
        "mine.py",
        "--select",
        "E711",
        "--write",
        "--quiet",
        "--device",
        "cpu",
        cwd=trap.folder,
        env=env,
    )
    assert mine.read_text() == MENDED, (code, said, os.listdir(canary))
    _nothing_ran(trap, canary)
    arena.tried()
