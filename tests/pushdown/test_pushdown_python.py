"""Python's layer takes what CPython takes, and nothing in which that finds an error of quotes, brackets, lines or indentation."""

from __future__ import annotations

import re
import shutil
import subprocess
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import python_structure
from copydesk.pushdown.effects import LineEffects
from copydesk.pushdown.interfaces import GoalMasks, first_error
from copydesk.pushdown.python.effects import python_effects
from copydesk.pushdown.python.goal import Goal
from copydesk.pushdown.python.layer import python_layer
from copydesk.pushdown.python.token_masks import TokenMasks
from copydesk.text.document import split_lines
from python_pieces import PIECES, changed, some_text
from python_programs import documents, errors_elsewhere
from vocabularies import qwen_like

LAYER, EFFECTS = python_layer(), python_effects()
SEEDS = st.integers(0, 1 << 30)
BEGINS_JOINED = re.compile(r"^[ \t\f]*\\$", re.MULTILINE)
"""Its indentation is that of the lines it joins: the layer is not certain of it."""
MIXED = re.compile(r"^ +\t|^\t+ ", re.MULTILINE)
"""How deep that is depends on the width of a tab: nor is it of that."""


def takes(text: str) -> bool:
    config = LAYER.run(LAYER.start, text.encode())
    return config is not None and LAYER.end(config) is not None


def whole_text(random: Random, most: int = 30) -> str:
    """A text of the layer, at random."""
    text, config = some_text(random, most)
    return text + Goal(LAYER, LAYER.start).closing(config, ends_line=True).decode()


@pytest.mark.parametrize("text", documents(), ids=lambda text: f"{len(text)}")
def test_files_that_compile_are_taken(text):
    lines = split_lines(text)
    assert first_error(EFFECTS, lines) == len(lines) + 2


@settings(max_examples=300, deadline=None)
@given(SEEDS)
def test_in_what_it_takes_python_finds_no_error_of_the_layer(seed):
    text = whole_text(Random(seed))
    assert takes(text)
    assert python_structure.error_of(text) is None, text


@pytest.mark.parametrize("name", ["python3.12", "python3.13"])
def test_nor_does_another_python(name):
    python = shutil.which(name)
    if python is None or subprocess.run([python, "-V"], capture_output=True, check=False).returncode:
        pytest.skip(f"no {name} here")
    texts = [whole_text(Random(seed)) for seed in range(400)]
    for text, wrong in zip(texts, errors_elsewhere(python, texts), strict=True):
        assert wrong is None, (text, wrong)


@settings(max_examples=200, deadline=None)
@given(SEEDS)
def test_what_compiles_is_taken_also_where_files_were_changed(seed):
    random = Random(seed)
    lines = split_lines(random.choice(documents()))
    start = random.randint(0, max(0, len(lines) - 30))
    text = changed(random, "".join(lines[start : start + 30]))
    uncertain = BEGINS_JOINED.search(text) or MIXED.search(text)
    if python_structure.compiles(text) and not uncertain:
        assert takes(text), text


@pytest.mark.parametrize(
    "text", ["if x:\n    a\n    \\\nb\n", "\\\na = 1\n", "if x:\n    if y:\n     \t   a\n"]
)
def test_a_line_that_begins_joined_or_with_blanks_and_tabs_is_not_certain(text):
    assert python_structure.compiles(text)
    assert BEGINS_JOINED.search(text) or MIXED.search(text)
    assert not takes(text)


@pytest.mark.parametrize(
    "text",
    [
        "if x:\npass\n",
        "x = 1\n  y = 2\n",
        "if x:\n    y\n  z\n",
        "if x\n",
        "if x  # no colon\n",
        "def f(x):\n# nothing\n",
        "x = (1\n",
        "x = (1]\n",
        "x = 'a\n",
        'x = """a\n',
        "x = 1 \\ 2\n",
        "x = \\\n",
        "f'{x'\n",
        "f'{x)}'\n",
        "f'}'\n",
        "f'{}'\n",
        "f'{x!}'\n",
        'f"{x[\'"\n',
        "if lambda: x\n    pass\n",
        "if x:\n\ty\n        z\n",
        "match x:\ncase 1:\n    pass\n",
        "else:\n",
        "\x00",
    ],
)
def test_errors_are_not_taken(text):
    assert not takes(text)
    assert not python_structure.compiles(text)


