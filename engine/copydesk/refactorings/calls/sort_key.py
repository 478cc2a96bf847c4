"""What is sorted by, and where: a key, the other way round, in place or not."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import FUNCTION_WORDS, Arguments
from copydesk.refactorings.blocks import assigned, following, lead_and_value
from copydesk.refactorings.calls.call_arguments import append_argument
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import plain_statements
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, merged, replace_lines, replace_node
from copydesk.refactorings.expressions import callee, children_of, method_of, single_line
from copydesk.syntax.tree import rows, text_of
from copydesk.text.singular import singular

_SORTING = ("sorted", "sort", "min", "max", "nlargest", "nsmallest", "groupby")
_DOWN = frozenset({
    "descending", "desc", "reverse", "reversed", "highest", "largest", "biggest", "most", "longest", "newest", "latest",
    "decreasing",
})  # fmt: skip
"""Words of an instruction that wants the largest first."""
_KEYS = {
    "len": "length len longest shortest longer shorter long short size",
    "int": "numerically number numbers numeric int integer",
    "str": "string strings str text",
    "str.lower": "case insensitively insensitive lowercase lower",
    "str.casefold": "casefold",
    "abs": "absolute magnitude abs",
    "os.path.getmtime": "mtime modification modified newest oldest",
    "os.path.basename": "basename filename",
}
"""Functions to sort by, by the words that may ask for each."""
_PLACES = {
    "second": "1",
    "last": "-1",
    "third": "2",
    "value": "1",
    "values": "1",
    "count": "1",
    "counts": "1",
}
"""Which entry of each item it is."""
_BY = re.compile(r"\b(?:by|on) (?:its |their |the |each )?`?\.?([^\W\d]\w*)")


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for call in context.walk("call"):
        name = callee(call).rpartition(".")[2]
        given = call.child_by_field_name("arguments")
        if name not in _SORTING or given is None or given.type != "argument_list":
            continue
        old = next((n for n in children_of(given) if text_of(n).startswith("key=")), None)
        turned = any(text_of(n).startswith("reverse=") for n in children_of(given))
        down = name in ("sort", "sorted") and not turned and bool(arguments.words & _DOWN)
        verb = "Compare" if name in ("min", "max") else "Sort"
        for what, key in _keys(context, arguments, _sorted_in(call)):
            if old is not None:
                yield f"{verb} by {what} instead", replace_node(context.lines, old, f"key={key}")
                continue
            if down:
                yield (
                    f"Sort by {what}, descending, highest first",
                    append_argument(context, given, f"key={key}, reverse=True"),
                )
            yield f"{verb} by {what}", append_argument(context, given, f"key={key}")


def _sorted_in(call: Node) -> str:
    """What a call sorts."""
    method, given = method_of(call), call.child_by_field_name("arguments")
    if method is not None and text_of(method[1]) == "sort":
        return text_of(method[0])
    plain = [n for n in children_of(given) if n.type != "keyword_argument"] if given is not None else []
    return text_of(plain[0]) if plain else ""


def _keys(context: RefactoringContext, arguments: Arguments, over: str) -> Iterator[tuple[str, str]]:
    """What may be sorted by, in words and in code."""
    for function, words in _KEYS.items():
        if arguments.words & set(words.split()) and ("." not in function or context.knows(function)):
            said = next((word for word in words.split() if word in arguments.words and word != function), "")
            yield f"{function}, {said}" if said else function, function
    last = re.search(r"([^\W\d]\w*)(?:\(\))?$", over)
    item = (singular(last[1]) if last is not None and last[1] not in ("items", "values") else None) or "item"
    item = item if item not in context.variables() else "each"
    for word, place in _PLACES.items():
        if word in arguments.words and (
            word in ("second", "last", "third") or over.endswith((".items()", "items"))
        ):
            yield f"the {word}", f"lambda {item}: {item}[{place}]"
    for word in dict.fromkeys(_BY.findall(arguments.instruction)):
        if (
            word in FUNCTION_WORDS
            or word in _PLACES
            or any(word in words.split() for words in _KEYS.values())
        ):
            continue
        called = context.knows(word) and f".{word}" not in "".join(context.lines)
        if called:
            yield word, word
        if not called:
            yield f"the attribute {word}", f"lambda {item}: {item}.{word}"
            quoted = [q for q in "\"'" if f"[{q}{word}{q}]" in "".join(context.lines)]
            for quote in quoted[:1]:
                yield f"the entry {word}", f"lambda {item}: {item}[{quote}{word}{quote}]"


def _in_place(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in plain_statements(context, "expression_statement", "return_statement"):
        found = lead_and_value(node)
        if (
            found is not None
            and found[1].type == "call"
            and callee(found[1]) == "sorted"
            and single_line(node)
        ):
            yield from _of_copy(context, node, found[0], found[1])
        call = children_of(node)[0] if node.type == "expression_statement" else node
        method, given = method_of(call), call.child_by_field_name("arguments")
        if call.type != "call" or method is None or given is None or text_of(method[1]) != "sort":
            continue
        if single_line(node):
            owner = text_of(method[0])
            rest = f", {text_of(given)[1:-1]}" if children_of(given) else ""
            made = f"sorted({owner}{rest})"
            line = f"{context.indent(node)}{owner} = {made}\n"
            yield f"Sort a copy of {owner}, not in place", replace_lines(*rows(node), [line])
            yield from _returned(context, node, owner, made)


def _of_copy(context: RefactoringContext, node: Node, lead: str, call: Node) -> Iterator[Proposal]:
    """A list that is sorted, where it is given to its own name, or returned."""
    given = call.child_by_field_name("arguments")
    entries = children_of(given) if given is not None else []
    if not entries or entries[0].type not in ("identifier", "attribute"):
        return
    name, indent = text_of(entries[0]), context.indent(node)
    line = f"{indent}{name}.sort({', '.join(map(text_of, entries[1:]))})\n"
    if lead == f"{name} = ":
        yield f"Sort {name} in place", replace_lines(*rows(node), [line])
    if lead == "return " and _is_own_list(context, node, name):
        yield f"Sort {name} in place, then return", _two(context, node, line, f"return {name}")


def _is_own_list(context: RefactoringContext, node: Node, name: str) -> bool:
    """Whether the function makes the list itself, as far as the code above shows."""
    made = (assigned(n) for n in context.walk("expression_statement") if n.start_byte < node.start_byte)
    own = [sides[1] for sides in made if sides is not None and text_of(sides[0]) == name]
    return bool(own) and (own[-1].type in ("list", "list_comprehension") or callee(own[-1]) == "list")


def _two(context: RefactoringContext, node: Node, line: str, other: str) -> Edits:
    return replace_lines(*rows(node), [line, f"{context.indent(node)}{other}\n"])


def _returned(context: RefactoringContext, node: Node, owner: str, made: str) -> Iterator[Proposal]:
    after = following(node)
    if after is not None and text_of(after) == f"return {owner}" and context.has(after):
        line = f"{context.indent(node)}return {made}\n"
        edits = merged(replace_lines(rows(node)[0], rows(after)[1], [line]))
        yield "Return a sorted copy", edits


SORT_KEY = Refactoring("sort_key", "refactor.rewrite.sortKey", _propose)
SORT_IN_PLACE = Refactoring("sort_in_place", "refactor.rewrite.sortInPlace", _in_place)
