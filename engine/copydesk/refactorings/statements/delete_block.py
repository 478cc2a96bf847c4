"""Statements of several lines, runs of them, and comments taken away."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import is_text, statements_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import JUMPS, comments_above, named, plain_statements
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, delete_lines, merged, replace_lines
from copydesk.syntax.splice import start_of
from copydesk.syntax.tree import rows, text_of


def _statements(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    groups: dict[str, list[Edits]] = {}
    for node in plain_statements(context):
        first, last = rows(node)
        siblings = statements_of(node.parent)
        start = comments_above(context, first)
        if siblings == [node]:
            yield (
                f"Replace {named(node)} by pass",
                replace_lines(first, last, [f"{context.indent(node)}pass\n"]),
            )
            continue
        if last > first:
            what = "the docstring" if is_text(node) else named(node)
            yield f"Remove {what}", delete_lines(first, last)
        if start < first:
            yield f"Remove {named(node)} with its comment", delete_lines(start, last)
        if node.type in JUMPS and node != siblings[-1]:
            yield f"Remove the dead code after {named(node)}", delete_lines(last + 1, rows(siblings[-1])[1])
        below = siblings[siblings.index(node) + 1 :]
        for end in below[:2]:
            if not is_text(node):
                yield f"Remove {named(node)} up to {named(end)}", delete_lines(start, rows(end)[1])
        groups.setdefault(re.split(r"[(\s]", text_of(node), maxsplit=1)[0], []).append(
            delete_lines(first, last)
        )
    for word, edits in groups.items():
        if len(edits) > 1 and any(part in arguments.words for part in re.split(r"\W+", word.lower()) if part):
            yield f"Remove all {word}", merged(*edits)


def _comments(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    """Each comment alone, and those of lines one below the other together; those that are code, all of them."""
    runs: list[list[int]] = []
    dead: list[Edits] = []
    for node in context.walk("comment"):
        line = node.start_point[0] + 1
        before = context.split(start_of(node))[0]
        if before.strip():
            yield f"Remove the comment {text_of(node)}", replace_lines(line, line, [before.rstrip() + "\n"])
            continue
        yield f"Remove the comment {text_of(node)}", delete_lines(line, line)
        if runs and runs[-1][-1] == line - 1:
            runs[-1].append(line)
        else:
            runs.append([line])
    for run in runs:
        text = [context.view(line, line)[0].strip().lstrip("#") for line in run]
        if _is_code(text):
            dead.append(delete_lines(run[0], run[-1]))
            yield "Remove the commented-out code", delete_lines(run[0], run[-1])
        elif len(run) > 1:
            yield f"Remove the comment #{text[0]}", delete_lines(run[0], run[-1])
    if len(dead) > 1:
        yield "Remove all commented-out code", merged(*dead)


def _is_code(lines: list[str]) -> bool:
    text = "\n".join(line.removeprefix(" ") for line in lines)
    try:
        return bool(ast.parse(text).body) and bool(re.search(r"[=(\[.]|^\s*(?:return|pass|break)", text))
    except (SyntaxError, ValueError):
        return False


def _blank_lines(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    if not arguments.words & {"blank", "empty", "line", "lines", "newline"}:
        return
    numbers = [number for number in context.numbers() if not context.view(number, number)[0].strip()]
    for number in numbers:
        below = context.view(number + 1, number + 1)[0].strip() if number < len(context.lines) else ""
        yield f"Remove the blank line above {below[:40]}", delete_lines(number, number)
    if len(numbers) > 1:
        yield "Remove all blank lines", merged(*(delete_lines(number, number) for number in numbers))


BLANK_LINES = Refactoring("blank_lines", "refactor.rewrite.blankLines", _blank_lines)
DELETE_BLOCK = Refactoring("delete_block", "refactor.rewrite.deleteBlock", _statements)
DELETE_COMMENT = Refactoring("delete_comment", "refactor.rewrite.deleteComment", _comments)
