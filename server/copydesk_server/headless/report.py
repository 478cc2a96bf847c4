"""What a run tells: one object per file as JSON, diffs, origins, a table at the end.

Results go to standard output, everything else to standard error. Knows files' results; decodes and writes nothing.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Column, Table
from rich.text import Text

from copydesk.decode.counts import Counts
from copydesk.text.document import TextEdit
from copydesk.text.titles import numbered, which_was_meant
from copydesk_server.headless.file_program import file_program
from copydesk_server.headless.models import FileStatus, Fix
from copydesk_server.headless.unified_diff import changed_lines, unified
from copydesk_server.printable import printable, shown_name
from copydesk_server.program_view import show

SHOWN_LINES = 8
"""Of the diff of an alternative."""
TOLD_EVERY = 5.0
"""Seconds between two lines about how far a run is, where there is no terminal to show a bar."""


@dataclass(slots=True)
class FileResult:
    """What came of one file. edits: all together, utf-16, against `text`, the file as read."""

    path: Path
    status: FileStatus
    error: str | None = None
    text: str = ""
    encoding: str = "utf-8"
    edits: Sequence[TextEdit] = ()
    fixes: Sequence[Fix] = ()
    counts: Counts = field(default_factory=Counts)
    ms: dict[str, float] = field(default_factory=dict)

    @property
    def left(self) -> int:
        """Requests that nothing answers: something remains. An instruction that changes nothing is counted for the whole run."""
        return sum(not fix.applied and not fix.gone and not fix.idle for fix in self.fixes)


class Reporter:
    """Tells of each file as it is done, and of all of them at the end."""

    def __init__(
        self,
        total: int,
        *,
        json: bool,
        diff: bool,
        origin: bool,
        quiet: bool,
        statistics: bool = False,
        out: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """statistics: of each file nothing but what failed, and at the end what came of each rule, on standard output. clock: the
        time in seconds.
        """
        self._clock = clock
        self._started = self._told = clock()
        self._statistics = statistics
        self._json, self._diff, self._origin, self._quiet = json, diff, origin, quiet
        self._out = out or sys.stdout
        self._console = Console(file=self._out, highlight=False, markup=False, emoji=False)
        self._errors = Console(stderr=True, highlight=False, markup=False, emoji=False)
        self._live = self._errors.is_terminal and not quiet
        self.files: Counter[str] = Counter()
        self.rules: dict[str, Counter[str]] = {}
        self.left = 0
        self.idle = 0
        self.idle_reasons: set[str] = set()
        """Why instructions changed nothing."""
        self.total = total
        self._tokens = 0
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[speed]}"),
            TimeRemainingColumn(),
            console=self._errors,
            transient=True,
            disable=not self._live,
        )
        self._task = self._progress.add_task("files", total=total, speed="")

    def __enter__(self) -> Reporter:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    # -- files ---------------------------------------------------------------------------------------------------

    def file(self, result: FileResult) -> None:
        """One file is done."""
        self.files[result.status] += 1
        self.left += result.left + (result.status == "refused" and not result.left)
        idle = [fix.judgement.reason for fix in result.fixes if fix.idle and fix.judgement is not None]
        self.idle += len(idle)
        self.idle_reasons.update(reason for reason in idle if reason is not None)
        for fix in result.fixes:
            self.rules.setdefault(_asked(fix), Counter())[
                "applied" if fix.applied else "gone" if fix.gone else fix.verdict
            ] += 1
        counts = result.counts
        self._tokens += counts.covered + counts.generated + counts.drafted
        self._advance()
        if self._json:
            self._write(json.dumps(as_json(result)) + "\n", "utf-8")
        elif self._statistics:
            pass
        elif self._origin and result.edits and result.error is None:
            self._console.print(Text(shown_name(str(result.path)), style="bold"), soft_wrap=True)
            show(file_program(result.text, result.edits), result.text, self._console)
        elif self._diff and result.edits:
            self._show_diff(result)
        if self._statistics:
            self._tell_error(result)
        elif not self._quiet:
            self._tell(result)

    def progress(self, files: float) -> None:
        """So many files are done, some of them in part."""
        self._progress.update(self._task, completed=files)
        now = self._clock()
        if not self._live and not self._quiet and 0 < files < self.total and now - self._told >= TOLD_EVERY:
            self._told = now
            left = (now - self._started) * (self.total - files) / files
            self._say(f"{files / self.total:.0%} done, about {timedelta(seconds=round(left))} left", "dim")

    def _advance(self) -> None:
        self.progress(sum(self.files.values()))
        elapsed = self._progress.tasks[0].elapsed or 0.0
        if elapsed > 0:
            self._progress.update(self._task, speed=f"{self._tokens / elapsed:,.0f} tokens/s")

    def _tell_error(self, result: FileResult) -> None:
        if result.error is not None:
            self._say(f"{shown_name(str(result.path))}: {printable(result.error)}", "red")

    def _tell(self, result: FileResult) -> None:
        name = shown_name(str(result.path))
        self._tell_error(result)
        for fix in result.fixes:
            if not (fix.applied or fix.gone or fix.idle):
                reason = _reason(fix)
                line = fix.scope[0][0] if fix.scope else 1
                if fix.diagnostic is not None:
                    line = fix.diagnostic.lines[0]
                self._say(
                    f"{name}:{line}: {printable(_asked(fix))} {fix.verdict}: {printable(reason)}", "yellow"
                )
                if fix.verdict == "unsure":
                    self._tell_alternatives(result, fix)
                    continue
            if fix.request.candidates > 1:
                self._tell_alternatives(result, fix)
        if not self._live and result.status in ("edited", "unchanged"):
            done = sum(self.files.values())
            applied = sum(fix.applied for fix in result.fixes)
            count = f", {applied} of {len(result.fixes)}" if result.fixes or not result.edits else ""
            self._say(f"[{done}/{self.total}] {name}: {result.status}{count}", "dim")

    def _tell_alternatives(self, result: FileResult, fix: Fix) -> None:
        """What a person may take, numbered, each with what it changes."""
        names = numbered((one.title, one.probability) for one in fix.alternatives)
        for name, one in zip(names, fix.alternatives, strict=True):
            self._say(f"  {printable(name)}", "bold")
            # Those of a later round are for a text that nobody sees.
            lines = list(changed_lines(result.text, one.edits)) if fix.round == 1 else []
            for line in lines[:SHOWN_LINES]:
                self._say(f"     {printable(line)}", "red" if line.startswith("-") else "green")
            if len(lines) > SHOWN_LINES:
                self._say(f"     … {len(lines) - SHOWN_LINES} more lines", "dim")
            if one.reason is not None:
                self._say(f"     refused: {printable(one.reason)}", "yellow")

    def say(self, text: str) -> None:
        """A line for the person, unless they want results only."""
        if not self._quiet:
            self._say(text, "")

    def _say(self, text: str, style: str) -> None:
        self._errors.print(Text(text, style=style), soft_wrap=True)

    def _show_diff(self, result: FileResult) -> None:
        for line in unified(_posix(result.path), result.text, result.edits):
            if not self._console.is_terminal:
                self._write(line, result.encoding)
                continue
            style = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")
            if line.startswith(("+++", "---")):
                style = "bold"
            self._console.print(Text(printable(line), style=style), soft_wrap=True)

    def _write(self, text: str, encoding: str) -> None:
        # A diff goes out in its file's own bytes, or it would not apply.
        raw = getattr(self._out, "buffer", None)
        if raw is None:
            self._out.write(text)
            return
        self._out.flush()
        raw.write(text.encode(encoding, "surrogateescape"))
        raw.flush()

    # -- the end -------------------------------------------------------------------------------------------------

    def summary(self, *, written: bool) -> None:
        """The table: by rule, then by file."""
        columns = ("applied", "gone", "confirmed", "checked", "unsure", "refused", "unchanged")
        if self._statistics:
            for name, counted in sorted(self.rules.items(), key=lambda rule: (-rule[1].total(), rule[0])):
                told = ", ".join(f"{counted[column]} {column}" for column in columns if counted[column])
                self._write(f"{counted.total():>5}  {printable(name)}  {told}\n", "utf-8")
        if self._quiet:
            return
        if self._statistics:
            pass
        elif self._errors.is_terminal:
            table = Table("asked", *(Column(name, justify="right") for name in columns))
            for name in sorted(self.rules):
                table.add_row(printable(name), *(str(self.rules[name][column] or "") for column in columns))
            self._errors.print(table)
        else:
            for name in sorted(self.rules):
                told = ", ".join(f"{self.rules[name][c]} {c}" for c in columns if self.rules[name][c])
                self._say(f"{printable(name)}: {told}", "")
        files = ", ".join(
            f"{self.files[key]} {key}"
            for key in ("edited", "unchanged", "refused", "failed")
            if self.files[key]
        )
        note = "" if written or not self.files["edited"] else " (nothing written; use --write)"
        self._say(f"{sum(self.files.values())} of {self.total} files: {files or 'none'}{note}", "bold")


def as_json(result: FileResult) -> dict[str, Any]:
    """The object `--json` prints (DESIGN, "Command line")."""
    return {
        "path": str(result.path),
        "status": result.status,
        "edits": [_edit(edit) for edit in result.edits],
        "fixes": [_fix(fix) for fix in result.fixes],
        "counts": asdict(result.counts),
        "ms": {key: round(value, 3) for key, value in result.ms.items()},
        "error": result.error,
    }


def _fix(fix: Fix) -> dict[str, Any]:
    request: dict[str, Any] = {"scope": [list(span) for span in fix.scope], "round": fix.round}
    diagnostic = fix.diagnostic
    if diagnostic is not None:
        request["diagnostic"] = {
            "code": diagnostic.code,
            "message": diagnostic.message,
            "source": diagnostic.source,
            "line": diagnostic.lines[0],
            "proposed": bool(diagnostic.fixes),
        }
    if fix.request.instruction is not None:
        request["instruction"] = fix.request.instruction
    return {
        "request": request,
        "verdict": fix.verdict,
        "applicability": fix.applicability,
        "applied": fix.applied,
        "reason": fix.judgement.reason if fix.judgement is not None else None,
        "checks": list(fix.judgement.checks) if fix.judgement is not None else [],
        "edits": [_edit(edit) for edit in fix.edits],
        "law": fix.law,
        "confidence": _rounded(fix.confidence) if fix.confidence is not None else None,
        "alternatives": [
            {"title": one.title, "probability": _rounded(one.probability), "edits": [*map(_edit, one.edits)]}
            for one in fix.alternatives
        ],
        "program": str(fix.program) if fix.program is not None else None,
        "counts": asdict(fix.counts),
    }


def _rounded(probability: float) -> float:
    return round(probability, 4)


def _edit(edit: TextEdit) -> dict[str, Any]:
    def place(line: int, character: int) -> dict[str, int]:
        return {"line": line, "character": character}

    start, end = place(edit.start.line, edit.start.character), place(edit.end.line, edit.end.character)
    return {"range": {"start": start, "end": end}, "newText": edit.new_text}


def _reason(fix: Fix) -> str:
    """Why it is not applied, and what would apply it."""
    reason = fix.judgement.reason if fix.judgement is not None else None
    if fix.verdict in ("confirmed", "checked") and fix.applicability == "unsafe":
        said = "it may change what the code means (--unsafe-fixes applies it)"
        return f"{said}; {reason}" if reason else said
    if fix.verdict == "checked":
        return f"{reason or 'no tool can tell whether it is right'} (--checked applies it)"
    if fix.verdict == "unsure" and fix.alternatives and not fix.edits:
        how = (
            "--take N takes one, --unsure the first" if fix.diagnostic is None else "--unsure takes the first"
        )
        return f"{which_was_meant(fix.alternatives)} ({how})"
    if fix.verdict == "unsure" and fix.edits:
        return f"{reason} (--unsure applies it)"
    return reason or ""


def _asked(fix: Fix) -> str:
    if fix.diagnostic is not None:
        return fix.diagnostic.code or fix.diagnostic.source or "diagnostic"
    return "instruction"


def _posix(path: Path) -> str:
    name = path.as_posix()
    return name.removeprefix("./").lstrip("/")
