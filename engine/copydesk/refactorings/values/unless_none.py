"""What is made of a value only where there is one: `int(text) if text is not None else None`."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.expressions import (
    NAMES,
    children_of,
    method_of,
    positional,
    replace_expression,
    single_line,
    variables,
)
from copydesk.refactorings.spoken import EMPTY, named_in, spoken_values
from copydesk.syntax.tree import text_of

_ASKING = frozenset({
    "none", "null", "nothing", "missing", "unset", "optional", "given", "without", "no", "absent", "keep", "stay", "stays",
    "leave", "alone", "crash", "crashes", "blow", "blows",
})  # fmt: skip
"""Words of an instruction about what may not be there."""
_TAKEN = (
    "assignment",
    "return_statement",
    "argument_list",
    "keyword_argument",
    "pair",
    "list",
    "interpolation",
)
_MOST = 3


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    if not arguments.words & _ASKING:
        return
    said = [value for value in spoken_values(arguments) if value not in ("True", "NotImplemented")]
    empty = [EMPTY["str"]] if arguments.words & {"empty", "blank"} else []
    values = list(dict.fromkeys([*(v for v in said if v != "None"), *empty, "None"]))[:_MOST]
    for node in context.walk("call", "list_comprehension"):
        holder = node.parent
        if holder is None or holder.type not in _TAKEN or not single_line(node):
            continue
        of = _made_of(node)
        itself = holder.type == "assignment" and of in [text_of(part) for part in children_of(holder)]
        known = of is not None and (named_in(arguments, [of.rpartition(".")[2]]) or len(variables(node)) < 3)
        for value in values if of is not None and known else ():
            if itself and value == "None":
                continue  # which is an `if` round the statement
            made = f"{text_of(node)} if {of} is not None else {value}"
            does = "Leave None alone" if value == "None" else f"Give {value} for None"
            yield f"{does}, where {of} is None: {made}", replace_expression(context, node, made)


def _made_of(node: Node) -> str | None:
    """The one variable or attribute that an expression is made of: the argument of a call, or what its method is called on."""
    if node.type == "list_comprehension":
        clause = next((child for child in node.named_children if child.type == "for_in_clause"), None)
        source = clause.child_by_field_name("right") if clause is not None else None
        return text_of(source) if source is not None and source.type in NAMES else None
    given, method = positional(node), method_of(node)
    if given is not None and len(given) == 1 and given[0].type in NAMES:
        return text_of(given[0])
    if method is not None and method[0].type in NAMES and text_of(method[0]) not in ("self", "cls"):
        return text_of(method[0])
    return None


UNLESS_NONE = Refactoring("unless_none", "refactor.rewrite.unlessNone", _propose)
