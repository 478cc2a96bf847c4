"""The default of a parameter, or of the last ones: added, changed, dropped."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, replace_node, replace_nodes
from copydesk.refactorings.expressions import mentioned, single_line
from copydesk.refactorings.parameters import list_parameters, name_of, parameter_of, plain_names
from copydesk.refactorings.spoken import literals_like, spoken_types, spoken_values
from copydesk.syntax.splice import Splice, end_of, spliced, start_of
from copydesk.syntax.tree import text_of

_JOINED = re.compile(r"\b(?:or|and)\b")
"""Stands in "a number or None": no value."""
_EACH = frozenset({"all", "both", "each", "every", "everything", "defaults"})
_USUAL = ("None", "False", "True", "0", "()", '""', "1")
_GIVEN = r"`?(?: ?= ?| (?:(?:to|with|default|defaults|defaulting|optional|be|is|should|the|as|of|a|parameter|by) )*)`?"
_VALUE = r"(-?\d[\w.]*|[\"'][^\"']*[\"']|None|True|False|\[\]|\{\}|\(\)|(?<==)[\w.]+)(?!\w)"
"""What may stand between a parameter and its default in an instruction, and the default."""


def change_default(name: str, value: str, context: RefactoringContext) -> Edits | None:
    """Of a parameter that has one."""
    parameter = parameter_of(context, name)
    default = parameter.child_by_field_name("value") if parameter is not None else None
    if default is None or not context.knows(value) or _JOINED.search(value):
        return None
    return replace_node(context.lines, default, value)


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for name in plain_names(context):
        for value in arguments.values:
            yield f'Change the default of "{name}" to {value}', change_default(name, value, context)
    names = [name for name in (*arguments.names, *arguments.dotted) if context.knows(name)]
    values = [
        *spoken_values(arguments),
        *(c for c in arguments.code if context.knows(c) and not _JOINED.search(c)),
        *names,
    ]
    values += [*literals_like("''", arguments, 8), *_USUAL]
    values = list(dict.fromkeys(value for value in values if value != "NotImplemented"))[:24]
    text = arguments.instruction
    for function in mentioned(context.starting("function_definition"), arguments):
        parameters = list_parameters(function)
        without = [
            p
            for p in parameters
            if p.type in ("identifier", "typed_parameter") and name_of(p) not in ("", "self", "cls")
        ]
        each = [
            (p, found[1]) for p in without if (found := re.search(rf"\b{name_of(p)}{_GIVEN}{_VALUE}", text))
        ]
        named = [p for p in without if arguments.mentions(name_of(p))]
        if each:
            title = f"Give the parameters the default each, optional: {', '.join(f'{name_of(p)}={value}' for p, value in each)}"
            yield title, spliced(context.lines, [_given(p, value) for p, value in each]) or None
        for value in values if len(named) > 1 else ():
            title = f"Give {' and '.join(map(name_of, named))} the default {value}, optional"
            yield title, spliced(context.lines, [_given(p, value) for p in named]) or None
        for value in values:
            for p in without:
                title = f'Give the parameter "{name_of(p)}" the default {value}, optional'
                yield title, spliced(context.lines, [_given(p, value)]) or None
                for type in _optional(p) if value == "None" and p.type == "typed_parameter" else ():
                    yield (
                        f"{title}, and the type {type}",
                        spliced(context.lines, [_retyped(p, type, value)]) or None,
                    )
            for k in range(2, len(without) + 1):
                last = without[-k:]
                title = f"Give the last {k} parameters the default {value}, optional: {', '.join(map(name_of, last))}"
                yield title, spliced(context.lines, [_given(p, value) for p in last]) or None
        yield from _without_defaults(context, parameters)
        if arguments.words & _EACH:
            yield from _all_changed(context, parameters, values[:8])
        for p in parameters:
            if p.type in ("default_parameter", "typed_default_parameter"):
                now = p.child_by_field_name("value")
                like = literals_like(text_of(now), arguments, 6) if now is not None else []
                for value in dict.fromkeys([*like, *values]) if now is not None and single_line(now) else ():
                    if now is not None and text_of(now) != value:
                        title = f'Change the default of "{name_of(p)}" from {text_of(now)} to {value}'
                        yield title, replace_node(context.lines, now, value)
                left = p.child_by_field_name("type") or p.child_by_field_name("name")
                if left is not None and left.end_point[0] == p.end_point[0]:
                    title = f'Drop the default of "{name_of(p)}", no default, required'
                    yield title, spliced(context.lines, [Splice(end_of(left), end_of(p), "")])
                default, said = p.child_by_field_name("value"), p.child_by_field_name("type")
                if default is not None and said is not None:
                    for type in _optional(p):
                        title = f'Change the default of "{name_of(p)}" to None and its type to {type}'
                        yield (
                            title,
                            spliced(
                                context.lines, [Splice(start_of(said), end_of(default), f"{type} = None")]
                            )
                            or None,
                        )
            elif p.type == "identifier" and name_of(p) not in ("self", "cls"):
                for type in spoken_types(arguments):
                    for value in values[:8]:
                        title = f'Give "{name_of(p)}" the type {type} and the default {value}'
                        yield (
                            title,
                            spliced(context.lines, [Splice(end_of(p), end_of(p), f": {type} = {value}")]),
                        )


def _all_changed(
    context: RefactoringContext, parameters: Sequence[Node], values: Sequence[str]
) -> Iterator[Proposal]:
    """The same default for all parameters that have one."""
    given = [default for p in parameters if (default := p.child_by_field_name("value")) is not None]
    for value in values if len(given) > 1 else ():
        title = f"Change the default of all parameters to {value}, both"
        yield title, replace_nodes(context.lines, [(default, value) for default in given])


def _without_defaults(context: RefactoringContext, parameters: Sequence[Node]) -> Iterator[Proposal]:
    """All of them required, or all that have the same default."""
    found: list[tuple[str, Splice]] = []
    for p in parameters:
        default = p.child_by_field_name("value")
        left = p.child_by_field_name("type") or p.child_by_field_name("name")
        if default is not None and left is not None and left.end_point[0] == p.end_point[0]:
            found.append((text_of(default), Splice(end_of(left), end_of(p), "")))
    if len(found) > 1:
        yield "Drop all defaults, required", spliced(context.lines, [splice for _, splice in found])
    for value in dict.fromkeys(value for value, _ in found):
        some = [splice for other, splice in found if other == value]
        if len(some) > 1:
            yield f"Drop the defaults {value}, required", spliced(context.lines, some)


def _given(parameter: Node, value: str) -> Splice:
    end = end_of(parameter)
    return Splice(end, end, f" = {value}" if parameter.type == "typed_parameter" else f"={value}")


def _retyped(parameter: Node, type: str, value: str) -> Splice:
    said = parameter.child_by_field_name("type")
    start = start_of(said) if said is not None else end_of(parameter)
    return Splice(start, end_of(parameter), f"{type} = {value}")


def _optional(parameter: Node) -> tuple[str, ...]:
    said = parameter.child_by_field_name("type")
    old = text_of(said) if said is not None else ""
    return (
        (f"{old} | None", f"Optional[{old}]")
        if old and "None" not in old and "Optional" not in old and "\n" not in old
        else ()
    )


PARAMETER_DEFAULT = Refactoring("parameter_default", "refactor.rewrite.parameterDefault", _propose)
