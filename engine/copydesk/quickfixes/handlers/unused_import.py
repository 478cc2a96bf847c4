"""An unused import (F401): what its statement is without the name. Nothing else may change, and nothing is added."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tree_sitter import Node, Tree

from copydesk.quickfixes.handler import Candidates, FixContext, Handler, candidates_of
from copydesk.quickfixes.kinds import DiagnosticKind
from copydesk.quickfixes.messages import unused_import, unused_name
from copydesk.quickfixes.words import contains_word
from copydesk.request import Diagnostic
from copydesk.syntax.tree import node_at
from copydesk.text.document import content, view_line
from copydesk.text.line_edit import LineEdit

_STATEMENTS = ("import_statement", "import_from_statement")


class UnusedImport(Handler):
    """The statement without the name; none where it is the only statement of a block."""

    kinds = frozenset({DiagnosticKind.UNUSED_IMPORT})

    def candidates(self, context: FixContext) -> Candidates | None:
        if context.tree is None:
            return None
        return candidates_of((edit,) for edit in _shortened(context.diagnostic, context.lines, context.tree))

    def still_applies(self, context: FixContext) -> bool:
        """While the statement has the name."""
        name = unused_name(context.diagnostic.message)
        return name is None or contains_word(context.statement(), name)


def _shortened(diagnostic: Diagnostic, lines: Sequence[str], tree: Tree) -> list[LineEdit]:
    wanted = unused_import(diagnostic.message)
    statement = _statement(diagnostic, lines, tree)
    if statement is None or wanted is None:
        return []
    names = statement.children_by_field_name("name")
    found = [node for node in names if _is_meant(node, wanted)]
    if len(found) != 1:
        return []
    first, last = statement.start_point[0], statement.end_point[0]
    alone = not content(lines[first])[: _indent(lines[first])].strip() and _ends_line(statement, lines)
    if not alone or _sits_alone(statement):
        return []
    if len(names) == 1:
        return [LineEdit(first + 1, last + 1, "")]
    text = "".join(view_line(line) for line in lines[first : last + 1])
    shortened = _without(text, first, names, names.index(found[0]))
    return [LineEdit(first + 1, last + 1, shortened)] if shortened is not None else []


def _statement(diagnostic: Diagnostic, lines: Sequence[str], tree: Tree) -> Node | None:
    node = node_at(tree, lines, diagnostic.start)
    while node is not None and node.type not in _STATEMENTS:
        node = node.parent
    return node if node is not None and not node.has_error else None


def _is_meant(node: Node, wanted: str) -> bool:
    """Whether a name of the statement is the one in the message, which may be given in full, or by what it is bound to."""
    full, _, bound = wanted.partition(" as ")
    if node.type == "aliased_import":
        name, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
        own, other = _text(name), _text(alias)
        return (bound or full) == other or (bool(bound) and own == full.rpartition(".")[2] and other == bound)
    own = _text(node)
    return not bound and (own == full or own == full.rpartition(".")[2])


def _without(text: str, first: int, names: Sequence[Node], k: int) -> str | None:
    """The statement's lines without name `k`, its comma, and the line it had for itself."""
    raw = text.encode("utf-8", "replace")
    starts = [0]
    for line in raw.split(b"\n")[:-1]:
        starts.append(starts[-1] + len(line) + 1)

    def offset(place: tuple[int, int]) -> int:
        return starts[place[0] - first] + place[1]

    begin, end = offset(names[k].start_point), offset(names[k].end_point)
    comma = re.match(rb"[ \t]*,", raw[end:])
    head, tail = raw[:begin], raw[end + (comma.end() if comma else 0) :]
    if not head[head.rfind(b"\n") + 1 :].strip() and re.match(rb"[ \t]*\n", tail):
        shortened = head[: head.rfind(b"\n") + 1] + tail[tail.find(b"\n") + 1 :]
    elif k + 1 < len(names) and names[k + 1].start_point[0] == names[k].start_point[0]:
        shortened = head + tail.lstrip(b" \t")
    else:
        # The last of its line: the comma before it goes where none may stay.
        open_end = b"(" in head or comma is not None
        kept = head.rstrip(b" \t")
        shortened = (kept if open_end and comma is not None else kept.rstrip(b",")) + tail
    return shortened.decode("utf-8", "replace") if b"#" not in raw[begin:end] else None


def _sits_alone(statement: Node) -> bool:
    """Whether a block would be left empty."""
    block = statement.parent
    if block is None or block.type != "block":
        return False
    return sum(child.type != "comment" for child in block.named_children) == 1


def _ends_line(statement: Node, lines: Sequence[str]) -> bool:
    raw = content(lines[statement.end_point[0]]).encode("utf-8", "replace")
    return not raw[statement.end_point[1] :].strip()


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _text(node: Node | None) -> str:
    return node.text.decode("utf-8", "replace") if node is not None and node.text is not None else ""
