"""`copydesk refactor --rename`: a symbol renamed in all files of a project, or in none of them."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from copydesk.errors import RequestError
from copydesk.request import Range
from copydesk.text.document import Encoding, Position, TextEdit, apply_edits, split_lines
from copydesk_server.errors import FileError, RenameRefusedError
from copydesk_server.headless.command import OK, REMAINS, open_writer
from copydesk_server.headless.discover import Place
from copydesk_server.headless.report import FileResult, Reporter
from copydesk_server.headless.source import Source, read
from copydesk_server.headless.write import Writer
from copydesk_server.printable import shown_name
from copydesk_server.renaming.instructions import check_inside, seen_elsewhere, wished_rename
from copydesk_server.renaming.limits import LIMITS
from copydesk_server.renaming.process import cache_folder, rename
from copydesk_server.renaming.project_texts import SUFFIXES
from copydesk_server.renaming.request import RenameAnswer, RenameRequest

PROJECT = (".git", "pyproject.toml", "setup.py", "setup.cfg")
"""What lies at the top of a project: the first of these that is found in a folder above a file."""
SECONDS = 600.0
_KEY = ("paths", "rename")
_NOT_HERE = (
    "lines",
    "choices",
    "grammar",
    "include",
    "exclude",
    "resume",
    "origin",
    "statistics",
    "candidates",
    "unsure",
    "take",
)


def rename_files(args: argparse.Namespace) -> int:
    """0: written, 1: it would be, or is refused. Raises CopydeskError, OSError."""
    given = [name for name in _NOT_HERE if getattr(args, name)]
    if given:
        raise RequestError(f"--rename takes no --{given[0]}")
    if len(args.paths) != 1:
        raise RequestError(f"--rename takes one FILE[:LINE[:COLUMN]], and there are {len(args.paths)}")
    old, new = args.rename
    name, line, column = file_and_place(args.paths[0])
    path = os.path.abspath(name)
    if not os.path.isfile(path):
        raise FileError(f"{shown_name(name)}: no such file")
    request = RenameRequest(
        (str(project_of(Path(path))),),
        {},
        path,
        line,
        column,
        new,
        old=old,
        encoding=Encoding.UTF16,
        cache_folder=cache_folder(),
        limits=replace(LIMITS, seconds=SECONDS),
    )
    try:
        results = _results(rename(request))
    except RenameRefusedError as error:
        results = [(None, FileResult(Path(name), "refused", str(error)))]
    sources = [(source, result) for source, result in results if source is not None]
    if args.write and sources:
        writer = open_writer(args, [Place(source.path, source.root) for source, _ in sources], _KEY)
        try:
            _write(writer, sources)
        finally:
            writer.journal.close(complete=True)
            writer.dirt.close()
    reporter = Reporter(len(results), json=args.json, diff=not args.write, origin=False, quiet=args.quiet)
    with reporter:
        for _, result in results:
            reporter.file(result)
    reporter.summary(written=args.write)
    done = all(result.status == "edited" for _, result in results)
    return OK if args.write and done else REMAINS


def rename_refusal(path: Path, text: str, lines: Range | None, instruction: str) -> str | None:
    """Why an instruction is not followed in these lines of a file alone: it renames what is used elsewhere, or may be."""
    wish = wished_rename(instruction) if path.suffix in SUFFIXES else None
    if wish is None:
        return None
    lines = lines or (1, len(split_lines(text)))
    try:
        place = seen_elsewhere(text, wish[0], lines)
        if place is not None:
            name = os.path.abspath(path)
            root = str(project_of(Path(name)))
            request = RenameRequest((root,), {}, name, *place, wish[1], cache_folder=cache_folder())
            check_inside(rename(request), name, lines)
    except RenameRefusedError as error:
        return str(error)
    return None


def _results(answer: RenameAnswer) -> list[tuple[Source | None, FileResult]]:
    """What becomes of each file. Raises FileError where one has changed since it was analysed."""
    found: list[tuple[Source | None, FileResult]] = []
    for file in answer.files:
        path = Path(os.path.relpath(file.path))
        path = Path(file.path) if path.parts[:1] == ("..",) else path
        source = read(path, path.resolve().parent)
        if source.digest != file.digest:
            raise FileError(f"{shown_name(str(path))} has changed since it was read")
        edits = [
            TextEdit(Position(row, start), Position(row, end), answer.new) for row, start, end in file.places
        ]
        result = FileResult(path, "edited", None, source.text, source.encoding, edits=edits)
        source.encode(_after(result))
        found.append((source, result))
    return found


def _write(writer: Writer, sources: Sequence[tuple[Source, FileResult]]) -> None:
    """All files, or none: what was written before one fails is put back."""
    refused = [(result, why) for source, result in sources if (why := writer.refusal(source)) is not None]
    if refused:
        for result, why in refused:
            result.error = why
        for _, result in sources:
            result.status, result.edits = "refused", ()
            result.error = result.error or "another file of the rename cannot be written"
        return
    written: list[Source] = []
    try:
        for source, result in sources:
            writer.write(source, _after(result))
            written.append(source)
    except (FileError, OSError):
        for source in written:
            writer.write(read(source.path, source.root), source.text)
        raise


def _after(result: FileResult) -> str:
    return apply_edits(result.text, result.edits, Encoding.UTF16)


def file_and_place(text: str) -> tuple[str, int | None, int | None]:
    """`FILE`, `FILE:LINE` or `FILE:LINE:COLUMN`, 1-based, as 0-based numbers; a file of that very name goes before."""
    numbers: list[int] = []
    name = text
    while not os.path.exists(name) and len(numbers) < 2:
        head, colon, number = name.rpartition(":")
        if not colon or not number.isdecimal():
            break
        name, numbers = head, [int(number) - 1, *numbers]
    if any(number < 0 for number in numbers):
        raise RequestError(f"lines and columns begin at 1: {text!r}")
    line, column = (*numbers, None, None)[:2]
    return name, line, column


def project_of(file: Path) -> Path:
    """The folder of a file's project: the nearest above it that holds a repository, else what describes a package; else the
    working directory, where the file is in it, else the file's folder.
    """
    for name in PROJECT:
        found = next((folder for folder in file.parents if os.path.lexists(folder / name)), None)
        if found is not None:
            return found
    here = Path.cwd()
    return here if file.is_relative_to(here) else file.parent
