"""What is proved about a fix, by example: text before, text after, what it is for, and the verdict."""

from __future__ import annotations

from pathlib import Path

import pytest

from copydesk.request import Diagnostic
from copydesk_server.verification import judge, judge_all
from server_tools import found, ruff_that, the_ruff

UNUSED = found(0, 7, 9, "F401", "`os` imported but unused")
NONE = found(0, 8, 12, "E711", "Comparison to `None` should be `cond is None`")
SYNTAX = "invalid-syntax"
UNDEFINED = found(1, 6, 11, "reportUndefinedVariable", '"total" is not defined', "Pyright")
PYRIGHT = found(0, 0, 1, "reportCallIssue", "Expected 1 argument", "Pyright")


def verdict(
    before: str, after: str, diagnostic: Diagnostic | None, *, ruff: bool = True, language: str = "python"
) -> tuple[str, str | None]:
    judged = judge(before, after, diagnostic, language=language, path=None, ruff=the_ruff() if ruff else None)
    assert judged.reason is None or judged.verdict != "confirmed"
    return judged.verdict, judged.reason


@pytest.mark.parametrize(
    ("before", "after", "diagnostic"),
    [
        ("import os\nimport re\nre\n", "import re\nre\n", UNUSED),
        (
            "def f(x):\n    return x == None\n",
            "def f(x):\n    return x is None\n",
            found(1, 16, 20, "E711", "worded otherwise"),
        ),
        ("def f(:\n    pass\n", "def f():\n    pass\n", found(0, 6, 7, SYNTAX, "Expected a parameter")),
        # Lint behind a syntax error was not seen before; it is not new.
        ("import os\ndef f(:\n    pass\n", "import os\ndef f():\n    pass\n", found(1, 6, 7, SYNTAX, "?")),
        # Findings that only moved, or whose message counts lines.
        (
            "import os\ndef f():\n    a = 1\ndef f():\n    a = 2\n",
            "def f():\n    a = 1\ndef f():\n    a = 2\n",
            UNUSED,
        ),
        # The same tree, and yet ruff's finding is gone: then it was about layout.
        ("x = 1;\n", "x = 1\n", found(0, 5, 6, "E703", "Statement ends with an unnecessary semicolon")),
        # Another tool's finding that ruff reports, too.
        (
            "import os\nx = 1\n",
            "x = 1\n",
            found(0, 7, 9, "reportUnusedImport", 'Import "os" is not accessed', "Pyright"),
        ),
        ("totl = 1\nprint(total)\n", "totl = 1\nprint(totl)\n", UNDEFINED),
    ],
)
def test_confirmed_by_ruff(before: str, after: str, diagnostic: Diagnostic) -> None:
    assert verdict(before, after, diagnostic) == ("confirmed", None)


@pytest.mark.parametrize(
    ("before", "after", "diagnostic", "reason"),
    [
        ("import os\n", "import os  # noqa\n", UNUSED, "silences a tool: #noqa"),
        ("import os\nx = 1  # noqa: E501\n", "import os  # noqa\nx = 1\n", UNUSED, "silences"),
        ("import os\nx = 1  # noqa: E501\n", "import os\nx = 1  # noqa: E501, F401\n", UNUSED, "silences"),
        ("import os\n", "# ruff: disable[F401]\nimport os\n", UNUSED, "silences"),
        ("import os\n", "# flake8: noqa\nimport os\n", UNUSED, "silences"),
        ("import os\n", "import os, re\n", UNUSED, "still reports: F401"),
        ("import os\n", "import re\n", UNUSED, "now reports: F401 `re`"),
        (
            "import os, re\nos\n",
            "os\n",
            found(0, 11, 13, "F401", "`re` imported but unused"),
            "now reports: F821",
        ),
        ("if 'x' == None:\n    pass\n", "if 'x' is None\n    pass\n", NONE, "does not parse"),
        ("f(a)\n", "f(a=1, 2)\n", PYRIGHT, "does not parse"),  # tree-sitter would let it through
        ("f( a)\n", "f(a)\n", PYRIGHT, "only the layout"),
        ("a = 1\nf(a)\n", "f(a)\n", PYRIGHT, "now reports: F821"),
        ("print(total)\n", "print(totl)\n", UNDEFINED, "now reports: F821"),
        (
            "def f(:\n    pass\n",
            "def f(,:\n    pass\n",
            found(0, 6, 7, SYNTAX, "m", "Pyright"),
            "still there",
        ),
        ("def f(:\n    pass\n", "def f(::\n    pass\n", found(0, 6, 7, SYNTAX, "m"), "ruff still reports"),
    ],
)
def test_refused(before: str, after: str, diagnostic: Diagnostic, reason: str) -> None:
    said, why = verdict(before, after, diagnostic)
    assert said == "refused", why
    assert reason in (why or "")


@pytest.mark.parametrize(
    ("before", "after", "diagnostic", "reason"),
    [
        ("x = 1\n", "x = 2\n", found(0, 0, 1, "F401", "not so"), "ruff does not report F401"),
        ("f(a)\n", "f()\n", PYRIGHT, "Pyright was not run again"),
        ("x = (\n", "x = ((\n", PYRIGHT, "does not parse, before or after"),
        ("x = 1\n", "x = 2\n", found(0, 0, 1, SYNTAX, "m", "Pyright"), "no available parser finds the error"),
    ],
)
def test_checked(before: str, after: str, diagnostic: Diagnostic, reason: str) -> None:
    said, why = verdict(before, after, diagnostic)
    assert said == "checked", why
    assert reason in (why or "")


