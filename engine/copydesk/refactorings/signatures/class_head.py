"""What a class derives from, what `@dataclass` is told, and the values of fields that have none."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import insert_at, merged, replace_node, rewrite_node
from copydesk.refactorings.expressions import callee, children_of, single_line
from copydesk.refactorings.spoken import spoken_values
from copydesk.syntax.splice import end_of
from copydesk.syntax.tree import text_of

_OPTIONS = {
    "frozen=True": {"frozen", "immutable", "hashable"},
    "slots=True": {"slots"},
    "kw_only=True": {"kw_only", "keyword", "keywords"},
    "order=True": {"order", "ordered", "comparable", "sortable"},
    "eq=False": {"eq", "equality", "identity"},
    "repr=False": {"repr"},
}
"""What `@dataclass` takes, and words for it."""
_MOST = 4


def _bases(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for node in context.starting("class_definition"):
        name, given = node.child_by_field_name("name"), node.child_by_field_name("superclasses")
        if name is None or (given is not None and not single_line(given)):
            continue
        bases = [text_of(one) for one in children_of(given)] if given is not None else []
        for base in dict.fromkeys(
            [*arguments.dotted, *(one for one in arguments.names if one[0].isupper())][:_MOST]
        ):
            if base == text_of(name) or base in bases or not context.knows(base, type=True):
                continue
            title = f"Derive {text_of(name)} from {base}"
            if given is None:
                yield title, insert_at(context.lines, end_of(name), f"({base})")
            else:
                others = f", not {', '.join(bases)}" if bases else ""
                yield f"{title}{others}", replace_node(context.lines, given, f"({base})")
            if given is not None and bases:
                yield f"{title}, too", replace_node(context.lines, given, f"({', '.join([*bases, base])})")


def _options(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for node in context.walk("decorator"):
        made = node.named_children[0]
        called = callee(made) if made.type == "call" else text_of(made)
        if called.rpartition(".")[2] not in ("dataclass", "define", "frozen"):
            continue
        given = made.child_by_field_name("arguments") if made.type == "call" else None
        old = [text_of(one) for one in children_of(given)] if given is not None else []
        for option, words in _OPTIONS.items():
            if words & arguments.words and option not in old:
                line = f"{called}({', '.join([*old, option])})"
                yield (
                    f"Make the dataclass {option.partition('=')[0]}: @{line}",
                    rewrite_node(context.lines, made, line),
                )


def _fields(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """Values for variables that are declared with their types alone: the defaults of a dataclass."""
    fields = [node for node in context.walk("assignment") if _is_declared(node)]
    for value in spoken_values(arguments)[:_MOST] if fields else ():
        edits = [insert_at(context.lines, end_of(node), f" = {value}") for node in fields]
        for node, edit in zip(fields, edits, strict=True):
            yield f"Give {text_of(node).partition(':')[0]} the default {value}", edit
        if len(fields) > 1:
            yield f"Give all {len(fields)} fields the default {value}, both", merged(*edits)


def _is_declared(node: Node) -> bool:
    return node.child_by_field_name("type") is not None and node.child_by_field_name("right") is None


CLASS_BASES = Refactoring("class_bases", "refactor.rewrite.classBases", _bases)
DATACLASS_OPTION = Refactoring("dataclass_option", "refactor.rewrite.dataclassOption", _options)
FIELD_DEFAULT = Refactoring("field_default", "refactor.rewrite.fieldDefault", _fields)
