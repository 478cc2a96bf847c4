"""Code that is being typed: nothing is proposed that leaves less than there was, and nothing fails."""

from __future__ import annotations

import pytest

from copydesk.refactorings.arguments import arguments_of
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.registry import all_refactorings, enumerate_candidates
from copydesk.syntax.tree import parse
from copydesk.text.document import split_lines

pytestmark = pytest.mark.slow

TEXT = '''class Cart:
    """Items and their prices."""

    @property
    def total(self, items=(), *, limit=3):
        # the sum
        try:
            for item in items:
                if item.price < limit and not item.free:
                    if item.count:
                        total += item.price * item.count
                    elif item is None:
                        raise ValueError(f"no {item}")
                    else:
                        print("%s: nothing" % item)
        except (KeyError, ValueError) as error:
            log.warning("bad: %s", error)
            return None
        with open(self.path) as file:
            return {key: value for key, value in file.items() if key} or [x for x in file][1:]
        return (lambda a, b=2: a if a else b)(*items)
'''
ASKED = (
    "rename item to entry, add a docstring and return None early if limit is empty",
    'except KeyError from error, "x" instead of < and sort the items by key in a list',
    "use item.price.in for the limit, not template.c.is, and return x² or n° for it",
)


@pytest.mark.parametrize("instruction", ASKED)
def test_any_beginning_of_a_text(instruction: str) -> None:
    arguments = arguments_of(instruction)
    ends = [k for k, char in enumerate(TEXT) if char in " (:\n"]
    for end in [*ends[::13], len(TEXT)]:
        lines = split_lines(TEXT[:end])
        tree = parse(lines, "python")
        assert tree is not None
        context = RefactoringContext.of(lines, [(1, len(lines))], tree)
        enumerate_candidates(context, arguments, 20)
        if not context.broken:
            continue
        for refactoring in all_refactorings():
            for candidate in refactoring.candidates(context, arguments):
                assert context.changes(candidate.edits)
