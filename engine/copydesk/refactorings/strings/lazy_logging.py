"""Log calls that are given their values apart from the message, and format it only where it is logged."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_node
from copydesk.refactorings.expressions import callee, children_of, single_line
from copydesk.refactorings.strings.f_string import f_string_of_sum
from copydesk.syntax.tree import text_of

LEVELS = ("debug", "info", "warning", "warn", "error", "critical", "exception")
_FIELD = re.compile(r"\{([^{}!:=]+)(!r)?\}")


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for call in context.walk("call"):
        given, owner = call.child_by_field_name("arguments"), callee(call).rpartition(".")
        if (
            given is None
            or given.type != "argument_list"
            or owner[2] not in LEVELS
            or "log" not in owner[0].lower()
        ):
            continue
        message = next(iter(children_of(given)), None)
        made = _apart(message) if message is not None and single_line(message) else None
        if message is not None and made is not None:
            yield (
                f"Pass the values to {callee(call)} as arguments, lazily: %s",
                replace_node(context.lines, message, made),
            )


def _apart(message: Node) -> str | None:
    """A message with `%s`, and what it is filled with, from an f-string, a `%`, or a sum of texts; None for any other."""
    text = f_string_of_sum(message) or text_of(message)
    if text[:1] not in "fF" and message.type == "binary_operator" and len(children_of(message)) == 2:
        left, right = children_of(message)
        operator = message.child_by_field_name("operator")
        if left.type != "string" or operator is None or text_of(operator) != "%":
            return None
        if right.type == "tuple":
            return f"{text_of(left)}, {text_of(right)[1:-1].rstrip(', ')}"
        several = (
            len(re.findall(r"%[^%]", text_of(left).replace("%%", ""))) > 1
        )  # filled from one tuple that has a name
        return None if several else f"{text_of(left)}, {text_of(right)}"
    found = re.fullmatch(r"[fF](\"{3}|\"|')(.*)\1", text)
    if found is None or "%" in text or "{{" in text or "}}" in text:
        return None
    fields = _FIELD.findall(found[2])
    plain = _FIELD.sub(lambda field: "%r" if field[2] else "%s", found[2])
    if not fields or "{" in plain:
        return None
    return ", ".join([f"{found[1]}{plain}{found[1]}", *(value.strip() for value, _ in fields)])


LAZY_LOGGING = Refactoring(
    "lazy_logging", "refactor.rewrite.lazyLogging", _propose, menu="cursor", everywhere=True
)