def test_an_instruction_is_checked_at_best() -> None:
    assert verdict("x = 1\n", "x = 2\n", None) == ("checked", None)
    assert verdict("import os  # noqa: F401, E501\n", "import os  # noqa: F401\n", None) == ("checked", None)


def test_nothing_done_is_unchanged() -> None:
    assert verdict("x = 1\n", "x = 1\n", None) == ("unchanged", None)
    assert verdict("import os\n", "import os\n", UNUSED) == ("unchanged", "nothing changed")


def test_without_ruff_only_the_parse_is_proved() -> None:
    assert verdict("import os\nx = 1\n", "x = 1\n", UNUSED, ruff=False) == (
        "checked",
        "Ruff was not run again",
    )
    broken = found(0, 6, 7, SYNTAX, "m")
    assert verdict("def f(:\n pass\n", "def f():\n pass\n", broken, ruff=False) == ("confirmed", None)
    judged = judge("f(a)\n", "f()\n", PYRIGHT, language="python", path=None, ruff=the_ruff())
    assert (judged.verdict, judged.checks) == ("checked", ("syntax",))


def test_other_languages() -> None:
    error = found(0, 8, 9, "eslint", "Parsing error: Unexpected token", "eslint")
    assert verdict("let x = ;\n", "let x = 1;\n", error, language="javascript") == ("confirmed", None)
    assert verdict("let x = 1;\n", "let x = ;\n", PYRIGHT, language="javascript")[0] == "refused"
    assert verdict("let x\n", "let y\n", PYRIGHT, language="rust") == ("checked", "no parser for rust")
    assert verdict("let x\n", "let y // eslint-disable-line\n", PYRIGHT, language="rust")[0] == "refused"


def test_what_the_engine_proved_is_not_proved_again_but_ruff_is_asked() -> None:
    judged = judge(
        "import os\n",
        "import re\n",
        UNUSED,
        language="python",
        path=None,
        ruff=the_ruff(),
        checked=("syntax",),
    )
    assert judged.verdict == "refused"


def test_layout_findings_of_other_tools_may_leave_the_tree() -> None:
    long = found(0, 0, 1, "E501", "line too long (120 > 79 characters)", "flake8")
    assert verdict("f( a)\n", "f(a)\n", long) == ("checked", "flake8 was not run again")


def test_several_together() -> None:
    before, ruff = "import os\nimport os\n", the_ruff()
    said = ruff.check(before, None)
    unused = [d for d in said if d.code == "F401"]
    assert unused
    judged = judge_all(before, "", said, language="python", path=None, ruff=ruff, found=said)
    assert (judged.verdict, judged.checks) == ("confirmed", ("syntax", "ruff"))
    judged = judge_all(before, "import os\n", said, language="python", path=None, ruff=ruff, found=said)
    assert judged.verdict == "refused"
    mixed = [*unused, found(1, 0, 6, "pyr", "duplicate", "Pyright")]
    assert judge_all(before, "", mixed, language="python", path=None, ruff=ruff).verdict == "checked"


def test_a_ruff_that_fails_confirms_nothing(tmp_path: Path) -> None:
    ruff = ruff_that(tmp_path, "exit 2")
    judged = judge("import os\n", "", UNUSED, language="python", path=None, ruff=ruff)
    assert (judged.verdict, judged.checks) == ("checked", ("syntax",))
    assert "ruff failed (2)" in (judged.reason or "")


def test_the_projects_rules_count(tmp_path: Path) -> None:
    (tmp_path / "ruff.toml").write_text('[lint]\nselect = ["F401", "D100"]\n')
    before = '"""Doc."""\nimport os\n'
    judged = judge(
        before,
        "x = 1\n",
        found(1, 7, 9, "F401", "m"),
        language="python",
        path=tmp_path / "a.py",
        ruff=the_ruff(),
    )
    assert (judged.verdict, "D100" in (judged.reason or "")) == ("refused", True)


def test_an_instruction_may_not_leave_a_name_undefined() -> None:
    before = "import os\nprint(os.sep)\nprint(gone)\n"
    assert verdict(before, "print(os.sep)\nprint(gone)\n", None)[0] == "refused"
    assert verdict(before, "print(os.sep)\nprint(gone)\n", None, ruff=False)[0] == "checked"
    assert verdict(before, "import os\nprint(gone)\nprint(os.sep)\n", None) == ("checked", None)
    assert verdict("import os\nprint(os.sep)\n", "import os\nprint('')\n", None) == ("checked", None)


@pytest.mark.parametrize(
    ("only", "expected"),
    [
        (None, "refused"),
        (("E722",), "confirmed"),
        (("E",), "confirmed"),
        (("E722", "BLE"), "refused"),
        (("ALL",), "refused"),
        ((), "confirmed"),
    ],
)
def test_only_the_rules_asked_for_count(only: tuple[str, ...] | None, expected: str, tmp_path: Path) -> None:
    (tmp_path / "ruff.toml").write_text('[lint]\nselect = ["E", "BLE"]\n')
    before, after = (f"try:\n    f = 1\nexcept{what}:\n    pass\n" for what in ("", " Exception"))
    bare = found(2, 0, 6, "E722", "Do not use bare `except`")
    path = tmp_path / "a.py"

    def said(after: str) -> str:
        ruff = the_ruff()
        return judge_all(before, after, [bare], language="python", path=path, ruff=ruff, only=only).verdict

    assert said(after) == expected
    assert said(after.replace("Exception", "Unheard")) == "refused"  # an undefined name counts always
    assert said(after.replace("f = 1", "f = lambda: 1")) == (
        "refused" if only and {"E", "ALL"} & {*only} else expected
    )
