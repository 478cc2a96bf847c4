"""A loop's variable that is given another value. `$0` marks the diagnostic."""

from __future__ import annotations

import pytest

from quick_fixes import fixed, ruff_is_content

MESSAGE = "`for` loop variable `x` overwritten by assignment target"

# The likeliest name.
FIXED = [
    ("for x in y:\n    $0x = x.strip()\n    print(x)\n", "for x in y:\n    stripped = x.strip()\n    print(stripped)\n"),
    ("for i, x in y:\n    print(x)\n    $0x = f(x)\n    if x:\n        x += 1\n    print(i, x, g(x=x), a.x)\n",
     "for i, x in y:\n    print(x)\n    new_x = f(x)\n    if new_x:\n        new_x += 1\n    print(i, new_x, g(x=new_x), a.x)\n"),
    ("def f(y):\n    stripped = 1\n    for x in y:\n        $0x = x.strip()\n        yield x, stripped\n",
     "def f(y):\n    stripped = 1\n    for x in y:\n        stripped_x = x.strip()\n        yield stripped_x, stripped\n"),
    ("for x in y:\n    $0x = x or 1\n    print(x)\nfor x in z:\n    print(x)\n",
     "for x in y:\n    new_x = x or 1\n    print(new_x)\nfor x in z:\n    print(x)\n"),
    ("for x in y:\n    if x:\n        $0x = x.strip()\n        print(x, [z for z in x])\n",
     "for x in y:\n    if x:\n        stripped = x.strip()\n        print(stripped, [z for z in stripped])\n"),
    ("for i, x in y:\n    $0x = z[i]\n    print(x)\n", "for i, _x in y:\n    x = z[i]\n    print(x)\n"),
    ("for i, x in y:\n    _x = 1\n    $0x = z[i]\n    print(x)\n",
     "for i, x in y:\n    _x = 1\n    new_x = z[i]\n    print(new_x)\n"),
]  # fmt: skip

LEFT = [
    "for x in y:\n    if x:\n        $0x = 1\n    print(x)\n",  # not in every turn
    "for x in y:\n    if x:\n        $0x = 1\n    else:\n        print(x)\n",
    "for x in y:\n    $0x += 1\n    print(x)\n",
    "for x in y:\n    $0x = 1\nprint(x)\n",
    "for x in y:\n    $0x = 1\nelse:\n    print(x)\n",
    "for x in y:\n    $0x = 1\n    print(lambda: x)\n",
    "for x in y:\n    $0x = 1\n    print([x for x in x])\n",
    "for x in y:\n    $0x = 1\n    print(z for z in y if x)\n",
    "for x in y:\n    try:\n        $0x = f(x)\n    finally:\n        print(x)\n",
    "for x in y:\n    while z:\n        $0x = f(x)\n        print(x)\n",
    "for x in y:\n    x, $0z = 1, 2\n",
    "$0x = 1\n",
]


@pytest.mark.parametrize(("source", "likeliest"), FIXED)
def test_another_name_wherever_it_is_read(source: str, likeliest: str) -> None:
    found = fixed(source, "PLW2901", MESSAGE)
    assert found[0] == likeliest
    assert len(set(found)) == len(found) > 1
    assert fixed(source, None, MESSAGE) == found


@pytest.mark.parametrize("source", LEFT)
def test_what_is_left_to_the_model(source: str) -> None:
    assert fixed(source, "PLW2901", MESSAGE) == []


@pytest.mark.parametrize("source", [source for source, _ in FIXED])
def test_ruff_is_content(source: str) -> None:
    ruff_is_content(source.replace("$0", ""), "PLW2901")


def test_no_name_says_more_than_is_known() -> None:
    """`key_value`, as one was called once, is a pair to whoever reads it."""
    source = "for key in y:\n    $0key = f(key)\n    print(key)\n"
    found = fixed(source, "PLW2901", MESSAGE.replace("`x`", "`key`"))
    assert [text.split("\n")[1].split()[0] for text in found] == ["new_key", "updated_key"]
