"""Whether code still works that `copydesk fix` has written into: the standard library of this Python, and its own tests.

    python -m copydesk_benchmarks standard_library [--model standard] [--sides "copydesk,ruff safe"] [--jobs 2]
        [--keep FOLDER] > benchmarks/results/standard-library.md

Each side gets a copy of the library and writes into its modules, not into the tests; then `python -m test` runs on the copy, in
an interpreter that has no other. Reported are the tests that fail there and not on the library as it is. SIM105 is left out
of the modules that `contextlib` imports itself, which cannot import it. Takes some 40
minutes with the model `standard`, and 5 for each side's tests.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import torch

from copydesk_benchmarks.facts import hardware
from copydesk_benchmarks.standalone.headless_packages import (
    IGNORE,
    OPTIONS,
    SELECT,
    SIDES,
    judged,
    run_copydesk,
    run_ruff,
    survey,
)
from copydesk_server.ruff import Ruff

LEFT_OUT = (
    "test", "tests", "idlelib", "lib2to3", "turtledemo", "ensurepip", "pydoc_data", "site-packages", "config-*",
    "_sysconfigdata_*",
)  # fmt: skip
"""Of the library's folders and files: what is written into by no side."""
TESTS_LEFT_OUT = (
    "test_idle", "test_ttk_guionly", "test_ttk_textonly", "test_tk", "test_tcl", "test_lib2to3", "test_gdb",
    "test_multiprocessing_fork", "test_multiprocessing_forkserver", "test_multiprocessing_spawn",
    "test_multiprocessing_main_handling", "test_concurrent_futures", "test_tools", "test_peg_generator",
    "test_regrtest", "test_faulthandler", "test_zipfile64", "test_largefile", "test_ensurepip", "test_venv",
    "test_urllib2net", "test_smtpnet", "test_signal", "test_socket", "test_io", "test_capi", "test_embed",
    "test_tokenize", "test_compileall", "test_decimal", "test_hashlib", "test_statistics", "test_bufio", "test_ssl",
    "test_asyncio", "test_threading", "test_unparse", "test_selectors", "test_ioctl", "test_wait4",
    "test_c_locale_coercion", "test_unicodedata",
)  # fmt: skip
"""Tests that take minutes, need a display or a network, or are of what no side writes into."""
WRITTEN = ".written"
"""The file that a side leaves when it has written all."""
_FAILED = re.compile(r"^\d+ tests? failed:\n((?:    .*\n)+)", re.MULTILINE)
_RUN = re.compile(r"^Total tests: run=([\d,]+)", re.MULTILINE)


class NotEndedError(Exception):
    """The tests did not come to their end; the last line that was said."""


