"""A `match` for an `if` whose branches all ask the same about one thing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import Clause, clauses_of, plain_statements, reindented
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_lines
from copydesk.refactorings.expressions import bare, callee, children_of, comparison, operands, positional
from copydesk.syntax.splice import end_of
from copydesk.syntax.tree import text_of

_ASKING = frozenset({"match", "case", "cases", "switch", "structural"})
_ALTERNATIVES = ("tuple", "list", "set")


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for node in plain_statements(context, "if_statement") if arguments.words & _ASKING else ():
        clauses = clauses_of(context, node)
        asked = [_asked(clause) for clause in clauses if clause.word != "else"]
        found = [one for one in asked if one is not None]
        if len(clauses) < 2 or len(found) < len(asked) or len({subject for subject, _ in found}) > 1:
            continue
        lines = _cases(context, clauses, [pattern for _, pattern in found])
        if lines is not None:
            subject = found[0][0]
            head = f"{context.indent(node)}match {subject}:\n"
            title = f"Use match statement: match {subject}, case {found[0][1]}, instead of if and elif"
            yield title, replace_lines(clauses[0].head, clauses[-1].last, [head, *lines])


def _cases(
    context: RefactoringContext, clauses: Sequence[Clause], patterns: Sequence[str]
) -> list[str] | None:
    """The branches as cases, a step further right; None where these lines cannot be moved, or a head takes several."""
    lines: list[str] = []
    for clause, pattern in zip(clauses, [*patterns, "_"], strict=False):
        body = reindented(context, clause.first, clause.last, 4)
        if body is None or clause.first != clause.head + 1:
            return None
        colon = next(child for child in clause.node.children if child.type == ":")
        behind = context.split(end_of(colon))[1].rstrip()
        indent = context.indent(clause.node)
        lines += [f"{indent}    case {pattern}:{behind}\n", *body]
    return lines


def _asked(clause: Clause) -> tuple[str, str] | None:
    """What a branch asks about, and the pattern that asks the same, with a guard for what it asks beside that."""
    if clause.test is None:
        return None
    test, *rest = operands(bare(clause.test), "and")
    found = _pattern(bare(test))
    if found is None or not rest:
        return found
    begin = rest[0].start_byte - clause.test.start_byte
    guard = text_of(clause.test).encode()[begin:].decode()
    inside = clause.test.type == "parenthesized_expression"
    return None if inside or "\n" in guard else (found[0], f"{found[1]} if {guard}")


def _pattern(test: Node) -> tuple[str, str] | None:
    sides = comparison(test)
    if sides is not None and _is_subject(sides[0]):
        subject, sign, value = text_of(sides[0]), sides[1], sides[2]
        if sign == "==" and _is_value(value):
            return subject, text_of(value)
        if sign == "is" and value.type in ("none", "true", "false"):
            return subject, text_of(value)
        if sign == "in" and value.type in _ALTERNATIVES and children_of(value):
            parts = children_of(value)
            return (subject, " | ".join(map(text_of, parts))) if all(map(_is_value, parts)) else None
    given = positional(test) if test.type == "call" and callee(test) == "isinstance" else None
    if given is None or len(given) != 2 or not _is_subject(given[0]):
        return None
    kinds = children_of(given[1]) if given[1].type == "tuple" else [given[1]]
    named = all(kind.type in ("identifier", "attribute") and "(" not in text_of(kind) for kind in kinds)
    return (
        (text_of(given[0]), " | ".join(f"{text_of(kind)}()" for kind in kinds)) if named and kinds else None
    )


def _is_subject(node: Node) -> bool:
    """Whether it is the same thing however often it is looked at."""
    return node.type in ("identifier", "attribute", "subscript") and not set("(\n:") & set(text_of(node))


def _is_value(node: Node) -> bool:
    """Whether a pattern compares with it: a literal or a dotted name; a plain name would take the value."""
    text = text_of(node)
    if node.type == "string":
        return "\n" not in text and "f" not in text.lower().partition(text[-1])[0]
    return node.type in ("integer", "float") or (
        node.type == "attribute" and "(" not in text and "[" not in text
    )


USE_MATCH = Refactoring("use_match", "refactor.rewrite.useMatch", _propose)
