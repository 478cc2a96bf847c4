"""Arguments in each other's places."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from tree_sitter import Node, Tree

from copydesk.refactorings.bug_clues.clue import Clue, below
from copydesk.refactorings.parameters import list_parameters, name_of
from copydesk.syntax.splice import Splice, end_of, start_of
from copydesk.syntax.tree import text_of


def swapped_arguments(call: Node, tree: Tree) -> Iterator[Clue]:
    """Two arguments that are called as each other's parameters, of a function that the document defines."""
    called, given = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    if called is None or given is None:
        return
    name = text_of(called).rpartition(".")[2]
    arguments = given.named_children
    if [one.type for one in arguments].count("identifier") < 2 or "list_splat" in (
        one.type for one in arguments
    ):
        return
    defined = _definitions(tree).get(name, [])
    if len(defined) != 1:
        return
    names = [name_of(one) for one in list_parameters(defined[0])]
    names = names[1:] if names[:1] in (["self"], ["cls"]) else names
    said = [text_of(one) for one in arguments]
    for k, one in enumerate(said[: len(names)]):
        if one in names and names.index(one) > k and names.index(one) < len(said):
            other = names.index(one)
            if said[other] == names[k] and arguments[k].start_point[0] == arguments[other].end_point[0]:
                between = text_of(given).encode()
                begin, end = (
                    arguments[k].end_byte - given.start_byte,
                    arguments[other].start_byte - given.start_byte,
                )
                text = f"{said[other]}{between[begin:end].decode()}{one}"
                splice = Splice(start_of(arguments[k]), end_of(arguments[other]), text)
                yield [(f"Swap the arguments {one} and {said[other]}, as {name} has them", splice, 0.0)]


@lru_cache(2)
def _definitions(tree: Tree) -> dict[str, list[Node]]:
    """The functions of a document by name."""
    found: dict[str, list[Node]] = {}
    for one in below(tree.root_node, "function_definition"):
        title = one.child_by_field_name("name")
        if title is not None:
            found.setdefault(text_of(title), []).append(one)
    return found
