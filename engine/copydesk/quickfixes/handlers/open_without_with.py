"""A file that is opened outside of a `with` statement (SIM115): the statements that use it, in the body of one.

What closes the file earlier than before is left to the model: where it is returned, stored or read in another function.
"""

from __future__ import annotations

import re

from tree_sitter import Node

from copydesk.quickfixes.handler import Candidates, FixContext, Handler, candidates_of, parsing
from copydesk.quickfixes.kinds import DiagnosticKind
from copydesk.syntax.tree import identifiers, is_label, node_at, rows, text_of
from copydesk.text.document import content, indentation, view_line
from copydesk.text.line_edit import LineEdit

_IN_WITH = re.compile(r"\s*(?:async\s+)?with\b(?:[^:]*,)?[\s(]*[\w.]*open\(")
_READS = frozenset({"read", "readline", "readlines", "write", "writelines"})
_READERS = re.compile(r"(?:^|[._])(?:safe_)?(?:load|dump)$|^(?:list|sorted|sum|tuple|set)$")
"""Functions that are done with a file when they return."""
_NAMES = ("file", "f", "handle", "stream")
_SIMPLE = ("expression_statement", "return_statement")


class OpenWithoutWith(Handler):
    """`with open(…) as name:`, and behind it what uses the file, one step deeper."""

    kinds = frozenset({DiagnosticKind.OPEN_WITHOUT_WITH})
    widens_scope = True

    def candidates(self, context: FixContext) -> Candidates | None:
        call = _call(context)
        if call is None or call.has_error:
            return None
        statement = _statement(call)
        if (
            statement is None
            or statement.has_error
            or not _alone(statement, context)
            or not _encodable(statement, context)
        ):
            return None
        made = statement.named_children[0] if statement.named_children else None
        left = made.child_by_field_name("left") if made is not None and made.type == "assignment" else None
        if made is not None and left is not None and made.child_by_field_name("right") == call:
            edit = _assigned(statement, left, call, context) if left.type == "identifier" else None
        else:
            edit = _used_once(statement, call, context)
        return candidates_of(parsing(context, [(edit,)])) if edit is not None else None

    def still_applies(self, context: FixContext) -> bool:
        """While there is a call, and it is not what a `with` statement opens."""
        statement = context.statement()
        return "(" in statement and _IN_WITH.match(statement) is None


def _call(context: FixContext) -> Node | None:
    """The call of an `open` that begins at the diagnostic."""
    node = (
        node_at(context.tree, context.lines, context.diagnostic.start) if context.tree is not None else None
    )
    start = node.start_point if node is not None else None
    while node is not None and node.start_point == start:
        if node.type == "call":
            function = node.child_by_field_name("function")
            if function is not None and re.search(r"(?:^|\.)open$", text_of(function)):
                return node
        node = node.parent
    return None


def _statement(call: Node) -> Node | None:
    """The simple statement the call is in, or the loop over what it gives; None inside of a lambda or a comprehension."""
    child, node = call, call.parent
    while node is not None:
        if node.type in _SIMPLE:
            return node
        if node.type == "for_statement":
            return node if node.child_by_field_name("right") == call else None
        if node.type == "lambda" or node.type.endswith(
            ("_comprehension", "_statement", "generator_expression")
        ):
            return None
        child, node = node, node.parent
    return child if child.type in _SIMPLE else None


def _is_annotated(left: Node) -> bool:
    return left.parent is not None and left.parent.child_by_field_name("type") is not None


def _encodable(statement: Node, context: FixContext) -> bool:
    """Whether what the syntax tree has is the text itself."""
    first, last = rows(statement)
    try:
        "".join(context.lines[first - 1 : last]).encode()
    except UnicodeEncodeError:
        return False
    return True


def _alone(statement: Node, context: FixContext) -> bool:
    """Whether nothing else but a comment stands on its lines."""
    first, last = statement.start_point, statement.end_point
    head = content(context.lines[first[0]]).encode("utf-8", "replace")[: first[1]]
    tail = content(context.lines[last[0]]).encode("utf-8", "replace")[last[1] :].strip()
    return not head.strip() and (not tail or tail.startswith(b"#"))


