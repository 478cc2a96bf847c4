"""Raised errors: their cause, and a raise in place of an assert."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import (
    assigned,
    can_leave,
    following,
    function_of,
    next_statement,
    selected_statements,
)
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import JUMPS, named
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import insert_at, replace_lines, replace_node, rewrite_node
from copydesk.refactorings.errors.except_head import except_head
from copydesk.refactorings.expressions import callee, positional
from copydesk.refactorings.negation import opposites
from copydesk.refactorings.requested import requested_jumps
from copydesk.refactorings.strings.lazy_logging import LEVELS
from copydesk.request import Range
from copydesk.syntax.splice import end_of
from copydesk.syntax.tree import identifiers, rows, text_of

_NO_CAUSE = "Raise from None: no cause, do not chain"
_ERROR_NAMES = ("e", "exc", "err", "ex", "error")


def _chain_caught(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in context.walk("raise_statement"):
        clause, given = _clause_of(node), node.child_by_field_name("cause")
        if given is not None:
            yield _NO_CAUSE, replace_node(context.lines, given, "None")
        if clause is None or given is not None or not node.named_children:
            continue
        for cause in _caught_as(clause):
            yield f"Raise from {cause}", insert_at(context.lines, end_of(node), f" from {cause}")
        yield _NO_CAUSE, insert_at(context.lines, end_of(node), " from None")


def _clause_of(node: Node) -> Node | None:
    above = node.parent
    while above is not None and above.type not in ("except_clause", "function_definition", "lambda"):
        above = above.parent
    return above if above is not None and above.type == "except_clause" else None


def _caught_as(clause: Node) -> Iterator[str]:
    for node in clause.named_children:
        if node.type == "as_pattern" and (target := node.child_by_field_name("alias")) is not None:
            yield text_of(target)


def _chain(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """Another cause, one that gets its name for it, or none."""
    for clause in context.starting("except_clause"):
        head = except_head(context, clause)
        if head is None:
            continue
        names = dict.fromkeys([*(n for n in arguments.names if n in _ERROR_NAMES), *_ERROR_NAMES[:3]])
        for node in context.walk("raise_statement"):
            inside = clause.start_byte < node.start_byte and node.end_byte <= clause.end_byte
            if not inside or not node.named_children:
                continue
            text, lines = text_of(node), context.lines
            if node.child_by_field_name("cause") is not None:
                text = text[: text.rindex(" from ")]
                yield "Raise without from", rewrite_node(lines, node, text)
            for name in [head.name] if head.name else names:
                made = rewrite_node(lines, node, f"{text} from {name}")
                caught = () if head.name else head.changed(name=name)
                yield f"Chain the exception, raise from {name} as the cause", caught + made
            none = rewrite_node(lines, node, f"{text} from None")
            yield _NO_CAUSE, none
            cause = bool(head.name) and text_of(node).endswith(f" from {head.name}")
            uses = len(re.findall(rf"\b{head.name}\b", text_of(clause)))
            if cause and uses == 2:  # its name, and the cause
                yield f"Raise from None, without {head.name}", head.changed(name="") + none
            bare = rewrite_node(lines, node, "raise")
            yield "Re-raise the original, bare raise", bare
            if head.name and text == f"raise {head.name}" and uses == 2:
                yield f"Re-raise the original, bare raise, without {head.name}", head.changed(name="") + bare


def _for_assert(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for node in selected_statements(context, "assert_statement"):
        test, *message = node.named_children
        turned = next(iter(opposites(test)), None)
        if turned is None:
            continue
        calls = [
            code for code in arguments.code if code.startswith(arguments.exceptions) and code.endswith(")")
        ]
        for error in arguments.exceptions:
            if message:
                calls.append(f"{error}({text_of(message[0])})")
            else:
                texts = (text for text in arguments.texts if text != arguments.instruction)
                calls += [f'{error}("{text}")' for text in texts if '"' not in text]
                calls.append(error)
        indent = context.indent(node)
        jumps = [jump for jump in requested_jumps(context, arguments) if can_leave(jump, node)]
        for jump in [*(f"raise {call}" for call in calls), *(jumps[:4] if not calls else ())]:
            always = text_of(test) in ("False", "0")
            lines = [f"{indent}{jump}\n"] if always else [f"{indent}if {turned}:\n", f"{indent}    {jump}\n"]
            title = f"{jump[0].upper()}{jump[1:]} instead of the assert"
            yield title, replace_lines(*rows(node), lines)


def _for_log(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """An error raised with the message that is logged, and no other way out behind it."""
    for node in selected_statements(context, "expression_statement") if arguments.exceptions else ():
        call = node.named_children[0]
        owner, _, level = callee(call).rpartition(".")
        given = positional(call) if "log" in owner.lower() and level in LEVELS else None
        if not given:
            continue
        values = ", ".join(map(text_of, given[1:]))
        message = text_of(given[0]) + (f" % ({values}{',' if len(given) == 2 else ''})" if values else "")
        behind = next_statement(node)
        last = behind if behind is not None and behind.type in JUMPS and context.has(behind) else node
        for error in arguments.exceptions:
            raised = f"raise {error}({message})"
            put = replace_lines(rows(node)[0], rows(last)[1], [f"{context.indent(node)}{raised}\n"])
            yield f"{raised[0].upper()}{raised[1:]} instead of {named(node)}", put


def _no_raise(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """A way out in place of a raised error: what the instruction names, or what the function returns elsewhere."""
    ways = [
        *(jump for jump in requested_jumps(context, arguments) if not jump.startswith("raise")),
        "return",
        "pass",
    ]
    for node in selected_statements(context, "raise_statement"):
        indent = context.indent(node)
        for way in dict.fromkeys(ways):
            if can_leave(way, node):
                title = f"{way[0].upper()}{way[1:]} instead of raising"
                first, last = _with_its_message(context, node, way)
                yield title, replace_lines(first, last, [f"{indent}{way}\n"])


def _with_its_message(context: RefactoringContext, node: Node, way: str) -> Range:
    """The lines of a raise, and of the statement before that makes its message, where nothing else reads that."""
    before, (first, last) = node.prev_named_sibling, rows(node)
    sides = assigned(before) if before is not None else None
    function = function_of(node)
    if before is None or sides is None or sides[0].type != "identifier" or function is None:
        return first, last
    name = text_of(sides[0])
    reads = [text_of(one) for one in identifiers(function) if text_of(one) == name]
    inside = [text_of(one) for one in identifiers(node) if text_of(one) == name]
    alone = len(reads) == 2 and len(inside) == 1 and following(before) == node and context.has(before)
    return (rows(before)[0], last) if alone and name not in way else (first, last)


RETURN_FOR_RAISE = Refactoring("return_for_raise", "refactor.rewrite.returnForRaise", _no_raise)
ASSERT_TO_RAISE = Refactoring("assert_to_raise", "refactor.rewrite.assertToRaise", _for_assert)
CHAIN_EXCEPTION = Refactoring(
    "chain_exception",
    "refactor.rewrite.chainException",
    _chain,
    menu="cursor",
    offer=_chain_caught,
    everywhere=True,
)
LOG_TO_RAISE = Refactoring("log_to_raise", "refactor.rewrite.logToRaise", _for_log)
