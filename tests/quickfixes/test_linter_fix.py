"""A tool's own fix: which lines it changes, and that an edit which takes it says exactly that."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.errors import DocumentError
from copydesk.quickfixes.handlers.linter_fix import edited_lines, proposed_edits
from copydesk.request import Diagnostic, EditRequest, ToolFix
from copydesk.text.document import (
    Encoding,
    Position,
    TextEdit,
    TextLines,
    apply_edits,
    split_lines,
    view_text,
)
from copydesk_server.engine_process.messages import pack_request, unpack_request
from copydesk_server.ruff import APPLICABLE
from desks import editor
from quick_fixes import applied
from server_tools import the_ruff
from text_offsets import position_at

TEXT = "import os\nimport re\n\n\ndef f(a):\n    b = 1\n    return re.sub(a, a, a)\n"


def edit(line: int, start: int, end_line: int, end: int, text: str) -> TextEdit:
    return TextEdit(Position(line, start), Position(end_line, end), text)


REMOVED = edit(0, 0, 1, 0, "")
HINTED = edit(4, 7, 4, 7, ": str")
ADDED = edit(2, 0, 2, 0, "import sys\n")


def finding(*fixes: tuple[TextEdit, ...], line: int = 4) -> Diagnostic:
    return Diagnostic(
        Position(line, 0), Position(line, 3), "said", "X1", "Tool", fixes=tuple(map(ToolFix, fixes))
    )


@pytest.mark.parametrize(
    ("changed", "lines"),
    [
        (REMOVED, (1, 1)),
        (HINTED, (5, 5)),
        (ADDED, (3, 2)),
        (edit(2, 0, 2, 0, "x = "), (3, 3)),
        (edit(1, 9, 2, 0, "\n"), (2, 3)),
        (edit(1, 0, 3, 0, "import re\n"), (2, 3)),
        (edit(1, 0, 3, 0, "import re"), (2, 4)),
        (edit(7, 0, 7, 0, "end\n"), (8, 7)),
        (edit(6, 26, 6, 26, "\n"), (7, 7)),
        (edit(40, 0, 40, 0, "far\n"), (8, 7)),
    ],
)
def test_the_lines_an_edit_changes(changed: TextEdit, lines: tuple[int, int]) -> None:
    assert edited_lines(changed, 7) == lines


@st.composite
def texts_and_edits(draw: st.DrawFn) -> tuple[str, list[TextEdit]]:
    text = draw(st.text(st.sampled_from("ab\n\N{GRINNING FACE}"), max_size=24))
    lines = TextLines(text)
    places = sorted(draw(st.lists(st.integers(0, len(text)), max_size=6)))
    edits = []
    for begin, end in zip(places[::2], places[1::2], strict=False):
        new = draw(st.text(st.sampled_from("xy\n"), max_size=4))
        if edits and begin == end:
            continue  # where two stand at one place their order is the list's
        there = (position_at(lines, at, Encoding.UTF32) for at in (begin, end))
        edits.append(TextEdit(*there, new))
    return text, edits


@given(texts_and_edits())
def test_line_edits_do_what_the_edits_do(given_text: tuple[str, list[TextEdit]]) -> None:
    text, edits = given_text
    try:
        wanted = apply_edits(text, edits, Encoding.UTF32)
    except DocumentError:
        return
    lines = split_lines(text)
    found = proposed_edits(finding(tuple(edits)), lines)
    for each in found.edits if found is not None else ():
        assert applied(lines, each) == wanted


@pytest.mark.parametrize("kind", ["lines", "tags"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "fix",
    [
        (HINTED,),
        (REMOVED, HINTED),
        (ADDED, HINTED),
        (edit(4, 0, 7, 0, "f = re.sub\n"),),
        (REMOVED,),
        (ADDED,),
    ],
    ids=["part of a line", "two places", "between lines", "several lines", "elsewhere", "only between"],
)
def test_what_the_tool_proposes_is_taken(kind: str, newline: str, fix: tuple[TextEdit, ...]) -> None:
    text = TEXT.replace("\n", newline)
    desk = editor(kind=kind)
    document = desk.open("a.py", text, language="python")
    result = document.edit(EditRequest(diagnostics=[finding(fix)]))
    assert result.status == "edited"
    assert view_text(apply_edits(text, result.edits)) == apply_edits(TEXT, fix, Encoding.UTF32)
    assert result.counts.generated == 0  # there was nothing to choose


def test_any_language_has_it() -> None:
    desk = editor()
    document = desk.open("a.toml", "a = 1\nb= 2\n", language="toml")
    spaced = edit(1, 0, 1, 2, "b =")
    result = document.edit(EditRequest(diagnostics=[finding((spaced,), line=1)]))
    assert apply_edits("a = 1\nb= 2\n", result.edits) == "a = 1\nb = 2\n"


def test_the_model_chooses_among_several() -> None:
    other = edit(4, 4, 4, 5, "g")
    document = editor().open("a.py", TEXT, language="python")
    result = document.edit(EditRequest(diagnostics=[finding((HINTED,), (other,))]))
    ways = {apply_edits(TEXT, fix, Encoding.UTF32) for fix in ((HINTED,), (other,))}
    assert apply_edits(TEXT, result.edits) in ways
    assert result.counts.choices


@pytest.mark.parametrize("instruction", [None, "do it otherwise"])
def test_it_is_not_taken_where_that_was_not_asked(instruction: str | None) -> None:
    document = editor().open("a.py", TEXT, language="python")
    request = EditRequest(
        diagnostics=[finding((REMOVED,))],
        narrow=instruction is not None,
        instruction=instruction,
        scope=[(5, 5)],
        max_tokens=8,
    )
    result = document.edit(request)
    assert not apply_edits(TEXT, result.edits).startswith("import re")


SMALL = {"page_lines": 16, "page_overlap": 4, "header_lines": 2}
LONG = TEXT + "x = 1\n" * 300


@pytest.mark.parametrize(
    "first", [edit(2, 0, 2, 0, "import sys\n"), edit(40, 0, 40, 0, "import sys\n"), HINTED]
)
def test_the_places_of_a_fix_may_be_far_apart(first: TextEdit) -> None:
    """Between the imports a page shows and the lines it hides, behind them, and where no import is."""
    document = editor(**SMALL).open("a.py", LONG, language="python")
    fix = (first, edit(200, 0, 201, 0, ""))
    result = document.edit(EditRequest(diagnostics=[finding(fix, line=200)]))
    assert result.text == apply_edits(LONG, fix, Encoding.UTF32)
    assert result.counts.generated == 0


def test_a_fix_no_page_can_show_is_left_to_the_model() -> None:
    far = edit(300, 0, 301, 0, "")
    document = editor(**SMALL).open("a.py", LONG, language="python")
    request = EditRequest(diagnostics=[finding((HINTED, edit(150, 0, 151, 0, ""), far))], max_tokens=8)
    plan = document.plan(request)
    assert not plan.request.diagnostics[0].fixes
    assert plan.scope == document.plan(EditRequest(diagnostics=[finding()])).scope


def test_one_made_for_another_text_is_none() -> None:
    assert proposed_edits(finding((edit(0, 3, 0, 1, "x"),)), split_lines(TEXT)) is None


def test_it_crosses_to_the_engines_process() -> None:
    request = EditRequest(diagnostics=[finding((HINTED, ADDED), (REMOVED,)), finding()])
    assert unpack_request(pack_request(request)) == request


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "def f(a):\n    x = g(a)\n    # all\n    # of it\n    return x\n",
            "def f(a):\n    # all\n    # of it\n    return g(a)\n",
        ),
        (
            "def f(a):\n    x = g(\n        a,\n    )\n\n    # all\n    return x\n",
            "def f(a):\n    # all\n    return g(\n        a,\n    )\n",
        ),
        ("def f(a):\n    x = g(a)  # all\n    return x\n", "def f(a):\n    return g(a)  # all\n"),
    ],
)
def test_a_comment_stays_before_the_return_that_it_is_about(text: str, expected: str) -> None:
    """Ruff puts the return where the assignment was, and the comment behind it."""
    (said,) = replace(the_ruff(), fixes=APPLICABLE["unsafe"]).check(text, None, select="RET504")
    lines = split_lines(text)
    found = proposed_edits(said, lines)
    assert found is not None
    assert [applied(lines, each) for each in found.edits] == [expected]
