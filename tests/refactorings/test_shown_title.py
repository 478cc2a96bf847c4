"""What a person reads of a title: none of the words it only has for being found, all of the others."""

from __future__ import annotations

import pytest

from copydesk.refactorings.shown_title import shown_title


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("Use KeyError instead of E, another exception type, raise this error", "Use KeyError instead of E"),
        ("Swap the arguments of f: a before b, the order", "Swap the arguments of f: a before b"),
        ("Swap the arguments of f, the order in all places", "Swap the arguments of f in all places"),
        ("Use a ternary, conditional: a if b else c", "Use a ternary: a if b else c"),
        ("Compare with <= instead of <: a <= b (at most, inclusive)", "Compare with <= instead of <: a <= b"),
        ("Wrap a in sorted(), sort order", "Wrap a in sorted()"),
        ("Wrap a in sorted(), sort in all places", "Wrap a in sorted() in all places"),
        ("Wrap f(a, b) in list()", "Wrap f(a, b) in list()"),
        ("Call rstrip() on line, trailing", "Call rstrip() on line"),
        ('Rename "a" to "b", in texts too', 'Rename "a" to "b", in texts too'),
        ('Give the parameter "a" the default 0, optional', 'Give the parameter "a" the default 0, optional'),
        ("Return a, b instead of (a, b)", "Return a, b instead of (a, b)"),
        ("Accept bytes, too: a a str, bytes", "Accept bytes, too: a a str, bytes"),
    ],
)
def test_titles(title: str, shown: str) -> None:
    assert shown_title(title) == shown
