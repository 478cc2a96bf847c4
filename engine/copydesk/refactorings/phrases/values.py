"""Wishes about values and names for them: a constant for a literal, a variable for an expression, and back."""

from __future__ import annotations

import ast
import re
from functools import partial

from copydesk.refactorings.code_words import expression
from copydesk.refactorings.phrases.words import Rule, code, first_match, name, wordings
from copydesk.refactorings.variables.extract_variable import extract_variable
from copydesk.refactorings.variables.inline import inline_variable
from copydesk.refactorings.variables.use_constant import use_constant

_NAME, _VALUE = name("name"), code("value")
_VARIABLE = r"(?:(?:a |the |its own )?(?:new )?(?:local )?(?:variable|var),? )?(?:named |called )?"
_LITERAL = rf"(?:the )?(?:magic )?(?:value |number |literal )?{_VALUE}"
_OF = r"(?:the |our )?(?:constant )?"
_CONSTANT = wordings(
    rf"use {_OF}{_NAME} (?:instead of|rather than|in place of|for) {_LITERAL}",
    rf"use {_OF}{_NAME} constant (?:instead of|rather than|in place of|for) {_LITERAL}",
    rf"(?:replace|swap|substitute|change) (?:the hardcoded )?{_LITERAL} (?:by|with|for|to) {_OF}{_NAME}",
    rf"substitute {_OF}{_NAME} for {_LITERAL}",
    rf"instead of {_LITERAL} use {_OF}{_NAME}",
    rf"(?:don'?t|do not) hardcode {_VALUE}, use {_OF}{_NAME}",
    rf"no magic numbers: {_VALUE} is {_NAME}",
    rf"{_VALUE} is a magic number, use {_OF}{_NAME}",
    rf"{_LITERAL} should be {_OF}{_NAME}",
    rf"{_VALUE} -> {_NAME} constant",
)
_EXTRACT = wordings(
    rf"(?:extract|pull out|pull|move) (?:the expression )?{_VALUE} (?:out )?(?:in)?to {_VARIABLE}{_NAME}",
    rf"(?:extract|pull out) (?:the expression )?{_VALUE} as {_VARIABLE}{_NAME}",
    rf"extract {_VALUE} -> {_NAME}",
    rf"(?:factor) {_VALUE} out (?:in)?to {_VARIABLE}{_NAME}",
    rf"(?:introduce|create|make) {_VARIABLE}{_NAME} for (?:the expression )?{_VALUE}",
    rf"(?:put|store) {_VALUE} in {_VARIABLE}{_NAME}(?: and use (?:it|that))?",
    rf"assign {_VALUE} to {_VARIABLE}{_NAME}(?: first| and use (?:it|that))?",
    rf"give {_VALUE} a name: {_NAME}",
)
_TEMPORARY = r"(?:the )?(?:temporary |temp )?(?:variable )?"
_INLINE = wordings(
    rf"inline {_TEMPORARY}{_NAME}(?: variable)?",
    rf"(?:remove|drop) the variable {_NAME} and use its value directly",
    rf"replace the variable {_NAME} (?:by|with) its (?:value|expression)",
    rf"get rid of (?:the )?(?:temporary |temp )?variable {_NAME}(?: by inlining it)?",
    rf"get rid of (?:the )?(?:temporary|temp) {_NAME}(?: by inlining it)?",
    rf"{_NAME} is only used once, inline it",
    rf"(?:don'?t|do not) use the variable {_NAME}, inline its value",
)


def value_rule(instruction: str, quoted: frozenset[str]) -> Rule | None:
    """Reads a wish about a value and its name. quoted: words marked as code."""
    for pattern in _CONSTANT:
        if (found := pattern.match(instruction)) and _has_constant(
            instruction, found["name"], found["value"]
        ):
            return partial(use_constant, found["name"], found["value"])
    for pattern in _EXTRACT:
        if (found := pattern.match(instruction)) and expression(found["value"]):
            return partial(extract_variable, found["name"], found["value"])
    if (found := first_match(_INLINE, instruction)) is None:
        return None
    sure = re.search(r"\b(?:variable|temporary|temp)\b", instruction) is not None
    return partial(inline_variable, found["name"], sure or found["name"] in quoted)


def _has_constant(instruction: str, name: str, value: str) -> bool:
    """Whether the value is a literal, and the name a constant's: for a text in quotes, another text may be meant."""
    try:
        literal = ast.literal_eval(value)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return False
    return not isinstance(literal, str) or name.isupper() or "constant" in instruction
