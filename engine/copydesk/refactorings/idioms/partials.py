"""`partial(f, a)` as a lambda, and a lambda that only calls a function with arguments of its own as `partial`."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.expressions import LITERALS, callee, children_of, replace_expression, single_line
from copydesk.syntax.tree import text_of

_PARTIAL = ("partial", "functools.partial")
_SPLATS = ("list_splat", "dictionary_splat")


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for call in context.walk("call"):
        given = call.child_by_field_name("arguments")
        entries = children_of(given) if given is not None and callee(call) in _PARTIAL else []
        if not entries or not single_line(call) or any(entry.type in _SPLATS for entry in entries):
            continue
        function, *held = entries
        fixed = [text_of(entry) for entry in held if entry.type != "keyword_argument"]
        named = [text_of(entry) for entry in held if entry.type == "keyword_argument"]
        name = next(one for one in ("value", "x", "arg") if one not in text_of(call))
        for own in dict.fromkeys([name, "*args"]):
            made = f"lambda {own}: {text_of(function)}({', '.join([*fixed, own, *named])})"
            yield f"Use a lambda instead of partial: {made}", replace_expression(context, call, made)
    spelt = next((one for one in _PARTIAL if context.knows(one)), None)
    spelt = spelt or ("partial" if arguments.words & {"partial", "functools"} else None)
    for node in context.walk("lambda") if spelt is not None else ():
        parameters, body = node.child_by_field_name("parameters"), node.child_by_field_name("body")
        given = body.child_by_field_name("arguments") if body is not None and body.type == "call" else None
        if body is None or given is None or not single_line(node):
            continue
        own = [text_of(one) for one in children_of(parameters)] if parameters is not None else []
        entries = children_of(given)
        plain = [e for e in entries if e.type != "keyword_argument"]
        held = plain[: len(plain) - len(own)]
        behind = [text_of(e) for e in plain[len(held) :]]
        named = [e for e in entries if e.type == "keyword_argument"]
        kept = [text_of(e) for e in (*held, *named)]
        constant = all((e.child_by_field_name("value") or e).type in (*LITERALS, "identifier") for e in (*held, *named))
        if behind == own and kept and constant and all(name.isidentifier() and name not in kept for name in own):
            made = f"{spelt}({', '.join([callee(body), *kept])})"
            yield f"Use partial instead of the lambda: {made}", replace_expression(context, node, made)


PARTIAL = Refactoring("partial", "refactor.rewrite.partial", _propose)
