"""What `next`, `min` and `max` give where there is nothing, in place of an error."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.expressions import callee, positional, replace_expression
from copydesk.refactorings.spoken import spoken_values
from copydesk.syntax.tree import text_of

_DEFAULTS = {"next": ("", ("None",)), "max": ("default=", ("0", "None")), "min": ("default=", ("0", "None"))}
"""How a default is passed to a function, and what it usually is."""
_ERRORS = {"next": "StopIteration"}
_EMPTY = frozenset({"empty", "default", "nothing", "none", "no", "without"})
"""Words of an instruction about what there may be none of."""


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for node in context.walk("call"):
        called = callee(node)
        given = _only(node) if called in _DEFAULTS else None
        plain = given is not None and given.type != "generator_expression"
        if given is None or (called != "next" and plain and not arguments.words & _EMPTY):
            continue
        prefix, usual = _DEFAULTS[called]
        text = text_of(given)
        inner = f"({text})" if given.type == "generator_expression" and not text.startswith("(") else text
        for default in dict.fromkeys([*usual, *spoken_values(arguments)]):
            made = f"{called}({inner}, {prefix}{default})"
            error = _ERRORS.get(called, "ValueError")
            title = f"Default to {default} instead of {error}: {called}(…, {prefix}{default})"
            yield title, replace_expression(context, node, made)


def _only(call: Node) -> Node | None:
    """The one argument of a call, which may be a generator without brackets of its own."""
    given = call.child_by_field_name("arguments")
    if given is not None and given.type == "generator_expression":
        return given
    entries = positional(call) or ()
    return entries[0] if len(entries) == 1 else None


DEFAULT_OF_CALL = Refactoring("default_of_call", "refactor.rewrite.defaultOfCall", _propose)
