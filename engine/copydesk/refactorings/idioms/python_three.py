"""What a library had for both Pythons, as Python 3 has it: `d.items()` for `iteritems(d)`, no question of which one runs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.expressions import (
    ATOMS,
    callee,
    children_of,
    loads,
    positional,
    replace_expression,
    replace_expressions,
)
from copydesk.syntax.tree import text_of

_METHODS = {
    "iteritems": "items",
    "itervalues": "values",
    "iterkeys": "keys",
    "viewitems": "items",
    "listitems": "items",
}
_TYPES = {
    "string_types": "str", "text_type": "str", "unicode_type": "str", "binary_type": "bytes", "integer_types": "int",
    "class_types": "type",
}  # fmt: skip
_THREE = re.compile(
    r"(?:six\.|compat\.)?(?:PY3K?|IS_PY3|is_py3)|not (?:six\.|compat\.)?(?:PY2|IS_PY2|is_py2)"
)
_TWO = re.compile(r"(?:six\.|compat\.)?(?:PY2|IS_PY2|is_py2)|not (?:six\.|compat\.)?(?:PY3K?|IS_PY3|is_py3)")
_VERSION = re.compile(r"sys\.version_info(?:\[0\]|\.major)? (>=|<|==|>) \(?([23])(?:, ?\d)?,?\)?")


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for call in context.walk("call"):
        given, called = positional(call), callee(call)
        method = _METHODS.get(called.removeprefix("six."))
        if method is not None and given is not None and len(given) == 1 and given[0].type in ATOMS:
            made = f"{text_of(given[0])}.{method}()"
            yield f"Call the method, Python 3, not {called}: {made}", replace_expression(context, call, made)
        if called in ("u", "six.u") and given is not None and len(given) == 1 and given[0].type == "string":
            made = text_of(given[0])
            yield f"Drop the call of {called}, Python 3: {made}", replace_expression(context, call, made)
    for node in loads(context):
        new = _TYPES.get(text_of(node).removeprefix("six."))
        if new is not None:
            yield f"Use {new} instead of {text_of(node)}, Python 3", replace_expression(context, node, new)
    kept: dict[str, list[Node]] = {}
    for node in context.walk("conditional_expression"):
        children = children_of(node)
        three = _asks_for_three(text_of(children[1])) if len(children) == 3 else None
        if three is not None:
            kept.setdefault(text_of(children[0 if three else 2]), []).append(node)
    for made, nodes in kept.items():
        title = f"Python 3 only, always {made}, never Python 2"
        yield title, replace_expressions(context, [(node, made) for node in nodes])


def _asks_for_three(test: str) -> bool | None:
    """Whether a condition holds in Python 3; None where it is about something else."""
    found = _VERSION.fullmatch(test)
    if found is not None:
        return found[1] in (">=", "==", ">") if found[2] == "3" else found[1] == ">"
    return True if _THREE.fullmatch(test) else False if _TWO.fullmatch(test) else None


PYTHON_THREE = Refactoring("python_three", "refactor.rewrite.pythonThree", _propose, everywhere=True)
