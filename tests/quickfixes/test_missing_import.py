"""Imports that answer an undefined name: which, where, and that a model can only choose among them."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copydesk.decode.coroutine import Lane, Outcome
from copydesk.decode.counts import Counts
from copydesk.decode.finite_choice import ChoiceDecoder, ChoiceTask
from copydesk.decode.program_decoder import ProgramDecoder
from copydesk.decode.sampling import Sampler
from copydesk.decode.schedule import Job, run
from copydesk.decode.token_emitter import TokenEmitter
from copydesk.editor import Editor
from copydesk.grammar.rules import violation
from copydesk.program import Copy, Gen, Program, Sub
from copydesk.quickfixes.handler import FixContext
from copydesk.quickfixes.handlers.missing_import import Importable, MissingImport, importable
from copydesk.quickfixes.handlers.unresolved_name import UnresolvedName
from copydesk.quickfixes.kinds import classify
from copydesk.request import Diagnostic, EditRequest
from copydesk.syntax.import_block import import_block, import_point
from copydesk.syntax.import_sorting import import_lines, with_name
from copydesk.text.document import Position, split_lines
from copydesk.text.line_edit import LineEdit
from decoding import Desk, byte_codec
from quick_fixes import applied
from random_pages import check_scope, random_model, random_text


def found(text: str, name: str) -> Importable | None:
    lines = split_lines(text)
    first = import_point(lines, "python")
    return importable(name, lines, import_block(lines, "python") or (first, first - 1))


STARS = "from os.path import *\nfrom .shapes import (  # all\n    area,\n)\nfrom .shapes import *\n\n"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("join", ["from os.path import join\n", "join,\n"]),
        ("perimeter", ["perimeter,\n"]),
    ],
)
def test_what_may_come_from_a_star_import_is_imported_from_its_module(name: str, expected: list[str]) -> None:
    """`os.path` is known not to have it, the project's own module may; what else has a name is not asked."""
    diagnostic = Diagnostic(
        Position(6, 0),
        Position(6, len(name)),
        f"`{name}` may be undefined, or defined from star imports",
        "F405",
    )
    lines = split_lines(STARS + f"{name}()\n")
    told = replace(diagnostic, imports=(f"from posixpath import {name}\n",))
    candidates = MissingImport().candidates(FixContext(told, classify(told), lines, "python", None, 0))
    assert candidates is not None
    assert [edit.text.lstrip() for (edit,) in candidates.edits] == expected


def test_an_export_is_not_replaced_by_another_one() -> None:
    def exported(text: str) -> list[str]:
        row = next(k for k, line in enumerate(split_lines(text)) if line.startswith("__all__"))
        at = text.split("\n")[row].index("check_crc")
        told = Diagnostic(
            Position(row, at), Position(row, at + 9), "Undefined name `check_crc` in `__all__`", "F822"
        )
        found = UnresolvedName().candidates(
            FixContext(told, classify(told), split_lines(text), "python", None, 0)
        )
        return [edit.text for (edit,) in found.edits] if found is not None else []

    defined = "\n\ndef check_crcs():\n    pass\n"
    assert exported('__all__ = ["check_crc"]\n' + defined) == ['__all__ = ["check_crcs"]\n']
    assert exported('__all__ = ["check_crc", "check_crcs"]\n' + defined) == []
    assert exported('from zlib import *\n\n__all__ = ["check_crc"]\n' + defined) == []


def made(text: str, edit: LineEdit) -> str:
    return applied(split_lines(text), [edit])


BLOCK = "import os\nimport sys\nfrom typing import Any\n\nimport numpy\n\nfrom .a import b\n\n\nx = 1\n"


