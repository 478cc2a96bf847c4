"""Literals, entries of collections, and other values: name, instruction, text, title, text after."""

from __future__ import annotations

CASES = [
    ("use_expression", "max(0, ...) for a", "x = f(a)\n", "Write max(0, f(a)) instead of f(a)", "x = max(0, f(a))\n"),
    ("add_entry", "b.state too", "x = {'a': 1}\nb = 1\n", "Add 'state': b.state to x", "x = {'a': 1, 'state': b.state}\nb = 1\n"),
    ("change_entries", "'c'", "x = {'a'}\n", "Add 'c' to the set, last", "x = {'a', 'c'}\n"),
    ("change_literal", "MAX, not 10", "x = 10\n", "Change 10 to MAX", "x = MAX\n"),
    ("add_entry", "'c'", "x = [\n    'a',\n    'b',\n]\n", "Add 'c' to x", "x = [\n    'a',\n    'b',\n    'c',\n]\n"),
    ("change_entries", "", "x = [a, b, c]\n", "Drop b from the list", "x = [a, c]\n"),
    ("change_entries", "", "x = (n,) + y\n", "Unpack instead of adding tuples: (n, *y)", "x = (n, *y)\n"),
    ("change_literal", "11 please", "x = 10\n", "Change 10 to 11", "x = 11\n"),
    ("change_literal", "", "x = True\n", "Change True to False", "x = False\n"),
    ("change_literal", "50 ms", "sleep(0.01)\n", "Change 0.01 to 0.05", "sleep(0.05)\n"),
    ("change_literal", "- instead of =", "x = '=' * n\n", "Change '=' to '-'", "x = '-' * n\n"),
    ("change_number", "", "x = 2\n", "Change 2 to 3, one more", "x = 3\n"),
    ("change_return", "", "def f():\n    return False\n", "Return NotImplemented instead of False",
     "def f():\n    return NotImplemented\n"),
    ("change_return", "return `a` as well", "def f(a, b):\n    return b\n", "Return a as well, a tuple: b, a",
     "def f(a, b):\n    return b, a\n"),
    ("change_return", "", "def f(a):\n    if a:\n        return\n    g()\n    return\n",
     "Return False everywhere instead of return",
     "def f(a):\n    if a:\n        return False\n    g()\n    return False\n"),
    ("sort_entries", "", "x = ['b', 'a']\n", "Sort x", "x = ['a', 'b']\n"),
    ("use_expression", "g(a, 2) please", "y = f(a, 1)\ng = h\n", "Write g(a, 2) instead of f(a, 1)", "y = g(a, 2)\ng = h\n"),
    ("change_fallback", "", "y = a or b\n", "Drop the fallback b: only a", "y = a\n"),
    ("change_fallback", "", "y = a or b\n", "Fall back only if None: a if a is not None else b",
     "y = a if a is not None else b\n"),
    ("change_fallback", "", "def f(a):\n    a = a or {}\n", "Assign only if None: if a is None",
     "def f(a):\n    if a is None:\n        a = {}\n"),
    ("take_entry", "", "y = x['k']\n", "Use x.get('k')", "y = x.get('k')\n"),
    ("take_entry", "", "del d[k]\n", "Use pop with a default instead of del: d.pop(k, None)", "d.pop(k, None)\n"),
]  # fmt: skip
