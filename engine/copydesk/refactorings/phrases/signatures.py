"""What a function's head says: types, defaults, parameters."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import partial
from itertools import takewhile

from tree_sitter import Node

from copydesk.refactorings.phrases.selection import Rule, Selection, Way
from copydesk.refactorings.phrases.words import annotation, code, expression, first_match, name, wordings
from copydesk.syntax.splice import Point, Splice, end_of, spliced, start_of
from copydesk.syntax.tree import identifiers, text_of

_NAME, _TYPE, _VALUE = name("name"), code("type"), code("value")
_WORD = r"(?:parameter|argument|param|arg)"
_PARAMETER = rf"(?:the )?(?:{_WORD} )?{_NAME}(?:'s)?(?: {_WORD})?"
_HINT = r"(?:type hint|type annotation|type|annotation|hint)"
_IT = r"(?:it|this|this function|the function)"
_RETURNS = wordings(
    rf"(?:(?:add|set|give it|put|make|use) )?(?:the |a )?(?:signature )?return {_HINT}(?: of| to| as|:| should be| ->)? {_TYPE}",
    rf"(?:annotate|type|type hint) the (?:function'?s )?return(?: type| value)?(?: as| with|:) {_TYPE}",
    rf"{_IT} returns {_TYPE}, (?:please )?(?:add|annotate) (?:the |that as the )?(?:return )?{_HINT}",
    rf"add {_TYPE} as (?:the |a )?return {_HINT}",
    rf"give (?:it|this|the function|\w+) the return {_HINT} {_TYPE}",
    rf"declare that {_IT} returns {_TYPE}(?: \({_HINT}\))?",
    rf"{_IT} should be annotated as returning {_TYPE}",
    rf"(?:add|put) [\"']?-> {_TYPE}[\"']?",
)
_TYPED = wordings(
    rf"add (?:the |a )?{_HINT} {_TYPE} (?:to|for) {_PARAMETER}",
    rf"add (?:a |an )?{_TYPE} {_HINT} (?:to|for) {_PARAMETER}",
    rf"add (?:the |a )?{_HINT} (?:to|for) {_PARAMETER}: {_TYPE}",
    rf"add [\"']?: {_TYPE}[\"']? to {_PARAMETER}",
    rf"(?:annotate|type|type hint|declare) {_PARAMETER} (?:as|with) (?:a |an )?{_TYPE}(?: \({_HINT}\))?",
    rf"{_HINT} (?:of|for) {_PARAMETER} is {_TYPE}, add the {_HINT}",
    rf"{_HINT} for {_PARAMETER} (?:->|:) {_TYPE}",
    rf"set the {_HINT} (?:of|for) {_PARAMETER} to {_TYPE}",
    rf"give {_PARAMETER} the {_HINT} {_TYPE}",
    rf"{_PARAMETER} is (?:of type |a |an ){_TYPE}, (?:please )?(?:add the {_HINT}|annotate it(?: as such)?)",
    rf"{_PARAMETER} needs a {_HINT}, it'?s {_TYPE}",
    rf"{_PARAMETER} (?:should be )?(?:annotated|typed) (?:with|as) (?:a |an )?{_TYPE}",
    rf"(?:make it )?{_NAME}: {_TYPE}",
)
_TYPED_AS_ITS_DEFAULT = wordings(
    rf"add a type hint (?:to|for) {_PARAMETER}",
    rf"annotate {_PARAMETER}(?: with the type of its default)?",
    rf"type hint for {_PARAMETER}",
    rf"missing type annotation for {_PARAMETER}, add it",
)
_CHANGE = r"(?:change|set|make|bump|increase|raise|lower|decrease|reduce|update)"
_FROM = r"(?:from \S+ )?"
_NOT = r"(?:,? (?:and )?(?:not|instead of) \S+)?"
_DEFAULT = wordings(
    rf"{_CHANGE} (?:the )?default(?: value)? (?:of |for )?{_PARAMETER} {_FROM}to {_VALUE}{_NOT}",
    rf"{_CHANGE} {_PARAMETER} default(?: value)? {_FROM}to {_VALUE}{_NOT}",
    rf"make (?:the )?default {_PARAMETER} {_VALUE}",
    rf"make {_VALUE} the default(?: value)? (?:of|for) {_PARAMETER}",
    rf"use {_VALUE} as (?:the )?default(?: value)? (?:of|for) {_PARAMETER}",
    rf"(?:make )?{_PARAMETER} (?:should )?default(?:s)? to {_VALUE}{_NOT}",
    rf"(?:let|set) {_NAME}(?: be|=) ?{_VALUE} by default",
    rf"(?:the )?default(?: value)? (?:of|for) {_PARAMETER}(?: should be|:) {_VALUE}{_NOT}",
    rf"{_PARAMETER} (?:should|to) have (?:the )?default(?: value)? {_VALUE}{_NOT}",
    rf"use {_NAME}={_VALUE} as (?:the )?default",
    rf"{_NAME} ?= ?{_VALUE}",
)
_A_NEW = rf"(?:a |an |the |another |one more )?(?:new |extra |optional |keyword |additional )*{_WORD}"
_TO = r"(?:value )?(?:to |is |of |: ?)?"
_DEFAULTING = rf"(?:,| \(| with| that| whose|) ?(?:a |the )?(?:default(?:s|ing)? ?{_TO}|=)"
_ADDED = wordings(
    rf"(?:add|introduce|create|new|give {_IT}|let it take|it needs) {_A_NEW}(?: called| named)? "
    rf"{_NAME} ?{_DEFAULTING} ?{_VALUE}\)?",
    rf"new {_WORD} {_NAME} ?= ?{_VALUE}",
    rf"let it take {_NAME}, {_VALUE} by default",
    rf"(?:add|extend the signature with) {_NAME}={_VALUE}(?: as the last {_WORD}| to the signature| to the {_WORD}s)?",
)
_REMOVED = wordings(
    rf"(?:remove|drop|delete|get rid of) (?:the )?(?:unused )?{_WORD} {_NAME}",
    rf"(?:remove|drop|delete|get rid of) (?:the )?(?:unused )?{_NAME} {_WORD}",
    rf"(?:remove|drop|delete) {_NAME} from the (?:signature|parameters|arguments)",
    rf"the {_WORD} {_NAME} is not (?:needed|used)(?: any ?more)?, remove it",
)
_PLAIN = ("identifier", "default_parameter", "typed_parameter", "typed_default_parameter")


def signature_rule(instruction: str) -> Rule | None:
    """Reads a wish about a function's head."""
    for pattern in _RETURNS:
        if (found := pattern.match(instruction)) and (type := annotation(found["type"])):
            return partial(_returns, type)
    for pattern in _TYPED:
        if (found := pattern.match(instruction)) and (type := annotation(found["type"])):
            return partial(_typed, found["name"], type)
    if found := first_match(_TYPED_AS_ITS_DEFAULT, instruction):
        return partial(_typed, found["name"], None)
    if (found := first_match(_ADDED, instruction)) and (value := expression(found["value"])):
        return partial(_added, found["name"], value)
    for pattern in _DEFAULT:
        if (found := pattern.match(instruction)) and (value := expression(found["value"])):
            return partial(_defaults, found["name"], value)
    return partial(_removed, found["name"]) if (found := first_match(_REMOVED, instruction)) else None


