"""A statement that is executed only if something is the case."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import is_late, is_text
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import named, plain_statements, reindented
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_lines
from copydesk.refactorings.expressions import NAMES, children_of, level_of, method_of, positional
from copydesk.refactorings.requested import requested_tests, subjects
from copydesk.syntax.tree import rows, text_of

_NAME = re.compile(r"(?<![\w.'\"])[^\W\d]\w*")
_MOST_STATEMENTS, _MOST_TESTS = 12, 6
_ASKING = frozenset({
    "only", "if", "when", "unless", "already", "overwrite", "overwritten", "once", "twice", "exists", "missing", "don", "doesn",
    "never", "has", "present", "without", "no", "empty", "leave", "alone", "there", "skip", "ignored", "keep",
    "duplicate", "duplicates", "unique", "repeated", "again", "out",
    "before", "not", "can", "might", "may", "every", "safe",
})  # fmt: skip
"""Words of an instruction that wants something done in some cases alone."""


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    tests = requested_tests(context, arguments)[:_MOST_TESTS]
    statements = [n for n in plain_statements(context, "expression_statement") if not is_text(n)]
    statements += plain_statements(context, "delete_statement")
    asked = bool(arguments.words & _ASKING)
    tests += [test for test in _of_subjects(context, arguments) if asked and test not in tests]
    for node in statements[:_MOST_STATEMENTS] if tests or asked else ():
        moved = reindented(context, *rows(node), 4)
        own = list(_of_itself(node, arguments)) if asked else []
        known = [test for test in tests if not is_late(_NAME.findall(test), node)]
        for test in dict.fromkeys([*known, *own]) if moved is not None else ():
            head = f"{context.indent(node)}if {test}:\n"
            yield f"Only if {test}: {named(node)}", replace_lines(*rows(node), [head, *(moved or ())])


def _of_subjects(context: RefactoringContext, arguments: Arguments) -> Iterator[str]:
    """Whether what an instruction names is set or not; also an attribute of its own that the selection has not."""
    named = subjects(context, arguments, 3)
    unknown = [name for name in arguments.names if "_" in name and not context.knows(name)]
    named += [f"self.{name}" for name in unknown[:2] if "self" in context.variables()]
    for subject in named:
        yield from (subject, f"{subject} is not None", f"not {subject}")


def _operand(node: Node) -> str:
    text = text_of(node)
    return f"({text})" if level_of(text) < 6 else text


def _of_itself(statement: Node, arguments: Arguments) -> Iterator[str]:
    """Tests of what a statement itself changes: whether an entry is there, a value is set, a method says so."""
    only = statement if statement.type == "delete_statement" else children_of(statement)[0]
    target = children_of(only)[0] if only.type == "delete_statement" else only.child_by_field_name("left")
    if target is not None and target.type == "subscript" and len(children_of(target)) == 2:
        owner, key = text_of(children_of(target)[0]), _operand(children_of(target)[1])
        yield f"{key} in {owner}" if only.type == "delete_statement" else f"{key} not in {owner}"
        if only.type == "assignment":
            yield f"{owner}[{key}] is None"
    elif target is not None and only.type in ("assignment", "delete_statement"):
        yield f"{text_of(target)} is None" if only.type == "assignment" else f"{text_of(target)} is not None"
        value = only.child_by_field_name("right")
        if value is not None and value.type in NAMES:
            yield f"{text_of(value)} is not None"
            yield f"{text_of(value)}"
            yield f"{text_of(value)} != {text_of(target)}"
    method = method_of(only) if only.type == "call" else None
    given = positional(only) if only.type == "call" else None
    if method is None or given is None:
        return
    owner, name = text_of(method[0]), text_of(method[1])
    for entry in map(_operand, given[:1]):
        if name in ("append", "add", "appendleft", "write", "insert", "register", "setdefault"):
            yield f"{entry} not in {owner}"
        elif name in ("remove", "discard", "pop", "delete", "unregister"):
            yield f"{entry} in {owner}"
        yield f"{entry} is not None"
        yield entry
    yield owner
    yield f"{owner} is not None"
    yield from (f"{owner}.{word}()" for word in sorted(arguments.words) if word.endswith(("able", "exists")))


ONLY_IF = Refactoring("only_if", "refactor.rewrite.onlyIf", _propose)
