"""A variable for a value, wherever that stands, under a name that an instruction gives."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import BLOCKS, is_stored, is_text
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import comments_above, in_one_line
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, insert_lines, merged, replace_nodes, rewrite_node
from copydesk.refactorings.function_body import body_of
from copydesk.refactorings.new_names import derived_name, new_names
from copydesk.refactorings.requested import requested_statements
from copydesk.syntax.tree import identifiers, rows, text_of

_EXPRESSIONS = (
    "attribute", "call", "subscript", "binary_operator", "comparison_operator", "boolean_operator", "not_operator", "await",
    "list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression", "conditional_expression",
    "string", "integer", "float", "list", "dictionary", "tuple", "set", "concatenated_string", "lambda",
)  # fmt: skip
_SCOPES = (
    "lambda",
    "list_comprehension",
    "set_comprehension",
    "dictionary_comprehension",
    "generator_expression",
)
_MOST = 20


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    names = new_names(context, arguments)
    places: dict[str, list[Node]] = {}
    for node in context.walk(*_EXPRESSIONS):
        parent = node.parent
        called = (
            parent is not None and parent.type == "call" and parent.child_by_field_name("function") == node
        )
        whole = parent is not None and parent.type in ("expression_statement", "interpolation_type")
        if called or whole or is_stored(node) or (parent is not None and parent.type == "type"):
            continue
        places.setdefault(text_of(node), []).append(node)
    yield from _as_written(context, arguments, places)
    ranked = sorted(places.items(), key=lambda item: -_rank(item[0], item[1], arguments))
    for code, nodes in ranked[:_MOST]:
        own = derived_name(code)
        literal = nodes[0].type in ("integer", "float", "string")
        for name in dict.fromkeys(
            [
                *names,
                *(
                    [own]
                    if own is not None and not literal and (not names or arguments.mentions(code))
                    else []
                ),
            ]
        ):
            if name in context.names():
                continue
            for edits in _named(context, code, nodes, name):
                title = f'Extract {code if len(code) < 60 else "the " + nodes[0].type} into variable "{name}"'
                yield title, edits


def _as_written(
    context: RefactoringContext, arguments: Arguments, places: dict[str, list[Node]]
) -> Iterator[Proposal]:
    """An assignment that the instruction spells out, and its name wherever the value stood."""
    for statement in requested_statements(context, arguments):
        name, _, value = statement.partition(" = ")
        if name.isidentifier() and value in places:
            for edits in _named(context, value, places[value], name):
                yield f"Assign {statement} first, and use {name}", edits


def _rank(code: str, nodes: Sequence[Node], arguments: Arguments) -> float:
    words = {part for part in re.split(r"[\W_]+", code.lower()) if part}
    said = len(words & arguments.words) / (len(words) + 1)
    literal = nodes[0].type in ("integer", "float", "string")
    return (
        3 * arguments.mentions(code) + said * 2 + (len(nodes) > 1) - literal * 0.5 + min(len(code), 40) / 80
    )


def _named(
    context: RefactoringContext, code: str, nodes: Sequence[Node], name: str
) -> Iterator[Edits | None]:
    value = in_one_line(nodes[0])
    if value is None:
        return
    statement = _statement_of(nodes)
    if statement is not None:
        yield _made(context, nodes, name, value, statement)
    if nodes[0].type in ("attribute", "integer", "float", "string", "call", "subscript"):
        first = next((node for node in body_of(context) if not is_text(node)), None)
        if first is not None and first != statement:
            yield _made(context, nodes, name, value, first)
    if len(nodes) > 1 and (own := _statement_of(nodes[:1])) is not None:
        yield _made(context, nodes[:1], name, value, own)
        again = f"({name} := {value})"
        yield merged(replace_nodes(context.lines, [(nodes[0], again), *((node, name) for node in nodes[1:])]))
    del code


def _made(
    context: RefactoringContext, nodes: Sequence[Node], name: str, value: str, before: Node
) -> Edits | None:
    if not context.starts_line(before):
        return None
    place = comments_above(context, rows(before)[0])
    put = insert_lines(place, [f"{context.indent(before)}{name} = {value}\n"])
    if len(nodes) == 1 and nodes[0].start_point[0] != nodes[0].end_point[0]:
        return merged(put, rewrite_node(context.lines, nodes[0], name))
    return merged(put, replace_nodes(context.lines, [(node, name) for node in nodes]))


def _statement_of(nodes: Sequence[Node]) -> Node | None:
    """The statement before which a value can be made for all these places; None where there is none."""
    chains = [_chain(node) for node in nodes]
    if not all(chains):
        return None
    shared = [node for node in chains[0] if all(any(node == other for other in chain) for chain in chains)]
    blocks = [node for node in shared if node.type in BLOCKS]
    if not blocks:
        return None
    inside = [node for node in chains[0] if node.parent == blocks[0]]
    return inside[0] if inside else None


def _chain(node: Node) -> list[Node]:
    """What is round a node, from the inside; none where a name in it means something else outside."""
    names = {text_of(n) for n in identifiers(node)} | (
        {text_of(node)} if node.type == "identifier" else set()
    )
    found: list[Node] = []
    above: Node | None = node
    while above is not None:
        found.append(above)
        if above.type in _SCOPES and above != node:
            bound = {
                text_of(n)
                for child in above.named_children
                if child.type in ("for_in_clause", "lambda_parameters")
                for n in identifiers(child.child_by_field_name("left") or child)
            }
            left = [c.child_by_field_name("left") for c in above.named_children if c.type == "for_in_clause"]
            bound |= {text_of(n) for n in left if n is not None and n.type == "identifier"}
            if bound & names:
                return []
        if above.type in ("function_definition", "class_definition"):
            break
        above = above.parent
    return found


NAME_VALUE = Refactoring("name_value", "refactor.extract.value", _propose)
