"""What a function's body begins with: a docstring, an answer for None; and a print behind an assignment."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

from tree_sitter import Node

from copydesk.refactorings.phrases.selection import Rule, Selection, Way
from copydesk.refactorings.phrases.words import (
    code,
    expression,
    first_match,
    name,
    only,
    plain,
    some,
    wordings,
)
from copydesk.syntax.splice import end_of, start_of
from copydesk.syntax.tree import identifiers, rows, text_of
from copydesk.text.line_edit import LineEdit

_NAME, _VALUE = name("name"), code("value")
_QUOTED = re.compile(r"""(\"{3}|'{3}|["'`])(?P<text>[^\n]+?)\1""")
_SAYS = wordings(
    r"(?:(?:add|write|insert) (?:the |a )?docstring(?: saying)?|document this function|docstring): (?P<text>[^\n]+)"
)
_ABOUT_IT = (
    "add set insert put write use give it the a as to with text that says saying should be exactly of for this function method "
    "needs document at top in one-line one line doc string"
)
_NOW = some(
    "add a an guard check clause early at the start beginning top begin that this function should then first thing just "
    "only right away straight immediately with which for and"
)
_DONE = r"(?:,? (?:at the (?:start|beginning|top)|first|first thing|right away|immediately|straight away|before anything else))?"
_GUARD = wordings(
    rf"{_NOW}returns? (?:of )?{_VALUE} {_NOW}(?:if|when|for) {_NAME} (?:is |being )?None{_DONE}",
    rf"{_NOW}(?:if|when) {_NAME} is None(?:,|:| then)? {_NOW}returns? {_VALUE}{_DONE}",
    rf"{_NOW}(?:handle|against) {_NAME} being None[:,]? \(?return {_VALUE}\)?",
    rf"(?:check|test) {_NAME} for None first(?: and|,) return {_VALUE}(?: in that case)?",
)
_SEEN = "it its it's is has been was gets set assigned computed assignment the value right directly just line where of variable"
_PRINT = re.compile(
    rf"^{some('add insert put debug: debug a the')}print(?: of | for |\(| )(?:the (?:value of |variable )?)?{_NAME}\)?"
    r"(?: variable)? (?P<when>(?:(?:right|directly|just) )?(?:after|behind|once|below) .+)$",
    re.IGNORECASE,
)


def body_rule(instruction: str) -> Rule | None:
    """Reads a wish about a function's body."""
    if (found := first_match(_GUARD, instruction)) and (value := expression(found["value"])):
        return partial(_guarded, found["name"], value)
    found = _PRINT.match(instruction)
    if found is None or not only(
        found["when"], "after behind once below", f"{_SEEN} {found['name'].lower()}"
    ):
        return None
    return partial(_printed, found["name"])


def docstring_rule(instruction: str) -> Rule | None:
    """Reads a wish for a docstring, whose text is in quotes, or behind a colon to the last full stop."""
    quoted = [found["text"] for found in _QUOTED.finditer(instruction)]
    if len(quoted) == 1 and only(plain(_QUOTED.sub(" ", instruction)), "docstring doc", _ABOUT_IT):
        return partial(_documented, quoted[0])
    said = first_match(_SAYS, instruction)
    return partial(_documented, said["text"]) if said is not None and not quoted else None


def _documented(text: str, selected: Selection) -> Way | None:
    if '"""' in text or "\\" in text or text.endswith('"'):
        return None
    body = _body(selected)
    if not body or any(n.type == "class_definition" for n in selected.walk()):
        return None  # a class that is selected may be meant
    if _is_text(body[0]):
        return () if text_of(body[0]).strip("\"' ") == text else None
    way = _before(selected, body[0], [f'"""{text}"""'])
    head = _end_of_head(selected)
    return (
        tuple(replace(part, first=head + 1, last=head) for part in way)
        if way is not None and head is not None
        else None
    )


def _guarded(name: str, value: str, selected: Selection) -> Way | None:
    body = _body(selected)
    first = next((node for node in body if not _is_text(node)), None)
    function = selected.function()
    parameters = function.child_by_field_name("parameters") if function is not None else None
    given = {text_of(node) for node in identifiers(parameters)} if parameters is not None else set()
    if first is None or name not in given or not selected.knows(value):
        return None  # other names mean nothing yet at the start
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
    return (LineEdit(line + 1, line, f"{indent}{said}\n"),)


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
    return (LineEdit(line, line - 1, "".join(f"{indent}{text}\n" for text in lines)),)


def _end_of_head(selected: Selection) -> int | None:
    """The line a function's head ends in: comments may come before its body."""
    function = selected.function()
    colon = next((n for n in function.children if n.type == ":"), None) if function is not None else None
    return colon.start_point[0] + 1 if colon is not None else None


def _indent_of_head(selected: Selection) -> str:
    function = selected.function()
    assert function is not None
    head = selected.split(start_of(function))[0]
    return head[: len(head) - len(head.lstrip())]
