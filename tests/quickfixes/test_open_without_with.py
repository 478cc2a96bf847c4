"""A file opened outside of a `with` statement. `$0` marks the diagnostic."""

from __future__ import annotations

import pytest

from quick_fixes import fixed, ruff_is_content

MESSAGE = "Use a context manager for opening files"

FIXED = [
    ("g = $0open(p)\nprint(g.read())\nx = 1\n", "with open(p) as g:\n    print(g.read())\nx = 1\n"),
    ("def f(p):\n    g = $0open(p)  # so\n    data = g.read()\n    g.close()\n    return data\n",
     "def f(p):\n    with open(p) as g:  # so\n        data = g.read()\n    return data\n"),
    ("def f(p):\n  g = $0open(p, 'w')\n  for x in p:\n\n    g.write(x)\n",
     "def f(p):\n  with open(p, 'w') as g:\n    for x in p:\n\n      g.write(x)\n"),
    ("import json\ng = $0open(p)\nx = json.load(g)\ng.close()\n", "import json\nwith open(p) as g:\n    x = json.load(g)\n"),
    ("g = $0open(p)\ng.close()\n", "with open(p) as g:\n    pass\n"),
    ("def f(p):\n    x = $0open(p).read()\n    return x\n",
     "def f(p):\n    with open(p) as file:\n        x = file.read()\n    return x\n"),
    ("import json\nfile = 1\nx = json.load($0open(\n    p)) + y\n", None),
    ("import json\nfile = 1\nx = json.load($0open(p))\n", "import json\nfile = 1\nwith open(p) as f:\n    x = json.load(f)\n"),
    ("for line in $0open(p):\n    print(line)\n", "with open(p) as file:\n    for line in file:\n        print(line)\n"),
    ("if x:\n\tg = $0open(p)\n\tprint(g.read())\n", "if x:\n\twith open(p) as g:\n\t\tprint(g.read())\n"),
]  # fmt: skip

LEFT = [
    "def f(p):\n    g = $0open(p)\n    return g\n",
    "def f(p):\n    g = $0open(p)\n    return A(g)\n",
    "self.g = $0open(p)\n",
    "def f(p):\n    return $0open(p)\n",
    "def f(p):\n    return csv.reader($0open(p))\n",
    "g = $0open(p)\nx = lambda: g.read()\n",
    "g = $0open(p)\ndef f():\n    return g.read()\n",
    'g = $0open(p)\ng.write("""a\nb""")\n',
    "if x:\n    g = $0open(p)\nprint(g.read())\n",
    "g = $0open(p); x = 1\n",
    "x = [$0open(p).read() for p in q]\n",
    "x = $0open\n",
]


@pytest.mark.parametrize(("source", "expected"), FIXED)
def test_what_uses_the_file_is_the_body(source: str, expected: str | None) -> None:
    assert fixed(source, "SIM115", MESSAGE) == ([expected] if expected is not None else [])
    assert fixed(source, None, MESSAGE) == ([expected] if expected is not None else [])


@pytest.mark.parametrize("source", LEFT)
def test_what_is_left_to_the_model(source: str) -> None:
    assert fixed(source, "SIM115", MESSAGE) == []


@pytest.mark.parametrize("source", [source for source, expected in FIXED if expected is not None])
def test_ruff_is_content(source: str) -> None:
    ruff_is_content(source.replace("$0", ""), "SIM115")