def _returns(type: str, selected: Selection) -> Way | None:
    function = selected.function()
    parameters = function.child_by_field_name("parameters") if function is not None else None
    if function is None or parameters is None or not selected.knows(type, type=True):
        return None
    said = function.child_by_field_name("return_type")
    if said is None:
        return _put(selected, end_of(parameters), f" -> {type}")
    return _instead(selected, said, type)


def _typed(name: str, type: str | None, selected: Selection) -> Way | None:
    """type: None for that of the default."""
    parameter = _parameter(selected, name)
    if parameter is None:
        return None
    said, default = (parameter.child_by_field_name(field) for field in ("type", "value"))
    if type is None:
        type = _type_of(default)
        if type is None:
            return () if said is not None else None
    if not selected.knows(type, type=True):
        return None
    if said is not None:
        return _instead(selected, said, type)
    if parameter.type == "identifier":
        return _put(selected, end_of(parameter), f": {type}")
    left = parameter.child_by_field_name("name")
    if left is None or default is None or left.end_point[0] != default.start_point[0]:
        return None
    return spliced(selected.lines, [Splice(end_of(left), start_of(default), f": {type} = ")]) or None


def _defaults(name: str, value: str, selected: Selection) -> Way | None:
    parameter = _parameter(selected, name)
    default = parameter.child_by_field_name("value") if parameter is not None else None
    return _instead(selected, default, value) if default is not None and selected.knows(value) else None


