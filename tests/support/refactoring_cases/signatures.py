"""What a function declares: parameters, defaults, decorators: name, instruction, text, title, text after."""

from __future__ import annotations

HEAD = "def f(a, b=1):\n    c = g(a)\n    return h(c, b)\n"

CASES = [
    ("add_decorator", "@property", "class C:\n    def f(self):\n        pass\n", 'Decorate "f" with @property',
     "class C:\n    @property\n    def f(self):\n        pass\n"),
    ("parameter_default", "2", "def f(a, b: int):\n    pass\n", 'Give the parameter "b" the default 2, optional',
     "def f(a, b: int = 2):\n    pass\n"),
    ("parameter_default", "", "def f(a, b):\n    pass\n", "Give the last 2 parameters the default None, optional: a, b",
     "def f(a=None, b=None):\n    pass\n"),
    ("parameter_default", "five seconds", "def f(t=1.0):\n    pass\n", 'Change the default of "t" from 1.0 to 5.0',
     "def f(t=5.0):\n    pass\n"),
    ("add_parameter", "new=0", HEAD, 'Add parameter "new" with default 0', HEAD.replace("b=1", "b=1, new=0")),
    ("add_parameter", "c=0", "def f(\n    a,\n    b,\n):\n    pass\n", 'Add parameter "c" with default 0',
     "def f(\n    a,\n    b,\n    c=0,\n):\n    pass\n"),
    ("change_signature", "", HEAD, "Make b required, no default", HEAD.replace("b=1", "b")),
    ("change_signature", "", "def f(\n    a,\n    b,\n):\n    pass\n", "Swap the parameters a and b",
     "def f(\n    b,\n    a,\n):\n    pass\n"),
    ("change_signature", "", "def f(a=[]):\n    g(a)\n", "Mutable default: a=None, made in the body",
     "def f(a=None):\n    if a is None:\n        a = []\n    g(a)\n"),
    ("remove_parameter", "", "def f(a, b=1):\n    if b:\n        print(1)\n    return g(a, b=b)\n",
     'Remove parameter "b" and its uses', "def f(a):\n    return g(a)\n"),
    ("keyword_only", "", HEAD, 'Make the parameters from "b" on keyword-only', HEAD.replace("b=1", "*, b=1")),
    ("make_async", "await g", "def f():\n    return g()\n", "Make it a coroutine that awaits g",
     "async def f():\n    return await g()\n"),
    ("method_kind", "", "class C:\n    def f(self, a):\n        return a\n",
     "Make it a static method, staticmethod without self",
     "class C:\n    @staticmethod\n    def f(a):\n        return a\n"),
    ("parameter_default", "2", HEAD, 'Change the default of "b" to 2', HEAD.replace("b=1", "b=2")),
    ("remove_decorator", "", "@a.b\ndef f():\n    pass\n", "Remove @a.b", "def f():\n    pass\n"),
    ("remove_parameter", "", "def f(a, b):\n    pass\n", 'Remove parameter "a"', "def f(b):\n    pass\n"),
    ("remove_parameter", "", "def f(\n    a,\n    b):\n    pass\n", 'Remove parameter "b"', "def f(\n    a):\n    pass\n"),
]  # fmt: skip
