"""Folders of files and runs over them, with a scripted editor in place of a model."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from copydesk.request import Diagnostic, EditRequest
from copydesk.text.document import TextLines
from copydesk_server.headless.discover import Place, language_of
from copydesk_server.headless.journal import Journal
from copydesk_server.headless.models import Rules
from copydesk_server.headless.report import FileResult
from copydesk_server.headless.run import Run
from copydesk_server.headless.source import Source
from copydesk_server.headless.task import FileTask
from copydesk_server.headless.write import Writer
from copydesk_server.ruff import Ruff
from scripted_editor import Rule, ScriptedEditor
from server_tools import the_ruff

PLAIN = Rules(None, taken=frozenset({"confirmed", "checked"}))
CONFIGURED = '[lint]\nselect = ["F", "E711"]\n'


def count_up(text: str, request: EditRequest) -> str:
    """Every number of the scope's lines, one higher: an edit made twice shows."""
    assert request.scope is not None
    lines = TextLines(text).lines
    for first, last in request.scope:
        for n in range(first - 1, last):
            lines[n] = re.sub(r"\d+", lambda m: str(int(m.group()) + 1), lines[n])
    return "".join(lines)


class Tree:
    """A folder of files, and runs over it."""

    def __init__(self, folder: Path, rule: Rule = count_up, rules: Rules = PLAIN) -> None:
        self.folder = folder / "tree"
        self.folder.mkdir()
        self.state = folder / "state"
        self.editor = ScriptedEditor(rule)
        self.rules = rules
        self.results: list[FileResult] = []
        self.asks: dict[str, list[Any]] = {}

    def put(self, name: str, text: str, *asks: Any) -> None:
        """asks: line ranges, or diagnostics; all lines at once by default."""
        (self.folder / name).write_text(text)
        self.asks[name] = list(asks) or [(1, text.count("\n"))]

    def texts(self) -> dict[str, str]:
        return {path.name: path.read_text() for path in sorted(self.folder.iterdir())}

    def begin(self, source: Source) -> FileTask:
        requests = [
            self.rules.request(ask)
            if isinstance(ask, Diagnostic)
            else EditRequest(scope=[ask], instruction="up")
            for ask in self.asks[source.path.name]
        ]
        return FileTask(source, language_of(source.path), requests, self.rules.of_a_file(), self.editor)

    def run(
        self,
        *,
        write: bool = True,
        resume: bool = False,
        lanes: int = 3,
        cancel: threading.Event | None = None,
        judges: int = 0,
        progress: Callable[[float], None] = lambda _files: None,
        **writer: Any,
    ) -> Run:
        journal = Journal.open({}, resume=resume, folder=self.state) if write else None
        places = [Place(self.folder / name, self.folder) for name in sorted(self.asks)]
        run = Run(
            self.editor, iter(places), self.begin, self.results.append, lanes=lanes,
            writer=Writer(journal, **writer) if journal is not None else None, cancel=cancel, judges=judges,
            progress=progress,
        )  # fmt: skip
        complete = False
        try:
            run.run()
            complete = not run.stopped and not run.cancel.is_set()
        finally:
            if journal is not None:
                journal.close(complete=complete)
        return run

    def only(self) -> FileResult:
        (result,) = self.results
        return result


def by_line(edits: dict[str, str]) -> Rule:
    """What the line of a request's diagnostic becomes, by its text."""

    def rule(text: str, request: EditRequest) -> str:
        lines = TextLines(text).lines
        at = request.diagnostics[0].start.line
        return "".join([*lines[:at], edits.get(lines[at], lines[at]), *lines[at + 1 :]])

    return rule


def linted(tree: Tree, name: str, text: str) -> None:
    """A file, and to be mended what ruff says of it."""
    tree.put(name, text, *(tree.rules.ruff or the_ruff()).check(text, tree.folder / name))


def fixing(
    tmp_path: Path, rule: Rule, configured: str = CONFIGURED, ruff: Ruff | None = None, **rules: Any
) -> Tree:
    """A tree that ruff lints as `configured` says. What ruff calls unsafe is applied, too."""
    tree = Tree(tmp_path, rule, Rules(ruff or the_ruff(), **{"lint": True, "unsafe": True, **rules}))
    (tree.folder / "ruff.toml").write_text(configured)
    return tree
