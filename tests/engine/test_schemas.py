"""An edit of a file that has a schema is refused where it breaks the schema, and kept where it does not."""

from __future__ import annotations

import pytest

from copydesk.models.replay import ReplayModel
from copydesk.program import Copy, Program, Sub
from copydesk.request import EditRequest
from copydesk.results import EditResult
from copydesk.text.document import split_lines
from desks import byte_vocabulary, editor, replay
from json_texts import PACKAGE, TSCONFIG
from mock_model import MockModel

UNIQUE = (TSCONFIG, 10, "DOM", "ES2022", "compilerOptions.lib: ['ES2022', 'ES2022'] has non-unique elements")
NAMED = (PACKAGE, 2, "left-pad", "", "name: '' should be non-empty")


def said(
    name: str, text: str, line: int, old: str, new: str, language: str = "json", schemas: bool = True
) -> EditResult:
    """What comes of a model that says just this."""
    desk = editor(ReplayModel(MockModel(byte_vocabulary("lines").size)), "lines")
    last = len(split_lines(text))
    program = Program((Copy(1, line - 1), Sub(line, line, old, new), Copy(line + 1, last)))
    request = EditRequest(scope=[(line, line)], schemas=schemas)
    return replay(desk, desk.open(name, text, language=language), request, program)


@pytest.mark.parametrize(("name", "case"), [("tsconfig.json", UNIQUE), ("site/package.json", NAMED)])
def test_what_breaks_the_schema_is_refused_in_words(name: str, case: tuple[str, int, str, str, str]) -> None:
    *edit, words = case
    result = said(name, *edit)
    assert (result.status, result.edits) == ("refused", ())
    schema = name.rpartition("/")[2]
    assert result.reason == f"the result breaks the schema of {schema}: {words}"


def test_only_files_of_these_names_and_requests_that_want_it_are_held() -> None:
    text, line, old, new, _ = NAMED
    assert said("other.json", text, line, old, new).checked == ("syntax",)
    assert said("package.json", text, line, old, new, schemas=False).checked == ("syntax",)
    assert said("package.json", text, line, old, new, language="plaintext").status == "edited"


def test_what_keeps_the_schema_is_taken_and_what_was_wrong_may_stay() -> None:
    result = said("package.json", PACKAGE, 2, "left-pad", "right-pad")
    assert (result.status, result.checked) == ("edited", ("syntax", "schema"))
    wrong = PACKAGE.replace('"files": []', '"files": "all"')
    result = said("package.json", wrong, 2, "left-pad", "right-pad")
    assert (result.status, result.checked) == ("edited", ("syntax", "schema"))
