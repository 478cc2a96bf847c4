"""Whether a change breaks a text is told from what stands round it, and is what parsing all of it tells."""

from __future__ import annotations

from random import Random

import pytest

from copydesk.syntax.tree import Parsed
from copydesk.text.document import split_lines
from defect_files import files

PIECES = (
    "x = 1\n", "def f(a):\n", "    return a\n", "else:\n", "    else:\n", "@d\n", ")\n", "(\n", '"""\n', "\n", "a; b = 2; c\n",
    "y = 3 \\\n", "if x:\n", "        pass\n", "# why\n", "class C: pass\n", "try:\n", "finally:\n", "    x.y(\n", "'\n", "\tz\n",
)  # fmt: skip
CLEAN = """\
import a
x = 1; y = 2


@d
def f(b):
    # why
    if b:
        return (
            b
        )
    return '''
x
'''


class C:
    z = 1
q = 2; r = [
 3]
"""


def changed(random: Random, lines: list[str]) -> tuple[list[str], int, int]:
    """The lines after a change, and how many at both ends are as they were."""
    first = random.randrange(len(lines) + 1)
    last = min(len(lines), first + random.randrange(3))
    new = [random.choice(PIECES) for _ in range(random.randrange(3))]
    return [*lines[:first], *new, *lines[last:]], first, len(lines) - last


@pytest.mark.parametrize("seed", range(40))
def test_what_is_near_tells_as_much_as_the_whole(seed: int) -> None:
    random = Random(seed)
    text = CLEAN if seed % 2 else files()[seed % 5].text
    lines = split_lines(text)
    parsed = Parsed.of(lines, "python")
    assert parsed is not None
    assert not parsed.broken
    for _ in range(30):
        after, head, tail = changed(random, lines)
        whole = Parsed.of(after, "python")
        assert whole is not None
        assert parsed.breaks(after, head, tail) == whole.broken, "".join(after)


@pytest.mark.parametrize("text", ["", "\n", "# why\n", "x"])
def test_texts_with_little_in_them(text: str) -> None:
    lines = split_lines(text)
    parsed = Parsed.of(lines, "python")
    assert parsed is not None
    assert not parsed.breaks(["y = 1\n", *lines], 0, len(lines))
    assert parsed.breaks(["y = (\n", *lines], 0, len(lines))
