"""A regular expression in a plain string (RUF043)."""

from __future__ import annotations

import ast

import pytest

from quick_fixes import fixed, ruff_is_content

MESSAGE = "Pattern passed to `match=` contains metacharacters but is neither escaped nor raw"
MADE = [
    ('with pytest.raises(E, match=$0"a.b"):\n    f()\n', 'with pytest.raises(E, match=r"a.b"):\n    f()\n'),
    ("with pytest.raises(E, match=(\n    $0'a.b'\n    'ä+'\n)):\n    f()\n",
     "with pytest.raises(E, match=(\n    r'a.b'\n    r'ä+'\n)):\n    f()\n"),
]  # fmt: skip
LEFT = [
    'with pytest.raises(E, match=$0"a.b\\n"):\n    f()\n',
    'with pytest.raises(E, match=$0f"a.{b}"):\n    f()\n',
    'with pytest.raises(E, match=$0r"a.b"):\n    f()\n',
]


@pytest.mark.parametrize(("source", "wanted"), MADE)
def test_each_string_is_raw(source: str, wanted: str) -> None:
    assert fixed(source, "RUF043", MESSAGE) == [wanted] == fixed(source, None, MESSAGE)
    assert ast.dump(ast.parse(source.replace("$0", ""))) == ast.dump(ast.parse(wanted))
    ruff_is_content("import pytest\n\n" + source.replace("$0", ""), "RUF043")


@pytest.mark.parametrize("source", LEFT)
def test_what_is_left_to_the_model(source: str) -> None:
    assert fixed(source, "RUF043", MESSAGE) == []
