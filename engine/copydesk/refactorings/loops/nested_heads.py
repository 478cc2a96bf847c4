"""Loops and tests one inside the other, as a comprehension has them."""

from __future__ import annotations

from dataclasses import dataclass

from tree_sitter import Node

from copydesk.refactorings.clauses import clauses_of, in_one_line
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.negation import opposites
from copydesk.syntax.tree import text_of


@dataclass(frozen=True, slots=True)
class Head:
    """A loop or a test as a comprehension has it. opposite: of a test, the negated condition; empty for a loop."""

    text: str
    opposite: str = ""


def nested_heads(context: RefactoringContext, loop: Node) -> tuple[list[Head], Node] | None:
    """The loops and tests of a loop that does one thing and has no `else`, and that one thing."""
    if loop.child_by_field_name("alternative") is not None:
        return None
    heads, inner = heads_and_body(context, loop)
    return (heads, inner[0]) if len(inner) == 1 and heads else None


def heads_and_body(context: RefactoringContext, loop: Node) -> tuple[list[Head], list[Node]]:
    """The loops and tests of a loop, which may have an `else`, and what is done in the innermost one."""
    heads: list[Head] = []
    inner = [loop]
    while len(inner) == 1 and inner[0].type in ("if_statement", "for_statement"):
        clauses = clauses_of(context, inner[0])
        left, right = inner[0].child_by_field_name("left"), inner[0].child_by_field_name("right")
        if len(clauses) != 1 and not (inner[0] == loop and [c.word for c in clauses] == ["for", "else"]):
            break
        if clauses[0].test is not None:
            heads.append(Head(f"if {in_one_line(clauses[0].test)}", (opposites(clauses[0].test) or [""])[0]))
        elif left is not None and right is not None:
            heads.append(Head(f"for {text_of(left)} in {in_one_line(right)}"))
        inner = clauses[0].statements
    while len(inner) > 1 and inner[0].type == "if_statement":
        clauses = clauses_of(context, inner[0])
        skips = len(clauses) == 1 and [text_of(s) for s in clauses[0].statements] == ["continue"]
        if not skips or clauses[0].test is None or not opposites(clauses[0].test):
            break
        heads.append(Head(f"if {opposites(clauses[0].test)[0]}", in_one_line(clauses[0].test) or ""))
        inner = inner[1:]
    return heads, inner
