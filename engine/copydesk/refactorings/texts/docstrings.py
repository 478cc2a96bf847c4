"""Docstrings: added, made of comments, reworded, longer or shorter, or gone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import is_text, statements_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, delete_lines, insert_lines, replace_lines
from copydesk.refactorings.function_body import body_of, can_insert_before
from copydesk.refactorings.requested import quoted_texts
from copydesk.refactorings.texts.text_lines import STRING, is_docstring
from copydesk.request import Range
from copydesk.syntax.tree import rows, text_of

_TOLD = re.compile(
    r"\b(?:say|mention|note|state|explain|add) (?:\w+ )?(?:in|to) (?:the |its )?(?:docstring|docs?)\b,? (?:that )?(.{4,})"
    r"|\b(?:docstring|docs?) (?:should|must|could|needs to) (?:also )?(?:say|mention|note|state|explain)(?: that)? (.{4,})",
    re.IGNORECASE,
)
"""A sentence that is wanted in a docstring, in the person's words."""
_WIDTH = 120
"""Columns that a docstring on one line has at most."""
_SHOWN = 40
"""Characters of a line that a title has."""


def add_docstring(text: str, context: RefactoringContext) -> Edits | None:
    """As the first line below the function's head; None where another one is there, or a class that may be meant."""
    if '"""' in text or "\\" in text or text.endswith('"'):
        return None
    body = body_of(context)
    if not body or any(True for _ in context.walk("class_definition")):
        return None
    if is_text(body[0]):
        return () if text_of(body[0]).strip("\"' ") == text else None
    function = context.function()
    below = _below_head(function) if function is not None else None
    if below is None or not can_insert_before(context, body[0]):
        return None
    # Comments may come before the body.
    return insert_lines(below, [f'{context.indent(body[0])}"""{text}"""\n'])


def _below_head(definition: Node) -> int | None:
    colon = next((child for child in definition.children if child.type == ":"), None)
    return colon.start_point[0] + 2 if colon is not None else None


