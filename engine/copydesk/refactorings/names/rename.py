"""Rename: another name for a name of the selection, alone, together with others, or in texts as well."""

from __future__ import annotations

import builtins
import keyword
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import COMPREHENSIONS, function_of, is_stored
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.direction import is_reversed
from copydesk.refactorings.edits import Edits, merged, replace_lines, replace_nodes
from copydesk.refactorings.names.documented import documented
from copydesk.refactorings.names.whole_variable import called_with, is_parameter, lines_elsewhere
from copydesk.refactorings.new_names import may_name, new_names
from copydesk.refactorings.parameters import name_of, parameters_of
from copydesk.refactorings.spoken import TYPES
from copydesk.refactorings.texts.fix_spelling import near
from copydesk.refactorings.texts.text_lines import text_lines
from copydesk.syntax.splice import Splice, end_of, spliced, start_of
from copydesk.syntax.tree import identifiers, is_label, text_of
from copydesk.text.singular import singular

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
Places: TypeAlias = dict[str, list[Node]]
"""Where each name stands."""
_TYPE_NAMES = frozenset({*TYPES, "ClassVar", "Final", "Optional", "Union"})
_MOST_TARGETS = 12
"""New names of one variable that are guessed or loosely named."""
_STARRED = re.compile(r"(?<![\w*])(\*{1,2})([^\W\d]\w*)")
_UNDERSCORE = frozenset({"underscore", "underscores", "unused", "private", "leading", "_"})
_NO_NAMES = frozenset({
    "about", "bad", "better", "call", "called", "clearer", "confusing", "could", "cryptic", "doesn", "fine", "good", "isn",
    "misleading", "name", "named", "nicer", "noise", "nothing", "please", "pointless", "poor", "prefer", "rather", "really",
    "rename", "renamed", "says", "shorter", "taken", "vague", "var", "what", "wrong",
})  # fmt: skip
"""Words of an instruction about names that are hardly the new one."""
_MARKED_NAMES = _UNDERSCORE | frozenset({
    "shadow", "shadows", "shadowing", "builtin", "builtins", "trailing", "public", "internal", "protected", "hide", "hidden",
    "dunder", "keyword", "clash", "clashes",
})  # fmt: skip
_NUMBER = frozenset({
    "plural", "singular", "single", "several", "many", "multiple", "list", "lists", "collection", "one", "more", "all", "them",
    "just", "only",
})  # fmt: skip
_STYLE = frozenset({
    "snake", "camel", "case", "snake_case", "camelcase", "snakecase", "pep8", "pep", "style", "pythonic", "lower", "lowercase",
    "convention", "java", "mixed",
})  # fmt: skip
"""Words of an instruction about underscores at the ends of a name, about its number, and about how its words are joined."""
_AFFIXES = frozenset({"prefix", "prefixes", "suffix", "suffixes", "part", "ending"})
_LESS = _AFFIXES | frozenset({
    "without", "drop", "remove", "lose", "noise", "redundant", "needless", "pointless",
    "unnecessary", "superfluous", "needed", "need",
})  # fmt: skip
"""Words of an instruction that wants a name shorter by a part of it."""
_OF_TEXTS = frozenset({
    "text", "texts", "comment", "comments", "docstring", "docstrings", "doc", "docs", "documentation", "message", "messages",
    "string", "strings", "everywhere", "throughout", "mentions",
})  # fmt: skip
"""Words of an instruction that wants another name in texts, too."""
_OF_A_PART = frozenset({
    "second", "again", "reuse", "reuses", "reused", "reusing", "reassign", "reassigns", "reassigned", "rebind", "rebound",
    "overwrite", "overwrites", "overwritten", "shadow", "shadows", "shadowed", "from", "after", "afterwards", "later", "below",
    "then", "different", "other", "another", "twice", "two", "separate", "own", "new", "one", "same", "once", "last", "line",
    "meanings", "inner", "outer", "stripped", "parsed", "converted", "decoded", "result",
})  # fmt: skip
"""Words of an instruction that wants another name from where a variable is given another value."""
_FOR = ("for_statement", "for_in_clause")
_SPELLING = frozenset({
    "spell", "spells", "spelled", "spelt", "spelling", "abbreviate", "abbreviated", "abbreviation", "abbreviations",
    "unabbreviated", "cryptic",
})  # fmt: skip
"""Words of an instruction that wants a short name spelt out."""
_WORD = re.compile(r"[^\W\d]\w*")
_NEW_FOR_OLD = re.compile(
    r"([^\W\d]\w*)`?(?:,| and|/) ?`?([^\W\d]\w*)`? (?:for|instead of|rather than|in place of|not) `?(\w+)`?(?:,| and|/) ?`?(\w+)"
)
"""Two new names before the old ones."""
_SPECIAL = re.compile(r"__\w+__")


