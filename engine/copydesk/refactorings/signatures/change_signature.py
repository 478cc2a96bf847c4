"""Parameters in another order, required, by name alone, gone; methods that need no instance."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import is_text, statements_of
from copydesk.refactorings.calls.call_arguments import append_argument
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.code_words import literal_type
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import (
    Edits,
    combined,
    insert_lines,
    merged,
    replace_lines,
    replace_nodes,
    replace_span,
    rewrite_node,
)
from copydesk.refactorings.expressions import callee, replace_expression
from copydesk.refactorings.parameters import list_parameters, name_of
from copydesk.syntax.splice import end_of
from copydesk.syntax.tree import identifiers, text_of

_PASSED = frozenset({"pass", "hand", "forward", "through", "on", "give", "along", "down"})
"""Words of an instruction that wants a parameter passed on."""
_PLAIN_CALLS = ("len", "isinstance", "str", "int", "list", "dict", "super", "type", "print", "repr")
_MOST_CALLS = 5
_EMPTY = ("[]", "{}", "set()", "dict()", "list()", "()")


def _with(context: RefactoringContext, function: Node, parameters: Sequence[str]) -> Edits | None:
    """The function with other parameters, on lines as they were."""
    node = function.child_by_field_name("parameters")
    if node is None or "#" in text_of(node):
        return None
    text = text_of(node)
    if "\n" not in text:
        return rewrite_node(context.lines, node, f"({', '.join(parameters)})")
    found = re.match(r"\(\n(\s+)", text)
    if found is None:
        return rewrite_node(context.lines, node, f"({', '.join(parameters)})")
    indent = found[1]
    end = re.search(r"\n(\s*)\)$", text)
    inside = f",\n{indent}".join(parameters)
    return rewrite_node(context.lines, node, f"(\n{indent}{inside},\n{end[1] if end else ''})")


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for function in context.starting("function_definition"):
        parameters = list_parameters(function)
        texts = [text_of(p) for p in parameters]
        names = [name_of(p) or text_of(p) for p in parameters]
        first = 1 if names[:1] in (["self"], ["cls"]) else 0
        for at in range(first, len(texts)):
            rest = texts[:at] + texts[at + 1 :]
            if at + 1 < len(texts):
                swapped = [*texts]
                swapped[at], swapped[at + 1] = swapped[at + 1], swapped[at]
                yield (
                    f"Swap the parameters {names[at]} and {names[at + 1]}",
                    _with(context, function, swapped),
                )
            for to in range(first, len(texts)):
                near = abs(to - at) == 1 or to in (first, len(texts) - 1)
                if to != at and (near or names[at].lower() in arguments.words):
                    moved = [*rest[:to], texts[at], *rest[to:]]
                    where = (
                        "first" if to == first else "last" if to == len(texts) - 1 else f"before {names[to]}"
                    )
                    yield f"Move parameter {names[at]} {where}", _with(context, function, moved)
            value = parameters[at].child_by_field_name("value")
            if value is not None:
                bare = text_of(parameters[at])[: -len(text_of(value))].rstrip(" =")
                yield (
                    f"Make {names[at]} required, no default",
                    _with(context, function, [*texts[:at], bare, *texts[at + 1 :]]),
                )
                if text_of(value) in _EMPTY:
                    yield from _mutable(context, function, texts, at, names[at], text_of(value))
            if parameters[at].type.endswith("_separator") or texts[at].startswith("*"):
                yield f"Remove {texts[at]} from the signature", _with(context, function, rest)
            if texts[at].startswith("*") and len(texts[at]) > 1:
                plain = [*texts[:at], texts[at].lstrip("*"), *texts[at + 1 :]]
                yield (
                    f"Take {names[at] or texts[at]} as one argument, without the star",
                    _with(context, function, plain),
                )
        stars = [text for text in texts if not text.startswith("*") or text == "*"]
        if len(stars) + 1 < len(texts):
            yield "Remove *args and **kwargs", _with(context, function, stars)
        if "*" in texts:
            bare_star = [text for text in texts if text != "*"]
            for to in range(first, len(bare_star)):
                moved = [*bare_star[:to], "*", *bare_star[to:]]
                yield (
                    f"Keyword-only from {bare_star[to].split(':')[0].split('=')[0]} on",
                    _with(context, function, moved),
                )
        for new in dict.fromkeys([*_new_parameters(arguments), *_assigned(context, arguments, function)]):
            if new.split(":")[0].split("=")[0].strip() in names:
                continue
            star = next((k for k, text in enumerate(texts) if text.startswith("**")), len(texts))
            for at in dict.fromkeys([star, first, texts.index("*") + 1 if "*" in texts else star]):
                yield f"Add parameter {new}", _with(context, function, [*texts[:at], new, *texts[at:]])
            for what, edits in _uses(context, arguments, function, new):
                yield (
                    f"Add parameter {new} and {what}",
                    merged(_with(context, function, [*texts[:star], new, *texts[star:]]), edits),
                )
            if "*" not in texts and not any(text.startswith("*") for text in texts):
                yield f"Add keyword-only parameter {new}", _with(context, function, [*texts, "*", new])
        for extra in ("*args", "**kwargs"):
            if extra.strip("*") in arguments.words and extra not in texts:
                yield f"Add {extra} to the signature", _with(context, function, [*texts, extra])


def _new_parameters(arguments: Arguments) -> list[str]:
    pairs = [pair for pair in arguments.pairs if pair.split(":")[0].strip().isidentifier()]
    names = [name for name in arguments.names if re.search(r"_", name)][:2]
    return list(dict.fromkeys([*pairs[:3], *arguments.assignments[:2], *names]))


def _assigned(context: RefactoringContext, arguments: Arguments, function: Node) -> Iterator[str]:
    """Attributes that the function gives a value, as parameters with that default."""
    typed = function.child_by_field_name("return_type") is not None
    typed = typed or any(p.type.startswith("typed") for p in list_parameters(function))
    for node in context.walk("assignment"):
        left, right, said = (node.child_by_field_name(field) for field in ("left", "right", "type"))
        if left is None or right is None or not text_of(left).startswith("self."):
            continue
        name, value = text_of(left).removeprefix("self.").lstrip("_"), text_of(right)
        kind = text_of(said) if said is not None else literal_type(value) if typed else None
        if name.isidentifier() and arguments.mentions(name) and "\n" not in value:
            yield f"{name}: {kind} = {value}" if kind else f"{name}={value}"


def _uses(context: RefactoringContext, arguments: Arguments, function: Node, new: str) -> Iterator[Proposal]:
    """What a new parameter is for: an attribute of its name gets it, or calls do."""
    name, body = re.split(r"[:=]", new)[0].strip(), function.child_by_field_name("body")
    if body is None or not name.isidentifier():
        return
    for node in context.walk("assignment"):
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is not None and right is not None and text_of(left) in (f"self.{name}", f"self._{name}"):
            what, value = f"assign it to {text_of(left)}", text_of(right)
            yield what, replace_expression(context, right, name)
            yield f"{what}, else {value}", replace_expression(context, right, f"{name} or {value}")
            if node.child_by_field_name("type") is not None:
                bare = replace_span(context.lines, end_of(left), end_of(node), f" = {name}")
                yield f"{what} without annotation", bare
    passed: list[Edits] = []
    for call in context.walk("call") if arguments.words & _PASSED else ():
        given = call.child_by_field_name("arguments")
        if given is not None and given.type == "argument_list" and call.start_byte > body.start_byte:
            edits = append_argument(context, given, f"{name}={name}")
            passed += [edits] if edits and callee(call) not in _PLAIN_CALLS else []
            yield f"pass it to {callee(call)}", edits
    if 1 < len(passed) < _MOST_CALLS:
        yield "pass it to all calls", combined(context.lines, passed)


def _mutable(
    context: RefactoringContext, function: Node, texts: Sequence[str], at: int, name: str, value: str
) -> Iterator[Proposal]:
    """A default that all calls share, made in each."""
    body = statements_of(function.child_by_field_name("body"))
    first = next((node for node in body if not is_text(node)), None)
    if first is None or not context.starts_line(first):
        return
    indent, line = context.indent(first), first.start_point[0] + 1
    new = texts[at][: -len(value)] + "None"
    signature = _with(context, function, [*texts[:at], new, *texts[at + 1 :]])
    check = [f"{indent}if {name} is None:\n", f"{indent}    {name} = {value}\n"]
    yield f"Mutable default: {name}=None, made in the body", merged(signature, insert_lines(line, check))
    short = [f"{indent}{name} = {name} or {value}\n"]
    yield f"Mutable default: {name}=None, or {value}", merged(signature, insert_lines(line, short))


def _method(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for function in context.starting("function_definition"):
        parameters, body = list_parameters(function), function.child_by_field_name("body")
        if not parameters or body is None or text_of(parameters[0]) not in ("self", "cls"):
            continue
        own = text_of(parameters[0])
        texts = [text_of(p) for p in parameters]
        line = function.start_point[0] + 1
        indent = context.indent(function)
        uses = [node for node in identifiers(body) if text_of(node) == own]
        decorated = function.parent is not None and function.parent.type == "decorated_definition"
        above = context.view(line - 1, line - 1)[0].strip() if line > 1 and decorated else ""
        known = above in ("@staticmethod", "@classmethod")
        if not uses:
            rest = _with(context, function, texts[1:])
            made = replace_lines(line - 1, line - 1, [f"{indent}@staticmethod\n"]) if known else None
            head = made or insert_lines(line, [f"{indent}@staticmethod\n"])
            yield "Make it a static method, staticmethod without self", merged(head, rest)
        if own == "self":
            renamed = replace_nodes(context.lines, [(node, "cls") for node in [parameters[0], *uses]])
            yield (
                "Make it a class method, classmethod with cls",
                merged(insert_lines(line, [f"{indent}@classmethod\n"]), renamed),
            )
            if len(texts) == 1:
                yield "Make it a property", insert_lines(line, [f"{indent}@property\n"])


CHANGE_SIGNATURE = Refactoring("change_signature", "refactor.rewrite.changeSignature", _propose)
METHOD_KIND = Refactoring("method_kind", "refactor.rewrite.methodKind", _method)
