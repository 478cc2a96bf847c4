"""Instructions that say themselves what the text becomes: another name for a name, a type, a default, no prints.

Where the words leave nothing open, no model is asked what it might get wrong; all else is the model's.
"""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Tree

from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits
from copydesk.refactorings.phrases.bodies import body_rule, docstring_rule
from copydesk.refactorings.phrases.constructs import construct_rule
from copydesk.refactorings.phrases.names import name_rule
from copydesk.refactorings.phrases.removals import removal_rule
from copydesk.refactorings.phrases.shapes import shape_rule
from copydesk.refactorings.phrases.signatures import signature_rule
from copydesk.refactorings.phrases.strings import string_rule
from copydesk.refactorings.phrases.values import value_rule
from copydesk.refactorings.phrases.words import plain, quoted
from copydesk.request import Range

LONGEST = 240
"""Characters of an instruction that may say it all; who writes more has more to say."""


def instruction_edits(
    instruction: str, lines: Sequence[str], scope: Sequence[Range], tree: Tree
) -> Edits | None:
    """What the lines of `scope` become, from the top down: nothing where the instruction is followed already; None where it
    leaves anything open. Raises: never.
    """
    if len(instruction) > LONGEST:
        return None
    said = plain(instruction)
    read = (
        docstring_rule(instruction.strip()), name_rule(said), removal_rule(said), signature_rule(said), body_rule(said),
        value_rule(said, quoted(instruction)), string_rule(said), shape_rule(said), construct_rule(said),
    )  # fmt: skip
    rules = [rule for rule in read if rule is not None]
    context = RefactoringContext.of(lines, scope, tree)
    if not rules or context.broken:
        return None
    try:
        found = next((edits for rule in rules if (edits := rule(context)) is not None), None)
    except UnicodeEncodeError:
        return None  # a tree's columns are bytes, which such a line has not
    return None if found is None else context.original(found)