def rename(old: str, new: str, context: RefactoringContext, *, sure: bool = True) -> Edits | None:
    """Where nothing else has the new name, and neither a caller nor a line that is not selected the old one; in docstrings and
    comments too, where they name it. sure: that there is no such name means that nothing is left to do.
    """
    if keyword.iskeyword(new) or keyword.iskeyword(old) or old == new:
        return None
    names = list(context.walk("identifier"))
    mine = [node for node in names if text_of(node) == old]
    if not mine:
        word = re.compile(rf"(?<!\w){old}(?!\w)", re.IGNORECASE)  # a sentence may begin with it
        said = any(word.search(context.lines[n - 1]) for n in context.numbers())
        return () if sure and not said else None  # a text or a comment may be meant
    if any(text_of(node) == new for node in names):
        return None  # two things would have one name
    variables = [node for node in mine if not is_label(node)]
    if variables and lines_elsewhere(context, variables):
        return None
    if any(map(_is_method, variables)) or any(_is_given(node, names) for node in mine):
        return None  # others may call it
    return _replaced(context, [(variables or mine, new)])


def rename_all(pairs: Sequence[tuple[str, str]], context: RefactoringContext) -> Edits | None:
    """Several names at once, each of a variable that is selected with all its places; None where one is not, or two meet."""
    names = list(context.walk("identifier"))
    there = {text_of(node) for node in names} | set(dir(builtins))
    renamed: list[tuple[Sequence[Node], str]] = []
    for old, new in pairs:
        mine = [node for node in names if text_of(node) == old and not is_label(node)]
        bound = any(is_stored(node) or is_parameter(node) for node in mine)
        if not bound or new in there or keyword.iskeyword(new) or lines_elsewhere(context, mine):
            return None
        if any(_is_given(node, names) for node in names if text_of(node) == old and is_label(node)):
            return None
        renamed.append((mine, new))
    apart = len({old for old, _ in pairs}) == len({new for _, new in pairs}) == len(pairs)
    return _replaced(context, renamed) if apart else None


def _replaced(context: RefactoringContext, renamed: Iterable[tuple[Sequence[Node], str]]) -> Edits | None:
    """Variables, each by all its places, under new names; and in what documents them."""
    splices: list[Splice] = []
    for nodes, new in renamed:
        splices += [Splice(start_of(node), end_of(node), new) for node in nodes]
        splices += documented(context, nodes, new)
    return spliced(context.lines, splices) or None


def _is_given(label: Node, names: Sequence[Node]) -> bool:
    """Whether it names an argument in a call of a function that is selected, too: then it is the parameter."""
    defined = {text_of(n) for n in names if n.parent is not None and n.parent.type == "function_definition"}
    return called_with(label) in defined


