"""A dict whose entries begin empty or at zero: `defaultdict`, `Counter`, `setdefault`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import assigned, following, has_comment, statement_before
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import clauses_of
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, delete_lines, merged, replace_lines, replace_node
from copydesk.refactorings.expressions import bare, children_of, method_of, positional, single_line
from copydesk.refactorings.loops.loop_head import plain_head
from copydesk.syntax.tree import identifiers, rows, text_of

_FACTORIES = {
    "[]": "list",
    "list()": "list",
    "set()": "set",
    "{}": "dict",
    "dict()": "dict",
    "0": "int",
    "0.0": "float",
}
_EMPTY = ("{}", "dict()")


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for name, start in _dicts(context):
        uses = list(_uses(context, name, start))
        kinds = {kind for kind, _ in uses}
        edits = merged(*(edit for _, edit in uses)) if uses else None
        if len(kinds) != 1 or edits is None:
            continue
        (kind,) = kinds
        made = f"{_spelt(context, arguments, 'defaultdict')}({kind})"
        whole = merged(replace_node(context.lines, start, made), edits)
        yield f"Use defaultdict for {name}", whole
        if kind == "int":
            made = f"{_spelt(context, arguments, 'Counter')}()"
            yield f"Use a Counter: {name} = {made}", merged(replace_node(context.lines, start, made), edits)
            yield from _counted(context, arguments, name, start)
    for node in context.walk("if_statement"):
        yield from _set_and_used(context, node)
        yield from _found_or_set(context, node)


def _dicts(context: RefactoringContext) -> Iterator[tuple[str, Node]]:
    """The names that are given an empty dict, and that dict."""
    for node in context.walk("expression_statement"):
        sides = assigned(node)
        if sides is not None and sides[0].type == "identifier" and text_of(sides[1]) in _EMPTY:
            yield text_of(sides[0]), sides[1]


def _spelt(context: RefactoringContext, arguments: Arguments, name: str) -> str:
    dotted = f"collections.{name}"
    return (
        dotted
        if arguments.mentions(dotted) or (context.knows("collections") and not context.knows(name))
        else name
    )


def _uses(context: RefactoringContext, name: str, start: Node) -> Iterator[tuple[str, Edits | None]]:
    """What each place that fills a dict begins an entry with, and its edit."""
    for call in context.walk("call"):
        method, given = method_of(call), positional(call)
        if method is None or not given or text_of(method[0]) != name or not single_line(call):
            continue
        used = call.parent is not None and call.parent.type == "attribute"
        if (
            text_of(method[1]) == "setdefault"
            and len(given) == 2
            and used
            and text_of(given[1]) in _FACTORIES
        ):
            entry = f"{name}[{text_of(given[0])}]"
            yield _FACTORIES[text_of(given[1])], replace_node(context.lines, call, entry)
    for node in context.walk("if_statement"):
        key = _missing(context, node, name)
        if key is not None:
            yield key[1], key[2]
    for node in context.walk("assignment"):
        added = _increment(node)
        if added is not None and added[0].startswith(f"{name}[") and node.start_byte > start.start_byte:
            yield "int", replace_node(context.lines, node, f"{added[0]} += {added[1]}")


def _missing(context: RefactoringContext, node: Node, name: str) -> tuple[str, str, Edits] | None:
    """The key, the kind, and the edit of `if k not in d: d[k] = []`, and of `if k in d: d[k] += 1 else: d[k] = 1`."""
    clauses = clauses_of(context, node)
    if not clauses or clauses[0].test is None or has_comment(context, *rows(node)):
        return None
    only = [[text_of(one) for one in clause.statements] for clause in clauses]
    absent = re.fullmatch(
        rf"(?:not (.+) in|(.+) not in) {re.escape(name)}(?:\.keys\(\))?", text_of(bare(clauses[0].test))
    )
    present = re.fullmatch(rf"(.+) in {re.escape(name)}(?:\.keys\(\))?", text_of(bare(clauses[0].test)))
    if absent is not None and len(clauses) == 1 and len(only[0]) == 1:
        key = next(filter(None, absent.groups()))
        target, _, value = only[0][0].partition(" = ")
        if target == f"{name}[{key}]" and value in _FACTORIES and _goes_on(node, target):
            return key, _FACTORIES[value], delete_lines(*rows(node))
    found = absent or present
    if len(clauses) != 2 or clauses[1].word != "else" or found is None:
        return None
    if absent is not None:
        only.reverse()
    entry = f"{name}[{next(filter(None, found.groups()))}]"
    if only == [[f"{entry} += 1"], [f"{entry} = 1"]]:
        return entry, "int", replace_lines(*rows(node), [f"{context.indent(node)}{entry} += 1\n"])
    return None


def _goes_on(node: Node, entry: str) -> bool:
    """Whether the statement right below fills the entry."""
    below = following(node)
    return below is not None and text_of(below).startswith(entry)


def _increment(node: Node) -> tuple[str, str] | None:
    """The entry, and what is added to it, of `d[k] = d.get(k, 0) + 1`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    parts = children_of(left) if left is not None and left.type == "subscript" else []
    if len(parts) != 2 or right is None or not single_line(node):
        return None
    owner, key = map(text_of, parts)
    text = text_of(right)
    if text in (
        f"{key} in {owner} and {owner}[{key}] + 1 or 1",
        f"{owner}[{key}] + 1 if {key} in {owner} else 1",
    ):
        return f"{owner}[{key}]", "1"
    for start in (f"{owner}.get({key}, 0) + ", f"{owner}.setdefault({key}, 0) + "):
        if text.startswith(start):
            return f"{owner}[{key}]", text.removeprefix(start)
    return None


