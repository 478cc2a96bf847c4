"""Repositories that git makes, and a configuration in which every key would run a program."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

WHO = ["-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "protocol.file.allow=always"]


def git(folder: Path, *arguments: str, data: bytes = b"", check: bool = True) -> bytes:
    command = ["git", *WHO, "-C", str(folder), *arguments]
    done = subprocess.run(command, input=data, capture_output=True, check=False)
    assert done.returncode == 0 or not check, done.stderr
    return done.stdout


def repository(folder: Path, *options: str, **files: str) -> Path:
    """One with a commit of `files`, all of them Python, written long before the index."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", "main", *options)
    for name, text in (files or {"a": "old\n"}).items():
        path = folder / f"{name}.py"
        path.write_bytes(text.encode())
        os.utime(path, (1_000_000_000, 1_000_000_000))
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "all")
    return folder


LAYOUT = re.compile(r"core\.(repositoryformatversion|bare|worktree)$|extensions\.", re.IGNORECASE)
"""What says how a repository is laid out: with nonsense in it, it would be refused before anything could run."""


def keys() -> list[str]:
    """Every key of configuration that this git knows, those with a part to choose under the name that attributes name."""
    listed = subprocess.run(["git", "help", "--config"], capture_output=True, text=True, check=True).stdout
    found = [
        line for line in listed.split("\n") if re.fullmatch(r"[A-Za-z]\S*\.[^\s_]+", line)
    ]  # none has a `_`: git would fail
    chosen = [re.sub(r"<[^>]*>|\*", "hostile", key) for key in found]
    more = ["filter.hostile.process", "filter.hostile.required", "credential.helper", "trailer.hostile.cmd"]
    return [key for key in dict.fromkeys([*chosen, *more]) if not LAYOUT.match(key)]


def hostile(canary: Path) -> str:
    """A configuration in which every key runs a program, if it runs one. (As a switch, each is off or makes git fail.)"""
    lines = []
    for key in keys():
        section, _, name = key.rpartition(".")
        section, _, sub = section.partition(".")
        head = f'[{section} "{sub}"]' if sub else f"[{section}]"
        value = "true" if name == "required" else f"touch {canary}/{key};"
        lines.append(f'{head}\n\t{name} = "{value}"\n')
    return "".join(lines)