def _is_method(name: Node) -> bool:
    function = name.parent
    if (
        function is None
        or function.type != "function_definition"
        or function.child_by_field_name("name") != name
    ):
        return False
    node = function.parent
    while node is not None and node.type in ("block", "decorated_definition"):
        node = node.parent
    return node is not None and node.type == "class_definition"


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    places: Places = {}
    for node in context.walk("identifier"):
        if not is_label(node):
            places.setdefault(text_of(node), []).append(node)
    own = {name_of(p) for p in parameters_of(context)} - {"", "self", "cls"}
    variables = {
        name: nodes
        for name, nodes in places.items()
        if (name in own or any(is_stored(node) or is_parameter(node) or _is_defined(node) for node in nodes))
        and not _SPECIAL.fullmatch(name)
        and (name not in ("self", "cls") or arguments.mentions(name))
        and not lines_elsewhere(context, nodes)
    }
    asked = bool(arguments.words & {"rename", "call", "called", "name", "named"})
    refused = _SPELLING if asked else _SPELLING | _TYPE_NAMES  # "x is a list" says its type
    if arguments.words & _LESS:
        refused |= {mark for name in places for part in name.split("_") for mark in (f"_{part}", f"{part}_")}
    news = [name for name in arguments.names if name not in refused]
    wanted = [name for name in news if name not in places and may_name(name)]
    for old in places:
        if hasattr(builtins, old) and old not in variables:
            continue  # "name the exception exc": `Exception` is not the module's to rename
        for new in wanted if old.lower() in arguments.words else ():
            if is_reversed(old, new, arguments.instruction):
                continue
            yield f'Rename "{old}" to "{new}"', rename(old, new, context)
    loose = [name for name in new_names(context, arguments, 3) if name not in refused]
    texts_too = bool((arguments.words & _OF_TEXTS).difference(loose))
    spells = bool(arguments.words & _SPELLING)
    if spells:
        yield from _all_spelt_out(context, variables)
    for old in sorted(variables, key=lambda name: not arguments.mentions(name)):
        if (shorter := _shortened(old, arguments)) and shorter not in context.variables():
            yield f'Rename "{old}" to "{shorter}"', _replaced(context, [(variables[old], shorter)])
            continue
        targets = [*_parts_said(old, arguments, context), *_underscored(old, arguments), *loose]
        if spells:
            named = loose if arguments.mentions(old) else []
            targets = [*_spelt_out(old, variables[old], context), *named]
        elif arguments.mentions(old):
            targets += _spelt_otherwise(old, arguments, context)
            targets += [name for name in news if name not in context.variables() and name not in _NO_NAMES]
        for new in list(dict.fromkeys(targets))[:_MOST_TARGETS]:
            if new != old and not keyword.iskeyword(new) and not is_reversed(old, new, arguments.instruction):
                kind = "" if arguments.mentions(old) else _kind_said(variables[old][0], arguments)
                kind = "the abbreviation " if arguments.words & {"abbreviation", "abbreviations"} else kind
                yield from _renamed(context, arguments, variables[old], new, kind, texts_too)
    usual = [
        ({"args": "*", "kwargs": "**"}[name], name) for name in arguments.names if name in ("args", "kwargs")
    ]
    for stars, new in dict.fromkeys([*_STARRED.findall(arguments.instruction), *usual]):
        for old, places_of in variables.items():
            if old != new and not keyword.iskeyword(new) and any(_stars(node) == stars for node in places_of):
                yield f'Rename "{stars}{old}" to "{stars}{new}"', rename(old, new, context)
    names = list(context.walk("identifier"))
    for pairs in _pairs(context, arguments, variables):
        if any(is_reversed(old, new, arguments.instruction) for old, new in pairs):
            continue
        given = {text_of(n) for n in names if is_label(n) and _is_given(n, names)}
        if given.intersection(old for old, _ in pairs):
            continue
        title = ", ".join(f"{old} to {new}" for old, new in pairs)
        yield f"Rename {title}", _replaced(context, [(variables[old], new) for old, new in pairs])
    yield from _unused(context, variables)
    idle = [
        (places[name][0], f"_{name}") for name in own if name[0] != "_" and len(places.get(name, ())) == 1
    ]
    if len(idle) > 1 and arguments.words & _UNDERSCORE:
        yield "Mark the unused parameters with a leading underscore", replace_nodes(context.lines, idle)


def _stars(node: Node) -> str:
    """Of a parameter that takes all other arguments; none of any other name."""
    kinds = {"list_splat_pattern": "*", "dictionary_splat_pattern": "**"}
    return kinds.get(node.parent.type, "") if node.parent is not None else ""


def _is_defined(node: Node) -> bool:
    """Whether it names a function where that is defined."""
    return node.parent is not None and node.parent.type == "function_definition"


def _parts_said(old: str, arguments: Arguments, context: RefactoringContext) -> list[str]:
    """Words of an instruction that are a part of a name or short for it, or that it is short for."""
    words = dict.fromkeys(_WORD.findall(arguments.instruction))
    head, tail = old.partition("_")[::2] if "_" in old else ("", "")
    without = head in words or f"{head}_" in words or "prefix" in words
    found = [tail] if tail and without else []
    found += [
        word
        for word in words
        if 1 < len(word) != len(old) and (_is_part(word, old) or (word.startswith(old) and word.islower()))
    ]
    return [name for name in found if may_name(name) and name not in context.variables()]