def _counted(context: RefactoringContext, arguments: Arguments, name: str, start: Node) -> Iterator[Proposal]:
    """A loop that counts and does nothing else, as a `Counter` of what it goes over."""
    before = statement_before(start)
    loop = following(before) if before is not None else None
    parts = (
        plain_head(loop) if loop is not None and loop.type == "for_statement" and context.has(loop) else None
    )
    if (
        parts is None
        or loop is None
        or before is None
        or has_comment(context, rows(before)[0], rows(loop)[1])
    ):
        return
    body = loop.child_by_field_name("body")
    only = children_of(body)[0] if body is not None and len(children_of(body)) == 1 else None
    names = {text_of(n) for n in identifiers(only)} if only is not None else set()
    found = list(_uses(context, name, start))
    if (
        only is None
        or len(found) != 1
        or not names <= {name, *re.findall(r"\w+", parts[0]), "get", "setdefault"}
    ):
        return
    entry = re.search(rf"(?<![\w.]){re.escape(name)}\[([^\[\]]+)\]", text_of(only))
    if (entry is not None and re.search(r"\+=? ?1$", text_of(only).rstrip())) or (
        entry and "else:" in text_of(only)
    ):
        key = entry[1]
        over = parts[1] if key == parts[0] else f"{key} for {parts[0]} in {parts[1]}"
        line = f"{context.indent(before)}{name} = {_spelt(context, arguments, 'Counter')}({over})\n"
        yield (
            f"Count {name} by Counter, without the loop",
            replace_lines(rows(before)[0], rows(loop)[1], [line]),
        )


def _set_and_used(context: RefactoringContext, node: Node) -> Iterator[Proposal]:
    """`if k not in d: d[k] = []` and the statement that fills the entry, as one with `setdefault`."""
    test, below = node.child_by_field_name("condition"), following(node)
    found = (
        re.fullmatch(r"(?:not (.+) in|(.+) not in) ([\w.]+)", text_of(bare(test)))
        if test is not None
        else None
    )
    missing = _missing(context, node, found[3]) if found is not None else None
    if missing is None or below is None or found is None or not context.has(below) or "\n" in text_of(below):
        return
    key, owner, entry = missing[0], found[3], f"{found[3]}[{missing[0]}]"
    empty = next(code for code, kind in _FACTORIES.items() if kind == missing[1])
    rest = text_of(below).removeprefix(entry)
    if re.match(r"\.\w+\(", rest) and entry not in rest:
        made = f"{owner}.setdefault({key}, {empty}){rest}"
        line = f"{context.indent(node)}{made}\n"
        yield f"Use setdefault, no if: {made}", replace_lines(rows(node)[0], rows(below)[1], [line])


def _found_or_set(context: RefactoringContext, node: Node) -> Iterator[Proposal]:
    """`if k not in d: v = []; d[k] = v` and `else: v = d[k]`, as one assignment with `setdefault`."""
    clauses = clauses_of(context, node)
    if (
        len(clauses) != 2
        or clauses[0].test is None
        or clauses[1].word != "else"
        or has_comment(context, *rows(node))
    ):
        return
    found = re.fullmatch(r"(?:(\w[\w.]*) (not )?in) ([\w.]+)", text_of(bare(clauses[0].test)))
    new, old = clauses if found is not None and found[2] else clauses[::-1]
    if found is None or [len(new.statements), len(old.statements)] != [2, 1]:
        return
    entry = f"{found[3]}[{found[1]}]"
    begun = re.fullmatch(r"(\w+)((?:: [^=]+)?) = (.+)", text_of(new.statements[0]))
    if begun is None or begun[3] not in _FACTORIES:
        return
    if [text_of(new.statements[1]), text_of(old.statements[0])] == [
        f"{entry} = {begun[1]}",
        f"{begun[1]} = {entry}",
    ]:
        made = f"{begun[1]}{begun[2]} = {found[3]}.setdefault({found[1]}, {begun[3]})"
        line = f"{context.indent(node)}{made}\n"
        yield f"Use setdefault, which does all of it, no if: {made}", replace_lines(*rows(node), [line])


COUNTING_DICT = Refactoring("counting_dict", "refactor.rewrite.countingDict", _propose)
