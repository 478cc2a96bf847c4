"""A value with another to fall back to, or without it; an entry taken with a default."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from copydesk.refactorings.arguments import FUNCTION_WORDS, Arguments
from copydesk.refactorings.blocks import assigned, has_comment, next_statement, stands_alone, statement_before
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import clauses_of
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, delete_lines, merged, replace_lines, replace_node
from copydesk.refactorings.expressions import (
    callee,
    children_of,
    comparison,
    is_value,
    mentioned,
    method_of,
    positional,
    replace_expression,
    single_line,
)
from copydesk.refactorings.spoken import literals_like, named_in, spoken_values
from copydesk.syntax.tree import rows, text_of

_TAKEN = ("assignment", "return_statement", "argument_list", "keyword_argument", "parenthesized_expression")
"""What takes a value for what it is, and does not only test it."""
_MAY_BE_NONE = ("identifier", "attribute", "call", "subscript", "await")
_MISSING = frozenset({
    "fall", "falls", "fallback", "default", "defaults", "none", "nothing", "empty", "missing", "or", "else", "unless", "without",
    "optional", "falsy", "otherwise", "null", "unset", "absent", "given", "no",
})  # fmt: skip
"""Words of an instruction about what is not there."""
_MAY_BE_MISSING = _MISSING | {"0", "zero", "false", "may", "can", "yet", "blank", "optionally"}
_SAID_ANYWAY = (
    _MISSING
    | FUNCTION_WORDS
    | {"then", "when", "if", "be", "means", "mean", "should", "stands", "for", "without", "set"}
)
_EMPTY_ITERABLES = ("()", "[]")
_EMPTY = ("None", "''", "[]", "{}", "()")
_ITERATING = frozenset({
    "sorted", "set", "list", "tuple", "frozenset", "len", "sum", "any", "all", "enumerate", "iter", "reversed", "map",
    "min", "max",
})  # fmt: skip
_OF_MAPPINGS = frozenset({"items", "keys", "values", "get", "pop", "update", "setdefault"})
_OF_TEXTS = frozenset({
    "strip", "lstrip", "rstrip", "split", "rsplit", "splitlines", "lower", "upper", "replace", "startswith", "endswith", "encode",
    "partition", "rpartition", "format", "casefold", "title", "removeprefix", "removesuffix",
})  # fmt: skip


_DEFAULTS = frozenset({"default", "fallback", "otherwise", "back", "else", "missing"})
"""Words of an instruction about what stands in for a value."""


def _fallback(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    yield from _or_else(context, arguments)
    for node in context.walk(*_MAY_BE_NONE) if arguments.words & _MAY_BE_MISSING else ():
        for value in _empty_for(node) if single_line(node) else ():
            made = f"{text_of(node)} or {value}"
            yield f"Fall back to {value}: {made}", replace_expression(context, node, made)
    for node in mentioned(context.walk("boolean_operator"), arguments):
        operator, holder = node.child_by_field_name("operator"), node.parent
        if operator is None or holder is None or text_of(operator) != "or" or holder.type not in _TAKEN:
            continue
        left, right = map(text_of, children_of(node)[:2])
        yield f"Drop the fallback {right}: only {left}", replace_expression(context, node, left)
        for unless_none in (
            f"{left} if {left} is not None else {right}",
            f"{right} if {left} is None else {left}",
        ):
            yield f"Fall back only if None: {unless_none}", replace_expression(context, node, unless_none)
        if holder.type == "assignment" and [text_of(part) for part in children_of(holder)] == [
            left,
            text_of(node),
        ]:
            indent = " " * holder.start_point[1]
            unset = f"if {left} is None:\n{indent}    {left} = {right}"
            yield f"Assign only if None: if {left} is None", replace_node(context.lines, holder, unset)


def _or_else(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """Another value where there would be none, or an empty one."""
    values = [value for value in spoken_values(arguments) if value not in ("True", "None", "NotImplemented")]
    said = [text for text in literals_like("''", arguments, 12) if text[1:-1].lower() not in _SAID_ANYWAY]
    said = [text for text in said if text[1:-1] not in context.words]
    if arguments.words & _DEFAULTS:
        values += [name for name in named_in(arguments, sorted(context.variables()), 2) if name not in values]
    values = list(dict.fromkeys([*values, *said[:3]]))[:6]
    for node in context.walk(*_MAY_BE_NONE) if arguments.words & _MISSING else ():
        holder = node.parent
        taken = holder is not None and holder.type in (
            "assignment",
            "return_statement",
            "keyword_argument",
            "argument_list",
            "interpolation",
        )
        if taken and is_value(node) and single_line(node):
            others = [*values, *_siblings(context, node, arguments)]
            for value in others:
                made = f"{text_of(node)} or {value}"
                yield f"Fall back to {value}: {made}", replace_expression(context, node, made)


def _siblings(context: RefactoringContext, node: Node, arguments: Arguments, most: int = 2) -> list[str]:
    """Other attributes of the same object that an instruction names, and the document has somewhere."""
    owner, _, own = text_of(node).rpartition(".")
    if node.type != "attribute":
        return []
    text = "".join(context.lines)
    named = (name for name in arguments.names if name != own and re.search(rf"\.{name}\b(?!\()", text))
    return [f"{owner}.{name}" for name in named][:most]


def _empty_for(node: Node) -> Sequence[str]:
    """What may stand for a value that is None or empty, by what is done with it."""
    holder, field = node.parent, "right"
    if holder is None:
        return ()
    match holder.type:
        case "for_statement" | "for_in_clause":
            return _EMPTY_ITERABLES if holder.child_by_field_name(field) == node else ()
        case "list_splat":
            return _EMPTY_ITERABLES
        case "dictionary_splat":
            return ("{}",)
        case "attribute":
            name = holder.child_by_field_name("attribute")
            called = holder.parent is not None and holder.parent.type == "call"
            if name is None or not called or name == node:
                return ()
            return ("{}",) if text_of(name) in _OF_MAPPINGS else ("''",) if text_of(name) in _OF_TEXTS else ()
        case "comparison_operator":
            sides = comparison(holder)
            tested = sides is not None and sides[1] in ("in", "not in") and sides[2] == node
            return ("()", "''") if tested else ()
        case "binary_operator":
            return ("''", "[]", "0", "()")
        case "argument_list":
            iterated = holder.parent is not None and callee(holder.parent) in _ITERATING
            return _EMPTY_ITERABLES if iterated else _EMPTY
        case "assignment" | "keyword_argument":
            field = "right" if holder.type == "assignment" else "value"
            return _EMPTY if holder.child_by_field_name(field) == node else ()
        case "return_statement" | "pair":
            return _EMPTY if is_value(node) and holder.child_by_field_name("key") != node else ()
    return ()


def _entry(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for node in context.walk("delete_statement"):
        (deleted, *others) = children_of(node)
        if not others and deleted.type == "subscript" and len(children_of(deleted)) == 2:
            owner, key = map(text_of, children_of(deleted))
            yield (
                f"Use pop instead of del: {owner}.pop({key})",
                replace_node(context.lines, node, f"{owner}.pop({key})"),
            )
            title = f"Use pop with a default instead of del: {owner}.pop({key}, None)"
            yield title, replace_node(context.lines, node, f"{owner}.pop({key}, None)")
    for call in context.walk("call"):
        method, given = method_of(call), positional(call)
        alone = call.parent is not None and call.parent.type == "expression_statement"
        if alone and method is not None and given and text_of(method[1]) == "pop" and single_line(call):
            deleted_entry = f"del {text_of(method[0])}[{text_of(given[0])}]"
            yield f"Use del instead of pop: {deleted_entry}", replace_node(context.lines, call, deleted_entry)
    defaults = [value for value in spoken_values(arguments) if value not in ("NotImplemented", "None")]
    missing = ["[]", "''"] if arguments.words & {"missing", "absent", "without", "empty"} else []
    defaults = list(dict.fromkeys([*defaults[:5], *missing, "False", "0"]))
    itself = bool(arguments.words & {"itself", "unchanged", "untouched", "is", "original"})
    for node in mentioned(context.walk("subscript"), arguments):
        parts = children_of(node)
        if len(parts) == 2 and parts[1].type != "slice" and is_value(node):
            owner, key = map(text_of, parts)
            if _is_there(node, f"{key} in {owner}"):
                continue
            got = f"{owner}.get({key})"
            told = (
                f"Use get, None by default: {got}"
                if "none" in arguments.words
                else f"Use get: {got}, may be missing"
            )
            yield told, replace_expression(context, node, got)
            for default in [*defaults, owner] if itself else defaults:
                made = f"{owner}.get({key}, {default})"
                yield f"Use get with a default {default}: {made}", replace_expression(context, node, made)
            popped = replace_expression(context, node, f"{owner}.pop({key})")
            yield f"Use pop: {owner}.pop({key})", merged(popped, _rest_taken(context, node, owner, key))


def _is_there(node: Node, test: str) -> bool:
    """Whether an entry is read where it has been looked for: there it is, and needs no default."""
    above: Node | None = node
    while above is not None and above.parent is not None:
        parent = above.parent
        tested = (
            parent.child_by_field_name("condition")
            if parent.type in ("if_statement", "elif_clause")
            else None
        )
        if tested is not None and parent.child_by_field_name("consequence") == above:
            return text_of(tested) == test
        above = parent
    return False


def _rest_taken(context: RefactoringContext, node: Node, owner: str, key: str) -> Edits:
    """Without the statement behind that keeps the rest of a list whose first entry is taken: `files = files[1:]`."""
    statement = statement_before(node)
    after = next_statement(statement) if statement is not None and key == "0" else None
    if after is None or text_of(after) != f"{owner} = {owner}[1:]" or not stands_alone(context, after):
        return ()
    return delete_lines(*rows(after))


CHANGE_FALLBACK = Refactoring("change_fallback", "refactor.rewrite.changeFallback", _fallback)


def _only_if_missing(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    """An entry that is set where there is none yet, or in any case."""
    for node in context.walk("assignment"):
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        parts = children_of(left) if left is not None and left.type == "subscript" else []
        loose = right is not None and right.type in ("expression_list", "assignment")
        if (
            len(parts) == 2
            and right is not None
            and not loose
            and parts[1].type != "slice"
            and single_line(node)
        ):
            made = f"{text_of(parts[0])}.setdefault({text_of(parts[1])}, {text_of(right)})"
            yield f"Use setdefault, keep what is there: {made}", replace_node(context.lines, node, made)
    for node in context.walk("if_statement"):
        clauses, only = clauses_of(context, node), None
        if len(clauses) == 1 and len(clauses[0].statements) == 1:
            only = assigned(clauses[0].statements[0])
        parts = children_of(only[0]) if only is not None and only[0].type == "subscript" else []
        if only is None or len(parts) != 2 or clauses[0].test is None or "\n" in text_of(only[1]):
            continue
        if only[1].type in ("assignment", "expression_list") or has_comment(context, *rows(node)):
            continue
        owner, key = map(text_of, parts)
        if text_of(clauses[0].test) in (f"{key} not in {owner}", f"not {key} in {owner}"):
            made = f"{owner}.setdefault({key}, {text_of(only[1])})"
            yield (
                f"Use setdefault, no if: {made}",
                replace_lines(*rows(node), [f"{context.indent(node)}{made}\n"]),
            )
    for call in context.walk("call"):
        method, given = method_of(call), positional(call)
        alone = call.parent is not None and call.parent.type == "expression_statement"
        if alone and method is not None and given and len(given) == 2 and text_of(method[1]) == "setdefault":
            made = f"{text_of(method[0])}[{text_of(given[0])}] = {text_of(given[1])}"
            yield f"Set it in any case, overwrite: {made}", replace_node(context.lines, call, made)


SETDEFAULT = Refactoring("setdefault", "refactor.rewrite.setdefault", _only_if_missing, everywhere=True)
TAKE_ENTRY = Refactoring("take_entry", "refactor.rewrite.takeEntry", _entry, everywhere=True)
