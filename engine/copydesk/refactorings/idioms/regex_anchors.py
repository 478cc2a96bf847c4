"""A pattern without anchors that its function has anyway: `re.fullmatch(r"a", x)` for `re.match(r"^a$", x)`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_nodes
from copydesk.refactorings.expressions import callee, children_of, single_line
from copydesk.syntax.tree import text_of

_PATTERN = re.compile(r"([rR]?)([\"'])(\^|\\A)?(.*?)(?<!\\)(\$|\\Z)?\2")


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for call in context.walk("call"):
        called, given = call.child_by_field_name("function"), call.child_by_field_name("arguments")
        names = [f"re.{name}" for name in ("match", "search", "fullmatch")]
        if called is None or given is None or callee(call) not in names or not children_of(given):
            continue
        pattern = children_of(given)[0]
        found = (
            _PATTERN.fullmatch(text_of(pattern))
            if pattern.type == "string" and single_line(pattern)
            else None
        )
        if found is None or "|" in found[4] or "MULTILINE" in text_of(given):
            continue
        for name, begin, end in _ways(callee(call), found[3] or "", found[5] or ""):
            text = f"{found[1]}{found[2]}{begin}{found[4]}{end}{found[2]}"
            edits = replace_nodes(context.lines, _changed((called, name), (pattern, text)))
            yield f"Use {name} without the anchors it has anyway, ^ and $: {name}({text}, …)", edits


def _ways(name: str, begin: str, end: str) -> Iterator[tuple[str, str, str]]:
    """Functions, and the anchors that each needs."""
    if name == "re.fullmatch" and (begin or end):
        yield name, "", ""
    if name == "re.match" and begin:
        yield name, "", end
    if name == "re.search" and begin:
        yield "re.match", "", end
    if name != "re.fullmatch" and end and (begin or name == "re.match"):
        yield "re.fullmatch", "", ""


def _changed(*pairs: tuple[Node, str]) -> list[tuple[Node, str]]:
    return [(node, text) for node, text in pairs if text_of(node) != text]


REGEX_ANCHORS = Refactoring("regex_anchors", "refactor.rewrite.regexAnchors", _propose)
