"""Instructions through the editor: the candidate that the model finds likeliest is the edit, and writes nothing of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from choosing_model import choosing_model
from copydesk.decode import finite_choice
from copydesk.decode.choice_settings import STANDARD_SETTINGS, ChoiceSettings
from copydesk.editor import Editor
from copydesk.errors import RequestError
from copydesk.models.replay import ReplayModel
from copydesk.oracle import oracle_program
from copydesk.refactorings.arguments import arguments_of
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.registry import enumerate_candidates
from copydesk.request import EditRequest
from copydesk.results import EditResult
from copydesk.serving import narrowing
from copydesk.serving.checks import left_undefined
from copydesk.serving.narrowing import ANOTHER, NO_CLUE, NOTHING
from copydesk.serving.plan import script_of
from copydesk.syntax.tree import parse
from copydesk.text.document import apply_edits, split_lines
from copydesk.text.titles import clipped

TEXT = """\
import json


def load(path, items):
    total = 0
    for item in items:
        total = total + item
        print(item)
    if path:
        return total
    else:
        return json.loads(path)
"""
SCOPE = (4, 12)


@pytest.fixture(scope="module")
def editor() -> Editor:
    return Editor(choosing_model(), warm=False)


def candidates(instruction: str) -> dict[str, tuple[str, int]]:
    """The text that each candidate makes and the line where it begins to differ, by its title."""
    lines = split_lines(TEXT)
    tree = parse(lines, "python")
    assert tree is not None
    context = RefactoringContext.of(lines, [SCOPE], tree)
    texts = {}
    for candidate in enumerate_candidates(context, arguments_of(instruction)):
        changed = list(lines)
        for edit in reversed(candidate.edits):
            changed[edit.first - 1 : edit.last] = [edit.text]
        texts[candidate.title] = "".join(changed), candidate.edits[0].first
    return texts


def said(
    editor: Editor,
    request: EditRequest,
    after: str,
    name: str = "a.py",
    described: tuple[str, int] | None = None,
) -> EditResult:
    """The result where the model says the program that makes `after`, or before any program the title and line of an edit."""
    document = editor.open(name, TEXT)
    try:
        plan = document.plan(request)
        program = oracle_program(TEXT, after, cost=editor.loaded_model.cost, scope=[SCOPE])
        first, script = script_of(editor.loaded_model, plan, program)
        codec = editor.loaded_model.codec
        assert codec is not None
        if described is not None:
            first -= len(codec.literals.program_open)
            script = [*codec.described(*described), codec.verdict, *script]
        model = editor.loaded_model.model
        assert isinstance(model, ReplayModel)
        model.scripts = dict.fromkeys(range(1, 1000), (first, script))
        return document.edit(request)
    finally:
        document.close()


@pytest.mark.parametrize(
    ("instruction", "title"),
    [
        ("call it result instead of total", 'Rename "total" to "result"'),
        ("no debug output please", "Remove debug prints"),
        ("the else isn't needed", "Remove the else of the if"),
        ("use +=", "Write total += item"),
    ],
)
def test_the_likeliest_candidate_is_the_edit(editor: Editor, instruction: str, title: str) -> None:
    made = candidates(instruction)
    assert title in made, sorted(made)
    text, line = made[title]
    request = EditRequest(scope=[SCOPE], instruction=instruction, phrases=False)
    result = said(editor, request, text, described=(title, line))
    assert (result.status, result.text) == ("edited", text)
    assert (result.counts.generated, result.counts.choices) == (0, 1)


def test_an_edit_that_was_weighed_says_how_likely_it_is(editor: Editor) -> None:
    title = "Write total += item"
    made, line = candidates("use +=")[title]
    request = EditRequest(scope=[SCOPE], instruction="use +=", phrases=False)
    result = said(editor, request, made, described=(title, line))
    assert result.confidence is not None
    assert STANDARD_SETTINGS.confidence <= result.confidence <= 1.0
    assert result.alternatives == ()


def unsure(
    editor: Editor,
    monkeypatch: pytest.MonkeyPatch,
    instruction: str = "use +=",
    title: str = "Write total += item",
    **more: Any,
) -> EditResult:
    """The result of an instruction where nothing is likely enough, whatever the model says."""
    monkeypatch.setattr(editor.loaded_model, "choice", ChoiceSettings(confidence=1.1))
    monkeypatch.setattr(finite_choice, "WORTH_ASKING", 0.0)
    made, line = candidates(instruction)[title]
    request = EditRequest(scope=[SCOPE], instruction=instruction, phrases=False, **more)
    return said(editor, request, made, described=(title, line))


def test_an_unsure_result_has_the_likeliest_edits(editor: Editor, monkeypatch: pytest.MonkeyPatch) -> None:
    result = unsure(editor, monkeypatch)
    assert (result.status, result.unsure, result.program, result.confidence) == ("refused", True, None, None)
    assert result.reason is not None
    assert result.reason.startswith("did you mean one of these? 1. Write total += item (")
    found = [one.probability for one in result.alternatives]
    assert 2 <= len(found) <= 3
    assert found == sorted(found, reverse=True)
    assert 0.0 < sum(found) <= 1.0
    made = candidates("use +=")
    for one in result.alternatives:
        assert one.program.resolve(TEXT) == apply_edits(TEXT, one.edits) == made.get(one.title, (TEXT, 0))[0]
    likeliest = unsure(editor, monkeypatch, take_likeliest=True)
    first = result.alternatives[0]
    assert (likeliest.status, likeliest.unsure) == ("edited", True)
    assert (likeliest.program, likeliest.edits) == (first.program, first.edits)
    assert likeliest.confidence == pytest.approx(first.probability)


def test_of_edits_with_one_title_each_says_its_line(editor: Editor, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = "put json.loads(path) in a variable data, at the top"
    title = 'Extract json.loads(path) into variable "data"'
    result = unsure(editor, monkeypatch, asked, title)
    likeliest = result.alternatives[0]
    assert likeliest.title == f"{title}, line {likeliest.edits[0].start.line + 1}"
    assert result.reason is not None
    assert f"1. {clipped(likeliest.title)} (" in result.reason


def test_taking_an_alternative_gives_its_edits(editor: Editor, monkeypatch: pytest.MonkeyPatch) -> None:
    result = unsure(editor, monkeypatch)
    for number, one in enumerate(result.alternatives, 1):
        taken = result.taken(number)
        assert taken.status == ("edited" if one.edits else "unchanged")
        assert (taken.edits, taken.program, taken.text) == (one.edits, one.program, one.program.resolve(TEXT))
        assert (taken.unsure, taken.reason, taken.confidence) == (False, None, one.probability)
        assert taken.checked == one.checked
    assert any(one.checked == ("syntax",) for one in result.alternatives)
    for number in (0, -1, len(result.alternatives) + 1):
        with pytest.raises(RequestError, match=f"no alternative {number}: the model offers"):
            result.taken(number)
    with pytest.raises(RequestError, match="the model is not unsure"):
        replace(result, alternatives=()).taken(1)


def test_an_alternative_that_a_check_refuses_is_refused(
    editor: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("copydesk.serving.reporting.objection", lambda *_: ("the result does not parse", ()))
    result = unsure(editor, monkeypatch)
    for number, one in enumerate(result.alternatives, 1):
        taken = result.taken(number)
        assert (
            (taken.status, taken.reason)
            == ("refused", one.reason)
            == ("refused", "the result does not parse")
        )
        assert (taken.edits, taken.text, taken.unsure) == ((), TEXT, False)


def test_that_nothing_changes_is_a_candidate(editor: Editor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(narrowing, "NOTHING", replace(NOTHING, prior=20.0))
    request = EditRequest(scope=[SCOPE], instruction="use +=", phrases=False)
    result = said(editor, request, TEXT, described=(NOTHING.title, NOTHING.line))
    assert (result.status, result.counts.choices) == ("unchanged", 1)


def test_what_is_clearly_not_done_yet_is_never_called_done(
    editor: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(narrowing, "NOTHING", replace(NOTHING, prior=100.0))
    request = EditRequest(scope=[SCOPE], instruction="add a docstring", phrases=False)
    result = said(editor, request, TEXT, described=("change nothing", 0))
    assert (result.status, result.text) == ("refused", TEXT)


def test_where_wording_leaves_nothing_to_do_the_reason_is_told(editor: Editor) -> None:
    request = EditRequest(scope=[SCOPE], instruction="replace the while loop by a for")
    reason = "the selected lines have no while loop"
    result = said(editor, request, TEXT, described=(NOTHING.title, NOTHING.line))
    assert (result.status, result.reason, result.counts.choices) == ("unchanged", reason, 1)
    result = said(editor, replace(request, phrases=False), TEXT, described=(NOTHING.title, NOTHING.line))
    assert result.reason != reason


def test_the_model_may_know_better_than_the_wording(editor: Editor) -> None:
    request = EditRequest(scope=[SCOPE], instruction="replace the while loop by a for")
    result = said(editor, request, TEXT, described=(ANOTHER.title, ANOTHER.line))
    assert (result.status, result.unsure) == ("refused", True)


def test_where_wording_leaves_nothing_to_do_no_candidate_is_needed(editor: Editor) -> None:
    """A blank line leaves no refactoring anything to propose; without a reason the model would write."""
    request = EditRequest(scope=[(2, 2)], instruction="drop the lambda")
    result = said(editor, request, TEXT, described=(NOTHING.title, NOTHING.line))
    assert (result.status, result.reason) == ("unchanged", "the selected lines have no lambda")


def test_a_clue_to_a_bug_is_followed_up(editor: Editor) -> None:
    request = EditRequest(scope=[SCOPE], instruction="there must be a bug somewhere")
    assert said(editor, request, TEXT).reason == NO_CLUE
    broken = TEXT.replace("return total", "return totl")
    document = editor.open("a.py", broken)
    result = document.edit(request)
    document.close()
    assert (result.status, result.text) == ("edited", TEXT)


@pytest.mark.parametrize(("instruction", "offered"), [("use +=", True), ("fix the bug, use +=", False)])
def test_who_says_that_there_is_a_bug_is_not_told_that_nothing_is_to_be_done(
    editor: Editor, monkeypatch: pytest.MonkeyPatch, instruction: str, offered: bool
) -> None:
    monkeypatch.setattr(narrowing, "NOTHING", replace(NOTHING, prior=50.0))
    request = EditRequest(scope=[SCOPE], instruction=instruction, phrases=False, candidates=40)
    result = said(editor, request, TEXT, described=(NOTHING.title, NOTHING.line))
    assert ("Change nothing" in [one.title for one in result.alternatives]) is offered


def test_that_another_edit_is_meant_is_a_candidate(editor: Editor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(narrowing, "ANOTHER", replace(ANOTHER, prior=20.0))
    request = EditRequest(scope=[SCOPE], instruction="use +=", phrases=False)
    result = said(editor, request, TEXT, described=(ANOTHER.title, ANOTHER.line))
    assert (result.status, result.unsure, result.counts.choices) == ("refused", True, 1)


@pytest.mark.parametrize(
    "request_",
    [
        EditRequest(scope=[SCOPE], instruction="use +=", narrow=False),
        EditRequest(
            scope=[SCOPE], instruction="use +=", phrases=False, choices=["    pass\n", "    return\n"]
        ),
        EditRequest(scope=[SCOPE], phrases=False),
    ],
)
def test_requests_that_leave_no_candidates_are_written(editor: Editor, request_: EditRequest) -> None:
    result = said(editor, request_, TEXT.replace("    total = 0\n", "    pass\n"))
    assert result.counts.choices > 1


def test_other_languages_have_no_candidates(editor: Editor) -> None:
    request = EditRequest(scope=[SCOPE], instruction="rename total to result", phrases=False)
    result = said(editor, request, TEXT.replace("total", "result"), "a.txt")
    assert result.counts.choices > 1


def test_no_part_of_a_variable_is_renamed(editor: Editor) -> None:
    document = editor.open("part.py", TEXT)
    try:
        result = document.edit(EditRequest(scope=[(6, 8)], instruction="rename total to result"))
    finally:
        document.close()
    assert (result.status, result.edits) == ("refused", ())
    assert result.reason is not None
    assert "line 5" in result.reason


def test_a_candidate_with_a_name_that_nothing_defines_is_not_weighed(editor: Editor) -> None:
    instruction = "json.loads(*parts) would do"
    made = candidates(instruction)
    title = next(title for title in made if "json.loads(*parts)" in made[title][0])
    request = EditRequest(scope=[SCOPE], instruction=instruction, candidates=99)
    text, line = made[title]
    result = said(editor, request, text, described=(title, line))
    assert title not in {one.title for one in result.alternatives}
    assert len(result.alternatives) > 1
    assert not any(left_undefined(TEXT, apply_edits(TEXT, one.edits)) for one in result.alternatives)


def test_an_instruction_that_leaves_a_name_undefined_is_refused(editor: Editor) -> None:
    document = editor.open("import.py", TEXT)
    try:
        result = document.edit(EditRequest(scope=[(1, 1)], instruction="rename json to j"))
    finally:
        document.close()
    assert (result.status, result.edits) == ("refused", ())
    assert result.reason is not None
    assert "`json`" in result.reason


@pytest.mark.parametrize(("first", "refused"), [(6, True), (1, False)])
def test_the_top_of_the_module_has_to_be_selected(editor: Editor, first: int, refused: bool) -> None:
    document = editor.open("top.py", TEXT)
    try:
        request = EditRequest(scope=[(first, 12)], instruction="move the print to the top of the module")
        plan = document.plan(request)
        result = document.edit(request) if refused else None
    finally:
        document.close()
    assert narrowing.beyond_scope(plan.snapshot, request, plan.scope) == (narrowing.TOP if refused else None)
    assert result is None or (result.status, result.reason) == ("refused", narrowing.TOP)