@pytest.mark.parametrize(
    "text",
    [
        "if x: y\n",
        "if (lambda: x)(): y\n",
        "if lambda: x: y\n",
        "if x if y else {1: 2}[3:4]: z\n",
        "if x:  # why\n\n# really\n    y\nz\n",
        "if (y :=\n  1): z\n",
        "if x:\n\tif y:\n\t\tz\n\tz\n",
        "match = {1: 2}\nmatch[1:2]\nmatch: int = 3\ncase = match\n",
        "match x:\n    case [1, {'a': b}] if b: pass\n    case _:\n        pass\n",
        "x = f'{a!r:>{b}}' f\"{c['d']}\" rf'\\d{{{e}}}' F'\\N{BULLET}{g=}{h!s}'\n",
        'x = f"""{a["b"] or ""}\n{\nc\n}"""\n',
        'x = b\'\\\'\' r\'\\\'\' """a"b"""\n',
        "x = [\n  1,\n# comment\n 2]; y = 'a\\\nb'\nz = 1 + \\\n  2",
        "async def f():\n    async with a as b: pass\n    return 1 if b else 2\n",
        "class A[T: int](B):\n    x: int\n    def f(self) -> dict[str, int]: ...\n",
        "\x0cdef f():\n    pass\n",
        "",
        "# only a comment",
    ],
)
def test_what_is_python_is_taken(text):
    assert takes(text)
    assert python_structure.error_of(text) is None


@settings(max_examples=150, deadline=None)
@given(SEEDS)
def test_a_runs_effect_is_what_its_bytes_do_behind_any_text(seed):
    random = Random(seed)
    lines = [
        "".join(random.choice(PIECES) for _ in range(random.randint(0, 6))).replace("\n", "") + "\n"
        for _ in range(random.randint(1, 10))
    ]
    tree = LineEffects(EFFECTS, lines)
    for _ in range(4):
        first = random.randint(1, len(lines))
        last = random.randint(first, len(lines))
        before = LAYER.run(some_text(random, 20)[1], b"\n")
        if before is not None:
            assert tree.of(first, last).of(before) == LAYER.run(
                before, "".join(lines[first - 1 : last]).encode()
            )


@settings(max_examples=300, deadline=None)
@given(SEEDS)
def test_text_leads_from_everywhere_to_everything(seed):
    random = Random(seed)
    (_, start), (_, target) = some_text(random, 25), some_text(random, 25)
    goal = Goal(LAYER, target)
    assert goal.leads(start)
    assert LAYER.run(start, goal.path(start)) == target
    behind = LAYER.run(target, b"\n") or LAYER.run(target, b"\\\n")
    if behind is not None:
        path = Goal(LAYER, behind).closing(start, ends_line=True)
        assert path.endswith(b"\n")
        assert LAYER.run(start, path) == behind


MASKS = TokenMasks(LAYER, qwen_like().token_bytes)


@settings(max_examples=100, deadline=None)
@given(SEEDS)
def test_masks_are_what_running_every_token_gives(seed):
    random = Random(seed)
    _, config = some_text(random, 25)
    known = GoalMasks(Goal(LAYER, LAYER.start))
    row = np.unpackbits(MASKS.row(known, config).view(np.uint8), bitorder="little", count=MASKS.size)
    spelled = qwen_like().token_bytes
    for token in random.sample(range(MASKS.size), 200):
        text = spelled[token]
        after = LAYER.run(config, text) if text and b"\n" not in text[:-1] else None
        assert row[token] == (after is not None), (config, text)
        assert MASKS.advance(config, token) == after
    assert row.any(), "a dead end"
