"""Variables made, inlined, and assigned together or apart: name, instruction, text, title, text after."""

from __future__ import annotations

HEAD = "def f(a, b=1):\n    c = g(a)\n    return h(c, b)\n"

CASES = [
    ("inline_variable", "", "def g():\n    a = [b, c(d)]\n    f(*a, e)\n",
     'Inline variable "a": its values as arguments, directly, no list', "def g():\n    f(b, c(d), e)\n"),
    ("direct_attribute", "", "def f(self):\n    a = g()\n    h(a)\n    self.a = a\n    return a\n",
     "Assign self.a directly, without the variable a",
     "def f(self):\n    self.a = g()\n    h(self.a)\n    return self.a\n"),
    ("extract_constant", "call 10 MOST", "def f():\n    g(10, 10)\n", 'Extract 10 into the constant "MOST"',
     "MOST = 10\n\n\ndef f():\n    g(MOST, MOST)\n"),
    ("use_constant", "MAX, not 10", "x = 10\n", 'Use "MAX" for 10', "x = MAX\n"),
    ("inline_variable", "", "def f():\n    a = 1\n    g(a)\n    a = 2\n    h(a)\n", 'Inline variable "a" everywhere',
     "def f():\n    g(1)\n    h(2)\n"),
    ("inline_variable", "", "def f():\n    a = 1\n    g(a)\n    a = 2\n    return h(a, a)\n", 'Inline variable "a" of line 2',
     "def f():\n    g(1)\n    a = 2\n    return h(a, a)\n"),
    ("extract_variable", "g(a) as d", "x = h(g(a))\n", 'Extract g(a) into variable "d"', "d = g(a)\nx = h(d)\n"),
    ("extract_variable", "the full name should get its own variable", "f(a + b)\n", 'Extract a + b into variable "full_name"',
     "full_name = a + b\nf(full_name)\n"),
    ("extract_variable", "name it d", "x = h(g(1))\ny = g(1)\n", 'Extract g(1) into variable "d"', "d = g(1)\nx = h(d)\ny = d\n"),
    ("inline_variable", "", "def f(s):\n    s = s.a(1)\n    s = s.b(2)\n    s = 'x' + s\n    s = s.c()\n    return s\n",
     "Combine all 4 statements that assign s, chain them", "def f(s):\n    s = ('x' + s.a(1).b(2)).c()\n    return s\n"),
    ("inline_variable", "", "def f(a):\n    b = (\n        'one long enough to need a line of its own: '\n"
     "        'another, which is not a short one, either'\n    )\n    raise E(b)\n", 'Inline variable "b" everywhere',
     "def f(a):\n    raise E(\n        'one long enough to need a line of its own: '\n"
     "        'another, which is not a short one, either'\n    )\n"),
    ("inline_variable", "", HEAD, 'Inline variable "c"', "def f(a, b=1):\n    return h(g(a), b)\n"),
    ("inline_variable", "", "def f(a):\n    b = a + 1\n    return b * b\n", 'Inline variable "b" everywhere',
     "def f(a):\n    return (a + 1) * (a + 1)\n"),
    ("inline_variable", "", "def f(a):\n    b, c = g(a)\n    return b, c\n", "Return the value directly, b, c is not needed",
     "def f(a):\n    return g(a)\n"),
    ("inline_variable", "", "def h():\n    a = ('one '\n         'two')\n    g(1, a)\n", 'Inline variable "a" everywhere',
     "def h():\n    g(1, 'one ' 'two')\n"),
    ("join_assignments", "", "a = 0\nb = 0\n", "Chain the assignment of a and b", "a = b = 0\n"),
    ("extract_variable", "name the 42 limit", "# why\nf(42)\n", 'Extract 42 into variable "limit"',
     "limit = 42\n# why\nf(limit)\n"),
    ("join_assignments", "", "a = c[0]\nb = c[1]\n", "Unpack c into a and b", "a, b = c\n"),
    ("split_assignment", "", "a, b = c, d\n", "Split the unpacking, one assignment each line", "a = c\nb = d\n"),
    ("extract_variable", "node.value in a local called value", "def f(node):\n    a(node.value)\n    b(node.value)\n",
     'Extract node.value into variable "value"',
     "def f(node):\n    value = node.value\n    a(value)\n    b(value)\n"),
    ("extract_variable", "compute b.size before the loop", "def f(a, b):\n    h()\n    for c in a:\n        g(b.size)\n",
     'Extract b.size into variable "size" before for c in a',
     "def f(a, b):\n    h()\n    size = b.size\n    for c in a:\n        g(size)\n"),
    ("use_constant", "use errno.EIO, not the number", "x = a != 5\n", 'Use "errno.EIO" for 5', "x = a != errno.EIO\n"),
    ("inline_variable", "inline a and b", "def f(x):\n    a = x == 1\n    b = x + 2\n    return a and not b\n",
     "Inline variables a and b everywhere", "def f(x):\n    return x == 1 and not x + 2\n"),
    ("inline_variable", "inline a and b", "def f(x):\n    g()\n\n    a = x == 1\n    b = x + 2\n\n    return a and b\n",
     "Inline variables a and b everywhere", "def f(x):\n    g()\n\n    return x == 1 and x + 2\n"),
]  # fmt: skip
