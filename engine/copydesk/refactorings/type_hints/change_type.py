"""The spelling of annotations: unions by `|`, generics in lower case; one more type that is allowed, or one fewer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_node, replace_nodes
from copydesk.refactorings.expressions import single_line
from copydesk.refactorings.type_hints.named_types import is_spelt, named_types
from copydesk.syntax.tree import text_of

_QUOTES = "\"'"
_QUOTED = frozenset({"quote", "quotes", "quoted", "forward", "string"})
"""Words of an instruction that wants a type in quotes."""
_UNION = re.compile(r"(?:typing\.)?(Optional|Union)\[")
_HEAD = re.compile(r"[\w.]+")
_SEQUENCES = ("list", "List", "tuple", "Tuple")
_WIDER = {
    "sequence": (_SEQUENCES, "Sequence"), "sequences": (_SEQUENCES, "Sequence"),
    "iterable": ((*_SEQUENCES, "set", "Set", "frozenset", "Sequence", "Collection", "Iterator"), "Iterable"),
    "iterables": ((*_SEQUENCES, "set", "Set", "frozenset", "Sequence", "Collection", "Iterator"), "Iterable"),
    "collection": ((*_SEQUENCES, "set", "Set", "frozenset", "Sequence"), "Collection"),
    "iterator": ((*_SEQUENCES, "Iterable", "Generator"), "Iterator"), "mapping": (("dict", "Dict"), "Mapping"),
}  # fmt: skip
"""What a type may be instead of one that is narrower, by the word for it."""
_PLAIN = ("Any", "None", "bool", "bytes", "float", "int", "object", "str")
"""Types of which nothing stands in brackets."""
_GENERIC = re.compile(r"\b(?:typing\.)?(List|Dict|Tuple|Set|FrozenSet|Type)\b(?=\[)")


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    types = named_types(context, arguments)
    modern: list[tuple[Node, str]] = []
    generic: list[tuple[Node, str]] = []
    for node in context.starting("type"):
        nested = node.parent is not None and node.parent.type in ("type_parameter", "union_type")
        if nested or not single_line(node):
            continue
        old = text_of(node)
        bars = _evaluable(with_bars(old), context)
        if bars != old:
            modern.append((node, bars))
        if (lower := _lower(old)) != old:
            generic.append((node, lower))
        if any(quote in old for quote in _QUOTES) and "Literal" not in old:
            bare = re.sub(f"[{_QUOTES}]", "", old)
            yield f"Write the type without quotes: {bare}", replace_node(context.lines, node, bare)
        elif arguments.words & _QUOTED:
            yield f'Write the type in quotes: "{old}"', replace_node(context.lines, node, f'"{old}"')
        for title, new in [*_respelt(old, bars, lower), *_unions(old, bars, types, arguments)]:
            said = title.replace("the type", _what(node), 1) if " the type" in title else title
            yield said, replace_node(context.lines, node, _evaluable(new, context))
    optional = [(node, new) for node, new in modern if "Union" not in text_of(node)]
    kept = [(node, new) for node, new in generic if not text_of(node).startswith("Type")]
    for title, some, least in (
        ("Write Optional by | None in all places", optional, len(modern)),
        ("Write list, dict, set and tuple in lower case, builtin generics", kept, len(generic)),
        ("Write all unions by |, modern, Optional and Union", modern, len(modern) + 1),
        ("Write all builtin generics in lower case, modern", generic, len(generic) + 1),
    ):
        if 1 < len(some) < least:
            yield title, replace_nodes(context.lines, some)


def _what(type: Node) -> str:
    """Whose type it is, in words: `the type of x`, `the return type`."""
    above = type.parent
    if above is None or above.type == "function_definition":
        return "the return type"
    named = above.child_by_field_name("name") or above.child_by_field_name("left") or above.named_children[0]
    return f"the type of {text_of(named)}" if single_line(named) and named != type else "the type"


def _evaluable(type: str, context: RefactoringContext) -> str:
    """A union with a type in quotes all in quotes: `|` is no operator of a string. As it is where annotations stay unread."""
    lazy = any(line.startswith("from __future__ import annotations") for line in context.lines)
    if lazy or "|" not in type or not any(quote in type for quote in _QUOTES) or "Literal" in type:
        return type
    return f'"{re.sub(f"[{_QUOTES}]", "", type)}"'


def _lower(type: str) -> str:
    return _GENERIC.sub(lambda found: found[1].lower(), type)


def _respelt(old: str, bars: str, lower: str) -> Iterator[tuple[str, str]]:
    """The same type in the spelling of newer versions of Python."""
    yield f"Write the union by |: {bars} instead of {old}", bars
    yield f"Write the builtin generic: {lower} instead of {old}", lower
    yield f"Write the modern type: {with_bars(lower)} instead of {old}", with_bars(lower)
    parts = _parts(with_bars(old))
    if "None" in parts and len(parts) > 1 and not old.startswith("Optional["):
        rest = [part for part in parts if part != "None"]
        inner = rest[0] if len(rest) == 1 else f"Union[{', '.join(rest)}]"
        yield f"Write Optional: Optional[{inner}] instead of {old}", f"Optional[{inner}]"


def _unions(old: str, bars: str, types: Sequence[str], arguments: Arguments) -> Iterator[tuple[str, str]]:
    """Other types: with one member more or fewer, or one of those that are named."""
    parts = _parts(bars)
    for k, part in enumerate(parts) if len(parts) > 1 else ():
        rest = [*parts[:k], *parts[k + 1 :]]
        yield f"Drop {part} from the type {old}", " | ".join(rest)
        if part == "None":
            yield f"Write None last in the type {old}", " | ".join([*rest, part])
    for extra in dict.fromkeys([*types, "None"]):
        if extra in parts:
            continue
        for k in range(1, len(parts)):
            if parts[k] == "None" or is_spelt(parts[k - 1], arguments):
                made = " | ".join([*parts[:k], extra, *parts[k:]])
                yield f"Allow {extra} in the type too, after {parts[k - 1]}: {made}", made
        if old.startswith("Optional[") and old.endswith("]"):
            made = f"Optional[Union[{old[9:-1]}, {extra}]]"
            yield f"Allow {extra} in the type too: {made}", made
        yield f"Allow {extra} in the type too: {old} | {extra}", f"{old} | {extra}"
        yield f"Change the type {old} to {extra}", extra
    yield f"Change the type {old} to Optional[{old}]: may be None", f"Optional[{old}]"
    head, _, inner = old.partition("[")
    for word, (of, made) in _WIDER.items():
        if word in arguments.words and head in of and inner and made not in types:
            wider = inner.removesuffix(", ...]") + "]" if inner.endswith(", ...]") else inner
            yield f"Change {head} in the type to {made}, any {word}: {made}[{wider}", f"{made}[{wider}"
    for extra in types if inner and _HEAD.fullmatch(head) else ():
        if extra.isidentifier() and extra not in (head, *_PLAIN):
            yield f"Change {head} in the type to {extra}: {extra}[{inner}", f"{extra}[{inner}"
    for extra in types if inner.endswith("]") and "," not in inner else ():
        yield f"Allow {extra} inside the type {old}", f"{head}[{inner[:-1]} | {extra}]"
        yield f"Change the type inside {old} to {extra}", f"{head}[{extra}]"


def _parts(type: str) -> list[str]:
    """The members of a union, from the left."""
    depth, parts = 0, [""]
    for char in type:
        depth += (char in "[(") - (char in "])")
        if char == "|" and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts]


def with_bars(type: str) -> str:
    """`X | None` for `Optional[X]`, `A | B` for `Union[A, B]`, inside out."""
    while found := list(_UNION.finditer(type)):
        last = found[-1]
        depth, at = 1, last.end()
        commas = [last.end() - 1]
        while at < len(type) and depth:
            depth += (type[at] in "[(") - (type[at] in "])")
            if type[at] == "," and depth == 1:
                commas.append(at)
            at += 1
        if depth:
            return type
        ends = [*commas[1:], at - 1]
        parts = [type[a + 1 : b].strip() for a, b in zip(commas, ends, strict=True)]
        parts = [part for part in parts if part] + (["None"] if last[1] == "Optional" else [])
        type = f"{type[: last.start()]}{' | '.join(parts)}{type[at:]}"
    return type


CHANGE_TYPE = Refactoring("change_type", "refactor.rewrite.changeType", _propose, everywhere=True)
