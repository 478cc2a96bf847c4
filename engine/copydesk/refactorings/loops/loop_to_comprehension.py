"""Replace loop with comprehension, or with another expression that says the same: `sum`, `next`, `yield from`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import (
    following,
    function_of,
    has_comment,
    lead_and_value,
    next_statement,
    selected_statements,
    statements_of,
)
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import in_one_line
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import delete_lines, merged, replace_lines
from copydesk.refactorings.expressions import callee, children_of, method_of, positional, single_line
from copydesk.refactorings.loops.loop_head import plain_head
from copydesk.refactorings.loops.nested_heads import nested_heads
from copydesk.refactorings.parameters import list_parameters, name_of
from copydesk.syntax.tree import identifiers, rows, text_of

_METHODS = {
    "[]": ("comprehension", "append"), "list()": ("comprehension", "append"), "set()": ("set comprehension", "add"),
}  # fmt: skip
_BULK = {"append": "extend", "add": "update"}
"""Methods that add one, by those that add all."""


def _yield_from(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for loop in context.walk("for_statement"):
        parts, body = plain_head(loop), statements_of(loop.child_by_field_name("body"))
        if parts is None or len(body) != 1 or text_of(body[0]) != f"yield {parts[0]}":
            continue
        if not has_comment(context, *rows(loop)):
            line = f"{context.indent(loop)}yield from {parts[1]}\n"
            yield f"Yield from, no loop: {parts[1]}", replace_lines(*rows(loop), [line])
    for node in context.walk("return_statement"):
        found = re.fullmatch(r"return iter\((.+)\)", text_of(node))
        if found is not None and single_line(node) and context.starts_line(node):
            line = f"{context.indent(node)}yield from {found[1]}\n"
            yield f"Yield from {found[1]} instead of returning iter()", replace_lines(*rows(node), [line])


def _offer(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    """One loop and at most one test, with nothing but code in it, right below an empty collection."""
    for node in selected_statements(context, "expression_statement"):
        found, loop = lead_and_value(node), following(node)
        parts = plain_head(loop) if loop is not None and loop.type == "for_statement" else None
        if (
            found is None
            or loop is None
            or parts is None
            or has_comment(context, rows(node)[0], rows(loop)[1])
        ):
            continue
        inner, head = _only(loop.child_by_field_name("body")), f"for {parts[0]} in {parts[1]}"
        if inner is not None and inner.type == "if_statement" and len(inner.named_children) == 2:
            head += f" if {text_of(inner.named_children[0])}"
            inner = _only(inner.named_children[1])
        name = found[0].removesuffix(" = ")
        made = _collection(inner, name, text_of(found[1]), head) if inner is not None else None
        if inner is not None and made is not None and "\n" not in text_of(inner) + head:
            lines = [f"{context.indent(node)}{name} = {made[1]}\n"]
            yield f'Make "{name}" by a comprehension', replace_lines(rows(node)[0], rows(loop)[1], lines)


def _only(block: Node | None) -> Node | None:
    statements = statements_of(block)
    return statements[0] if len(statements) == 1 else None


def _collection(statement: Node, name: str, empty: str, head: str) -> tuple[str, str] | None:
    """The kind and the text of the comprehension that fills a collection as a statement does in a loop."""
    only = statement.named_children[0] if statement.named_child_count == 1 else None
    if statement.type != "expression_statement" or only is None:
        return None
    if only.type == "call" and empty in _METHODS:
        kind, method = _METHODS[empty]
        values = positional(only)
        if callee(only) != f"{name}.{method}" or values is None or len(values) != 1:
            return None
        text = f"{in_one_line(values[0])} {head}"
        if _reads(name, text):
            return None
        return kind, f"[{text}]" if method == "append" else f"{{{text}}}"
    target, value = only.child_by_field_name("left"), only.child_by_field_name("right")
    if only.type != "assignment" or target is None or value is None or empty not in ("{}", "dict()"):
        return None
    of, keys = target.child_by_field_name("value"), target.children_by_field_name("subscript")
    if target.type != "subscript" or of is None or text_of(of) != name or len(keys) != 1:
        return None
    text = f"{in_one_line(keys[0])}: {in_one_line(value)} {head}"
    return None if _reads(name, text) else ("dict comprehension", f"{{{text}}}")


def _added_up(text: str, name: str, empty: str, head: str) -> tuple[str, str] | None:
    """The kind and the text of what adds up numbers or texts as a statement does in a loop."""
    value = text.removeprefix(f"{name} += ")
    if value == text or empty not in ("0", "0.0", '""', "''"):
        return None
    return ("sum", f"sum({value} {head})") if empty[0] == "0" else ("join", f"{empty}.join({value} {head})")


def _reads(name: str, code: str) -> bool:
    """Whether an expression reads what it is to fill, which it cannot before it is made."""
    return re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", code) is not None


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    """A loop that collects, counts, or looks for the first, as one expression."""
    for loop in context.walk("for_statement"):
        found = nested_heads(context, loop)
        siblings = statements_of(loop.parent)
        if found is None or loop not in siblings:
            continue
        at, (heads, only) = siblings.index(loop), found
        head = " ".join(one.text for one in heads)
        yield from _added(context, loop, head, only)
        yield from _mapped(context, loop, only)
        if at:
            yield from _collected(context, loop, head, only, siblings[at - 1])
            yield from _collected_later(context, loop, head, only, siblings[:at])
        after, owner = next_statement(loop), function_of(loop)
        ends = after is None and owner is not None and rows(owner)[1] == rows(loop)[1]
        if only.type != "return_statement" or not (
            ends or (after is not None and after.type == "return_statement")
        ):
            continue
        answer = in_one_line(only.named_children[0]) if only.named_child_count == 1 else None
        other = (text_of(after).removeprefix("return").strip() if after is not None else "") or "None"
        whole = (
            head == f"for {answer} in {heads[0].text.partition(' in ')[2]}"
        )  # which is another refactoring
        if answer is not None and not {answer, other} <= {"True", "False"} and not whole:
            line = f"{context.indent(loop)}return next(({answer} {head}), {other})\n"
            yield "Return the first by next()", replace_lines(rows(loop)[0], rows(after or loop)[1], [line])


def _added(context: RefactoringContext, loop: Node, head: str, only: Node) -> Iterator[Proposal]:
    """A loop that adds to a collection, sets entries of one, or only yields, as one statement."""
    call = children_of(only)[0] if children_of(only) else only
    method, given = method_of(call), positional(call) if call.type == "call" else None
    indent = context.indent(loop)
    if method is not None and given is not None and len(given) == 1 and text_of(method[1]) in _BULK:
        put = f"{text_of(method[0])}.{_BULK[text_of(method[1])]}({in_one_line(given[0])} {head})"
        yield (
            f"Replace the loop by {put.partition('(')[0]} with a generator",
            replace_lines(*rows(loop), [f"{indent}{put}\n"]),
        )
    elif (
        call.type == "yield"
        and len(children_of(call)) == 1
        and not head.startswith(f"for {text_of(call)[6:]} in ")
    ):
        line = f"{indent}yield from ({in_one_line(children_of(call)[0])} {head})\n"
        yield "Yield from a generator instead of the loop", replace_lines(*rows(loop), [line])
    target = call.child_by_field_name("left") if call.type == "assignment" else None
    filled = (
        target.child_by_field_name("value") if target is not None and target.type == "subscript" else None
    )
    made = _collection(only, text_of(filled), "{}", head) if filled is not None else None
    if made is not None and filled is not None and not has_comment(context, *rows(loop)):
        line = f"{indent}{text_of(filled)}.update({made[1]})\n"
        yield (
            f"Replace the loop by {text_of(filled)}.update with a dict comprehension",
            replace_lines(*rows(loop), [line]),
        )


def _mapped(context: RefactoringContext, loop: Node, only: Node) -> Iterator[Proposal]:
    """A loop over the indices of a list that puts something made of each entry in its place."""
    parts = plain_head(loop)
    over = re.fullmatch(r"range\(len\((\w+(?:\.\w+)*)\)\)", parts[1]) if parts is not None else None
    if parts is None or over is None or rows(only) != (rows(loop)[1], rows(loop)[1]):
        return
    name, entry = over[1], f"{over[1]}[{parts[0]}]"
    target, _, value = text_of(only).partition(" = ")
    item = "item" if "item" not in context.variables() else "each"
    made, found = re.subn(rf"(?<![\w.]){re.escape(entry)}", item, value)
    if target != entry or not found or re.search(rf"\b{re.escape(parts[0])}\b", made):
        return
    if not has_comment(context, *rows(loop)) and not re.search(rf"(?<![\w.]){re.escape(name)}\b", made):
        function = function_of(loop)
        given = [name_of(parameter) for parameter in list_parameters(function)] if function else []
        kept = "[:]" if "." in name or name in given else ""  # somebody else may have the same list
        line = f"{context.indent(loop)}{name}{kept} = [{made} for {item} in {name}]\n"
        yield "Replace the loop by a comprehension", replace_lines(*rows(loop), [line])


def _collected(
    context: RefactoringContext, loop: Node, head: str, only: Node, before: Node
) -> Iterator[Proposal]:
    """A loop that fills what the statement before it makes."""
    start, indent, (first, last) = (
        lead_and_value(before),
        context.indent(loop),
        (rows(before)[0], rows(loop)[1]),
    )
    if start is None or has_comment(context, first, last):
        return
    name, empty = start[0].removesuffix(" = ").split(":")[0].strip(), text_of(start[1])
    text, made = in_one_line(only) or "", _collection(only, name, empty, head)
    if text.startswith(f"{name}.extend(") and empty in ("[]", "list()"):
        made = "comprehension", f"[item {head} for item in {text[len(name) + 8 : -1]}]"
    made = _added_up(text, name, empty, head) or made
    if made is None:
        return
    kind, expression = made
    yield f"Replace the loop by a {kind}", replace_lines(first, last, [f"{indent}{name} = {expression}\n"])
    after = next_statement(loop)
    uses = [n for n in identifiers(after) if text_of(n) == name] if after is not None else []
    if after is None or after.type != "return_statement" or len(uses) != 1 or not single_line(after):
        return
    raw, start_byte = text_of(after).encode(), uses[0].start_byte - after.start_byte
    tail = (raw[:start_byte] + expression.encode() + raw[start_byte + len(name) :]).decode()
    yield (
        f"Return the {kind} directly, without the loop",
        replace_lines(first, rows(after)[1], [f"{indent}{tail}\n"]),
    )


def _collected_later(
    context: RefactoringContext, loop: Node, head: str, only: Node, above: Sequence[Node]
) -> Iterator[Proposal]:
    """A loop that fills what a statement further up makes, and nothing between touches."""
    for place, before in enumerate(above[:-1]):
        start = lead_and_value(before)
        name = start[0].removesuffix(" = ").split(":")[0].strip() if start is not None else ""
        made = _collection(only, name, text_of(start[1]), head) if start is not None else None
        text = in_one_line(only) or ""
        if start is not None:
            made = _added_up(text, name, text_of(start[1]), head) or made
        between = [node for one in above[place + 1 :] for node in identifiers(one) if text_of(node) == name]
        if start is not None and made is not None and not between and not has_comment(context, *rows(loop)):
            line = f"{context.indent(loop)}{start[0]}{made[1]}\n"
            edits = merged(delete_lines(*rows(before)), replace_lines(*rows(loop), [line]))
            yield f"Replace the loop by a {made[0]}", edits


LOOP_TO_COMPREHENSION = Refactoring(
    "loop_to_comprehension", "refactor.rewrite.loopToComprehension", _propose, menu="cursor", offer=_offer
)
YIELD_FROM = Refactoring(
    "yield_from", "refactor.rewrite.yieldFrom", _yield_from, menu="cursor", everywhere=True
)
