"""What a function's head says: types, defaults, parameters."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import partial

from tree_sitter import Node

from copydesk.splices import Point, Splice, end_of, spliced, start_of
from copydesk.syntax import identifiers, text_of
from copydesk.told.selection import Rule, Selection, Way
from copydesk.told.words import annotation, code, expression, first_match, name, wordings

_NAME, _TYPE, _VALUE = name("name"), code("type"), code("value")
_PARAMETER = r"(?:(?:the )?(?:parameter|argument) )?"
_RETURNS = wordings(
    rf"(?:add|set|give it) (?:the |a )?return (?:type(?: hint)?|annotation|hint)(?: of| to|:)? {_TYPE}",
    rf"annotate the return (?:type|value) (?:as|with) {_TYPE}",
    rf"(?:this|the) function returns {_TYPE}, add the (?:type hint|annotation)",
    rf"add -> {_TYPE}",
    rf"return type(?: hint)?: {_TYPE}",
)
_TYPED = wordings(
    rf"add (?:the |a )?type hint {_TYPE} (?:to|for) {_PARAMETER}{_NAME}",
    rf"add a type hint (?:to|for) {_PARAMETER}{_NAME}: {_TYPE}",
    rf"annotate {_PARAMETER}{_NAME} (?:as|with) {_TYPE}",
    rf"{_NAME} is of type {_TYPE}, add the (?:annotation|type hint)",
    rf"type {_NAME} as {_TYPE}",
    rf"{_PARAMETER}{_NAME} should be annotated (?:with|as) {_TYPE}",
    rf"{_NAME}: {_TYPE}",
)
_TYPED_AS_ITS_DEFAULT = wordings(
    rf"add a type hint (?:to|for) {_PARAMETER}{_NAME}",
    rf"annotate {_PARAMETER}{_NAME}(?: with the type of its default)?",
    rf"type hint for {_NAME}",
    rf"missing type annotation for {_NAME}, add it",
)
_DEFAULT = wordings(
    rf"(?:change|set) the default(?: value)? (?:of|for) {_PARAMETER}{_NAME} to {_VALUE}",
    rf"make {_VALUE} the default (?:of|for) {_PARAMETER}{_NAME}",
    rf"{_PARAMETER}{_NAME} should default to {_VALUE}",
    rf"default (?:of|for) {_NAME}: {_VALUE}",
    rf"use {_NAME}={_VALUE} as (?:the )?default",
)
_NEW = r"(?:a |an |the )?(?:new )?(?:optional )?(?:keyword )?(?:parameter|argument)"
_ADDED = wordings(
    rf"add {_NEW} {_NAME} with (?:the )?default {_VALUE}",
    rf"add {_NEW} {_NAME} ?= ?{_VALUE}",
    rf"add {_NEW} {_NAME} \(default {_VALUE}\)",
    rf"give (?:this|the) function {_NEW} {_NAME}, default {_VALUE}",
    rf"new (?:parameter|argument) {_NAME} ?= ?{_VALUE}",
    rf"let it take {_NAME}, {_VALUE} by default",
    rf"add {_NAME}={_VALUE} to the signature",
)
_REMOVED = wordings(
    rf"(?:remove|drop|delete) (?:the )?(?:unused )?(?:parameter|argument) {_NAME}",
    rf"(?:remove|drop|delete) {_NAME} from the (?:signature|parameters)",
    rf"the (?:parameter|argument) {_NAME} is not needed any more, remove it",
)
_PLAIN = ("identifier", "default_parameter", "typed_parameter", "typed_default_parameter")


def signature_rule(instruction: str) -> Rule | None:
    """Reads a wish about a function's head."""
    if (found := first_match(_RETURNS, instruction)) and annotation(found["type"]):
        return partial(_returns, found["type"])
    if (found := first_match(_TYPED, instruction)) and annotation(found["type"]):
        return partial(_typed, found["name"], found["type"])
    if found := first_match(_TYPED_AS_ITS_DEFAULT, instruction):
        return partial(_typed, found["name"], None)
    if (found := first_match(_DEFAULT, instruction)) and expression(found["value"]):
        return partial(_defaults, found["name"], found["value"])
    if (found := first_match(_ADDED, instruction)) and expression(found["value"]):
        return partial(_added, found["name"], found["value"])
    return partial(_removed, found["name"]) if (found := first_match(_REMOVED, instruction)) else None


def _returns(type: str, selected: Selection) -> Way | None:
    function = selected.function()
    parameters = function.child_by_field_name("parameters") if function is not None else None
    if function is None or parameters is None:
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
    return _instead(selected, default, value) if default is not None else None


def _added(name: str, value: str, selected: Selection) -> Way | None:
    """Behind the last that can be given by position: who calls the function gives none of the others by it."""
    parameters = _parameters(selected)
    if any(_name_of(p) == name for p in parameters):
        return ()
    plain = [p for k, p in enumerate(parameters) if all(q.type in _PLAIN for q in parameters[: k + 1])]
    if not plain or len(plain) < len([p for p in parameters if p.type in _PLAIN and p.type != "identifier"]):
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
    if any(text_of(node) == name for node in identifiers(body)):
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
