"""The head of an `except` clause: what it catches, and what the error is called there."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tree_sitter import Node

from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, replace_lines

_HEAD = re.compile(r"(\s*except)(?: (\(.*\)|[\w.]+))?(?: as (\w+))?:(.*\n)")


@dataclass(frozen=True, slots=True)
class ExceptHead:
    """Line `line` of a document (1-based). caught: the exceptions as they are written, with their brackets; name: what the error
    is called; both empty where the clause does not say.
    """

    line: int
    start: str
    caught: str
    name: str
    end: str

    @property
    def kinds(self) -> list[str]:
        """The exceptions that it catches, one by one."""
        return [part.strip() for part in self.caught.strip("()").split(",") if part.strip()]

    def written(self, caught: str | None = None, name: str | None = None) -> str:
        """The line with other exceptions or another name; what has a name catches `Exception` at least."""
        caught = self.caught if caught is None else caught
        name = self.name if name is None else name
        kinds = caught or ("Exception" if name else "")
        return f"{self.start}{' ' * bool(kinds)}{kinds}{f' as {name}' if name else ''}:{self.end}"

    def changed(self, caught: str | None = None, name: str | None = None) -> Edits:
        """The edit that writes it so."""
        return replace_lines(self.line, self.line, [self.written(caught, name)])


def except_head(context: RefactoringContext, clause: Node) -> ExceptHead | None:
    """The head of a clause; None where it takes more than one line, or catches what is no name or names in brackets."""
    line = clause.start_point[0] + 1
    found = _HEAD.fullmatch(context.view(line, line)[0])
    return ExceptHead(line, found[1], found[2] or "", found[3] or "", found[4]) if found is not None else None
