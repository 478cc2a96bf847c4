"""Extract variable: a name for the value of an expression, wherever that stands."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator, Sequence, Set

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import BLOCKS, COMPREHENSIONS, LOOPS, is_stored, is_text, statement_before
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import COMPOUND, in_one_line, named, place_before
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, insert_lines, merged, replace_nodes, rewrite_node
from copydesk.refactorings.expressions import callee, is_mentioned
from copydesk.refactorings.function_body import first_statement
from copydesk.refactorings.new_names import derived_name, described_names, may_name, new_names
from copydesk.refactorings.requested import requested_statements
from copydesk.refactorings.variables.use_constant import nodes_saying
from copydesk.syntax.tree import identifiers, text_of

_LITERALS = ("integer", "float", "string")
EXPRESSIONS = (
    *_LITERALS, *COMPREHENSIONS, "attribute", "call", "subscript", "list", "dictionary", "set", "tuple", "binary_operator",
    "comparison_operator", "boolean_operator", "not_operator", "unary_operator", "await", "conditional_expression", "lambda",
    "concatenated_string",
)  # fmt: skip
_TESTING = ("if_statement", "elif_clause", "while_statement")
_MOST = 20
"""Expressions that names of an instruction are tried for, those first that it has most of."""
_LONGEST = 60
_EARLIER = frozenset(
    {"before", "above", "outside", "loop", "once", "first", "top", "start", "out", "after", "up"}
)
"""Words of an instruction that says where a variable is given its value."""
_SINGLE = frozenset({"first", "here", "line", "once", "only", "this", "there"})


def extract_variable(name: str, value: str, context: RefactoringContext) -> Edits | None:
    """The value gets a line of its own before the one statement that has it."""
    names = [n for n in context.walk("identifier") if text_of(n) == name]
    places = nodes_saying(value, context)
    if any(_gives(n, value) for n in names):
        return ()
    if len(places) != 1 or names or is_stored(places[0]):
        return None
    statement = statement_before(places[0])
    if statement is None or not context.has(statement) or not context.starts_line(statement):
        return None
    used = replace_nodes(context.lines, [(places[0], name)])
    place = place_before(context, statement)
    before = insert_lines(place, [f"{context.indent(statement)}{name} = {value}\n"])
    return (*before, *used) if used else None


def _gives(name: Node, value: str) -> bool:
    parent = name.parent
    right = (
        parent.child_by_field_name("right") if parent is not None and parent.type == "assignment" else None
    )
    return right is not None and text_of(right) == value


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    nodes = list(context.walk(*EXPRESSIONS))
    for value in dict.fromkeys(text_of(n) for n in nodes):
        for name in arguments.names if arguments.mentions(value) else ():
            if name not in context.variables() and may_name(name):
                yield f'Extract {value} into variable "{name}"', extract_variable(name, value, context)
    places: dict[str, list[Node]] = {}
    for node in nodes:
        if node.type != "unary_operator" and is_value(node):
            places.setdefault(text_of(node), []).append(node)
    yield from _as_written(context, arguments, places)
    described = described_names(context, arguments)
    names = described[:2] or new_names(context, arguments)
    spelt = {code: found for code, found in places.items() if "(" in code and arguments.mentions(code)}
    ranked = sorted((spelt or places).items(), key=lambda item: -_rank(item[0], item[1], arguments))
    for code, same in ranked[:_MOST]:
        parts = [part for part in re.findall(r"[^\W\d_]{3,}", code) if part in arguments.words]
        parts = [part for part in parts if not hasattr(builtins, part)]
        own = derived_name(code) if not names or parts or arguments.mentions(code) else None
        if own in context.variables() and re.fullmatch(r"\w+\.\w+", code):
            own = f"{code.partition('.')[0]}_{own}" if not code.startswith("self.") else None
        tried = [*names, *([own] if own is not None and same[0].type not in _LITERALS else []), *parts[-1:]]
        what = code if len(code) < _LONGEST else _kind_of(same[0])
        for name in dict.fromkeys(tried):
            for edits in (
                extracted(context, same, name, arguments.words) if name not in context.variables() else ()
            ):
                yield f'Extract {what} into variable "{name}"', edits
            if name not in context.variables() and (described or is_mentioned(same[0], arguments)):
                for before in _earlier(context, _statement_of(same), far=bool(arguments.words & _EARLIER)):
                    title = f'Extract {what} into variable "{name}" before {named(before)}'
                    yield title, _made(context, same, name, in_one_line(same[0]), before)


def _kind_of(node: Node) -> str:
    """What a long expression is called in a title."""
    called = re.sub(r"[(\[].*[)\]]", "()", callee(node), flags=re.DOTALL) if node.type == "call" else ""
    return f"the call of {called}" if called and len(called) < _LONGEST else f"the {node.type}"


def is_value(node: Node) -> bool:
    """Whether it is a value inside a statement: none that is called, given a value, a type, or part of a pattern or a text."""
    parent = node.parent
    if parent is None or is_stored(node) or parent.type.endswith("_pattern"):
        return False
    if parent.type in ("expression_statement", "type", "concatenated_string"):
        return False
    return node.type == "call" or parent.type != "call" or parent.child_by_field_name("function") != node


def _earlier(context: RefactoringContext, statement: Node | None, *, far: bool) -> Iterator[Node]:
    """Statements before which a value may be made as well: the block round its own; far: all of these, and the two above it."""
    above = statement
    for _ in range(2 if far else 0):
        above = above.prev_named_sibling if above is not None else None
        if above is not None and not is_text(above) and context.has(above):
            yield above
    outer = statement.parent if statement is not None else None
    while outer is not None and outer.type not in ("function_definition", "class_definition"):
        if outer.type in COMPOUND and context.has(outer):
            yield outer
            if not far:
                return
        outer = outer.parent


def _as_written(
    context: RefactoringContext, arguments: Arguments, places: dict[str, list[Node]]
) -> Iterator[Proposal]:
    """An assignment that the instruction spells out, and its name wherever the value stood."""
    for statement in requested_statements(context, arguments):
        name, _, value = statement.partition(" = ")
        if name.isidentifier() and value in places:
            for edits in extracted(context, places[value], name, arguments.words):
                yield f"Assign {statement} first, and use {name}", edits
            for before in _earlier(context, _statement_of(places[value]), far=True):
                title = f"Assign {statement} before {named(before)}, and use {name}"
                yield title, _made(context, places[value], name, value, before)


def _rank(code: str, nodes: Sequence[Node], arguments: Arguments) -> float:
    words = {part for part in re.split(r"[\W_]+", code.lower()) if part}
    said = len(words & arguments.words) / (len(words) + 1)
    literal = nodes[0].type in _LITERALS
    return (
        3 * arguments.mentions(code) + said * 2 + (len(nodes) > 1) - literal * 0.5 + min(len(code), 40) / 80
    )


def extracted(
    context: RefactoringContext, nodes: Sequence[Node], name: str, words: Set[str] = frozenset()
) -> Iterator[Edits | None]:
    """A name for what stands in all these places, given before the first of them. words: of an instruction that may want it first
    in the function, in one place alone, or with a walrus.
    """
    value = in_one_line(nodes[0])
    if value is None:
        return
    statement = _statement_of(nodes)
    everywhere = _made(context, nodes, name, value, statement) if statement is not None else None
    yield everywhere
    if nodes[0].type in (*_LITERALS, "attribute", "call", "subscript") and (
        words & _EARLIER or not everywhere
    ):
        first = first_statement(context)
        if first is not None and first != statement:
            yield _made(context, nodes, name, value, first)
    own = _statement_of(nodes[:1])
    if len(nodes) > 1 and own is not None and (words & _SINGLE or not everywhere):
        yield _made(context, nodes[:1], name, value, own)
    if len(nodes) > 1 and own is not None and "walrus" in words:
        again = (nodes[0], f"({name} := {value})")
        yield replace_nodes(context.lines, [again, *((node, name) for node in nodes[1:])])


def _made(
    context: RefactoringContext, nodes: Sequence[Node], name: str, value: str | None, before: Node
) -> Edits | None:
    if value is None or not context.starts_line(before) or _is_guarded(context, nodes, before):
        return None
    if _is_given_between(nodes[0], nodes[-1], before):
        return None
    place = place_before(context, before)
    put = insert_lines(place, [f"{context.indent(before)}{name} = {value}\n"])
    if len(nodes) == 1 and nodes[0].start_point[0] != nodes[0].end_point[0]:
        return merged(put, rewrite_node(context.lines, nodes[0], name))
    return merged(
        put, replace_nodes(context.lines, [(_with_brackets(context, node), name) for node in nodes])
    )


def _with_brackets(context: RefactoringContext, node: Node) -> Node:
    """The brackets round a value and nothing else, which a name does not need where no word stands right before them."""
    around = node.parent
    if around is None or around.type != "parenthesized_expression" or around.named_child_count != 1:
        return node
    row, column = around.start_point
    return node if re.search(rb"\w$", context.lines[row].encode()[:column]) else around


def _is_given_between(node: Node, last: Node, before: Node) -> bool:
    """Whether something that a value reads gets another one between the statement `before` and the last place that has it,
    or in a loop there.
    """
    names, end, above = {text_of(name) for name in (node, *identifiers(node))}, last.start_byte, last.parent
    while above is not None and above != before.parent:
        if above.type in LOOPS and not _is_head(above, last):
            end = max(end, above.end_byte)
        above = above.parent
    for name in identifiers(before.parent or before):
        if before.start_byte <= name.start_byte < end and text_of(name) in names and is_stored(name):
            giving = name.parent
            while giving is not None and giving.type not in ("assignment", "augmented_assignment", *BLOCKS):
                giving = giving.parent
            within = giving is not None and giving.start_byte <= last.start_byte < giving.end_byte
            if end > last.start_byte or giving is None or giving.type in BLOCKS or not within:
                return True
    return False


def _is_head(loop: Node, node: Node) -> bool:
    """Whether a node is what a `for` goes over, which is made once."""
    right = loop.child_by_field_name("right")
    return right is not None and right.start_byte <= node.start_byte < right.end_byte


def _is_guarded(context: RefactoringContext, nodes: Sequence[Node], before: Node) -> bool:
    """Whether a test in the statement `before` asks for what the value is an entry of: `if x:` and `x[0]` in one of its branches.
    Made before the statement it may fail where there is no such entry.
    """
    owner = nodes[0].child_by_field_name("value") if nodes[0].type == "subscript" else None
    if owner is None:
        return False
    inside = [(node.start_byte, node.end_byte) for node in nodes]
    for test in (n.child_by_field_name("condition") for n in context.walk(*_TESTING)):
        if test is None or not before.start_byte <= test.start_byte < before.end_byte:
            continue
        for said in context.walk(owner.type):
            asks = test.start_byte <= said.start_byte < test.end_byte and text_of(said) == text_of(owner)
            if asks and not any(first <= said.start_byte < last for first, last in inside):
                return True
    return False


def _statement_of(nodes: Sequence[Node]) -> Node | None:
    """The statement before which a value can be made for all these places; None where there is none."""
    chains = [_chain(node) for node in nodes]
    block = next((n for n in chains[0] if n.type in BLOCKS and all(n in chain for chain in chains)), None)
    return next((n for n in chains[0] if block is not None and n.parent == block), None)


def _chain(node: Node) -> list[Node]:
    """What is round a node, from the inside; none where a name in it means something else outside."""
    names = {text_of(n) for n in identifiers(node)}
    found: list[Node] = []
    above: Node | None = node
    while above is not None:
        found.append(above)
        if above.type in ("lambda", *COMPREHENSIONS) and above != node:
            heads = [c for c in above.named_children if c.type in ("for_in_clause", "lambda_parameters")]
            targets = [head.child_by_field_name("left") or head for head in heads]
            if names & {text_of(n) for target in targets for n in (target, *identifiers(target))}:
                return []
        if above.type in ("function_definition", "class_definition"):
            break
        above = above.parent
    return found


EXTRACT_VARIABLE = Refactoring("extract_variable", "refactor.extract.variable", _propose)
