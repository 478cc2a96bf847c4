"""What a function's body begins with: a docstring, an answer for None; and a print behind an assignment."""

from __future__ import annotations

from functools import partial

from tree_sitter import Node

from copydesk.exchange import Exchange
from copydesk.splices import end_of, start_of
from copydesk.syntax import rows, text_of
from copydesk.told.selection import Rule, Selection, Way
from copydesk.told.words import code, expression, first_match, name, wordings

_NAME, _VALUE = name("name"), code("value")
_TEXT = r"(?P<text>[^\n]+?)"
_DOCSTRING = wordings(
    rf'(?:add|give it) (?:the|a) docstring (?P<q>"+){_TEXT}(?P=q)',
    rf"(?:add (?:the|a) )?docstring(?: saying)?: {_TEXT}",
    rf"document this function: {_TEXT}",
    end="$",
)
_GUARD = wordings(
    rf"(?:at the start, )?return {_VALUE} (?:if|when) {_NAME} is None",
    rf"if {_NAME} is None,? return {_VALUE}",
    rf"(?:at the start, )?return {_VALUE} for {_NAME} None",
    rf"handle {_NAME} being None: return {_VALUE}",
)
_PRINT = wordings(
    rf"(?:debug: )?print {_NAME} (?:right )?(?:after|once) it is (?:assigned|set)",
    rf"add a print of {_NAME} (?:behind|after) its assignment",
    rf"add print\({_NAME}\) after the assignment",
)


def body_rule(instruction: str) -> Rule | None:
    """Reads a wish about a function's body."""
    if found := first_match(_DOCSTRING, instruction):
        return partial(_documented, found["text"])
    if found := first_match(_GUARD, instruction):
        return partial(_guarded, found["name"], found["value"]) if expression(found["value"]) else None
    return partial(_printed, found["name"]) if (found := first_match(_PRINT, instruction)) else None


def _documented(text: str, selected: Selection) -> Way | None:
    if '"""' in text or "\\" in text or text.endswith('"'):
        return None
    body = _body(selected)
    if not body:
        return None
    if _is_text(body[0]):
        return () if text_of(body[0]).strip("\"' ") == text else None
    return _before(selected, body[0], [f'"""{text}"""'])


def _guarded(name: str, value: str, selected: Selection) -> Way | None:
    body = _body(selected)
    first = next((node for node in body if not _is_text(node)), None)
    if first is None:
        return None
    answer = f"if {name} is None:\n", f"return {value}"
    if " ".join(text_of(first).split()) == " ".join("".join(answer).split()):
        return ()
    indent = selected.split(start_of(first))[0]
    step = indent[: len(indent) - len(_indent_of_head(selected))] or "    "
    return _before(selected, first, [answer[0].strip(), step + answer[1]])


def _printed(name: str, selected: Selection) -> Way | None:
    """Behind its only assignment."""
    given = [
        n for n in selected.walk() if n.type in ("assignment", "augmented_assignment", "named_expression")
    ]
    mine = [n for n in given if (left := n.child_by_field_name("left")) is not None and text_of(left) == name]
    if len(mine) != 1 or mine[0].type != "assignment":
        return None
    statement = mine[0].parent
    if statement is None or statement.type != "expression_statement":
        return None
    indent = selected.split(start_of(statement))[0]
    behind = selected.split(end_of(statement))[1]
    line = rows(statement)[1]
    if (
        indent.strip()
        or not behind.endswith("\n")
        or (behind.strip() and not behind.lstrip().startswith("#"))
    ):
        return None
    said = f"print({name})"
    if statement.next_named_sibling is not None and text_of(statement.next_named_sibling) == said:
        return ()
    return (Exchange(line + 1, line, f"{indent}{said}\n"),)


def _body(selected: Selection) -> list[Node]:
    """The statements of the one function that is selected; none where they share a line with its head."""
    function = selected.function()
    block = function.child_by_field_name("body") if function is not None else None
    statements = (
        [node for node in block.named_children if node.type != "comment"] if block is not None else []
    )
    alone = statements and not selected.split(start_of(statements[0]))[0].strip()
    return statements if alone else []


def _is_text(node: Node) -> bool:
    return (
        node.type == "expression_statement"
        and node.named_child_count == 1
        and node.named_children[0].type == "string"
    )


def _before(selected: Selection, node: Node, lines: list[str]) -> Way | None:
    line = node.start_point[0] + 1
    indent = selected.split(start_of(node))[0]
    if indent.strip() or (line not in selected.numbers() and line - 1 not in selected.numbers()):
        return None
    return (Exchange(line, line - 1, "".join(f"{indent}{text}\n" for text in lines)),)


def _indent_of_head(selected: Selection) -> str:
    function = selected.function()
    assert function is not None
    head = selected.split(start_of(function))[0]
    return head[: len(head) - len(head.lstrip())]
