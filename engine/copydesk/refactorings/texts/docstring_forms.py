"""A docstring in another form, with another text, longer or shorter, or gone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import is_text, statements_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, delete_lines, insert_lines, merged, replace_lines
from copydesk.refactorings.requested import quoted_texts
from copydesk.syntax.tree import rows, text_of

_DOCSTRING = re.compile(r"([rRuUbB]*)(\"{3}|'{3}|\"|')(.*)\2", re.DOTALL)


def _docstrings(context: RefactoringContext) -> Iterator[Node]:
    for node in context.walk("expression_statement"):
        if is_text(node) and node.parent is not None and statements_of(node.parent)[0] == node:
            yield node


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for node in _docstrings(context):
        found = _DOCSTRING.fullmatch(text_of(node))
        if found is None or not context.starts_line(node):
            continue
        (first, last), indent = rows(node), context.indent(node)
        prefix, quotes, body = found.groups()
        text = body.strip()

        def made(text: str, *more: str, prefix: str = prefix, indent: str = indent) -> list[str]:
            if not more:
                return [f'{indent}{prefix}"""{text}"""\n']
            lines = [f'{prefix}"""{text}', *more, '"""']
            return [f"{indent}{line}\n" if line.strip() else "\n" for line in lines]

        lines = [line.strip() for line in text.split("\n")]
        paragraph = " ".join(lines[: lines.index("")] if "" in lines else lines)
        yield "Put the docstring on one line", replace_lines(first, last, made(" ".join(filter(None, lines))))
        yield "Keep the first line of the docstring, cut the rest", replace_lines(first, last, made(lines[0]))
        yield "Keep the first paragraph of the docstring", replace_lines(first, last, made(paragraph))
        if quotes != '"""':
            yield (
                "Use triple double quotes for the docstring",
                replace_lines(first, last, [f'{indent}{prefix}"""{body}"""\n']),
            )
        if len(statements_of(node.parent)) > 1:
            yield "Remove the docstring", delete_lines(first, last)
        if len(lines) == 1 and first == last:
            rest = [text]
            yield (
                "Put the docstring on lines of its own",
                replace_lines(
                    first, last, [f'{indent}{prefix}"""\n', f"{indent}{rest[0]}\n", f'{indent}"""\n']
                ),
            )
        for new in _texts(arguments):
            yield f'Say "{new}" in the docstring', replace_lines(first, last, made(new))
            if first == last:
                stop = "" if text.endswith((".", "!", "?")) else "."
                yield f'Add "{new}" to the docstring', replace_lines(first, last, made(f"{text} {new}"))
                yield (
                    f'Add "{new}" to the docstring, as a sentence',
                    replace_lines(first, last, made(f"{text}{stop} {new}")),
                )
                yield (
                    f'Add the paragraph "{new}" to the docstring',
                    replace_lines(first, last, made(text, "", new)),
                )
                continue
            yield f'Say "{new}" in the first line of the docstring', _first_line(context, node, new)
            end = context.view(last, last)[0]
            alone = end.strip() in ('"""', "'''")
            place = last if alone else last + 1
            above = context.view(last - 1, last - 1)[0].strip() if alone else ""
            inner = f"{indent}{new}\n"
            if alone:
                yield f'Add the line "{new}" to the docstring', insert_lines(place, [inner])
                blank = [] if not above else ["\n"]
                yield f'Add the paragraph "{new}" to the docstring', insert_lines(place, [*blank, inner])
                if not above:
                    yield f'Add "{new}" at the end of the docstring', insert_lines(last - 1, ["\n", inner])
                    yield f'Add the line "{new}" to the text', insert_lines(last - 1, [inner])
            yield from _inside(context, node, new)
        for number in range(first, last + 1):
            if number in (first, last):
                continue
            line = context.view(number, number)[0].strip()
            what = f'"{line[:40]}"' if line else "blank line"
            yield f"Remove the {what} from the docstring", delete_lines(number, number)
        for start, end_ in _paragraphs(context, first + 1, last - 1):
            line = context.view(start, start)[0].strip()
            blank_before = start - 1 > first and not context.view(start - 1, start - 1)[0].strip()
            yield (
                f'Remove the paragraph "{line[:40]}" from the docstring',
                delete_lines(start - blank_before, end_),
            )


