"""Rounds of edits as one, joined programs, cut scopes and diffs: laws that hold for any text."""

from __future__ import annotations

import subprocess
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from copydesk.program.provenance import Origin, provenance
from copydesk.request import Diagnostic, ToolFix
from copydesk.text.document import Encoding, Position, TextEdit, TextLines, apply_edits, split_lines
from copydesk_server.headless.changes import Changes, Moves
from copydesk_server.headless.chunking import cut
from copydesk_server.headless.file_program import file_program
from copydesk_server.headless.unified_diff import unified
from text_offsets import position_at

ALPHABET = ["a", "b", "\N{GRINNING FACE}", "\n", "\r\n", "\r", " ", "", "\f"]


def some_text(random: Random, length: int = 40) -> str:
    return "".join(random.choice(ALPHABET) for _ in range(random.randrange(length)))


def some_edits(random: Random, text: str) -> list[TextEdit]:
    lines = TextLines(text)
    cuts = sorted(random.randrange(len(text) + 1) for _ in range(2 * random.randrange(4)))
    edits = []
    for begin, end in zip(cuts[::2], cuts[1::2], strict=True):
        start, stop = position_at(lines, begin), position_at(lines, end)
        edits.append(TextEdit(start, stop, some_text(random, 6)))
    return edits


@pytest.mark.parametrize("seed", range(300))
def test_rounds_of_edits_are_edits_of_the_text_at_first(seed: int) -> None:
    random = Random(seed)
    text = some_text(random)
    changes = Changes(text)
    for _ in range(random.randrange(1, 5)):
        changes.apply(some_edits(random, changes.text))
    for encoding in Encoding:
        edits = changes.edits(encoding)
        assert apply_edits(text, edits, encoding) == changes.text
        assert all(one.end <= other.start for one, other in pairwise(edits))


def test_edits_stay_small() -> None:
    text = "one\ntwo\nthree\n"
    changes = Changes(text)
    changes.apply([TextEdit(Position(0, 0), Position(1, 0), "eins\n")])
    changes.apply([TextEdit(Position(2, 0), Position(2, 5), "three!")])
    assert changes.edits() == [
        TextEdit(Position(0, 0), Position(0, 3), "eins"),
        TextEdit(Position(2, 5), Position(2, 5), "!"),
    ]


def test_a_diagnostic_follows_its_text() -> None:
    before = TextLines("import os\nx = \N{GRINNING FACE} + y\nz\n")
    at = Diagnostic(Position(1, 8), Position(1, 9), "y")
    edits = [TextEdit(Position(0, 0), Position(1, 0), ""), TextEdit(Position(1, 0), Position(1, 1), "long")]
    after = TextLines(apply_edits(before.text, edits))
    found = Moves(before, edits, after).moved(at)
    assert found is not None
    assert after.between(found.start, found.end, Encoding.UTF32) == "y"
    for start, end in ((8, 10), (9, 10)):
        touching = [TextEdit(Position(1, start), Position(1, end), "q")]
        after = TextLines(apply_edits(before.text, touching))
        assert Moves(before, touching, after).moved(at) is None


def test_a_proposed_fix_follows_its_text_or_is_dropped() -> None:
    before = TextLines("import os\nx = 1\nz\n")

    def edit(line: int, start: int, end: int, text: str) -> TextEdit:
        return TextEdit(Position(line, start), Position(line, end), text)

    both, one = (edit(0, 7, 9, "re"), edit(1, 4, 5, "2")), (edit(1, 4, 5, "3"),)
    at = Diagnostic(Position(1, 0), Position(1, 1), "x", fixes=(ToolFix(both), ToolFix(one, safe=True)))
    edits = [edit(0, 7, 9, "sys\nimport io")]
    after = TextLines(apply_edits(before.text, edits))
    found = Moves(before, edits, after).moved(at)
    assert found is not None
    (fix,) = found.fixes
    assert apply_edits(after.text, fix.edits) == "import sys\nimport io\nx = 3\nz\n"
    assert fix.safe


@pytest.mark.parametrize("seed", range(200))
def test_the_program_of_a_file_is_what_its_rounds_made_of_it(seed: int) -> None:
    random = Random(seed)
    text = some_text(random)
    changes = Changes(text)
    for _ in range(random.randrange(1, 5)):
        changes.apply(some_edits(random, changes.text))
    program = file_program(text, changes.edits())
    program.validate(TextLines(text).lines)
    assert program.resolve(text) == changes.text


