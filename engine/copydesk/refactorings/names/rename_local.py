"""Another name for a name, where nothing else has it."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, replace_nodes
from copydesk.refactorings.new_names import may_name
from copydesk.syntax.tree import is_label, text_of


def rename(old: str, new: str, context: RefactoringContext, *, sure: bool = True) -> Edits | None:
    """sure: that there is no such name means that nothing is left to do."""
    if keyword.iskeyword(new) or keyword.iskeyword(old) or old == new:
        return None
    names = list(context.walk("identifier"))
    mine = [node for node in names if text_of(node) == old]
    if not mine:
        word = re.compile(rf"(?<!\w){old}(?!\w)", re.IGNORECASE)  # a sentence may begin with it
        said = any(word.search(context.lines[n - 1]) for n in context.numbers())
        return () if sure and not said else None  # a text or a comment may be meant
    if any(text_of(node) == new for node in names):
        return None  # two things would have one name
    variables = [node for node in mine if not is_label(node)]
    if any(map(_is_method, variables)) or any(_is_given(node, names) for node in mine):
        return None  # others may call it
    return replace_nodes(context.lines, [(node, new) for node in variables or mine])


def _is_given(label: Node, names: Sequence[Node]) -> bool:
    """Whether it names an argument in a call of a function that is selected, too: then it is the parameter."""
    call = (
        label.parent.parent.parent if label.parent is not None and label.parent.parent is not None else None
    )
    called = call.child_by_field_name("function") if call is not None and call.type == "call" else None
    if not is_label(label) or called is None:
        return False
    defined = {text_of(n) for n in names if n.parent is not None and n.parent.type == "function_definition"}
    return text_of(called).rpartition(".")[2] in defined


def _is_method(name: Node) -> bool:
    function = name.parent
    if (
        function is None
        or function.type != "function_definition"
        or function.child_by_field_name("name") != name
    ):
        return False
    node = function.parent
    while node is not None and node.type in ("block", "decorated_definition"):
        node = node.parent
    return node is not None and node.type == "class_definition"


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    names = dict.fromkeys(text_of(n) for n in context.walk("identifier") if not is_label(n))
    for old in names:
        for new in arguments.names if old.lower() in arguments.words else ():
            if new not in names and may_name(new):
                yield f'Rename "{old}" to "{new}"', rename(old, new, context)


RENAME_LOCAL = Refactoring("rename_local", "refactor.rewrite.rename", _propose)
