"""A function made in a loop that reads the loop's variable when it is called (B023): bound when it is made, by a default.

Knows Python's syntax trees; nothing of tokens, pages or models.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tree_sitter import Node, Tree

from copydesk.request import Diagnostic
from copydesk.syntax.splice import Splice, end_of, spliced, start_of
from copydesk.syntax.tree import node_at, text_of
from copydesk.text.line_edit import LineEdit

_CODES = frozenset({"B023", "W0640", "cell-var-from-loop"})
_MESSAGE = re.compile(r"does not bind loop variable|^Cell variable \w+ defined in loop", re.IGNORECASE)
_FUNCTIONS = ("lambda", "function_definition")


def capture_edits(diagnostic: Diagnostic, lines: Sequence[str], tree: Tree) -> list[tuple[LineEdit, ...]]:
    """The function with one more parameter; empty where the diagnostic is about none. Raises: never."""
    if diagnostic.code not in _CODES and not _MESSAGE.search(diagnostic.message):
        return []
    variable = function = node_at(tree, lines, diagnostic.start)
    while function is not None and function.type not in _FUNCTIONS:
        function = function.parent
    if variable is None or variable.type != "identifier" or function is None or function.has_error:
        return []
    name = text_of(variable)
    splice = _parameter(function, f"{name}={name}")
    made = spliced(lines, [splice]) if splice is not None else ()
    return [made] if made else []


def _parameter(function: Node, text: str) -> Splice | None:
    """`text` as the last parameter that may stand there: before `**`, else at the end."""
    parameters = function.child_by_field_name("parameters")
    if parameters is None:  # a lambda without any
        word = function.children[0]
        place = end_of(word)
        return Splice(place, place, f" {text}")
    named = [child for child in parameters.named_children if child.type != "comment"]
    rest = next((child for child in named if _is_rest(child)), None)
    if rest is not None:
        place = start_of(rest)
        return Splice(place, place, f"{text}, ")
    if not named:
        place = (parameters.start_point[0], parameters.start_point[1] + 1)
        return Splice(place, place, text)
    place = end_of(named[-1])
    return Splice(place, place, f", {text}")


def _is_rest(parameter: Node) -> bool:
    """Whether it is `**name`, with a type or without."""
    if parameter.type == "typed_parameter" and parameter.named_children:
        parameter = parameter.named_children[0]
    return parameter.type == "dictionary_splat_pattern"
