"""Comments put somewhere, moved, or with another text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import comments_above, named, plain_statements
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import delete_lines, insert_lines, merged, replace_lines
from copydesk.refactorings.requested import quoted_texts
from copydesk.syntax.splice import start_of
from copydesk.syntax.tree import rows, text_of

_MOST = 24
_ABOUT_COMMENTS = frozenset(
    {"comment", "comments", "note", "explain", "say", "why", "todo", "above", "mention", "put", "before"}
)


def _texts(arguments: Arguments) -> list[str]:
    marked = [found.strip() for found in re.findall(r"# ?([^`\"]+)", arguments.instruction)]
    texts = [text.lstrip("# ") for text in quoted_texts(arguments) if len(text) > 3]
    return [text for text in dict.fromkeys([*marked, *texts]) if "\n" not in text][:4]


def _add(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    if not arguments.words & _ABOUT_COMMENTS:
        return
    lines = {node.start_point[0] + 1: node for node in plain_statements(context)}
    for node in context.walk("else_clause", "elif_clause", "except_clause", "finally_clause"):
        lines.setdefault(node.start_point[0] + 1, node)
    ranked = sorted(lines.items(), key=lambda item: -_said(text_of(item[1]), arguments))[:_MOST]
    for text in _texts(arguments):
        for number, node in ranked:
            (line,) = context.view(number, number)
            indent = context.indent(node)
            yield f'Comment "{text}" above {named(node)}', insert_lines(number, [f"{indent}# {text}\n"])
            if "#" not in line:
                yield (
                    f'Comment "{text}" behind {named(node)}',
                    replace_lines(number, number, [f"{line.rstrip()}  # {text}\n"]),
                )


def _said(text: str, arguments: Arguments) -> int:
    return len(set(re.findall(r"\w+", text.split("\n")[0].lower())) & arguments.words)


def _change(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    texts = _texts(arguments)
    runs: list[list[int]] = []
    statements = list(plain_statements(context))
    for node in context.walk("comment"):
        line = node.start_point[0] + 1
        before = context.split(start_of(node))[0]
        for text in texts:
            yield f'Reword the comment to "{text}"', replace_lines(line, line, [f"{before}# {text}\n"])
        if before.strip():
            indent = before[: len(before) - len(before.lstrip())]
            yield (
                "Move the comment above its line",
                replace_lines(line, line, [f"{indent}{text_of(node)}\n", f"{before.rstrip()}\n"]),
            )
            continue
        below = context.view(line + 1, line + 1) if line < len(context.lines) else [""]
        if below[0].strip() and "#" not in below[0]:
            yield (
                "Move the comment behind its line",
                replace_lines(line, line + 1, [f"{below[0].rstrip()}  {text_of(node)}\n"]),
            )
        if runs and runs[-1][-1] == line - 1:
            runs[-1].append(line)
        else:
            runs.append([line])
    for run in runs:
        shown = context.view(run[0], run[-1])
        indent = shown[0][: len(shown[0]) - len(shown[0].lstrip())]
        if len(run) > 1:
            joined = " ".join(line.strip().lstrip("# ") for line in shown)
            yield "Put the comment on one line", replace_lines(run[0], run[-1], [f"{indent}# {joined}\n"])
            for text in texts:
                yield (
                    f'Reword the comment to "{text}"',
                    replace_lines(run[0], run[-1], [f"{indent}# {text}\n"]),
                )
        for cut in range(1, len(run)):
            yield "Keep the first lines of the comment", delete_lines(run[cut], run[-1])
            yield "Keep the last lines of the comment", delete_lines(run[0], run[cut - 1])
        for text in texts:
            yield f'Add "{text}" to the comment', insert_lines(run[-1] + 1, [f"{indent}# {text}\n"])
        if not arguments.words & {
            "move",
            "put",
            "belongs",
            "above",
            "below",
            "next",
            "into",
            "up",
            "down",
            "before",
            "after",
        }:
            continue
        for node in statements[:16]:
            place = comments_above(context, rows(node)[0])
            moved = [f"{context.indent(node)}{line.lstrip()}" for line in shown]
            if place not in (run[0], run[-1] + 1):
                yield (
                    f"Move the comment above {named(node)}",
                    merged(insert_lines(place, moved), delete_lines(run[0], run[-1])),
                )


COMMENT_ANYWHERE = Refactoring("comment_anywhere", "refactor.rewrite.commentAnywhere", _add)
COMMENT_FORMS = Refactoring("comment_forms", "refactor.rewrite.commentForms", _change)
