"""Instructions that say themselves what the text becomes: another name for a name, no prints, no comments.

Where the words leave nothing open, no model is asked what it might get wrong. Reads wordings and Python's syntax trees; all else
is the model's.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from tree_sitter import Node, Tree

from copydesk.document import view_line
from copydesk.exchange import Exchange
from copydesk.request import Range
from copydesk.splices import Splice, end_of, spliced, start_of
from copydesk.syntax import identifiers, is_label, rows, text_of

Way = tuple[Exchange, ...]

_OLD = r"[`'\"]?(?P<old>[^\W\d]\w*)[`'\"]?"
_NEW = r"[`'\"]?(?P<new>[^\W\d]\w*)[`'\"]?"
_THING = r"(?:(?:the |this )?(?:local )?(?:variable|parameter|argument|function|class|constant|name) )?"
_PLACE = r"(?:in|from|of|out of|inside|throughout) (?:this|the) (?:function|method|class|selection|code|block|file)"
_WHERE = rf"(?: (?:everywhere|throughout))?(?: {_PLACE}| here)?"
_END = rf"{_WHERE}(?:,? please)?[.!]?$"
_REMOVE = r"(?:remove|delete|drop|strip|clean up|get rid of|no)(?: (?:all|any|every|of))*(?: (?:the|these|those|my))?"
_RENAMED = [
    re.compile(rf"^(?:please )?{wording}{_END}", re.IGNORECASE)
    for wording in (
        rf"rename {_THING}{_OLD} (?:to|into|as|->) {_NEW}",
        rf"change the name (?:of )?{_OLD} (?:to|into) {_NEW}",
        rf"replace the name {_OLD} (?:by|with) {_NEW}",
        rf"call {_OLD} {_NEW}(?: instead)?",
        rf"{_OLD} is a (?:bad|poor|misleading) name[,;:] (?:use|call it|rename it to) {_NEW}",
        r"s/(?P<old>[^\W\d]\w*)/(?P<new>[^\W\d]\w*)/g?",
    )
]
_ARROW = re.compile(rf"^(?:please )?{_OLD} (?:->|=>|\N{{RIGHTWARDS ARROW}}) {_NEW}{_END}", re.IGNORECASE)
_PRINTS = re.compile(
    rf"^(?:please )?{_REMOVE}(?: debug(?:ging)?)? (?:prints?(?: statements?| calls?)?|debug output){_END}",
    re.I,
)
_COMMENTS = re.compile(rf"^(?:please )?{_REMOVE} comments?{_END}", re.I)
_READ_BY_TOOLS = re.compile(
    r"#\s*(?:!|-\*-|noqa|type:|pragma|pylint:|fmt:|isort:|ruff:|mypy:|pyright:|nosec|coding[:=])", re.I
)


def told_exchanges(instruction: str, lines: Sequence[str], scope: Sequence[Range], tree: Tree) -> Way | None:
    """What the lines of `scope` become, from the top down: nothing where the instruction is followed already; None where it
    leaves anything open. Raises: never.
    """
    rule = _rule(instruction.strip())
    nodes = [node for node in tree.root_node.children if _touches(node, scope)]
    if rule is None or any(node.has_error for node in nodes):
        return None
    try:
        return rule(lines, scope, nodes)
    except UnicodeEncodeError:
        return None  # a tree's columns are bytes, which such a line has not


def _rule(instruction: str) -> Callable[[Sequence[str], Sequence[Range], Sequence[Node]], Way | None] | None:
    for wording in _RENAMED:
        if found := wording.match(instruction):
            return partial(_renamed, found["old"], found["new"])
    arrow = _ARROW.match(instruction)
    if arrow is not None and not hasattr(
        builtins, arrow["new"]
    ):  # else it may be a type, of what comes before it
        return partial(_renamed, arrow["old"], arrow["new"], sure=False)
    if _PRINTS.match(instruction):
        return _without_prints
    return _without_comments if _COMMENTS.match(instruction) else None


# -- names -----------------------------------------------------------------------------------------------------------


def _renamed(
    old: str, new: str, lines: Sequence[str], scope: Sequence[Range], nodes: Sequence[Node], sure: bool = True
) -> Way | None:
    """sure: the words speak of a name even where there is none."""
    if keyword.iskeyword(new) or keyword.iskeyword(old) or old == new:
        return None
    names = [name for node in nodes for name in identifiers(node) if _inside(name, scope)]
    mine = [name for name in names if text_of(name) == old]
    if not mine:
        said = any(re.search(rf"(?<!\w){old}(?!\w)", lines[n - 1]) for n in _numbers(scope))
        return () if sure and not said else None  # a text or a comment may be meant
    if any(text_of(name) == new for name in names):
        return None  # two things would have one name
    variables = [name for name in mine if not is_label(name)]
    if any(_is_method(name) for name in variables):
        return None  # others may call it
    return spliced(lines, [Splice(start_of(name), end_of(name), new) for name in variables or mine]) or None


def _is_method(name: Node) -> bool:
    function = name.parent
    if (
        function is None
        or function.type != "function_definition"
        or function.child_by_field_name("name") != name
    ):
        return False
    node = function.parent
    while node is not None and node.type in ("block", "decorated_definition"):
        node = node.parent
    return node is not None and node.type == "class_definition"


# -- prints and comments ---------------------------------------------------------------------------------------------


def _without_prints(lines: Sequence[str], scope: Sequence[Range], nodes: Sequence[Node]) -> Way | None:
    prints = [node for top in nodes for node in _walk(top) if _is_print(node) and _inside(node, scope)]
    gone = {(start_of(node), end_of(node)) for node in prints}
    found = []
    for node in prints:
        first, last = rows(node)
        before, behind = _split(lines, start_of(node))[0], _split(lines, end_of(node))[1]
        if before.strip() or (behind.strip() and not behind.lstrip().startswith("#")):
            return None
        block = node.parent
        others = [n for n in block.named_children if n.type != "comment"] if block is not None else []
        empty = block is not None and block.type == "block"
        empty = empty and all((start_of(n), end_of(n)) in gone for n in others)
        found.append(
            Exchange(first, last, f"{before}pass{_end(behind)}" if empty and node == others[0] else "")
        )
    return tuple(found)


def _is_print(node: Node) -> bool:
    if node.type != "expression_statement" or node.named_child_count != 1:
        return False
    call = node.named_children[0]
    called = call.child_by_field_name("function") if call.type == "call" else None
    return called is not None and called.type == "identifier" and text_of(called) == "print"


def _without_comments(lines: Sequence[str], scope: Sequence[Range], nodes: Sequence[Node]) -> Way | None:
    found = []
    for node in (node for top in nodes for node in _walk(top)):
        if node.type != "comment" or not _inside(node, scope) or _READ_BY_TOOLS.match(text_of(node)):
            continue
        line = node.start_point[0] + 1
        before, comment = _split(lines, start_of(node))
        found.append(Exchange(line, line, before.rstrip() + _end(comment) if before.strip() else ""))
    return tuple(found)


# -- places ----------------------------------------------------------------------------------------------------------


def _walk(node: Node) -> Iterator[Node]:
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(node.named_children)


def _split(lines: Sequence[str], at: tuple[int, int]) -> tuple[str, str]:
    """A line before and behind a row and byte column. Raises UnicodeEncodeError."""
    raw = view_line(lines[at[0]]).encode()
    return raw[: at[1]].decode(), raw[at[1] :].decode()


def _end(text: str) -> str:
    return "\n" if text.endswith("\n") else ""


def _numbers(scope: Sequence[Range]) -> Iterator[int]:
    for first, last in scope:
        yield from range(first, last + 1)


def _inside(node: Node, scope: Sequence[Range]) -> bool:
    begin, end = rows(node)
    return any(first <= begin and end <= last for first, last in scope)


def _touches(node: Node, scope: Sequence[Range]) -> bool:
    """Whether they have a line in common."""
    begin, end = rows(node)
    return any(first <= end and begin <= last for first, last in scope)
