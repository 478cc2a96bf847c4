"""An attribute or variable set at the start or the end of a function: reset, restored, remembered."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import assigned, function_of, is_late, is_text, statements_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import JUMPS, comments_above, plain_statements
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import insert_lines
from copydesk.refactorings.requested import subjects
from copydesk.refactorings.spoken import spoken_values
from copydesk.syntax.tree import rows, text_of

_ASKING = frozenset({
    "reset", "restore", "restored", "remember", "mark", "set", "back", "afterwards", "after", "again", "start", "forget", "done",
    "end", "finally", "initialize",
})  # fmt: skip
"""Words of an instruction that wants something to be in some state."""
_MOST = 3


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    body = _body(context) if arguments.words & _ASKING else []
    if not body:
        return
    first, last = body[0], body[-1]
    made = list(dict.fromkeys([*_restored(context), *_told(context, arguments), *_done(context)]))
    for target, value in made[:6]:
        indent, line = context.indent(first), f"{target} = {value}"
        if text_of(first) != line and not is_late([value, target], first):
            place = comments_above(context, first.start_point[0] + 1)
            yield f"Set {line} at the start, first", insert_lines(place, [f"{indent}{line}\n"])
        if text_of(last) == line:
            continue
        if last.type not in JUMPS:
            title = f"Set {line} at the end, afterwards"
            yield title, insert_lines(rows(last)[1] + 1, [f"{indent}{line}\n"])
        elif last != first:
            place = comments_above(context, last.start_point[0] + 1)
            yield f"Set {line} at the end, before leaving", insert_lines(place, [f"{indent}{line}\n"])


def _body(context: RefactoringContext) -> list[Node]:
    """The selected statements of the outermost block that are those of a function."""
    blocks = [
        node.parent for node in plain_statements(context) if node.parent and function_of(node) is not None
    ]
    outer = min(blocks, key=lambda node: node.start_point[1], default=None)
    return [node for node in statements_of(outer) if context.has(node) and not is_text(node)]


def _restored(context: RefactoringContext) -> Iterator[tuple[str, str]]:
    """What is kept in a variable before it gets another value: `old = self.level`."""
    for node in plain_statements(context, "expression_statement"):
        sides = assigned(node)
        if sides is not None and sides[0].type == "identifier" and sides[1].type == "attribute":
            yield text_of(sides[1]), text_of(sides[0])


def _told(context: RefactoringContext, arguments: Arguments) -> Iterator[tuple[str, str]]:
    values = [value for value in spoken_values(arguments) if value != "NotImplemented"]
    for subject in subjects(context, arguments, _MOST):
        yield from ((subject, value) for value in values[:_MOST])


def _done(context: RefactoringContext) -> Iterator[tuple[str, str]]:
    """What a guard asks for before anything is done, and nothing sets: `if self.done: return`."""
    text = "".join(context.lines)
    for node in plain_statements(context, "if_statement"):
        test, body = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
        leaves = [one.type for one in statements_of(body)] == ["return_statement"]
        if test is not None and leaves and test.type == "attribute":
            if f"{text_of(test)} = True" not in text[: node.end_byte]:
                yield text_of(test), "True"


SET_STATE = Refactoring("set_state", "refactor.rewrite.setState", _propose)
