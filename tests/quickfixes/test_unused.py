"""Unused imports: what the statement is without the name."""

from __future__ import annotations

import pytest

from copydesk.quickfixes.handlers.unused_import import unused_edits
from copydesk.request import Diagnostic
from copydesk.syntax.tree import parse
from copydesk.text.document import Position, split_lines


def without(marked: str, message: str, code: str | None = "F401") -> str | None:
    """The text without the import that a diagnostic at `¦` is about; None where nothing is offered."""
    at = marked.index("¦")
    text = marked.replace("¦", "")
    place = Position(text.count("\n", 0, at), at - (text.rfind("\n", 0, at) + 1))
    lines = split_lines(text)
    tree = parse(lines, "python")
    assert tree is not None
    found = unused_edits(Diagnostic(place, place, message, code), lines, tree)
    if not found:
        return None
    (way,) = found
    return "".join((*lines[: way.first - 1], way.text, *lines[way.last :]))


@pytest.mark.parametrize(
    ("text", "message", "after"),
    [
        ("import ¦os\nx = 1\n", "`os` imported but unused", "x = 1\n"),
        ("import ¦os.path\nx = 1\n", "`os.path` imported but unused", "x = 1\n"),
        ("import os, ¦sys\n", "`sys` imported but unused", "import os\n"),
        ("import ¦os, sys\n", "`os` imported but unused", "import sys\n"),
        ("from a import b, ¦c\n", "`a.c` imported but unused", "from a import b\n"),
        ("from a import ¦b, c, d\n", "`a.b` imported but unused", "from a import c, d\n"),
        ("from a import b, ¦c, d\n", "'a.c' imported but unused", "from a import b, d\n"),
        ("from a import b, ¦c as d\n", "`a.c as d` imported but unused", "from a import b\n"),
        ("¦from . import b, c\n", "Unused b imported from .", "from . import c\n"),
        ("¦import numpy as np\nx = 1\n", "Unused numpy imported as np", None),
        ("¦import os\n\nx = 1\n", "Unused import os", "\nx = 1\n"),
        (
            "from math import ceil, ¦pi, sqrt\n",
            'Import "pi" is not accessed',
            "from math import ceil, sqrt\n",
        ),
        (
            "from a import (\n    b,\n    ¦c,\n)\n",
            "`a.c` imported but unused",
            "from a import (\n    b,\n)\n",
        ),
        ("from a import (b, ¦c)\n", "`a.c` imported but unused", "from a import (b)\n"),
        (
            "from a import (\n    b, ¦c,\n    d,\n)\n",
            "`a.c` imported but unused",
            "from a import (\n    b,\n    d,\n)\n",
        ),
        ("from a import (\n    ¦b, c\n)\n", "`a.b` imported but unused", "from a import (\n    c\n)\n"),
        ("if x:\n    import ¦os\n", "`os` imported but unused", None),  # the block would be empty
        ("import ¦os; x = 1\n", "`os` imported but unused", None),
        ("import ¦os\n", "`sys` imported but unused", None),  # out of date
        ("x = ¦os\n", "`os` imported but unused", None),
    ],
)
def test_statements_without_the_name(text: str, message: str, after: str | None) -> None:
    assert without(text, message) == after


def test_windows_line_ends_are_the_pages_business() -> None:
    assert without("from a import b, ¦c\r\n", "`a.c` imported but unused") == "from a import b\n"
