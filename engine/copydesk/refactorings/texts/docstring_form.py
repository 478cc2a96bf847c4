"""Docstrings in another form: where the text begins, fields for what is not documented, no links."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import function_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, delete_lines, insert_lines, merged, replace_lines
from copydesk.refactorings.parameters import name_of
from copydesk.refactorings.texts.text_lines import STRING, is_docstring
from copydesk.syntax.tree import rows, text_of

_BEGINNING = frozenset({
    "first", "same", "second", "own", "next", "line", "lines", "start", "starts", "begin", "begins", "quotes", "opening", "top",
    "newline", "leading", "break", "below", "behind", "summary",
})  # fmt: skip
"""Words of an instruction about the line in which a docstring begins."""
_LINKS = frozenset({"link", "links", "url", "urls", "reference", "address"})
_REMOVING = frozenset({
    "drop", "remove", "delete", "kill", "rid", "no", "without", "needless", "redundant", "useless", "unnecessary", "need", "lose",
    "away", "go",
})  # fmt: skip
_URL = re.compile(r"(?:see:?|ref(?:erence)?s?:?|\.\.)?\s*[<(]?https?://\S+", re.IGNORECASE)
_DOCUMENTING = frozenset({
    "document", "documented", "documentation", "docs", "doc", "docstring", "param", "params", "describe", "described",
    "parameter", "arg", "args", "argument", "field", "returns", "return", "raises", "missing", "lacks", "add", "mention",
    "explain",
})  # fmt: skip
_RETURNED = re.compile(
    r"\b(?:the )?(?::?returns?:?|return value|result|what (?:it|this) returns)(?: is| are| as)?[:,]? +"
    r"(?!type\b|value\b)(.{3,})$",
    re.IGNORECASE,
)
_RAISED = re.compile(
    r"\b(?:raises? |:raises )?`?([A-Z]\w*(?:Error|Exception|Warning))`?:?,? +((?:if|when|where|for|on)\b.{3,})$"
)
_FIELD = re.compile(r"\s*:(param|arg|type|returns?|rtype|raises)\b")
_PARAM = re.compile(r"(\s*(?:\"{3}|'{3})?\s*:param (?:[\w\[\], .|]+ )?)(\w+):")
_SECTION = re.compile(r"\s*(Args|Arguments|Parameters|Returns|Raises):\s*$")


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for string in context.walk("string"):
        node, found = string.parent, STRING.fullmatch(text_of(string))
        if found is None or node is None or not is_docstring(string) or not context.starts_line(node):
            continue
        if arguments.words & _BEGINNING and len(found[2]) == 3:
            yield from _begun(context, node, found[1] + found[2])
        if arguments.words & _REMOVING:
            yield from _without_fields(context, node)
        if arguments.words & _DOCUMENTING:
            yield from _misnamed(context, node)
        if arguments.words & _LINKS:
            yield from _without_links(context, node)
        if arguments.words & _DOCUMENTING and len(found[2]) == 3:
            for title, field in _fields(node, arguments):
                yield title, _with_field(context, node, found, field)


def _begun(context: RefactoringContext, node: Node, opening: str) -> Iterator[Proposal]:
    """The text right behind the quotes, or below them."""
    first, last = rows(node)
    if first == last:
        return
    head, below = context.view(first, first)[0], context.view(first + 1, first + 1)[0]
    indent = context.indent(node)
    if head.strip() == opening and below.strip() and first + 1 < last:
        yield (
            "Start the docstring on its first line, right behind the quotes, without a leading newline",
            replace_lines(first, first + 1, [f"{indent}{opening}{below.lstrip()}"]),
        )
    elif head.strip() != opening:
        text = head.strip().removeprefix(opening).lstrip()
        yield (
            "Start the docstring below its quotes, the text on a line of its own",
            replace_lines(first, first, [f"{indent}{opening}\n", f"{indent}{text}\n"]),
        )


def _without_links(context: RefactoringContext, node: Node) -> Iterator[Proposal]:
    first, last = rows(node)
    for number in range(first + 1, last):
        text = context.view(number, number)[0].strip()
        if _URL.fullmatch(text):
            above = context.view(number - 1, number - 1)[0].strip()
            below = context.view(number + 1, number + 1)[0].strip()
            alone = number - 1 > first and not above and (not below or number + 1 == last)
            yield f"Remove the link {text} from the docstring", delete_lines(number - alone, number)


def _without_fields(context: RefactoringContext, node: Node) -> Iterator[Proposal]:
    """Without all fields of a kind, or without a section."""
    first, last = rows(node)
    kinds: dict[str, list[Edits]] = {}
    number = first + 1
    while number < last:
        (line,) = context.view(number, number)
        field, section = _FIELD.match(line), _SECTION.match(line)
        end = number
        if field is not None or section is not None:
            width = len(line) - len(line.lstrip())
            while end + 1 < last and _is_inside(context.view(end + 1, end + 1)[0], width):
                end += 1
            blank = end + 1 >= last or not context.view(end + 1, end + 1)[0].strip()
            above = number - 1 > first and not context.view(number - 1, number - 1)[0].strip()
        if field is not None:
            kinds.setdefault(field[1], []).append(delete_lines(number, end))
        elif section is not None:
            yield (
                f"Remove the {section[1]} section from the docstring",
                delete_lines(number - (blank and above), end),
            )
        number = end + 1
    for kind, parts in kinds.items():
        if len(parts) > 1:
            yield f"Remove the :{kind} lines from the docstring, all, both", _with_blank(context, parts, last)


def _misnamed(context: RefactoringContext, node: Node) -> Iterator[Proposal]:
    """The one parameter that a docstring does not document, where it documents one that there is not."""
    function = function_of(node)
    parameters = function.child_by_field_name("parameters") if function is not None else None
    names = [name_of(one) for one in parameters.named_children] if parameters is not None else []
    first, last = rows(node)
    fields = [(n, found) for n in range(first, last + 1) if (found := _PARAM.match(context.view(n, n)[0]))]
    strange = [(number, found) for number, found in fields if found[2] not in names]
    missing = set(names) - {found[2] for _, found in fields} - {"", "self", "cls"}
    if len(strange) == 1 and len(missing) == 1:
        ((number, found),), (name,) = strange, missing
        line = found[1] + name + found.string[found.end(2) :]
        title = f"Name the parameter {name} in the docstring, param {found[2]} is wrong, there is none"
        yield title, replace_lines(number, number, [line])


def _is_inside(line: str, width: int) -> bool:
    """Whether a line goes on with what a less indented one began."""
    return bool(line.strip()) and len(line) - len(line.lstrip()) > width


def _with_blank(context: RefactoringContext, parts: list[Edits], last: int) -> Edits | None:
    """Parts that go, with the blank line above them where they are all of a paragraph."""
    begin, end = parts[0][0].first, parts[-1][0].last
    whole = sum(edit.last - edit.first + 1 for part in parts for edit in part) == end - begin + 1
    blank = not context.view(begin - 1, begin - 1)[0].strip()
    below = end + 1 >= last or not context.view(end + 1, end + 1)[0].strip()
    return delete_lines(begin - 1, end) if whole and blank and below else merged(*parts)


def _fields(node: Node, arguments: Arguments) -> Iterator[tuple[str, tuple[str, str, str]]]:
    """What is to be documented: a title, and the kind, the name and the words of a field."""
    function = function_of(node)
    parameters = function.child_by_field_name("parameters") if function is not None else None
    text = arguments.instruction
    for name in [name_of(one) for one in parameters.named_children] if parameters is not None else ():
        said = (
            re.search(rf"(?<![\w.])`?{re.escape(name)}`?(?:[:,] +| is | as |, ?which is )(.{{3,}})$", text)
            if name
            else None
        )
        if said is not None and not text.startswith(":"):
            yield f"Document the parameter {name}: {said[1]}", ("param", name, said[1])
    if (said := _RAISED.search(text)) is not None:
        yield f"Document that it raises {said[1]}: {said[2]}", ("raises", said[1], said[2])
    elif (said := _RETURNED.search(text)) is not None and not text.startswith(":"):
        yield f"Document what it returns: {said[1]}", ("return", "", said[1])


def _with_field(
    context: RefactoringContext, node: Node, found: re.Match[str], field: tuple[str, str, str]
) -> Edits | None:
    """The docstring with a field more, in the style of those that it has; `:param` where it has none."""
    (first, last), indent, quotes = rows(node), context.indent(node), found[2]
    kind, name, said = field
    lines = context.view(first, last)
    if any(_SECTION.match(line) for line in lines):
        return _in_section(context, node, field)
    if name and any(re.search(rf":(?:param|raises)[^:]*\b{re.escape(name)}:", line) for line in lines):
        return None
    spelt = "returns" if any(":returns:" in line for line in lines) else "return"
    made = f"{indent}:{spelt if kind == 'return' else f'{kind} {name}'}: {said}\n"
    if first == last:
        text = found[3].strip()
        return replace_lines(
            first, first, [f"{indent}{found[1]}{quotes}{text}\n", "\n", made, f"{indent}{quotes}\n"]
        )
    if lines[-1].strip() != quotes:
        return None
    fields = [
        first + k
        for k, line in enumerate(lines)
        if (of := _FIELD.match(line)) and _place(of[1]) <= _place(kind)
    ]
    later = [
        first + k
        for k, line in enumerate(lines)
        if (of := _FIELD.match(line)) and _place(of[1]) > _place(kind)
    ]
    if later and not fields:
        return insert_lines(later[0], [made])
    if fields:
        at = fields[-1] + 1
        while at < last and context.view(at, at)[0].strip() and not _FIELD.match(context.view(at, at)[0]):
            at += 1  # what the last field says goes on
        return insert_lines(at, [made])
    end = last
    while not context.view(end - 1, end - 1)[0].strip():
        end -= 1
    return replace_lines(end, last - 1, ["\n", made]) if end < last else insert_lines(last, ["\n", made])


def _in_section(context: RefactoringContext, node: Node, field: tuple[str, str, str]) -> Edits | None:
    """At the end of the section of its kind in a docstring that has such: `Args:`; None where it has none of that kind."""
    (first, last), (kind, name, said) = rows(node), field
    heads = {"param": ("Args", "Arguments", "Parameters"), "return": ("Returns",), "raises": ("Raises",)}[
        kind
    ]
    for number in range(first, last):
        head = _SECTION.match(context.view(number, number)[0])
        if head is None or head[1] not in heads:
            continue
        end = number + 1
        while end < last and context.view(end, end)[0].strip():
            end += 1
        entries = context.view(number + 1, end - 1)
        if kind == "return" and entries:
            return None
        step = (
            entries[0][: len(entries[0]) - len(entries[0].lstrip())]
            if entries
            else f"{context.indent(node)}    "
        )
        return insert_lines(end, [f"{step}{f'{name}: ' if name else ''}{said}\n"])
    return None


def _place(kind: str) -> int:
    order = ("param", "arg", "type", "return", "returns", "rtype", "raises")
    return (0, 0, 0, 1, 1, 1, 2)[order.index(kind)]


DOCSTRING_FORM = Refactoring("docstring_form", "refactor.rewrite.docstringForm", _propose)
