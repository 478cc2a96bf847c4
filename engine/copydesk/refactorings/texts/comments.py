"""Comments: added, moved, reworded, and statements made comments."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import selected_statements
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import comments_above, named, plain_statements
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import (
    delete_lines,
    insert_at,
    insert_lines,
    merged,
    replace_lines,
)
from copydesk.refactorings.requested import quoted_texts
from copydesk.refactorings.texts.text_lines import runs_of_comments
from copydesk.request import Range
from copydesk.syntax.splice import start_of
from copydesk.syntax.tree import rows, text_of
from copydesk.text.document import indentation

_MOST = 24
_WIDTH = 79
"""Columns of a comment that is wrapped anew."""
_MOST_TARGETS = 16
_ABOUT_COMMENTS = frozenset({
    "comment", "comments", "note", "explain", "say", "why", "todo", "above", "mention", "put", "before",
})  # fmt: skip
_ABOUT_MOVING = frozenset({
    "move", "put", "belongs", "above", "below", "next", "into", "up", "down", "before", "after",
})  # fmt: skip


def _texts(arguments: Arguments) -> list[str]:
    marked = [found.strip() for found in re.findall(r"# ?([^`\"]+)", arguments.instruction)]
    marked += [text.rpartition(", ")[0] for text in marked if ", " in text]  # what follows may say where
    texts = [text.lstrip("# ") for text in quoted_texts(arguments) if len(text) > 3]
    return [text for text in dict.fromkeys([*marked, *texts]) if "\n" not in text][:4]


def _add(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for number in context.numbers():
        (line,) = context.view(number, number)
        code = line.strip()
        for text in arguments.texts if code and arguments.mentions(code) else ():
            if code not in text:
                above = insert_lines(number, [f"{indentation(line)}# {text}\n"])
                yield f'Comment "{text}" above {code}', above
    if not arguments.words & _ABOUT_COMMENTS and "# " not in arguments.instruction:
        return
    places = {node.start_point[0] + 1: node for node in plain_statements(context)}
    for node in context.walk("else_clause", "elif_clause", "except_clause", "finally_clause"):
        places.setdefault(node.start_point[0] + 1, node)
    ranked = sorted(places.items(), key=lambda item: -_said(text_of(item[1]), arguments))[:_MOST]
    for text in _texts(arguments):
        for number, node in ranked:
            (line,) = context.view(number, number)
            above = insert_lines(number, [f"{context.indent(node)}# {text}\n"])
            yield f'Comment "{text}" above {named(node)}', above
            if "#" not in line:
                behind = replace_lines(number, number, [f"{line.rstrip()}  # {text}\n"])
                yield f'Comment "{text}" behind {named(node)}', behind


def _said(text: str, arguments: Arguments) -> int:
    return len(set(re.findall(r"\w+", text.split("\n")[0].lower())) & arguments.words)


def _comment_out(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in selected_statements(context):
        first, last = rows(node)
        if first == last:
            yield f"Comment out {text_of(node)}", insert_at(context.lines, start_of(node), "# ")


def _change(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    texts = _texts(arguments)
    for node in context.walk("comment"):
        line, before = node.start_point[0] + 1, context.split(start_of(node))[0]
        for text in texts:
            yield f'Reword the comment to "{text}"', replace_lines(line, line, [f"{before}# {text}\n"])
        if before.strip():
            lines = [f"{indentation(before)}{text_of(node)}\n", f"{before.rstrip()}\n"]
            yield "Move the comment above its line", replace_lines(line, line, lines)
            continue
        below = context.view(line + 1, line + 1)[0] if line < len(context.lines) else ""
        if below.strip() and "#" not in below:
            moved = replace_lines(line, line + 1, [f"{below.rstrip()}  {text_of(node)}\n"])
            yield "Move the comment behind its line", moved
    for run in runs_of_comments(context):
        yield from _rewritten(context, run, texts)
        if arguments.words & _ABOUT_MOVING:
            yield from _moved(context, run)


def _rewritten(context: RefactoringContext, run: Range, texts: Sequence[str]) -> Iterator[Proposal]:
    """Comment lines one below the other, in one line, in other words, fewer or more of them."""
    first, last = run
    shown = context.view(first, last)
    indent = indentation(shown[0])
    if last > first:
        joined = " ".join(line.strip().lstrip("# ") for line in shown)
        yield "Put the comment on one line", replace_lines(first, last, [f"{indent}# {joined}\n"])
        for text in texts:
            yield f'Reword the comment to "{text}"', replace_lines(first, last, [f"{indent}# {text}\n"])
    said = " ".join(line.strip().lstrip("#").strip() for line in shown)
    sentence = re.match(r".{8,}?[.!?](?= )", said)
    if sentence is not None:
        wrapped = textwrap.wrap(sentence[0], max(20, _WIDTH - len(indent) - 2))
        lines = [f"{indent}# {line}\n" for line in wrapped]
        yield "Keep the first sentence of the comment, shorten it", replace_lines(first, last, lines)
    for cut in range(first + 1, last + 1):
        yield "Keep the first lines of the comment", delete_lines(cut, last)
        yield "Keep the last lines of the comment", delete_lines(first, cut - 1)
    for text in texts:
        yield f'Add "{text}" to the comment', insert_lines(last + 1, [f"{indent}# {text}\n"])


def _moved(context: RefactoringContext, run: Range) -> Iterator[Proposal]:
    first, last = run
    for node in list(plain_statements(context))[:_MOST_TARGETS]:
        place = comments_above(context, rows(node)[0])
        lines = [f"{context.indent(node)}{line.lstrip()}" for line in context.view(first, last)]
        if place not in (first, last + 1):
            moved = merged(insert_lines(place, lines), delete_lines(first, last))
            out = rows(node)[0] < first <= rows(node)[1]
            yield f"Move the comment {'out, outside, ' if out else ''}above {named(node)}", moved


ADD_COMMENT = Refactoring("add_comment", "refactor.rewrite.addComment", _add)
CHANGE_COMMENT = Refactoring("change_comment", "refactor.rewrite.changeComment", _change)
COMMENT_OUT = Refactoring("comment_out", "refactor.rewrite.commentOut", _comment_out)
