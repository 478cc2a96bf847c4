"""How a file is opened: to read, write, append or create, as text or bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_node
from copydesk.refactorings.expressions import callee
from copydesk.syntax.tree import text_of

_MODE = re.compile(r"([\"'])([rwax])(b?)(t?)(\+?)(b?)\1")
_WORDS = {
    "a": "append appending appended appends end extend",
    "x": "exclusive exclusively exist exists overwrite overwritten clobber new create creation fail",
    "w": "write writing overwrite truncate",
    "r": "read reading",
}
"""What may be done with a file, by its letter: words for it."""
_BYTES = frozenset({"binary", "bytes", "byte"})
_TEXT = frozenset({"text", "str", "string"})
_BOTH = frozenset({"update", "updating", "both", "plus", "writable", "also"})


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for node in context.walk("string"):
        found = _MODE.fullmatch(text_of(node))
        if found is None or node.parent is None or not _is_mode(node.parent):
            continue
        quote, letter, binary, plus = found[1], found[2], found[3] or found[6], found[5]
        modes = {
            f"{new}{binary}{plus}": f"{words.split()[0]}"
            for new, words in _WORDS.items()
            if new != letter and arguments.words & set(words.split())
        }
        if arguments.words & _BYTES and not binary:
            modes[f"{letter}b{plus}"] = "binary, bytes"
        if arguments.words & _TEXT and binary:
            modes[f"{letter}{plus}"] = "text"
        if arguments.words & _BOTH and not plus:
            modes[f"{letter}{binary}+"] = "for update, too"
        for mode, said in modes.items():
            title = f"Open the file with mode {quote}{mode}{quote}, {said}, not {text_of(node)}"
            yield title, replace_node(context.lines, node, f"{quote}{mode}{quote}")


def _is_mode(holder: Node) -> bool:
    """Whether a text is the argument of a call that opens a file, or one called `mode`."""
    if holder.type == "keyword_argument":
        name = holder.child_by_field_name("name")
        return name is not None and text_of(name) == "mode"
    call = holder.parent if holder.type == "argument_list" else None
    return call is not None and re.search(r"open|File|_file", callee(call)) is not None


OPEN_MODE = Refactoring("open_mode", "refactor.rewrite.openMode", _propose)
