"""Indices, slices and ranges one further, from the other end, or only so far."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.expressions import (
    ATOMS,
    LITERALS,
    callee,
    children_of,
    comparison,
    is_mentioned,
    level_of,
    mentioned,
    positional,
    replace_expression,
    values,
)  # fmt: skip
from copydesk.refactorings.spoken import spoken_values
from copydesk.syntax.tree import text_of


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    numbers = [code for code in spoken_values(arguments) if re.fullmatch(r"-?\d+", code)]
    names = [name for name in arguments.names if context.knows(name)]
    for node in mentioned(context.walk("subscript"), arguments):
        parts = children_of(node)
        if len(parts) != 2 or "\n" in text_of(node):
            continue
        owner, index = text_of(parts[0]), parts[1]
        for new in _slices(text_of(index)) if index.type == "slice" else _indices(index):
            yield f"Use {owner}[{new}] instead of {text_of(node)}", replace_expression(context, index, new)
        for new in (*numbers, *names):
            for text in (new, f":{new}", f"{new}:"):
                yield (
                    f"Use {owner}[{text}] instead of {text_of(node)}",
                    replace_expression(context, index, text),
                )
        yield f"Drop the index or slice: only {owner}", replace_expression(context, node, owner)
    for node in context.walk("call"):
        given = positional(node)
        if callee(node) == "range" and given:
            ends = [text_of(one) for one in given]
            for k, end in enumerate(ends):
                for new in _shifted(end):
                    made = ", ".join([*ends[:k], new, *ends[k + 1 :]])
                    yield (
                        f"Use range({made}), off by one",
                        replace_expression(context, node, f"range({made})"),
                    )
            if len(ends) == 1:
                for start in ("1", *numbers):
                    made = f"range({start}, {ends[0]})"
                    yield f"Start the range at {start}: {made}", replace_expression(context, node, made)
    for node in mentioned(context.walk("comparison_operator"), arguments):
        sides = comparison(node)
        if sides is not None and sides[1] in ("<", "<=", ">", ">="):
            for side in (sides[0], sides[2]):
                for new in _shifted(text_of(side)):
                    yield (
                        f"Compare with {new}, off by one: not {text_of(side)}",
                        replace_expression(context, side, new),
                    )
    limited = arguments.words & {
        "first",
        "only",
        "limit",
        "last",
        "most",
        "at",
        "skip",
        "without",
        "rest",
        "characters",
        "all",
        "but",
    }
    limits = [
        *(f":{n}" for n in numbers),
        *(f"-{n}:" for n in numbers),
        *(f"{n}:" for n in numbers),
        "1:",
        ":-1",
        "-1",
        "0",
        "::-1",
    ]
    for node in mentioned(values(context), arguments) if limited or "reverse" in arguments.words else ():
        if node.type in ATOMS and is_mentioned(node, arguments):
            for limit in dict.fromkeys(limits):
                yield (
                    f"Take only part: {text_of(node)}[{limit}], limit",
                    replace_expression(context, node, f"{text_of(node)}[{limit}]"),
                )


def _indices(index: Node) -> Iterator[str]:
    text = text_of(index)
    if text in ("0", "1", "-1"):
        yield from (new for new in ("0", "1", "-1", "-2", "2") if new != text)
    elif index.type in (*ATOMS, "binary_operator", "integer", "unary_operator"):
        yield from _shifted(text)


def _slices(text: str) -> Iterator[str]:
    parts = text.split(":")
    if len(parts) != 2:
        return
    start, stop = parts
    if start and stop:
        yield f"{start}:"
        yield f":{stop}"
    for new in _shifted(start) if start else ("1",):
        yield f"{new}:{stop}"
    for new in _shifted(stop) if stop else ("-1",):
        yield f"{start}:{new}"
    if start and not stop:
        yield f":{start}"
    if stop and not start:
        yield f"{stop}:"
    yield "::-1"


def _shifted(text: str) -> Iterator[str]:
    """One more and one less, as one would write it."""
    if re.fullmatch(r"-?\d+", text):
        yield str(int(text) + 1)
        yield str(int(text) - 1)
        return
    stripped = re.sub(r" [+-] 1$", "", text)
    if stripped != text:
        yield stripped
        yield f"{stripped} - 1" if text.endswith("+ 1") else f"{stripped} + 1"
    elif level_of(text) >= 7 and "\n" not in text:
        yield f"{text} + 1"
        yield f"{text} - 1"


def _literals(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    if arguments.words & {"one", "1", "off", "from", "start", "starts", "starting", "based", "count"}:
        for node in mentioned(values(context), arguments):
            if node.type in ("identifier", "attribute", "call") and is_mentioned(node, arguments):
                for shifted in (f"{text_of(node)} + 1", f"{text_of(node)} - 1"):
                    yield f"Shift by one, off by one: {shifted}", replace_expression(context, node, shifted)
    for node in mentioned(context.walk(*LITERALS), arguments):
        old = text_of(node)
        if re.fullmatch(r"\d+", old):
            number = int(old)
            for new, said in (
                (number + 1, "one more"),
                (number - 1, "one less"),
                (2 * number, "twice, double"),
                (number // 2, "half"),
            ):
                yield f"Change {old} to {new}, {said}", replace_expression(context, node, str(new))
        elif re.fullmatch(r"\d+\.\d*", old):
            for made, said in ((2 * float(old), "twice, double"), (float(old) / 2, "half")):
                yield f"Change {old} to {made}, {said}", replace_expression(context, node, str(made))


SHIFT_INDEX = Refactoring("shift_index", "refactor.rewrite.shiftIndex", _propose)
CHANGE_NUMBER = Refactoring("change_number", "refactor.rewrite.changeNumber", _literals)