@pytest.mark.parametrize(
    ("name", "text", "after"),
    [
        ("re", BLOCK, BLOCK.replace("import sys", "import re\nimport sys")),
        ("abc", BLOCK, "import abc\n" + BLOCK),
        ("Optional", BLOCK, BLOCK.replace("Any", "Any, Optional")),
        ("TYPE_CHECKING", BLOCK, BLOCK.replace("Any", "TYPE_CHECKING, Any")),
        ("Path", BLOCK, BLOCK.replace("from typing", "from pathlib import Path\nfrom typing")),
        ("np", BLOCK + "np.x\n", BLOCK.replace("import numpy\n", "import numpy\nimport numpy as np\n") + "np.x\n"),
        ("yaml", BLOCK, BLOCK.replace("import numpy\n", "import numpy\nimport yaml\n")),
        ("re", "x = 1\n", "import re\nx = 1\n"),
        ("re", '"""Doc."""\nx = 1\n', '"""Doc."""\nimport re\nx = 1\n'),
        ("re", "from .a import b\n", "import re\nfrom .a import b\n"),
        ("concurrent", "concurrent.futures.wait\n", "import concurrent.futures\nconcurrent.futures.wait\n"),
        (
            "cast",
            "from typing import (\n    Any,\n    Union,\n    overload,\n)\n",
            "from typing import (\n    Any,\n    cast,\n    Union,\n    overload,\n)\n",
        ),
        ("here", "def f():\n    from .there import here\n", "from .there import here\ndef f():\n    from .there import here\n"),
    ],
)  # fmt: skip
def test_the_first_way(name: str, text: str, after: str) -> None:
    ways = found(text, name)
    assert ways is not None
    assert ways.sure
    assert made(text, ways.edits[0]) == after


def test_a_name_that_only_the_table_has_is_not_sure() -> None:
    ways = found("import os\n", "get_logger")
    assert ways is not None
    assert not ways.sure
    assert any("from multiprocessing import get_logger\n" in way.text for way in ways.edits)


def test_an_attribute_of_that_name_makes_it_doubtful() -> None:
    ways = found("import os\nself.time = 1\n", "time")
    assert ways is not None
    assert not ways.sure


def test_nobody_can_guess_others() -> None:
    assert found(BLOCK, "frobnicate") is None
    assert found("", "") is None


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("import re\nimport sys\n", "import re\nimport sys\nfrom re import Pattern\n"),
        ("import re\nfrom re import Match\n", "import re\nfrom re import Match, Pattern\n"),
    ],
)
def test_a_module_that_is_imported_as_a_whole_gives_names_too(text: str, after: str) -> None:
    lines = split_lines(text)
    ways = importable("Pattern", lines, (1, len(lines)), ["from re import Pattern\n"])
    assert ways is not None
    assert made(text, ways.edits[0]) == after


def test_a_name_of_the_project_is_no_slip_from_another_language() -> None:
    """`Undefined` is JavaScript's `None` where no file of the project has it."""
    text = "import os\n\n\ndef f(x):\n    return isinstance(x, Undefined)\n"
    place = Position(4, 25), Position(4, 34)
    said = Diagnostic(*place, "Undefined name `Undefined`", code="F821", source="Ruff")
    with Editor.load("mini", device="cpu", warm=False) as editor:
        found = [
            editor.open("a.py", text, language="python").edit(EditRequest(diagnostics=[each])).text
            for each in (said, replace(said, imports=("from .runtime import Undefined\n",)))
        ]
    assert found[0] == text.replace("Undefined)", "None)")
    assert "\nfrom .runtime import Undefined\n" in found[1]
    assert "isinstance(x, Undefined)" in found[1]


def test_names_join_a_line_in_its_order() -> None:
    assert with_name("from a import B, c  # why", "A") == "from a import A, B, c  # why"
    assert with_name("from a import z, b", "c") == "from a import z, b, c"
    assert with_name("from a import (b)", "c") is None


def test_statements_of_a_block() -> None:
    lines = split_lines(
        "import a\nfrom b import (\n    c,\n)\nif x:\n    import y\nfrom d import \\\n    e\n"
    )
    found = [(line.module, line.first, line.last) for line in import_lines(lines, (1, len(lines)))]
    assert found == [("a", 1, 1), ("b", 2, 4), ("d", 7, 8)]


_LINES = st.sampled_from(
    ["import os\n", "from typing import Any\n", "import zlib\n", "\n", "# c\n", "from . import x\n", "if 1:\n", "    import re\n",
     "x = 1\n", "from a import (b,\n", "  c)\n", '"""d"""\n', "from __future__ import annotations\n", "import \\\n"]
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.lists(_LINES, max_size=12), st.sampled_from(["json", "Any", "Path", "np", "x", "Token", "heapify"]))
def test_every_way_is_inside_the_block(lines: list[str], name: str) -> None:
    first = import_point(lines, "python")
    block = import_block(lines, "python") or (first, first - 1)
    ways = importable(name, lines, block)
    for way in ways.edits if ways else ():
        assert block[0] <= way.first <= way.last + 1
        assert way.last <= block[1]
        assert way.text.endswith("\n")
        assert "\r" not in way.text


