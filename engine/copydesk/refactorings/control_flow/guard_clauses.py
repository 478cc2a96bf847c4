"""Replace nested conditional with guard clauses: the short case first, which leaves, and the rest not nested; and back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import dropwhile

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import (
    LOOPS,
    assigned,
    body_lines,
    is_plain_if,
    movable,
    returns_value,
    shifted,
    statements_of,
)
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import Clause, clauses_of, reindented, step_of
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, delete_lines, insert_lines, merged, replace_lines
from copydesk.refactorings.expressions import LITERALS
from copydesk.refactorings.negation import opposite, opposites
from copydesk.syntax.splice import start_of
from copydesk.syntax.tree import rows, text_of


def return_early(context: RefactoringContext) -> Edits | None:
    """A function that ends in an `if` returns instead where the condition does not hold, and the rest moves left."""
    function = context.function()
    block = function.child_by_field_name("body") if function is not None else None
    if function is None or block is None or not block.named_children:
        return None
    node = block.named_children[-1]
    if node.type != "if_statement" or node.children_by_field_name("alternative") or not context.has(node):
        return None
    test, body = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
    turned = opposite(test) if test is not None else None
    if body is None or test is None or turned is None or returns_value(block):
        return None
    first, last = rows(node)
    (head,) = context.view(first, first)
    indent = context.indent(node)
    inner = context.split(start_of(body))[0] if body.start_point[0] >= first else ""
    lines = context.view(first + 1, last)
    step = inner[len(indent) :]
    if head.strip() != f"if {text_of(test)}:" or not step or inner.strip() or not movable(node, lines, step):
        return None
    left = [line[len(step) :] if line.strip() else line for line in lines]
    return replace_lines(first, last, [f"{indent}if {turned}:\n", f"{indent}{step}return\n", *left])


def _offer(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    yield "Return early", return_early(context)


def _continue(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for loop in context.walk("for_statement", "while_statement"):
        block = loop.child_by_field_name("body")
        node = block.named_children[-1] if block is not None and block.named_children else None
        if node is None or not is_plain_if(context, node):
            continue
        test, lines = node.child_by_field_name("condition"), body_lines(context, node, "consequence")
        turned = opposite(test) if test is not None else None
        if lines is None or turned is None:
            continue
        indent, body = context.indent(node), context.view(*lines)
        if movable(node, body, indent + "    "):
            head = [f"{indent}if {turned}:\n", f"{indent}    continue\n"]
            yield "Continue early", replace_lines(lines[0] - 1, lines[1], [*head, *shifted(body, -4)])


def exits_after(node: Node) -> list[str]:
    """How one leaves, where a statement is the last that a function or the body of a loop does."""
    block = node.parent
    owner = block.parent if block is not None and block.type == "block" else None
    if owner is None or block is None or statements_of(block)[-1] != node:
        return []
    if owner.type in LOOPS:
        return ["continue", "break", "return"]
    if owner.type == "function_definition":
        return ["return None", "return"] if returns_value(block) else ["return"]
    if owner.type in ("if_statement", "with_statement"):
        return exits_after(owner)
    outer = owner.parent
    last = outer is not None and owner.type in ("else_clause", "elif_clause") and outer.type == "if_statement"
    return exits_after(outer) if last and outer is not None else []


def _rest(node: Node) -> list[Node]:
    siblings = statements_of(node.parent)
    return siblings[siblings.index(node) + 1 :]


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in context.walk("if_statement"):
        clauses = clauses_of(context, node)
        if not clauses:
            continue
        only, rest = clauses[0], _rest(node)
        if only.test is None:
            continue
        if len(clauses) == 1:
            yield from _inverted(context, node, only, rest)
        elif len(clauses) == 2 and clauses[1].word == "else":
            yield from _else_first(context, node, only, clauses[1])
            yield from _leave_behind(context, node, only, clauses[1])


def _inverted(context: RefactoringContext, node: Node, only: Clause, rest: list[Node]) -> Iterator[Proposal]:
    """An `if` without `else`: its body is what comes when the opposite has left."""
    assert only.test is not None
    indent, step = context.indent(node), step_of(only)
    body = reindented(context, only.first, only.last, -step)
    if body is None:
        return
    inner = indent + " " * step
    end = only.last
    short: list[tuple[str, list[str]]] = [(jump, [f"{inner}{jump}\n"]) for jump in exits_after(node)]
    tail: list[str] = []
    if rest and context.has(rest[-1]):
        first, last = only.last + 1, rows(rest[-1])[1]
        moved = reindented(context, first, last, step)
        jump = text_of(rest[-1]).split("\n")[0]
        if moved is not None and rest[-1].type in (
            "return_statement",
            "raise_statement",
            "continue_statement",
        ):
            while moved and not moved[0].strip():
                del moved[0]
            if only.leaves:
                short, end = [(jump, moved)], last
            elif len(rest) == 1 and len(moved) == 1:
                short, end, tail = [_constant(node, jump, moved)], last, context.view(first, last)
        elif moved is not None and only.leaves and exits_after(rest[-1]):
            while moved and not moved[0].strip():
                del moved[0]
            short = [(jump, [*moved, f"{inner}{jump}\n"]) for jump in exits_after(rest[-1])]
            end = last
    for test in opposites(only.test):
        for jump, lines in short:
            head = f"{indent}if {test}:\n"
            yield (
                f"{_word(jump)} early if {test}: invert the if, {jump}",
                replace_lines(only.head, end, [head, *lines, *body, *tail]),
            )


def _constant(node: Node, jump: str, lines: list[str]) -> tuple[str, list[str]]:
    """A variable that is returned and has a constant from the statement before an `if`: that constant returned."""
    sides = assigned(node.prev_named_sibling) if node.prev_named_sibling is not None else None
    if (
        sides is None
        or jump != f"return {text_of(sides[0])}"
        or sides[1].type not in LITERALS
        or "\n" in text_of(sides[1])
    ):
        return jump, lines
    said = f"return {text_of(sides[1])}"
    return said, [line.replace(jump, said) for line in lines]


def _else_first(context: RefactoringContext, node: Node, first: Clause, other: Clause) -> Iterator[Proposal]:
    """An `if` with an `else` that leaves, or could: that comes first."""
    assert first.test is not None
    indent, step = context.indent(node), step_of(first)
    body = reindented(context, first.first, first.last, -step)
    if body is None:
        return
    for test in opposites(first.test)[:1]:
        for jump in [""] if other.leaves else exits_after(node):
            lines = [f"{indent}if {test}:\n", *context.view(other.first, other.last)]
            if jump:
                lines.append(f"{indent}{' ' * step}{jump}\n")
            yield (
                f"{_word(jump or 'return')} early if {test}: the else first, without nesting",
                replace_lines(first.head, other.last, [*lines, *body]),
            )


def _leave_behind(
    context: RefactoringContext, node: Node, first: Clause, other: Clause
) -> Iterator[Proposal]:
    """The first branch leaves, and the `else` is not needed."""
    rest = reindented(context, other.first, other.last, -step_of(other))
    if rest is None or first.leaves:
        return
    inner = context.indent(node) + " " * step_of(first)
    behind = _rest(node)
    ends = len(behind) == 1 and behind[0].type == "return_statement" and "\n" not in text_of(behind[0])
    for jump in [text_of(behind[0])] if ends and not other.leaves else exits_after(node):
        yield (
            f"{_word(jump)} early in the if, no else",
            replace_lines(
                first.head, other.last, [*context.view(first.head, first.last), f"{inner}{jump}\n", *rest]
            ),
        )


def _nest(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in context.walk("if_statement"):
        clauses, rest = clauses_of(context, node), _rest(node)
        if not clauses or clauses[-1].word == "else" or not rest or not context.has(rest[-1]):
            continue
        only, last = clauses[-1], rows(rest[-1])[1]
        moved = reindented(context, only.last + 1, last, step_of(only))
        if moved is None or not all(clause.leaves for clause in clauses):
            continue
        indent = context.indent(node)
        yield (
            f"Add an else behind {only.statements[-1].type.partition('_')[0]}",
            (*insert_lines(only.last + 1, [f"{indent}else:\n"]), *replace_lines(only.last + 1, last, moved)),
        )
        nested = list(dropwhile(lambda line: not line.strip(), moved))
        yield from _instead_of_jumps(context, clauses, rest, [f"{indent}else:\n", *nested])
        jump = text_of(only.statements[0])
        if (
            only.test is not None
            and len(clauses) == len(only.statements) == 1
            and jump in ("return", "continue")
        ):
            for test in opposites(only.test)[:1]:
                head = f"{indent}if {test}:\n"
                yield (
                    f"Nest the rest in if {test}, without {jump}",
                    replace_lines(only.head, last, [head, *nested]),
                )


def _instead_of_jumps(
    context: RefactoringContext, clauses: Sequence[Clause], rest: Sequence[Node], other: list[str]
) -> Iterator[Proposal]:
    """An `else` with the rest of the block, where branches need not leave then: nothing comes behind."""
    falls = exits_after(rest[-1])
    falls = falls[:1] if "continue" in falls else falls
    leaving = [clause for clause in clauses if text_of(clause.statements[-1]) in falls]
    if not leaving or any(len(clause.statements) == 1 for clause in leaving):
        return
    jumps = [clause.statements[-1] for clause in leaving]
    word, end = text_of(jumps[0]), rows(rest[-1])[1]
    gone = [delete_lines(*rows(jump)) for jump in jumps if context.starts_line(jump)]
    first = clauses[-1].last + 1
    yield f"Use an else instead of {word}", merged(*gone, replace_lines(first, end, other))
    head = rows(rest[0])[0]
    apart = any(line.strip() for line in context.view(first, head - 1))
    if len(rest) == 1 and rest[0].type == "if_statement" and not apart:
        (line,) = context.view(head, head)
        made = replace_lines(first, head, [line.replace("if ", "elif ", 1)])
        yield f"Use an elif instead of {word}", merged(*gone, made)


def _word(jump: str) -> str:
    return {"continue": "Continue", "raise": "Raise"}.get(jump.split()[0], "Return")


CONTINUE_EARLY = Refactoring("continue_early", "refactor.rewrite.continueEarly", _continue, menu="cursor")
GUARD_CLAUSE = Refactoring(
    "guard_clause", "refactor.rewrite.guardClause", _propose, menu="cursor", offer=_offer
)
NEST_AFTER_GUARD = Refactoring("nest_after_guard", "refactor.rewrite.nestAfterGuard", _nest)
