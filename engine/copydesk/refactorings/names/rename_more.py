"""Names given in other words: to something loosely named, several at once, in texts as well, in a comprehension alone."""

from __future__ import annotations

import itertools
import keyword
import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import is_stored
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, merged, replace_lines, replace_nodes
from copydesk.refactorings.new_names import new_names
from copydesk.refactorings.parameters import name_of, parameters_of
from copydesk.refactorings.texts.fix_spelling import near
from copydesk.refactorings.texts.text_lines import text_lines
from copydesk.syntax.tree import is_label, text_of

_SPELT_OUT = {
    "arg": "argument", "args": "arguments", "attr": "attribute", "buf": "buffer", "cb": "callback", "cfg": "config",
    "cls": "class_", "cmd": "command", "cnt": "count", "conn": "connection", "ctx": "context", "cur": "current", "d": "data",
    "db": "database", "dest": "destination", "dir": "directory", "doc": "document", "e": "error", "elem": "element", "el":
    "element", "err": "error", "ev": "event", "exc": "exception", "ext": "extension", "f": "file", "fn": "function", "fname":
    "filename", "func": "function", "i": "index", "idx": "index", "img": "image", "k": "key", "kw": "kwargs", "l": "line",
    "lst": "items", "loc": "location", "m": "match", "msg": "message", "n": "count", "num": "number", "obj": "object", "op":
    "operation", "p": "path", "param": "parameter", "pos": "position", "prev": "previous", "q": "queue", "r": "result", "ref":
    "reference", "repl": "replacement", "req": "request", "res": "result", "resp": "response", "ret": "result", "s": "text",
    "sep": "separator", "seq": "sequence", "src": "source", "sz": "size", "t": "time", "tmp": "temporary", "tok": "token",
    "txt": "text", "v": "value", "val": "value", "var": "variable", "x": "value",
}  # fmt: skip
"""Usual abbreviations, spelt out."""
_COMPREHENSIONS = (
    "list_comprehension",
    "set_comprehension",
    "dictionary_comprehension",
    "generator_expression",
)


def _variables(context: RefactoringContext) -> dict[str, list[Node]]:
    """What the selection itself names: parameters, and what is assigned to; with all the places of each."""
    given = {name_of(p) for p in parameters_of(context)} - {"", "self", "cls"}
    places: dict[str, list[Node]] = {}
    for node in context.walk("identifier"):
        if not is_label(node):
            places.setdefault(text_of(node), []).append(node)
            if is_stored(node) or _is_parameter(node):
                given.add(text_of(node))
    return {name: nodes for name, nodes in places.items() if name in given}


def _is_parameter(node: Node) -> bool:
    parent = node.parent
    while parent is not None and parent.type in (
        "typed_parameter",
        "list_splat_pattern",
        "dictionary_splat_pattern",
        "as_pattern_target",
    ):
        parent = parent.parent
    return parent is not None and parent.type in (
        "parameters",
        "lambda_parameters",
        "default_parameter",
        "typed_default_parameter",
        "as_pattern",
    )


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    variables = _variables(context)
    news = new_names(context, arguments, 3)
    spelt = [name for name in variables if arguments.mentions(name)]
    loose = [name for name in variables if name not in spelt]
    for old in [*spelt, *loose]:
        targets = list(news)
        if old in spelt:
            targets += _derived(old, context)
            targets += [name for name in arguments.names if name not in context.names()]
        for new in list(dict.fromkeys(targets))[:12]:
            if new != old and not keyword.iskeyword(new):
                title = f'Rename "{old}" to "{new}"'
                yield from _renamed(context, title, old, variables[old], new)
    yield from _pairs(context, arguments, variables)
    yield from _unused(context, variables)


def _derived(old: str, context: RefactoringContext) -> list[str]:
    """A name spelt otherwise: out, without numbers or underscores, in the plural, in one style or the other."""
    found = [
        _SPELT_OUT.get(old),
        re.sub(r"\d+", "", old),
        old.lstrip("_"),
        old.rstrip("_"),
        f"{old}_",
        f"_{old}",
        f"{old}s",
    ]
    found.append(old.removesuffix("s"))
    found.append(re.sub(r"(?<=[a-z0-9])([A-Z])", lambda m: f"_{m[1].lower()}", old))
    found.append(re.sub(r"_([a-z])", lambda m: m[1].upper(), old))
    found.append("_".join(_SPELT_OUT.get(part, part) for part in old.split("_")))
    words = set(re.findall(r"[^\W\d]\w*", "".join(context.lines[n - 1] for n in context.numbers())))
    if len(old) > 1:
        found += [
            word for word in sorted(words) if word.startswith(old) and word.islower() and "_" not in word
        ][:2]
    if len(old) > 5:
        found += near(old, words)[:1]
    return [
        name for name in dict.fromkeys(found) if name and name.isidentifier() and name not in context.names()
    ]


def _renamed(
    context: RefactoringContext, title: str, old: str, nodes: Sequence[Node], new: str
) -> Iterator[Proposal]:
    yield title, replace_nodes(context.lines, [(node, new) for node in nodes])
    if context.derived(_text_words) & {old}:
        yield f"{title}, in texts too", _everywhere(context, old, new)
    bare = [node for node in nodes if not _in_annotation(node)]
    if len(bare) < len(nodes):
        yield f"{title}, not the type", replace_nodes(context.lines, [(node, new) for node in bare])
    for scope in context.walk(*_COMPREHENSIONS):
        inside = [n for n in nodes if scope.start_byte <= n.start_byte and n.end_byte <= scope.end_byte]
        if inside and len(inside) < len(nodes) and any(is_stored(n) for n in inside):
            yield f"{title} in the comprehension", replace_nodes(context.lines, [(n, new) for n in inside])


