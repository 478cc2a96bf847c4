"""Diagnostics from elsewhere: ruff's JSON, pyright's JSON and SARIF, told apart by what is in them.

Knows the three formats; nothing of files' contents. Columns come as the tools count them: ruff in characters, pyright in UTF-16
units, SARIF as it says itself; `Found.diagnostic` settles them against the text.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from copydesk.errors import RequestError
from copydesk.request import Diagnostic, ToolFix
from copydesk.text.document import Encoding, Position, TextEdit, TextLines
from copydesk_server.applicability import Applicability
from copydesk_server.errors import DiagnosticsError, RuffError
from copydesk_server.ruff import SYNTAX, read_json

_SEVERITY = {"error": 1, "warning": 2, "information": 3, "hint": 4, "note": 3, "none": 4}
_END = 1 << 30
"""A character behind every line's last."""


@dataclass(frozen=True, slots=True)
class Found:
    """One finding in a file, its characters in the units of `encoding`."""

    path: Path
    raw: Diagnostic
    encoding: Encoding

    def diagnostic(self, lines: TextLines) -> Diagnostic:
        """The same, in code points of `lines`. Raises DiagnosticsError where it is about lines the file has not."""
        raw = self.raw
        if raw.start.line > len(lines):
            raise DiagnosticsError(
                f"a diagnostic is at line {raw.start.line + 1} of a file with {len(lines)}"
            )

        def place(at: Position) -> Position:
            if self.encoding is Encoding.UTF32 and at.character < _END:
                return at
            return Position(*lines.locate(at, self.encoding))

        start, end = place(raw.start), place(raw.end)
        fixes = tuple(
            ToolFix(tuple(TextEdit(place(e.start), place(e.end), e.new_text) for e in fix.edits), fix.safe)
            for fix in raw.fixes
        )
        return replace(raw, start=start, end=max(start, end), fixes=fixes)


def parse(text: str, folder: Path, fixes: Collection[Applicability] = ()) -> list[Found]:
    """All findings, in the order given. folder: what relative paths are relative to. fixes: those of the tools' own to be kept;
    SARIF does not say which are safe. Raises DiagnosticsError.
    """
    try:
        data = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise DiagnosticsError(f"the diagnostics are not JSON: {error}") from None
    try:
        if isinstance(data, list):
            return [
                Found(folder / name, said, Encoding.UTF32)
                for name, said in read_json(text.removeprefix("\ufeff"), fixes=fixes)
            ]
        if isinstance(data, dict) and "generalDiagnostics" in data:
            return [_pyright(item, folder) for item in data["generalDiagnostics"]]
        if isinstance(data, dict) and "runs" in data:
            return [found for run in data["runs"] for found in _sarif(run, folder, "unsafe" in fixes)]
    except RuffError as error:
        raise DiagnosticsError(str(error)) from None
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RequestError) as error:
        raise DiagnosticsError(f"malformed diagnostics: {type(error).__name__}: {error}") from None
    raise DiagnosticsError("the diagnostics are neither ruff's JSON nor pyright's JSON nor SARIF")


def _pyright(item: dict[str, Any], folder: Path) -> Found:
    start, end = (_position(item["range"][key]) for key in ("start", "end"))
    rule = item.get("rule")
    message = str(item["message"]).split("\n")[0]
    said = Diagnostic(start, max(start, end), message, _text(rule), "Pyright", _SEVERITY[item["severity"]])
    return Found(_path(item["file"], folder), said, Encoding.UTF16)


def _position(place: dict[str, Any]) -> Position:
    return Position(int(place["line"]), int(place["character"]))


def _sarif(run: dict[str, Any], folder: Path, with_fixes: bool) -> Iterator[Found]:
    tool = run["tool"]["driver"]
    encoding = Encoding.UTF32 if run.get("columnKind") == "unicodeCodePoints" else Encoding.UTF16
    rules = tool.get("rules") or []
    for result in run.get("results") or []:
        # Findings that somebody has set aside, or that are no findings, are nothing to fix.
        if (
            result.get("suppressions")
            or result.get("kind", "fail") != "fail"
            or result.get("baselineState") == "absent"
        ):
            continue
        place = (result.get("locations") or [{}])[0].get("physicalLocation")
        if place is None or "region" not in place or "startLine" not in place["region"]:
            continue  # about no place: nothing an edit could be asked for
        start, end = _region(place["region"])
        rule = result.get("ruleId") or (result.get("rule") or {}).get("id")
        index = result.get("ruleIndex", -1)
        if rule is None and 0 <= index < len(rules):
            rule = rules[index]["id"]
        message = result["message"]
        words = str(message.get("text") or message.get("markdown") or message["id"]).split("\n")[0]
        name = _text(tool.get("name"))
        code = _text(rule)
        if name is not None and name.lower() == "ruff" and code is None:
            code = SYNTAX
        uri = _uri(place["artifactLocation"], run, folder)
        fixes = [_fix(fix, uri, run, folder) for fix in result.get("fixes") or []] if with_fixes else []
        severity = _SEVERITY[result.get("level", "warning")]
        proposed = tuple(ToolFix(edits) for edits in fixes if edits)
        said = Diagnostic(start, max(start, end), words, code, name, severity, proposed)
        yield Found(_path(uri, folder), said, encoding)


def _region(region: dict[str, Any]) -> tuple[Position, Position]:
    start = Position(int(region["startLine"]) - 1, int(region.get("startColumn", 1)) - 1)
    last = int(region.get("endLine", region["startLine"])) - 1
    return start, Position(last, int(region["endColumn"]) - 1 if "endColumn" in region else _END)


def _fix(fix: dict[str, Any], uri: str, run: dict[str, Any], folder: Path) -> tuple[TextEdit, ...]:
    """A fix as edits of the file `uri`; none where it changes another file too, or is told in bytes or offsets."""
    edits = []
    for change in fix["artifactChanges"]:
        if _uri(change["artifactLocation"], run, folder) != uri:
            return ()
        for replacement in change["replacements"]:
            if "startLine" not in replacement["deletedRegion"]:
                return ()
            start, end = _region(replacement["deletedRegion"])
            edits.append(TextEdit(start, end, (replacement.get("insertedContent") or {}).get("text", "")))
    return tuple(edits)


def _uri(artifact: dict[str, Any], run: dict[str, Any], folder: Path) -> str:
    """An artifact's address, its base (`%SRCROOT%` and such) put before it where the run gives one."""
    uri = artifact.get("uri")
    if uri is None:
        uri = run["artifacts"][artifact["index"]]["location"]["uri"]
    base = artifact.get("uriBaseId")
    known = (run.get("originalUriBaseIds") or {}).get(base, {}).get("uri") if base is not None else None
    if known is not None and "://" not in uri:
        return str(_path(known, folder) / unquote(uri))
    return str(uri)


def _path(name: str, folder: Path) -> Path:
    if not isinstance(name, str):
        raise TypeError("a file's name is not text")
    if name.startswith("file:"):
        return Path(url2pathname(urlsplit(name).path))
    if "://" in name:
        raise ValueError(f"not a file: {name}")
    return folder / name


def _text(value: object) -> str | None:
    return str(value) if value is not None else None
