"""Comments taken away: all but those that tools read, or single ones."""

from __future__ import annotations

import ast
import keyword
import re
import warnings
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, delete_lines, merged, replace_lines
from copydesk.refactorings.texts.text_lines import runs_of_comments
from copydesk.request import Range
from copydesk.syntax.splice import start_of
from copydesk.syntax.tree import text_of

_READ_BY_TOOLS = re.compile(
    r"#\s*(?:!|-\*-|noqa|type:|pragma|pylint:|fmt:|isort:|ruff:|mypy:|pyright:|nosec|coding[:=])",
    re.IGNORECASE,
)

LONGEST_CODE = 20
"""Lines that are looked at for whether they are code together, if not all the rest of a comment is."""
_PROSE = re.compile(rf"\s*\w*[\s:.,;!?-]*$|\s*(?!(?:{'|'.join(keyword.kwlist)})\b)\w+ \w")
"""How no code begins: a word or none, which parses but stands above it, and two words of which the first is no keyword."""


def remove_comments(context: RefactoringContext) -> Edits:
    """Whole lines, and what stands behind code."""
    comments = [node for node in context.walk("comment") if not _READ_BY_TOOLS.match(text_of(node))]
    return tuple(edit for node in comments for edit in _without(context, node))


def _without(context: RefactoringContext, comment: Node) -> Edits:
    line = comment.start_point[0] + 1
    before, text = context.split(start_of(comment))
    end = "\n" if text.endswith("\n") else ""
    return replace_lines(line, line, [before.rstrip() + end] if before.strip() else [])


def _all(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    yield "Remove comments", remove_comments(context)


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    """Each comment alone, and those of lines one below the other together; those that are code, all of them."""
    for node in context.walk("comment"):
        yield f"Remove the comment {text_of(node)}", _without(context, node)
    dead: list[Edits] = []
    for first, last in runs_of_comments(context):
        text = [line.strip().lstrip("#") for line in context.view(first, last)]
        code = list(_runs_of_code(text))
        for begin, end in code:
            dead.append(delete_lines(first + begin, first + end))
            yield "Remove the commented-out code", dead[-1]
        for again, stop in _repeated(text):
            yield (
                "Remove the repeated comment, it is there twice",
                delete_lines(first + again, first + stop - 1),
            )
        if last > first and code != [(0, last - first)]:
            yield f"Remove the comment #{text[0]}", delete_lines(first, last)
    if len(dead) > 1:
        yield "Remove all commented-out code", merged(*dead)


def _repeated(lines: Sequence[str]) -> Iterator[Range]:
    """From where to where lines stand that are the same as those right above them."""
    for begin in range(len(lines)):
        for count in range((len(lines) - begin) // 2, 0, -1):
            again = begin + count
            if lines[begin:again] == lines[again : again + count] and "".join(lines[begin:again]).strip():
                yield again, again + count
                return


def _runs_of_code(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The first and the last of lines that are code together, the longest from each place on: prose stands above and below."""
    begin = 0
    while begin < len(lines):
        near = range(min(len(lines), begin + LONGEST_CODE) - 1, begin - 1, -1)
        ends = () if _PROSE.match(lines[begin]) else (len(lines) - 1, *near)
        end = next((end for end in ends if _is_code(lines[begin : end + 1])), None)
        if end is not None:
            yield begin, end
            begin = end
        begin += 1


def _is_code(lines: Sequence[str]) -> bool:
    text = "\n".join(line.removeprefix(" ") for line in lines)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes in what stands there
            found = ast.parse(text)
        return bool(found.body) and bool(re.search(r"[=(\[.]|^\s*(?:return|pass|break)", text))
    except (SyntaxError, ValueError):
        return False


REMOVE_COMMENTS = Refactoring(
    "remove_comments",
    "refactor.rewrite.removeComments",
    _propose,
    menu="selection",
    offer=_all,
    everywhere=True,
)
