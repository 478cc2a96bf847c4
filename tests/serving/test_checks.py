"""What an edit leaves without a definition: what it brings in or takes away, but for what an import may bind."""

from __future__ import annotations

import pytest

from copydesk.serving.checks import left_undefined

BEFORE = "import os\n\n\ndef path(base):\n    return os.path.join(base, 'b')\n"


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("'b'", "*parts", ["parts"]),
        ("'b'", "pattern", ["pattern"]),
        ("join(base", "join(root", ["root"]),
        ("path(base)", "path(root)", ["base"]),
        ("path(base)", "path(root)\n    base = root", []),
        ("import os\n", "", ["os"]),
        ("'b'", "json.dumps(base)", []),
        ("'b'", "itemgetter(base)", []),
        ("'b'", "str(base)", []),
        ("import os\n", "from os import *\n", []),
        ("'b'", "(", []),
    ],
)
def test_left_undefined(old: str, new: str, names: list[str]) -> None:
    assert old in BEFORE
    assert left_undefined(BEFORE, BEFORE.replace(old, new, 1)) == names


def test_what_was_undefined_before_is_not_the_edits_doing() -> None:
    before = "def f():\n    return missing\n"
    assert left_undefined(before, before.replace("return", "return 1 +")) == []
