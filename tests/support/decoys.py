"""A folder that would run if any process of ours imported from it, and a probe that rides in each of them.

Decoys stand in for every module that could be imported by name: those of the standard library, and whatever is installed. Each
notes its name when it runs. The probe is a `sitecustomize` on an absolute PYTHONPATH, which a person may well have: it sees every
import in every Python, down to multiprocessing's own helpers, and every program that is started.
"""

from __future__ import annotations

import os
import pkgutil
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from repository import ROOT

SCRIPT = "import sys\nfrom copydesk_server.__main__ import main\nif __name__ == '__main__':\n    sys.exit(main())\n"
"""What pip makes of the entry point."""
PROGRAMS = (
    "ruff", "git", "c++", "g++", "clang++", "cc", "gcc", "as", "ld", "sh", "uname", "file", "fc-list", "ldconfig", "nvidia-smi",
)  # fmt: skip
"""What copydesk, its libraries and compilers start."""

_PROBE = """
import os, sys

HERE, NOTES = {here!r}, {notes!r}
SEEN = set()

def inside(entry):
    return (os.path.abspath(entry) + os.sep).startswith(HERE + os.sep)

def hook(event, args):
    if event == "import":
        told = ("path", next((entry for entry in args[2] or () if isinstance(entry, str) and inside(entry)), None))
    elif event in ("subprocess.Popen", "os.exec", "os.posix_spawn"):
        name = os.fsdecode(args[0] if args[0] is not None else args[1][0])
        folders = os.environ.get("PATH", "").split(os.pathsep)
        by_name = name == os.path.basename(name) and all(os.path.isabs(f) and not inside(f) for f in folders)
        told = ("program", None if by_name or (os.path.isabs(name) and not inside(name)) else name)
    else:
        return
    if told[1] is not None and told not in SEEN:
        SEEN.add(told)
        handle = os.open(NOTES, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(handle, ("%s\\t%s\\t%s\\n" % (*told, sys.orig_argv)).encode())
        os.close(handle)

sys.addaudithook(hook)
handle = os.open(NOTES, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
os.write(handle, ("process\\t%s\\t%s\\n" % (os.getpid(), sys.orig_argv)).encode())
os.close(handle)
"""


class Trap:
    """`folder`: the hostile one. `ran()`: the decoys that ran; `notes(kind)`: what the probe saw."""

    def __init__(self, base: Path, spared: Iterable[str] = ()) -> None:
        self.folder = base / "folder"
        self.folder.mkdir(parents=True)
        self._canary, self._notes = base / "canary", base / "notes"
        kept = {*spared, "__main__"}
        installed = {found.name for found in pkgutil.iter_modules()}
        names = sorted((sys.stdlib_module_names | installed | {"sitecustomize", "usercustomize"}) - kept)
        for k, name in enumerate(names):
            place = self.folder / f"{name}.py" if k % 2 else self.folder / name / "__init__.py"
            place.parent.mkdir(exist_ok=True)
            place.write_text(f"open({str(self._canary)!r}, 'a').write(__name__ + '\\n')\n")
        for name in PROGRAMS:
            for program in (self.folder / name, self.folder / "bin" / name):
                program.parent.mkdir(exist_ok=True)
                if not program.exists():
                    program.write_text(f"#!/bin/sh\necho {name} >> {self._canary}\nexit 1\n")
                    program.chmod(0o755)
        self.probe = base / "probe"
        self.probe.mkdir()
        (self.probe / "sitecustomize.py").write_text(
            _PROBE.format(here=str(self.folder), notes=str(self._notes))
        )
        self.script = base / "bin" / "copydesk"
        self.script.parent.mkdir()
        self.script.write_text(SCRIPT)

    def environment(self, **more: str) -> dict[str, str]:
        """A person's own, with the probe, and a PATH in which the folder comes first in every way it can."""
        kept: Mapping[str, str] = {k: v for k, v in os.environ.items() if k != "PYTHONSAFEPATH"}
        path = [str(self.probe), *(str(ROOT / name) for name in ("engine", "server", "tests/support"))]
        return {
            **kept,
            "PYTHONPATH": os.pathsep.join(path),
            "PATH": os.pathsep.join(
                ["", ".", "bin", str(self.folder), str(self.folder / "bin"), os.environ["PATH"]]
            ),
            "OMP_NUM_THREADS": "1",
            "HF_HUB_OFFLINE": "1",
            **more,
        }

    def ran(self) -> list[str]:
        return self._canary.read_text().split() if self._canary.exists() else []

    def notes(self, kind: str) -> list[tuple[str, str]]:
        lines = self._notes.read_text().split("\n") if self._notes.exists() else []
        fields = [line.split("\t") for line in lines if line]
        return [(what, where) for known, what, where in fields if known == kind]
