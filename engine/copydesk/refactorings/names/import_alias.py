"""An import under another name, or under its own."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, replace_nodes
from copydesk.refactorings.new_names import new_names
from copydesk.syntax.tree import is_label, text_of


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for node in context.walk("import_statement", "import_from_statement"):
        for name in node.children_by_field_name("name"):
            if name.type == "aliased_import":
                own, alias = name.child_by_field_name("name"), name.child_by_field_name("alias")
                if own is not None and alias is not None:
                    yield (
                        f"Import {text_of(own)} under its own name, not as {text_of(alias)}",
                        _imported(context, name, text_of(own), text_of(alias), text_of(own)),
                    )
                    for new in new_names(context, arguments, 3):
                        text = f"{text_of(own)} as {new}"
                        yield f"Import {text}", _imported(context, name, text, text_of(alias), new)
            elif "." not in text_of(name):
                for new in new_names(context, arguments, 3):
                    text = f"{text_of(name)} as {new}"
                    yield f"Import {text}", _imported(context, name, text, text_of(name), new)


def _imported(context: RefactoringContext, name: Node, text: str, old: str, new: str) -> Edits | None:
    """The import, and the name wherever it is used; None where that is outside the selection, too."""
    uses = [node for node in context.walk("identifier") if text_of(node) == old and not is_label(node)]
    uses = [node for node in uses if not name.start_byte <= node.start_byte < name.end_byte]
    word = re.compile(rf"(?<![\w.]){re.escape(old)}(?!\w)")
    shown = set(context.numbers())
    if any(word.search(line) for k, line in enumerate(context.lines, 1) if k not in shown):
        return None
    return replace_nodes(context.lines, [(name, text), *((node, new) for node in uses)])


IMPORT_ALIAS = Refactoring("import_alias", "refactor.rewrite.importAlias", _propose)
