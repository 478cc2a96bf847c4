"""ruff's fixes for what others have found: the right one of several, and none where it is not the same finding."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from copydesk.request import Diagnostic, ToolFix
from copydesk.text.document import Encoding, Position, TextEdit, apply_edits
from copydesk_server.applicability import Applicability, applicability
from copydesk_server.linter_fixes import RULES, with_ruff_fixes
from copydesk_server.ruff import Ruff
from server_tools import ruff_that, the_ruff

BOTH: frozenset[Applicability] = frozenset({"safe", "unsafe"})


def at(text: str, place: str, message: str, code: str | None = None, source: str = "Tool") -> Diagnostic:
    """A diagnostic of `place`, which occurs once in `text`."""
    line = text[: text.index(place)].count("\n")
    column = text.index(place) - (text.rfind("\n", 0, text.index(place)) + 1)
    return Diagnostic(Position(line, column), Position(line, column + len(place)), message, code, source)


def fixed(
    text: str, diagnostic: Diagnostic, *, allowed: frozenset[Applicability] = BOTH
) -> tuple[str, bool] | None:
    """The text after the fix proposed for a diagnostic, and whether it is safe."""
    (said,) = with_ruff_fixes([diagnostic], text, None, replace(the_ruff(), fixes=allowed))
    if not said.fixes:
        return None
    (fix,) = said.fixes
    return apply_edits(text, fix.edits, Encoding.UTF32), fix.safe


@pytest.mark.parametrize(
    ("text", "place", "message", "code", "source", "expected"),
    [
        # an editor's ruff, as the client passes it on
        ("import os\n", "os", "`os` imported but unused", "F401", "Ruff", ("", True)),
        ("if a == None:\n    b\n", "None", "anything", "E711", "Ruff", ("if a is None:\n    b\n", False)),
        # pyright, pylint, pyflakes without a code
        ("import os\n", "os", 'Import "os" is not accessed', "reportUnusedImport", "Pyright", ("", True)),
        ("import os\n", "import os", "Unused import os", "unused-import", "Pylint", ("", True)),
        ("import os, re\nre\n", "import os", "'os' imported but unused", None, "pyflakes", ("import re\nre\n", True)),
        ("import os, re\n", "import os", "Unused import re", "W0611", "Pylint", ("", True)),  # ruff takes both at once
        ("def f(a):\n    b = 1\n", "b", "Unused variable 'b'", "W0612", "Pylint", ("def f(a):\n    pass\n", False)),
        ("print(not a in b)\n", "not a in b", "should be 'not in'", "C0117", "Pylint", ("print(a not in b)\n", True)),
        ("x = 1  \n", "1", "Trailing whitespace", "C0303", "Pylint", ("x = 1\n", True)),
        ("x = 1", "1", "Final newline missing", "C0304", "Pylint", ("x = 1\n", True)),
        # what is not the same, is not found, or has no fix
        ("import os\nimport re\n", "re", 'Import "re" is not accessed', "W0611", "Pyright", ("import os\n", True)),
        ("import os\nx = y\n", "y", "undefined name 'y'", "F821", "pyflakes", None),
        ("import os\nx = 1\n", "x", "Unused import os", "W0611", "Pylint", None),
        ("import a.os, b.os\n", "import a.os", "Unused import", "W0611", "Pylint", None),
        ("import os\n", "os", "no such kind", "X1", "Tool", None),
    ],
)  # fmt: skip
def test_whoever_reports_it_ruffs_fix_is_taken(
    text: str, place: str, message: str, code: str | None, source: str, expected: tuple[str, bool] | None
) -> None:
    assert fixed(text, at(text, place, message, code, source)) == expected


def test_only_what_is_allowed_and_missing() -> None:
    text = "def f(a):\n    b = 1\n"
    unused = at(text, "b", "Unused variable 'b'", "W0612", "Pylint")
    assert fixed(text, unused, allowed=frozenset({"safe"})) is None
    assert fixed(text, unused, allowed=frozenset()) is None
    own = replace(unused, fixes=(ToolFix((TextEdit(Position(0, 0), Position(1, 9), ""),)),))
    assert fixed(text, own) == ("\n", False), "the reporter's own fix stays"


def test_a_ruff_that_fails_changes_nothing(tmp_path: Path) -> None:
    found = [at("import os\n", "os", "`os` imported but unused", "F401", "Ruff")]
    failing = replace(ruff_that(tmp_path, "exit 2"), fixes=BOTH)
    assert with_ruff_fixes(found, "import os\n", None, failing) == found


def test_every_rule_in_the_table_has_fixes_in_this_ruff() -> None:
    program = the_ruff().program
    for rules in RULES.values():
        for rule in rules:
            said = subprocess.run(
                [str(program), "rule", rule, "--output-format", "json"], capture_output=True, check=True
            )
            told = json.loads(said.stdout)
            assert told["fix"] != "Fix is not available.", rule
            assert not told["preview"], rule


def test_an_edit_is_unsafe_where_it_is_an_unsafe_fix() -> None:
    text = "a = 1\r\nb = 2\r\n"
    gone = (TextEdit(Position(0, 0), Position(1, 0), ""),)
    lost = (TextEdit(Position(9, 0), Position(9, 0), "x"), TextEdit(Position(9, 0), Position(8, 0), "x"))
    found = [
        Diagnostic(Position(0, 0), Position(0, 1), "m", fixes=(ToolFix(lost), ToolFix(gone, safe)))
        for safe in (True, False)
    ]
    assert applicability(text, "b = 2\r\n", found[:1]) == "safe"
    assert applicability(text, "b = 2\n", found) == "unsafe"
    assert applicability(text, "b = 3\n", found) == "unsafe", "the linter has no safe way to mend it"


def test_ruff_without_fixes_is_not_run(tmp_path: Path) -> None:
    found = [at("import os\n", "os", "`os` imported but unused", "F401", "Ruff")]
    assert with_ruff_fixes(found, "import os\n", None, Ruff(tmp_path / "nothing")) == found
