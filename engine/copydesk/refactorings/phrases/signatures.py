"""Wishes about a function's head: types, defaults, parameters."""

from __future__ import annotations

from functools import partial

from copydesk.refactorings.code_words import annotation, expression
from copydesk.refactorings.phrases.words import Rule, code, first_match, name, wordings
from copydesk.refactorings.signatures.add_parameter import add_parameter
from copydesk.refactorings.signatures.parameter_default import change_default
from copydesk.refactorings.signatures.remove_parameter import remove_parameter
from copydesk.refactorings.type_hints.annotate_function import annotate_parameter, annotate_return

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


def signature_rule(instruction: str) -> Rule | None:
    """Reads a wish about a function's head."""
    for pattern in _RETURNS:
        if (found := pattern.match(instruction)) and (type := annotation(found["type"])):
            return partial(annotate_return, type)
    for pattern in _TYPED:
        if (found := pattern.match(instruction)) and (type := annotation(found["type"])):
            return partial(annotate_parameter, found["name"], type)
    if found := first_match(_TYPED_AS_ITS_DEFAULT, instruction):
        return partial(annotate_parameter, found["name"], None)
    if (found := first_match(_ADDED, instruction)) and (value := expression(found["value"])):
        return partial(add_parameter, found["name"], value)
    for pattern in _DEFAULT:
        if (found := pattern.match(instruction)) and (value := expression(found["value"])):
            return partial(change_default, found["name"], value)
    return partial(remove_parameter, found["name"]) if (found := first_match(_REMOVED, instruction)) else None
