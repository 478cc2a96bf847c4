"""Diagnostics from elsewhere: three formats by example, and what is malformed about them said by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from copydesk.text.document import Encoding, TextLines, apply_edits
from copydesk_server.errors import DiagnosticsError
from copydesk_server.headless.findings import parse
from server_tools import the_ruff

HERE = Path("/project")
TEXT = "x = '\N{GRINNING FACE}' + y\nlast\n"

RUFF: list[dict[str, Any]] = [
    {
        "filename": "/project/a.py", "code": "F821", "message": "Undefined name `y`",
        "location": {"row": 1, "column": 11}, "end_location": {"row": 1, "column": 12},
    },
]  # fmt: skip
PYRIGHT: dict[str, Any] = {
    "version": "1.1.400",
    "generalDiagnostics": [
        {
            "file": "/project/a.py", "severity": "error", "message": '"y" is not defined\n  more',
            "range": {"start": {"line": 0, "character": 11}, "end": {"line": 0, "character": 12}},
            "rule": "reportUndefinedVariable",
        }
    ],
}  # fmt: skip
REGION = {"startLine": 1, "startColumn": 12, "endColumn": 13}


def sarif(region: Any = REGION, uri: str = "file:///project/a.py", **result: Any) -> dict[str, Any]:
    place = {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}
    given = {"ruleId": "R1", "message": {"text": "said"}, "locations": [place], **result}
    return {"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "Tool"}}, "results": [given]}]}


@pytest.mark.parametrize(
    ("data", "code", "source", "severity"),
    [
        (RUFF, "F821", "Ruff", 2),
        (PYRIGHT, "reportUndefinedVariable", "Pyright", 1),
        (sarif(level="error"), "R1", "Tool", 1),
        (sarif(uri="a.py"), "R1", "Tool", 2),
        (sarif(ruleId=None, rule={"id": "R1"}, level="note"), "R1", "Tool", 3),
    ],
)
def test_each_format_ends_at_the_same_place(data: Any, code: str, source: str, severity: int) -> None:
    (found,) = parse(json.dumps(data), HERE)
    said = found.diagnostic(TextLines(TEXT))
    assert found.path == HERE / "a.py"
    assert (said.start.line, said.start.character, said.end.character) == (0, 10, 11)
    assert (said.code, said.source, said.severity) == (code, source, severity)
    assert "\n" not in said.message


def test_sarif_may_count_code_points_leave_ends_out_and_name_rules_by_index() -> None:
    data = sarif({"startLine": 1})
    run = data["runs"][0]
    run["columnKind"] = "unicodeCodePoints"
    run["tool"]["driver"]["rules"] = [{"id": "R9"}]
    del run["results"][0]["ruleId"]
    run["results"][0]["ruleIndex"] = 0
    run["originalUriBaseIds"] = {"SRC": {"uri": "file:///src/"}}
    run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"] = {
        "uri": "b%20c.py",
        "uriBaseId": "SRC",
    }
    (found,) = parse("\ufeff" + json.dumps(data), HERE)
    said = found.diagnostic(TextLines(TEXT))
    assert (found.path, said.code) == (Path("/src/b c.py"), "R9")
    assert (said.start.character, said.end.character) == (0, 11)


def sarif_fix(*changes: dict[str, Any]) -> dict[str, Any]:
    return {"artifactChanges": list(changes)}


def change(region: Any, text: str | None = "z", uri: str = "file:///project/a.py") -> dict[str, Any]:
    inserted = {} if text is None else {"insertedContent": {"text": text}}
    return {"artifactLocation": {"uri": uri}, "replacements": [{"deletedRegion": region, **inserted}]}


LAST = {"startLine": 2, "startColumn": 1, "endColumn": 5}


def test_sarif_fixes_are_edits_of_the_file_where_unsafe_ones_are_allowed() -> None:
    fixes = [
        sarif_fix(change(REGION), change(LAST, None)),
        sarif_fix(change(REGION), change(LAST, uri="file:///project/b.py")),
        sarif_fix(change({"charOffset": 3, "charLength": 1})),
        sarif_fix(change({"startLine": 2}, "end")),
    ]
    data = json.dumps(sarif(fixes=fixes))
    (found,) = parse(data, HERE, {"safe", "unsafe"})
    said = found.diagnostic(TextLines(TEXT))
    assert [apply_edits(TEXT, fix.edits, Encoding.UTF32) for fix in said.fixes] == [
        "x = '\N{GRINNING FACE}' + z\n\n",
        "x = '\N{GRINNING FACE}' + y\nend\n",
    ]
    assert not any(fix.safe for fix in said.fixes)
    (found,) = parse(data, HERE, {"safe"})
    assert not found.raw.fixes


@pytest.mark.parametrize(
    "result",
    [
        {"suppressions": [{"kind": "inSource"}]},
        {"kind": "pass"},
        {"baselineState": "absent"},
        {"locations": []},
    ],
)
def test_sarif_results_that_ask_for_nothing(result: dict[str, Any]) -> None:
    assert parse(json.dumps(sarif(**result)), HERE) == []


def test_ruffs_own_sarif_is_read(tmp_path: Path) -> None:
    import subprocess

    (tmp_path / "a.py").write_text("import os\n")
    command = [
        str(the_ruff().program),
        "check",
        "--isolated",
        "--select=F401",
        "--output-format=sarif",
        str(tmp_path),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    (found,) = parse(done.stdout, tmp_path)
    said = found.diagnostic(TextLines("import os\n"))
    assert (found.path, said.code, said.start.character) == (tmp_path / "a.py", "F401", 7)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("3", "neither"),
        ("{}", "neither"),
        ('"text"', "neither"),
        ("[3]", "cannot be read"),
        ('[{"filename": "a.py"}]', "cannot be read"),
        ('{"generalDiagnostics": 3}', "malformed"),
        ('{"generalDiagnostics": [{"file": "a"}]}', "malformed"),
        (json.dumps(PYRIGHT).replace('"error"', '"loud"'), "malformed"),
        ('{"runs": [{}]}', "malformed"),
        ('{"runs": {"a": 1}}', "malformed"),
        (json.dumps(sarif({"startLine": "x"})), "malformed"),
        (json.dumps(sarif({"startLine": 0})), "malformed"),
        (json.dumps(sarif(message={})), "malformed"),
        (json.dumps(sarif(level="loud")), "malformed"),
        (json.dumps(sarif(fixes=[3])), "malformed"),
        (json.dumps(sarif(fixes=[sarif_fix({"replacements": 3})])), "malformed"),
        (json.dumps(sarif(uri="https://example.org/a.py")), "not a file"),
    ],
)
def test_malformed_diagnostics_are_one_clear_line(text: str, reason: str) -> None:
    with pytest.raises(DiagnosticsError) as caught:
        parse(text, HERE, {"unsafe"})
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_line_the_file_has_not() -> None:
    (found,) = parse(json.dumps(sarif({"startLine": 99})), HERE)
    with pytest.raises(DiagnosticsError, match="line 99 of a file with 2"):
        found.diagnostic(TextLines(TEXT))
