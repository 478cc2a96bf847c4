"""A loop over all entries but the first, instead of one that a statement before it takes out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import next_statement
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import delete_lines, merged, replace_node
from copydesk.syntax.splice import end_of
from copydesk.syntax.tree import rows, text_of

_TAKEN = re.compile(r"(?:del )?([\w.]+)(?:\.pop\((0|-1|)\)|\[(0|-1)\])")


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in context.walk("expression_statement", "delete_statement"):
        behind = context.split(end_of(node))[1].strip()
        if not context.starts_line(node) or (behind and not behind.startswith("#")):
            continue
        found, loop = _TAKEN.fullmatch(text_of(node)), next_statement(node)
        if (
            found is None
            or loop is None
            or loop.type != "for_statement"
            or text_of(node).startswith("del") is (found[3] is None)
        ):
            continue
        over = loop.child_by_field_name("right")
        if over is None or text_of(over) != found[1]:
            continue
        part = "[1:]" if "0" in (found[2], found[3]) else "[:-1]"
        made = f"{found[1]}{part}"
        head = replace_node(context.lines, over, made)
        if behind and head is not None:  # the comment says what is left out
            head = tuple(
                replace(edit, text=f"{edit.text.rstrip()}  {behind}\n")
                for edit in head
                if "#" not in edit.text
            )
        edits = merged(delete_lines(*rows(node)), head)
        yield f"Loop over {made} instead of {text_of(node)}", edits


POP_BEFORE = Refactoring("pop_before", "refactor.rewrite.popBefore", _propose)