def _shortened(old: str, arguments: Arguments) -> str:
    """A name without the part of it that an instruction wants to go, its first or last one; empty where that says so of none."""
    parts, words = old.split("_"), set(_WORD.findall(arguments.instruction))
    if not words & _LESS or len(parts) < 2 or not all(parts):
        return ""
    marked = [part for part in (parts[0], parts[-1]) if f"_{part}" in words or f"{part}_" in words]
    plain = [part for part in (parts[0], parts[-1]) if part in words and words & _AFFIXES]
    gone = marked or plain
    return "_".join(part for part in parts if part not in gone) if gone else ""


def _is_part(word: str, name: str) -> bool:
    """Whether a name begins or ends with a word, or has its letters in this order and begins with the same one."""
    letters = iter(name.lower())
    short = word[0] == name[0] and all(letter in letters for letter in word)
    return name.endswith(word) or name.startswith(word) or word in name.split("_") or short


def _underscored(old: str, arguments: Arguments) -> list[str]:
    if not arguments.words & _UNDERSCORE:
        return []
    return [old.lstrip("_"), old.rstrip("_")] if old.strip("_") != old else [f"_{old}"]


def _spelt_otherwise(old: str, arguments: Arguments, context: RefactoringContext) -> list[str]:
    """Spelt out, without numbers or underscores, in the plural, in one style or the other."""
    said = arguments.words
    found: list[str | None] = [_SPELT_OUT.get(old), _without_digits(old)]
    if said & _MARKED_NAMES:
        found += [old.lstrip("_"), old.rstrip("_"), f"{old}_", f"_{old}"]
    if said & _NUMBER:
        found += [f"{old}s", old.removesuffix("s"), singular(old)]
    if said & _STYLE:
        found += [_in_snake_case(old), re.sub(r"_([a-z])", lambda m: m[1].upper(), old)]
    found += ["_".join(_SPELT_OUT.get(part, part) for part in old.split("_")), _of_initials(old, context)]
    words = set(_WORD.findall("".join(context.lines[n - 1] for n in context.numbers())))
    if len(old) > 1:
        longer = [word for word in sorted(words) if word.startswith(old) and word.islower()]
        found += [word for word in longer if "_" not in word][:2]
    if len(old) > 5:
        found += near(old, words)[:1]
    return [
        name
        for name in dict.fromkeys(found)
        if name and name.isidentifier() and name not in context.variables()
    ]


def _spelt_out(old: str, nodes: Sequence[Node], context: RefactoringContext) -> list[str]:
    """What a short name may be short for: what a loop takes it from, the usual word, what other names say."""
    loops = [node.parent for node in nodes if node.parent is not None and node.parent.type in _FOR]
    sources = [source for loop in loops if (source := loop.child_by_field_name("right")) is not None]
    entries = [singular(re.split(r"[\[(]", text_of(source))[0].rpartition(".")[2]) for source in sources]
    found = [
        *(entry for entry in entries if entry is not None and entry[0] == old[0].lower()),
        "_".join(_SPELT_OUT.get(part, part) for part in old.split("_")),
        _of_initials(old, context),
    ]
    return [
        name
        for name in dict.fromkeys(found)
        if name and name != old and name.isidentifier() and name not in context.variables()
    ][:2]


def _all_spelt_out(context: RefactoringContext, variables: Places) -> Iterator[Proposal]:
    spelt = {old: _spelt_out(old, nodes, context)[:1] for old, nodes in variables.items()}
    pairs = [(old, new) for old, news in spelt.items() for new in news]
    if len(pairs) > 1 and len({new for _, new in pairs}) == len(pairs):
        title = ", ".join(f"{old} to {new}" for old, new in pairs)
        renamed = [(variables[old], new) for old, new in pairs]
        yield f"Spell out all abbreviations: {title}", _replaced(context, renamed)


def _of_initials(old: str, context: RefactoringContext) -> str | None:
    """`grapheme_width` for `g_w`, where the selection has these words: those first that it has most often."""
    parts = old.split("_")
    if not all(len(part) == 1 and part.isalpha() for part in parts):
        return None
    told = context.derived(_parts_of_names)
    found = [next((word for word in told if word[0] == part), None) for part in parts]
    return "_".join(word for word in found if word) if all(found) else None