@dataclass(frozen=True, slots=True)
class OwnTests:
    """What the library's own tests came to. count: of single tests; failed: files of them."""

    count: int
    failed: frozenset[str]

    @classmethod
    def of(cls, said: str) -> OwnTests:
        """What `python -m test` said. Raises NotEndedError."""
        count = _RUN.search(said)
        if count is None:
            raise NotEndedError(said.strip().rpartition("\n")[2])
        failed = _FAILED.search(said)
        names = failed.group(1).split() if failed is not None else ()
        return cls(int(count.group(1).replace(",", "")), frozenset(names))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", default="mini", help="default: mini, the embedded model")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--jobs", type=int, default=2, help="test processes")
    parser.add_argument(
        "--sides", type=lambda said: said.split(","), default=["copydesk", "ruff safe"], help="with commas"
    )
    parser.add_argument(
        "--keep", help="leave the copies here; what a side has written already is not written again"
    )
    args = parser.parse_args()
    if unknown := set(args.sides) - set(SIDES):
        parser.error(f"no such side: {', '.join(sorted(unknown))}; there are {', '.join(SIDES)}")
    ruff = Ruff.find()
    if ruff is None:
        parser.error("ruff is not there")
    with tempfile.TemporaryDirectory() as folder:
        home = Path(args.keep or folder).resolve()
        before = copied(home / "before")
        rows: list[tuple[str, int, int | str, str]] = []
        had, as_it_is = survey(ruff, before), tested(before, args.jobs)
        for side in args.sides:
            tree = copied(home / side.replace(" ", "-"))
            if not (tree / WRITTEN).exists():
                if side in OPTIONS:
                    run_copydesk(tree, OPTIONS[side], args)
                else:
                    run_ruff(ruff, tree, *(("--unsafe-fixes",) if side == "ruff unsafe" else ()))
                (tree / WRITTEN).touch()
            gone = judged(had, survey(ruff, tree), tree).total()
            try:
                failing = sorted(tested(tree, args.jobs).failed - as_it_is.failed)
                rows.append((SIDES[side], gone, len(failing), ", ".join(failing) or "none"))
            except NotEndedError as error:
                rows.append((SIDES[side], gone, "all", f"they do not start: {error}"))
    print("# The standard library's own tests, after `copydesk fix`\n")
    print(f"`python -m copydesk_benchmarks standard_library {' '.join(sys.argv[1:])}`\n")
    print(
        f"{hardware()}; Python {sys.version.split()[0]}, torch {torch.__version__}, ruff {version('ruff')}; model {args.model}; "
        f"rules {SELECT} without {IGNORE}: {sum(found.total() for found in had.values())} findings in {len(had)} files. "
        f"{as_it_is.count} tests; on the library as it is these files of them fail here: "
        f"{', '.join(sorted(as_it_is.failed)) or 'none'}.\n"
    )
    print("| | findings gone | test files that fail besides | which |\n|---|---|---|---|")
    for row in rows:
        print(f"| {' | '.join(map(str, row))} |")
    return 0


def copied(home: Path) -> Path:
    """The folder of the library in a home of its own, with ruff's settings; as it is where it is there already."""
    library = Path(sysconfig.get_path("stdlib"))
    tree = home / library.parent.name / library.name
    if tree.exists():
        return tree
    ignored = shutil.ignore_patterns("site-packages", "__pycache__", "*.a")
    shutil.copytree(library, tree, symlinks=True, ignore=ignored)
    (tree / "pyproject.toml").write_text("")  # it is a project
    early = "".join(f'"{name}" = ["SIM105"]\n' for name in imported_by_contextlib(tree))
    (tree / "ruff.toml").write_text(
        f'target-version = "py{sys.version_info[0]}{sys.version_info[1]}"\nexclude = {toml(LEFT_OUT)}\n[lint]\n'
        f"select = {toml(SELECT.split(','))}\nignore = {toml([IGNORE])}\n[lint.per-file-ignores]\n{early}"
    )
    return tree


def toml(words: Sequence[str]) -> str:
    return f"[{', '.join(map('{!r}'.format, words))}]"


def imported_by_contextlib(tree: Path) -> list[str]:
    """The files below `tree` that are imported before `contextlib` is."""
    names = "m.__file__ for m in sys.modules.values() if getattr(m, '__file__', None)"
    said = python(tree, "-S", "-c", f"import contextlib, sys; print(*({names}), sep='\\n')")
    files = (Path(line) for line in said.split("\n"))
    return sorted(
        {
            path.relative_to(tree).as_posix()
            for path in files
            if path.suffix == ".py" and path.is_relative_to(tree)
        }
    )


def tested(tree: Path, jobs: int) -> OwnTests:
    """Raises NotEndedError."""
    options = ("-m", "test", f"-j{jobs}", "--timeout", "300", "-x", *TESTS_LEFT_OUT)
    return OwnTests.of(python(tree, *options))


def python(tree: Path, *arguments: str) -> str:
    """What this Python says that has the library `tree` and no other."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "OMP_"))
    }
    environment["PYTHONHOME"] = str(tree.parent.parent)
    base = getattr(sys, "_base_executable", sys.executable)
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [base, *arguments],
            cwd=folder,
            env={**environment, "HOME": folder},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
    return done.stdout


if __name__ == "__main__":
    raise SystemExit(main())
