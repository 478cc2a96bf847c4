"""An instruction in plain words, for a model that was trained on none: what it writes is a proposal, and no edit."""

from __future__ import annotations

from dataclasses import replace

import pytest

from copydesk.editor import Editor
from copydesk.models.replay import ReplayModel
from copydesk.oracle import oracle_program
from copydesk.request import EditRequest
from copydesk.results import Hunk
from desks import byte_vocabulary, editor, replay
from mock_model import MockModel

TEXT = "def allowed(status):\n    return status == 200\n"
WRONG = TEXT.replace("200", "201")
REQUEST = EditRequest(scope=[(2, 2)], instruction="also accept 201")


def desk() -> Editor:
    return editor(ReplayModel(MockModel(byte_vocabulary("lines").size)), "lines")


def test_what_it_writes_is_proposed() -> None:
    made = desk()
    document = made.open("a.py", TEXT)
    result = replay(made, document, REQUEST, oracle_program(TEXT, WRONG))
    assert (result.status, result.unsure, result.text) == ("refused", True, TEXT)
    assert [one.program.resolve(TEXT) for one in result.alternatives] == [WRONG]
    assert not any(isinstance(event, Hunk) for event in document.stream(REQUEST)), "nothing is shown before"


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        (replace(REQUEST, take_likeliest=True), "the person wants it, sure or not"),
        (replace(REQUEST, narrow=False), "it is measured what the model writes"),
        (replace(REQUEST, choices=["201"]), "the person says what may be written"),
    ],
    ids=lambda value: value.replace(" ", "-") if isinstance(value, str) else "",
)
def test_whoever_asks_for_it_gets_it(request_: EditRequest, why: str) -> None:
    made = desk()
    result = replay(made, made.open("a.py", TEXT), request_, oracle_program(TEXT, WRONG))
    assert result.status == "edited", why
    assert "201" in result.text


def test_what_the_wording_settles_is_made() -> None:
    document = desk().open("a.py", TEXT)
    result = document.edit(EditRequest(scope=[(1, 1)], instruction="add the return type `bool`"))
    assert (result.status, result.unsure) == ("edited", False)
    assert result.text == TEXT.replace("(status):", "(status) -> bool:")
