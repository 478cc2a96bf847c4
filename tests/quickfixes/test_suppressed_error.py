"""`try`, `except`, `pass` with comments, for which ruff has no fix (SIM105). The diagnostics are ruff's."""

from __future__ import annotations

from dataclasses import replace

import pytest

from copydesk.text.document import split_lines
from quick_fixes import applied, candidates
from server_tools import the_ruff

HAVE = "import contextlib\n\n"
TAIL = "f()\n"

MADE = [
    ("try:\n    d[k] = v\nexcept ValueError:\n    pass  # value too large\n",
     "with contextlib.suppress(ValueError):  # value too large\n    d[k] = v\n"),
    ("try:\n    f()\nexcept (KeyError, exc.Other):  # not stored\n    pass\n",
     "with contextlib.suppress(KeyError, exc.Other):  # not stored\n    f()\n"),
    ("if x:\n    try:\n        # first\n        f(\n            x\n        )  # and this\n    except OSError:\n"
     "        # Somebody else may have\n        # called it.\n        pass\n",
     "if x:\n    # Somebody else may have\n    # called it.\n    with contextlib.suppress(OSError):\n        # first\n"
     "        f(\n            x\n        )  # and this\n"),
    ("try:\n    f()\n# Close implies flush.\nexcept BrokenPipeError:\n    pass\n",
     "# Close implies flush.\nwith contextlib.suppress(BrokenPipeError):\n    f()\n"),
    ("try:  # a\n    f()\n\nexcept OSError:  # b\n    pass\n",
     "# a\n# b\nwith contextlib.suppress(OSError):\n    f()\n"),
    (f"try:\n    f()\nexcept OSError:\n    pass  # {'a' * 80}\n",
     f"# {'a' * 80}\nwith contextlib.suppress(OSError):\n    f()\n"),
]  # fmt: skip

LEFT = [
    "try:\n    f()\nexcept OSError:  # pragma: no cover\n    pass\n",
    "try:\n    f()\nexcept OSError:\n    pass  # type: ignore\n",
    "try:\n    f()\nexcept OSError as e:\n    pass  # a\n",
    "try:\n    f()\nexcept (  # a\n    OSError\n):\n    pass\n",
    "try:\n    f()\nexcept OSError: pass  # a\n",
    "try: f()\nexcept OSError:\n    pass  # a\n",
    "try:\n    f()\nexcept:\n    pass  # a\n",
]


def edited(text: str) -> list[str]:
    """The file with each candidate for its one SIM105, if there is one."""
    said = replace(the_ruff(), fixes=frozenset({"safe", "unsafe"})).check(text, None, select="SIM105")
    assert not any(diagnostic.fixes for diagnostic in said)
    lines = split_lines(text)
    return [applied(lines, edit) for diagnostic in said for edit in candidates(diagnostic, lines)]


@pytest.mark.parametrize(("tried", "suppressed"), MADE)
def test_comments_stand_behind_it_or_above(tried: str, suppressed: str) -> None:
    (found,) = edited(HAVE + tried + TAIL)
    assert found == HAVE + suppressed + TAIL
    assert the_ruff().check(found, None, select="SIM105,F401") == []
    assert edited("from contextlib import closing, suppress\n\n" + tried + TAIL) == [
        "from contextlib import closing, suppress\n\n" + suppressed.replace("contextlib.", "") + TAIL
    ]


@pytest.mark.parametrize(("tried", "suppressed"), MADE)
def test_it_is_imported_where_it_is_missing(tried: str, suppressed: str) -> None:
    assert edited("import os\n\n" + tried) == [f"import contextlib\nimport os\n\n{suppressed}"]
    assert edited(tried) == ["import contextlib\n" + suppressed]


@pytest.mark.parametrize("tried", LEFT)
def test_what_is_left(tried: str) -> None:
    assert edited(HAVE + tried) == []
