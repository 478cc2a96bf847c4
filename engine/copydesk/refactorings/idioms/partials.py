"""`partial(f, a)` as a lambda, and a lambda that only calls a function with arguments of its own as `partial`."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.expressions import LITERALS, callee, children_of, replace_expression, single_line
from copydesk.syntax.tree import text_of

_PARTIAL = ("partial", "functools.partial")
_SPLATS = ("list_splat", "dictionary_splat")


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for call in context.walk("call"):
        for made in _as_lambdas(call):
            yield f"Use a lambda instead of partial: {made}", replace_expression(context, call, made)
    spelt = next((one for one in _PARTIAL if context.knows(one)), None)
    spelt = spelt or ("partial" if arguments.words & {"partial", "functools"} else None)
    for node in context.walk("lambda") if spelt is not None else ():
        held = _held(node)
        if held is not None:
            made = f"{spelt}({held})"
            yield f"Use partial instead of the lambda: {made}", replace_expression(context, node, made)


def _as_lambdas(call: Node) -> Iterator[str]:
    """What a `partial` does, with one argument more, and with any number."""
    given = call.child_by_field_name("arguments")
    entries = children_of(given) if given is not None and callee(call) in _PARTIAL else []
    if not entries or not single_line(call) or any(entry.type in _SPLATS for entry in entries):
        return
    function, *held = entries
    fixed = [text_of(entry) for entry in held if entry.type != "keyword_argument"]
    named = [text_of(entry) for entry in held if entry.type == "keyword_argument"]
    name = next(one for one in ("value", "x", "arg", "given_value") if one not in text_of(call))
    for own in (name, "*args"):
        yield f"lambda {own}: {text_of(function)}({', '.join([*fixed, own, *named])})"


def _held(function: Node) -> str | None:
    """What a lambda calls and gives it beside its own arguments, where these come last, in order, and the others stay what they
    are.
    """
    parameters, body = function.child_by_field_name("parameters"), function.child_by_field_name("body")
    given = body.child_by_field_name("arguments") if body is not None and body.type == "call" else None
    if body is None or given is None or not single_line(function):
        return None
    own = [text_of(one) for one in children_of(parameters)] if parameters is not None else []
    named = [entry for entry in children_of(given) if entry.type == "keyword_argument"]
    plain = [entry for entry in children_of(given) if entry.type != "keyword_argument"]
    first = plain[: len(plain) - len(own)]
    kept = [*first, *named]
    values = [entry.child_by_field_name("value") or entry for entry in kept]
    constant = all(value.type in (*LITERALS, "identifier") for value in values)
    if not kept or not constant or [text_of(entry) for entry in plain[len(first) :]] != own:
        return None
    if not all(name.isidentifier() for name in own) or {text_of(value) for value in values} & {*own}:
        return None
    return ", ".join([callee(body), *map(text_of, kept)])


PARTIAL = Refactoring("partial", "refactor.rewrite.partial", _propose)
