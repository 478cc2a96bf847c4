"""A variable with a name that is easily misread (E741), by another name wherever it stands.

Which names may stand there is read off what the variable is given; which of them it is the model says. Only what no other part of
the program can see is renamed: variables of a function, a comprehension or a lambda, and parameters of a function within another
that nobody passes by name.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node, Tree

from copydesk.quickfixes.handler import Candidates, FixContext, Handler, candidates_of
from copydesk.quickfixes.kinds import DiagnosticKind
from copydesk.quickfixes.messages import quoted_name
from copydesk.quickfixes.words import contains_word
from copydesk.syntax.splice import Splice, end_of, spliced, start_of
from copydesk.syntax.tree import identifiers, is_label, node_at, text_of
from copydesk.text.line_edit import LineEdit
from copydesk.text.position import Position
from copydesk.text.singular import singular

MOST_NAMES = 8
_USUAL = {
    "l": ("line", "item", "length", "left", "level", "label", "value"),
    "I": ("index", "item", "value"),
    "O": ("obj", "output", "value"),
}
_COMPREHENSIONS = (
    "list_comprehension",
    "set_comprehension",
    "dictionary_comprehension",
    "generator_expression",
)
_ELSEWHERE = ("global_statement", "nonlocal_statement", "import_statement", "import_from_statement")
"""Where a name is another scope's, or a module's own."""
_WORD = re.compile(r"[^\W\d]\w*")


class AmbiguousName(Handler):
    """The variable under each other name it may have; none where code that is not looked at may see it."""

    kinds = frozenset({DiagnosticKind.AMBIGUOUS_NAME})
    widens_scope = True

    def candidates(self, context: FixContext) -> Candidates | None:
        if context.tree is None:
            return None
        return candidates_of(_renamed(context.diagnostic.start, context.lines, context.tree))

    def still_applies(self, context: FixContext) -> bool:
        """While the name that is quoted is a word of the statement."""
        name = quoted_name(context.diagnostic.message)
        return name is None or contains_word(context.statement(), name)


def _renamed(place: Position, lines: Sequence[str], tree: Tree) -> list[tuple[LineEdit, ...]]:
    bound = node_at(tree, lines, place)
    if bound is None or bound.type != "identifier":
        return []
    name = text_of(bound)
    home = _home(bound)
    if home is None or home.has_error:
        return []
    body = home.child_by_field_name("body") if home.type == "function_definition" else home
    own = _own_parameter(bound, home)
    if body is None or (
        body is not home and own is None and _parameter(home, name)
    ):  # given anew it is still one
        return []
    places = [*filter(None, [own]), *_places(body, name, home)]
    if None in places or not places:
        return []
    # What a comprehension first goes through is of the world round it.
    source = list(_places_of_source(home, name, home)) if home.type in _COMPREHENSIONS else []
    nodes = [node for node in places if node is not None and node not in source]
    taken = {text_of(node) for node in identifiers(_outermost(home)) if not is_label(node)}
    names = [new for new in _names(bound, name) if new not in taken and not _reserved(new)]
    made = (
        spliced(lines, [Splice(start_of(node), end_of(node), new) for node in nodes])
        for new in list(dict.fromkeys(names))[:MOST_NAMES]
    )
    return [way for way in made if way]


def _home(bound: Node) -> Node | None:
    """The comprehension, lambda or function whose variable it is; None for a parameter of a function (others may call it by
    name) and for what a module or a class holds."""
    node, child = bound.parent, bound
    while node is not None:
        if node.type in _COMPREHENSIONS and child.type == "for_in_clause":
            return node
        if node.type == "lambda" and child.type == "lambda_parameters":
            return node
        if node.type == "function_definition":
            inside = child == node.child_by_field_name("body") or _own_parameter(bound, node) is not None
            return node if inside else None
        if node.type in ("class_definition", "module"):
            return None
        child = node
        node = node.parent
    return None


def _own_parameter(bound: Node, function: Node) -> Node | None:
    """`bound`, where it is a parameter of a function that is within another, which calls it, and always by position."""
    parameters = function.child_by_field_name("parameters")
    own = function.child_by_field_name("name")
    name = text_of(bound)
    if (
        parameters is None
        or own is None
        or not parameters.start_byte <= bound.start_byte < parameters.end_byte
    ):
        return None
    around = (
        function.parent.parent if function.parent is not None and function.parent.type == "block" else None
    )
    if around is None or around.type != "function_definition":
        return None
    if _WORD.findall(text_of(parameters)).count(name) != 1:
        return None
    uses = [
        node
        for node in identifiers(_outermost(around))
        if text_of(node) == text_of(own) and node != own and not is_label(node)
    ]
    return bound if uses and all(_passes_none_by(name, node) for node in uses) else None


def _passes_none_by(name: str, function: Node) -> bool:
    """Whether a function is called there, and no argument is, or may be, passed by that name."""
    call = function.parent
    if call is None or call.type != "call" or call.child_by_field_name("function") != function:
        return False
    arguments = call.child_by_field_name("arguments")
    if arguments is None or arguments.type != "argument_list":
        return False
    for argument in arguments.named_children:
        keyword = argument.child_by_field_name("name") if argument.type == "keyword_argument" else None
        if argument.type == "dictionary_splat" or (keyword is not None and text_of(keyword) == name):
            return False
    return True


def _outermost(home: Node) -> Node:
    """The outermost function round it: a name that nothing there uses hides nothing."""
    found = home
    node = home.parent
    while node is not None:
        if node.type == "function_definition":
            found = node
        node = node.parent
    return found


def _places(node: Node, name: str, home: Node) -> Iterator[Node | None]:
    """Where the variable stands in and below `node`, in order; None where what the name means there is not sure."""
    for child in node.named_children:
        if child.type in _ELSEWHERE and _mentions(child, name):
            yield None
        elif child.type == "identifier":
            if text_of(child) == name and not is_label(child):
                yield child
        elif child.type in _COMPREHENSIONS and _binds(child, "for_in_clause", name):
            # Its own variable of that name; only what it goes through first is of the variable's world.
            yield from _places_of_source(child, name, home)
        elif child.type == "lambda" and _parameter(child, name):
            continue
        elif child.type in ("function_definition", "class_definition") and _mentions(child, name):
            own = child.child_by_field_name("name")
            if child.type == "class_definition" or _assigns(child, name) or (own and text_of(own) == name):
                yield None
            elif not _parameter(child, name):
                yield from _places(child, name, home)
        else:
            yield from _places(child, name, home)


def _places_of_source(comprehension: Node, name: str, home: Node) -> Iterator[Node | None]:
    clause = next(child for child in comprehension.named_children if child.type == "for_in_clause")
    source = clause.child_by_field_name("right")
    if source is None:
        return
    if source.type == "identifier":
        if text_of(source) == name:
            yield source
    else:
        yield from _places(source, name, home)


def _binds(node: Node, kind: str, name: str) -> bool:
    for child in node.named_children:
        left = child.child_by_field_name("left") if child.type == kind else None
        if left is not None and name in _WORD.findall(text_of(left)):
            return True
    return False


def _parameter(function: Node, name: str) -> bool:
    parameters = function.child_by_field_name("parameters")
    return parameters is not None and name in _WORD.findall(text_of(parameters))


def _mentions(node: Node, name: str) -> bool:
    return name in _WORD.findall(text_of(node))


def _assigns(function: Node, name: str) -> bool:
    """Whether the function has a variable of that name which is no parameter: read generously, from its words."""
    body = function.child_by_field_name("body")
    own = re.escape(name)
    given = rf"(?<![\w.]){own}\s*(?:[-+*/%@&|^]|//|\*\*|<<|>>)?=(?!=)"
    named = rf"\b(?:for|as|import|nonlocal|global)\b[^\n]*\b{own}\b"
    return body is not None and re.search(rf"{given}|{named}|\b{own}\s*:=", text_of(body)) is not None


def _names(bound: Node, name: str) -> Iterator[str]:
    """What the variable may be called, likeliest first: after what it is one of, after what it is given, as is usual."""
    node = bound.parent
    while node is not None and node.type not in ("for_statement", "for_in_clause", "assignment", "block"):
        node = node.parent
    source = node.child_by_field_name("right") if node is not None else None
    if node is not None and source is not None:
        words = [word.strip("_") for word in _WORD.findall(text_of(source))]
        if node.type in ("for_statement", "for_in_clause") and words[:1] == ["range"]:
            # What `range(len(…))` counts is no length.
            yield from ("index", "number", f"{name.lower()}_")
            return
        if node.type in ("for_statement", "for_in_clause"):
            yield from filter(None, map(singular, reversed(words)))
        else:
            if words[:1] == ["len"]:
                yield "length"
            yield from (word.lower() for word in reversed(words) if len(word) > 2 and word.isidentifier())
    yield from _USUAL.get(name, ())
    yield f"{name.lower()}_"


def _reserved(name: str) -> bool:
    return keyword.iskeyword(name) or hasattr(builtins, name)
