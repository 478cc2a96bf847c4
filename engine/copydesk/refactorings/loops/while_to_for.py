"""A `while` that counts: a `for` over the numbers, or over what they are the indices of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import LOOPS, assigned, body_lines, function_of, is_stored, statements_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, delete_lines, merged, replace_lines, replace_nodes
from copydesk.refactorings.expressions import comparison
from copydesk.syntax.tree import identifiers, is_label, rows, text_of
from copydesk.text.singular import singular

_CHANGING = ("append", "clear", "extend", "insert", "pop", "popleft", "remove", "reverse", "sort")
"""Methods after which a list has other entries or another length."""


@dataclass(frozen=True, slots=True)
class _Counting:
    """A loop with `index = start` above it, `while index < end` as its head, and `index += step` as its last statement."""

    loop: Node
    given: Node
    last: Node
    index: str
    start: str
    end: str
    step: str

    @property
    def sequence(self) -> str:
        """What has the entries that are counted; empty where other numbers are."""
        found = re.fullmatch(r"len\(([\w.]+)\)", self.end)
        return found[1] if found is not None and (self.start, self.step) == ("0", "1") else ""

    @property
    def numbers(self) -> str:
        """The numbers as a `range`."""
        given = [self.start, self.end, self.step]
        shown = given if self.step != "1" else given[:2] if self.start != "0" else given[1:2]
        return f"range({', '.join(shown)})"


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for loop in context.walk("while_statement"):
        lines, counting = body_lines(context, loop), _counting(loop)
        if lines is None or counting is None or not context.has(counting.given):
            continue
        index, entries = counting.index, _over_entries(context, counting)
        yield from entries
        if not entries or "range" in arguments.words:
            yield (
                f"Use a for loop over {counting.numbers} instead of while",
                _looped(context, counting, index, counting.numbers),
            )


def _looped(
    context: RefactoringContext, counting: _Counting, target: str, source: str, *more: Edits
) -> Edits | None:
    head = rows(counting.loop)[0]
    line = f"{context.indent(counting.loop)}for {target} in {source}:\n"
    gone = [delete_lines(*rows(node)) for node in (counting.given, counting.last)]
    return merged(*gone, replace_lines(head, head, [line]), *more)


def _over_entries(context: RefactoringContext, counting: _Counting) -> list[Proposal]:
    """The same over what the numbers are the indices of; none where no entry is read, or its name is another's."""
    loop, index, code = counting.loop, counting.index, f"{counting.sequence}[{counting.index}]"
    block = loop.child_by_field_name("body")
    body = statements_of(block)
    if not counting.sequence or block is None:
        return []
    reads = [n for n in context.walk("subscript") if text_of(n) == code and _inside(n, block)]
    sides = assigned(body[0])
    item, more, kept = singular(counting.sequence.rpartition(".")[2]) or "item", [], body[:-1]
    if sides is not None and text_of(sides[1]) == code and sides[0].type == "identifier":
        item, reads, kept = text_of(sides[0]), reads[1:], body[1:-1]
        more.append(delete_lines(*rows(body[0])))
    elif not reads or _uses(loop, item):
        return []
    if any(is_stored(n) for n in _uses(block, item) if not _inside(n, body[0])) or any(map(is_stored, reads)):
        return []
    if reads:
        more.append(replace_nodes(context.lines, [(n, item) for n in reads]) or ())
    left = [n for one in kept for n in _uses(one, index) if not any(_inside(n, read) for read in reads)]
    if left:
        title = f"Use a for loop with enumerate instead of while: {index}, {item}"
        target, source = f"{index}, {item}", f"enumerate({counting.sequence})"
    else:
        title = f"Use a for loop over {counting.sequence} instead of while, no index"
        target, source = item, counting.sequence
    return [(title, _looped(context, counting, target, source, *more))]


def _counting(loop: Node) -> _Counting | None:
    """None where the body may go on without counting, changes the count or what is counted, or the count is read afterwards."""
    test, given = loop.child_by_field_name("condition"), loop.prev_named_sibling
    sides, first = (
        comparison(test) if test is not None else None,
        assigned(given) if given is not None else None,
    )
    body, function = statements_of(loop.child_by_field_name("body")), function_of(loop)
    if sides is None or first is None or given is None or len(body) < 2 or function is None:
        return None
    (left, sign, right), last = sides, body[-1]
    index, step = text_of(left), re.fullmatch(rf"{re.escape(text_of(left))} \+= (\d+)", text_of(last))
    if sign != "<" or left.type != "identifier" or text_of(first[0]) != index or step is None:
        return None
    if loop.child_by_field_name("alternative") is not None or _goes_on(loop):
        return None
    uses = _uses(function, index)
    stored = [n for n in uses if is_stored(n) and _inside(n, loop)]
    if len(stored) > 1 or any(n.start_byte >= loop.end_byte for n in uses):
        return None
    counted = {text_of(n) for n in (right, *identifiers(right))} - {"len"}
    if any(_changes(node, counted) for node in body[:-1]):
        return None
    return _Counting(loop, given, last, index, text_of(first[1]), text_of(right), step[1])


def _goes_on(loop: Node) -> bool:
    """Whether a `continue` of the loop skips its last statement."""
    waiting = list(loop.named_children)
    while waiting:
        node = waiting.pop()
        if node.type == "continue_statement":
            return True
        if node.type not in (*LOOPS, "function_definition", "class_definition", "lambda"):
            waiting += node.named_children
    return False


def _changes(statement: Node, names: set[str]) -> bool:
    """Whether one of these names is given another value, or an entry more or less."""
    text = text_of(statement)
    return any(
        re.search(
            rf"(?<![\w.])(?:{re.escape(name)}(?: [-+*/|&]?= |\.(?:{'|'.join(_CHANGING)})\()|del {re.escape(name)}\b)",
            text,
        )
        for name in names
    )


def _uses(node: Node, name: str) -> list[Node]:
    return [n for n in identifiers(node) if text_of(n) == name and not is_label(n)]


def _inside(node: Node, outer: Node) -> bool:
    return outer.start_byte <= node.start_byte and node.end_byte <= outer.end_byte


WHILE_TO_FOR = Refactoring("while_to_for", "refactor.rewrite.whileToFor", _propose, menu="cursor")
