"""`copydesk fix`: mend what a linter found, and let the linter say whether it is mended.

ruff finds, or a file of diagnostics does; each finding becomes a request, and each fix is judged before it counts.
"""

from __future__ import annotations

import argparse
import os
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from pathspec import GitIgnoreSpec

from copydesk.editor import Editor
from copydesk.text.document import TextLines
from copydesk_server.applicability import Applicability
from copydesk_server.errors import DiagnosticsError, FileError, RuffError
from copydesk_server.headless.command import NO_FILES, execute
from copydesk_server.headless.discover import Place, is_notebook, language_of, root_of
from copydesk_server.headless.findings import Found, parse
from copydesk_server.headless.models import Rules
from copydesk_server.headless.run import Begin
from copydesk_server.headless.source import Source
from copydesk_server.headless.task import FileTask
from copydesk_server.input_file import read_input
from copydesk_server.linter_fixes import with_ruff_fixes
from copydesk_server.printable import shown_name
from copydesk_server.project_imports import Projects
from copydesk_server.ruff import APPLICABLE, Ruff

_UNREADABLE = "E902"
"""What ruff says of a file it cannot decode: copydesk reads more encodings, and gives ruff the text."""
_KEY = (
    "paths", "diagnostics", "select", "linter_fixes", "unsafe_fixes", "checked", "unsure", "unverified", "exclude", "model",
    "seed",
)  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """0: nothing left to do; 1: something remains, or would be edited; 2: a file failed. Raises CopydeskError, OSError."""
    unsafe = args.unsafe_fixes or args.unverified
    fixes = APPLICABLE[args.linter_fixes]
    ruff = Ruff.find(map(Path, args.paths))
    if ruff is not None:
        ruff = replace(ruff, fixes=fixes)
    for name in args.paths:
        if not Path(name).exists() and not Path(name).is_symlink():
            raise FileError(f"{shown_name(name)}: no such file")
    rules = Rules(ruff, args.select, unsafe=unsafe, projects=Projects())
    if args.select:
        rules = replace(rules, counted=rules.extend)
    if args.checked or args.unverified:
        rules = replace(rules, taken=rules.taken | {"checked"})
    if args.unsure:
        rules = replace(rules, taken=rules.taken | {"unsure"})
    if args.diagnostics is not None:
        found = _given(args, fixes)
        if not args.select:
            rules = replace(rules, counted=_codes(found))
        nothing = NO_FILES if found else "nothing to fix: there are no diagnostics"
        return execute(
            args, _places(args, list(found)), _begin_given(args, rules, found), _KEY, nothing=nothing
        )
    if ruff is None:
        raise RuffError("ruff is not installed: `pip install 'copydesk[ruff]'`, or give --diagnostics FILE")
    rules = replace(rules, lint=True)
    named = [Path(name) for name in args.paths]
    said = ruff.survey(named, select=args.select, extend=[_UNREADABLE])
    paths = sorted({path for path, _ in said if language_of(path) == "python" or is_notebook(path)})
    places = _places(args, paths)
    nothing = NO_FILES
    if not places and (clean := len(_places(args, ruff.files(named)))):
        nothing = f"nothing to fix: ruff finds nothing in {clean} {'file' if clean == 1 else 'files'}"
    return execute(args, places, _begin_linted(args, rules), _KEY, nothing=nothing)


def _places(args: argparse.Namespace, paths: Sequence[Path]) -> list[Place]:
    """Those of the files that the command line is about, as a person would name them."""
    here = Path.cwd()
    named = [Path(name).absolute() for name in args.paths]
    excluded = GitIgnoreSpec.from_lines(args.exclude or ())
    places = []
    for path in paths:
        above = [name for name in named if path.is_relative_to(name)]
        if above and not excluded.match_file(os.path.relpath(path, above[0] if path != above[0] else here)):
            root = above[0].resolve() if above[0].is_dir() else root_of(path)
            places.append(Place(path.relative_to(here) if path.is_relative_to(here) else path, root))
    return places


def _begin_linted(args: argparse.Namespace, rules: Rules) -> Callable[[Editor], Begin]:
    def begin(editor: Editor) -> Begin:
        def one(source: Source) -> FileTask:
            mine = rules.of_a_file()
            assert mine.ruff is not None
            said = mine.ruff.check(source.text, source.target, select=args.select)
            requests = [mine.request(diagnostic, args.seed) for diagnostic in said]
            return FileTask(source, language_of(source.path), requests, mine, editor)

        return one

    return begin


def _codes(found: dict[Path, list[Found]]) -> tuple[str, ...]:
    """ruff's rules among the findings: those that whoever ran it had selected, as far as that can be known."""
    said = (item.raw for items in found.values() for item in items)
    return tuple(sorted({raw.code for raw in said if raw.code is not None and raw.by_ruff}))


def _given(args: argparse.Namespace, fixes: frozenset[Applicability]) -> dict[Path, list[Found]]:
    """Diagnostics by file, those that --select leaves. Raises DiagnosticsError, FileError, OSError."""
    try:
        text = read_input(args.diagnostics).decode("utf-8")
    except UnicodeDecodeError:
        raise DiagnosticsError("the diagnostics are not UTF-8 text") from None
    wanted = tuple(filter(None, (code.strip() for code in (args.select or "").split(","))))
    found: dict[Path, list[Found]] = defaultdict(list)
    for item in parse(text, Path.cwd(), fixes):
        if not wanted or (item.raw.code or "").startswith(wanted):
            found[item.path].append(item)
    return dict(found)


def _begin_given(
    args: argparse.Namespace, rules: Rules, found: dict[Path, list[Found]]
) -> Callable[[Editor], Begin]:
    def begin(editor: Editor) -> Begin:
        def one(source: Source) -> FileTask:
            lines, language, mine = TextLines(source.text), language_of(source.path), rules.of_a_file()
            diagnostics = [item.diagnostic(lines) for item in found[source.path.absolute()]]
            if mine.ruff is not None and language == "python":
                diagnostics = with_ruff_fixes(diagnostics, source.text, source.target, mine.ruff)
            requests = [mine.request(each, args.seed) for each in diagnostics]
            return FileTask(source, language, requests, mine, editor)

        return one

    return begin
