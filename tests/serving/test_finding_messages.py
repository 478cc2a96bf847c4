"""Findings that no quick fix answers: what the tool says is read as an instruction, and the likeliest edit is made."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import pytest

from choosing_model import choosing_model
from copydesk.decode.choice_settings import STANDARD_SETTINGS, ChoiceSettings
from copydesk.editor import Editor
from copydesk.models.replay import ReplayModel
from copydesk.oracle import oracle_program
from copydesk.prompting.prompt import request_tokens
from copydesk.request import Diagnostic, EditRequest
from copydesk.results import EditResult
from copydesk.serving import plan as planning
from copydesk.serving.finding_messages import message_as_instruction
from copydesk.serving.loaded_model import LoadedModel
from copydesk.serving.narrowing import PageRequest
from copydesk.serving.plan import script_of
from copydesk.text.document import Position

TEXT = """\
from typing import Dict


def count(names: Dict[str, int], options):
    options = dict(step=1)
    if not names:
        return options
    else:
        return len(names), options, undefined_nmae
"""
LITERAL = "Unnecessary `dict()` call (rewrite as a literal)"
AFTER = TEXT.replace("dict(step=1)", '{"step": 1}')
TITLE = "Use a dict literal instead of dict()"


@pytest.fixture(scope="module")
def choosing() -> LoadedModel:
    return choosing_model()


@pytest.fixture(scope="module")
def editor(choosing: LoadedModel) -> Editor:
    return Editor(choosing, warm=False)


def finding(line: int, text: str, message: str, code: str = "XY123") -> EditRequest:
    """A request about what a tool says of `text` in a line (1-based)."""
    at = TEXT.splitlines()[line - 1].index(text)
    start, end = Position(line - 1, at), Position(line - 1, at + len(text))
    return EditRequest(diagnostics=[Diagnostic(start, end, message, code=code, source="tool")])


def said(editor: Editor, request: EditRequest, title: str, line: int) -> EditResult:
    """The result where the model accepts the description of an edit, if it is asked about it."""
    with closing(editor.open("a.py", TEXT)) as document:
        plan = document.plan(request)
        codec, model = editor.loaded_model.codec, editor.loaded_model.model
        assert codec is not None
        assert isinstance(model, ReplayModel)
        message = EditRequest(instruction=request.diagnostics[0].message)
        asked = request_tokens(codec, plan.page, plan.page_scope, message)
        first = len(plan.prefix) + len(asked) - len(codec.literals.program_open)
        script = [*codec.described(title, plan.page.page_line(line) or 0), codec.verdict]
        model.scripts = dict.fromkeys(range(1, 1000), (first, script))
        return document.edit(request)


def test_the_edit_that_the_message_asks_for_is_made(editor: Editor) -> None:
    result = said(editor, finding(5, "dict(step=1)", LITERAL), TITLE, 5)
    assert (result.status, result.text, result.unsure) == ("edited", AFTER, False)
    assert (result.counts.generated, result.counts.choices) == (0, 1)
    assert result.confidence is not None
    assert result.confidence >= STANDARD_SETTINGS.confidence


def test_where_the_model_is_unsure_it_asks(editor: Editor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(editor.loaded_model, "choice", ChoiceSettings(confidence=1.1))
    result = said(editor, finding(5, "dict(step=1)", LITERAL), TITLE, 5)
    assert (result.status, result.unsure) == ("refused", True)
    assert result.alternatives[0].title == TITLE
    assert all(one.edits for one in result.alternatives), "nothing to be done is no answer to a finding"
    assert all(one.probability >= planning.NAMED for one in result.alternatives)


@pytest.mark.parametrize("source", ["Ruff", "pylint"])
def test_where_no_edit_is_likely_the_model_writes(
    editor: Editor, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    """What it writes for a tool whose findings it was not trained on is no more than a proposal."""
    monkeypatch.setattr(planning, "NAMED", 1.1)
    request = finding(5, "dict(step=1)", LITERAL)
    request = replace(request, diagnostics=[replace(request.diagnostics[0], source=source)])
    with closing(editor.open("a.py", TEXT)) as document:
        first, script = script_of(
            editor.loaded_model,
            document.plan(request),
            oracle_program(TEXT, AFTER, cost=editor.loaded_model.cost, scope=[(5, 5)]),
        )
        model = editor.loaded_model.model
        assert isinstance(model, ReplayModel)
        model.scripts = dict.fromkeys(range(1, 1000), (first, script))
        result = document.edit(request)
    if source == "Ruff":
        assert (result.status, result.text, result.unsure) == ("edited", AFTER, False)
    else:
        assert (result.status, result.unsure) == ("refused", True)
        assert [one.program.resolve(TEXT) for one in result.alternatives] == [AFTER]
    assert result.counts.generated > 0


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        (finding(1, "typing", "`typing.Dict` is deprecated, use `dict` instead"), "an import"),
        (finding(9, "undefined_nmae", "Undefined name `undefined_nmae`", "F821"), "a quick fix answers"),
        (replace(finding(5, "dict(step=1)", LITERAL), narrow=False), "the model is to write"),
        (replace(finding(5, "dict(step=1)", LITERAL), choices=["a"]), "the answer is given"),
        (finding(5, "dict(step=1)", "  "), "it says nothing"),
    ],
    ids=lambda value: value.replace(" ", "-") if isinstance(value, str) else "",
)
def test_other_findings_are_answered_as_before(
    editor: Editor, monkeypatch: pytest.MonkeyPatch, request_: EditRequest, why: str
) -> None:
    assert not is_instruction(editor, monkeypatch, request_), why


def test_a_model_that_has_not_learnt_to_choose_writes(
    choosing: LoadedModel, editor: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = finding(5, "dict(step=1)", LITERAL)
    assert is_instruction(editor, monkeypatch, request)
    assert choosing.codec is not None
    monkeypatch.setattr(choosing.codec, "format", replace(choosing.codec.format, chooses=False))
    assert not is_instruction(editor, monkeypatch, request)


def is_instruction(editor: Editor, monkeypatch: pytest.MonkeyPatch, request: EditRequest) -> bool:
    """Whether the model is asked to choose what the message of the request's finding says."""
    read: list[PageRequest | None] = []

    def reading(asked: PageRequest) -> PageRequest | None:
        read.append(message_as_instruction(asked))
        return read[-1]

    monkeypatch.setattr(planning, "message_as_instruction", reading)
    with closing(editor.open("a.py", TEXT)) as document:
        document.plan(request)
    return any(read)


