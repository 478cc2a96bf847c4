"""Unused imports: what the statement is without the name."""

from __future__ import annotations

import pytest

from copydesk.request import Diagnostic
from copydesk.text.document import split_lines
from quick_fixes import applied, candidates, marked


def without(source: str, message: str, code: str | None = "F401") -> str | None:
    """The text without the import that a diagnostic at `¦` is about; None where nothing is offered."""
    text, place = marked(source)
    lines = split_lines(text)
    found = candidates(Diagnostic(place, place, message, code), lines)
    if not found:
        return None
    (edit,) = found
    return applied(lines, edit)


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
