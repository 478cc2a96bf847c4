"""Whole statements: added, moved, deleted: name, instruction, text, title, text after."""

from __future__ import annotations

CASES = [
    ("delete_statement", "", "x = 1\ny = 2\n", "Delete y = 2", "x = 1\n"),
    ("delete_statement", "", "a()\nif b:\n    c()\n", "Delete if b", "a()\n"),
    ("delete_statement", "", "if b:\n    c()\n", "Replace c() by pass", "if b:\n    pass\n"),
    ("insert_statement", "call g(a) first", "def f(a):\n    h(a)\n    i(g)\n", "Add g(a) before h(a)",
     "def f(a):\n    g(a)\n    h(a)\n    i(g)\n"),
    ("insert_statement", "remember the code", "def f(self, a, code):\n    self.a = a\n    g(a)\n",
     "Add self.code = code before g(a)",
     "def f(self, a, code):\n    self.a = a\n    self.code = code\n    g(a)\n"),
    ("insert_statement", "assert that b is set", "def f(a, b):\n    g(a)\n    h(b)\n", "Add assert b before h(b)",
     "def f(a, b):\n    g(a)\n    assert b\n    h(b)\n"),
    ("move_statement", "", "a = 1\nb = 2\n", "Move b = 2 before a = 1", "b = 2\na = 1\n"),
    ("move_statement", "", "a()\nb()\nc()\n", "Move c() before a()", "c()\na()\nb()\n"),
    ("move_statement", "", "for a in b:\n    c()\n    d()\n", "Move c() out, before the for a in b",
     "c()\nfor a in b:\n    d()\n"),
    ("print_variable", "", "x = 1\n", 'Print "x" after its assignment', "x = 1\nprint(x)\n"),
    ("remove_blank_lines", "remove the blank line", "f()\n\ng()\n", "Remove the blank line above g()", "f()\ng()\n"),
    ("remove_prints", "", "x = 1\nprint(x)\n", "Remove debug prints", "x = 1\n"),
    ("insert_statement", "fall back to a", "def f(a):\n    for b in a:\n        return b\n", "Add return a after for b in a",
     "def f(a):\n    for b in a:\n        return b\n    return a\n"),
    ("insert_statement", "an ellipsis is enough", "def f():\n    raise E\n", "Put ... in place of raise E",
     "def f():\n    ...\n"),
    ("copy_statement", "cidr works the same way", "a.b('inet', c)\nd()\n", "Add a.b('cidr', c), like the line with inet",
     "a.b('inet', c)\na.b('cidr', c)\nd()\n"),
    ("copy_statement", "ecs as well", "if 'a' in b:\n    c['a'] = b['a']\n", "Add if 'ecs' in b:, like the line with a",
     "if 'a' in b:\n    c['a'] = b['a']\nif 'ecs' in b:\n    c['ecs'] = b['ecs']\n"),
    ("insert_statement", "chaining would be nice", "def f(self):\n    g()\n",
     "Add return self after g()", "def f(self):\n    g()\n    return self\n"),
]  # fmt: skip
