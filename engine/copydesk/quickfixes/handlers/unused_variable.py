"""A variable that is never read: its assignment removed (F841), or its name in a loop behind an underscore (B007).

What is computed for it stays where that may have an effect: no call is dropped but to functions that only make a value.
"""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node, Tree

from copydesk.quickfixes.handler import Candidates, FixContext, Handler, candidates_of
from copydesk.quickfixes.kinds import DiagnosticKind
from copydesk.quickfixes.messages import quoted_name, unused_name
from copydesk.quickfixes.words import contains_word
from copydesk.syntax.splice import Point, Splice, end_of, spliced, start_of
from copydesk.syntax.tree import identifiers, node_at, text_of
from copydesk.text.document import content
from copydesk.text.line_edit import LineEdit

_ACTS = ("await", "yield", "named_expression", "call")
_MAKES = frozenset(
    {"bool", "bytes", "dict", "float", "frozenset", "int", "len", "list", "max"}
    | {"min", "range", "set", "sorted", "str", "sum", "tuple"}
)
"""Functions whose call, its result unread, does nothing for values of the usual kinds."""


class UnusedVariable(Handler):
    """The one way to be rid of the variable; none where none is sure."""

    kinds = frozenset({DiagnosticKind.UNUSED_VARIABLE, DiagnosticKind.UNUSED_LOOP_VARIABLE})
    widens_scope = True

    def candidates(self, context: FixContext) -> Candidates | None:
        if context.tree is None:
            return None
        name = node_at(context.tree, context.lines, context.diagnostic.start)
        if name is None or name.type != "identifier" or name.parent is None or name.parent.has_error:
            return None
        if context.kind is DiagnosticKind.UNUSED_VARIABLE:
            return candidates_of([_unassigned(name, context.lines)])
        return candidates_of([_unnamed(name, context.lines, context.tree)])

    def still_applies(self, context: FixContext) -> bool:
        """While the statement has the name."""
        message = context.diagnostic.message
        in_loop = context.kind is DiagnosticKind.UNUSED_LOOP_VARIABLE
        name = quoted_name(message) if in_loop else unused_name(message)
        return name is None or contains_word(context.statement(), name)


def _unassigned(name: Node, lines: Sequence[str]) -> tuple[LineEdit, ...]:
    holder = name.parent
    if holder is None:
        return ()
    if holder.type == "as_pattern_target":
        pattern = holder.parent
        source = pattern.named_children[0] if pattern is not None else None
        return _cut(lines, end_of(source), end_of(name)) if source is not None else ()
    if holder.type == "named_expression":
        value = holder.child_by_field_name("value")
        return _cut(lines, start_of(name), start_of(value)) if value is not None else ()
    if holder.type != "assignment" or holder.child_by_field_name("left") != name:
        return ()
    value = holder.child_by_field_name("right")
    statement = holder
    while statement.parent is not None and statement.parent.type == "assignment":
        statement = statement.parent
    if value is not None and (statement is not holder or value.type == "assignment" or _acts(value)):
        return _cut(lines, start_of(name), start_of(value))
    return _without(statement, lines)


def _without(assignment: Node, lines: Sequence[str]) -> tuple[LineEdit, ...]:
    """Without the statement's lines; in a block of its own `pass` stands for it."""
    statement = assignment.parent
    if statement is None or statement.type != "expression_statement" or statement.parent is None:
        return ()
    first, last = statement.start_point[0], statement.end_point[0]
    head = content(lines[first]).encode("utf-8", "replace")[: statement.start_point[1]]
    tail = content(lines[last]).encode("utf-8", "replace")[statement.end_point[1] :].strip()
    if head.strip() or (tail and not tail.startswith(b"#")):
        return ()
    alone = sum(child.type != "comment" for child in statement.parent.named_children) == 1
    text = f"{head.decode('utf-8', 'replace')}pass\n" if alone else ""
    return (LineEdit(first + 1, last + 1, text),)


def _unnamed(name: Node, lines: Sequence[str], tree: Tree) -> tuple[LineEdit, ...]:
    """The name behind an underscore, where nothing else can mean this loop's."""
    loop = name.parent
    while loop is not None and loop.type != "for_statement":
        loop = loop.parent
    if loop is None:
        return ()
    home, again = loop.parent, False
    while home is not None and home.type not in ("function_definition", "module"):
        again = again or home.type in ("for_statement", "while_statement")
        home = home.parent
    text, new = text_of(name), f"_{text_of(name)}"
    for node in identifiers(home or tree.root_node):
        if text_of(node) == new:
            return ()
        if text_of(node) == text and node != name:
            before = not again and node.end_byte <= loop.start_byte
            if not before and not has_its_own_binding(node, text, loop):
                return ()
    return spliced(lines, [Splice(start_of(name), end_of(name), new)])


def has_its_own_binding(node: Node, text: str, loop: Node) -> bool:
    """Whether another loop, or a comprehension, gives the name its value where `node` is."""
    child, around = node, node.parent
    while around is not None and around.type != "function_definition":
        if around.type == "for_statement" and not _inside(loop, around):
            if child != around.child_by_field_name("right") and _binds(around, text):
                return True
        clauses = [each for each in around.named_children if each.type == "for_in_clause"]
        if any(_binds(clause, text) for clause in clauses):
            # What a comprehension first goes through is of the world round it.
            source = clauses[0].child_by_field_name("right")
            if source is None or not _inside(node, source):
                return True
        child = around
        around = around.parent
    return False


def _binds(clause: Node, text: str) -> bool:
    left = clause.child_by_field_name("left")
    return left is not None and any(text_of(each) == text for each in (left, *identifiers(left)))


def _inside(node: Node, other: Node) -> bool:
    return other.start_byte <= node.start_byte and node.end_byte <= other.end_byte


def _acts(value: Node) -> bool:
    """Whether computing it may do something."""
    if value.type in _ACTS:
        function = value.child_by_field_name("function")
        if function is None or not (text_of(function) in _MAKES or _copies(function)):
            return True
    return any(_acts(child) for child in value.named_children if child.type != "lambda")


def _copies(function: Node) -> bool:
    return function.type == "attribute" and text_of(function).endswith(".copy")


def _cut(lines: Sequence[str], start: Point, end: Point) -> tuple[LineEdit, ...]:
    return spliced(lines, [Splice(start, end, "")]) if start[0] == end[0] else ()