def _parts_of_names(context: RefactoringContext) -> list[str]:
    """The words that names are made of, in the singular, the commonest first."""
    parts = Counter(
        part
        for node in context.walk("identifier")
        for part in re.findall(r"[a-z]{4,}", text_of(node).lower())
    )
    return list(dict.fromkeys(singular(part) or part for part, _ in parts.most_common()))


def _without_digits(name: str) -> str:
    return re.sub(r"\d+", "", name)


def _without_underscores(name: str) -> str:
    return name.strip("_")


def _in_snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z]+)", lambda found: f"_{found[1].lower()}", name)


def _kind_said(store: Node, arguments: Arguments) -> str:
    """What a name is the name of, where the instruction says such a word."""
    parent = store.parent
    kinds: tuple[str, ...] = ("variable",)
    if is_parameter(store):
        kinds = ("parameter", "argument")
    elif parent is not None and parent.type == "class_definition":
        kinds = ("class",)
    elif parent is not None and parent.type == "function_definition":
        kinds = ("method", "function") if _is_method(store) else ("function",)
    return next((f"the {kind} " for kind in kinds if kind in arguments.words), "")


def _renamed(
    context: RefactoringContext,
    arguments: Arguments,
    nodes: Sequence[Node],
    new: str,
    kind: str,
    texts_too: bool,
) -> Iterator[Proposal]:
    """texts_too: whether texts are spoken of. kind: what is said of it, with a blank behind (`the parameter `), or nothing."""
    old = text_of(nodes[0])
    title = f'Rename {kind}"{old}" to "{new}"'

    def only(some: Iterable[Node]) -> Edits | None:
        return replace_nodes(context.lines, [(node, new) for node in some])

    yield title, _replaced(context, [(nodes, new)])
    if texts_too and old in context.derived(_text_words):
        yield f"{title}, in texts too", _everywhere(context, old, new)
    bare = [node for node in nodes if not _in_annotation(node)]
    if len(bare) < len(nodes):
        yield f"{title}, not the type", only(bare)
    stores = [node for node in nodes if is_stored(node) or is_parameter(node)]
    for store in stores[1:] if arguments.words & _OF_A_PART else ():
        end = _given(store).end_byte
        yield (
            f"{title} from line {store.start_point[0] + 1} on",
            only(node for node in nodes if node == store or node.start_byte >= end),
        )
    for scope in context.walk(*COMPREHENSIONS):
        inside = [n for n in nodes if scope.start_byte <= n.start_byte and n.end_byte <= scope.end_byte]
        if inside and len(inside) < len(nodes) and any(is_stored(n) for n in inside):
            yield f"{title} in the comprehension", only(inside)


def _given(store: Node) -> Node:
    """The assignment that gives a variable its value, or the name itself where something else does."""
    above = store.parent
    while above is not None and above.type in ("pattern_list", "tuple_pattern", "list_pattern"):
        above = above.parent
    return above if above is not None and above.type == "assignment" else store


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
    labels = {n.start_point for n in context.walk("identifier") if text_of(n) == old and is_label(n)}
    word = re.compile(rf"(?<![\w.]){re.escape(old)}(?!\w)")
    found: list[Edits] = []
    for number in context.numbers():
        (line,) = context.view(number, number)

        def replaced(match: re.Match[str], line: str = line, row: int = number - 1) -> str:
            return old if (row, len(line[: match.start()].encode())) in labels else new

        if (made := word.sub(replaced, line)) != line:
            found.append(replace_lines(number, number, [made]))
    return merged(*found)


