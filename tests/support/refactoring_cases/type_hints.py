"""Type annotations: name, instruction, text, title, text after."""

from __future__ import annotations

HEAD = "def f(a, b=1):\n    c = g(a)\n    return h(c, b)\n"

CASES = [
    ("annotate_variable", "like the return type", "def f() -> dict[str, int]:\n    x = {}\n    return x\n",
     "Annotate x as dict[str, int]",
     "def f() -> dict[str, int]:\n    x: dict[str, int] = {}\n    return x\n"),
    ("change_type", "any Iterable", "x: Sequence[A] = y\n", "Change Sequence in the type to Iterable: Iterable[A]",
     "x: Iterable[A] = y\n"),
    ("change_type", "", "x: 'A' = y\n", "Write the type without quotes: A", "x: A = y\n"),
    ("annotate_parameter", "b is Any", "def f(a, **b):\n    return b\n", 'Annotate "**b" as "Any"',
     "def f(a, **b: Any):\n    return b\n"),
    ("annotate_parameter", "a: int", HEAD, 'Annotate "a" as "int"', HEAD.replace("(a,", "(a: int,")),
    ("annotate_parameter", "", HEAD, 'Annotate "b" with the type of its default', HEAD.replace("b=1", "b: int = 1")),
    ("annotate_signature", "gives int", HEAD, 'Annotate the return type as "int"', HEAD.replace("):\n", ") -> int:\n", 1)),
    ("annotate_signature", "a: list[int], b: str -> 'C'", HEAD, "Annotate the signature",
     HEAD.replace("(a, b=1)", "(a: list[int], b: str = 1) -> 'C'")),
    ("annotate_signature", "", "def f(a, b=1):\n    return a == b\n",
     "Annotate the signature: parameters and return type bool",
     "def f(a, b: int = 1) -> bool:\n    return a == b\n"),
    ("annotate_signature", "a and b as str | None", "def f(a, b):\n    pass\n", "Annotate the parameters",
     "def f(a: str | None, b: str | None):\n    pass\n"),
    ("annotate_signature", "drop the annotations", "def f(a: int, *b: str):\n    pass\n",
     "Drop the annotations of all parameters",
     "def f(a, *b):\n    pass\n"),
    ("annotate_variable", "list of strings", "x = []\n", "Annotate x as list[str]", "x: list[str] = []\n"),
    ("change_type", "", "x: Optional[Union[A, B]] = y\n",
     "Write the union by |: A | B | None instead of Optional[Union[A, B]]", "x: A | B | None = y\n"),
    ("change_type", "str as well", "x: bytes | None = y\n", "Allow str in the type too, after bytes: bytes | str | None",
     "x: bytes | str | None = y\n"),
    ("annotate_signature", "a and b (int, str)", "def f(a, b, c):\n    d\n", "Annotate a as int, b as str",
     "def f(a: int, b: str, c):\n    d\n"),
    ("annotate_signature", "both strings, nothing out", "def f(a, b):\n    c()\n",
     "Annotate a as str, b as str, and the return type as None", "def f(a: str, b: str) -> None:\n    c()\n"),
    ("annotate_variable", "", "a: int = 1\nb: str = c\n", "Drop the annotations of all variables", "a = 1\nb = c\n"),
    ("change_type", "", "x: A['B']\n", "Write the type without quotes: A[B]", "x: A[B]\n"),
    ("change_type", "in quotes", "x: A\n", 'Write the type in quotes: "A"', 'x: "A"\n'),
    ("annotate_variable", "a holds strings", "a = set()\n", "Annotate a as set[str]", "a: set[str] = set()\n"),
]  # fmt: skip