def _texts(arguments: Arguments) -> list[str]:
    texts = [
        text for text in quoted_texts(arguments) if " " in text and '"""' not in text and "\\" not in text
    ]
    raised = re.search(r"(?::raises |:returns?:? |Raises |Returns? |:param ).*", arguments.instruction)
    own = [raised[0], raised[0].rstrip(".") + "."] if raised is not None else []
    found = [*texts[:3], *own]
    longer = [text + "." for text in found[:1] if not text.endswith((".", ")", ":"))]
    return [text for text in dict.fromkeys([*found, *longer]) if not text.endswith('"')][:5]


def _first_line(context: RefactoringContext, node: Node, text: str) -> Edits | None:
    first = rows(node)[0]
    head = context.view(first, first)[0]
    found = re.fullmatch(r"(\s*[rRuUbB]*(?:\"{3}|'{3}) ?)(.*)\n", head)
    if found is not None and found[2]:
        return replace_lines(first, first, [f"{found[1]}{text}\n"])
    indent = context.indent(node)
    return replace_lines(first + 1, first + 1, [f"{indent}{text}\n"])


def _inside(context: RefactoringContext, node: Node, text: str) -> Iterator[Proposal]:
    """A line or a paragraph behind each paragraph."""
    first, last = rows(node)
    indent = context.indent(node)
    for _, end in _paragraphs(context, first, last):
        if end < last:
            yield (
                f'Add the paragraph "{text}" inside the docstring',
                insert_lines(end + 1, ["\n", f"{indent}{text}\n"]),
            )
            yield f'Add the line "{text}" inside the docstring', insert_lines(end + 1, [f"{indent}{text}\n"])


def _paragraphs(context: RefactoringContext, first: int, last: int) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    start = None
    for number in range(first, last + 1):
        blank = not context.view(number, number)[0].strip()
        if not blank and start is None:
            start = number
        if blank and start is not None:
            found.append((start, number - 1))
            start = None
    if start is not None:
        found.append((start, last))
    return found


def _from_comment(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    """The comments a function begins with as its docstring, and a docstring as a comment."""
    for function in context.walk("function_definition", "class_definition"):
        body = function.child_by_field_name("body")
        colon = next((child for child in function.children if child.type == ":"), None)
        if body is None or colon is None:
            continue
        number = colon.start_point[0] + 2
        comments: list[str] = []
        while number + len(comments) <= len(context.lines):
            line = context.view(number + len(comments), number + len(comments))[0].strip()
            if not line.startswith("#"):
                break
            comments.append(line.lstrip("# "))
        statements = statements_of(body)
        indent = context.indent(statements[0]) if statements else ""
        if comments and statements and not is_text(statements[0]):
            text = " ".join(comments)
            for end in ("", "."):
                if '"' not in text[-1:]:
                    line = f'{indent}"""{text}{end}"""\n'
                    edits = replace_lines(number, number + len(comments) - 1, [line])
                    yield "Make the comment a docstring", edits
        if statements and is_text(statements[0]) and len(statements) > 1:
            found = _DOCSTRING.fullmatch(text_of(statements[0]))
            first, last = rows(statements[0])
            if found is not None:
                lines = [f"{indent}# {line.strip()}".rstrip() + "\n" for line in found[3].strip().split("\n")]
                yield "Make the docstring a comment", merged(replace_lines(first, last, lines))


DOCSTRING_FORMS = Refactoring("docstring_forms", "refactor.rewrite.docstringForms", _propose)
COMMENT_TO_DOCSTRING = Refactoring(
    "comment_to_docstring", "refactor.rewrite.commentToDocstring", _from_comment
)
