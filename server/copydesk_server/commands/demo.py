"""`copydesk demo`: a small broken project, mended by the language server as an editor would have it, and edited as told.

The server runs in a process of its own and lints with ruff; each finding is asked for as `copydesk/edit`, hunks are shown as they
become final, and an edit that is confirmed or checked is applied and told to the server, as typing would be. Then come requests
in plain words, which the model answers or says that it is unsure. The project lies in a temporary folder.
"""

from __future__ import annotations

import argparse
import difflib
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console

from copydesk.program import Program
from copydesk.text.document import Position, TextEdit, apply_edits, split_lines
from copydesk_server.demo_client import DemoClient
from copydesk_server.program_view import show

PROJECT = {
    "weather.py": '''\
"""Temperatures of the day, by hour."""

import csv
import json


def read(path):
    with open(path) as file:
        rows = list(csv.reader(file))
    count = len(rows)
    return [float(row[1]) for row in rows[1:]]


def mean(values):
    total = 0
    for value in values:
        total += valeu
    return total / len(values)


def warmest(values, default=None):
    if default == None:
        default = 0.0
    return max(values, default=default)
''',
    "report.py": '''\
"""A report, one bar an hour."""


def bars(values, width=40, marks=[]):
    for value in values
        print(f"a bar")
        yield "#" * int(value)
''',
    "orders.py": '''\
"""What an order costs."""


def total(orders, discount=0):
    result = 0
    for order in orders:
        print(order)
        result = result + order.price
    if discount:
        return result - discount
    else:
        return result
''',
    "places.py": '''\
"""Where the files are."""


def root(folder):
    if not "data" in folder:
        return Path(folder)
    return os.path.join(folder, "today")
''',
}
INSTRUCTIONS = (
    ("orders.py", "def total", "no need for the debug print"),
    ("orders.py", "def total", "call it subtotal instead of result"),
    ("orders.py", "def total", "the else is pointless after the return"),
    ("orders.py", "def total", "make discount keyword only"),
    ("orders.py", "def total", "hmm, not happy with this"),
)
"""What is asked for in plain words: the file, the beginning of the block that is selected, the instruction."""
RULES = '[lint]\nselect = ["E7", "F", "B006"]\n'
"""ruff.toml of the project."""
ATTEMPTS = 24
"""Findings that are asked for at most, all files together."""


@dataclass(slots=True)
class _File:
    """One open document, as the client has it."""

    name: str
    uri: str
    text: str
    version: int = 1
    tried: set[tuple[str, str]] = field(default_factory=set)


@dataclass(slots=True)
class _Totals:
    applied: int = 0
    left: int = 0
    told: int = 0
    untold: int = 0
    forwards: int = 0
    generated: int = 0
    forced: int = 0
    copied: int = 0
    covered: int = 0
    ms: float = 0.0


def run(args: argparse.Namespace) -> int:
    """Mend the project and show how. 0 where every file parses and something was mended. Raises ServerError."""
    with tempfile.TemporaryDirectory(prefix="copydesk-demo-") as folder:
        (Path(folder) / "ruff.toml").write_text(RULES, encoding="utf-8")
        files: list[_File] = []
        for name, text in PROJECT.items():
            path = Path(folder) / name
            path.write_text(text, encoding="utf-8")
            files.append(_File(name, path.as_uri(), text))
        return _watch(args, files)


def _watch(args: argparse.Namespace, files: list[_File]) -> int:
    console = Console(file=sys.stdout, highlight=False, markup=False, emoji=False)
    totals = _Totals()
    options = [
        f"--{name}={value}"
        for name in ("model", "device", "dtype")
        if (value := getattr(args, name)) is not None
    ]
    with DemoClient(options) as client:
        for file in files:
            item = {"uri": file.uri, "languageId": "python", "version": file.version, "text": file.text}
            client.notify("textDocument/didOpen", {"textDocument": item})
        for file in files:
            for diagnostic in _findings(client, file):
                if totals.applied + totals.left == ATTEMPTS:
                    break
                _mend(client, file, diagnostic, console, totals)
        for name, block, instruction in INSTRUCTIONS:
            _tell(
                client, next(file for file in files if file.name == name), block, instruction, console, totals
            )
    console.print(rule("the whole change"))
    for file in files:
        before, after = PROJECT[file.name].split("\n"), file.text.split("\n")
        for line in difflib.unified_diff(before, after, f"a/{file.name}", f"b/{file.name}", lineterm="", n=1):
            console.print(
                line, style={"+": "green", "-": "red", "@": "cyan"}.get(line[:1], ""), soft_wrap=True
            )
    console.print(
        f"\n{totals.applied} findings fixed and confirmed, {totals.left} left; {totals.told} instructions followed, "
        f"{totals.untold} not; {totals.ms:.0f} ms of edits, {totals.forwards} forward passes, "
        f"{totals.generated} tokens generated, "
        f"{totals.forced} forced, {totals.copied} copied in parallel; {totals.covered} tokens of the results are copies.",
        soft_wrap=True,
    )
    return 0 if totals.applied and all(_parses(file.text) for file in files) else 1


