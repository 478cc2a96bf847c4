"""Edits in words: the code that goes and the code that comes, as it is spelt."""

from __future__ import annotations

import pytest

from copydesk.request import Diagnostic
from copydesk.text.document import Encoding, Position, TextEdit, TextLines
from copydesk_server.edit_titles import LONGEST_TITLE, changed_lines, edit_title


def title(old: str, new: str, message: str | None = None) -> str:
    """Of the whole text replaced: what is the same at its ends is not changed."""
    lines = TextLines(old)
    edit = TextEdit(Position(0, 0), lines.end(Encoding.UTF16), new)
    said = Diagnostic(Position(0, 0), Position(0, 1), message) if message is not None else None
    return edit_title(changed_lines(lines, [edit], Encoding.UTF16), said)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("print(totl)\n", "print(total)\n", "Replace `totl` with `total`"),
        ("a == None\n", "a is None\n", "Replace `==` with `is`"),
        ("if a = 1:\n", "if a == 1:\n", "Replace `=` with `==`"),
        ("if a\n", "if a:\n", "Insert `:`"),
        ("f(x))\n", "f(x)\n", "Remove `)`"),
        ("x = f'a'\n", "x = 'a'\n", "Remove `f`"),
        ("def f(x):\n", "def f(self, x):\n", "Insert `self,`"),
        ("a\nb\n", "import json\na\nb\n", 'Add "import json"'),
        ("from a import b\n", "from a import b, c\n", 'Add "from a import c"'),
        ("a\nx = 1\n", "a\n", "Remove `x = 1`"),
        ("a\nx = 1\ny = 2\n", "a\n", "Remove `x = 1` and 1 more line"),
        ("try:\n    a\nexcept:\n", "try:\n    a\nexcept Exception:\n", "Insert `Exception`"),
        ("a  \n", "a\n", "Remove trailing whitespace"),
        ("a\n   \nb\n", "a\n\nb\n", "Remove trailing whitespace"),
        ("a\nb\n", "a\n\n\nb\n", "Insert 2 blank lines"),
        ("a\n\n\nb\n", "a\n\nb\n", "Remove 1 blank line"),
        ("a", "a\n", "Add a line break at the end"),
        (" a\n", "a\n", "Indent `a` anew"),
        (" a\n b\n", "a\nb\n", "Indent 2 lines anew"),
        ("a\r\nb\r\n", "a\r\nc\r\n", "Replace `b` with `c`"),
        ("a = 1\nb = 2\n", "c()\n", "Replace `a = 1` and 1 more line with `c()`"),
        ("import b\nimport a\n", "import a\nimport b\n", "Sort the imports"),
        ("import b, a\nx\n", "import a\nimport b\n\nx\n", "Sort the imports"),
        (
            "from a import c, b\nimport os\n",
            "import os\nfrom a import (\n    b,\n    c,\n)\n",
            "Sort the imports",
        ),
        (
            "import b\nimport a\n",
            "import a\nimport c\n",
            "Replace `import b` and 1 more line with `import a` and 1 more line",
        ),
        (
            "import os\nf(\n  a,\n)\n",
            "import os\ng(\n  a,\n  b,\n)\n",
            "Replace `f(` and 1 more line with `g(` and 2 more lines",
        ),
        ("a,\nb,\na,\n", "b,\na,\nb,\n", "Replace `a,` and 2 more lines with `b,` and 2 more lines"),
        ("b()\na()\n", "a()\nb()\n", "Reorder 2 lines"),
    ],
)
def test_a_title_names_the_edit(old: str, new: str, said: str) -> None:
    assert title(old, new) == said


@pytest.mark.parametrize(
    ("old", "new", "message", "said"),
    [
        ("import os\na\n", "a\n", "`os` imported but unused", 'Remove unused import "os"'),
        (
            "from a import b, c\n",
            "from a import c\n",
            "`a.b` imported but unused",
            'Remove unused import "a.b"',
        ),
        # Not what the finding is called, but what is done.
        ("import os\n", "import os as os\n", "`os` imported but unused", "Insert `as os`"),
        ("x = 1\na\n", "a\n", "local variable 'x' is assigned to but never used", "Remove `x = 1`"),
    ],
)
def test_an_unused_import_is_called_by_its_name(old: str, new: str, message: str, said: str) -> None:
    assert title(old, new, message) == said


def test_lines_that_move_are_not_called_new() -> None:
    lines = TextLines("import b\nimport c\nimport a\nx = 1\ny = 2\nz = 3\n")
    first, last = Position(0, 0), Position(2, 0)
    imports = [TextEdit(first, first, "import a\n"), TextEdit(last, Position(3, 0), "")]
    assert edit_title(changed_lines(lines, imports, Encoding.UTF16)) == "Sort the imports"
    moved = [
        TextEdit(Position(3, 0), Position(4, 0), ""),
        TextEdit(Position(5, 0), Position(5, 0), "x = 1\n"),
    ]
    assert edit_title(changed_lines(lines, moved, Encoding.UTF16)) == "Move `x = 1`"


def test_edits_apart_are_all_named_or_counted() -> None:
    lines = TextLines("import a\nx == 1\ny\nz\n")
    edits = [
        TextEdit(Position(0, 0), Position(0, 0), "import b\n"),
        TextEdit(Position(1, 2), Position(1, 4), "is"),
        TextEdit(Position(3, 0), Position(3, 1), "w"),
    ]
    two = changed_lines(lines, edits[::2], Encoding.UTF16)
    assert edit_title(two) == 'Add "import b", Replace `z` with `w`'
    three = changed_lines(lines, edits, Encoding.UTF16)
    assert edit_title(three) == 'Add "import b" and 2 more changes'


def test_positions_are_in_the_clients_units() -> None:
    lines = TextLines("s = '😀', totl\n")
    edit = TextEdit(Position(0, 10), Position(0, 14), "total")
    assert edit_title(changed_lines(lines, [edit], Encoding.UTF16)) == "Replace `totl` with `total`"


def test_a_title_fits_a_menu() -> None:
    long = "x" * 300
    assert len(title(f"{long}\n{long}\n", f"{long} + 1\n")) <= LONGEST_TITLE
    assert title(f"a({long})\n", "b\n").count("…") == 1
