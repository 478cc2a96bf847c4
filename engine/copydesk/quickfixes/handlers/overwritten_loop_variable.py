"""A loop's variable that its body gives another value (PLW2901): another name for that value, wherever it is read, or for the
loop's variable, where nothing reads that.

Only an assignment that is made at most once in a turn of the loop is renamed, with all that reads it: nothing outside the block
that it stands in may read it, and nothing outside the loop the variable.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.quickfixes.handler import Candidates, FixContext, Handler, candidates_of, parsing
from copydesk.quickfixes.handlers.unused_variable import has_its_own_binding
from copydesk.quickfixes.kinds import DiagnosticKind
from copydesk.quickfixes.messages import quoted_identifiers
from copydesk.quickfixes.words import contains_word
from copydesk.syntax.splice import Splice, end_of, spliced, start_of
from copydesk.syntax.tree import identifiers, is_label, node_at, text_of

_RESULTS = {
    "strip": "stripped", "lstrip": "stripped", "rstrip": "stripped", "removeprefix": "stripped", "removesuffix": "stripped",
    "lower": "lowered", "casefold": "lowered", "upper": "uppered",
    "split": "parts", "replace": "replaced", "decode": "decoded", "encode": "encoded", "format": "formatted",
    "resolve": "resolved", "copy": "copied", "join": "joined", "get": "found",
}  # fmt: skip
"""What the result of a method may be called."""
_SCOPES = ("lambda", "function_definition", "class_definition", "list_comprehension", "set_comprehension",
           "dictionary_comprehension", "generator_expression")  # fmt: skip


_AT_ONCE = ("list_comprehension", "set_comprehension", "dictionary_comprehension")
"""Those that have read all they read when they end."""


class OverwrittenLoopVariable(Handler):
    """The assignment and all that reads it, under each name that is free; or the loop's variable, where nothing reads that."""

    kinds = frozenset({DiagnosticKind.OVERWRITTEN_LOOP_VARIABLE})
    widens_scope = True

    def candidates(self, context: FixContext) -> Candidates | None:
        if context.tree is None:
            return None
        target = node_at(context.tree, context.lines, context.diagnostic.start)
        found = _loop(target) if target is not None and target.type == "identifier" else None
        if target is None or found is None:
            return None
        loop, statement = found
        home = _home(loop)
        uses = _uses(target, statement, loop, home)
        if uses is None:
            return None
        taken = {text_of(node) for node in identifiers(home) if not is_label(node)}
        names = [
            name
            for name in dict.fromkeys(_names(target, statement))
            if name not in taken and not keyword.iskeyword(name) and not hasattr(builtins, name)
        ]
        ways = [(uses, name) for name in names]
        unread, ignored = _unread(target, statement, loop), f"_{text_of(target)}"
        if unread is not None and ignored not in taken:
            ways.insert(0, ([unread], ignored))
        edits = (
            spliced(context.lines, [Splice(start_of(node), end_of(node), name) for node in nodes])
            for nodes, name in ways
        )
        return candidates_of(parsing(context, edits))

    def still_applies(self, context: FixContext) -> bool:
        """While the statement has the name that is quoted."""
        quoted = quoted_identifiers(context.diagnostic.message)
        name = next((word for word in quoted if not keyword.iskeyword(word)), None)
        return name is None or contains_word(context.statement(), name)


def _loop(target: Node) -> tuple[Node, Node] | None:
    """The `for` loop whose variable is assigned, and the assignment, which stands in no loop or function within it."""
    assignment = target.parent
    if (
        assignment is None
        or assignment.type != "assignment"
        or assignment.child_by_field_name("left") != target
    ):
        return None
    statement = assignment.parent
    loop = statement.parent if statement is not None else None
    while loop is not None and loop.type not in ("for_statement", "while_statement", *_SCOPES):
        loop = loop.parent
    if statement is None or loop is None or loop.type != "for_statement" or loop.has_error:
        return None
    body = loop.child_by_field_name("body")
    inside = body is not None and body.start_byte <= statement.start_byte < body.end_byte
    return (loop, statement) if inside and text_of(target) in _bound(loop) else None


def _bound(loop: Node) -> set[str]:
    left = loop.child_by_field_name("left")
    return {text_of(node) for node in (left, *identifiers(left))} if left is not None else set()


def _home(loop: Node) -> Node:
    node = loop
    while node.parent is not None and node.type != "function_definition":
        node = node.parent
    return node


def _uses(target: Node, statement: Node, loop: Node, home: Node) -> list[Node] | None:
    """The target, and what reads it: behind the assignment in its block. None where something else may read it."""
    name, block = text_of(target), statement.parent
    if block is None:
        return None
    found = [target]
    for node in identifiers(home):
        if text_of(node) != name or is_label(node) or node == target:
            continue
        if not loop.start_byte <= node.start_byte < loop.end_byte:
            if not has_its_own_binding(node, name, loop):
                return None
        elif node.start_byte >= block.end_byte:
            return None  # of another branch, behind the block, or in the `else` of the loop
        elif node.start_byte >= statement.end_byte:
            if _in_scope_of_its_own(node, loop):
                return None
            found.append(node)
    return found


def _unread(target: Node, statement: Node, loop: Node) -> Node | None:
    """The loop's variable itself, where nothing reads it before it is overwritten; else None."""
    name, left = text_of(target), loop.child_by_field_name("left")
    if left is None:
        return None
    own = [node for node in (left, *identifiers(left)) if node.type == "identifier" and text_of(node) == name]
    read = any(
        text_of(node) == name and not is_label(node) and node != target and node not in own
        for node in identifiers(loop)
        if node.start_byte < statement.end_byte
    )
    return None if read or not own else own[0]


def _in_scope_of_its_own(node: Node, loop: Node) -> bool:
    """Whether a function or a comprehension in the loop may give the name another meaning, or read it later."""
    around = node.parent
    while around is not None and around != loop:
        if around.type in _SCOPES and (around.type not in _AT_ONCE or text_of(node) in _targets(around)):
            return True
        around = around.parent
    return False


def _targets(comprehension: Node) -> set[str]:
    clauses = (child for child in comprehension.named_children if child.type == "for_in_clause")
    return {name for clause in clauses for name in _bound(clause)}


def _names(target: Node, statement: Node) -> Iterator[str]:
    name = text_of(target)
    method = re.search(r"\.(\w+)\([^()]*\)\s*$", text_of(statement))
    if method is not None and method.group(1) in _RESULTS:
        yield _RESULTS[method.group(1)]
        yield f"{_RESULTS[method.group(1)]}_{name}"
    yield f"new_{name}"
    yield f"updated_{name}"
