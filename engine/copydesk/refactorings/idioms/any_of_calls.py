"""The same call with one argument or another, joined by `or` or `and`: `any` or `all` over these."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.expressions import (
    bare,
    callee,
    children_of,
    comparison,
    operands,
    replace_expression,
    single_line,
)
from copydesk.syntax.tree import text_of

_SPLATS = ("list_splat", "dictionary_splat")


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in context.walk("boolean_operator"):
        for word, function in (("or", "any"), ("and", "all")):
            parts = [bare(part) for part in operands(node, word)]
            above = node.parent
            inside = (
                above is not None
                and above.type == "boolean_operator"
                and len(operands(above, word)) > len(parts)
            )
            if len(parts) < 2 or inside:
                continue
            found = _of_calls(parts) or _of_comparisons(parts)
            if found is None:
                continue
            name, made, texts = found
            taken = context.variables()
            name = next((one for one in (name, "item", "one", "each") if one not in taken), "each_of_them")
            over = f"({', '.join(texts)})"
            whole = f"{function}({made.format(name=name)} for {name} in {over})"
            yield f"Use {function} over {', '.join(texts)}: {whole}", replace_expression(context, node, whole)


def _of_calls(parts: Sequence[Node]) -> tuple[str, str, list[str]] | None:
    """A name for the argument in which calls differ, a call with it left open, and what stands there."""
    if any(part.type != "call" or not single_line(part) for part in parts):
        return None
    lists = [children_of(given) if (given := part.child_by_field_name("arguments")) else [] for part in parts]
    if len({callee(part) for part in parts}) != 1 or len({len(one) for one in lists}) != 1 or not lists[0]:
        return None
    if any(entry.type in (*_SPLATS, "for_in_clause") for one in lists for entry in one):
        return None
    columns = list(zip(*lists, strict=True))
    differing = [k for k, column in enumerate(columns) if len({text_of(entry) for entry in column}) > 1]
    if len(differing) != 1:
        return None
    column = columns[differing[0]]
    keys = {text_of(key) if (key := entry.child_by_field_name("name")) else "" for entry in column}
    named = all(entry.type == "keyword_argument" for entry in column)
    if len(keys) != 1 or (not named and any(entry.type == "keyword_argument" for entry in column)):
        return None
    key = keys.pop() if named else ""
    values = [entry.child_by_field_name("value") or entry for entry in column] if named else list(column)
    shown = [text_of(entry).replace("{", "{{").replace("}", "}}") for entry in lists[0]]
    shown[differing[0]] = f"{key}={{name}}" if key else "{name}"
    called = callee(parts[0]).replace("{", "{{").replace("}", "}}")
    return key or "item", f"{called}({', '.join(shown)})", [text_of(value) for value in values]


def _of_comparisons(parts: Sequence[Node]) -> tuple[str, str, list[str]] | None:
    """The same of tests whether something is in one and the same: `"a" in x or "b" in x`."""
    found = [comparison(part) for part in parts]
    sides = [one for one in found if one is not None and one[1] in ("in", "not in")]
    if len(sides) != len(parts) or any(not single_line(part) for part in parts):
        return None
    if len({(sign, text_of(over)) for _, sign, over in sides}) != 1:
        return None
    texts = [text_of(one) for one, _, _ in sides]
    over = text_of(sides[0][2]).replace("{", "{{").replace("}", "}}")
    return "item", f"{{name}} {sides[0][1]} {over}", texts


ANY_OF_CALLS = Refactoring("any_of_calls", "refactor.rewrite.anyOfCalls", _propose)
