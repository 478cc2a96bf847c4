"""One more value or type that a test accepts, one fewer, or another: by `isinstance`, `==`, `in`, `startswith`."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterable, Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits
from copydesk.refactorings.expressions import (
    LITERALS,
    callee,
    children_of,
    comparison,
    level_of,
    method_of,
    positional,
    replace_expression,
)  # fmt: skip
from copydesk.refactorings.spoken import listed_like, listed_texts, literals_like, spoken_types
from copydesk.syntax.tree import text_of

_GROUPS = ("tuple", "set", "list")
_MEMBERSHIP = {"==": "in", "!=": "not in"}
_EXACT = {**_MEMBERSHIP, "is": "in", "is not": "not in"}


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    yield from _types(context, arguments)
    yield from _values(context, arguments)


def _types(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    known = [name for name in (*arguments.dotted, *arguments.names) if context.knows(name, type=True)]
    types = list(
        dict.fromkeys([*spoken_types(arguments), *(n for n in known if n.rpartition(".")[2][0].isupper())])
    )
    types = [name for name in types if name not in ("Any", "object", "True", "False", "None")]
    for node in context.walk("subscript"):
        owner, *entries = children_of(node)
        if text_of(owner).rpartition(".")[2] in ("Union", "Literal") and len(entries) > 1:
            olds = [text_of(entry) for entry in entries]
            news = [*types, "None"] if "none" in arguments.words else types
            lists = {f"Drop {old} from the union": [o for o in olds if o != old] for old in olds}
            lists |= {f"Accept {new}, too, in the union": [*olds, new] for new in news if new not in olds}
            for title, kinds in lists.items() if "#" not in text_of(node) else ():
                made = f"{text_of(owner)}[{', '.join(kinds)}]"
                yield f"{title}: {made}", replace_expression(context, node, made)
    for node in context.walk("call"):
        given = positional(node)
        if given is not None and len(given) == 2 and callee(node) in ("isinstance", "issubclass"):
            fitting = [type for type in types if _has(type, _methods_called(node, text_of(given[0])))]
            yield from _of(context, given[1], fitting, f"{text_of(given[0])} a")
    for node in context.walk("comparison_operator"):
        sides = comparison(node)
        if sides is None or callee(sides[0]) != "type" or sides[0].type != "call":
            continue
        left, sign, right = sides
        for new in types:
            if sign in _EXACT and right.type == "identifier" and new != text_of(right):
                made = f"{text_of(left)} {_EXACT[sign]} ({text_of(right)}, {new})"
                yield f"Accept {new}, too: {made}", replace_expression(context, node, made)


def _methods_called(test: Node, subject: str) -> set[str]:
    """What is called on a variable in the block of the `if` whose whole condition is a test of its type."""
    holder = test.parent
    block = holder.child_by_field_name("consequence") if holder is not None else None
    if holder is None or block is None or holder.child_by_field_name("condition") != test:
        return set()
    return set(re.findall(rf"(?<![\w.]){re.escape(subject)}\.(\w+)\(", text_of(block)))


def _has(type: str, methods: Iterable[str]) -> bool:
    """Whether a type, if it is Python's own, has all of these methods."""
    return not hasattr(builtins, type) or all(hasattr(getattr(builtins, type), name) for name in methods)


