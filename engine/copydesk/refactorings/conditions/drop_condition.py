"""A condition without one of its parts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_nodes
from copydesk.refactorings.expressions import children_of, mentioned, operands, replace_expression, tests
from copydesk.refactorings.spoken import sign_words
from copydesk.syntax.tree import text_of

_ORDINALS = ("first", "second", "third")


def _drop(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    called = "check" if "check" in arguments.words else "condition"
    for node in mentioned(tests(context), arguments):
        for word in ("and", "or"):
            if node.parent is not None and operands(node.parent, word)[1:] and node.parent.type == node.type:
                continue  # a part of a longer one
            parts = operands(node, word)
            for one, two in pairwise(parts):
                title = f"Test {text_of(two)} first, before {text_of(one)}: swap the conditions, the order"
                yield title, replace_nodes(context.lines, [(one, text_of(two)), (two, text_of(one))])
            for place, part in enumerate(parts) if len(parts) > 1 else ():
                which = (
                    _ORDINALS[place] if place < len(_ORDINALS) and _ORDINALS[place] in arguments.words else ""
                )
                which = "last" if part is parts[-1] and "last" in arguments.words else which
                said = text_of(part) + sign_words(text_of(part), arguments)
                rest = f" {word} ".join(text_of(one) for one in parts if one is not part)
                yield (
                    f"Drop the {which + ' ' * bool(which)}{called} {said}: only {rest}",
                    replace_expression(context, node, rest),
                )
        if node.type == "not_operator":
            inner = text_of(children_of(node)[0])
            yield f"Drop not from the condition: {inner}", replace_expression(context, node, inner)


DROP_CONDITION = Refactoring("drop_condition", "refactor.rewrite.dropCondition", _drop, everywhere=True)
