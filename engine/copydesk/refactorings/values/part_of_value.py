"""A part of a value instead of all of it: the first entries or the last ones; a text without what it begins or ends with."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import insert_lines
from copydesk.refactorings.expressions import (
    ATOMS,
    mentioned,
    method_of,
    replace_expression,
    single_line,
    values,
)
from copydesk.refactorings.function_body import can_insert_before, first_statement
from copydesk.refactorings.parameters import plain_names
from copydesk.refactorings.spoken import literals_like, spoken_values
from copydesk.syntax.tree import text_of

_CUTTING = frozenset({
    "first", "last", "only", "most", "long", "longer", "limit", "cut", "truncate", "characters", "chars", "enough", "stop",
    "plenty", "top", "shorten", "skip", "beyond", "except", "but", "endless",
})  # fmt: skip
"""Words of an instruction that wants some of several."""
_ENDS = {
    "rstrip": frozenset({"trailing", "end", "ends", "ending", "behind", "last", "after", "final"}),
    "lstrip": frozenset(
        {"leading", "start", "starts", "begin", "begins", "beginning", "front", "first", "before"}
    ),
    "strip": frozenset(
        {
            "strip",
            "stripped",
            "round",
            "around",
            "surrounding",
            "both",
            "without",
            "off",
            "hurt",
            "quotes",
            "drop",
        }
    ),
}
"""Methods that take off the ends of a text, and words of an instruction about these."""
_AFFIXES = {"rstrip": "removesuffix", "lstrip": "removeprefix"}
_MOST_TEXTS = 4
_MOST_PLACES = 24


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    calls = list(_calls(arguments))
    slices = list(_slices(context, arguments))
    for node in _places(context, arguments) if calls or slices else ():
        text = text_of(node)
        for part, said in slices:
            yield f"{said} of {text}: {text}{part}", replace_expression(context, node, f"{text}{part}")
        for call in calls:
            yield f"Call {call} on {text}", replace_expression(context, node, f"{text}.{call}")
    first = first_statement(context)
    if first is not None and calls and can_insert_before(context, first):
        own = plain_names(context)
        for name in [n for n in own if arguments.mentions(n)] or own[:2]:
            for call in calls:
                line = f"{context.indent(first)}{name} = {name}.{call}\n"
                yield f"Start with {name} = {name}.{call}", insert_lines(first.start_point[0] + 1, [line])


def _places(context: RefactoringContext, arguments: Arguments) -> list[Node]:
    owners = (method[0] for call in context.walk("call") if (method := method_of(call)) is not None)
    found = [node for node in (*values(context), *owners) if node.type in ATOMS and single_line(node)]
    return mentioned(found, arguments)[:_MOST_PLACES]


def _slices(context: RefactoringContext, arguments: Arguments) -> Iterator[tuple[str, str]]:
    """The slices that an instruction may want, and what each leaves."""
    if arguments.words & {"most", "maximum", "limit", "more"}:
        for name in [one for one in plain_names(context) if arguments.mentions(one)][:1]:
            yield f"[:{name}]", f"At most {name}, the first"
    numbers = (
        [n for n in spoken_values(arguments) if n.isdigit() and n != "0"]
        if arguments.words & _CUTTING
        else []
    )
    for number in numbers[:2]:
        yield f"[:{number}]", f"Only the first {number}"
        yield f"[-{number}:]", f"Only the last {number}"
        yield f"[{number}:]", f"All but the first {number}"
        yield f"[:-{number}]", f"All but the last {number}"


def _calls(arguments: Arguments) -> Iterator[str]:
    """Calls that take off what an instruction names, at the ends of which it speaks."""
    methods = [method for method, words in _ENDS.items() if arguments.words & words]
    texts = [text for text in literals_like('""', arguments) if text != '""'][:_MOST_TEXTS] if methods else []
    for method in methods:
        for text in texts:
            yield f"{method}({text})"
            if method in _AFFIXES:
                yield f"{_AFFIXES[method]}({text})"


PART_OF_VALUE = Refactoring("part_of_value", "refactor.rewrite.partOfValue", _propose)
