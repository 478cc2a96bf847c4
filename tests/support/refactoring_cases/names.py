"""Names of variables, functions and attributes: name, instruction, text, title, text after."""

from __future__ import annotations

HEAD = "def f(a, b=1):\n    c = g(a)\n    return h(c, b)\n"

CASES = [
    ("rename", "a to new", HEAD, 'Rename "a" to "new"', HEAD.replace("a)", "new)").replace("a,", "new,")),
    ("rename", "k, v to name, value", "for k, v in a:\n    b[k] = v\n", "Rename k to name, v to value",
     "for name, value in a:\n    b[name] = value\n"),
    ("rename", "val should be spelled out", 'def f(val):\n    """Take ``val``."""\n    return val\n',
     'Rename "val" to "value", in texts too', 'def f(value):\n    """Take ``value``."""\n    return value\n'),
    ("replace_name", "os.remove, not os.unlink", "os.unlink(x)\n", 'Replace "os.unlink" by "os.remove"', "os.remove(x)\n"),
]  # fmt: skip
