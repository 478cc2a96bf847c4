"""The words of a tool's message that name nothing in the code."""

from __future__ import annotations

import pytest

from copydesk.refactorings.prose import names_in, prose, takes_name_from


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("`for` loop variable `op` overwritten", {"loop", "variable", "overwritten"}),
        ("Local variable 'total' isn't used", {"Local", "variable", "isn", "used"}),
        ('name "x" hides my_name of sys.path', {"name", "hides", "of"}),
        ("Use f-string instead of `format` call", {"Use", "string", "instead", "of", "call"}),
        ("", set()),
    ],
)  # fmt: skip
def test_prose_is_what_no_quotes_hold(message: str, words: set[str]) -> None:
    assert prose(message) == words


@pytest.mark.parametrize(
    ("written", "known", "taken"),
    [
        ("for target in ops:\n", "for op in ops:\n", True),
        ("for target in ops:\n", "for op in ops:\n    target = op\n", False),  # the code has that name
        ("call(list(ops))\n", "ops\n", False),  # `list` is Python's
        ("return not op\n", "return op\n", False),
        ("call(op, target=1)\n", "call(op)\n", False),  # a parameter's
        ("target = op\n", "op\n", True),
        ("value = op\n", "op\n", False),  # no word of the message
        ("def f(names, target=1):\n", "def f(names):\n", True),
        ("def f(names: Dict[str, int], *, target: int = g(1)):\n", "def f(names):\n", True),
        ("def f(names, target=1):\n", "def f(names, target=None):\n", False),
        ("def f(names, found=1):\n    return g(target=2)\n", "def f(names):\n", False),
        ("def f(names, found=(1", "def f(names):\n", False),
    ],
)
def test_a_name_out_of_prose_is_seen(written: str, known: str, taken: bool) -> None:
    assert takes_name_from(frozenset({"target", "list", "not"}), written, names_in(known)) == taken
