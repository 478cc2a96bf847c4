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
    callee,
    comparison,
    conditions,
    level_of,
    mentioned,
    replace_expression,
    variables,
)
from copydesk.refactorings.parameters import plain_names
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
)
"""What may be true of a value: words for it, the test for it, the test against it."""
_TEST = re.compile(r"[=<>(.]| in | is |not ")
_NAME = re.compile(r"(?<![\w.'\"])[^\W\d]\w*")
_DOTTED = re.compile(r"[^\W\d][\w.]*")
_MOST_NAMES = 8
_ALSO = frozenset({
    "too", "also", "well", "both", "same", "either", "or", "and", "another", "additionally", "besides", "plus", "extend",
})  # fmt: skip
"""Words of an instruction that wants what is tested tested of something else as well."""
_LEVELS = {"and": 3, "or": 2}
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
    named = list(dict.fromkeys(n for n in (*arguments.dotted, *named, *told_names) if context.knows(n)))
    paths = _paths(context)
    named = list(dict.fromkeys(paths.get(name, name) for name in named))[:_MOST_NAMES]
    code = [one for one in arguments.code if _TEST.search(one) and one not in named and context.knows(one)]
    told = bool(arguments.words & _ORDERED)
    for node in mentioned(conditions(context), arguments):
        text = text_of(node)
        if level_of(text) < 2:
            continue
        extras = [*((one, one) for one in code), *_states(node, arguments, named)]
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
        for old, new in _substitutes(node, named) if arguments.words & _ALSO else ():
            other = _with(text, old, new)
            for word in ("or", "and"):
                title = f"Extend the condition {text} to {new}: {word} {other}"
                yield title, _behind(context, node, word, other)


def _states(node: Node, arguments: Arguments, named: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Tests that the words of an instruction make likely, each with its opposite."""
    own = [name for name in variables(node) if name not in ("self", "cls") and not hasattr(builtins, name)]
    subjects = list(dict.fromkeys([*named, *own]))[:_MOST_NAMES]
    types = [*spoken_types(arguments), *(name for name in named if name[0].isupper())]
    if arguments.words >= {"true", "false"}:
        types.insert(0, "bool")
    for subject in subjects:
        for words, test, other in _STATES:
            if arguments.words & set(words.split()):
                yield test.format(subject), other.format(subject)
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
