"""Introduce parameter: what a function writes out becomes a parameter with that default."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import merged, replace_node
from copydesk.refactorings.expressions import LITERALS, is_value
from copydesk.refactorings.new_names import may_name
from copydesk.refactorings.signatures.add_parameter import add_parameter
from copydesk.syntax.tree import text_of

_ASKED = frozenset({
    "parameter", "parameters", "param", "argument", "arg", "option", "optional", "configurable", "settable", "default",
    "callers", "caller", "let", "pass", "hard", "hardcoded", "hardcode", "choose", "set", "unless", "keyword", "signature",
})  # fmt: skip
"""Words of an instruction that may want the caller to say it."""
_MOST = 16


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    function = context.function()
    body = function.child_by_field_name("body") if function is not None else None
    if body is None or not arguments.words & _ASKED:
        return
    known = context.variables()
    wanted = [name for name in arguments.names if name not in known and name.islower() and may_name(name)][:3]
    literals = (n for n in context.walk(*LITERALS) if n.start_byte >= body.start_byte and is_value(n))
    for node in islice(literals, _MOST):
        holder = node.parent if node.parent is not None and node.parent.type == "keyword_argument" else None
        label = holder.child_by_field_name("name") if holder is not None else None
        own = [text_of(label)] if label is not None else []
        for name in dict.fromkeys([*own, *wanted]):
            value = text_of(node)
            if name in known or "\n" in value:
                continue
            edits = merged(
                add_parameter(name, value, context, lines=True), replace_node(context.lines, node, name)
            )
            yield f'Introduce parameter "{name}" for {value}, the default', edits


INTRODUCE_PARAMETER = Refactoring("introduce_parameter", "refactor.rewrite.introduceParameter", _propose)
