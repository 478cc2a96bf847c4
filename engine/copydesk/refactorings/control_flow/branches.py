"""Branches of an `if` made one, made several, removed, or taken out of it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from itertools import dropwhile

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import next_statement, statements_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import (
    COMPOUND,
    Clause,
    clauses_of,
    named,
    reindented,
    step_of,
)
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.control_flow.nested_ifs import either
from copydesk.refactorings.edits import delete_lines, replace_lines
from copydesk.refactorings.negation import opposites
from copydesk.syntax.tree import rows, text_of

_CHECKS = ("check", "checks", "condition", "guard", "test")
"""What people call the head of an `if`."""


def _touched(context: RefactoringContext, *types: str) -> Iterator[Node]:
    """Statements of which a line is selected, in part or as a whole: some edits change one clause alone."""
    return (node for node in context.overlapping() if node.type in types)


def _body(context: RefactoringContext, clause: Clause) -> str:
    return " ".join("".join(context.view(clause.first, clause.last)).split())


def _merge(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in _touched(context, "if_statement"):
        clauses = [clause for clause in clauses_of(context, node) if context.shows(clause.head, clause.last)]
        for one, two in itertools.pairwise(clauses):
            if one.test is not None and two.test is not None and _body(context, one) == _body(context, two):
                if (test := either(one.test, two.test)) is not None:
                    lines = [
                        f"{context.indent(one.node)}{one.word} {test}:\n",
                        *context.view(two.first, two.last),
                    ]
                    yield (
                        f"Merge the branches with the same body: or {test}",
                        replace_lines(one.head, two.last, lines),
                    )
        last = clauses[-1] if clauses else None
        behind = node.next_named_sibling
        if last is None or last.test is None or behind is None or not last.leaves or not context.has(node):
            continue
        for other in clauses_of(context, behind)[:1] if behind.type == "if_statement" else ():
            same = _body(context, last) == _body(context, other)
            test = either(last.test, other.test) if same and other.test is not None else None
            if test is not None and len(clauses) == 1:
                lines = [f"{context.indent(node)}if {test}:\n", *context.view(other.first, other.last)]
                yield f"Merge both ifs into one: {test}", replace_lines(last.head, other.last, lines)


def _elif(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    """`elif` and `if`, one for the other."""
    for node in _touched(context, "if_statement"):
        for clause in clauses_of(context, node)[1:]:
            if clause.word == "elif" and context.shows(clause.head, clause.head):
                head = context.view(clause.head, clause.head)[0].replace("elif ", "if ", 1)
                title = f"Make {named(clause.node)} an if of its own, two separate ifs"
                yield title, replace_lines(clause.head, clause.head, [head])
    for node in context.walk("if_statement"):
        clauses, indent = clauses_of(context, node), context.indent(node)
        for clause in clauses[1:]:
            inner = clause.statements
            if clause.word == "else" and len(inner) == 1 and inner[0].type == "if_statement":
                below = clauses_of(context, inner[0])
                moved = reindented(context, clause.first, clause.last, -step_of(clause))
                if below and moved is not None and below[0].head == clause.first:
                    moved[0] = f"{indent}el{moved[0].lstrip()}"
                    yield "Merge else and if into elif", replace_lines(clause.head, clause.last, moved)
            if clause.word == "else" and len(inner) > 1 and inner[0].type == "if_statement":
                only = clauses_of(context, inner[0])
                first = reindented(context, clause.first, only[0].last, -step_of(clause)) if only else None
                if len(only) == 1 and only[0].leaves and only[0].head == clause.first and first is not None:
                    first[0] = f"{indent}el{first[0].lstrip()}"
                    rest = context.view(only[0].last + 1, clause.last)
                    lines = [*first, f"{indent}else:\n", *dropwhile(lambda line: not line.strip(), rest)]
                    title = f"Make {named(inner[0])} an elif, what follows it the else"
                    yield title, replace_lines(clause.head, clause.last, lines)
        if node.parent is not None and clauses:
            before = node.prev_named_sibling
            while before is not None and before.type == "comment":
                before = before.prev_named_sibling
            if before is not None and before.type == "if_statement":
                above = clauses_of(context, before)
                head = context.view(clauses[0].head, clauses[0].head)[0]
                made = head.replace("if ", "elif ", 1)
                if above and above[-1].word != "else" and len(clauses) == 1:
                    heads = context.view(clauses[0].head, clauses[0].first - 1)
                    if len(heads) == 1 and "#" not in heads[0]:
                        made_else = replace_lines(clauses[0].head, clauses[0].head, [f"{indent}else:\n"])
                        yield f"Make {named(node)} the else of the if above", made_else
                if above and above[-1].word != "else":
                    blank = all(
                        not line.strip() for line in context.view(rows(before)[1] + 1, clauses[0].head - 1)
                    )
                    start = rows(before)[1] + 1 if blank else clauses[0].head
                    yield f"Make {named(node)} an elif", replace_lines(start, clauses[0].head, [made])
        yield from _chain(context, node, clauses)
        last = clauses[-1] if clauses else None
        if last is not None and last.word == "elif":
            step = step_of(last)
            moved = reindented(context, last.head, last.last, step)
            if moved is not None:
                moved[0] = moved[0].replace("elif ", "if ", 1)
                yield (
                    "Nest the elif in an else",
                    replace_lines(last.head, last.last, [f"{indent}else:\n", *moved]),
                )
            heads = context.view(last.head, last.first - 1)
            if len(heads) == 1 and "#" not in heads[0]:
                yield (
                    f"Make {named(last.node)} a plain else",
                    replace_lines(last.head, last.head, [f"{indent}else:\n"]),
                )


def _chain(context: RefactoringContext, node: Node, clauses: Sequence[Clause]) -> Iterator[Proposal]:
    """Several `if` one below the other that all leave, and what comes behind the last: one with `elif` and `else`."""
    before = node.prev_named_sibling
    if before is not None and before.type == "if_statement" and len(clauses_of(context, before)) == 1:
        return
    ifs, behind = [*clauses], next_statement(node)
    while len(ifs) >= 1 and behind is not None and behind.type == "if_statement":
        more = clauses_of(context, behind)
        if len(more) != 1 or not context.has(behind):
            break
        ifs, behind = [*ifs, *more], next_statement(behind)
    rest = statements_of(node.parent)
    rest = [one for one in rest if ifs and one.start_byte > ifs[-1].node.end_byte]
    if len(clauses) != 1 or len(ifs) < 2 or not all(one.leaves for one in ifs) or len(rest) > 1:
        return
    if len({"".join(context.view(one.first, one.last)) for one in ifs}) == 1:
        return  # `or` says that better
    lines: list[str] = []
    for one in ifs:
        head = context.view(one.head, one.last)
        lines += [head[0] if not lines else head[0].replace("if ", "elif ", 1), *head[1:]]
    end = ifs[-1].last
    if rest and context.has(rest[0]):
        moved = reindented(context, *rows(rest[0]), 4)
        between = "".join(context.view(end + 1, rows(rest[0])[0] - 1)).strip()
        if moved is None or between:
            return
        lines, end = [*lines, f"{context.indent(node)}else:\n", *moved], rows(rest[0])[1]
    spoken = [context.view(a.last + 1, b.head - 1) for a, b in itertools.pairwise(ifs)]
    if not "".join(line for lines_between in spoken for line in lines_between).strip():
        yield "Make all ifs one chain, with elif and else", replace_lines(ifs[0].head, end, lines)


def _swap(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    """Two branches of an `if` in the other order, each with its test."""
    for node in context.walk("if_statement"):
        for one, two in itertools.pairwise(clauses_of(context, node)):
            if two.word == "elif":
                heads = [context.view(clause.head, clause.first - 1) for clause in (two, one)]
                heads[0][0] = heads[0][0].replace(two.word, one.word, 1)
                heads[1][0] = heads[1][0].replace(one.word, two.word, 1)
                first, second = context.view(two.first, two.last), context.view(one.first, one.last)
                lines = [*heads[0], *first, *heads[1], *second]
                title = f"Swap the branches {named(one.node)} and {named(two.node)}, the second first"
                yield title, replace_lines(one.head, two.last, lines)


def _drop(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    """A clause less; an `if` whose first branch goes begins with the second."""
    for node in _touched(context, *COMPOUND):
        clauses = clauses_of(context, node)
        for at, clause in enumerate(clauses):
            if not context.shows(clause.head, clause.last):
                continue
            if at:
                yield f"Remove the branch {named(clause.node)}", delete_lines(clause.head, clause.last)
            elif len(clauses) > 1 and clauses[1].word == "elif":
                head = context.view(clauses[1].head, clauses[1].head)[0].replace("elif ", "if ", 1)
                yield (
                    f"Remove the branch {named(clause.node)}",
                    replace_lines(clause.head, clauses[1].head, [head]),
                )


def _unwrap(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """The body of a clause in place of the whole statement, or of an `else` behind it."""
    check = next((word for word in _CHECKS if word in arguments.words), None)
    yield from _else_alone(context)
    for node in context.walk(*COMPOUND):
        clauses = clauses_of(context, node)
        for clause in clauses:
            if clause.word in ("except", "finally", "elif") or (
                clause.word == "else" and clauses[0].word != "if"
            ):
                continue
            body = reindented(context, clause.first, clause.last, -step_of(clause))
            if body is not None:
                title = f"Always do what is in {named(clause.node)}: remove the {clauses[0].word}"
                if check is not None and clause.word == "if" and clause.test is not None:
                    title = f"Drop the {check} {' '.join(text_of(clause.test).split())}: always do what is in the if"
                yield title, replace_lines(clauses[0].head, clauses[-1].last, body)
        yield from _else_behind(context, clauses)
        if len(clauses) == 2 and clauses[1].word == "finally":
            parts = [reindented(context, one.first, one.last, -step_of(one)) for one in clauses]
            if parts[0] is not None and parts[1] is not None:
                title = "Remove the try, do what is in finally after it"
                yield title, replace_lines(clauses[0].head, clauses[1].last, [*parts[0], *parts[1]])


def _else_alone(context: RefactoringContext) -> Iterator[Proposal]:
    """An `else` that is selected without what it belongs to."""
    for node in context.walk("else_clause"):
        if node.parent is not None and not context.has(node.parent):
            yield from _else_behind(context, clauses_of(context, node.parent))


def _else_behind(context: RefactoringContext, clauses: Sequence[Clause]) -> Iterator[Proposal]:
    if len(clauses) < 2 or clauses[-1].word != "else":
        return
    last = clauses[-1]
    body = reindented(context, last.first, last.last, -step_of(last))
    if body is not None:
        yield f"Remove the else of the {clauses[0].word}", replace_lines(last.head, last.last, body)


def _default_first(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    """`x = a` before an `if` that gives it another value, and the same in an `else`."""
    for node in context.walk("if_statement"):
        clauses, indent = clauses_of(context, node), context.indent(node)
        if not clauses:
            continue
        last = clauses[-1]
        inner = last.statements
        before = node.prev_named_sibling
        if before is not None and before.type == "expression_statement" and last.word != "else":
            target = _target(before)
            if target and all(any(_target(s) == target for s in c.statements) for c in clauses):
                (first, end) = rows(before)
                step = step_of(last)
                moved = reindented(context, first, end, step)
                if moved is not None:
                    made = replace_lines(last.last + 1, last.last, [f"{indent}else:\n", *moved])
                    yield f"Move {named(before)} into an else, if/else", delete_lines(first, end) + made
        if len(clauses) == 2 and last.word == "else":
            yield from _first_as_default(context, node, clauses)
        if last.word == "else" and len(inner) == 1 and len(clauses) >= 2 and _target(inner[0]):
            if any(_reads(_target(inner[0]), c.test) for c in clauses if c.test is not None):
                continue
            moved = reindented(context, last.first, last.last, -step_of(last))
            if moved is not None:
                made = replace_lines(clauses[0].head, clauses[0].head - 1, moved)
                yield (
                    f"Move {named(inner[0])} before the if as the default, no else",
                    made + delete_lines(last.head, last.last),
                )


def _first_as_default(
    context: RefactoringContext, node: Node, clauses: Sequence[Clause]
) -> Iterator[Proposal]:
    """`x = a` before an `if` whose other branch gives it another value; in a line above that declares it, too."""
    (one, two), test, indent = clauses, clauses[0].test, context.indent(node)
    target = _target(one.statements[0]) if len(one.statements) == 1 else ""
    default = reindented(context, one.first, one.last, -step_of(one))
    if not target or target not in map(_target, two.statements) or default is None or test is None:
        return
    if _reads(target, test) or _reads(target, two.body):
        return  # which would be the default already
    start, before = one.head, node.prev_named_sibling
    if before is not None and rows(before)[1] == start - 1 and text_of(before).startswith(f"{target}: "):
        if before.named_children[0].child_by_field_name("right") is None and len(default) == 1:
            start = rows(before)[0]
            default = [default[0].replace(target, text_of(before), 1)]
    for turned in opposites(test)[:1]:
        lines = [*default, f"{indent}if {turned}:\n", *context.view(two.first, two.last)]
        title = f"Default {target} first, and only set it if {turned}: {named(one.statements[0])}"
        yield title, replace_lines(start, two.last, lines)


def _reads(target: str, node: Node) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(target)}(?!\w| = )", text_of(node)) is not None


def _target(statement: Node) -> str:
    """What a statement assigns to; none for another one."""
    only = statement.named_children[0] if statement.named_child_count == 1 else None
    left = only.child_by_field_name("left") if only is not None and only.type == "assignment" else None
    return text_of(left) if left is not None else ""


CONSOLIDATE_CONDITIONAL = Refactoring(
    "consolidate_conditional", "refactor.rewrite.consolidateConditional", _merge
)
NESTED_IF_TO_ELIF = Refactoring("nested_if_to_elif", "refactor.rewrite.nestedIfToElif", _elif)
SWAP_BRANCHES = Refactoring("swap_branches", "refactor.rewrite.swapBranches", _swap)
DROP_BRANCH = Refactoring("drop_branch", "refactor.rewrite.dropBranch", _drop)
UNWRAP_BLOCK = Refactoring("unwrap_block", "refactor.rewrite.unwrapBlock", _unwrap)
MOVE_DEFAULT = Refactoring("move_default", "refactor.rewrite.moveDefault", _default_first)