def test_the_prose_of_a_message_gives_nothing_a_name(editor: Editor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "NAMED", 0.0)
    request = finding(4, "options", "argument `options` overwritten by assignment target")
    with closing(editor.open("a.py", TEXT)) as document:
        result = document.edit(replace(request, candidates=20))
    titles = [one.title for one in result.alternatives]
    assert titles
    assert not any('"target"' in title or '"argument"' in title for title in titles), titles


def test_what_was_asked_first_leaves_no_trace(
    choosing: LoadedModel, editor: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model writes the same, token by token, whether it was asked to choose before or not."""
    assert isinstance(choosing.model, ReplayModel)
    choosing.model.scripts = {}
    request = finding(5, "dict(step=1)", LITERAL)

    def written() -> tuple[str, float | None, int]:
        with closing(editor.open("a.py", TEXT)) as document:
            result = document.edit(request)
        return str(result.program), result.log_likelihood, result.counts.generated

    monkeypatch.setattr(planning, "NAMED", 1.1)
    after_choosing = written()
    assert choosing.codec is not None
    monkeypatch.setattr(choosing.codec, "format", replace(choosing.codec.format, chooses=False))
    alone = written()
    assert after_choosing[0] == alone[0]
    assert after_choosing[1] == pytest.approx(alone[1], rel=1e-4)
    assert after_choosing[2] == alone[2]
