"""Expressions as parts of code: where they stand, and what may stand there instead, in brackets where it must."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, merged, replace_nodes, rewrite_node
from copydesk.syntax.splice import end_of
from copydesk.syntax.tree import is_label, text_of

NAMES = ("identifier", "attribute")
ATOMS = (*NAMES, "call", "subscript")
LITERALS = ("integer", "float", "string", "true", "false", "none", "unary_operator")
LOOSE = ("conditional_expression", "lambda", "named_expression")
"""What holds together too loosely to be an operand."""
COLLECTIONS = ("list", "tuple", "set", "dictionary")
_ATOM = 10
_LEVELS: tuple[tuple[type[ast.expr], int], ...] = (
    (ast.Tuple, -1), (ast.Lambda, 0), (ast.NamedExpr, 0), (ast.IfExp, 1), (ast.Compare, 5), (ast.BinOp, 7), (ast.Starred, -1),
    (ast.Yield, -1), (ast.Await, 9),
)  # fmt: skip
_NEEDED = {
    "not_operator": 4, "comparison_operator": 6, "binary_operator": 8, "unary_operator": 8, "attribute": _ATOM, "await": _ATOM,
    "list_splat": 6, "dictionary_splat": 6, "for_in_clause": 2, "if_clause": 2, "conditional_expression": 2,
}  # fmt: skip
"""How tightly an operand must hold together, by what it is an operand of."""
_ENTRIES = (
    "argument_list", "keyword_argument", "list", "tuple", "set", "pair", "interpolation", "default_parameter", "lambda",
    "typed_default_parameter", "assert_statement",
    "list_comprehension", "set_comprehension", "generator_expression", "if_statement",
    "elif_clause", "while_statement",
)  # fmt: skip
"""Where a tuple would be read as several entries, or as something else."""
_VALUED = (
    "return_statement", "assignment", "augmented_assignment", "argument_list", "keyword_argument", "comparison_operator",
    "for_statement", "for_in_clause", "subscript", "interpolation", "pair", "list", "tuple", "set", "expression_list",
    "if_clause",
    "binary_operator", "boolean_operator", "not_operator", "conditional_expression", "parenthesized_expression", "yield", "await",
    "if_statement", "elif_clause", "while_statement", "list_comprehension", "set_comprehension", "generator_expression", "lambda",
    "raise_statement", "assert_statement", "default_parameter", "typed_default_parameter",
)  # fmt: skip
_PLAIN = re.compile(r"(?:not )?[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*(?:\(\))?")
_QUOTED = re.compile(r"(['\"])(?:\\.|(?!\1).)*\1")
_BOOLEAN = (
    "isinstance", "issubclass", "callable", "hasattr", "startswith", "endswith", "exists", "any", "all", "bool",
)  # fmt: skip
_TESTED = ("if_statement", "elif_clause", "while_statement")


def children_of(node: Node) -> list[Node]:
    """Its named children, without comments."""
    return [child for child in node.named_children if child.type != "comment"]


def positional(call: Node) -> list[Node] | None:
    """The arguments of a call that has plain positional ones alone; None for others."""
    given = call.child_by_field_name("arguments")
    if given is None or given.type != "argument_list":
        return None
    found = children_of(given)
    plain = all(n.type not in ("keyword_argument", "list_splat", "dictionary_splat") for n in found)
    return found if plain else None


def callee(call: Node) -> str:
    """What is called, as it is spelt."""
    called = call.child_by_field_name("function")
    return text_of(called) if called is not None else ""


def method_of(call: Node) -> tuple[Node, Node] | None:
    """The object and the name of a method that is called."""
    called = call.child_by_field_name("function")
    if called is None or called.type != "attribute":
        return None
    owner, name = called.child_by_field_name("object"), called.child_by_field_name("attribute")
    return (owner, name) if owner is not None and name is not None else None


def single_line(node: Node) -> bool:
    """Whether it stands in one line."""
    return node.start_point[0] == node.end_point[0]


def replace_expression(
    context: RefactoringContext, node: Node, text: str, level: int | None = None
) -> Edits | None:
    """`text`, an expression, in place of another of any number of lines, in brackets where its place needs them. level: how
    tightly it holds together, where the caller has made it of expressions and knows.
    """
    if level is None or "\n" in text or not single_line(node):
        return replace_expressions(context, [(node, text)])
    return replace_nodes(context.lines, [(node, f"({text})" if level < _needed(node) else text)])


def replace_expressions(context: RefactoringContext, pairs: Iterable[tuple[Node, str]]) -> Edits | None:
    """The same in several places at once, which must be single-line or have lines of their own."""
    put = [(node, f"({text})" if needs_brackets(node, text) else text) for node, text in pairs]
    if all(single_line(node) for node, _ in put):
        return replace_nodes(context.lines, put)
    return merged(*(rewrite_node(context.lines, node, text) for node, text in put))


def needs_brackets(node: Node, text: str) -> bool:
    """Whether `text` in place of `node` would be read otherwise without brackets."""
    if _PLAIN.fullmatch(text) and not text.startswith("not "):
        return False
    if node.parent is not None and node.parent.type == "interpolation" and text.startswith("{"):
        return True
    needed = _needed(node)
    return needed >= 0 and level_of(text) < needed


def _needed(node: Node) -> int:
    """How tightly what stands in place of a node must hold together."""
    parent = node.parent
    if parent is None:
        return -1
    if parent.type == "binary_operator":
        sign = parent.child_by_field_name("operator")
        return 9 if sign is not None and text_of(sign) == "**" else 8
    if parent.type == "boolean_operator":
        sign = parent.child_by_field_name("operator")
        return 3 if sign is not None and text_of(sign) == "and" else 2
    if parent.type in ("call", "subscript"):
        field = "function" if parent.type == "call" else "value"
        return _ATOM if parent.child_by_field_name(field) == node else -1
    return _NEEDED.get(parent.type, 0 if parent.type in _ENTRIES else -1)


@lru_cache(maxsize=4096)
def level_of(text: str) -> int:
    """How tightly an expression holds together: ten for an atom, less than zero for a tuple without brackets."""
    try:
        body = ast.parse(f"({text}\n)", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _ATOM
    if isinstance(body, ast.Tuple) and text.startswith("(") and text.endswith(")"):
        return _ATOM if _encloses(text) else -1
    if text.startswith("(") and _encloses(text):
        return _ATOM
    if isinstance(body, ast.BinOp) and isinstance(body.op, ast.Pow):
        return 8
    if isinstance(body, ast.BoolOp):
        return 3 if isinstance(body.op, ast.And) else 2
    if isinstance(body, ast.UnaryOp):
        return 4 if isinstance(body.op, ast.Not) else 8
    return next((level for kind, level in _LEVELS if isinstance(body, kind)), _ATOM)


def _encloses(text: str) -> bool:
    """Whether the bracket that a text begins with closes at its end."""
    depth = 0
    bare_text = _QUOTED.sub(lambda quoted: "_" * len(quoted[0]), text)
    for at, char in enumerate(bare_text):
        depth += (char in "([{") - (char in ")]}")
        if depth == 0:
            return at == len(bare_text) - 1
    return False


def values(context: RefactoringContext) -> list[Node]:
    """Every selected expression that is a value: operands, arguments, entries, what is returned or given a name; none that is
    itself given one, and no text that is a statement.
    """
    return context.derived(_values)


def _values(context: RefactoringContext) -> list[Node]:
    return [node for node in context.walk() if is_value(node)]


def is_value(node: Node) -> bool:
    """Whether it is an expression that gives a value where it stands."""
    parent = node.parent
    if (
        parent is None
        or parent.type not in _VALUED
        or node.type in ("comment", "keyword_argument", "block", "pair", "type")
    ):
        return False
    if node.type.endswith(("_clause", "_pattern", "_splat", "_parameters")) or node.type in (
        "else_clause",
        "pattern_list",
    ):
        return False
    if parent.type in ("binary_operator", "subscript") and _in_type(parent):
        return False
    if parent.type in ("keyword_argument", "default_parameter", "typed_default_parameter"):
        return parent.child_by_field_name("value") == node
    if parent.type in ("assignment", "augmented_assignment", "for_statement", "for_in_clause"):
        return parent.child_by_field_name("right") == node
    if parent.type == "lambda":
        return parent.child_by_field_name("body") == node
    if parent.type == "subscript" and parent.child_by_field_name("value") != node:
        return True
    if parent.type in ("subscript", "tuple", "list", "expression_list"):
        return not _is_target(parent)
    return True


def _in_type(node: Node) -> bool:
    """Whether it is a part of an annotation: no operator there gives a value."""
    above = node.parent
    while above is not None and above.type in ("binary_operator", "subscript", "tuple", "list"):
        above = above.parent
    return above is not None and above.type == "type"


def _is_target(node: Node) -> bool:
    parent = node.parent
    return (
        parent is not None
        and parent.type in ("assignment", "for_statement", "for_in_clause", "del_statement")
        and (parent.child_by_field_name("left") == node)
    )


def is_boolean(node: Node) -> bool:
    """Whether it is a call of what gives nothing but True and False."""
    called = callee(node).rpartition(".")[2] if node.type == "call" else ""
    return (
        called in _BOOLEAN
        or called.startswith(("is_", "has_"))
        or (called.startswith("is") and called.islower())
    )


def conditions(context: RefactoringContext) -> list[Node]:
    """Every selected whole condition: of `if`, `elif`, `while`, `assert`, a conditional expression, a comprehension; and what is
    returned or assigned, where it is a comparison, joins some, or calls what gives True or False.
    """
    return context.derived(_conditions)


def _conditions(context: RefactoringContext) -> list[Node]:
    found = []
    for node in context.starting(*_TESTED):
        test = node.child_by_field_name("condition")
        if test is not None:
            found.append(test)
    for node in context.walk(
        "if_clause", "assert_statement", "conditional_expression", "return_statement", "assignment"
    ):
        children = children_of(node)
        if node.type == "conditional_expression":
            found += children[1:2]
        elif node.type in ("return_statement", "assignment"):
            value = node.child_by_field_name("right") if node.type == "assignment" else None
            value = children[0] if node.type == "return_statement" and children else value
            inner = bare(value) if value is not None else None
            joined = ("comparison_operator", "boolean_operator", "not_operator")
            if inner is not None and (inner.type in joined or is_boolean(inner)):
                found.append(inner)
        else:
            found += children[:1]
    return [bare(node) for node in found if context.has(node)]


def bare(node: Node) -> Node:
    """What is inside the brackets, if it is in some."""
    while node.type == "parenthesized_expression" and len(children_of(node)) == 1:
        node = children_of(node)[0]
    return node


def tests(context: RefactoringContext) -> list[Node]:
    """The conditions and what these join, down to comparisons and plain values, each with `not` if it has one."""
    return context.derived(_tests)


def _tests(context: RefactoringContext) -> list[Node]:
    found: dict[int, Node] = {}
    waiting = list(reversed(conditions(context)))
    while waiting:
        node = waiting.pop()
        if node.type == "parenthesized_expression":
            waiting.append(bare(node))
            continue
        found.setdefault(node.id, node)
        if node.type in ("boolean_operator", "not_operator"):
            waiting += reversed(children_of(node))
    return list(found.values())


def operands(node: Node, word: str) -> list[Node]:
    """What is joined by `and` or `or`, from the left."""
    sign = node.child_by_field_name("operator")
    if node.type != "boolean_operator" or sign is None or text_of(sign) != word:
        return [node]
    left, right = children_of(node)[:2]
    return [*operands(left, word), right]


def comparison(node: Node) -> tuple[Node, str, Node] | None:
    """Both sides and the sign of a comparison of two."""
    sides = children_of(node)
    if node.type != "comparison_operator" or len(sides) != 2:
        return None
    sign = " ".join(text_of(child) for child in node.children if not child.is_named)
    return sides[0], sign, sides[1]


def mentioned(nodes: Iterable[Node], arguments: Arguments) -> list[Node]:
    """Those first that are spelt in the instruction, or have most of its words."""

    def rank(node: Node) -> tuple[bool, int]:
        text = text_of(node)
        found = set(re.findall(r"[^\W_]+", text.lower()))
        return not arguments.mentions(text), -len(found & arguments.words)

    return sorted(nodes, key=rank)


def is_mentioned(node: Node, arguments: Arguments) -> bool:
    """Whether some word of a node's text, or a part of a name in it, stands in the instruction."""
    return bool(set(re.findall(r"[^\W_]+", text_of(node).lower())) & arguments.words)


