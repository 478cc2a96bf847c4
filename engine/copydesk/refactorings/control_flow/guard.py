"""What a function does first, for arguments it cannot use: returns, or raises."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits
from copydesk.refactorings.function_body import add_guard
from copydesk.refactorings.parameters import plain_names
from copydesk.syntax.tree import identifiers, text_of

_STATES = {
    "None": ("{0} is None", "{0} must not be None"),
    "empty": ("not {0}", "{0} must not be empty"),
    "negative": ("{0} < 0", "{0} must not be negative"),
    "zero": ("{0} == 0", "{0} must not be zero"),
    "not a string": ("not isinstance({0}, str)", "{0} must be a string"),
    "not callable": ("not callable({0})", "{0} must be callable"),
}
"""What is wrong with an argument: the test for it, and the message of an exception about it."""
_VALUES = ("None", "False", "[]", "{}", "0", "''", '""')


def return_if_none(name: str, value: str, context: RefactoringContext) -> Edits | None:
    """name: a parameter; other names mean nothing yet at the start."""
    function = context.function()
    parameters = function.child_by_field_name("parameters") if function is not None else None
    given = {text_of(node) for node in identifiers(parameters)} if parameters is not None else set()
    if name not in given or not context.knows(value):
        return None
    return add_guard(f"{name} is None", f"return {value}", context)


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    names = [name for name in plain_names(context) if arguments.mentions(name)]
    values = [value for value in arguments.values if context.knows(value)]
    for name in names:
        for state, (test, message) in _STATES.items():
            actions = ["return", *(f"return {value}" for value in dict.fromkeys([*values, *_VALUES]))]
            for error in arguments.exceptions:
                actions += [f"raise {error}", f'raise {error}("{message.format(name)}")']
            for action in actions:
                title = f'{action[0].upper()}{action[1:]} if "{name}" is {state}'
                yield title, add_guard(test.format(name), action, context)


GUARD = Refactoring("guard", "refactor.rewrite.guard", _propose)
