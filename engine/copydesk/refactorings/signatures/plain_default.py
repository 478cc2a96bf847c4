"""The default of a parameter that the first lines of a body give it, in the signature; a word of an instruction as a default."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import FUNCTION_WORDS, Arguments
from copydesk.refactorings.blocks import has_comment, statements_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import clauses_of
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import delete_lines, merged, replace_node
from copydesk.refactorings.expressions import LITERALS
from copydesk.refactorings.parameters import list_parameters, name_of
from copydesk.syntax.splice import Splice, end_of, spliced, start_of
from copydesk.syntax.tree import rows, text_of

_OPTIONAL = re.compile(r"^Optional\[(.+)\]$|^(.+) \| None$|^None \| (.+)$")
_SAID = (
    r"`?(?: (?:should|can|must|to|be|is|as|defaults?|=))+ `?([a-z][\w.-]*)`?(?= by default|,|;|$| unless| if)"
)
_NO_TEXTS = frozenset(
    {
        "none",
        "true",
        "false",
        "optional",
        "required",
        "default",
        "keyword-only",
        "positional",
        "first",
        "last",
    }
)
"""What is said of a parameter, and no text that it may be."""


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for function in context.starting("function_definition"):
        parameters = [p for p in list_parameters(function) if p.type.endswith("default_parameter")]
        for parameter in parameters:
            default = parameter.child_by_field_name("value")
            if default is not None and default.type == "none":
                yield from _in_the_signature(context, function, parameter)
            if default is not None and default.type in ("none", "string"):
                yield from _a_word(context, arguments, parameter, default)


def _in_the_signature(context: RefactoringContext, function: Node, parameter: Node) -> Iterator[Proposal]:
    """A parameter that is None only to be given a constant: that as its default, without the `if`."""
    name = name_of(parameter)
    for node in statements_of(function.child_by_field_name("body")):
        clauses = clauses_of(context, node) if node.type == "if_statement" and context.has(node) else []
        if len(clauses) != 1 or clauses[0].test is None or text_of(clauses[0].test) != f"{name} is None":
            continue
        target, _, value = text_of(clauses[0].body).strip().partition(" = ")
        kind = clauses[0].statements[0].named_children[0].child_by_field_name("right")
        constant = kind is not None and kind.type in LITERALS and text_of(kind) == value
        if target != name or not constant or has_comment(context, *rows(node)):
            continue
        said = parameter.child_by_field_name("type")
        typed = _OPTIONAL.match(text_of(said)) if said is not None else None
        type = next(filter(None, typed.groups()), None) if typed is not None else None
        start, end = (said or parameter.child_by_field_name("value")), end_of(parameter)
        if start is None or start.start_point[0] != end[0]:
            continue
        made = f"{type or text_of(said)} = {value}" if said is not None else value
        given = spliced(context.lines, [Splice(start_of(start), end, made)])
        title = f"Put the default {value} of {name} in the signature, no if None"
        yield title, merged(given or None, delete_lines(*rows(node)))


def _a_word(
    context: RefactoringContext, arguments: Arguments, parameter: Node, default: Node
) -> Iterator[Proposal]:
    """A text without quotes that is said behind the name of a parameter."""
    name = name_of(parameter)
    found = re.search(rf"(?<!\w){re.escape(name)}{_SAID}", arguments.instruction)
    if found is None or found[1] in FUNCTION_WORDS | _NO_TEXTS or context.knows(found[1]):
        return
    whole = "".join(context.view(*context.scope[0])) if context.scope else ""
    mark = (
        text_of(default)[-1]
        if default.type == "string"
        else '"'
        if whole.count('"') > whole.count("'")
        else "'"
    )
    made = f"{mark}{found[1]}{mark}"
    yield f'Change the default of "{name}" to the text {made}', replace_node(context.lines, default, made)


PLAIN_DEFAULT = Refactoring("plain_default", "refactor.rewrite.plainDefault", _propose)
