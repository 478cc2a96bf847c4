"""A condition without one of its parts, or with one more."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits
from copydesk.refactorings.expressions import (
    children_of,
    conditions,
    level_of,
    mentioned,
    operands,
    replace_expression,
    tests,
    variables,
)  # fmt: skip
from copydesk.refactorings.spoken import named_in, spoken_types
from copydesk.syntax.tree import text_of

_STATES = (
    ("none null missing unset set given absent", "{0} is not None", "{0} is None"),
    ("empty blank falsy truthy there any nothing", "{0}", "not {0}"),
    ("callable callback function call", "callable({0})", "not callable({0})"),
    ("negative positive zero", "{0} > 0", "{0} < 0"),
    ("zero", "{0} != 0", "{0} == 0"),
    ("more one several", "len({0}) > 1", "len({0}) == 1"),
    ("exist exists existing file", "{0}.exists()", "not {0}.exists()"),
)
"""What may be true of a value: words for it, the test for it, the test against it."""


def _drop(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for node in mentioned(tests(context), arguments):
        for word in ("and", "or"):
            if node.parent is not None and operands(node.parent, word)[1:] and node.parent.type == node.type:
                continue  # a part of a longer one
            parts = operands(node, word)
            for part in parts if len(parts) > 1 else ():
                rest = f" {word} ".join(text_of(one) for one in parts if one is not part)
                yield (
                    f"Drop the condition {text_of(part)}: only {rest}",
                    replace_expression(context, node, rest),
                )
        if node.type == "not_operator":
            inner = text_of(children_of(node)[0])
            yield f"Drop not from the condition: {inner}", replace_expression(context, node, inner)


def _extend(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for node in mentioned(conditions(context), arguments):
        text = text_of(node)
        if "\n" in text or level_of(text) < 2:
            continue
        for extra, negated in _extras(context, node, arguments):
            yield (
                f"Extend the condition {text}: and {extra}",
                _joined(context, node, "and", extra, front=False),
            )
            yield (
                f"Extend the condition {text}: {extra} first, and",
                _joined(context, node, "and", extra, front=True),
            )
            if negated:
                yield (
                    f"Extend the condition {text}: or {negated}",
                    _joined(context, node, "or", negated, front=False),
                )
                yield (
                    f"Extend the condition {text}: {negated} first, or",
                    _joined(context, node, "or", negated, front=True),
                )
        for old, new in _substitutes(context, node, arguments):
            other = re.sub(rf"(?<![\w.]){re.escape(old)}(?!\w)", lambda _, new=new: new, text)
            for word in ("or", "and"):
                yield (
                    f"Extend the condition {text} to {new}: {word} {other}",
                    _joined(context, node, word, other, front=False),
                )


def _extras(context: RefactoringContext, node: Node, arguments: Arguments) -> Iterator[tuple[str, str]]:
    """Tests that the words of an instruction make likely, each with its opposite."""
    named = [
        name
        for name in (*arguments.dotted, *named_in(arguments, sorted(context.names())))
        if context.knows(name)
    ]
    named = list(dict.fromkeys([*named, *(name for name in arguments.names if context.knows(name))]))[:8]
    subjects = list(dict.fromkeys([*named, *(v for v in variables(node) if v not in ("self", "cls"))]))[:8]
    for subject in subjects:
        for words, test, other in _STATES:
            if arguments.words & set(words.split()):
                yield test.format(subject), other.format(subject)
        for type in (*spoken_types(arguments), *(n for n in named if n[0].isupper() and n != subject)):
            if type not in ("Any", "object"):
                yield f"isinstance({subject}, {type})", f"not isinstance({subject}, {type})"
                yield f"not isinstance({subject}, {type})", f"isinstance({subject}, {type})"
    for name in named:
        yield name, f"not {name}"
        yield f"not {name}", name
    for code in arguments.code:
        if context.knows(code) and re.search(r"[=<>(.]| in | is |not ", code) and code not in named:
            yield code, code


def _substitutes(context: RefactoringContext, node: Node, arguments: Arguments) -> Iterator[tuple[str, str]]:
    """A variable of a condition, and another that the instruction names."""
    dotted = variables(node)[:4]
    roots = [old.partition(".")[0] for old in dotted if "." in old]
    named = named_in(arguments, sorted(context.names()))
    for old in dict.fromkeys([*dotted, *roots]):
        for new in dict.fromkeys([*arguments.dotted, *named]):
            if new != old and context.knows(new) and not hasattr(builtins, new):
                yield old, new
            elif "." in old and new.isidentifier():
                yield old, f"{old.rpartition('.')[0]}.{new}"


def _joined(context: RefactoringContext, node: Node, word: str, extra: str, *, front: bool) -> Edits | None:
    text = text_of(node)
    strength = 3 if word == "and" else 2
    text = f"({text})" if level_of(text) < strength else text
    extra = f"({extra})" if level_of(extra) < strength else extra
    made = f"{extra} {word} {text}" if front else f"{text} {word} {extra}"
    return replace_expression(context, node, made)


DROP_CONDITION = Refactoring("drop_condition", "refactor.rewrite.dropCondition", _drop)
EXTEND_CONDITION = Refactoring("extend_condition", "refactor.rewrite.extendCondition", _extend)
