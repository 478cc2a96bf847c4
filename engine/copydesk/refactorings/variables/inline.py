"""Inline variable: a variable's value in its place."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import (
    count_of,
    function_of,
    has_comment,
    is_stored,
    next_statement,
    stands_alone,
    statement_before,
)
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import in_one_line
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, combined, delete_lines, merged, replace_lines, replace_nodes
from copydesk.refactorings.expressions import children_of, replace_expressions, single_line
from copydesk.syntax.splice import end_of, start_of
from copydesk.syntax.tree import identifiers, is_label, rows, text_of

_WHOLE = (
    "identifier", "attribute", "call", "subscript", "integer", "float", "string", "true", "false", "none", "list",
    "dictionary", "set", "tuple", "parenthesized_expression", "list_comprehension", "set_comprehension",
    "dictionary_comprehension",
)  # fmt: skip
"""What means the same wherever it stands in an expression."""
_LOOSE = (
    "binary_operator", "comparison_operator", "boolean_operator", "not_operator", "unary_operator", "await",
    "conditional_expression",
)  # fmt: skip
_ALONE = (
    "argument_list",
    "return_statement",
    "expression_list",
    "parenthesized_expression",
    "list",
    "assignment",
)
"""Where such a one stands as well."""
_PLAIN = ("identifier", "integer", "float", "true", "false", "none")
"""Values that are named for many reasons."""
_FILLED = ("dictionary", "dictionary_comprehension", "list", "list_comprehension", "set", "set_comprehension")
"""Values that are made anew in each place, and that a variable is often there to fill."""
_MOST_USES = 12
_LONG = 88
"""Columns. What is longer is not put in one line."""
_AWAY = frozenset({
    "inline", "inlined", "inlining", "directly", "direct", "straight", "drop", "remove", "delete", "without", "no", "not",
    "don", "need", "needed", "needless", "unneeded", "unnecessary", "redundant", "superfluous", "pointless", "useless", "rid",
    "away", "just", "instead", "only", "skip", "temp", "temporary", "fold", "merge", "put", "return", "pass", "back",
})  # fmt: skip
"""Words of those who want a variable gone."""


def inline_variable(name: str, sure: bool, context: RefactoringContext) -> Edits | None:
    """Where it is given once and used once, by the next statement. sure: that there is none means that nothing is left to do."""
    names = [n for n in context.walk("identifier") if text_of(n) == name and not is_label(n)]
    if not names:
        return () if sure else None
    if len(names) != 2 or is_stored(names[1]) or count_of(name, names[0]) != 2:
        return None
    given, used = names
    assignment, behind = given.parent, statement_before(used)
    if assignment is None or assignment.type != "assignment" or behind is None:
        return None
    left, type, value = (assignment.child_by_field_name(field) for field in ("left", "type", "right"))
    statement = assignment.parent
    if left != given or type is not None or value is None or statement is None:
        return None
    first, last = rows(statement)
    alone = context.split(start_of(statement))[0] + context.split(end_of(statement))[1]
    if _is_spread(used, value):
        return None  # its entries can stand there
    loose = value.type in _LOOSE and used.parent is not None and used.parent.type in _ALONE
    if not (value.type in _WHOLE or loose) or first != last or alone.strip():
        return None
    made = (
        replace_nodes(context.lines, [(used, text_of(value))])
        if statement.next_named_sibling == behind
        else None
    )
    return (*delete_lines(first, first), *made) if made else None


def _offer(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for assignment in context.walk("assignment"):
        left = assignment.child_by_field_name("left")
        if left is not None and left.type == "identifier" and not _asked_for(assignment, arguments):
            yield f'Inline variable "{text_of(left)}"', inline_variable(text_of(left), False, context)


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """Also where it is used more than once, or later, when its value may be another one."""
    parts: dict[str, dict[int, Edits]] = {}
    named: dict[str, Edits] = {}
    for assignment in context.walk("assignment"):
        left, right = assignment.child_by_field_name("left"), assignment.child_by_field_name("right")
        statement = assignment.parent
        if left is None or right is None or statement is None or not stands_alone(context, statement):
            continue
        if _asked_for(assignment, arguments):
            continue
        yield from _returned(context, arguments, statement, left, right)
        value = in_one_line(right)
        if left.type == "identifier" and value is not None:
            values = [value] if right.type in _WHOLE else [f"({value})", value]
            yield from _assigned_again(context, statement, left, values[0])
            for title, edits in _everywhere(context, statement, left, right, values):
                yield title, edits
                if edits and title.endswith(" everywhere") and arguments.mentions(text_of(left)):
                    named.setdefault(text_of(left), edits)
                if edits and " of line " in title:
                    parts.setdefault(text_of(left), {}).setdefault(statement.start_byte, edits)
    for name, several in parts.items():
        if len(several) > 1:
            yield f'Inline variable "{name}" everywhere', combined(context.lines, several.values())
    if len(named) > 1:
        title = f"Inline variables {' and '.join(named)} everywhere"
        yield title, combined(context.lines, named.values())


def _asked_for(assignment: Node, arguments: Arguments) -> bool:
    """Whether the instruction names both, the variable and its value, and nothing says that it is to go: then somebody wants
    what is there already.
    """
    left, right = assignment.child_by_field_name("left"), assignment.child_by_field_name("right")
    if left is None or right is None or right.type in _PLAIN or arguments.words & _AWAY:
        return False
    return arguments.mentions(text_of(left)) and arguments.mentions(text_of(right))


def _everywhere(
    context: RefactoringContext, statement: Node, left: Node, right: Node, values: list[str]
) -> Iterator[Proposal]:
    """In all uses, up to where the variable is given another value."""
    name, scope = text_of(left), function_of(statement)
    names = [n for n in identifiers(scope) if text_of(n) == name and not is_label(n)] if scope else []
    behind = [n for n in names if n.start_byte >= statement.end_byte]
    uses = list(takewhile(lambda node: not is_stored(node), behind))
    again = behind[len(uses)].parent if len(uses) < len(behind) else None
    old = again is not None and any(node.end_byte <= again.end_byte for node in behind[len(uses) + 1 :])
    if not 0 < len(uses) <= _MOST_USES or old or (again is not None and again.type != "assignment"):
        return  # what gives it the other value reads this one
    if right.type in _FILLED and (len(uses) > 1 or _is_owner(uses[0])):
        return
    end = statement.parent.end_byte if statement.parent is not None else statement.end_byte
    if any(use.end_byte > end for use in uses) and any(
        is_stored(n) for n in names if n.start_byte < statement.start_byte
    ):
        return  # another branch may have given it another value
    if right.type == "parenthesized_expression" and all(
        use.parent is not None and use.parent.type in _ALONE for use in uses
    ):
        values = [value.removeprefix("(").removesuffix(")").strip() for value in values]
    where = "everywhere" if len(uses) == len(names) - 1 else f"of line {rows(statement)[0]}"
    if len(uses) == 1 and uses[0].parent is not None and _is_spread(uses[0], right):
        entries = ", ".join(filter(None, map(in_one_line, children_of(right))))
        put = replace_nodes(context.lines, [(uses[0].parent, entries)])
        title = f'Inline variable "{name}": its values as arguments, directly, no list'
        yield title, merged(delete_lines(*rows(statement)), put)
        return
    laid_out = _as_laid_out(context, statement, right, uses)
    if laid_out:
        yield f'Inline variable "{name}" {where}', merged(delete_lines(*rows(statement)), laid_out)
    loose = replace_expressions(context, [(use, values[-1]) for use in uses]) if len(values) > 1 else None
    if loose and not laid_out:  # in brackets where they are needed
        yield f'Inline variable "{name}" {where}', merged(delete_lines(*rows(statement)), loose)
    for value in values if not laid_out and not loose else ():
        put = replace_nodes(context.lines, [(use, value) for use in uses])
        yield f'Inline variable "{name}" {where}', merged(delete_lines(*rows(statement)), put)
    yield (
        f'Inline variable "{name}" once, keep it',
        replace_nodes(context.lines, [(uses[-1], values[0])]),
    )


def _as_laid_out(context: RefactoringContext, statement: Node, right: Node, uses: list[Node]) -> Edits | None:
    """A value of several lines in place of the one argument of a call, line by line, where it would be a long line otherwise."""
    holder, behind = uses[0].parent, statement_before(uses[0])
    alone = holder is not None and holder.type == "argument_list" and holder.named_child_count == 1
    if single_line(right) or len(uses) > 1 or not alone or holder is None or behind is None:
        return None
    line = context.view(*rows(uses[0]))[0].rstrip()
    same = context.indent(behind) == context.indent(statement)
    if not same or len(line) + len(in_one_line(right) or "") <= _LONG or not single_line(holder):
        return None
    if right.type != "parenthesized_expression":
        return replace_nodes(context.lines, [(uses[0], text_of(right))])
    return replace_nodes(context.lines, [(holder, text_of(right))])


def _is_spread(use: Node, value: Node) -> bool:
    """Whether the entries of a list or a tuple become arguments there: `f(*values)`."""
    above = use.parent
    return above is not None and above.type == "list_splat" and value.type in ("list", "tuple")


def _is_owner(use: Node) -> bool:
    """Whether something of what it holds is taken or changed there."""
    return use.parent is not None and use.parent.type in ("attribute", "subscript")


def _assigned_again(
    context: RefactoringContext, statement: Node, left: Node, value: str
) -> Iterator[Proposal]:
    """A value that the next statement takes once, and gives the name another one."""
    name, behind = text_of(left), next_statement(statement)
    if behind is None or not text_of(behind).startswith(f"{name} = "):
        return
    uses = [n for n in identifiers(behind) if text_of(n) == name and not is_label(n) and not is_stored(n)]
    if len(uses) == 1:
        put = replace_nodes(context.lines, [(uses[0], value)])
        yield f"Combine both statements that assign {name}", merged(delete_lines(*rows(statement)), put)
        yield from _all_assigned_again(context, statement, name, value)


def _all_assigned_again(
    context: RefactoringContext, statement: Node, name: str, value: str
) -> Iterator[Proposal]:
    """More than two such statements in a row, each of which takes the value of the one above: all of them."""
    count, behind, first = 1, next_statement(statement), rows(statement)[0]
    above = statement.prev_named_sibling
    goes_on = sum(text_of(n) == name and not is_label(n) for n in identifiers(statement)) > 1
    if above is not None and context.has(above) and text_of(above).startswith(f"{name} = ") and goes_on:
        return
    made: Proposal | None = None
    while behind is not None and text_of(behind).startswith(f"{name} = "):
        uses = [n for n in identifiers(behind) if text_of(n) == name and not is_label(n) and not is_stored(n)]
        right = behind.named_children[0].child_by_field_name("right")
        if (
            len(uses) != 1
            or right is None
            or not single_line(behind)
            or has_comment(context, first, rows(behind)[1])
            or not context.has(behind)
        ):
            break
        raw, at = text_of(right).encode(), uses[0].start_byte - right.start_byte
        whole = (raw[:at] + value.encode() + raw[at + len(name.encode()) :]).decode()
        count += 1
        if count > 2:
            line = f"{context.indent(statement)}{name} = {whole}\n"
            title = f"Combine all {count} statements that assign {name}, chain them"
            made = title, replace_lines(first, rows(behind)[1], [line])
        value, behind = whole if right.type in _WHOLE else f"({whole})", next_statement(behind)
    if made is not None:
        yield made


def _returned(
    context: RefactoringContext, arguments: Arguments, statement: Node, left: Node, right: Node
) -> Iterator[Proposal]:
    """A value that is returned at once, by whatever names it has."""
    behind, name, indent = next_statement(statement), text_of(left), context.indent(statement)
    if behind is None or behind.type != "return_statement" or behind.named_child_count != 1:
        return
    if text_of(behind.named_children[0]) != name:
        return
    if right.type != "assignment":
        title, text = f"Return the value directly, {name} is not needed", f"return {text_of(right)}"
    else:
        target, chained = right.child_by_field_name("left"), in_one_line(right)
        if target is None or chained is None or (target.type == "subscript" and not arguments.mentions(name)):
            return  # an entry that is read again may not be the same
        title = f"{name} is not needed, return {text_of(target)}"
        text = f"{chained}\n{indent}return {text_of(target)}"
    yield title, replace_lines(rows(statement)[0], rows(behind)[1], [f"{indent}{text}\n"])


INLINE_VARIABLE = Refactoring("inline_variable", "refactor.inline", _propose, menu="cursor", offer=_offer)