def variables(node: Node) -> list[str]:
    """The names and dotted names in an expression, the longest of each, none twice; no functions that are called."""
    found: dict[str, None] = {}
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if one.type in NAMES and not is_label(one):
            found[text_of(one)] = None
            continue
        children = children_of(one)
        if one.type == "call":
            called = one.child_by_field_name("function")
            owner = method_of(one)
            children = [child for child in children if child != called] + (
                [owner[0]] if owner is not None else []
            )
        waiting += reversed(children)
    return list(found)


def entries_on_own_lines(context: RefactoringContext) -> Iterator[Node]:
    """The selected entries, arguments and parameters that have a line, or several, for themselves and end in a comma."""
    for node in context.walk():
        held = node.parent is not None and node.parent.type in (*COLLECTIONS, "argument_list", "parameters")
        if held and context.starts_line(node) and context.split(end_of(node))[1].strip() == ",":
            yield node


def loads(context: RefactoringContext) -> Iterator[Node]:
    """The selected names and dotted names that are values, functions that are called too; no parts of dotted names."""
    for node in context.walk(*NAMES):
        parent = node.parent
        if parent is None or is_label(node) or (parent.type == "attribute" and node.type == "attribute"):
            continue
        called = parent.type == "call" and parent.child_by_field_name("function") == node
        if called or is_value(node) or parent.type in ("attribute", "type"):
            yield node
