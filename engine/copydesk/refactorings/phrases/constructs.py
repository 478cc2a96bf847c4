"""Wishes for less of one kind of code: no decorator, no import of a name, no docstring, no `assert`, no `# noqa`.

Where the selection has none of that kind, nothing is to be done: whoever asks for an import less does not want another line gone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from tree_sitter import Node

from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, merged, replace_lines
from copydesk.refactorings.phrases.words import Rule, some, wordings
from copydesk.syntax.splice import end_of, start_of
from copydesk.syntax.tree import rows, text_of

_REMOVE = r"(?:remove|delete|drop|strip|kill|take out|get rid of)"
_ALL = some("all any every both of the these those my this that")
_IMPORTS = ("import_statement", "import_from_statement", "future_import_statement")
_NAME = r"(?P<name>[^\W\d][\w.]*)"
_NO_KIND = r"(?!(?:unused|old|last|first|second|third|other|wrong|relative|duplicate|redundant|class|module|function)\b)"
"""Words in the place of a name that say which one is meant, and how many there are."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """words: what it is called. is_one: whether a node is of it. taken: whether it is known how one is taken away; else the
    wish is only read where there is none.
    """

    words: str
    is_one: Callable[[Node], bool]
    taken: bool = True


def _typed(*types: str) -> Callable[[Node], bool]:
    return lambda node: node.type in types


def _is_docstring(node: Node) -> bool:
    """The text that a body begins with."""
    parent = node.parent
    if node.type != "expression_statement" or parent is None or parent.type not in ("block", "module"):
        return False
    first = next((one for one in parent.named_children if one.type != "comment"), None)
    return first == node and [one.type for one in node.named_children] == ["string"]


def _is_comment(pattern: str) -> Callable[[Node], bool]:
    said = re.compile(rf"#\s*{pattern}", re.IGNORECASE)
    return lambda node: node.type == "comment" and said.match(text_of(node)) is not None


_BLOCK = r"(?: (?:block|branch|clause|part))?"
_KINDS = (
    _Kind(r"imports?(?: statements?| lines?)?", _typed(*_IMPORTS)),
    _Kind(r"decorators?", _typed("decorator")),
    _Kind(r"doc ?strings?", _is_docstring),
    _Kind(r"(?:asserts?|assertions?)(?: statements?)?", _typed("assert_statement")),
    _Kind(r"type[: -]?ignores?(?: comments?)?", _is_comment("type: *ignore")),
    _Kind(r"noqas?(?: comments?)?", _is_comment("noqa")),
    _Kind(rf"finally{_BLOCK}", _typed("finally_clause"), taken=False),
    _Kind(rf"else{_BLOCK}", _typed("else_clause", "conditional_expression"), taken=False),
    _Kind(rf"elif{_BLOCK}", _typed("elif_clause"), taken=False),
    _Kind(rf"(?:except|try)(?:/except)?{_BLOCK}", _typed("try_statement", "except_clause"), taken=False),
    _Kind(
        r"(?:for |while )?loops?", _typed("for_statement", "while_statement", "for_in_clause"), taken=False
    ),
    _Kind(r"type (?:hint|annotation)s?", _typed("type"), taken=False),
    _Kind(r"return(?: statement)?", _typed("return_statement"), taken=False),
)
_WISHES = [(kind, wordings(rf"{_REMOVE} {_ALL}{kind.words}")[0]) for kind in _KINDS]
_NAMED_DECORATOR = wordings(
    rf"{_REMOVE} {_ALL}{_NO_KIND}@?{_NAME} decorators?",
    rf"{_REMOVE} {_ALL}(?:decorators? )?@{_NAME}(?: decorators?)?",
)
_NAMED_IMPORT = wordings(
    rf"{_REMOVE} {_ALL}{_NO_KIND}{_NAME} imports?(?: statements?| lines?)?",
    rf"{_REMOVE} {_ALL}imports? (?:of|for) {_NO_KIND}{_NAME}",
    rf"{_REMOVE} {_ALL}import {_NO_KIND}{_NAME}",
)
_PLURAL = re.compile(
    r"\b(?:all|any|every|both|imports|decorators|docstrings|asserts|assertions|comments)\b", re.IGNORECASE
)


def construct_rule(instruction: str) -> Rule | None:
    """Reads a wish for less of one kind."""
    for kind, pattern in _WISHES:
        if pattern.match(instruction):
            several = _PLURAL.search(instruction) is not None
            return partial(_without, kind.is_one, kind.taken, several)
    for patterns, is_one in ((_NAMED_DECORATOR, _decorates_with), (_NAMED_IMPORT, _imports)):
        for pattern in patterns:
            if found := pattern.match(instruction):
                return partial(_without, partial(is_one, found["name"]), True, True)
    return None


def _decorates_with(name: str, node: Node) -> bool:
    return node.type == "decorator" and re.match(rf"@\s*{re.escape(name)}\b(?!\.)", text_of(node)) is not None


def _imports(name: str, node: Node) -> bool:
    """Whether an import has the name anywhere."""
    return node.type in _IMPORTS and re.search(rf"(?<![\w.]){re.escape(name)}\b", text_of(node)) is not None


def _without(
    is_one: Callable[[Node], bool], taken: bool, several: bool, context: RefactoringContext
) -> Edits | None:
    """No edits where there is none; None where one is only partly selected or shares its line, or one of several is meant."""
    there = [node for node in context.overlapping() if is_one(node)]
    if not there:
        return ()
    if not taken or not all(map(context.has, there)) or (len(there) > 1 and not several):
        return None
    if any(node.type in _IMPORTS and _names(node) > 1 for node in there):
        return None
    return merged(*(_deleted(context, node, there) for node in there))


def _names(node: Node) -> int:
    """How many names an import brings; a star counts as several."""
    module = node.child_by_field_name("module_name")
    names = [one for one in node.named_children if one != module and one.type != "comment"]
    return 2 if any(one.type == "wildcard_import" for one in names) else len(names)


def _deleted(context: RefactoringContext, node: Node, there: Iterable[Node]) -> Edits | None:
    """A statement, decorator or comment with its line; None beside other code. A block that is left empty gets a `pass`."""
    first, last = rows(node)
    before, behind = context.split(start_of(node))[0], context.split(end_of(node))[1]
    end = "\n" if behind.endswith("\n") else ""
    if node.type == "comment":
        return replace_lines(first, last, [before.rstrip() + end] if before.strip() else [])
    if before.strip() or behind.strip():
        return None
    block = node.parent
    if block is None or block.type != "block":
        return replace_lines(first, last, [])
    others = [one for one in block.named_children if one.type != "comment"]
    empty = all(one in there for one in others)
    return replace_lines(first, last, [f"{before}pass{end}"] if empty and node == others[0] else [])
