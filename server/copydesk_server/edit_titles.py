"""Edits in words, for a menu: what is replaced by what, in the code's own spelling. A title names the edit, not its purpose."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from copydesk.quickfixes.kinds import DiagnosticKind, classify
from copydesk.quickfixes.messages import unused_import
from copydesk.request import Diagnostic
from copydesk.text.document import Encoding, Position, TextEdit, TextLines, apply_edits, content, split_lines

LONGEST_TITLE = 100
LONGEST_CODE = 40
"""Characters of one piece of code in a title."""

_OPERATOR = frozenset("=<>!+-*/%&|^")
_IMPORT = re.compile(r"\s*(?:import\s|from\s)")
_FROM_IMPORT = re.compile(r"\s*from\s+(\S+)\s+import\s+\(?([^()#]+?)\)?\s*(?:#.*)?$")
_IMPORTED = re.compile(r"(?:\w+(?: as \w+)?,|\))\s*$")
"""A line of an import in brackets."""
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class ChangedLines:
    """Lines, terminators included, that become others. Neither the first nor the last of them is the same before and after."""

    old: tuple[str, ...]
    new: tuple[str, ...]


def changed_lines(
    lines: TextLines, edits: Sequence[TextEdit], encoding: Encoding
) -> tuple[ChangedLines, ...]:
    """What `edits`, in order and apart, change of `lines`, from the top down. Raises DocumentError for edits that do not fit."""
    groups: list[tuple[int, int, list[TextEdit]]] = []
    for edit in edits:
        if groups and edit.start.line <= groups[-1][1]:
            first, last, those = groups.pop()
            groups.append((first, max(last, edit.end.line), [*those, edit]))
        else:
            groups.append((edit.start.line, edit.end.line, [edit]))
    found = []
    for first, last, those in groups:
        old = lines.lines[first : last + 1]
        shifted = [TextEdit(_up(edit.start, first), _up(edit.end, first), edit.new_text) for edit in those]
        change = _trimmed(old, split_lines(apply_edits("".join(old), shifted, encoding)))
        if change.old or change.new:
            found.append(change)
    return tuple(found)


def edit_title(changes: Sequence[ChangedLines], diagnostic: Diagnostic | None = None) -> str:
    """What the changes do, in one line; `diagnostic` is what they fix."""
    if (
        diagnostic is not None
        and classify(diagnostic) is DiagnosticKind.UNUSED_IMPORT
        and _only_less(changes)
    ):
        name = unused_import(diagnostic.message)
        if name is not None:
            return short(f'Remove unused import "{name}"')
    if len(changes) > 1:
        old, new = ([content(line) for lines in side for line in lines] for side in _sides(changes))
        if any(line.strip() for line in old) and (said := _reordered(old, new)) is not None:
            return said
    titles = list(dict.fromkeys(map(_title, changes)))
    if len(titles) > 2:
        more = len(changes) - 1
        return f"{short(titles[0], LONGEST_TITLE - 20)} and {more} more changes"
    return short(", ".join(titles)) if titles else "Change nothing"


def short(text: str, longest: int = LONGEST_TITLE) -> str:
    """The first line of a text, white space taken together, cut where it is too long for a menu."""
    line = " ".join(text.strip().partition("\n")[0].split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def _title(change: ChangedLines) -> str:
    old, new = [content(line) for line in change.old], [content(line) for line in change.new]
    if old == new:
        return "Add a line break at the end" if change.new[-1] != new[-1] else "Change line breaks"
    if not any(line.strip() for line in (*old, *new)):
        return _blank_lines(old, new)
    if not old:
        return _added(new)
    if not new:
        return f"Remove {_pieces(old)}"
    if len(old) == len(new) == 1:
        return _within_line(old[0], new[0])
    if [line.split() for line in old] == [line.split() for line in new]:
        return f"Indent {_code(old[0])} anew" if len(old) == 1 else f"Indent {len(old)} lines anew"
    return _reordered(old, new) or f"Replace {_pieces(old)} with {_pieces(new)}"


def _reordered(old: Sequence[str], new: Sequence[str]) -> str | None:
    """What lines in another order are called; None where they are other lines."""
    before, after = ([line.strip() for line in lines if line.strip()] for lines in (old, new))
    if sorted(before) == sorted(after):
        if all(map(_IMPORT.match, before)):
            return "Sort the imports"
        return f"Move {_code(before[0])}" if len(before) == 1 else f"Reorder {len(before)} lines"
    # `import os, sys` may become two statements, and long ones lines in brackets.
    words = [set(_WORD.findall(" ".join(lines))) - {"import", "from"} for lines in (before, after)]
    imports = all(_IMPORT.match(line) or _IMPORTED.match(line) for line in (*before, *after))
    same_imports = imports and any(map(_IMPORT.match, before)) and words[0] == words[1]
    return "Sort the imports" if same_imports else None


def _blank_lines(old: Sequence[str], new: Sequence[str]) -> str:
    count = len(new) - len(old)
    if not count:
        return "Remove trailing whitespace"
    lines = "1 blank line" if abs(count) == 1 else f"{abs(count)} blank lines"
    return f"Insert {lines}" if count > 0 else f"Remove {lines}"


def _added(new: Sequence[str]) -> str:
    code = [line for line in new if line.strip()]
    if len(code) == 1 and _IMPORT.match(code[0]):
        return f'Add "{short(code[0], LONGEST_TITLE - 6)}"'
    return f"Insert {_pieces(new)}"


def _within_line(old: str, new: str) -> str:
    before, after = _FROM_IMPORT.match(old), _FROM_IMPORT.match(new)
    if before is not None and after is not None and before[1] == after[1]:
        names, others = ([part.strip() for part in found[2].split(",")] for found in (before, after))
        added = [name for name in others if name not in names]
        if added and all(name in others for name in names):
            return f'Add "from {after[1]} import {", ".join(added)}"'
    begin, old_end, new_end = _differing(old, new)
    gone, come = old[begin:old_end], new[begin:new_end]
    if not gone.strip() and not come.strip():
        if not old[:begin].strip():
            return f"Indent {_code(new)} anew"
        return "Remove trailing whitespace" if not new[new_end:] else f"Change the spaces in {_code(new)}"
    if not gone.strip():
        return f"Insert {_code(come)}"
    return f"Replace {_code(gone)} with {_code(come)}" if come.strip() else f"Remove {_code(gone)}"


def _differing(old: str, new: str) -> tuple[int, int, int]:
    """Where two lines differ: the offset at which they begin to, and where that ends in each; whole words and operators."""
    shorter = min(len(old), len(new))
    head = next((k for k in range(shorter) if old[k] != new[k]), shorter)
    tail = next((k for k in range(shorter - head) if old[-1 - k] != new[-1 - k]), shorter - head)
    old_end, new_end = len(old) - tail, len(new) - tail
    while head and any(
        head < end and _one(line[head - 1], line[head]) for line, end in ((old, old_end), (new, new_end))
    ):
        head -= 1
    while old_end < len(old) and any(
        end > head and _one(line[end - 1], line[end]) for line, end in ((old, old_end), (new, new_end))
    ):
        old_end, new_end = old_end + 1, new_end + 1
    return head, old_end, new_end


def _one(left: str, right: str) -> bool:
    """Whether two neighbours belong to one word or one operator."""
    return (_word(left) and _word(right)) or (left in _OPERATOR and right in _OPERATOR)


def _word(character: str) -> bool:
    return character == "_" or character.isalnum()


def _pieces(lines: Sequence[str]) -> str:
    code = [line for line in lines if line.strip()] or lines
    rest = len(lines) - 1
    return _code(code[0]) if not rest else f"{_code(code[0])} and {rest} more line{'s' if rest > 1 else ''}"


def _code(text: str) -> str:
    return f"`{short(text, LONGEST_CODE)}`"


def _only_less(changes: Sequence[ChangedLines]) -> bool:
    """Whether words only go."""
    old, new = ([_WORD.findall("".join(lines)) for lines in side] for side in _sides(changes))
    return all(
        set(after) <= set(before) and len(after) < len(before) for before, after in zip(old, new, strict=True)
    )


def _sides(changes: Sequence[ChangedLines]) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    return [change.old for change in changes], [change.new for change in changes]


def _trimmed(old: Sequence[str], new: Sequence[str]) -> ChangedLines:
    shorter = min(len(old), len(new))
    head = next((k for k in range(shorter) if old[k] != new[k]), shorter)
    tail = next((k for k in range(shorter - head) if old[-1 - k] != new[-1 - k]), shorter - head)
    return ChangedLines(tuple(old[head : len(old) - tail]), tuple(new[head : len(new) - tail]))


def _up(position: Position, by: int) -> Position:
    return Position(position.line - by, position.character)
