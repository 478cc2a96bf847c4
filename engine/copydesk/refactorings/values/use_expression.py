"""The code that an instruction spells in place of what is most like it."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import COMPREHENSIONS, is_stored
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext, speaks_of_function
from copydesk.refactorings.expressions import callee, is_value, replace_expression, single_line
from copydesk.refactorings.requested import reads_known_names
from copydesk.syntax.tree import text_of

_METHOD = re.compile(r"\)\.\w+$")
"""A method of what a call returns, not called itself."""
_INDEX = re.compile(r"\[-?\d+\]")
"""What stands behind something: hardly anybody means a list of one number."""
_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*")
_JOINING = re.compile(r"\b(?:in|is|and|or|not|if|else)\b")
_SCOPES = (*COMPREHENSIONS, "lambda")
_MADE = (*COMPREHENSIONS, "call", "lambda", "subscript", "binary_operator", "comparison_operator")
_TESTS = ("comparison_operator", "boolean_operator", "not_operator")
_TYPES = (str, bytes, list, dict, set)
_MOST_PLACES = 10
"""Places of one piece of code."""
_MOST_CODE = 8
_MOST_WHOLE = 2


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    places = [node for node in context.walk() if is_value(node) and node.type != "string"]
    words = {node.id: _words(text_of(node)) for node in places}
    pieces = [code for code in arguments.code if not _plain(code) and not _is_listing(context, code)]
    pieces = _whole([c for c in pieces if not _INDEX.fullmatch(c) and not speaks_of_function(c)])
    for code in pieces[:_MOST_CODE]:
        said = _words(code)
        if "." in code and not any(_alike(said, found) for found in words.values()):
            yield from _in_place_of_all(context, code, places)
        for node in sorted(places, key=lambda node: -_alike(said, words[node.id]))[:_MOST_PLACES]:
            if "..." in code:
                for made in dict.fromkeys(code.replace("...", text) for text in _fillings(node)):
                    yield f"Write {made} instead of {text_of(node)}", replace_expression(context, node, made)
                continue
            if node.type in _TESTS and code[:1] in "([{":
                continue
            if not _alike(said, words[node.id]) or not _is_visible(context, code, node):
                continue
            if (
                (node.type in _MADE and _is_method(code))
                or _is_called_round(code, node)
                or _is_owned(context, code)
            ):
                continue
            given = node.child_by_field_name("arguments") if node.type == "call" else None
            if given is not None and single_line(given) and _METHOD.search(code):
                made = code + text_of(given)
                yield f"Write {made} instead of {text_of(node)}", replace_expression(context, node, made)
            yield f"Write {code} instead of {text_of(node)}", replace_expression(context, node, code)
    for statement in _statements(arguments):
        if not reads_known_names(context, statement):
            continue
        target = statement.partition("=")[0].strip(" +-*/|&%")
        for node in context.walk("assignment", "augmented_assignment", "call", "return_statement"):
            left = node.child_by_field_name("left")
            whole = node.parent is not None and node.parent.type == "expression_statement"
            if (
                whole
                and (
                    left is None
                    or text_of(left) == target
                    or _alike(_words(statement), _words(text_of(node))) > 0.3
                )
            ) or (node.type == "return_statement" and statement.startswith("return ")):
                yield (
                    f"Write {statement} instead of {text_of(node)}",
                    replace_expression(context, node, statement),
                )


def _in_place_of_all(context: RefactoringContext, code: str, places: list[Node]) -> Iterator[Proposal]:
    """Code that has nothing of the old one, in place of all that a variable is given, or that is returned."""
    whole = [
        node
        for node in places
        if node.parent is not None and node.parent.type in ("assignment", "return_statement")
    ]
    for node in whole if len(whole) <= _MOST_WHOLE else ():
        yield f"Write {code} instead of all of {text_of(node)}", replace_expression(context, node, code)


def _is_listing(context: RefactoringContext, code: str) -> bool:
    """Whether it is a tuple only by the commas of a sentence: without brackets, and with words in it that are no names."""
    try:
        body = ast.parse(code, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    bare = isinstance(body, ast.Tuple) and body.elts and body.elts[0].col_offset == 0
    return bool(bare) and not context.knows(code)


def _whole(pieces: list[str]) -> list[str]:
    """Those that are no part of a longer one, unless words as in a sentence (`in`, `and`) may have joined that."""
    joined = [code for code in pieces if not _JOINING.search(code)]
    return [code for code in pieces if not any(code != one and code in one for one in joined)]


def _is_method(code: str) -> bool:
    """Whether it is a function of Python's own types (`dict.fromkeys`, `d.pop`), and not what that returns."""
    owner, dot, name = code.rpartition(".")
    return bool(dot) and owner.replace(".", "").isidentifier() and any(hasattr(kind, name) for kind in _TYPES)


