"""What a loop goes over, and the names of its items: counted, unpacked, by key and value."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import assigned, body_lines, statements_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, delete_lines, merged, replace_lines, replace_nodes
from copydesk.refactorings.loops.loop_head import plain_head
from copydesk.refactorings.new_names import new_names
from copydesk.syntax.tree import identifiers, rows, text_of
from copydesk.text.singular import singular

_CALLED = ("enumerate", "range", "len")
_LISTS = ("pattern_list", "tuple_pattern", "expression_list", "tuple")


def _enumerate(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for loop in context.starting("for_statement"):
        parts, lines = plain_head(loop), body_lines(context, loop)
        if parts is None or lines is None or not parts[1].startswith("range(len("):
            continue
        index, sequence = parts[0], parts[1].removeprefix("range(len(").removesuffix("))")
        head, indent = lines[0] - 1, context.indent(loop)
        body = statements_of(loop.child_by_field_name("body"))
        items = {name: f'Use enumerate with "{name}"' for name in arguments.names if name not in _CALLED}
        item, _, value = text_of(body[0]).partition(" = ")
        if value == f"{sequence}[{index}]" and item.isidentifier() and rows(body[0]) == (lines[0], lines[0]):
            line = f"{indent}for {index}, {item} in enumerate({sequence}):\n"
            yield "Use enumerate", replace_lines(head, head + 1, [line])
        else:
            items.setdefault(singular(sequence.rpartition(".")[2]) or "item", "Use enumerate")
        for item, title in items.items():
            line = f"{indent}for {index}, {item} in enumerate({sequence}):\n"
            reads = _named_reads(context, loop, f"{sequence}[{index}]", item)
            if reads is not None:
                yield title, merged(replace_lines(head, head, [line]), reads)


def _named_reads(context: RefactoringContext, loop: Node, code: str, item: str) -> Edits | None:
    """The items of the sequence by their name, in the body of a loop; None where the name is another's."""
    block = loop.child_by_field_name("body")
    if block is None or any(text_of(node) == item for node in identifiers(loop)):
        return None
    first, last = rows(block)
    places = [
        node for node in context.walk("subscript") if text_of(node) == code and first <= rows(node)[0] <= last
    ]
    return replace_nodes(context.lines, [(node, item) for node in places]) if places else None


def _unpacked(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """What the first line of a loop unpacks or reads, in its head."""
    for loop in context.walk("for_statement"):
        left, right = loop.child_by_field_name("left"), loop.child_by_field_name("right")
        body = statements_of(loop.child_by_field_name("body"))
        if left is None or right is None or not body:
            continue
        head = context.view(rows(loop)[0], rows(loop)[0])[0]
        line, indent = rows(loop)[0], context.indent(loop)
        tail = re.sub(r"^\s*(?:async )?for .* in ", "", head)
        sides = assigned(body[0])
        if sides is not None and len(body) > 1:
            names, value = sides
            for part in [left, *left.named_children]:
                if text_of(part) == text_of(value) and names.type in _LISTS:
                    new = text_of(names) if part == left else f"({text_of(names).strip('()')})"
                    target = text_of(left).replace(text_of(part), new, 1)
                    made = replace_lines(line, line, [f"{indent}for {target} in {tail}"])
                    yield "Unpack in the head of the loop", merged(made, delete_lines(*rows(body[0])))
        key, of = text_of(left), re.sub(r"\.keys\(\)$", "", text_of(right))
        read = f"{of}[{key}]"
        reads = [
            n
            for n in context.walk("subscript")
            if text_of(n) == read and loop.start_byte < n.start_byte < loop.end_byte
        ]
        if left.type == "identifier" and reads:
            if sides is not None and text_of(sides[1]) == read and sides[0].type == "identifier":
                made = replace_lines(
                    line, line, [f"{indent}for {key}, {text_of(sides[0])} in {of}.items():\n"]
                )
                rest = [(n, text_of(sides[0])) for n in reads[1:]]
                yield (
                    "Loop over items()",
                    merged(
                        made, delete_lines(*rows(body[0])), replace_nodes(context.lines, rest) if rest else ()
                    ),
                )
            for name in [*new_names(context, arguments, 2), "value"]:
                made = replace_lines(line, line, [f"{indent}for {key}, {name} in {of}.items():\n"])
                news = replace_nodes(context.lines, [(n, name) for n in reads])
                yield f"Loop over items() with {name}", merged(made, news)


ENUMERATE = Refactoring("enumerate", "refactor.rewrite.enumerate", _enumerate, menu="cursor")
UNPACK_IN_LOOP = Refactoring("unpack_in_loop", "refactor.rewrite.unpackInLoop", _unpacked)
