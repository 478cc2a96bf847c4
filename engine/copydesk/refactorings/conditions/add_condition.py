"""One more condition for an `if`, a loop, or wherever something is tested."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import is_late
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, insert_at
from copydesk.refactorings.expressions import (
    NAMES,
    bare,
    callee,
    children_of,
    comparison,
    conditions,
    is_mentioned,
    level_of,
    mentioned,
    operands,
    replace_expression,
    single_line,
    variables,
)
from copydesk.refactorings.parameters import plain_names
from copydesk.refactorings.requested import affix_tests
from copydesk.refactorings.spoken import named_in, spoken_types
from copydesk.syntax.splice import end_of, start_of
from copydesk.syntax.tree import text_of

_STATES = (
    ("none null missing unset set given absent without any", "{0} is not None", "{0} is None"),
    ("none null missing unset crash crashes", "{0}", "not {0}"),
    ("empty blank falsy truthy there any nothing", "{0}", "not {0}"),
    ("callable callback function call", "callable({0})", "not callable({0})"),
    ("negative positive zero", "{0} > 0", "{0} < 0"),
    ("zero", "{0} != 0", "{0} == 0"),
    ("more one several single", "len({0}) > 1", "len({0}) == 1"),
    ("exist exists existing file", "{0}.exists()", "not {0}.exists()"),
    ("exist exists existing file", "os.path.exists({0})", "not os.path.exists({0})"),
    ("directory directories folder folders dirs", "os.path.isdir({0})", "not os.path.isdir({0})"),
)
"""What may be true of a value: words for it, the test for it, the test against it."""
_TEST = re.compile(r"[=<>(.]| in | is |not ")
_NAME = re.compile(r"(?<![\w.'\"])[^\W\d]\w*")
_FUNCTION = re.compile(r"\s*(?:async )?def (\w+)\(")
_DOTTED = re.compile(r"[^\W\d][\w.]*")
_OWN = re.compile(r"\bself\.(\w+)(?:: [^=]+)? = ")
_MOST_NAMES, _MOST_ENTRIES = 8, 2
_ALSO = frozenset({
    "too", "also", "well", "both", "same", "either", "or", "and", "another", "additionally", "besides", "plus", "extend",
})  # fmt: skip
"""Words of an instruction that wants what is tested tested of something else as well."""
_LEVELS = {"and": 3, "or": 2}
_OTHER = {"and": "or", "or": "and"}
_PRESENCE = re.compile(r"(?:not )?([^\W\d][\w.]*)(?: is (?:not )?None)?")
"""A test of whether a value is there."""
_ORDERED = frozenset({"first", "before", "front", "start", "behind", "after", "then", "cheaper", "order"})
"""Words of an instruction that says which condition comes first."""
_EXACTLY = frozenset({"itself", "exactly", "same", "identical", "very"})
"""Words of an instruction about one object and not those of its kind."""
_HARMLESS, _MEMBER = ("==", "!=", "is", "is not"), ("in", "not in")
_ASKING_TYPES = ("isinstance", "callable", "bool", "type", "str", "repr")
_GUARDING = re.compile(
    r"(?:not )?([^\W\d][\w.]*)(?: is (?:not )?None)?|(?:not )?(?:isinstance|callable)\(([^\W\d][\w.]*)\b.*\)"
)
"""A test of what a value is, which comes before anything is done with that."""


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    named = named_in(arguments, _variables(context))
    named = [n for n in named if not hasattr(builtins, n) or n in plain_names(context)]
    told_names = [n for n in arguments.names if n[0].isupper() or not hasattr(builtins, n) or n in named]
    known = [n for n in (*arguments.dotted, *named, *told_names) if context.knows(n)]
    functions = context.derived(_functions)
    named = [n for n in dict.fromkeys(known) if n not in functions]
    paths = _paths(context)
    named = [paths.get(name, name) for name in named] + _attributes(context, arguments)
    named = list(dict.fromkeys(named))[:_MOST_NAMES]
    code = [one for one in arguments.code if _TEST.search(one) and one not in named and context.knows(one)]
    told = bool(arguments.words & _ORDERED)
    for node in mentioned(conditions(context), arguments):
        text = text_of(node)
        if level_of(text) < 2:
            continue
        there = {_tested_presence(text_of(one)) for one in _parts(node)} - {None}
        states = [
            pair
            for pair in _states(context, node, arguments, named)
            if _tested_presence(pair[0]) not in there
        ]
        extras = [*((one, one) for one in code), *states]
        said_already = {text, f"not {text}", f"callable({text})", f"not callable({text})"}
        for extra, negated in dict.fromkeys(extras):
            if is_late(_NAME.findall(extra), node):
                continue
            if extra in said_already or f"not {extra}" == text:
                continue
            title = f"Extend the condition {text}"
            if (
                extra.startswith("not isinstance(") and "isinstance(" in text
            ):  # the rest is for `accept_another`
                word, one = ("or", negated) if text.startswith("not ") else ("and", extra)
                yield f"{title}: {word} {one}", _behind(context, node, word, one)
                continue
            if told or not _comes_first(node, extra):
                yield f"{title}: and {extra}", _behind(context, node, "and", extra)
                yield f"{title}: or {negated}", _behind(context, node, "or", negated)
            if told or (_comes_first(node, extra) and not _denies(extra)):
                yield f"{title}: {extra} first, and", _before(context, node, "and", extra)
                yield f"{title}: {negated} first, or", _before(context, node, "or", negated)
        yield from _of_part(context, node, arguments, named)
        for old, new in _substitutes(node, named) if arguments.words & _ALSO else ():
            other = _with(text, old, new)
            for word in ("or", "and"):
                title = f"Extend the condition {text} to {new}: {word} {other}"
                yield title, _behind(context, node, word, other)


def _functions(context: RefactoringContext) -> frozenset[str]:
    """The functions and methods of the document."""
    return frozenset(found[1] for line in context.lines if (found := _FUNCTION.match(line)))


def _parts(node: Node) -> Iterator[Node]:
    """What a condition joins, down to single tests."""
    node = bare(node)
    if node.type != "boolean_operator":
        yield node
        return
    for child in children_of(node):
        yield from _parts(child)


def _tested_presence(test: str) -> str | None:
    """What a test asks for being there, if that is all it asks."""
    found = _PRESENCE.fullmatch(test)
    return found[1] if found is not None else None


def _of_part(
    context: RefactoringContext, node: Node, arguments: Arguments, named: Sequence[str]
) -> Iterator[Proposal]:
    """A part of a condition that the instruction names, extended by what it names besides."""
    sign = node.child_by_field_name("operator")
    if node.type != "boolean_operator" or sign is None:
        return
    word = _OTHER[text_of(sign)]
    for part in operands(node, text_of(sign)):
        text, own = text_of(part), variables(part)
        others = [name for name in named if name not in own]
        if "\n" in text or bare(part).type == "boolean_operator" or not is_mentioned(part, arguments):
            continue
        for name in others[:2]:
            for extra in (name, f"not {name}"):
                yield (
                    f"Extend only {text}, the part: {word} {extra}",
                    replace_expression(context, part, f"{text} {word} {extra}", _LEVELS[word]),
                )


def _states(
    context: RefactoringContext, node: Node, arguments: Arguments, named: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Tests that the words of an instruction make likely, each with its opposite."""
    own = [name for name in variables(node) if name not in ("self", "cls") and _is_variable(name)]
    named_types = [name for name in named if name[0].isupper()]
    named = [name for name in named if _is_variable(name)]
    entries = [text_of(one) for one in _subscripts(node)][:_MOST_ENTRIES]
    subjects = list(dict.fromkeys([*named, *own, *entries]))[:_MOST_NAMES]
    types = [*spoken_types(arguments), *named_types]
    if arguments.words >= {"true", "false"}:
        types.insert(0, "bool")
    for subject in subjects:
        for words, test, other in _STATES:
            if arguments.words & set(words.split()) and _can_be_asked(context, test):
                yield test.format(subject), other.format(subject)
        for test in (one.format(subject) for one in affix_tests(arguments)):
            yield from ((test, f"not {test}"), (f"not {test}", test))
        of_type = re.search(rf"\bisinstance\({re.escape(subject)}, ", text_of(node)) is not None
        for type in types:
            if type not in ("Any", "object", subject):
                if arguments.words & _EXACTLY:
                    yield f"{subject} is not {type}", f"{subject} is {type}"
                if not of_type:
                    yield f"isinstance({subject}, {type})", f"not isinstance({subject}, {type})"
                yield f"not isinstance({subject}, {type})", f"isinstance({subject}, {type})"
    for method in (name for name in arguments.names if name.startswith(("is_", "has_"))):
        for subject in [*(name for name in own if "." not in name), *named][:_MOST_NAMES]:
            yield f"{subject}.{method}()", f"not {subject}.{method}()"
            yield f"not {subject}.{method}()", f"{subject}.{method}()"
    for name in named:
        yield name, f"not {name}"
        yield f"not {name}", name


