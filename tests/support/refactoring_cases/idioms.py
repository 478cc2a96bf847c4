"""The same said as Python has a word for it: name, instruction, text, title, text after."""

from __future__ import annotations

CASES = [
    ("augmented_assignment", "", "x = x + 1\n", "Write x += 1", "x += 1\n"),
    ("chained_comparison", "", "y = a < x and x < b\n", "Chain the comparison: a < x < b", "y = a < x < b\n"),
    ("chained_comparison", "", "y = x > a and x <= b\n", "Chain the comparison: a < x <= b", "y = a < x <= b\n"),
    ("dict_get", "", "x = d[k] if k in d else 0\n", "Use d.get(k, 0)", "x = d.get(k, 0)\n"),
    ("dict_get", "", "if k in d:\n    x = d[k]\nelse:\n    x = None\n", "Use d.get(k)", "x = d.get(k)\n"),
    ("merge_isinstance", "", "y = isinstance(x, A) or isinstance(x, B)\n", "Use isinstance(x, (A, B))",
     "y = isinstance(x, (A, B))\n"),
    ("modernize", "", "y = max([f(x) for x in z])\n", "Use a generator, no list inside max()", "y = max(f(x) for x in z)\n"),
    ("modernize", "", "super(A, self).f()\n", "Use super() without arguments, modern: python3, Python 3", "super().f()\n"),
    ("one_of", "", "x = a.b == 1 or a.b == c\n", "Test with in, a tuple: a.b in (1, c)", "x = a.b in (1, c)\n"),
    ("one_of", "", "x = a is not 1 and a is not b\n", "Test with not in, a tuple: a not in (1, b)", "x = a not in (1, b)\n"),
    ("modernize", "", "f([a, b])\n", "Use a set instead of the list", "f({a, b})\n"),
    ("modernize", "", "x = np.dot(a, b)\n", "Use the operator @ instead of dot", "x = a @ b\n"),
    ("modernize", "", "A.__init__(self, b, c=1)\n", "Call super().__init__ instead of A.__init__, without self: super()",
     "super().__init__(b, c=1)\n"),
    ("modernize", "", "y = True if x else False\n", "Use bool(x) instead of True if ... else False", "y = bool(x)\n"),
    ("modernize", "", "f([a])\n", "Use a itself, no list", "f(a)\n"),
    ("modernize", "", "x = [a, b]\n", "Use a tuple instead of the list", "x = (a, b)\n"),
    ("modernize", "", "x = {'a': b}\n", "Use dict() instead of the literal", "x = dict(a=b)\n"),
    ("modernize", "", "x = getattr(a, 'b', None)\n", "Use the attribute instead of getattr", "x = a.b\n"),
    ("walrus", "", "x = f()\nif x and g(x):\n    a()\n", 'Assign "x" in the condition', "if (x := f()) and g(x):\n    a()\n"),
    ("modernize", "", "y = {k: 0 for k in z}\n", "Use dict.fromkeys instead of the comprehension",
     "y = dict.fromkeys(z, 0)\n"),
    ("modernize", "", "def f():\n    return (a, b)\n", "Remove the brackets, redundant parentheses, parens",
     "def f():\n    return a, b\n"),
    ("use_with", "", "f = open(a)\nb = f.read()\nf.close()\n", "Use with open(a) as f", "with open(a) as f:\n    b = f.read()\n"),
    ("use_with", "", "lock.acquire()\ntry:\n    a()\nfinally:\n    lock.release()\n", "Use with lock", "with lock:\n    a()\n"),
    ("walrus", "", "a = f()\nif a is None:\n    g(a)\n", 'Assign "a" in the condition', "if (a := f()) is None:\n    g(a)\n"),
]  # fmt: skip
