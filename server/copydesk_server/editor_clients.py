"""Which editors on this machine have a client of copydesk: an installed plugin or extension, or settings that name copydesk.

Looks at files in the usual places of a person's home, reads no more of one than a limit, and runs nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from copydesk.errors import FileRefusedError
from copydesk.files.regular_file import read_regular_text

LIMIT = 1 << 20
"""Bytes of a settings file that is still looked at."""
_EXTENSIONS = {
    "VS Code": (".vscode", ".vscode-server", ".vscode-insiders", ".vscode-remote"),
    "VSCodium": (".vscode-oss", ".vscodium-server"),
}
_PLUGIN = "plugin/copydesk.lua"


@dataclass(frozen=True, slots=True)
class EditorClient:
    """An editor, and the file or folder that makes it one with copydesk."""

    editor: str
    place: Path


def editor_clients(home: Path, environment: Mapping[str, str] = os.environ) -> Iterator[EditorClient]:
    """The clients that are installed or set up for the person whose home that is. Raises: never."""
    data = Path(environment.get("XDG_DATA_HOME") or home / ".local" / "share")
    config = Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
    for editor, folders in _EXTENSIONS.items():
        for folder in folders:
            yield from _all(editor, home / folder / "extensions", "copydesk.copydesk-*")
    yield from _all("code-server", data / "code-server" / "extensions", "copydesk.copydesk-*")
    for base in (data / "nvim", config / "nvim"):
        for pattern in (f"site/pack/*/*/*/{_PLUGIN}", f"pack/*/*/*/{_PLUGIN}", f"lazy/*/{_PLUGIN}", _PLUGIN):
            yield from _all("Neovim", base, pattern)
    settings = {
        "Neovim": [config / "nvim" / "init.lua", *_below(config / "nvim" / "lsp", "*.lua")],
        "Emacs": [home / ".emacs", home / ".emacs.d" / "init.el", config / "emacs" / "init.el"],
        "Helix": [config / "helix" / "languages.toml"],
        "Kate": [config / "kate" / "lspclient" / "settings.json"],
        "Zed": [config / "zed" / "settings.json"],
    }
    for editor, paths in settings.items():
        yield from (EditorClient(editor, path) for path in paths if _names_copydesk(path))


def _all(editor: str, folder: Path, pattern: str) -> Iterator[EditorClient]:
    yield from (EditorClient(editor, place) for place in _below(folder, pattern))


def _below(folder: Path, pattern: str) -> list[Path]:
    try:
        return sorted(folder.glob(pattern))
    except OSError:
        return []


def _names_copydesk(path: Path) -> bool:
    try:
        return "copydesk" in read_regular_text(path, LIMIT)
    except (OSError, FileRefusedError, ValueError):
        return False
