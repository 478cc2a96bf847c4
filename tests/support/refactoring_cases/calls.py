"""What is called, and with which arguments: name, instruction, text, title, text after."""

from __future__ import annotations

CASES = [
    ("change_argument", "name it detail", "f(a, False)\n", "Pass False to f by keyword, detail=", "f(a, detail=False)\n"),
    ("change_argument", "", "f(a, b, c)\n", "Pass the arguments of f from b on by keyword", "f(a, b=b, c=c)\n"),
    ("call_another", "only at the end", "x = a.strip('.')\n", "Call rstrip instead of strip: a.strip", "x = a.rstrip('.')\n"),
    ("use_name", "WARNING level", "f(log.INFO)\n", "Use log.WARNING instead of log.INFO", "f(log.WARNING)\n"),
    ("pass_argument", "k=1", "f(a, **b)\n", "Pass k=1 to f", "f(a, k=1, **b)\n"),
    ("call_another", "", "xrange(3)\n", "Call range instead of xrange: xrange", "range(3)\n"),
    ("call_another", "casefold", "y = x.lower()\n", "Call casefold instead of lower: x.lower", "y = x.casefold()\n"),
    ("call_another", "removeprefix", "x = a.lstrip('.')\ny = b.lstrip('.')\n",
     "Call removeprefix instead of lstrip in all places",
     "x = a.removeprefix('.')\ny = b.removeprefix('.')\n"),
    ("change_argument", "", "f(a, b)\n", "Swap the arguments of f: b before a, the order", "f(b, a)\n"),
    ("change_argument", "", "f(a, k=True)\n", "Pass k=False to f, not True", "f(a, k=False)\n"),
    ("change_argument", "", "f(\n    a,\n    k=1,\n)\n", "Drop k=1 from the call of f", "f(\n    a,\n)\n"),
    ("pass_argument", "k=1", "f(a)\n", "Pass k=1 to f", "f(a, k=1)\n"),
    ("pass_argument", "stacklevel 2", "f(a)\n", "Pass stacklevel=2 to f", "f(a, stacklevel=2)\n"),
    ("pass_argument", "", "y = sorted(x)\n", "Pass reverse=True to sorted", "y = sorted(x, reverse=True)\n"),
    ("unwrap_value", "", "y = list(x)\n", "Remove list() round x", "y = x\n"),
    ("unwrap_value", "", "x = set(a.keys()) | set(b.keys())\n", "Remove .keys() in all places",
     "x = set(a) | set(b)\n"),
    ("use_name", "b", "b = 1\nf(a)\n", "Use b instead of a", "b = 1\nf(b)\n"),
    ("wrap_value", "sort it", "for a in b:\n    c()\n", "Wrap b in sorted(), sort", "for a in sorted(b):\n    c()\n"),
    ("wrap_value", "ignore case", "y = a == b\n", "Compare both through the same call: a.lower() == b.lower()",
     "y = a.lower() == b.lower()\n"),
    ("wrap_value", "flip the sign of b", "a = f(b=b)\n", "Negate the sign, minus: -b", "a = f(b=-b)\n"),
    ("clamp", "never below 0", "x = a - b\n", "Keep a - b at 0 or above: max", "x = max(0, a - b)\n"),
    ("change_argument", "name them: first_name, last_name", "f(a, 'x', 'y')\n", "Pass by keyword to f: first_name, last_name",
     "f(a, first_name='x', last_name='y')\n"),
]  # fmt: skip