# -- choosing ----------------------------------------------------------------------------------------------------------


def _pick(
    desk: Desk, programs: list[Program], seed: int, others: tuple[tuple[int, int], ...] | None
) -> Outcome:
    model = random_model(desk.codec)
    task = ChoiceTask(
        desk.codec, desk.task.views, desk.tokens.lines, desk.task.request, programs, desk.rules.open_end
    )
    lane = Lane(desk.warm(model), 1, len(desk.tokens.ids))
    emitter = TokenEmitter(lane, Sampler(30.0, 1.0, seed), Counts(), 60)
    free = None
    if others is not None:
        free = ProgramDecoder(replace(desk.task, rules=replace(desk.rules, scope=others)), emitter)
    job = Job(lane, ChoiceDecoder(task, emitter, free).run())
    list(run(model, [job], lambda: None))
    assert job.outcome is not None
    return job.outcome


@pytest.mark.parametrize("after_copy", ["span", "program"])
@pytest.mark.parametrize("kind", ["lines", "tags"])
def test_a_model_can_only_choose(kind: str, after_copy: str) -> None:
    codec = byte_codec(kind, after_copy)
    desk = Desk.of(codec, "a = 1\nb = 2\nc = 3\nd = 4\n", [(1, 2), (4, 4)])
    programs = [
        Program((Copy(1, 1), Gen("x\n"), Copy(2, 4))),
        Program((Copy(1, 1), Gen("xy\n"), Copy(2, 4))),
        Program((Copy(1, 1), Sub(2, 2, "2", "5"), Copy(3, 4))),
        Program((Copy(1, 2), Gen("x\n"), Copy(3, 4))),
    ]
    alone = {_pick(desk, programs, seed, None).program for seed in range(40)}
    assert alone <= set(programs)
    assert len(alone) > 1
    both = [_pick(desk, programs, seed, ((4, 4),)) for seed in range(60)]
    listed = [outcome for outcome in both if outcome.program in programs]
    assert 0 < len(listed) < len(both)
    for outcome in both:
        assert outcome.program is not None
        assert violation(desk.rules, outcome.program, desk.page.views) is None
        if outcome.program not in programs:
            assert outcome.program.ops[0] in (Copy(1, 3), Copy(1, 4))


def test_whatever_is_listed_the_program_is_one_of_it() -> None:
    random = Random(5)
    for seed in range(60):
        codec = byte_codec(random.choice(["lines", "tags"]), random.choice(["span", "program", "tail"]))
        text = random_text(random, 5)
        lines = split_lines(text)
        desk = Desk.of(codec, text, [(1, len(lines))])
        programs = []
        for at in range(len(lines) + (not desk.page.unterminated)):
            head = (Copy(1, at),) if at else ()
            tail = (Copy(at + 1, len(lines)),) if at < len(lines) else ()
            programs.append(Program((*head, Gen(random.choice(["x\n", "日\n\n"])), *tail)))
        programs = [p for p in programs if violation(desk.rules, p, desk.page.views) is None]
        if not programs:
            continue
        outcome = _pick(desk, programs, seed, None)
        assert outcome.program in programs
        check_scope(text, desk, desk.document_scope, outcome.program)


# -- the engine --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("far", [0, 300])
def test_an_import_is_added_at_any_distance(far: int) -> None:
    text = BLOCK + "y = 2\n" * far + "value = json.loads(x)\n"
    line = text.count("\n") - 1
    wrong = Diagnostic(Position(line, 8), Position(line, 12), "Undefined name `json`", "F821")
    with Editor.load("mini", device="cpu", warm=False) as editor:
        result = editor.open("a.py", text).edit(EditRequest(diagnostics=[wrong]))
    assert result.status == "edited"
    assert result.program is not None
    assert result.program.resolve(text) == "import json\n" + text