def _values(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for node in context.walk("comparison_operator"):
        sides = comparison(node)
        if sides is None:
            continue
        left, sign, right = sides
        if sign in _MEMBERSHIP:
            news = _texts_like(right, arguments)
            named = (*arguments.dotted, *arguments.names)
            news += [n for n in named if right.type not in LITERALS and context.knows(n)]
            if right.type == "attribute":
                owner = text_of(right).rpartition(".")[0]
                news += [f"{owner}.{n}" for n in arguments.names if n[0].isupper()]
            if "none" in arguments.words and text_of(right) != "None":
                news.append("None")
            for new in news:
                for pair in (f"({text_of(right)}, {new})", f"({new}, {text_of(right)})"):
                    made = f"{text_of(left)} {_MEMBERSHIP[sign]} {pair}"
                    yield f"Accept {new}, too: {made}", replace_expression(context, node, made)
        elif sign in ("in", "not in") and right.type in _GROUPS:
            entries = children_of(right)
            like = entries[0] if entries else None
            news = _texts_like(like, arguments) if like is not None else []
            news += [n for n in arguments.names if context.knows(n)]
            if "none" in arguments.words:
                news.append("None")
            if arguments.words & {"empty", "blank"}:
                news.append("''")
            what = f"{text_of(left)} one: accept"
            yield from _more(context, right, news, what)
            if len(entries) > 2:
                yield from _fewer(context, right, what)
            for k, entry in enumerate(entries if len(entries) < 3 else ()):
                kept = text_of(entry) if level_of(text_of(entry)) > 5 else f"({text_of(entry)})"
                made = f"{text_of(left)} {_equality(left, sign, entry)} {kept}"
                title = (
                    f"Drop {text_of(entries[1 - k])}" if len(entries) == 2 else "Compare with the only value"
                )
                yield f"{title}: {made}", replace_expression(context, node, made)
    for node in context.walk("call"):
        method, given = method_of(node), positional(node)
        if (
            method is not None
            and given is not None
            and len(given) == 1
            and text_of(method[1]) in ("startswith", "endswith")
        ):
            one = given[0]
            entries = children_of(one) if one.type == "tuple" else [one]
            news = _texts_like(entries[0], arguments) if entries and entries[0].type == "string" else []
            yield from _of(context, one, news, f"accept {text_of(method[0])} {text_of(method[1])}")


def _texts_like(old: Node, arguments: Arguments) -> list[str]:
    """Literals like an old one; those that an instruction lists are one entry, all of them."""
    if old.type not in LITERALS:
        return []
    together, listed = listed_like(text_of(old), arguments), listed_texts(arguments)
    news = literals_like(text_of(old), arguments)
    return [together, *(new for new in news if new[1:-1] not in listed)] if together else news


def _equality(left: Node, sign: str, right: Node) -> str:
    """How one value is compared where `in` compares several: types and None by identity."""
    identity = right.type == "none" or (left.type == "call" and callee(left) == "type")
    return {"in": "is" if identity else "==", "not in": "is not" if identity else "!="}[sign]


def _of(context: RefactoringContext, node: Node, news: list[str], what: str) -> Iterator[Proposal]:
    """What is accepted, one value or several in brackets, with another one, without one, or with one replaced."""
    yield from _more(context, node, news, what)
    yield from _fewer(context, node, what)


def _more(context: RefactoringContext, node: Node, news: list[str], what: str) -> Iterator[Proposal]:
    olds = _accepted(node)
    for new in news:
        if new in olds:
            continue
        for entries in ([*olds, new], [new, *olds]):
            yield f"Accept {new}, too: {what} {', '.join(entries)}", _put(context, node, entries)
        for k, old in enumerate(olds):
            entries = [*olds[:k], new, *olds[k + 1 :]]
            yield f"Accept {new}, not {old}: {what} {', '.join(entries)}", _put(context, node, entries)


def _fewer(context: RefactoringContext, node: Node, what: str) -> Iterator[Proposal]:
    olds = _accepted(node)
    for k, old in enumerate(olds) if len(olds) > 1 else ():
        rest = [*olds[:k], *olds[k + 1 :]]
        yield f"Drop {old}, accept only {', '.join(rest)}: {what}", _put(context, node, rest)
        if len(rest) == 1 and node.type in _GROUPS:
            yield f"Drop {old}, accept no more: {what} {rest[0]}", replace_expression(context, node, rest[0])


def _accepted(node: Node) -> list[str]:
    return [text_of(child) for child in children_of(node)] if node.type in _GROUPS else [text_of(node)]


def _put(context: RefactoringContext, node: Node, entries: list[str]) -> Edits | None:
    opening, closing = {"list": ("[", "]"), "set": ("{", "}")}.get(node.type, ("(", ")"))
    if len(entries) == 1:
        alone = node.type not in _GROUPS or node.type == "tuple"
        if node.type == "tuple" and node.parent is not None and node.parent.type == "comparison_operator":
            return replace_expression(context, node, f"({entries[0]},)")
        text = entries[0] if alone else f"{opening}{entries[0]}{closing}"
        return replace_expression(context, node, text)
    return replace_expression(context, node, f"{opening}{', '.join(entries)}{closing}")


ACCEPT_ANOTHER = Refactoring("accept_another", "refactor.rewrite.acceptAnother", _propose)
