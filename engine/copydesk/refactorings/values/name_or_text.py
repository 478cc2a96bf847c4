"""A variable in place of a text that is spelt as its name, and a text in place of a variable."""

from __future__ import annotations

import re
from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_node
from copydesk.refactorings.expressions import loads
from copydesk.syntax.tree import text_of

_QUOTES = frozenset({"quote", "quotes", "quoted", "string", "literal", "literally"})
_SAID = _QUOTES | {"unquoted", "unquote", "variable", "itself", "parameter", "argument", "name", "value"}
"""Words of an instruction that tells a name from a text."""
_TEXT = re.compile(r"([\"'])([^\W\d]\w*)\1")


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    if not arguments.words & _SAID:
        return
    known = context.variables()
    for node in context.walk("string"):
        found = _TEXT.fullmatch(text_of(node))
        if found is not None and found[2] in known and arguments.mentions(found[2]):
            title = f"Use the variable {found[2]}, not '{found[2]}' in quotes"
            yield title, replace_node(context.lines, node, found[2])
    for node in loads(context) if arguments.words & _QUOTES else ():
        name = text_of(node)
        if node.type == "identifier" and arguments.mentions(name) and name not in ("self", "cls"):
            called = node.parent is not None and node.parent.type in ("call", "attribute", "type")
            if not called:
                title = f'Put {name} in quotes: "{name}", a string'
                yield title, replace_node(context.lines, node, f'"{name}"')


NAME_OR_TEXT = Refactoring("name_or_text", "refactor.rewrite.nameOrText", _propose, everywhere=True)
