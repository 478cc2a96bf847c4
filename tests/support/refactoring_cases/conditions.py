"""What conditions test: name, instruction, text, title, text after."""

from __future__ import annotations

CASES = [
    ("accept_another", "bytes, too", "isinstance(x, str)\n", "Accept bytes, too: x a str, bytes",
     "isinstance(x, (str, bytes))\n"),
    ("accept_another", "'b' as well", "y = x != 'a'\n", "Accept 'b', too: x not in ('a', 'b')", "y = x not in ('a', 'b')\n"),
    ("add_condition", "and b > 0", "b = 1\nif a:\n    c()\n", "Extend the condition a: and b > 0",
     "b = 1\nif a and b > 0:\n    c()\n"),
    ("add_condition", "y as well", "if x.a == 1:\n    f(y)\n", "Extend the condition x.a == 1 to y: or y.a == 1",
     "if x.a == 1 or y.a == 1:\n    f(y)\n"),
    ("add_condition", "not if b is None", "if a or c:\n    f(b)\n", "Extend the condition a or c: b is not None first, and",
     "if b is not None and (a or c):\n    f(b)\n"),
    ("change_operator", "", "y = a < b\n", "Compare with <= instead of <: a <= b (at most, inclusive)", "y = a <= b\n"),
    ("change_operator", "", "y = a and b\n", "Join with or instead of and: a or b", "y = a or b\n"),
    ("change_test", "", "if x:\n    y()\n", "Test whether x is not None", "if x is not None:\n    y()\n"),
    ("change_test", "", "if len(x) > 0:\n    y()\n", "Rely on truthiness, without len: x not empty", "if x:\n    y()\n"),
    ("change_test", "", "if not a and not b:\n    y()\n",
     "Apply De Morgan's law, not (a or b): one negation of the condition", "if not (a or b):\n    y()\n"),
    ("drop_condition", "", "if a and b:\n    y()\n", "Drop the condition a: only b", "if b:\n    y()\n"),
    ("drop_condition", "", "if a and b:\n    y()\n", "Test b first, before a: swap the conditions, the order",
     "if b and a:\n    y()\n"),
    ("accept_another", "", "if type(x) in (set, frozenset):\n    y()\n", "Drop frozenset: type(x) is set",
     "if type(x) is set:\n    y()\n"),
    ("accept_another", "", "if x not in ('a', 'b'):\n    y()\n", "Drop 'a': x != 'b'", "if x != 'b':\n    y()\n"),
    ("accept_another", "", "if x in ('a', None):\n    y()\n", "Drop 'a': x is None", "if x is None:\n    y()\n"),
    ("accept_another", "'c'", "if x in ('a',):\n    y()\n", "Accept 'c', not 'a': x one: accept 'c'",
     "if x in ('c',):\n    y()\n"),
    ("accept_another", "carriage returns, too", "if x == '\\n':\n    y()\n", "Accept '\\r', too: x in ('\\n', '\\r')",
     "if x in ('\\n', '\\r'):\n    y()\n"),
]  # fmt: skip
