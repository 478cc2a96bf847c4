"""The fixes that a tool itself proposes against its finding, as edits of lines: preferred to every handler, in any language."""

from __future__ import annotations

from collections.abc import Sequence

from copydesk.errors import DocumentError
from copydesk.quickfixes.handler import Candidates, candidates_of
from copydesk.request import Diagnostic, Range
from copydesk.text.document import TextEdit, apply_edits, view_text
from copydesk.text.line_edit import LineEdit
from copydesk.text.position import Encoding, Position


def edited_lines(edit: TextEdit, count: int) -> Range:
    """The lines (1-based) of a document of `count` that an edit changes; for whole lines put between two, the insertion point."""
    first = edit.start.line + 1
    if not edit.start.character and not edit.end.character:
        # From one line's start to another's: the text ends its own lines, or it runs into the one that follows.
        last = edit.end.line + (bool(edit.new_text) and not edit.new_text.endswith(("\n", "\r")))
    else:
        last = edit.end.line + 1
    return min(first, count + 1), max(min(last, count), min(first, count + 1) - 1)


def proposed_edits(diagnostic: Diagnostic, lines: Sequence[str]) -> Candidates | None:
    """The diagnostic's fixes that fit these lines, safe ones first. Raises: never."""
    fixes = sorted(diagnostic.fixes, key=lambda fix: not fix.safe)
    return candidates_of(_edits(fix.edits, lines) for fix in fixes)


def _edits(edits: Sequence[TextEdit], lines: Sequence[str]) -> tuple[LineEdit, ...]:
    runs: list[tuple[Range, list[TextEdit]]] = []
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        first, last = edited_lines(edit, len(lines))
        if runs and first <= runs[-1][0][1]:
            (begin, end), those = runs[-1]
            runs[-1] = ((begin, max(end, last)), [*those, edit])
        else:
            runs.append(((first, last), [edit]))
    made = []
    for (first, last), those in runs:
        own = "".join(lines[first - 1 : last])
        shifted = [
            TextEdit(_up(edit.start, first - 1), _up(edit.end, first - 1), edit.new_text) for edit in those
        ]
        try:
            text = apply_edits(own, shifted, Encoding.UTF32)
        except DocumentError:
            return ()  # made for another text
        made.append(LineEdit(first, last, view_text(text)))
    return _comments_before_return(made, lines)


def _comments_before_return(edits: Sequence[LineEdit], lines: Sequence[str]) -> tuple[LineEdit, ...]:
    """The edits; of two that put a `return` where a variable was assigned, and take the one below away (RET504), one that leaves
    the comments between them before the `return`.
    """
    if len(edits) != 2 or edits[1].text or not edits[0].text.lstrip().startswith("return"):
        return tuple(edits)
    (put, gone), end = edits, edits[1].first - 1
    while end > put.last and (not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#")):
        end -= 1
    comments = "".join(line for line in lines[end : gone.first - 1] if line.strip())
    if not comments:
        return tuple(edits)
    text = view_text(comments) + put.text + view_text("".join(lines[put.last : end]))
    return (LineEdit(put.first, gone.last, text),)


def _up(position: Position, by: int) -> Position:
    return Position(position.line - by, position.character)
