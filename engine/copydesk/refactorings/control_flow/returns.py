"""Returns in other forms: one for two, two for one, with and without a variable."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import either_way, has_comment, lead_and_value, statements_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import Clause, clauses_of, in_one_line, named, plain_statements
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.control_flow.branch_values import values_by_branch
from copydesk.refactorings.edits import delete_lines, merged, replace_lines
from copydesk.refactorings.expressions import level_of
from copydesk.refactorings.negation import opposites
from copydesk.syntax.tree import rows, text_of

_PLAIN_TARGET = re.compile(r"[^\W\d]\w*(?:\.\w+)*")


def _one_return(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    """An `if` with an answer and another one behind it, before it, or in the `else`: one statement."""
    for node in context.walk("if_statement"):
        clauses = clauses_of(context, node)
        if not clauses or clauses[0].test is None or len(clauses) > 2 or len(clauses[0].statements) != 1:
            continue
        other, start, end = _other(context, node)
        yield from _kept_or_other(context, clauses[0])
        one, two = _answer(clauses[0].statements[0]), _answer(other) if other is not None else None
        test = in_one_line(clauses[0].test)
        if one is None or two is None or test is None or not context.shows(start, end):
            continue
        (lead, a), (second, b) = one, two
        target = second.partition(":")[0].removesuffix(" = ")
        if target != lead.partition(":")[0].removesuffix(" = "):
            continue
        forms = list(_forms(clauses[0].test, test, a, b))
        if other is not None and other.end_byte < node.start_byte:
            forms = list(_with_first(clauses[0].test, test, target, a, b)) or forms
        kept = [line for line in context.view(start, end) if line.strip().startswith("#")]
        for text in dict.fromkeys(forms):
            made = f"{max(lead, second, key=len)}{text}"
            lines = [f"{context.indent(node)}{line.lstrip()}" for line in (*kept, f"{made}\n")]
            kind = "ternary, conditional" if " else " in text else "one statement"
            yield f"Use a {kind}: {made}", replace_lines(start, end, lines)


def _kept_or_other(context: RefactoringContext, clause: Clause) -> Iterator[Proposal]:
    """`x = x or y` for a variable that gets another value where it is empty or None; `x = y if b else x` for other tests."""
    one, test = _answer(clause.statements[0]), text_of(clause.test) if clause.test is not None else ""
    target = one[0].removesuffix(" = ") if one is not None else ""
    alone = clause.node.type == "if_statement" and not clause.node.children_by_field_name("alternative")
    if one is not None and alone and test in (f"not {target}", f"{target} is None"):
        value, indent = _tight(one[1], 2), context.indent(clause.node)
        forms = {f"{target} or {value}": "Use or, one statement"}
        if test.endswith(" is None"):
            ternary = "Use a ternary, conditional, one line, default if None"
            forms[f"{value} if {target} is None else {target}"] = ternary
            forms[f"{target} if {target} is not None else {value}"] = ternary
            if value == "True":  # for None and False alike
                del forms[f"{target} or {value}"]
    elif one is not None and alone and clause.test is not None and _PLAIN_TARGET.fullmatch(target):
        value, indent, straight = _tight(one[1], 2), context.indent(clause.node), in_one_line(clause.test)
        found = [f"{target} if {turned} else {value}" for turned in opposites(clause.test)[:1]]
        if straight is not None and ":=" not in straight:
            found.append(f"{value} if {straight} else {target}")
        forms = dict.fromkeys(found, "Use a ternary, conditional, no if")
    else:
        return
    for form, title in forms.items():
        line = f"{target} = {form}"
        yield f"{title}: {line}", replace_lines(*rows(clause.node), [f"{indent}{line}\n"])


def _answer(statement: Node) -> tuple[str, str] | None:
    """What stands before the value of an assignment or a return, and the value in one line; that of a bare return is None."""
    if text_of(statement) == "return":
        return "return ", "None"
    found = lead_and_value(statement)
    value = in_one_line(found[1]) if found is not None else None
    return (found[0], value) if found is not None and value is not None else None


def _with_first(condition: Node, test: str, target: str, a: str, b: str) -> Iterator[str]:
    """For an `if` that gives a variable another value than the statement above it: where test or value read the variable, the
    value that it has.
    """
    name = re.compile(rf"(?<![\w.]){re.escape(target)}(?!\w)")
    if name.search(test):
        yield from (f"{b} or {a}",) if test in (f"not {target}", f"{target} is None") else ()
        yield from (f"{b} and {a}",) if test == target else ()
    elif name.search(a):
        first = f"({b})" if level_of(b) < 10 else b
        yield from _forms(condition, test, name.sub(lambda _: first, a), b)


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


def _forms(condition: Node, test: str, a: str, b: str) -> Iterator[str]:
    """What is `a` where the condition holds, else `b`."""
    turned = opposites(condition)[0]
    pair = f"{a} {b}"
    if pair == "True False":
        yield test
        yield f"bool({test})"
    elif pair == "False True":
        yield turned
    elif a == "True":
        yield f"{_tight(test, 2)} or {_tight(b, 2)}"
    elif a == "False":
        yield f"{_tight(turned, 3)} and {_tight(b, 3)}"
    elif b == "False":
        yield f"{_tight(test, 3)} and {_tight(a, 3)}"
    elif b == "True":
        yield f"{turned} or {a}"
    if a == test or test == f"{a} is not None":
        yield f"{a} or {b}"
    if turned == b or test == f"not {b}" or test == f"{b} is None":
        yield f"{b} or {a}"
    yield f"{_tight(a, 2)} if {test} else {_tight(b, 2)}"
    yield f"{_tight(b, 2)} if {turned} else {_tight(a, 2)}"


def _tight(text: str, level: int) -> str:
    """An operand that has to hold together so tightly (`level_of`)."""
    return f"({text})" if level_of(text) < level else text


def _two_returns(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    """A ternary, `or` or `and` written out."""
    for node in plain_statements(context, "expression_statement", "return_statement"):
        found = lead_and_value(node)
        if found is None:
            continue
        (lead, value), (first, last) = found, rows(node)
        while value.type == "parenthesized_expression" and value.named_child_count == 1:
            value = value.named_children[0]
        declared, annotated = lead.removesuffix(" = ").partition(": ")[:2]
        for test, one, two in values_by_branch(value):
            indent, returns = context.indent(node), lead == "return "
            if annotated:
                above = [f"{indent}{lead.removesuffix(' = ')}\n", f"{indent}if {test}:\n"]
                ends = [f"    {declared} = {one}\n", "else:\n", f"    {declared} = {two}\n"]
                lines = [*above, *(f"{indent}{line}" for line in ends)]
                yield (
                    f"Expand {named(node)} to if and else, declared above",
                    replace_lines(first, last, lines),
                )
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


def _to_if(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in plain_statements(context, "expression_statement", "return_statement"):
        found = lead_and_value(node)
        first, last = rows(node)
        if found is None or found[1].type != "conditional_expression" or first != last:
            continue
        lead, value = found
        if len(value.named_children) != 3:
            continue
        body, test, other = map(text_of, value.named_children)
        indent = context.indent(node)
        lines = [f"if {test}:", f"    {lead}{body}", "else:", f"    {lead}{other}"]
        yield (
            f"Expand {text_of(value)} to if/else",
            replace_lines(first, last, [f"{indent}{line}\n" for line in lines]),
        )


def _to_expression(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in context.walk("if_statement"):
        found = either_way(context, node)
        if (
            found is None
            or has_comment(context, *rows(node))
            or any(level_of(text_of(n)) < 2 for n in found[1:])
        ):
            continue
        line = f"{found[0]}{text_of(found[1])} if {text_of(found[2])} else {text_of(found[3])}"
        yield f"Contract to {line}", replace_lines(*rows(node), [f"{context.indent(node)}{line}\n"])


CONSOLIDATE_RETURNS = Refactoring(
    "consolidate_returns",
    "refactor.rewrite.consolidateReturns",
    _one_return,
    menu="cursor",
    offer=_to_expression,
    everywhere=True,
)
SPLIT_RETURN = Refactoring(
    "split_return", "refactor.rewrite.splitReturn", _two_returns, menu="cursor", offer=_to_if
)
RETURN_IN_BRANCHES = Refactoring("return_in_branches", "refactor.rewrite.returnInBranches", _in_branches)
