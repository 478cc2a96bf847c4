"""Entries of a collection or a call: one added, dropped, replaced, moved."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import named
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import (
    Edits,
    delete_lines,
    insert_at,
    insert_lines,
    replace_nodes,
    replace_span,
)
from copydesk.refactorings.expressions import (
    COLLECTIONS,
    LITERALS,
    children_of,
    entries_on_own_lines,
    is_mentioned,
    mentioned,
    replace_expression,
    single_line,
)  # fmt: skip
from copydesk.refactorings.spoken import listed_like, listed_texts, literals_like
from copydesk.syntax.splice import end_of, start_of
from copydesk.syntax.tree import rows, text_of

_MOST_ENTRIES = 20


def add_entry(node: Node, entry: str, context: RefactoringContext) -> Edits | None:
    """Behind the last one: in the same line, or in one of its own as that has."""
    entries = [child for child in node.named_children if child.type != "comment"]
    if not entries or any(text_of(child) == entry for child in entries):
        return None
    last = entries[-1]
    behind = context.split(end_of(last))[1]
    if context.starts_line(last) and behind.strip() == ",":
        return insert_lines(last.end_point[0] + 2, [f"{context.indent(last)}{entry},\n"])
    return insert_at(context.lines, end_of(last), f", {entry}")


def drop_entry(context: RefactoringContext, given: Node, k: int) -> Edits | None:
    """Without an entry and its comma; a line that it has for itself goes, too. What is left of a pair stays a tuple."""
    entries = children_of(given)
    entry = entries[k]
    if len(entries) == 2 and given.type in ("tuple", "expression_list"):
        only = f"({text_of(entries[1 - k])},)"
        return (
            replace_expression(context, given, only) if given.type == "tuple" and single_line(given) else None
        )
    first, last = entry.start_point[0], entry.end_point[0]
    behind = context.split(end_of(entry))[1].strip()
    alone = len(entries) == 1
    if context.starts_line(entry) and not alone and (behind == "," or (behind == "" and k == 0)):
        return delete_lines(first + 1, last + 1)
    if k + 1 < len(entries) and entries[k + 1].start_point[0] == last == first:
        return replace_span(context.lines, start_of(entry), start_of(entries[k + 1]), "")
    if k > 0 and entries[k - 1].end_point[0] == first == last:
        return replace_span(context.lines, end_of(entries[k - 1]), end_of(entry), "")
    return (
        replace_span(context.lines, start_of(entry), end_of(entry), "") if alone and first == last else None
    )


def _add(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for node in context.starting(*COLLECTIONS):
        if single_line(node) or context.has(node):
            together = _listed(node, arguments)
            if together is not None:
                yield f"Add {together} to {_name_of(node)}", add_entry(node, together, context)
                continue
            for entry in (
                _pairs_of(context, node, arguments) if node.type == "dictionary" else arguments.values
            ):
                if node.type == "dictionary" or context.knows(entry):
                    yield f"Add {entry} to {_name_of(node)}", add_entry(node, entry, context)


def _listed(node: Node, arguments: Arguments) -> str | None:
    """The texts that an instruction lists, as entries of a collection of texts."""
    entries = children_of(node)
    return listed_like(text_of(entries[0]), arguments) if entries and entries[0].type == "string" else None


def _pairs_of(context: RefactoringContext, node: Node, arguments: Arguments) -> list[str]:
    """Entries of a dict: as they are spelt, and values of the instruction under their own names, where keys are strings."""
    key = children_of(node)[0].child_by_field_name("key") if children_of(node) else None
    quote = text_of(key)[-1] if key is not None and key.type == "string" else ""
    values = [v for v in (*arguments.dotted, *arguments.names) if quote and context.knows(v)]
    return [*arguments.pairs, *(f"{quote}{v.rpartition('.')[2]}{quote}: {v}" for v in values)]


def _name_of(node: Node) -> str:
    left = node.parent.child_by_field_name("left") if node.parent is not None else None
    return text_of(left) if left is not None else f"the {node.type}"


def _lines(context: RefactoringContext) -> Iterator[Proposal]:
    """Entries that have a line for themselves, of a collection, a call or a signature that is not selected as a whole."""
    for node in entries_on_own_lines(context):
        if node.parent is not None and not context.has(node.parent):
            yield f"Delete {named(node)}", delete_lines(*rows(node))


def _change(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    yield from _lines(context)
    for node in mentioned(context.walk(*COLLECTIONS, "expression_list", "binary_operator"), arguments):
        if node.type == "binary_operator":
            yield from _terms(context, node)
            continue
        entries = children_of(node)
        if not 0 < len(entries) <= _MOST_ENTRIES:
            continue
        for k, entry in enumerate(entries) if len(entries) > 1 else ():
            if is_mentioned(entry, arguments) or len(entries) < 4:
                yield (
                    f"Drop {text_of(entry)} from the {node.type.replace('_', ' ')}",
                    drop_entry(context, node, k),
                )
        yield from _drop_listed(context, node, arguments)
        for one, two in pairwise(entries):
            if single_line(one) and single_line(two):
                yield (
                    f"Swap {text_of(one)} and {text_of(two)}, the order",
                    replace_nodes(context.lines, [(one, text_of(two)), (two, text_of(one))]),
                )
        like = next((entry for entry in entries if entry.type in LITERALS), None)
        news = literals_like(text_of(like), arguments, 10) if like is not None else []
        listed = listed_texts(arguments)
        news = [new for new in news if new[1:-1] not in listed]
        for new in (
            [*news, *(n for n in arguments.names[:6] if context.knows(n) and _belongs(n, node, arguments))]
            if node.type != "dictionary"
            else ()
        ):
            if all(text_of(entry) != new for entry in entries):
                yield (
                    f"Add {new} to the {node.type}, last",
                    insert_at(context.lines, end_of(entries[-1]), f", {new}"),
                )
                yield (
                    f"Add {new} to the {node.type}, first",
                    insert_at(context.lines, start_of(entries[0]), f"{new}, "),
                )


def _belongs(name: str, node: Node, arguments: Arguments) -> bool:
    """Whether a name could be an entry of something: an exception stands among others."""
    return name not in arguments.exceptions or any(
        text_of(entry).endswith(("Error", "Exception", "Warning")) for entry in children_of(node)
    )


def _drop_listed(context: RefactoringContext, node: Node, arguments: Arguments) -> Iterator[Proposal]:
    """Without all the texts that an instruction lists."""
    listed, entries = listed_texts(arguments), children_of(node)
    gone = [n for n in entries if n.type == "string" and text_of(n).strip("\"'") in listed]
    rest = [text_of(n) for n in entries if n not in gone]
    if len(gone) < 2 or not rest or not single_line(node) or node.type == "expression_list":
        return
    comma = "," if node.type == "tuple" and len(rest) == 1 else ""
    made = f"{text_of(node)[0]}{', '.join(rest)}{comma}{text_of(node)[-1]}"
    yield (
        f"Drop {' and '.join(map(text_of, gone))} from the {node.type}",
        replace_expression(context, node, made),
    )


def _terms(context: RefactoringContext, node: Node) -> Iterator[Proposal]:
    """One operand alone, or both the other way round; entries of a tuple or list that others are put before."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    sign = node.child_by_field_name("operator")
    if left is None or right is None or sign is None or not single_line(node):
        return
    for kept, dropped in ((left, right), (right, left)):
        other = ", the other sign" if (text_of(sign), text_of(dropped)) == ("*", "-1") else ""
        yield (
            f"Drop {text_of(sign)} {text_of(dropped)}{other}: only {text_of(kept)}",
            replace_expression(context, node, text_of(kept)),
        )
    yield (
        f"Swap {text_of(left)} and {text_of(right)}, the order",
        replace_expression(context, node, f"{text_of(right)} {text_of(sign)} {text_of(left)}"),
    )
    for one, opening, closing in ((left, "(", ")"), (right, "(", ")"), (left, "[", "]"), (right, "[", "]")):
        kind = "tuple" if opening == "(" else "list"
        if text_of(sign) == "+" and one.type == kind:
            inner = ", ".join(text_of(child) for child in children_of(one))
            other = f"*{text_of(right if one is left else left)}"
            made = f"{inner}, {other}" if one is left else f"{other}, {inner}"
            yield (
                f"Unpack instead of adding {kind}s: {opening}{made}{closing}",
                replace_expression(context, node, f"{opening}{made}{closing}"),
            )


ADD_ENTRY = Refactoring("add_entry", "refactor.rewrite.addEntry", _add)
CHANGE_ENTRIES = Refactoring("change_entries", "refactor.rewrite.changeEntries", _change, everywhere=True)
