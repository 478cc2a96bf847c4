"""No prints, no comments."""

from __future__ import annotations

import re

from tree_sitter import Node

from copydesk.refactorings.phrases.selection import Rule, Selection, Way
from copydesk.refactorings.phrases.words import first_match, some, wordings
from copydesk.syntax.splice import end_of, start_of
from copydesk.syntax.tree import rows, text_of
from copydesk.text.line_edit import LineEdit

_REMOVE = r"(?:remove|delete|drop|strip|kill|take out|clean up|clear out|get rid of|no)"
_ALL = some("all any every both of the these those my this that")
_PRINTS = wordings(
    rf"{_REMOVE} {_ALL}(?:debug(?:ging)? )?prints?(?:\(\))?(?: statements?| calls?| lines?)?",
    rf"{_REMOVE} {_ALL}debug(?:ging)? output",
    rf"take {_ALL}(?:debug(?:ging)? )?prints?(?: statements?| calls?)? out",
)
_COMMENTS = wordings(
    rf"{_REMOVE} {_ALL}(?:# )?comments?(?: in here)?",
    r"no comments(?: please)?, remove them",
    rf"take {_ALL}comments? out",
)
_READ_BY_TOOLS = re.compile(
    r"#\s*(?:!|-\*-|noqa|type:|pragma|pylint:|fmt:|isort:|ruff:|mypy:|pyright:|nosec|coding[:=])",
    re.IGNORECASE,
)


def removal_rule(instruction: str) -> Rule | None:
    """Reads a wish for less."""
    if first_match(_PRINTS, instruction):
        return _without_prints
    return _without_comments if first_match(_COMMENTS, instruction) else None


def _without_prints(selected: Selection) -> Way | None:
    prints = list(filter(_is_print, selected.walk()))
    gone = {(start_of(node), end_of(node)) for node in prints}
    found = []
    for node in prints:
        first, last = rows(node)
        before, behind = selected.split(start_of(node))[0], selected.split(end_of(node))[1]
        if before.strip() or (behind.strip() and not behind.lstrip().startswith("#")):
            return None
        block = node.parent
        others = [n for n in block.named_children if n.type != "comment"] if block is not None else []
        empty = block is not None and block.type == "block"
        empty = empty and all((start_of(n), end_of(n)) in gone for n in others)
        stays = f"{before}pass{_end(behind)}" if empty and node == others[0] else ""
        found.append(LineEdit(first, last, stays))
    return tuple(found)


def _is_print(node: Node) -> bool:
    if node.type != "expression_statement" or node.named_child_count != 1:
        return False
    call = node.named_children[0]
    called = call.child_by_field_name("function") if call.type == "call" else None
    return called is not None and called.type == "identifier" and text_of(called) == "print"


def _without_comments(selected: Selection) -> Way | None:
    found = []
    for node in selected.walk():
        if node.type == "comment" and not _READ_BY_TOOLS.match(text_of(node)):
            line = node.start_point[0] + 1
            before, comment = selected.split(start_of(node))
            found.append(LineEdit(line, line, before.rstrip() + _end(comment) if before.strip() else ""))
    return tuple(found)


def _end(text: str) -> str:
    return "\n" if text.endswith("\n") else ""