def test_what_no_round_touched_is_copied() -> None:
    changes = Changes("import re\n\n\nx = a == None\ny = 1\n")
    changes.apply([TextEdit(Position(0, 0), Position(1, 0), "")])
    changes.apply([TextEdit(Position(0, 0), Position(0, 0), "import io\nimport os\n")])
    changes.apply([TextEdit(Position(4, 6), Position(4, 8), "is")])
    program = file_program("import re\n\n\nx = a == None\ny = 1\n", changes.edits())
    rows = [(row.text, row.origin) for row in provenance(program, "import re\n\n\nx = a == None\ny = 1\n")]
    assert [text for text, origin in rows if origin is Origin.COPIED] == ["\n", "\n", "y = 1\n"]
    assert ("x = a is None\n", Origin.SUBSTITUTED) in rows


def test_a_line_that_was_written_again_counts_as_copied() -> None:
    """Two rounds put imports round one that was there, and one of them wrote it anew."""
    changes = Changes("import json\nx = 1\n")
    changes.apply([TextEdit(Position(0, 0), Position(1, 0), "import json\nimport os\n")])
    changes.apply([TextEdit(Position(0, 0), Position(0, 0), "import collections\n")])
    program = file_program("import json\nx = 1\n", changes.edits())
    origins = [row.origin for row in provenance(program, "import json\nx = 1\n")]
    assert origins == [Origin.GENERATED, Origin.COPIED, Origin.GENERATED, Origin.COPIED]


def test_pieces_are_whole_statements() -> None:
    text = "import a\n\n\n# about f\ndef f():\n    x = 1\n\n    return x\n\n\ndef g():\n    pass\n"
    lines = split_lines(text)
    assert cut(lines, (1, 12), 12, "python") == [(1, 12)]
    assert cut(lines, (1, 12), 8, "python") == [(1, 3), (4, 10), (11, 12)]
    assert cut(lines, (1, 12), 5, "python") == [(1, 3), (4, 7), (8, 12)]
    assert cut(lines, (1, 0), 5, "python") == [(1, 0)]


@pytest.mark.parametrize("language", ["python", "", "javascript"])
@pytest.mark.parametrize("seed", range(20))
def test_pieces_cover_the_scope(seed: int, language: str) -> None:
    random = Random(seed)
    lines = [random.choice(["\n", "x = 1\n", "def f():\n", "    pass\n", "# c\n"]) for _ in range(60)]
    first, longest = random.randrange(1, 20), random.randrange(1, 15)
    pieces = cut(lines, (first, 60), longest, language)
    assert [n for a, b in pieces for n in range(a, b + 1)] == list(range(first, 61))
    assert all(1 <= b - a + 1 <= longest for a, b in pieces)


@pytest.mark.parametrize("seed", range(60))
def test_a_diff_is_what_patch_wants(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    text = "".join(f"{random.choice('ab')}\n" for _ in range(random.randrange(40))) + random.choice(
        ["", "end"]
    )
    changes = Changes(text)
    for _ in range(random.randrange(1, 4)):
        lines = TextLines(changes.text)
        at = random.randrange(len(lines) + 1)
        stop = min(len(lines), at + random.randrange(3))
        new = random.choice(["", "new\n", "x\ny\n"])
        changes.apply(
            [TextEdit(Position(at, 0), Position(stop, 0), new if at < len(lines) or not text else "")]
        )
    (tmp_path / "f").write_text(text)
    diff = "".join(unified("f", text, changes.edits()))
    assert bool(diff) == (changes.text != text)
    if diff:
        command = ["git", "apply", "--unidiff-zero", "-"]
        done = subprocess.run(command, input=diff, text=True, cwd=tmp_path, capture_output=True, check=False)
        assert done.returncode == 0, diff + done.stderr
        assert ((tmp_path / "f").read_text() if (tmp_path / "f").exists() else "") == changes.text


@pytest.mark.parametrize("seed", range(200))
def test_places_move_as_their_characters_do(seed: int) -> None:
    """A place is where its characters are, unless an edit begins in them, begins where they do, or takes one away."""
    random = Random(seed)
    text = "".join(random.choice("ab\n") for _ in range(30))
    before = TextLines(text)
    cuts = sorted(random.sample(range(len(text) + 1), 4))
    spans = [(cuts[0], cuts[1], "x\ny"), (cuts[2], cuts[3] if random.random() < 0.5 else cuts[2], "z")]
    edits = [TextEdit(position_at(before, a), position_at(before, b), new) for a, b, new in spans]
    after = TextLines(apply_edits(text, edits))
    moves = Moves(before, edits, after)
    for begin in range(len(text)):
        end = min(len(text), begin + random.randrange(1, 4))
        at = Diagnostic(position_at(before, begin), position_at(before, end), "m")
        touched = any(last > begin and (first < end or first == begin) for first, last, _ in spans)
        found = moves.moved(at)
        if touched:
            assert found is None
        else:
            shift = sum(len(new) - (last - first) for first, last, new in spans if last <= begin)
            assert found is not None
            assert found.start == position_at(after, begin + shift)
            assert found.end == position_at(after, end + shift)
