"""Loops and comprehensions: name, instruction, text, title, text after."""

from __future__ import annotations

CASES = [
    ("any_all", "", "def f(b):\n    for a in b:\n        if a:\n            return False\n\n    return True\n",
     'Replace the loop by "not any"', "def f(b):\n    return not any(a for a in b)\n"),
    ("loop_to_comprehension", "", "for a in b:\n    if a:\n        c.add(a)\n", "Replace the loop by c.update with a generator",
     "c.update(a for a in b if a)\n"),
    ("comprehension_to_loop", "", "def f(b):\n    return (a for a in b if a)\n",
     "Write the generator out as a for loop with yield",
     "def f(b):\n    for a in b:\n        if a:\n            yield a\n"),
    ("any_all", "", "def f(b):\n    for a in b:\n        if a:\n            return False\n    return True\n",
     'Replace the loop by "all"', "def f(b):\n    return all(not a for a in b)\n"),
    ("comprehension_to_loop", "", "x = {k: v for k, v in y if k}\n", 'Fill "x" in a loop',
     "x = {}\nfor k, v in y:\n    if k:\n        x[k] = v\n"),
    ("comprehension_to_loop", "list named parts", "def f(b):\n    return [g(a) for a in b if a]\n",
     "Write the comprehension out as a for loop, parts",
     "def f(b):\n    parts = []\n    for a in b:\n        if a:\n            parts.append(g(a))\n    return parts\n"),
    ("comprehension_to_loop", "", "def f(b):\n    return not any(g(a) for a in b)\n", "Write any() out as a for loop",
     "def f(b):\n    for a in b:\n        if g(a):\n            return False\n    return True\n"),
    ("enumerate", "", "for i in range(len(b)):\n    a = b[i]\n    g(i, a)\n", "Use enumerate",
     "for i, a in enumerate(b):\n    g(i, a)\n"),
    ("enumerate", "item", "for i in range(len(b)):\n    g(i, b[i])\n", 'Use enumerate with "item"',
     "for i, item in enumerate(b):\n    g(i, item)\n"),
    ("loop_to_comprehension", "", "x = []\nfor a in b:\n    x.append(f(a))\n", 'Make "x" by a comprehension',
     "x = [f(a) for a in b]\n"),
    ("loop_to_comprehension", "",
     "def f(b):\n    c = 0\n    for a in b:\n        if not a:\n            continue\n        c += g(a)\n"
     "    return c\n", "Return the sum directly, without the loop", "def f(b):\n    return sum(g(a) for a in b if a)\n"),
    ("loop_to_comprehension", "", "def f(b):\n    for a in b:\n        if g(a):\n            return a\n    return None\n",
     "Return the first by next()", "def f(b):\n    return next((a for a in b if g(a)), None)\n"),
    ("unpack_in_loop", "", "for a in b:\n    c, d = a\n    e(c, d)\n", "Unpack in the head of the loop",
     "for c, d in b:\n    e(c, d)\n"),
    ("yield_from", "", "def f(b):\n    for a in b:\n        yield a\n", "Yield from b", "def f(b):\n    yield from b\n"),
]  # fmt: skip
