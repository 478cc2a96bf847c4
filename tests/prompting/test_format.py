"""Edit formats as model directories declare them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from copydesk.errors import FormatError
from copydesk.prompting.edit_format import FILE_NAME, REWRITE, EditFormat


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    format = EditFormat(
        kind="tags", page_lines=40, page_overlap=20, after_copy="tail", tail_lines=3, sub=False
    )
    format.save(tmp_path)
    assert EditFormat.load(tmp_path) == format
    assert EditFormat.from_dict(format.to_dict()) == format


def test_a_directory_without_one_is_rewritten(tmp_path: Path) -> None:
    assert EditFormat.load(tmp_path) is REWRITE


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"kind": "xml"}, "unknown edit format kind"),
        ({"after_copy": "all"}, "after_copy"),
        ({"page_lines": 1}, "at least 2 lines"),
        ({"page_overlap": 64}, "overlaps by less"),
        ({"warm_lines": 65}, "no more than a page"),
        ({"warm_lines": 1}, "at least 2 lines"),
        ({"sub_lines": 0}, "positive"),
        ({"page_lines": 200}, "line tokens end at 127"),
        ({"page_lines": "64"}, "of type int"),
        ({"sub": 1}, "of type bool"),
        ({"languages": "python"}, "list of strings"),
        ({"colour": "red"}, "unknown key"),
    ],
)
def test_what_contradicts_itself_is_refused(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(FormatError, match=reason):
        EditFormat.from_dict(changes)


@pytest.mark.parametrize("text", ["{", "[]", "{}", json.dumps({"format": 3})])
def test_a_broken_file_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE_NAME).write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=FILE_NAME):
        EditFormat.load(tmp_path)
