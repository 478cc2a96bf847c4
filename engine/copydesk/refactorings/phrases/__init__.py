"""Instructions that say themselves what the text becomes: another name for a name, a type, a default, no prints.

Where the words leave nothing open, no model is asked what it might get wrong; all else is the model's.
"""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Tree

from copydesk.refactorings.phrases.bodies import body_rule, docstring_rule
from copydesk.refactorings.phrases.names import name_rule
from copydesk.refactorings.phrases.removals import removal_rule
from copydesk.refactorings.phrases.selection import Selection, Way
from copydesk.refactorings.phrases.shapes import shape_rule
from copydesk.refactorings.phrases.signatures import signature_rule
from copydesk.refactorings.phrases.strings import string_rule
from copydesk.refactorings.phrases.values import value_rule
from copydesk.refactorings.phrases.words import plain, quoted
from copydesk.request import Range

_READERS = (name_rule, removal_rule, signature_rule, body_rule, value_rule, string_rule, shape_rule)

LONGEST = 240
"""Characters of an instruction that may say it all; who writes more has more to say."""


def told_exchanges(instruction: str, lines: Sequence[str], scope: Sequence[Range], tree: Tree) -> Way | None:
    """What the lines of `scope` become, from the top down: nothing where the instruction is followed already; None where it
    leaves anything open. Raises: never.
    """
    if len(instruction) > LONGEST:
        return None
    said = plain(instruction)
    read = [docstring_rule(instruction.strip()), *(reader(said) for reader in _READERS)]
    rules = [rule for rule in read if rule is not None]
    selected = Selection.of(lines, scope, tree, quoted(instruction))
    if not rules or any(node.has_error for node in selected.nodes):
        return None
    try:
        return next((way for rule in rules if (way := rule(selected)) is not None), None)
    except UnicodeEncodeError:
        return None  # a tree's columns are bytes, which such a line has not