def _in_annotation(node: Node) -> bool:
    above = node.parent
    while above is not None and above.type not in ("block", "parameters", "module"):
        if above.type == "type":
            return True
        above = above.parent
    return False


def _text_words(context: RefactoringContext) -> frozenset[str]:
    """The words of comments and strings."""
    return frozenset(word for place in text_lines(context) for word in re.findall(r"\w+", place.text))


def _everywhere(context: RefactoringContext, old: str, new: str) -> Edits | None:
    """The name, and the word in comments and texts; not what is another's attribute or keyword."""
    labels = {
        (n.start_point[0], n.start_point[1])
        for n in context.walk("identifier")
        if text_of(n) == old and is_label(n)
    }
    word = re.compile(rf"(?<![\w.]){re.escape(old)}(?!\w)")
    found: list[Edits] = []
    for number in context.numbers():
        (line,) = context.view(number, number)
        places = [
            m.span()
            for m in word.finditer(line)
            if (number - 1, len(line[: m.start()].encode())) not in labels
        ]
        made = line
        for start, end in reversed(places):
            made = made[:start] + new + made[end:]
        if made != line:
            found.append(replace_lines(number, number, [made]))
    return merged(*found)


def _pairs(
    context: RefactoringContext, arguments: Arguments, variables: dict[str, list[Node]]
) -> Iterator[Proposal]:
    """As many new names as old ones, in order."""
    order = list(re.findall(r"[^\W\d]\w*", arguments.instruction))
    olds = [word for word in dict.fromkeys(order) if word in variables]
    given = new_names(context, arguments, 6)
    news = [word for word in dict.fromkeys(order) if word in given]
    news = sorted(news, key=order.index)
    for found in re.finditer(
        r"(\w+)`?, ?`?(\w+)`?\W+(?:to |as |into |should be |be )?`?(\w+)`?(?:,| and) ?`?(\w+)",
        arguments.instruction,
    ):
        group, tail = list(found.groups()[:2]), list(found.groups()[2:])
        if (
            all(name in variables for name in group)
            and not set(tail) & context.names()
            and all(map(str.isidentifier, tail))
        ):
            nodes = [(node, new) for old, new in zip(group, tail, strict=True) for node in variables[old]]
            yield (
                f"Rename {group[0]} to {tail[0]}, {group[1]} to {tail[1]}",
                replace_nodes(context.lines, nodes),
            )
    asked = arguments.words & {"rename", "call", "called", "name", "names", "to", "should", "be"}
    for count in (2, 3) if asked or re.search(r"->|→|=>|:|/", arguments.instruction) else ():
        for start in range(max(1, len(olds) - count + 1)):
            for tail in (news[-count:], news[:count]):
                group = olds[start : start + count]
                if len(group) == len(tail) == count:
                    nodes = [
                        (node, new) for old, new in zip(group, tail, strict=True) for node in variables[old]
                    ]
                    pairs = ", ".join(f"{old} to {new}" for old, new in zip(group, tail, strict=True))
                    yield f"Rename {pairs}", replace_nodes(context.lines, nodes)
    if len(variables) >= 2 and len(news) == 2:
        names = list(variables)
        for one, two in itertools.pairwise(names):
            nodes = [(node, new) for old, new in ((one, news[0]), (two, news[1])) for node in variables[old]]
            yield f"Rename {one} to {news[0]}, {two} to {news[1]}", replace_nodes(context.lines, nodes)
    prefixes = [name for name in variables if any(new.endswith(f"_{name}") for new in news)]
    if len(prefixes) > 1:
        nodes = [
            (node, next(new for new in news if new.endswith(f"_{old}")))
            for old in prefixes
            for node in variables[old]
        ]
        yield f"Rename {', '.join(prefixes)}", replace_nodes(context.lines, nodes)
    numbered = {old: re.sub(r"\d+", "", old) for old in variables if re.search(r"\d", old)}
    if (
        len(numbered) > 1
        and len(set(numbered.values())) == len(numbered)
        and not set(numbered.values()) & set(context.names())
    ):
        nodes = [(node, new) for old, new in numbered.items() for node in variables[old]]
        yield "Rename without the numbers", replace_nodes(context.lines, nodes)


def _unused(context: RefactoringContext, variables: dict[str, list[Node]]) -> Iterator[Proposal]:
    lonely = {
        name: nodes
        for name, nodes in variables.items()
        if len(nodes) == 1 and is_stored(nodes[0]) and name != "_"
    }
    for name, nodes in lonely.items():
        yield f'Name the unused "{name}" _', replace_nodes(context.lines, [(nodes[0], "_")])
    if len(lonely) > 1:
        yield (
            "Name all unused variables _, underscores",
            replace_nodes(context.lines, [(nodes[0], "_") for nodes in lonely.values()]),
        )


RENAME_MORE = Refactoring("rename_more", "refactor.rewrite.renameMore", _propose)
