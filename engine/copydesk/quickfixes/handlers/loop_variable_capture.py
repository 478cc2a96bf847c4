"""A function made in a loop that reads the loop's variable when it is called (B023): bound when it is made, by a default."""

from __future__ import annotations

from tree_sitter import Node

from copydesk.quickfixes.handler import Candidates, FixContext, Handler, candidates_of
from copydesk.quickfixes.kinds import DiagnosticKind
from copydesk.quickfixes.messages import quoted_name
from copydesk.quickfixes.words import contains_word
from copydesk.syntax.splice import Splice, end_of, spliced, start_of
from copydesk.syntax.tree import node_at, text_of

_FUNCTIONS = ("lambda", "function_definition")


class LoopVariableCapture(Handler):
    """The function with the variable as one more parameter."""

    kinds = frozenset({DiagnosticKind.LOOP_VARIABLE_CAPTURE})
    widens_scope = True

    def candidates(self, context: FixContext) -> Candidates | None:
        variable, function = _captured(context)
        if variable is None or function is None or function.has_error:
            return None
        name = text_of(variable)
        splice = _parameter(function, f"{name}={name}")
        return candidates_of([spliced(context.lines, [splice])]) if splice is not None else None

    def still_applies(self, context: FixContext) -> bool:
        """While the statement has the name that is quoted, and the function there does not bind it as a parameter."""
        name = quoted_name(context.diagnostic.message)
        if name is not None and not contains_word(context.statement(), name):
            return False
        variable, function = _captured(context)
        if variable is None or function is None:
            return True
        parameters = function.child_by_field_name("parameters")
        return parameters is None or f"{text_of(variable)}=" not in text_of(parameters).replace(" ", "")


def _captured(context: FixContext) -> tuple[Node | None, Node | None]:
    """The variable at the diagnostic's place, and the function or lambda it is read in; None for what is not there."""
    if context.tree is None:
        return None, None
    variable = function = node_at(context.tree, context.lines, context.diagnostic.start)
    while function is not None and function.type not in _FUNCTIONS:
        function = function.parent
    return (variable if variable is not None and variable.type == "identifier" else None), function


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
