"""Fragments of sound text parse, whatever they cut off; those of broken text parse once the one line is mended."""

from __future__ import annotations

import ast
import random
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.syntax.fragment import error_line, fragment_at, statement_at
from copydesk.text.document import content, split_lines
from copydesk_training.defects import KINDS
from copydesk_training.defects.registry import draw
from defect_files import files
from strategies import texts

BREAKING = [kind for kind in KINDS.values() if kind.breaks]


@cache
def statements(index: int) -> tuple[list[str], list[int]]:
    file = files()[index]
    found = {node.lineno - 1 for node in ast.walk(ast.parse(file.text)) if isinstance(node, ast.stmt)}
    return split_lines(file.text), sorted(found)


@given(st.data())
def test_a_fragment_of_sound_text_parses(data: st.DataObject) -> None:
    lines, starts = statements(data.draw(st.integers(0, min(39, len(files()) - 1))))
    at = data.draw(st.sampled_from(starts))
    fragment = fragment_at(lines, at)
    if fragment is None:  # a statement too long to be tried dozens of times
        return
    assert fragment.first <= fragment.own <= at < fragment.stop
    assert fragment.lines == tuple(map(content, lines[fragment.first : fragment.stop]))
    assert fragment.parses(), fragment
    assert fragment.parses(at, content(lines[at]))
    assert not fragment.parses(at, "(" + content(lines[at]))
    assert not any(fragment.excess().values())


def test_mended_fragments_parse() -> None:
    rng = random.Random(3)
    found = mended = broken = 0
    for file in rng.sample(files(), 30):
        for kind in BREAKING:
            example = draw(kind, file, rng)
            if example is None or not example.request.diagnostics:
                continue
            lines, after = split_lines(example.before), split_lines(example.after)
            changed = [k for k, (a, b) in enumerate(zip(lines, after, strict=False)) if a != b]
            if len(lines) != len(after) or len(changed) != 1:
                continue
            found += 1
            fragment = fragment_at(lines, min(example.request.diagnostics[0].start.line, len(lines) - 1))
            if fragment is not None and fragment.first <= changed[0] < fragment.stop:
                broken += not fragment.parses()
                mended += fragment.parses(changed[0], content(after[changed[0]]))
    assert found > 150
    assert broken > 0.97 * found
    assert mended > 0.97 * found


@given(texts(), st.integers(0, 30))
def test_any_text_has_fragments_inside_it(text: str, at: int) -> None:
    lines = split_lines(text)
    fragment = fragment_at(lines, at)
    if fragment is not None:
        assert 0 <= fragment.first <= at < fragment.stop <= len(lines)
        fragment.parses(at, "x")
    if at < len(lines):
        assert content(lines[at]) in statement_at(lines, at, at)


DOC = '"""' + "\n\n".join(["words (and no code"] * 30) + '"""'
# `¦` marks the line.
SHAPES = [
    ("def f():\n    try:\n        x()\n        ¦y()\n        z()\n        w()\n        v()\n    except E:\n        pass\n", True),
    ("def f():\n    if a:\n        x\n    else:\n        ¦y\n", True),
    ("def f():\n    match a:\n        case 1:\n            ¦y\n        case _:\n            z\n", True),
    ("try:\n    x\nexcept A:\n    y\nelse:\n    ¦z\nfinally:\n    w\n", True),
    ("class A:\n    def f(self):\n        " + DOC + '\n        ¦return 1\n', True),
    ("class A:\n    def f(self):\n        " + DOC + '\n          ¦return 1\n', False),
    ("@a\n¦def f():\n    '''" + "words\n" * 200 + "    '''\n    return 1\n", True),
    ("¦f(\nx = 1\n" + "y = 2\n" * 90, False),
    ("x = [\n" + "    1,\n" * 40 + "    ¦2,\n" + "    3,\n" * 30 + "]\n", True),
    ("if a:\n\tif b:\n\t\t¦x\n\ty\n", True),
]  # fmt: skip


@pytest.mark.parametrize(("source", "parses"), SHAPES)
def test_shapes(source: str, parses: bool) -> None:
    at = source.count("\n", 0, source.index("¦"))
    fragment = fragment_at(split_lines(source.replace("¦", "")), at)
    assert fragment is not None
    assert fragment.parses() == parses, fragment


def test_where_there_is_none() -> None:
    assert fragment_at([], 0) is None
    assert fragment_at(["x\n"], 1) is None
    assert fragment_at(["\n", "# only words\n"], 1) is None
    assert fragment_at(["x = [\n", *["    1,\n"] * 200, "]\n"], 150) is None


def test_statements() -> None:
    lines = split_lines("a = 1\ncall(\n    x,\n    y,\n)\nb = 2\n")
    assert statement_at(lines, 2, 2) == "call(\n    x,\n    y,\n)"
    assert statement_at(lines, 0, 0) == "a = 1"
    assert statement_at(lines, 5, 5) == "b = 2"


def test_error_lines() -> None:
    assert error_line("x = 1\n") is None
    assert error_line("x = 1\ny = (\n") == 1
    assert error_line("x = '\0'\n") == 0