def _subscripts(node: Node) -> Iterator[Node]:
    """The entries that a condition reads at fixed places."""
    if node.type == "subscript" and single_line(node) and children_of(node)[-1].type in ("integer", "string"):
        yield node
        return
    for child in children_of(node):
        yield from _subscripts(child)


def _attributes(context: RefactoringContext, arguments: Arguments) -> list[str]:
    """The attributes of `self` that an instruction names, and that the selection need not read."""
    if "self" not in context.variables():
        return []
    known = {name for line in context.lines for name in _OWN.findall(line)} - context.variables()
    said = [name for name in sorted(known) if name.strip("_") in arguments.words]
    return [f"self.{name}" for name in said]


def _is_variable(name: str) -> bool:
    """Whether it is, by its spelling, neither a class nor a function of Python's."""
    last = name.rpartition(".")[2].lstrip("_")
    return not hasattr(builtins, name) and (not last[:1].isupper() or last.isupper())


def _can_be_asked(context: RefactoringContext, test: str) -> bool:
    """Whether a test of a path is one of strings, where the document asks `os`, or one of `Path`, where it does not."""
    asks_os = context.knows("os.path")
    return (
        asks_os
        if "os.path" in test
        else not (".exists()" in test and asks_os and "Path" not in context.words)
    )


