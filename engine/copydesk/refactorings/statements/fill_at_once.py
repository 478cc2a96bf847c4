"""What a variable is given, and right after that gets more of, in one statement."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import assigned, following, has_comment
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import in_one_line, plain_statements
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_lines
from copydesk.refactorings.expressions import children_of, level_of, method_of, positional
from copydesk.syntax.tree import identifiers, rows, text_of

_LONGEST = 110
_EMPTY = {"list()": "[]", "set()": "{}", "dict()": "{}"}
_KINDS = {"list": "list", "set": "set", "dictionary": "dict"}
_TEXT = re.compile(r"(f?)([\"'])((?:(?!\2)[^\\\n]|\\.)*)\2")


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in plain_statements(context, "expression_statement"):
        sides = assigned(node)
        if sides is None or sides[0].type != "identifier" or not context.has(node):
            continue
        name, more, last = text_of(sides[0]), list[tuple[str, Node]](), node
        while (below := following(last)) is not None and context.has(below):
            added = _added(below, name)
            if added is None or any(text_of(one) == name for one in identifiers(added[1])):
                break
            more.append(added)
            last = below
        if not more or has_comment(context, rows(node)[0], rows(last)[1]):
            continue
        lead = context.view(*rows(node))[0].partition(" = ")[0] + " = "
        in_lines = _in_lines(context, sides[1], more, lead)
        if in_lines is not None:
            title = f"One text, message, without +=: {name}, in brackets"
            yield title, replace_lines(rows(node)[0], rows(last)[1], in_lines)
        for title, value in _together(sides[1], more):
            lines = [f"{lead}{value}\n"]
            if len(lines[0]) <= _LONGEST + 1:
                yield f"{title}: {name} = {value}", replace_lines(rows(node)[0], rows(last)[1], lines)


def _added(statement: Node, name: str) -> tuple[str, Node] | None:
    """How a statement adds to a variable, and what: `append`, `add`, `+`, or the key of an entry and its value."""
    only = children_of(statement)[0] if len(children_of(statement)) == 1 else None
    if statement.type != "expression_statement" or only is None:
        return None
    left, right = only.child_by_field_name("left"), only.child_by_field_name("right")
    if only.type == "augmented_assignment" and left is not None and right is not None:
        sign = only.child_by_field_name("operator")
        plus = text_of(left) == name and sign is not None and text_of(sign) == "+="
        return ("+", right) if plus else None
    if only.type == "assignment" and left is not None and right is not None and left.type == "subscript":
        parts = children_of(left)
        entry = len(parts) == 2 and text_of(parts[0]) == name and parts[1].type != "slice"
        return (f"{text_of(parts[1])}: ", right) if entry and right.type != "assignment" else None
    method, given = (
        method_of(only) if only.type == "call" else None,
        positional(only) if only.type == "call" else None,
    )
    known = method is not None and text_of(method[0]) == name and given is not None and len(given) == 1
    if not known or method is None or given is None or text_of(method[1]) not in ("append", "add"):
        return None
    return text_of(method[1]), given[0]


def _together(value: Node, more: list[tuple[str, Node]]) -> Iterator[tuple[str, str]]:
    """The value with all that is added to it, and how a title says so."""
    first, parts = in_one_line(value), [in_one_line(one) for _, one in more]
    how = {way for way, _ in more}
    if first is None or None in parts:
        return
    texts = [part for part in parts if part is not None]
    if how == {"+"}:
        whole = _one_text([first, *texts])
        if whole is not None:
            yield "One text, message, in one line, without +=", whole
        elif level_of(first) >= 7 and value.type not in _KINDS:
            sum_of = [first, *(part if level_of(part) > 7 else f"({part})" for part in texts)]
            yield "One statement, without +=", " + ".join(sum_of)
        return
    bare = _EMPTY.get(first, first)
    kind = {"append": "list", "add": "set"}.get(next(iter(how))) if len(how) == 1 else "dict"
    kind = kind or ("dict" if all(way.endswith(": ") for way in how) else None)
    fits = _KINDS.get(value.type) == kind or (first in _EMPTY and first.startswith(kind or "?"))
    if kind is None or not fits or (kind == "dict" and not all(way.endswith(": ") for way in how)):
        return
    entries = [f"{way}{text}" if kind == "dict" else text for (way, _), text in zip(more, texts, strict=True)]
    inside = bare[1:-1].rstrip(", ")
    made = f"{bare[0]}{', '.join([inside] * bool(inside) + entries)}{bare[-1]}"
    yield f"Put it in the {kind} literal right away, in one statement", made


def _in_lines(
    context: RefactoringContext, value: Node, more: list[tuple[str, Node]], lead: str
) -> list[str] | None:
    """Texts one below the other in brackets, where they are too long for one line."""
    texts = [in_one_line(value), *(in_one_line(one) for way, one in more if way == "+")]
    found = [text for text in texts if text is not None and _TEXT.fullmatch(text)]
    if len(found) != len(more) + 1 or len(f"{lead}{_one_text(found) or ' ' * _LONGEST}") <= _LONGEST:
        return None
    indent = context.indent(value)
    return [f"{lead}(\n", *(f"{indent}    {text}\n" for text in found), f"{indent})\n"]


def _one_text(texts: list[str]) -> str | None:
    """Several texts as one; None where they are not alike."""
    found = [_TEXT.fullmatch(text) for text in texts]
    parts = [one for one in found if one is not None]
    if len(parts) < len(texts) or len({one[2] for one in parts}) > 1:
        return None
    formatted = any(one[1] for one in parts)
    bodies = [one[3] if one[1] or not formatted else re.sub(r"([{}])", r"\1\1", one[3]) for one in parts]
    return f"{'f' * formatted}{parts[0][2]}{''.join(bodies)}{parts[0][2]}"


FILL_AT_ONCE = Refactoring("fill_at_once", "refactor.rewrite.fillAtOnce", _propose)