def rule(title: str) -> str:
    """A heading in plain text."""
    return f"\n── {title} " + "─" * max(3, 70 - len(title))


def _findings(client: DemoClient, file: _File) -> Iterator[dict[str, Any]]:
    """What the server finds, again after every change, until nothing new is left."""
    while True:
        found = client.wait(
            "textDocument/publishDiagnostics",
            lambda said: said["uri"] == file.uri and said.get("version") == file.version,
        )
        version = file.version
        for diagnostic in found["diagnostics"]:
            line = split_lines(file.text)[diagnostic["range"]["start"]["line"]]
            key = (diagnostic["message"], line)
            if key in file.tried:
                continue
            file.tried.add(key)
            yield diagnostic
            if file.version != version:
                break
        else:
            return


def _mend(
    client: DemoClient, file: _File, diagnostic: dict[str, Any], console: Console, totals: _Totals
) -> None:
    place = diagnostic["range"]["start"]
    title = f"{file.name}:{place['line'] + 1} {diagnostic.get('code', '')} {diagnostic['message']}"
    if _ask(client, file, title, {"range": diagnostic["range"], "diagnostic": diagnostic}, console, totals):
        totals.applied += 1
    else:
        totals.left += 1


def _tell(
    client: DemoClient, file: _File, block: str, instruction: str, console: Console, totals: _Totals
) -> None:
    """Ask for an edit of the block that begins with `block`, down to the next empty line."""
    lines = split_lines(file.text)
    first = next(k for k, line in enumerate(lines) if line.startswith(block))
    end = next((k for k in range(first, len(lines)) if not lines[k].strip()), len(lines))
    chosen = {"start": {"line": first, "character": 0}, "end": {"line": end, "character": 0}}
    title = f"{file.name}:{first + 1}-{end} “{instruction}”"
    if _ask(client, file, title, {"range": chosen, "instruction": instruction}, console, totals):
        totals.told += 1
    else:
        totals.untold += 1


def _ask(
    client: DemoClient, file: _File, title: str, asked: dict[str, Any], console: Console, totals: _Totals
) -> bool:
    """Whether the server made an edit that holds; it is applied then."""
    console.print(rule(title))

    def heard(method: str, params: Any) -> None:
        if method == "copydesk/hunk":
            for edit in params["edit"]["edits"]:
                at = edit["range"]["start"]
                console.print(
                    f"hunk at {at['line'] + 1}:{at['character'] + 1}: {edit['newText']!r}", soft_wrap=True
                )

    document = {"uri": file.uri, "version": file.version}
    said = client.request("copydesk/edit", {"textDocument": document, "token": title, **asked}, heard)
    counts, ms = said["counts"], said["ms"].get("total", 0.0)
    totals.ms += ms
    for name in ("forwards", "generated", "forced", "copied", "covered"):
        setattr(totals, name, getattr(totals, name) + counts.get(name, 0))
    if said["edit"] is None or said["verdict"] not in ("confirmed", "checked"):
        nothing = "nothing to change" if said["status"] == "unchanged" else said["verdict"]
        console.print(f"{said['status']}: {said['reason'] or nothing}", soft_wrap=True)
        return False
    if said["program"]:
        show(Program.parse(said["program"]), file.text, console, around=2)
    console.print(
        f"{said['verdict']} ({', '.join(said['checks'])}): {ms:.1f} ms, {counts['forwards']} forwards, "
        f"{counts['generated']} tokens generated, {counts['forced']} forced, {counts['copied']} copied; "
        f"{counts['covered']} tokens of the result are copies",
        soft_wrap=True,
    )
    _apply(client, file, said["edit"]["documentChanges"][0]["edits"])
    return True


def _apply(client: DemoClient, file: _File, edits: list[dict[str, Any]]) -> None:
    """Change the text, and tell the server as an editor does: from the last edit to the first, so that ranges stay true."""
    file.text = apply_edits(file.text, [_edit(edit) for edit in edits])
    file.version += 1
    changes = [{"range": edit["range"], "text": edit["newText"]} for edit in reversed(edits)]
    document = {"uri": file.uri, "version": file.version}
    client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})


def _edit(edit: dict[str, Any]) -> TextEdit:
    start, end = edit["range"]["start"], edit["range"]["end"]
    return TextEdit(
        Position(start["line"], start["character"]), Position(end["line"], end["character"]), edit["newText"]
    )


def _parses(text: str) -> bool:
    try:
        compile(text, "demo", "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return True
