"""Returns in other forms: one for two, two for one, with and without a variable."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import lead_and_value, statements_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import clauses_of, in_one_line, named, plain_statements
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.control_flow.branch_values import values_by_branch
from copydesk.refactorings.edits import delete_lines, insert_lines, merged, replace_lines
from copydesk.refactorings.expressions import LOOSE
from copydesk.refactorings.negation import opposites
from copydesk.syntax.tree import rows, text_of

_LOOSE = (*LOOSE, "boolean_operator", "expression_list")


def _one_return(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    """An `if` with an answer and another one behind it, or in the `else`: one statement."""
    for node in context.walk("if_statement"):
        clauses = clauses_of(context, node)
        if not clauses or clauses[0].test is None or len(clauses) > 2 or len(clauses[0].statements) != 1:
            continue
        one = lead_and_value(clauses[0].statements[0])
        other, start, end = _other(context, node)
        two = lead_and_value(other) if other is not None else None
        if one is None or two is None or one[0] != two[0] or not context.shows(start, end):
            continue
        test = in_one_line(clauses[0].test)
        a, b = in_one_line(one[1]), in_one_line(two[1])
        if test is None or a is None or b is None:
            continue
        kept = [line for line in context.view(start, end) if line.strip().startswith("#")]
        for text in dict.fromkeys(_forms(clauses[0].test, test, one[1], a, two[1], b)):
            lines = [*_aligned(kept, context.indent(node)), f"{context.indent(node)}{one[0]}{text}\n"]
            kind = "ternary, conditional" if " else " in text else "one statement"
            yield f"Use a {kind}: {one[0]}{text}", replace_lines(start, end, lines)


def _other(context: RefactoringContext, node: Node) -> tuple[Node | None, int, int]:
    """What an `if` is one of two ways of: in its `else`, behind it, or before it; and the lines of both."""
    clauses, (first, last) = clauses_of(context, node), rows(node)
    if len(clauses) == 2 and clauses[1].word == "else" and len(clauses[1].statements) == 1:
        return clauses[1].statements[0], first, last
    siblings = statements_of(node.parent)
    at = siblings.index(node)
    only = clauses[0].statements[0]
    if len(clauses) == 1 and only.type == "return_statement" and at + 1 < len(siblings):
        return siblings[at + 1], first, rows(siblings[at + 1])[1]
    if len(clauses) == 1 and only.type == "expression_statement" and at:
        return siblings[at - 1], rows(siblings[at - 1])[0], last
    return None, 0, 0


def _aligned(comments: list[str], indent: str) -> list[str]:
    return [f"{indent}{line.lstrip()}" for line in comments]


def _forms(condition: Node, test: str, one: Node, a: str, two: Node, b: str) -> Iterator[str]:
    def tight(node: Node, text: str) -> str:
        return f"({text})" if node.type in _LOOSE else text

    turned = opposites(condition)[0]
    pair = f"{a} {b}"
    if pair == "True False":
        yield test
        yield f"bool({test})"
    elif pair == "False True":
        yield turned
    elif a == "True":
        head = test if condition.type == "boolean_operator" else tight(condition, test)
        yield f"{head} or {f'({b})' if two.type == 'conditional_expression' else b}"
    elif a == "False":
        yield f"{_bracketed(turned)} and {_and_side(two, b)}"
    elif b == "False":
        yield f"{_bracketed(test)} and {_and_side(one, a)}"
    elif b == "True":
        yield f"{turned} or {a}"
    if a == test or test == f"{a} is not None":
        yield f"{a} or {b}"
    if turned == b or test == f"not {b}" or test == f"{b} is None":
        yield f"{b} or {a}"
    left, right = (
        text if node.type not in ("conditional_expression", "lambda", "expression_list") else f"({text})"
        for node, text in ((one, a), (two, b))
    )
    yield f"{left} if {test} else {right}"
    yield f"{right} if {turned} else {left}"


def _bracketed(test: str) -> str:
    return f"({test})" if " or " in test else test


def _and_side(node: Node, text: str) -> str:
    loose = node.type in ("conditional_expression", "lambda") or (
        node.type == "boolean_operator" and " or " in text
    )
    return f"({text})" if loose else text


def _two_returns(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    """A ternary, `or` or `and` written out."""
    for node in plain_statements(context, "expression_statement", "return_statement"):
        found = lead_and_value(node)
        if found is None:
            continue
        (lead, value), (first, last) = found, rows(node)
        while value.type == "parenthesized_expression" and value.named_child_count == 1:
            value = value.named_children[0]
        for test, one, two in values_by_branch(value):
            indent, returns = context.indent(node), lead == "return "
            head = [f"{indent}if {test}:\n", f"{indent}    {lead}{one}\n"]
            yield (
                f"Expand {named(node)} to if and else",
                replace_lines(first, last, [*head, f"{indent}else:\n", f"{indent}    {lead}{two}\n"]),
            )
            if returns:
                yield (
                    f"Expand {named(node)} to two returns",
                    replace_lines(first, last, [*head, f"{indent}{lead}{two}\n"]),
                )
            elif one != two:
                if two != lead.removesuffix(" = "):
                    head = [f"{indent}{lead}{two}\n", *head]
                yield f"Expand {named(node)} to a default and an if", replace_lines(first, last, head)


def _in_branches(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    """Branches that give a variable its value, and a return of it: each branch returns."""
    for node in context.walk("if_statement", "try_statement", "with_statement"):
        siblings = statements_of(node.parent)
        at = siblings.index(node) if node in siblings else -1
        behind = siblings[at + 1] if 0 <= at < len(siblings) - 1 else None
        if behind is None or behind.type != "return_statement" or behind.named_child_count != 1:
            continue
        name = text_of(behind.named_children[0])
        clauses = clauses_of(context, node)
        edits = []
        for clause in clauses:
            last = clause.statements[-1]
            given = lead_and_value(last)
            if given is not None and given[0] == f"{name} = ":
                value = text_of(given[1]).split("\n")
                first, end = rows(last)
                lines = [f"{context.indent(last)}return {value[0]}\n", *(f"{line}\n" for line in value[1:])]
                edits.append(replace_lines(first, end, lines))
            elif not clause.leaves:
                break
        else:
            complete = bool(clauses) and (clauses[-1].word == "else" or clauses[0].word in ("with", "try"))
            if edits and complete:
                yield (
                    f"Return in each branch, without {name}",
                    merged(*edits, delete_lines(*rows(behind))),
                )
                before = siblings[at - 1] if at else None
                if before is not None and text_of(before).startswith((f"{name} = ", f"{name}:")):
                    yield (
                        f"Return in each branch, drop {name}",
                        merged(delete_lines(*rows(before)), *edits, delete_lines(*rows(behind))),
                    )
            elif edits and clauses:
                yield f"Return in each branch, {name} else", merged(*edits)


def _bare(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """`return` and `return None`, a call and its value, what falls off the end."""
    function = context.function()
    for node in plain_statements(context, "return_statement", "expression_statement"):
        indent, (first, last), text = context.indent(node), rows(node), text_of(node)
        if text in ("return", "return None"):
            other = "return None" if text == "return" else "return"
            yield f"Write {other}", replace_lines(first, last, [f"{indent}{other}\n"])
        elif node.type == "return_statement":
            value = node.named_children[0]
            if value.type in ("call", "await", "yield"):
                lines = context.view(first, last)
                lines[0] = lines[0].replace("return ", "", 1)
                yield f"Call {named(value)} without returning it", replace_lines(first, last, lines)
                yield (
                    f"Call {named(value)} on its own line, then return",
                    replace_lines(first, last, [*lines, f"{indent}return\n"]),
                )
            yield f"Return None, not {named(value)}", replace_lines(first, last, [f"{indent}return\n"])
        elif node.named_children[0].type in ("call", "await"):
            lines = context.view(first, last)
            lines[0] = f"{indent}return {lines[0].lstrip()}"
            head, _, _ = text.partition("\n")
            yield f"Return {head}", replace_lines(first, last, lines)
    body = function.child_by_field_name("body") if function is not None else None
    end = statements_of(body)[-1] if body is not None and statements_of(body) else None
    if function is None or end is None or end.type == "return_statement":
        return
    names = [n for n in arguments.names if n in context.names()][:4]
    fixed = [v for v in ("None", "True", "False", "self") if v.lower() in arguments.words]
    for answer in dict.fromkeys([*fixed, *names]):
        yield (
            f"Return {answer} at the end",
            insert_lines(rows(end)[1] + 1, [f"{context.indent(end)}return {answer}\n"]),
        )


CONSOLIDATE_RETURNS = Refactoring("consolidate_returns", "refactor.rewrite.consolidateReturns", _one_return)
SPLIT_RETURN = Refactoring("split_return", "refactor.rewrite.splitReturn", _two_returns)
RETURN_IN_BRANCHES = Refactoring("return_in_branches", "refactor.rewrite.returnInBranches", _in_branches)
RETURN_OR_NOT = Refactoring("return_or_not", "refactor.rewrite.returnOrNot", _bare)
