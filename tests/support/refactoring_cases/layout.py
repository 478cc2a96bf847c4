"""How code is laid out on lines."""

CASES = [
    ("one_line", "fits on one line", "x = f(\n    a,\n    b=1,\n)\n", "Put x = f( on one line", "x = f(a, b=1)\n"),
    ("one_line", "join the lines", "def f(\n    a,\n    b,\n):\n    c\n", "Put def f( on one line", "def f(a, b):\n    c\n"),
    ("one_per_line", "one parameter per line", "def f(a, b=1):\n    c\n",
     "Split the lines, one parameter per line: def f(a, b=1)", "def f(\n    a,\n    b=1,\n):\n    c\n"),
    ("one_statement_per_line", "put the body on its own line", "try: f()\nexcept E: pass\n",
     "Split the statements, one per line, each on its own: except E: pass", "try: f()\nexcept E:\n    pass\n"),
    ("one_statement_per_line", "one statement per line", "try: f(); g()\nexcept E: pass\n",
     "Split the statements, one per line, each on its own in all places", "try:\n    f()\n    g()\nexcept E:\n    pass\n"),
    ("ellipsis_body", "dots beside the colon", "def f(a):\n    ...\n", "Put ... on the line of the colon", "def f(a): ...\n"),
    ("ellipsis_body", "dots below", "def f(a): ...\n", "Put ... on a line of its own", "def f(a):\n    ...\n"),
    ("trailing_comma", "trailing comma", "x = [\n    1\n]\n", "Add a trailing comma after 1", "x = [\n    1,\n]\n"),
    ("trailing_comma", "no comma", "f(\n    a,\n)\n", "No trailing comma after a", "f(\n    a\n)\n"),
    ("blank_before_call", "no blank", "f (a)\n", "No blank before the brackets of f()", "f(a)\n"),
    ("blanks_round_operators", "spaces around =", "a[b]=[c+1]\nx =2\nf(y=3)\n", "Blanks around =, spaces",
     "a[b] = [c+1]\nx = 2\nf(y=3)\n"),
    ("blanks_round_operators", "pep8 spacing", "a: int=b*-c\nd+=e==f\n", "Blanks around all operators, spaces",
     "a: int = b * -c\nd += e == f\n"),
    ("blank_after_comma", "space after the comma", "x[i,j]\n", "A blank after the comma", "x[i, j]\n"),
]  # fmt: skip
