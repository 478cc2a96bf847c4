"""Editors as Debian packages them, unpacked into folders of their own: no root, nothing installed, versions side by side.

    neovim = unpack("trixie", "neovim")
    subprocess.run([*neovim.command("usr/bin/nvim"), "--version"], env={**os.environ, ...})

A program comes with all the libraries it needs, down to the C library, and is run by its own loader. Folders are kept under
`COPYDESK_EDITORS` (default: `~/.cache/copydesk-editors`) by suite and package, so that a second run fetches nothing; for a newer
version, remove the folder. Knows apt and dpkg; nothing of editors.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
MIRROR = "http://deb.debian.org/debian"
NEEDED = ("apt-get", "dpkg", "dpkg-deb")


class InstallError(Exception):
    """The editor is not to be had here; the message says what a person can do."""


@dataclass(frozen=True)
class Unpacked:
    """A file system tree with one package and all it depends on."""

    root: Path

    def command(self, program: str) -> list[str]:
        """What runs `program`, a path below the root."""
        return [str(self._loader()), "--library-path", self._libraries(), str(self.root / program)]

    def only(self, pattern: str) -> Path:
        """The one path below the root that matches."""
        found = sorted(self.root.glob(pattern))
        if not found:
            raise InstallError(f"{self.root} has no {pattern}: remove the folder, and it is fetched again")
        return found[0]

    def _loader(self) -> Path:
        for pattern in (
            "lib*/ld-linux*.so.*",
            "usr/lib*/ld-linux*.so.*",
            "usr/lib/*/ld-linux*.so.*",
            "lib/*/ld-linux*.so.*",
        ):
            for path in sorted(self.root.glob(pattern)):
                if path.exists():
                    return path
        raise InstallError(f"{self.root} has no loader: remove the folder, and it is fetched again")

    def _libraries(self) -> str:
        return ":".join(
            str(path)
            for pattern in ("lib/*-linux-*", "usr/lib/*-linux-*")
            for path in sorted(self.root.glob(pattern))
        )


def cache() -> Path:
    """Where editors are kept between runs."""
    named = os.environ.get("COPYDESK_EDITORS")
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "copydesk-editors"


def unpack(suite: str, *packages: str) -> Unpacked:
    """`packages` of a Debian suite, fetched unless they are there. Raises InstallError."""
    root = cache() / f"{packages[0]}-{suite}"
    if root.is_dir():
        return Unpacked(root)
    missing = [name for name in NEEDED if shutil.which(name) is None]
    if missing:
        raise InstallError(
            f"{packages[0]} of Debian {suite} is unpacked by {', '.join(missing)}: run this on Debian or Ubuntu"
        )
    if not KEYRING.is_file():
        raise InstallError(f"{KEYRING} is missing: apt-get install debian-archive-keyring")
    root.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=root.parent, prefix=f".{root.name}-") as work:
        made = _fetch(Path(work), suite, packages)
        try:
            made.rename(root)  # it appears whole or not at all
        except OSError:
            if not root.is_dir():  # another run was faster
                raise
    return Unpacked(root)


def _fetch(work: Path, suite: str, packages: tuple[str, ...]) -> Path:
    """As if on an empty machine, so that everything a package depends on comes with it."""
    for folder in ("lists/partial", "cache/archives/partial", "root"):
        (work / folder).mkdir(parents=True)
    (work / "status").touch()
    mirror = os.environ.get("COPYDESK_DEBIAN_MIRROR", MIRROR)
    (work / "debian.sources").write_text(
        f"Types: deb\nURIs: {mirror}\nSuites: {suite}\nComponents: main\nSigned-By: {KEYRING}\n"
    )
    (work / "apt.conf").write_text(
        f'Dir::Etc::SourceList "{work}/debian.sources";\nDir::Etc::SourceParts "-";\nDir::State "{work}";\n'
        f'Dir::State::Lists "{work}/lists";\nDir::State::status "{work}/status";\nDir::Cache "{work}/cache";\n'
        'APT::Install-Recommends "false";\nAPT::Sandbox::User "";\n'
    )
    environment = {**os.environ, "APT_CONFIG": str(work / "apt.conf"), "DEBIAN_FRONTEND": "noninteractive"}
    _run(["apt-get", "update", "-qq"], environment)
    _run(["apt-get", "install", "-y", "-qq", "--download-only", *packages], environment)
    for archive in sorted((work / "cache/archives").glob("*.deb")):
        _run(["dpkg-deb", "-x", str(archive), str(work / "root")], environment)
    return work / "root"


def _run(command: list[str], environment: dict[str, str]) -> None:
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise InstallError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
