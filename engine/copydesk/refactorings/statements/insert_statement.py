"""A statement that an instruction spells out: at a place, or in place of another one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import (
    LOOPS,
    can_leave,
    function_of,
    is_text,
    next_statement,
    statements_of,
)
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import COMPOUND, clauses_of, named, place_before, plain_statements
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import insert_lines, replace_lines, replace_node
from copydesk.refactorings.requested import (
    composed_statements,
    logging_calls,
    named_pairs,
    raises,
    requested_statements,
    subjects,
)
from copydesk.refactorings.spoken import named_in, spoken_values
from copydesk.syntax.tree import rows, text_of

_FALLING_BACK = frozenset(
    {"fall", "fallback", "otherwise", "else", "default", "end", "nothing", "none", "other", "others", "no"}
)
"""Words of an instruction that says what is returned where nothing else was."""

_OTHERWISE = frozenset({"otherwise", "else", "other", "others", "no"})
"""Those of them that say that nothing before was the case."""
_HANDING_BACK = frozenset({"return", "returned", "back", "hand", "give", "caller"})
"""Words of an instruction that wants something returned."""
_CHAINING = frozenset({"chain", "chaining", "chained", "fluent"})
"""Words of an instruction that wants calls of a method behind one another."""

_LEAVING = re.compile(r"(?:return|raise|break|continue)\b")
"""What is behind one of these is never reached."""
_JUMPS = ("pass_statement", "continue_statement", "break_statement")


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    statements = list(plain_statements(context))
    for statement in composed_statements(context, arguments):
        for node in _fitting(statements, statement):
            plain = re.fullmatch(r"assert [\w.]+", statement) is not None
            yield (
                f"Add {statement}{', not empty,' if plain else ''} before {named(node)}",
                insert_lines(place_before(context, node), [f"{context.indent(node)}{statement}\n"]),
            )
    made = [*requested_statements(context, arguments), *list(logging_calls(context, arguments))[:4]]
    if "return" in arguments.words or "returns" in arguments.words:
        made += ["return", "return None", "return self"]
    if arguments.words & _HANDING_BACK:
        named_ones = named_in(arguments, sorted(context.variables()), 3)
        spelt = [name for name in named_ones if arguments.mentions(name)]
        returned = [*named_pairs(context, arguments)] or spelt or named_ones
        made += [f"return {name}" for name in returned if name not in ("self", "cls")]
    if arguments.words & _CHAINING:
        made.append("return self")
    if arguments.words & _FALLING_BACK:
        made += [
            f"return {value}" for value in (*spoken_values(arguments), *subjects(context, arguments, 2))
        ][:4]
    made += raises(arguments)[:2]
    if "raise" in arguments.words or arguments.words & {"re", "reraise", "rethrow"}:
        made.append("raise")
    jumps = {
        "break": "break",
        "stop": "break",
        "enough": "break",
        "first": "break",
        "continue": "continue",
        "skip": "continue",
        "pass": "pass",
    }
    made += [jump for word, jump in jumps.items() if word in arguments.words]
    made += ["..."] if "ellipsis" in arguments.words or "..." in arguments.instruction else []
    made = list(dict.fromkeys(made))[:8]
    if not made:
        return
    statements.sort(key=lambda node: not _meant(node, arguments))
    for statement in made:
        for node in statements[:24]:
            yield from _round(context, node, statement, arguments)
        yield from _other_jump(context, statement)
        yield from _for_bodies(context, statement)
        yield from _at_ends(context, statement)


def _fitting(statements: Sequence[Node], statement: str) -> list[Node]:
    """Before which statements a composed one may stand: an attribute among others, an assertion where its subject is read."""
    simple = [node for node in statements if node.type.endswith("_statement") and not is_text(node)]
    if statement.startswith("assert "):
        reads = [n for n in simple if statement.split()[1] in text_of(n)]
        return list(dict.fromkeys([*reads[:2], *simple[:1]]))
    kept = [n for n in simple if text_of(n).startswith("self.")]
    behind = [n.next_named_sibling for n in kept if n.next_named_sibling in simple]
    return [*kept[:1], *filter(None, behind[::-1][:3])]


def _meant(node: Node, arguments: Arguments) -> bool:
    return any(
        word in arguments.words for word in text_of(node).lower().split("\n")[0].replace("(", " ").split()
    )


def _round(
    context: RefactoringContext, node: Node, statement: str, arguments: Arguments
) -> Iterator[Proposal]:
    above = node.parent.parent if node.parent is not None else None
    if not can_leave(statement, node) or (above is not None and _reports_target(statement, above)):
        return  # `print_variable` says once where a loop's own variable is shown
    indent, (first, last) = context.indent(node), rows(node)
    line = f"{indent}{statement}\n"
    if node.type not in ("function_definition", "class_definition", "decorated_definition") and not is_text(
        node
    ):
        behind = _returned_behind(node) if statement in ("return", "return None") else ""
        if behind:
            made = f"{indent}return {behind}\n"
            yield f"Return {behind} directly instead of break", replace_lines(first, last, [made])
        elif node.type not in COMPOUND:
            yield f"Put {statement} in place of {named(node)}", replace_lines(first, last, [line])
        if statement == "pass" or node.type == "pass_statement":
            return  # which does nothing beside another one
        place = place_before(context, node)
        if not _LEAVING.match(statement) and not _reports_target(
            statement, node
        ):  # what follows would not be reached
            yield f"Add {statement} before {named(node)}", insert_lines(place, [line])
    siblings = statements_of(node.parent)
    looped = node.parent is not None and node.parent.parent is not None and node.parent.parent.type in LOOPS
    once = statement.startswith("return") and looped  # in the first round, whatever happens there
    if node == siblings[-1] and not once and not node.type.startswith(("return", "raise")):
        title = f"Add {statement} after {named(node)}"
        ends = statement.startswith("return ") and function_of(node) is not None
        if ends and node.type == "if_statement" and arguments.words & _OTHERWISE:
            title = f"Otherwise {statement}, at the end, for any other: after {named(node)}"
        yield title, insert_lines(last + 1, [line])


def _reports_target(statement: str, node: Node) -> bool:
    """Whether a call reports what only the loop below it gives a value."""
    target = node.child_by_field_name("left") if node.type == "for_statement" else None
    reported = re.fullmatch(r"print\(([^\W\d]\w*)\)", statement)
    return target is not None and reported is not None and reported[1] in re.findall(r"\w+", text_of(target))


def _returned_behind(node: Node) -> str:
    """What is returned right behind the loop that a `break` leaves."""
    above: Node | None = node if node.type == "break_statement" else None
    while above is not None and above.type not in LOOPS:
        above = above.parent
    after = next_statement(above) if above is not None else None
    plain = after is not None and after.type == "return_statement" and above is not None
    if not plain or after is None or above is None or above.child_by_field_name("alternative") is not None:
        return ""
    return text_of(after).removeprefix("return").strip()


def _other_jump(context: RefactoringContext, statement: str) -> Iterator[Proposal]:
    """One word for another, with the comment behind it."""
    for node in context.walk(*_JUMPS) if f"{statement}_statement" in _JUMPS else ():
        if can_leave(statement, node):
            title = f"Put {statement} in place of {text_of(node)}"
            yield title, replace_node(context.lines, node, statement)


def _for_bodies(context: RefactoringContext, statement: str) -> Iterator[Proposal]:
    """In place of all that a branch, an `except` or a loop does."""
    for node in context.walk("if_statement", "for_statement", "try_statement"):
        for clause in clauses_of(context, node):
            if len(clause.statements) > 1 and can_leave(statement, clause.statements[0]):
                line = f"{context.indent(clause.statements[0])}{statement}\n"
                title = f"Put {statement} in place of the body of {named(clause.node)}"
                yield title, replace_lines(clause.first, clause.last, [line])


def _at_ends(context: RefactoringContext, statement: str) -> Iterator[Proposal]:
    """In `except` clauses and `else` branches that only pass, and as a new `else`."""
    for node in context.walk("if_statement", "for_statement", "try_statement"):
        clauses = clauses_of(context, node)
        if not clauses or clauses[-1].word in ("else", "finally") or not can_leave(statement, node):
            continue
        indent = context.indent(node)
        inner = context.indent(clauses[0].statements[0]) if clauses[0].statements else indent + "    "
        where = "for any other case of" if node.type == "if_statement" else "to"
        title = f"Add else: {statement} {where} {named(node)}"
        if node.type == "for_statement":
            if "break" not in text_of(node):
                continue
            title = f"{title}, if nothing is found"
        yield (
            title,
            insert_lines(clauses[-1].last + 1, [f"{indent}else:\n", f"{inner}{statement}\n"]),
        )


INSERT_STATEMENT = Refactoring("insert_statement", "refactor.rewrite.insertStatement", _propose)