def _assigned(statement: Node, left: Node, call: Node, context: FixContext) -> LineEdit | None:
    """`name = open(…)` and the statements behind it, down to the last that uses the name."""
    block, name = statement.parent, text_of(left)
    if block is None or rows(call) != rows(statement) or _is_annotated(left):
        return None
    behind = [child for child in block.named_children if child.start_byte > statement.end_byte]
    using = [k for k, child in enumerate(behind) if _uses(child, name)]
    used = behind[: using[-1] + 1] if using else []
    if not all(_is_harmless(use, child) for child in used for use in _uses(child, name)):
        return None
    if _leaves(block.parent, name, used, statement):
        return None
    closing = bool(used) and re.fullmatch(rf"{re.escape(name)}\.close\(\)", text_of(used[-1])) is not None
    body = used[:-1] if closing else used
    if not (used == [] or _alone(used[-1], context)) or any(map(_has_long_text, body)):
        return None
    first, last = rows(statement)
    end = max(last, *(rows(child)[1] for child in used), last) if used else last
    stop = rows(used[-1])[0] - 1 if closing else end
    indent = indentation(context.lines[first - 1])
    own = "".join(view_line(line) for line in context.lines[first - 1 : last])
    comment = (
        own.encode()[len(indent.encode()) + statement.end_byte - statement.start_byte :].decode().rstrip()
    )
    inside = [view_line(line) for line in context.lines[last:stop]]
    while inside and not inside[-1].strip():
        inside.pop()
    unit = context.indent_step()
    lines = [f"{unit}{line}" if line.strip() else line for line in inside] or [f"{indent}{unit}pass\n"]
    return LineEdit(first, end, f"{indent}with {text_of(call)} as {name}:{comment}\n{''.join(lines)}")


def _used_once(statement: Node, call: Node, context: FixContext) -> LineEdit | None:
    """A statement that is done with the file when it ends."""
    if statement.type != "for_statement" and not _is_harmless(call, statement, reading=True):
        return None
    if _has_long_text(statement) or "\n" in text_of(call):
        return None
    taken = (
        {text_of(node) for node in identifiers(context.tree.root_node)} if context.tree is not None else set()
    )
    name = next((name for name in _NAMES if name not in taken), None)
    if name is None:
        return None
    first, last = rows(statement)
    row, start, end = call.start_point[0], call.start_point[1], call.end_point[1]
    indent, unit = indentation(context.lines[first - 1]), context.indent_step()
    lines = []
    for number in range(first, last + 1):
        line = view_line(context.lines[number - 1])
        if number == row + 1:
            raw = line.encode("utf-8", "replace")
            line = (raw[:start] + name.encode() + raw[end:]).decode("utf-8", "replace")
        lines.append(f"{unit}{line}" if line.strip() else line)
    if not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    return LineEdit(first, last, f"{indent}with {text_of(call)} as {name}:\n{''.join(lines)}")


def _uses(node: Node, name: str) -> list[Node]:
    found = [node] if node.type == "identifier" else list(identifiers(node))
    return [each for each in found if text_of(each) == name and not is_label(each)]


def _is_harmless(file: Node, statement: Node, *, reading: bool = False) -> bool:
    """Whether nothing keeps the file that stands there: a method of it is called, a loop goes through it, a function gets it.
    reading: only what has read or written it when the expression ends.
    """
    node = file.parent
    if node is None or _runs_later(file, statement):
        return False
    if node.type == "attribute" and node.child_by_field_name("object") == file:
        called = node.parent is not None and node.parent.type == "call"
        method = node.child_by_field_name("attribute")
        return called and (not reading or (method is not None and text_of(method) in _READS))
    if node.type in ("for_statement", "for_in_clause"):
        return node.child_by_field_name("right") == file
    if node.type == "argument_list" and node.parent is not None:
        function = node.parent.child_by_field_name("function")
        return function is not None and _READERS.search(text_of(function)) is not None
    return False


def _runs_later(file: Node, statement: Node) -> bool:
    """Whether it stands in a function, a lambda or a generator inside of the statement."""
    node: Node | None = file
    while node is not None and node != statement:
        node = node.parent
        if node is not None and node.type in ("lambda", "generator_expression", "function_definition"):
            return True
    return False


def _leaves(home: Node | None, name: str, used: list[Node], statement: Node) -> bool:
    """Whether the name is used elsewhere in its function or module: outside the statements that become the body."""
    while home is not None and home.type not in ("function_definition", "module"):
        home = home.parent
    if home is None:
        return False
    inside = [statement, *used]
    return any(
        not any(node.start_byte <= use.start_byte < node.end_byte for node in inside)
        for use in _uses(home, name)
        if use.start_byte > statement.start_byte
    )


def _has_long_text(node: Node) -> bool:
    """Whether a string of several lines is in it, whose lines would be changed by indenting them."""
    if node.type == "string":
        return node.start_point[0] != node.end_point[0]
    return any(map(_has_long_text, node.children))
