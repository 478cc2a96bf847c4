"""ruff as a tool to run: which one, on what text, and what it says.

Texts go in through standard input, so that what is checked is what is held, saved or not; configuration is found by ruff
itself, by the file's path. Knows ruff's command line and JSON, and that imports which its fixes add are to be sorted; nothing of
editors or models. It blocks for as long as ruff takes (some 10 ms): callers on an event loop give it a thread.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
import threading
from collections import OrderedDict
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from copydesk.errors import RequestError
from copydesk.files.executables import find_executable
from copydesk.quickfixes.added_import import with_sorted_import
from copydesk.request import Diagnostic, ToolFix
from copydesk.text.document import Position, TextEdit, split_lines
from copydesk_server.applicability import Applicability
from copydesk_server.errors import RuffError
from copydesk_server.ruff_inputs import check_configuration, check_tree

SOURCE = "Ruff"
SYNTAX = "invalid-syntax"
TIMEOUT = 10.0
SURVEY_TIMEOUT = 600.0
"""Seconds for a whole tree; ruff takes one for some 10,000 files."""
REMEMBERED = 6
_LOOKING = threading.Lock()
_UNKNOWN = re.compile(r"Unknown rule selector `([^`]+)`")
_RULE = re.compile(r"^[A-Z]+[0-9]*$")
# Whatever a configuration says: report in JSON on standard output, and change nothing.
_ARGUMENTS = (
    "check",
    "--output-format",
    "json",
    "--no-fix",
    "--no-fix-only",
    "--no-cache",
    "--quiet",
    "--exit-zero",
)

PREVIEW_FIXES = frozenset({"F401", "PERF401", "PERF403"})
"""Rules that ruff has fixes for in its preview mode alone: imports of an `__init__.py`, which are imported again under their name
or go into its `__all__`, and loops that are comprehensions.
"""

APPLICABLE: dict[str, frozenset[Applicability]] = {
    "none": frozenset(),
    "safe": frozenset({"safe"}),
    "unsafe": frozenset({"safe", "unsafe"}),
}
"""What a person allows, as options and settings name it."""


@dataclass(frozen=True, slots=True)
class Ruff:
    """One ruff executable.

    fixes: those of its own that its findings carry. isolated: no configuration counts, neither a folder's nor the person's, and
    `check` touches no file. most_bytes: a report that is longer is an error.
    """

    program: Path
    fixes: frozenset[Applicability] = frozenset()
    isolated: bool = False
    most_bytes: int | None = None

    @classmethod
    def find(cls, opened: Iterable[Path] = ()) -> Ruff | None:
        """The ruff of the environment copydesk runs in, else the first on PATH that does not lie in an opened folder."""
        with _LOOKING:  # sysconfig is not made for several threads that ask for the first time
            own = _own_folders()
        program = find_executable("ruff", first=own, opened=opened)
        return cls(program) if program is not None else None

    def check(
        self,
        text: str,
        path: Path | None,
        *,
        select: str | None = None,
        extend: Iterable[str] = (),
        timeout: float = TIMEOUT,
    ) -> list[Diagnostic]:
        """What ruff says of `text`, in document order, as if it were the file `path`.

        select: rules instead of those the configuration names; extend: rules besides, of which those that are another tool's
        do not count. Without a path nobody's configuration counts. Raises RuffError.
        """
        arguments: list[str] = []
        if path is None or self.isolated:
            arguments.append("--isolated")
            if path is not None:  # whose ending tells a stub from a module
                arguments.append(f"--stdin-filename={path.name}")
                path = None
        else:
            path = path.absolute()
            arguments.append(f"--stdin-filename={path}")
            check_configuration(path.parent)
        data, wanted = text.encode("utf-8", "replace"), set(extend)
        while True:
            try:
                asked = [*_arguments(select, wanted), *arguments, "-"]
                said = self._run(asked, _existing(path), data, timeout)
                break
            except RuffError as error:
                unknown = _UNKNOWN.search(str(error))
                if unknown is None or unknown[1] not in wanted:
                    raise
                wanted.discard(unknown[1])
        found = self._read(said, text)
        unfixed = {each.code for each in found if each.code and not each.fixes} & PREVIEW_FIXES
        if unfixed and self.fixes:
            asked = [*_arguments(",".join(sorted(unfixed)), ()), "--preview", *arguments, "-"]
            preview = {
                _place(each): each
                for each in self._read(self._run(asked, _existing(path), data, timeout), text)
            }
            found = [each if each.fixes else preview.get(_place(each), each) for each in found]
        if any(diagnostic.fixes for diagnostic in found):
            lines = split_lines(text)
            found = [with_sorted_import(diagnostic, lines) for diagnostic in found]
        return sorted(found, key=lambda d: (d.start, d.end, d.code or ""))

    def _read(self, said: str, text: str) -> list[Diagnostic]:
        read = read_json(said, bom=text.startswith("\ufeff"), fixes=self.fixes)
        return [diagnostic for _, diagnostic in read]

    def survey(
        self,
        paths: Sequence[Path],
        *,
        select: str | None = None,
        extend: Iterable[str] = (),
        timeout: float | None = SURVEY_TIMEOUT,
    ) -> list[tuple[Path, Diagnostic]]:
        """What ruff says of files as they lie on disk. Raises RuffError."""
        if not paths:
            return []
        check_tree(paths)
        arguments = _arguments(select, extend)
        if self.isolated:
            arguments.append("--isolated")
        found: list[tuple[Path, Diagnostic]] = []
        for first in range(0, len(paths), 500):  # a command line has an end
            names = [str(path.absolute()) for path in paths[first : first + 500]]
            for name, diagnostic in read_json(self._run([*arguments, "--", *names], None, b"", timeout)):
                found.append((Path(name), diagnostic))
        return found

    def files(self, paths: Sequence[Path]) -> list[Path]:
        """The files it would look at, by itself and its configuration. Raises RuffError."""
        arguments = ["check", "--show-files", *(["--isolated"] if self.isolated else [])]
        names = [str(path.absolute()) for path in paths]
        said = self._run([*arguments, "--", *names], None, b"", SURVEY_TIMEOUT)
        return [Path(line) for line in said.split("\n") if line]

    def _run(self, arguments: Sequence[str], folder: Path | None, data: bytes, timeout: float | None) -> str:
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith("RUFF_OUTPUT_")
        }
        # Files, not pipes: a report is as long as the text makes it, and must not lie in memory before it is measured.
        with TemporaryFile() as asked, TemporaryFile() as said:
            asked.write(data)
            asked.seek(0)
            try:
                done = subprocess.run(
                    [str(self.program), *arguments],
                    stdin=asked,
                    stdout=said,
                    stderr=subprocess.PIPE,
                    cwd=folder,
                    env=environment,
                    timeout=timeout,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                raise RuffError(f"ruff did not answer within {timeout:g} s") from None
            except OSError as error:
                raise RuffError(f"ruff could not be run: {error.strerror or error}") from error
            if done.returncode != 0:
                reason = done.stderr.decode("utf-8", "replace").strip().replace("\n", " ")
                raise RuffError(f"ruff failed ({done.returncode})" + (f": {reason[:500]}" if reason else ""))
            if self.most_bytes is not None and os.fstat(said.fileno()).st_size > self.most_bytes:
                raise RuffError("ruff finds too much in this file to compare it")
            said.seek(0)
            return said.read().decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class RememberingRuff(Ruff):
    """A ruff that is not asked twice in a row about one text: the text behind one fix is the one before the next.

    For one file, while no configuration changes.
    """

    _said: OrderedDict[Hashable, str] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def _run(self, arguments: Sequence[str], folder: Path | None, data: bytes, timeout: float | None) -> str:
        if not data:  # files, which may change
            return Ruff._run(self, arguments, folder, data, timeout)
        key = (tuple(arguments), folder, data)
        with self._lock:
            said = self._said.get(key)
        if said is None:
            # Without `super()`: slots made it another class.
            said = Ruff._run(self, arguments, folder, data, timeout)
        with self._lock:
            self._said[key] = said
            self._said.move_to_end(key)
            while len(self._said) > REMEMBERED:
                self._said.popitem(last=False)
        return said


def _arguments(select: str | None, extend: Iterable[str]) -> list[str]:
    arguments = list(_ARGUMENTS)
    if select is not None:
        arguments.append(f"--select={select}")
    wanted = sorted({code for code in extend if _RULE.match(code)})
    if wanted:
        arguments.append(f"--extend-select={','.join(wanted)}")
    return arguments


def read_json(
    text: str, *, bom: bool = False, fixes: Collection[Applicability] = ()
) -> list[tuple[str, Diagnostic]]:
    """ruff's `--output-format json` as (file name, diagnostic). Raises RuffError for anything else.

    bom: the text begins with a byte order mark, which ruff does not count. fixes: those of ruff's own to be kept.
    """
    try:
        items = json.loads(text or "[]")
        if not isinstance(items, list):
            raise TypeError("not a list")
        return [(str(item["filename"]), _diagnostic(item, bom, fixes)) for item in items]
    except (ValueError, KeyError, TypeError, RecursionError, RequestError) as error:
        raise RuffError(f"ruff's JSON cannot be read: {type(error).__name__}: {error}") from error


def selects(selectors: Iterable[str], code: str) -> bool:
    """Whether one of ruff's rule selectors (`F401`, `E7`, `PL`, `ALL`) takes in the rule `code`.

    A selector's letters name one linter: `E` does not take in `ERA001`. Only `PL` stands for several.
    """
    return any(
        selector == "ALL"
        or (code.startswith(selector) and (selector == "PL" or _linter(selector) == _linter(code)))
        for selector in selectors
    )


def _place(diagnostic: Diagnostic) -> tuple[str | None, Position, Position]:
    return diagnostic.code, diagnostic.start, diagnostic.end


def _linter(selector: str) -> str:
    return selector.rstrip("0123456789")


def _diagnostic(item: dict[str, Any], bom: bool, fixes: Collection[Applicability]) -> Diagnostic:
    start, end = _position(item["location"], bom), _position(item["end_location"], bom)
    code = item["code"] or SYNTAX
    message = str(item["message"]).split("\n")[0]
    severity = 1 if code == SYNTAX else 2
    fix = item.get("fix")
    proposed: tuple[ToolFix, ...] = ()
    if fix is not None and fix["applicability"] in fixes and fix["edits"]:
        proposed = (ToolFix(_edits(fix, bom), fix["applicability"] == "safe"),)
    return Diagnostic(start, max(start, end), message, str(code), SOURCE, severity, proposed)


def _edits(fix: dict[str, Any], bom: bool) -> tuple[TextEdit, ...]:
    return tuple(
        TextEdit(_position(edit["location"], bom), _position(edit["end_location"], bom), str(edit["content"]))
        for edit in fix["edits"]
    )


def _position(place: dict[str, int], bom: bool) -> Position:
    line = int(place["row"]) - 1
    return Position(line, int(place["column"]) - 1 + (bom and line == 0))


def _own_folders() -> list[Path]:
    """Where the running interpreter's scripts lie."""
    names = [sysconfig.get_path("scripts"), os.path.dirname(sys.executable)]
    user = sysconfig.get_preferred_scheme("user")
    names.append(sysconfig.get_path("scripts", scheme=user))
    return [Path(name) for name in dict.fromkeys(names) if name]


def _existing(path: Path | None) -> Path | None:
    """The nearest folder above `path` that is there."""
    return next((folder for folder in path.parents if folder.is_dir()), None) if path is not None else None
