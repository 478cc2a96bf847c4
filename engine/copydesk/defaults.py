"""The page programs that answer a diagnostic about a mutable default: it becomes `None`, and the body makes the value anew.

How the body makes it, and what becomes of an annotation, is left to the model. Knows Python and one page; nothing of models.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node, Tree

from copydesk.additions import Answers
from copydesk.codec import Codec, own_run
from copydesk.codec_cost import CodecCost
from copydesk.document import content
from copydesk.errors import ProgramError, ScopeError
from copydesk.grammar.rules import Rules, violation
from copydesk.oracle.single import line_sub
from copydesk.page import Page
from copydesk.program import Copy, Gen, Op, Program, Sub
from copydesk.prompt import PageTokens
from copydesk.request import Diagnostic
from copydesk.scope import about_default
from copydesk.syntax import point

_CONTAINERS = frozenset(
    {"list", "dictionary", "set", "list_comprehension", "dictionary_comprehension", "set_comprehension"}
)
_MAKERS = frozenset({b"list", b"dict", b"set", b"defaultdict", b"deque"})


@dataclass(frozen=True, slots=True)
class _Way:
    """Line `line` (1-based) becomes `text`, and `guard` is put in before line `body`."""

    line: int
    text: str
    body: int
    guard: str


def default_programs(
    codec: Codec,
    rules: Rules,
    page: Page,
    tokens: PageTokens,
    diagnostic: Diagnostic,
    lines: Sequence[str],
    tree: Tree,
) -> Answers | None:
    """The programs that mend one of the defaults the diagnostic may mean; None where it is about none, or none can be mended.

    Raises: never.
    """
    if not about_default(diagnostic) or not codec.format.sub:
        return None
    cost = CodecCost(codec)
    programs: list[Program] = []
    for way in _ways(diagnostic, lines, tree):
        number, body = page.page_line(way.line), page.page_line(way.body)
        if number is None or body is None or not page.views[number - 1].endswith("\n"):
            continue
        sub = line_sub(page.views[number - 1], way.text + "\n", cost)
        if sub is None or own_run(codec, page.views, tokens.lines, number, sub.old) is None:
            continue
        between = (Copy(number + 1, body - 1),) if body > number + 1 else ()
        head = (Copy(1, number - 1),) if number > 1 else ()
        change: tuple[Op, ...] = (Sub(number, number, sub.old, sub.new), *between, Gen(way.guard))
        program = Program((*head, *change, Copy(body, len(page))))
        try:
            legal = violation(rules, program, page.views) is None
            page.to_document(program, lines)
        except (ProgramError, ScopeError):
            legal = False
        if legal:
            programs.append(program)
    return Answers(tuple(dict.fromkeys(programs)), None) if programs else None


def _ways(diagnostic: Diagnostic, lines: Sequence[str], tree: Tree) -> Iterator[_Way]:
    at = point(lines, diagnostic.start.line, diagnostic.start.character)
    node = tree.root_node.descendant_for_point_range(at, at)
    while node is not None and node.type not in ("function_definition", "ERROR"):
        node = node.parent
    if node is None or node.type == "ERROR":
        return
    parameters, body = node.child_by_field_name("parameters"), node.child_by_field_name("body")
    if parameters is None or body is None:
        return
    found = [
        (name, value, child.child_by_field_name("type"))
        for child in parameters.named_children
        if child.type in ("default_parameter", "typed_default_parameter")
        and (name := child.child_by_field_name("name")) is not None
        and (value := child.child_by_field_name("value")) is not None
        and _mutable(value, diagnostic)
    ]
    meant = [each for each in found if each[1].start_point == at]
    for name, value, note in meant or found:
        yield from _mended(name, value, note, _first(body), lines)


def _mutable(value: Node, diagnostic: Diagnostic) -> bool:
    """Whether a default is what the diagnostic is about: a call is one to B008, and where it makes a container."""
    if value.type != "call":
        return value.type in _CONTAINERS
    made = value.child_by_field_name("function")
    return diagnostic.code == "B008" or (made is not None and made.text in _MAKERS)


def _mended(
    name: Node, value: Node, note: Node | None, first: Node | None, lines: Sequence[str]
) -> Iterator[_Way]:
    line = value.start_point[0]
    if first is None or value.end_point[0] != line or first.start_point[0] <= line or name.text is None:
        return
    raw = content(lines[line]).encode("utf-8", "replace")
    source = raw[value.start_point[1] : value.end_point[1]].decode()
    head, tail = raw[: value.start_point[1]].decode(), raw[value.end_point[1] :].decode()
    heads = [f"{head}None{tail}"]
    if note is not None and note.start_point[0] == note.end_point[0] == line:
        cut = note.end_point[1]
        heads.insert(0, f"{raw[:cut].decode()} | None{raw[cut : value.start_point[1]].decode()}None{tail}")
    text = content(lines[first.start_point[0]])
    indent = text[: len(text) - len(text.lstrip())]
    unit = "\t" if indent.endswith("\t") else "    "
    own = name.text.decode()
    for changed in heads:
        for guard in (
            f"{indent}if {own} is None:\n{indent}{unit}{own} = {source}\n",
            f"{indent}{own} = {source} if {own} is None else {own}\n",
            f"{indent}{own} = {own} or {source}\n",
        ):
            yield _Way(line + 1, changed, first.start_point[0] + 1, guard)


def _first(body: Node) -> Node | None:
    """The first statement behind the docstring; None where there is none."""
    statements = [child for child in body.named_children if child.type != "comment"]
    if not statements:
        return None
    first = statements[0]
    told = (
        first.type == "expression_statement"
        and first.named_children[:1] != []
        and first.named_children[0].type == "string"
    )
    if not told:
        return first
    return statements[1] if len(statements) > 1 else None
