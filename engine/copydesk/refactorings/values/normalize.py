"""A parameter brought into one form before anything is done with it: lower case, without blanks, a list, a string."""

from __future__ import annotations

import re
from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import insert_lines
from copydesk.refactorings.function_body import can_insert_before, first_statement
from copydesk.refactorings.parameters import plain_names
from copydesk.refactorings.spoken import named_in, spoken_types

_FORMS = (
    ("lower lowercase lowercased case casefold insensitive", "{0}.lower()"),
    ("upper uppercase uppercased capitals", "{0}.upper()"),
    ("strip stripped whitespace trim blank blanks spaces surrounding padding newline pasted", "{0}.strip()"),
    ("copy mutate mutates mutating modify change changed", "{0}.copy()"),
    ("copy mutate mutates mutating modify change changed", "dict({0})"),
    ("copy mutate mutates mutating modify change changed", "list({0})"),
    ("sort sorted order", "sorted({0})"),
    ("path paths", "Path({0})"),
    ("list lists nested plain array arrays", "np.asarray({0})"),
    ("negative below zero", "max({0}, 0)"),
    ("twice generator iterator modified", "list({0})"),
    ("none null missing given empty no without", "{0} or {{}}"),
    ("none null missing given empty no without", "{0} or []"),
    ("none null missing given empty no without", "{0} or ()"),
    ("none null missing given empty no without", "{0} or ''"),
)
"""Words of an instruction, and what is made of the value."""
_LACKING = frozenset(
    {"none", "missing", "given", "default", "defaults", "without", "omitted", "no", "unless"}
)
_MADE = re.compile(r"[\w.]+\(.*\)|\[\]|\{\}|[\d.]+|([\"']).*\1")
"""What a parameter without a value may be given: what a call gives, or a literal."""
_CALLED = ("str", "bytes", "int", "float", "list", "tuple", "set", "dict")
_MOST = 3


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    first = first_statement(context)
    if first is None or not can_insert_before(context, first):
        return
    own = plain_names(context)
    forms = [form for words, form in _FORMS if arguments.words & set(words.split())]
    forms += [f"{kind}({{0}})" for kind in spoken_types(arguments) if kind in _CALLED]
    alone = arguments.words & {"single", "alone", "one"} and arguments.words & {
        "string",
        "str",
        "strings",
        "text",
    }
    for name in (named_in(arguments, own) or own)[:_MOST] if alone else ():
        indent = context.indent(first)
        lines = [f"{indent}if isinstance({name}, str):\n", f"{indent}    {name} = [{name}]\n"]
        title = f"Start with {name} = [{name}] if it is a single string"
        yield title, insert_lines(first.start_point[0] + 1, lines)
    values = [code for code in arguments.code if _MADE.fullmatch(code) and context.knows(code)]
    for name in named_in(arguments, own)[:_MOST] if arguments.words & _LACKING else ():
        for value in values:
            indent = context.indent(first)
            lines = [f"{indent}if {name} is None:\n", f"{indent}    {name} = {value}\n"]
            yield f"Start with {name} = {value} if it is None", insert_lines(first.start_point[0] + 1, lines)
    for name in (named_in(arguments, own) or own)[:_MOST] if forms else ():
        for form in forms:
            made = f"{name} = {form.format(name)}"
            if all(name not in form or context.knows(name) for name in ("Path", "np")):
                line = f"{context.indent(first)}{made}\n"
                yield f"Start with {made}", insert_lines(first.start_point[0] + 1, [line])


NORMALIZE_PARAMETER = Refactoring("normalize_parameter", "refactor.rewrite.normalizeParameter", _propose)
