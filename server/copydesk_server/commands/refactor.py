"""`copydesk refactor`: one instruction over files, folders and globs; or a symbol renamed in all files of a project.

Whole files, or the lines named. What fits no page is cut between top-level statements into requests that are decoded together and
whose programs make one.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from pathlib import Path

from copydesk.editor import Editor
from copydesk.errors import RequestError
from copydesk.request import EditRequest, Range
from copydesk.text.document import content, split_lines
from copydesk_server.headless.chunking import cut
from copydesk_server.headless.command import execute
from copydesk_server.headless.discover import Filters, discover, language_of
from copydesk_server.headless.models import Rules
from copydesk_server.headless.rename_files import rename_files, rename_refusal
from copydesk_server.headless.report import FileResult
from copydesk_server.headless.run import Begin, Opened
from copydesk_server.headless.source import Source
from copydesk_server.headless.task import FileTask
from copydesk_server.input_file import read_input
from copydesk_server.ruff import Ruff
from copydesk_server.verification import Verdict

_KEY = (
    "paths",
    "instruction",
    "lines",
    "choices",
    "grammar",
    "candidates",
    "no_schemas",
    "include",
    "exclude",
    "unsure",
    "take",
    "unverified",
    "model",
    "seed",
)
_SHARE = 3 / 4
"""Of a page that a request's scope takes at most: the rest is context."""


def run(args: argparse.Namespace) -> int:
    """0: nothing left to do; 1: something remains, or would be edited; 2: a file failed. Raises CopydeskError, OSError."""
    if args.rename is not None:
        return rename_files(args)
    if not args.instruction.strip():
        raise RequestError("the instruction is empty")
    span = _span(args.lines) if args.lines is not None else None
    choices = _choices(args.choices) if args.choices is not None else None
    grammar = _read(args.grammar) if args.grammar is not None else None
    filters = Filters(tuple(args.include or ()), tuple(args.exclude or ()))
    places = discover(args.paths, filters)
    if span is not None and len(places) != 1:
        raise RequestError(f"--lines takes one file, and there are {len(places)}")
    if args.take is not None:
        if args.unverified:
            raise RequestError("--take and --unverified exclude each other")
        if len(places) != 1:
            raise RequestError(f"--take takes one file, and there are {len(places)}")
    named = {place.path for place in places if place.named}

    def begin(editor: Editor) -> Begin:
        unsure = args.unsure or args.unverified
        taken: frozenset[Verdict] = frozenset({"confirmed", "checked", *(("unsure",) if unsure else ())})
        rules = Rules(Ruff.find(map(Path, args.paths)), taken=taken, unsafe=True, schemas=not args.no_schemas)
        request = EditRequest(
            instruction=args.instruction,
            choices=choices,
            lark=grammar,
            seed=args.seed,
            candidates=args.candidates or 1,
            take_likeliest=unsure,
            schemas=not args.no_schemas,
        )
        whole = _Whole(editor, request, span, rules, args.take)

        def one(source: Source) -> Opened:
            if source.generated and source.path not in named:
                return FileResult(source.path, "unchanged", "left alone: it says it is generated")
            reason = rename_refusal(source.path, source.text, span, args.instruction)
            if reason is not None:
                return FileResult(source.path, "refused", reason)
            return whole.task(source)

        return one

    return execute(args, places, begin, _KEY)


@dataclass(frozen=True, slots=True)
class _Whole:
    """Makes the requests of a file: `request` for each piece of it. take: as in `FileTask`."""

    editor: Editor
    request: EditRequest
    span: Range | None
    rules: Rules
    take: int | None = None

    def task(self, source: Source) -> FileTask:
        lines = split_lines(source.text)
        language = language_of(source.path)
        longest = max(1, int(self.editor.loaded_model.format.page_lines * _SHARE))
        scope = self.span or (1, len(lines))
        if scope[1] > len(lines):
            raise RequestError(f"--lines {scope[0]}-{scope[1]} of a file with {len(lines)} lines")
        pieces = cut(lines, scope, longest, language)
        if self.take is not None and len(pieces) != 1:
            raise RequestError(f"--take takes one request, and the file makes {len(pieces)}; add --lines A-B")
        requests = [replace(self.request, scope=[piece]) for piece in pieces]
        rules = self.rules.of_a_file()
        return FileTask(source, language, requests, rules, self.editor, take=self.take)


def _choices(name: str) -> list[str]:
    """The lines of a file that are not empty, each as a whole line and as part of one. Raises RequestError, OSError."""
    found = [line for line in map(content, split_lines(_read(name))) if line.strip()]
    if not found:
        raise RequestError(f"{name} has no line to choose from")
    return [text for line in found for text in (line, line + "\n")]


def _read(name: str) -> str:
    try:
        return read_input(name).decode("utf-8")
    except UnicodeDecodeError:
        raise RequestError(f"{name} is not UTF-8 text") from None


def _span(text: str) -> Range:
    """`A-B` or `A` as 1-based lines. Raises RequestError."""
    first, dash, last = text.partition("-")
    try:
        span = int(first), int(last if dash else first)
    except ValueError:
        raise RequestError(f"--lines takes A-B, not {text!r}") from None
    if not 1 <= span[0] <= span[1]:
        raise RequestError(f"--lines takes A-B with 1 <= A <= B, not {text!r}")
    return span
