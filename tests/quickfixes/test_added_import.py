"""Where the import goes that a linter's fix adds: real ruff's SIM105, whose import ruff puts below all others."""

from __future__ import annotations

from dataclasses import replace

import pytest

from copydesk.text.document import Encoding, apply_edits
from server_tools import the_ruff

TRIED = "try:\n    f()\nexcept OSError:\n    pass\n"
SUPPRESSED = "with contextlib.suppress(OSError):\n    f()\n"
IMPORT = "import contextlib\n"

# What stands above, and what stands there with the import.
PLACED = [
    ("import os\nimport sys\n\nfrom .a import f\n\n", f"{IMPORT}import os\nimport sys\n\nfrom .a import f\n\n"),
    ("import ast\n\nimport numpy\n\nfrom .a import f\n\n", f"import ast\n{IMPORT}\nimport numpy\n\nfrom .a import f\n\n"),
    ("import ast\nfrom os import (\n    path,\n)\nfrom .a import f\n\n",
     f"import ast\n{IMPORT}from os import (\n    path,\n)\nfrom .a import f\n\n"),
    ("from .a import f\n\n", f"{IMPORT}\nfrom .a import f\n\n"),
    ("from __future__ import annotations\n\nfrom .a import f\n\n",
     f"from __future__ import annotations\n\n{IMPORT}\nfrom .a import f\n\n"),
    ('"""What it is."""\nx = 1\n', f'"""What it is."""\n\n{IMPORT}\nx = 1\n'),
    ('"""What it is."""\n\nx = 1\n', f'"""What it is."""\n\n{IMPORT}\nx = 1\n'),
    ("x = 1\n", f"{IMPORT}\nx = 1\n"),
    ("#!/usr/bin/env python\nimport os\n\n", f"#!/usr/bin/env python\n{IMPORT}import os\n\n"),
    ("import os\r\nimport sys\r\n", "import contextlib\r\nimport os\r\nimport sys\r\n"),
    ("\ufeffimport os\n", f"\ufeffimport os\n{IMPORT}"),
    ("try:\n    import os\nexcept ImportError:\n    os = None\nfrom .a import f\n\n",
     f"try:\n    import os\nexcept ImportError:\n    os = None\n{IMPORT}\nfrom .a import f\n\n"),
]  # fmt: skip


@pytest.mark.parametrize(("above", "wanted"), PLACED)
def test_it_is_where_it_is_sorted(above: str, wanted: str) -> None:
    end = "\r\n" if "\r\n" in above else "\n"
    text = above + TRIED.replace("\n", end)
    ruff = replace(the_ruff(), fixes=frozenset({"safe", "unsafe"}))
    (found,) = ruff.check(text, None, select="SIM105")
    (fix,) = found.fixes
    assert apply_edits(text, fix.edits, Encoding.UTF32) == wanted + SUPPRESSED.replace("\n", end)
