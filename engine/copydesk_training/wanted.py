"""Whether an edit makes what an example asks for, whatever the layout of its code."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from textwrap import dedent

from copydesk.refactorings.edits import Edits
from copydesk.text.document import split_lines
from copydesk_training.example import Example
from copydesk_training.histories.changes import parsed

_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Wanted:
    """What the selected lines of an example are to become; `lines` are those of its text before.

    Where only comments or layout are to change, or the selection does not parse by itself, the text has to be the same; else the
    syntax trees have.
    """

    example: Example
    lines: Sequence[str]

    @classmethod
    def of(cls, example: Example) -> Wanted:
        return cls(example, split_lines(example.before))

    def made_by(self, edits: Edits) -> bool:
        """Whether edits of selected lines, from the top down, leave what is wanted."""
        first, last = self._selected
        found = list(self.lines[first - 1 : last])
        for edit in reversed(edits):
            found[edit.first - first : edit.last + 1 - first] = [edit.text]
        return self._is(_plain(found))

    def _is(self, found: str) -> bool:
        if found == self._text:
            return True
        if self._tree is None or sorted(_WORD.findall(found)) != self._words:
            return False
        return _tree(found) == self._tree

    @property
    def _selected(self) -> tuple[int, int]:
        scope = self.example.request.scope
        assert scope
        return scope[0][0], scope[-1][1]

    @cached_property
    def _text(self) -> str:
        first, last = self._selected
        found = split_lines(self.example.after)
        return _plain(found[first - 1 : len(found) - len(self.lines) + last])

    @cached_property
    def _words(self) -> list[str]:
        return sorted(_WORD.findall(self._text))

    @cached_property
    def _tree(self) -> str | None:
        first, last = self._selected
        found = _tree(self._text)
        return None if found == _tree(_plain(self.lines[first - 1 : last])) else found


def _plain(lines: Sequence[str]) -> str:
    return "".join(lines).replace("\r\n", "\n")


def _tree(text: str) -> str | None:
    found = parsed(dedent(text))
    return None if found is None else ast.dump(found)
