"""`getattr` with a default, in place of a look with `hasattr`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import has_comment, lead_and_value
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import clauses_of
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_lines, replace_node
from copydesk.refactorings.expressions import (
    children_of,
    is_value,
    mentioned,
    positional,
    replace_expression,
    single_line,
)
from copydesk.refactorings.spoken import spoken_values
from copydesk.syntax.tree import rows, text_of

_MISSING = frozenset({
    "getattr", "lacks", "lack", "missing", "without", "default", "fall", "fallback", "old", "absent", "exist",
})  # fmt: skip
"""Words of an instruction about an attribute that may not be there."""
_DEFAULT = re.compile(r"[\w.-]+|[\"'][^\"'\n]*[\"']|\(\)|\[\]|\{\}")
_LOOK = re.compile(r"hasattr\(([\w.]+), ([\"'])(\w+)\2\)")


def _missing(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """An attribute that may not be there, and what is taken then."""
    yield from _tried_and_left(context, arguments)
    defaults = dict.fromkeys([*spoken_values(arguments)[:4], "None"]) if arguments.words & _MISSING else ()
    for node in mentioned(context.walk("attribute"), arguments) if defaults else ():
        owner, name = node.child_by_field_name("object"), node.child_by_field_name("attribute")
        if owner is None or name is None or not is_value(node) or not single_line(node):
            continue
        for default in defaults:
            made = f'getattr({text_of(owner)}, "{text_of(name)}", {default})'
            yield f"Use getattr with a default {default}: {made}", replace_expression(context, node, made)


def _tried(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    """A value that is looked for in a `try`, and another in its `except`."""
    for node in context.walk("try_statement"):
        clauses = clauses_of(context, node)
        if len(clauses) != 2 or any(len(clause.statements) != 1 for clause in clauses):
            continue
        found, other = (lead_and_value(clause.statements[0]) for clause in clauses)
        if found is None or other is None or found[0] != other[0]:
            continue
        value, default, head = found[1], text_of(other[1]), context.lines[clauses[1].head - 1].strip()
        parts = [text_of(part) for part in children_of(value)]
        # What the `try` may have caught beside it, and what is made only when it is needed, is not for one call.
        plain = all(part.isidentifier() or part[:1] in ("'", '"') for part in parts)
        if not plain or not _DEFAULT.fullmatch(default) or has_comment(context, *rows(node)):
            continue
        if value.type == "attribute" and _is_mangled(parts[1]):
            continue
        made = ""
        if value.type == "attribute" and head == "except AttributeError:":
            made = f'getattr({parts[0]}, "{parts[1]}", {default})'
        elif value.type == "subscript" and len(parts) == 2 and head == "except KeyError:":
            made = f"{parts[0]}.get({parts[1]}{'' if default == 'None' else f', {default}'})"
        if made and "\n" not in made:
            title = f"Use {'getattr' if value.type == 'attribute' else 'get'} with a default, no try: {made}"
            yield title, replace_lines(*rows(node), [f"{context.indent(node)}{found[0]}{made}\n"])


def _tried_and_left(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    """A value that is looked for in a `try` whose `except` leaves: left where it is None."""
    for node in context.walk("try_statement"):
        clauses = clauses_of(context, node)
        if len(clauses) != 2 or len(clauses[0].statements) != 1 or not clauses[1].leaves:
            continue
        found, head = lead_and_value(clauses[0].statements[0]), context.lines[clauses[1].head - 1].strip()
        name = found[0].removesuffix(" = ") if found is not None else ""
        made = _with_none(found[1], head) if found is not None and name.isidentifier() else None
        if made is None or has_comment(context, node.start_point[0] + 1, clauses[1].head):
            continue
        indent, body = context.indent(node), context.view(clauses[1].first, clauses[1].last)
        yield (
            f"Use {made.partition('(')[0].rpartition('.')[2]} with a default None, no try: {name} = {made}",
            replace_lines(
                *rows(node), [f"{indent}{name} = {made}\n", f"{indent}if {name} is None:\n", *body]
            ),
        )


def _with_none(value: Node, head: str) -> str | None:
    """The code of an attribute or an entry, or of None where it is not there; None for any other value."""
    parts = [text_of(part) for part in children_of(value)]
    if "\n" in text_of(value) or len(parts) != 2 or _is_mangled(parts[1]):
        return None
    if head == "except AttributeError:" and value.type == "attribute":
        return f'getattr({parts[0]}, "{parts[1]}", None)'
    if head == "except AttributeError:" and parts[0] == "getattr" and value.type == "call":
        given = positional(value)
        return f"{text_of(value)[:-1]}, None)" if given is not None and len(given) == 2 else None
    if head == "except KeyError:" and value.type == "subscript":
        return f"{parts[0]}.get({parts[1]})"
    return None


def _is_mangled(name: str) -> bool:
    """Whether a class spells an attribute of that name otherwise."""
    return name.startswith("__") and not name.endswith("__")


def _looked_for(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    yield from _tried(context, arguments)
    for node in context.walk("conditional_expression"):
        if len(node.named_children) != 3:
            continue
        value, test, other = map(text_of, node.named_children)
        found = _LOOK.fullmatch(test)
        if found is not None and value == f"{found[1]}.{found[3]}" and "\n" not in other:
            made = f"getattr({found[1]}, {found[2]}{found[3]}{found[2]}, {other})"
            yield f"Use getattr with a default, no hasattr: {made}", replace_node(context.lines, node, made)


GETATTR_DEFAULT = Refactoring(
    "getattr_default",
    "refactor.rewrite.getattrDefault",
    _missing,
    menu="cursor",
    offer=_looked_for,
    everywhere=True,
)
