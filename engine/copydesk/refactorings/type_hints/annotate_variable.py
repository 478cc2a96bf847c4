"""The annotation of a variable: added, changed, dropped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import function_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.code_words import literal_type
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import insert_at, replace_node, replace_span
from copydesk.refactorings.expressions import mentioned
from copydesk.refactorings.spoken import spoken_types
from copydesk.refactorings.type_hints.named_types import named_types
from copydesk.syntax.splice import Splice, end_of, spliced
from copydesk.syntax.tree import text_of

_ALL = frozenset({"all", "both", "these", "those", "they", "them", "each", "every"})
_CONTAINERS = {"[]": "list", "list()": "list", "set()": "set", "{}": "dict", "dict()": "dict", "()": "tuple"}
"""Empty containers, and their types."""


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    types = named_types(context, arguments)
    every: list[Splice] = []
    plain: list[Node] = []
    for node in mentioned(context.walk("assignment"), arguments):
        left, right, said = (node.child_by_field_name(field) for field in ("left", "right", "type"))
        if left is None or left.type not in ("identifier", "attribute"):
            continue
        if said is None:
            plain.append(left)
        inferred = literal_type(text_of(right)) if right is not None else None
        own = function_of(node)
        returned = own.child_by_field_name("return_type") if own is not None else None
        likely = [inferred, text_of(returned) if returned is not None else None]
        kind = _CONTAINERS.get(text_of(right)) if right is not None else None
        if kind is not None:
            likely += [f"{kind}[{', '.join(some)}]" for some in _contents(kind, types, arguments)]
        for type in dict.fromkeys([*types, *filter(None, likely)]):
            made = (
                replace_node(context.lines, said, type)
                if said is not None
                else insert_at(context.lines, end_of(left), f": {type}")
            )
            yield f"Annotate {text_of(left)} as {type}", made
        if said is not None and right is not None:
            dropped = replace_span(context.lines, end_of(left), end_of(said), "")
            if dropped is not None:
                every.append(Splice(end_of(left), end_of(said), ""))
            yield f"Drop the annotation of {text_of(left)}", dropped
    for type in types if len(plain) > 1 and arguments.words & _ALL else ():
        yield (
            f"Annotate all {len(plain)} variables as {type}",
            spliced(context.lines, [Splice(end_of(left), end_of(left), f": {type}") for left in plain]),
        )
    if len(every) > 1:
        yield "Drop the annotations of all variables", spliced(context.lines, every)


def _contents(kind: str, types: Sequence[str], arguments: Arguments) -> Iterator[list[str]]:
    """What an empty container may hold: the types that an instruction names, by their words or as a name with a capital."""
    plain = [t for t in (*types, *spoken_types(arguments)) if t not in ("None", "Any", kind, "False", "True")]
    plain += [name for name in arguments.names if name[0].isupper()]
    if kind == "dict":
        yield from ([a, b] for a in dict.fromkeys(plain[:4]) for b in dict.fromkeys([*plain[:4], "Any"]))
    else:
        yield from ([one] for one in dict.fromkeys(plain[:5]))


ANNOTATE_VARIABLE = Refactoring("annotate_variable", "refactor.rewrite.annotateVariable", _propose)
