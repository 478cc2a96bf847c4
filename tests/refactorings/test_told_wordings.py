"""Instructions as people word them: what is read is read right. Whatever else they say is the model's.

`wordings.json` was written by others, who had not seen what is read: for two texts, each edit in many words, and edits that sound
like these and are others (`after` null).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from instructions import told

SETS: list[dict[str, Any]] = json.loads((Path(__file__).parent / "wordings.json").read_text("utf-8"))


@pytest.mark.parametrize(
    ("number", "kind"), [(n, asked["kind"]) for n, told_of in enumerate(SETS) for asked in told_of["asked"]]
)
def test_what_is_read_is_read_right(number: int, kind: str) -> None:
    source, (first, last) = SETS[number]["source"], SETS[number]["scope"]
    (asked,) = (asked for asked in SETS[number]["asked"] if asked["kind"] == kind)
    read = 0
    for wording in asked["wordings"]:
        after = told(wording, source, [(first, last)])
        if after is not None:
            read += 1
            # An empty text may be asked for without saying in which quotes.
            assert asked["after"] is not None, wording
            assert after in (asked["after"], asked["after"].replace("return ''", 'return ""')), wording
    assert read or asked["after"] is None