def _add(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for text in arguments.texts:
        if text == arguments.instruction and arguments.words & {
            "docstring",
            "docstrings",
            "document",
            "doc",
            "docs",
        }:
            continue  # it asks for one, and does not say it
        yield f'Add the docstring "{text}"', add_docstring(text, context)


def _change(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for string in context.walk("string"):
        node, found = string.parent, STRING.fullmatch(text_of(string))
        if found is None or node is None or not is_docstring(string) or not context.starts_line(node):
            continue
        yield from _shorter(context, arguments, node, found)
        for new in _texts(arguments):
            if new.rstrip(".") == found[3].strip().rstrip("."):
                continue  # it says so already
            yield from _reworded(context, node, found, new)


def _written(context: RefactoringContext, node: Node, prefix: str, *lines: str, quotes: str = '"""') -> Edits:
    """A docstring of some lines in place of another."""
    made = [*lines[:-1], f"{lines[-1]}{quotes}"] if len(lines) == 1 else [*lines, quotes]
    made[0] = f"{prefix}{quotes}{made[0]}"
    indent = context.indent(node)
    return replace_lines(*rows(node), [f"{indent}{line}\n" if line.strip() else "\n" for line in made])


def _shorter(
    context: RefactoringContext, arguments: Arguments, node: Node, found: re.Match[str]
) -> Iterator[Proposal]:
    """The same text in another form, or less of it."""
    (first, last), (prefix, quotes, body) = rows(node), found.groups()
    lines = [line.strip() for line in body.removeprefix("\\\n").strip().split("\n")]
    paragraph = " ".join(lines[: lines.index("")] if "" in lines else lines)
    together = " ".join(filter(None, lines))
    told = "sentence" if "sentence" in arguments.words and lines[0].endswith(".") else "line"
    forms = [
        (f"Keep the first {told} of the docstring alone", lines[0]),
        ("Keep the first paragraph of the docstring", paragraph),
    ]
    if len(f'{context.indent(node)}{prefix}"""{together}"""') <= _WIDTH:
        forms.insert(0, ("Put the docstring on one line", together))
    kept = quotes if len(quotes) == 3 else '"""'
    for title, text in forms:
        yield title, _written(context, node, prefix, text, quotes=kept)
    verb = re.match(r"([A-Z][a-z]+?)(?:es|s)? ", body.lstrip())
    if verb is not None and not body.lstrip().startswith(f"{verb[1]} "):
        (head,) = context.view(first, first)
        at = first if verb[0] in head else first + 1
        (line,) = context.view(at, at)
        for stem in dict.fromkeys((verb[1], verb[0].rstrip()[:-1])):
            made = line.replace(verb[0], f"{stem} ", 1)
            yield f"Use the imperative mood: {stem}, not {verb[0].rstrip()}", replace_lines(at, at, [made])
    if body.startswith("\\\n"):
        lines_below = [f"{context.indent(node)}{prefix}{quotes}\n"]
        yield "Remove the backslash from the docstring", replace_lines(first, first, lines_below)
    if quotes != '"""':
        lines_kept = [f'{context.indent(node)}{prefix}"""{body}"""\n']
        yield "Use triple double quotes for the docstring", replace_lines(first, last, lines_kept)
    if len(statements_of(node.parent)) > 1:
        yield "Remove the docstring", delete_lines(first, last)
        comment = [f"{context.indent(node)}# {line}".rstrip() + "\n" for line in lines]
        yield "Make the docstring a comment", replace_lines(first, last, comment)
    if first != last and (closing := context.view(last, last)[0].rstrip()).strip() != quotes:
        apart = [f"{closing.removesuffix(quotes).rstrip()}\n", f"{context.indent(node)}{quotes}\n"]
        yield "Put the closing quotes on their own line", replace_lines(last, last, apart)
    if first == last:
        yield "Put the docstring on lines of its own", _written(context, node, prefix, "", body.strip())
    paragraphs = _paragraphs(context, first + 1, last - 1)
    alone = {start for start, end in paragraphs if start == end and start - 1 > first}
    for number in (number for number in range(first + 1, last) if number not in alone):
        line = context.view(number, number)[0].strip()
        if line:
            yield f'Remove the "{line[:_SHOWN]}" from the docstring', delete_lines(number, number)
        elif number != last - 1 and not arguments.words & {"end", "last", "closing", "trailing"}:
            yield f"Remove the {_blank(context, number, first)}", delete_lines(number, number)
    for start, end in paragraphs:
        line = context.view(start, start)[0].strip()
        blank_before = start - 1 > first and not context.view(start - 1, start - 1)[0].strip()
        ends = (start, end) == paragraphs[-1] and blank_before
        which = ", the last sentence" if ends and arguments.words >= {"last", "sentence"} else ""
        title = f'Remove the paragraph "{line[:_SHOWN]}" from the docstring{which}'
        yield title, delete_lines(start - blank_before, end)


def _blank(context: RefactoringContext, number: int, first: int) -> str:
    """Which blank line of a docstring it is, other than the last one, of which `remove_blank_lines` tells."""
    if number == first + 1:
        return "blank line below the first line of the docstring"
    below = context.view(number + 1, number + 1)[0].strip()
    return f'blank line from the docstring above "{below[:_SHOWN]}"'


def _reworded(context: RefactoringContext, node: Node, found: re.Match[str], new: str) -> Iterator[Proposal]:
    """Another text in place of a docstring's, or at its end, or inside it."""
    (first, last), prefix, text = rows(node), found[1], found[3].strip()
    yield f'Say "{new}" in the docstring', _written(context, node, prefix, new)
    if first == last:
        stop = "" if text.endswith((".", "!", "?")) else "."
        yield f'Add "{new}" to the docstring', _written(context, node, prefix, f"{text} {new}")
        yield (
            f'Add "{new}" to the docstring, as a sentence',
            _written(context, node, prefix, f"{text}{stop} {new}"),
        )
        yield f'Add the paragraph "{new}" to the docstring', _written(context, node, prefix, text, "", new)
        inside = f"{text.rstrip('.')}, {new.lstrip(', ').rstrip('.')}{'.' * text.endswith('.')}"
        yield (
            f'Add "{new}" to the sentence of the docstring, after a comma',
            _written(context, node, prefix, inside),
        )
        return
    yield f'Say "{new}" in the first line of the docstring', _first_line(context, node, new)
    line = f"{context.indent(node)}{new}\n"
    ends = [end + 1 for _, end in _paragraphs(context, first, last) if end < last]
    if context.view(last, last)[0].strip() in ('"""', "'''"):
        ends.append(last)
    for place in ends:
        blank = ["\n"] if context.view(place - 1, place - 1)[0].strip() else []
        where = (
            ", at its end" if place == ends[-1] else ", after its first paragraph" if place == ends[0] else ""
        )
        yield f'Add the line "{new}" to the docstring{where}', insert_lines(place, [line])
        yield f'Add the paragraph "{new}" to the docstring{where}', insert_lines(place, [*blank, line])


def _texts(arguments: Arguments) -> list[str]:
    texts = [
        text for text in quoted_texts(arguments) if " " in text and '"""' not in text and "\\" not in text
    ]
    raised = re.search(r"(?::raises |:returns?:? |Raises |Returns? |:param ).*", arguments.instruction)
    own = [raised[0], raised[0].rstrip(".") + "."] if raised is not None else []
    if (told := _TOLD.search(arguments.instruction)) is not None and (said := told[1] or told[2]):
        own += [f"{said[0].upper()}{said[1:].rstrip('.')}."]
    found = [*texts[:3], *own]
    longer = [text + "." for text in found[:1] if not text.endswith((".", ")", ":"))]
    return [text for text in dict.fromkeys([*found, *longer]) if not text.endswith('"')][:5]


def _first_line(context: RefactoringContext, node: Node, text: str) -> Edits:
    first = rows(node)[0]
    found = re.fullmatch(r"(\s*[rRuUbB]*(?:\"{3}|'{3}) ?)(.*)\n", context.view(first, first)[0])
    if found is not None and found[2]:
        return replace_lines(first, first, [f"{found[1]}{text}\n"])
    return replace_lines(first + 1, first + 1, [f"{context.indent(node)}{text}\n"])


def _paragraphs(context: RefactoringContext, first: int, last: int) -> list[Range]:
    found: list[Range] = []
    for number in range(first, last + 1):
        if context.view(number, number)[0].strip():
            goes_on = bool(found) and found[-1][1] == number - 1
            found[-1:] = [(found[-1][0], number)] if goes_on else [*found[-1:], (number, number)]
    return found


def _from_comment(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    """The comments that a definition begins with as its docstring."""
    for definition in context.walk("function_definition", "class_definition"):
        statements = statements_of(definition.child_by_field_name("body"))
        begin = _below_head(definition)
        if begin is None or not statements or is_text(statements[0]):
            continue
        end = begin
        while end <= len(context.lines) and context.lines[end - 1].lstrip().startswith("#"):
            end += 1
        text = " ".join(line.strip().lstrip("# ") for line in context.view(begin, end - 1))
        for stop in ("", ".") if text and not text.endswith('"') else ():
            line = f'{context.indent(statements[0])}"""{text}{stop}"""\n'
            yield "Make the comment a docstring", replace_lines(begin, end - 1, [line])
        said = [line.strip().removeprefix("#").removeprefix(" ") for line in context.view(begin, end - 1)]
        if len(said) > 1 and '"""' not in text:
            indent = context.indent(statements[0])
            lines = [f'"""{said[0]}', *said[1:], '"""']
            made = [f"{indent}{one}\n" if one else "\n" for one in lines]
            yield "Make the comment a docstring, its lines kept", replace_lines(begin, end - 1, made)


ADD_DOCSTRING = Refactoring("add_docstring", "refactor.rewrite.addDocstring", _add)
CHANGE_DOCSTRING = Refactoring("change_docstring", "refactor.rewrite.changeDocstring", _change)
COMMENT_TO_DOCSTRING = Refactoring(
    "comment_to_docstring", "refactor.rewrite.commentToDocstring", _from_comment
)
