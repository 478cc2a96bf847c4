"""A pattern with another class of characters, or a group or a repetition of another kind."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_node
from copydesk.refactorings.expressions import callee, children_of, single_line
from copydesk.syntax.tree import text_of

_FUNCTIONS = frozenset(
    f"re.{name}"
    for name in ("compile", "match", "search", "fullmatch", "sub", "subn", "split", "findall", "finditer")
)
_LITERAL = re.compile(r"(r?)([\"'])(.*)\2", re.IGNORECASE | re.DOTALL)
_CHANGES = (
    (r"Match any whitespace, \s,", r"\[[ \\tnrfv]{2,}\]|(?<!\\) ", r"\\s"),
    (r"Use \d instead of [0-9]", r"\[0-9\]", r"\\d"),
    (r"Use [0-9] instead of \d", r"\\d", "[0-9]"),
    (r"Use \w", r"\[(?:a-zA-Z|A-Za-z)0-9_\]", r"\\w"),
    ("Match as little as possible, non-greedy, lazy", r"(?<![\\\\])(?:(?<=\.)|(?<=\]))([*+])(?!\?)", r"\1?"),
    ("Match as much as possible, greedy", r"([*+])\?", r"\1"),
    ("Make the groups non-capturing", r"(?<!\\)\((?!\?)", "(?:"),
)
"""Titles, what of a pattern each changes, and what stands there instead."""


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for call in context.walk("call"):
        given = call.child_by_field_name("arguments")
        entries = children_of(given) if given is not None else []
        if callee(call) in _FUNCTIONS and entries and entries[0].type == "string" and single_line(entries[0]):
            yield from _changed(context, entries[0])


def _changed(context: RefactoringContext, pattern: Node) -> Iterator[Proposal]:
    found = _LITERAL.fullmatch(text_of(pattern))
    value = _value(text_of(pattern))
    if found is None or value is None:
        return
    quote = found[2]
    if not found[1]:
        raw = f"r{quote}{value}{quote}"
        if "\\" in value and _value(raw) == value:
            yield "Make the pattern a raw string, r prefix", replace_node(context.lines, pattern, raw)
    for title, old, new in _CHANGES:
        made, count = re.subn(old, new, value)
        text = f"r{quote}{made}{quote}"
        if count and _value(text) == made and _compiles(made):
            yield f"{title} in the pattern", replace_node(context.lines, pattern, text)


def _value(text: str) -> str | None:
    try:
        made = ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return None
    return made if isinstance(made, str) else None


def _compiles(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


REGEX_CLASSES = Refactoring("regex_classes", "refactor.rewrite.regexClasses", _propose)