def _pairs(
    context: RefactoringContext, arguments: Arguments, variables: Places
) -> Iterator[list[tuple[str, str]]]:
    """Several old names, each with its new one: in order, by what they end in, or without their numbers."""
    order = list(dict.fromkeys(_WORD.findall(arguments.instruction)))
    olds = [word for word in order if word in variables]
    given = new_names(context, arguments, 6)
    news = [word for word in order if word in given]
    for found in re.finditer(
        r"(\w+)`?(?:,| and|/) ?`?(\w+)`?\b(?:\W+(?:to|as|into|should|be|are|called|named|call them|call those|name them))*"
        r"(?:.{0,40}?(?:call them|call those|name them|to|as|->|:|,))? *`?(\w+)`?(?:,| and|/) ?`?(\w+)",
        arguments.instruction,
    ):
        group, tail = found.groups()[:2], found.groups()[2:]
        free = not set(tail) & context.variables() and all(map(str.isidentifier, tail))
        if free and all(name in variables for name in group):
            yield list(zip(group, tail, strict=True))
    for found in _NEW_FOR_OLD.finditer(arguments.instruction):
        tail, group = found.groups()[:2], found.groups()[2:]
        if all(name in variables for name in group) and not set(tail) & context.variables():
            yield list(zip(group, tail, strict=True))
    asked = arguments.words & {"rename", "call", "called", "name", "names", "to", "should", "be", "instead"}
    for count in (2, 3) if asked or re.search(r"->|→|=>|:|/", arguments.instruction) else ():
        for start in range(max(0, len(olds) - count + 1)):
            for some in (news[-count:], news[:count]):
                if len(some) == count:
                    yield list(zip(olds[start : start + count], some, strict=True))
    if len(news) == 2:
        yield from (list(zip(two, news, strict=True)) for two in pairwise(variables))
    longer = {old: next((new for new in news if new.endswith(f"_{old}")), "") for old in variables}
    for made in (
        longer,
        *(
            {old: spell(old) for old in variables}
            for spell in (_without_digits, _in_snake_case, _without_underscores)
        ),
    ):
        pairs = [(old, new) for old, new in made.items() if new and new != old]
        if len({new for _, new in pairs} - context.variables()) == len(pairs) > 1:
            yield pairs


def _unused(context: RefactoringContext, variables: Places) -> Iterator[Proposal]:
    lonely = [
        (nodes[0], "_")
        for name, nodes in variables.items()
        if len(nodes) == 1 and is_stored(nodes[0]) and name != "_"
    ]
    for node, _ in lonely:
        yield f'Name the unused "{text_of(node)}" _', replace_nodes(context.lines, [(node, "_")])
    if len(lonely) > 1:
        yield "Name all unused variables _, underscores", replace_nodes(context.lines, lonely)
    idle: list[tuple[Node, str]] = []
    for loop in context.walk("for_statement", *COMPREHENSIONS):
        heads = (
            [loop]
            if loop.type == "for_statement"
            else [n for n in loop.named_children if n.type == "for_in_clause"]
        )
        targets = [target for head in heads if (target := head.child_by_field_name("left")) is not None]
        bound = [n for t in targets for n in _plain_targets(t)]
        whole = loop if loop.type != "for_statement" else function_of(loop) or loop.parent or loop
        for node in bound:
            inside = [n for n in identifiers(whole) if text_of(n) == text_of(node) and not is_label(n)]
            again = (
                [n for n in inside if not _is_other_loop(n, loop)] if loop.type == "for_statement" else inside
            )
            if len(again) == 1 and text_of(node) != "_" and (node, "_") not in lonely:
                idle.append((node, "_"))
                yield (
                    f'Name the unused "{text_of(node)}" of the loop _',
                    replace_nodes(context.lines, [(node, "_")]),
                )
    if len(idle) > 1:
        yield "Name all unused variables of the loops _, underscores", replace_nodes(context.lines, idle)


def _plain_targets(target: Node) -> list[Node]:
    """The variables that a loop binds, none that is a part of an attribute or a subscript."""
    if target.type == "identifier":
        return [target]
    inner = target.named_children if target.type in ("pattern_list", "tuple_pattern") else ()
    return [name for child in inner for name in _plain_targets(child)]


def _is_other_loop(name: Node, loop: Node) -> bool:
    """Whether it stands in another loop or comprehension that binds it anew."""
    above = name.parent
    while above is not None and above != loop and above.type != "function_definition":
        heads = [above] if above.type == "for_statement" else []
        if above.type in COMPREHENSIONS:
            heads = [n for n in above.named_children if n.type == "for_in_clause"]
        for head in heads:
            target = head.child_by_field_name("left")
            if target is not None and any(text_of(n) == text_of(name) for n in _plain_targets(target)):
                return True
        above = above.parent
    return False


RENAME = Refactoring("rename", "refactor.rewrite.rename", _propose)