def _variables(context: RefactoringContext) -> list[str]:
    """The variables and attributes in the selection, and those of the function round it; no functions and classes themselves."""
    defined = {
        text_of(name)
        for node in context.overlapping()
        if node.type in ("function_definition", "class_definition")
        and (name := node.child_by_field_name("name")) is not None
    }
    return sorted((context.variables() | set(_paths(context))) - defined)


def _denies(extra: str) -> bool:
    """Whether a condition says that there is nothing to do anything with."""
    return extra.startswith("not ") or extra.endswith(" is None")


def _comes_first(node: Node, extra: str) -> bool:
    """Whether a condition is to be asked before another: it says what that other one takes for granted of a value."""
    found = _GUARDING.fullmatch(extra)
    subject = found and (found[1] or found[2])
    waiting = [node]
    while waiting:
        one = waiting.pop()
        parent, text = one.parent, text_of(one)
        if one.type in NAMES and subject and (text == subject or text.startswith(f"{subject}.")):
            sides = comparison(parent) if parent is not None else None
            plain = one == node or (
                parent is not None and parent.type in ("not_operator", "boolean_operator")
            )
            equal = sides is not None and (sides[1] in _HARMLESS or (sides[1] in _MEMBER and sides[0] == one))
            asked = (
                parent is not None and parent.parent is not None and callee(parent.parent) in _ASKING_TYPES
            )
            if text != subject or not (plain or equal or asked):
                return True
            continue
        waiting += one.named_children
    return False


def _paths(context: RefactoringContext) -> dict[str, str]:
    """The attributes that the selection reads, by name, as they are spelt there; none that has a variable's name."""
    found: dict[str, str] = {}
    for node in context.walk("attribute"):
        name = node.child_by_field_name("attribute")
        called = node.parent is not None and node.parent.type == "call"
        if name is not None and not called and _DOTTED.fullmatch(text_of(node)):
            found.setdefault(text_of(name), text_of(node))
    return {name: path for name, path in found.items() if name not in context.variables()}


def _substitutes(node: Node, named: Sequence[str]) -> Iterator[tuple[str, str]]:
    """A variable of a condition, and another that the instruction names."""
    dotted = variables(node)[:4]
    roots = [old.partition(".")[0] for old in dotted if "." in old]
    for old in dict.fromkeys([*dotted, *roots]):
        for new in named:
            if new != old and not hasattr(builtins, new):
                yield old, new
                if "." in old and new.isidentifier():
                    yield old, f"{old.rpartition('.')[0]}.{new}"


def _with(text: str, old: str, new: str) -> str:
    """An expression with one variable, perhaps a part of a dotted name, in place of another."""

    def put(found: re.Match[str]) -> str:
        name = found[0]
        return new + name[len(old) :] if name == old or name.startswith(f"{old}.") else name

    return _DOTTED.sub(put, text)


def _behind(context: RefactoringContext, node: Node, word: str, extra: str) -> Edits | None:
    text, extra = text_of(node), _bracketed(extra, word)
    if "\n" in text:
        return (
            insert_at(context.lines, end_of(node), f" {word} {extra}")
            if _bracketed(text, word) == text
            else None
        )
    return replace_expression(context, node, f"{_bracketed(text, word)} {word} {extra}", _LEVELS[word])


def _before(context: RefactoringContext, node: Node, word: str, extra: str) -> Edits | None:
    text, extra = text_of(node), _bracketed(extra, word)
    if "\n" in text:
        same = _bracketed(text, word) == text
        return insert_at(context.lines, start_of(node), f"{extra} {word} ") if same else None
    return replace_expression(context, node, f"{extra} {word} {_bracketed(text, word)}", _LEVELS[word])


def _bracketed(text: str, word: str) -> str:
    """An operand of `and` or `or`."""
    return f"({text})" if level_of(text) < _LEVELS[word] else text


ADD_CONDITION = Refactoring("add_condition", "refactor.rewrite.addCondition", _propose)