def _is_owned(context: RefactoringContext, code: str) -> bool:
    """Whether it calls a method whose owner is not said: `startswith(a)`."""
    called = re.match(r"([^\W\d]\w*)\(", code)
    name = called[1] if called is not None else ""
    of_types = any(hasattr(kind, name) for kind in _TYPES)
    return bool(name) and of_types and not hasattr(builtins, name) and name not in context.variables()


def _is_called_round(code: str, node: Node) -> bool:
    """Whether a call in the code is the one that a part of it is in already: `len(x)` would stand in `len(len(x))`."""
    if text_of(node) not in code and not (node.parent is not None and node.parent.type == "argument_list"):
        return False
    above = node.parent
    while above is not None and above.type not in ("block", "lambda"):
        called = callee(above) if above.type == "call" else ""
        own = called and above.child_by_field_name("function") != node
        if own and re.search(rf"(?<![\w.]){re.escape(called)}\(", code) is not None:
            return text_of(node) in code or code.startswith(f"{called}(")
        above = above.parent
    return False


def _is_visible(context: RefactoringContext, code: str, place: Node) -> bool:
    """Whether no name in the code is one that another comprehension gives its items alone, or a lambda takes."""
    names = set(_NAME.findall(code))
    bound: dict[str, list[Node | None]] = {}
    for node in context.walk("identifier"):
        given = node.parent is not None and node.parent.type == "lambda_parameters"
        if text_of(node) in names and (given or is_stored(node)):
            above = node.parent
            while above is not None and above.type not in (*_SCOPES, "block"):
                above = above.parent
            inner = above if above is not None and above.type in _SCOPES else None
            bound.setdefault(text_of(node), []).append(inner)

    def reaches(scope: Node | None) -> bool:
        inside = (
            scope is not None and scope.start_byte <= place.start_byte and place.end_byte <= scope.end_byte
        )
        return scope is None or (inside and scope != place)

    return all(any(map(reaches, scopes)) for scopes in bound.values())


def _fillings(node: Node) -> Iterator[str]:
    """What an ellipsis in the code of an instruction may stand for: the old expression, or the arguments of a call in it."""
    yield text_of(node)
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if one.type == "argument_list" and one.named_child_count:
            yield text_of(one)[1:-1]
        waiting += reversed(one.named_children)


def _plain(code: str) -> bool:
    """Whether it is a literal or no more than words: these are for others."""
    return re.fullmatch(r"-?[\w. ]*|([\"'])[^\"']*\1", code) is not None and "." not in code.strip(".")


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W_]+|[<>=!]=|[<>+*/%|]", text.lower()))


def _alike(one: frozenset[str], two: frozenset[str]) -> float:
    return len(one & two) / len(one | two) if one and two else 0.0


def _statements(arguments: Arguments) -> Iterator[str]:
    """Assignments and returns that the instruction spells, from each place where one could begin."""
    text = arguments.instruction
    for found in re.finditer(r"(?<![\w.])(?:[\w.\[\]\"']+(?:, [\w.]+)* (?:[-+*/|&%]|//)?= |return )", text):
        rest = text[found.start() :]
        for stop in sorted({len(rest), *(m.start() for m in re.finditer(r"[,.;`]|\s", rest))}, reverse=True):
            piece = rest[:stop].strip("` .,;")
            if _is_statement(piece):
                yield piece
                break


def _is_statement(text: str) -> bool:
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return len(body) == 1 and isinstance(body[0], (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return))


USE_EXPRESSION = Refactoring("use_expression", "refactor.rewrite.useExpression", _propose)
