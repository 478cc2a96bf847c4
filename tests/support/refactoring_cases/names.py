"""Names of variables, functions and attributes: name, instruction, text, title, text after."""

from __future__ import annotations

HEAD = "def f(a, b=1):\n    c = g(a)\n    return h(c, b)\n"

CASES = [
    ("rename", "a to new", HEAD, 'Rename "a" to "new"', HEAD.replace("a)", "new)").replace("a,", "new,")),
    ("rename", "k, v to name, value", "for k, v in a:\n    b[k] = v\n", "Rename k to name, v to value",
     "for name, value in a:\n    b[name] = value\n"),
    ("rename", "rename y1 and y2 to first and last", "def f(y1, y2):\n    return y1\n", "Rename y1 to first, y2 to last",
     "def f(first, last):\n    return first\n"),
    ("rename", "y1 and y2 should be called start and stop", "def f(y1, y2):\n    return y1\n",
     "Rename y1 to start, y2 to stop", "def f(start, stop):\n    return start\n"),
    ("rename", "n is a better name", "def f(upper):\n    return upper\n", 'Rename "upper" to "n"', "def f(n):\n    return n\n"),
    ("rename", "exc_type, exc and tb instead of type, value, traceback", "def f(type, value, traceback):\n    g(value)\n",
     "Rename type to exc_type, value to exc, traceback to tb", "def f(exc_type, exc, tb):\n    g(exc)\n"),
    ("rename", "val should be spelled out", 'def f(val):\n    """Take ``val``."""\n    return val\n',
     'Rename "val" to "value", in texts too', 'def f(value):\n    """Take ``value``."""\n    return value\n'),
    ("rename", "call the second one d", "def f(a, b):\n    c = a\n    g(c)\n    c = b\n    return c\n",
     'Rename "c" to "d" from line 4 on',
     "def f(a, b):\n    c = a\n    g(c)\n    d = b\n    return d\n"),
    ("rename", "snake case", "aB = 1\ncD = aB\n", "Rename aB to a_b, cD to c_d", "a_b = 1\nc_d = a_b\n"),
    ("rename", "should be __next__", "class C:\n    def next(self):\n        pass\n", 'Rename "next" to "__next__"',
     "class C:\n    def __next__(self):\n        pass\n"),
    ("replace_name", "os.remove, not os.unlink", "os.unlink(x)\n", 'Replace "os.unlink" by "os.remove"', "os.remove(x)\n"),
    ("rename", "should be *args surely", "def f(*rgs):\n    g(*rgs)\n", 'Rename "*rgs" to "*args"',
     "def f(*args):\n    g(*args)\n"),
    ("import_alias", "import it as d", "from a import b\nb()\n", "Import b as d", "from a import b as d\nd()\n"),
    ("import_alias", "no alias", "import a as b\nb.c()\n", "Import a under its own name, not as b", "import a\na.c()\n"),
    ("rename", "msg, as everywhere", "def f(message):\n    a(message)\n", 'Rename "message" to "msg"',
     "def f(msg):\n    a(msg)\n"),
    ("rename", "app's enough", "def f(wxapp):\n    a(wxapp)\n", 'Rename "wxapp" to "app"', "def f(app):\n    a(app)\n"),
    ("rename", "an underscore for what is unused", "def f(a, b, c):\n    return b\n",
     "Mark the unused parameters with a leading underscore", "def f(_a, b, _c):\n    return b\n"),
    ("rename", "drop the dec_ prefix", "def f(dec_value):\n    a(dec_value)\n", 'Rename "dec_value" to "value"',
     "def f(value):\n    a(value)\n"),
    ("rename", "a and b are cryptic, call them first and last", "def f(x):\n    a = x[0]\n    b = x[1]\n    return a, b\n",
     "Rename a to first, b to last", "def f(x):\n    first = x[0]\n    last = x[1]\n    return first, last\n"),
    ("rename", "underscore for what the second loop does not use", "for i in a:\n    f(i)\nfor i in b:\n    g()\n",
     'Name the unused "i" of the loop _', "for i in a:\n    f(i)\nfor _ in b:\n    g()\n"),
    ("rename", "call the parameter c", "def f(a):\n    b = a\n    return b\n", 'Rename the parameter "a" to "c"',
     "def f(c):\n    b = c\n    return b\n"),
]  # fmt: skip