def _added(name: str, value: str, selected: Selection) -> Way | None:
    """Behind the last that can be given by position: who calls the function gives none of the others by it."""
    parameters = _parameters(selected)
    if any(_name_of(p) == name for p in parameters):
        return ()
    plain = list(takewhile(lambda p: p.type in _PLAIN and _name_of(p), parameters))
    if not plain or not selected.knows(value):
        return None
    last, typed = plain[-1], any(p.type.startswith("typed") for p in parameters)
    kind = _literal_type(value) if typed else None
    new = f"{name}: {kind} = {value}" if kind else f"{name}={value}"
    before = selected.split(start_of(last))[0]
    if not before.strip() and len(parameters) > 1:
        return None  # each on a line of its own: lines to come, which the model writes
    return _put(selected, end_of(last), f", {new}")


def _removed(name: str, selected: Selection) -> Way | None:
    function, parameters = selected.function(), _parameters(selected)
    body = function.child_by_field_name("body") if function is not None else None
    at = next((k for k, p in enumerate(parameters) if _name_of(p) == name), None)
    if body is None:
        return None
    if at is None:
        return () if parameters else None
    alone = parameters[at - 1].type == "keyword_separator" and at + 1 == len(
        parameters
    )  # a star that names none
    if alone or any(text_of(node) == name for node in identifiers(body)):
        return None
    gone = parameters[at]
    begin, end = start_of(gone), end_of(gone)
    if at:
        begin = end_of(parameters[at - 1])
    elif len(parameters) > 1:
        end = start_of(parameters[1])
    return spliced(selected.lines, [Splice(begin, end, "")]) or None if begin[0] == end[0] else None


# -- parameters ------------------------------------------------------------------------------------------------------


def _parameters(selected: Selection) -> Sequence[Node]:
    function = selected.function()
    found = function.child_by_field_name("parameters") if function is not None else None
    return [node for node in found.named_children if node.type != "comment"] if found is not None else []


def _parameter(selected: Selection, name: str) -> Node | None:
    return next((p for p in _parameters(selected) if p.type in _PLAIN and _name_of(p) == name), None)


def _name_of(parameter: Node) -> str:
    if parameter.type == "identifier":
        return text_of(parameter)
    named = parameter.child_by_field_name("name")
    if named is None and parameter.named_children:
        named = parameter.named_children[0]
    return text_of(named) if named is not None and named.type == "identifier" else ""


def _type_of(default: Node | None) -> str | None:
    return _literal_type(text_of(default)) if default is not None else None


def _literal_type(value: str) -> str | None:
    """The type of a plain literal that says it; None for None and for what holds others."""
    try:
        made = ast.literal_eval(value)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None
    return type(made).__name__ if isinstance(made, (bool, int, float, str, bytes)) else None


# -- edits -----------------------------------------------------------------------------------------------------------


def _put(selected: Selection, at: Point, text: str) -> Way | None:
    return spliced(selected.lines, [Splice(at, at, text)]) or None


def _instead(selected: Selection, node: Node, text: str) -> Way | None:
    if text_of(node) == text:
        return ()
    if node.start_point[0] != node.end_point[0]:
        return None
    return spliced(selected.lines, [Splice(start_of(node), end_of(node), text)]) or None
