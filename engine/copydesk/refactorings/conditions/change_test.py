"""Another test of the same value: for None, for being empty, negated, of its type, without letter case."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_nodes
from copydesk.refactorings.expressions import (
    ATOMS,
    NAMES,
    bare,
    callee,
    children_of,
    comparison,
    is_boolean,
    is_mentioned,
    is_value,
    level_of,
    mentioned,
    method_of,
    operands,
    positional,
    replace_expression,
    tests,
)  # fmt: skip
from copydesk.refactorings.negation import opposite
from copydesk.refactorings.spoken import spoken_types
from copydesk.syntax.tree import text_of

_MOST = 6
_TYPE_OF = {
    "type([])": "list", "type({})": "dict", "type(())": "tuple", "type('')": "str", 'type("")': "str", "type(u'')": "str",
    "type(b'')": "bytes", "type(0)": "int", "type(1)": "int", "type(0.0)": "float", "type(1.0)": "float", "type(True)": "bool",
}  # fmt: skip
"""The types that are spelt by a value of theirs."""
_BLANK = frozenset({"blank", "blanks", "whitespace", "spaces", "space"})
_CALLABLE = frozenset({"callable", "call", "called", "calling", "function"})
_EMPTY = ("''", '""', "[]", "{}", "()", "set()", "b''", 'b""')


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for node in mentioned(tests(context), arguments):
        for title, text in _forms(node, arguments):
            yield title, replace_expression(context, node, text)
    plain = [node for node in tests(context) if node.type in ATOMS and "\n" not in text_of(node)]
    meant = [is_mentioned(node, arguments) for node in plain]
    some = any(meant) and not all(meant)
    for form in ("is not None", "is None") if 1 < len(plain) <= _MOST and not some else ():
        pairs = [(node, f"{text_of(node)} {form}") for node in plain]
        yield f"Test whether each of them {form}", replace_nodes(context.lines, pairs)
    for node in context.walk("comparison_operator", "call"):
        if is_value(node):
            for title, text in _spellings(node):
                yield title, replace_expression(context, node, text)


def _forms(node: Node, arguments: Arguments) -> Iterator[tuple[str, str]]:
    """Other tests in place of one, each with its title."""
    text = text_of(node)
    if "\n" in text:
        return
    other = opposite(node)
    if other is None and node.type in ("boolean_operator", "comparison_operator"):
        other = f"not ({text})"
    if other is not None:
        yield f"Negate the condition {text}: {other}", other
    yield from _de_morgan(node)
    if node.type in ATOMS and not is_boolean(node):
        yield f"Test whether {text} is not None{_counting(arguments)}", f"{text} is not None"
        yield f"Test whether {text} is None", f"{text} is None"
        above = ", not negative" if arguments.words & {"negative", "positive", "above", "below"} else ""
        yield f"Compare {text} explicitly{above}: {text} > 0", f"{text} > 0"
        if node.type != "call":
            yield f"Only if {text} is callable: callable({text})", f"callable({text})"
            yield f"Test the length of {text}: more than one", f"len({text}) > 1"
        if arguments.words & _BLANK:
            yield f"Test whether {text} is more than whitespace, not blank", f"{text}.strip()"
        for type in spoken_types(arguments):
            yield f"Test whether {text} is a {type}: isinstance", f"isinstance({text}, {type})"
        for name in arguments.names:
            if name[0].isupper():
                yield f"Test whether {text} is a {name}: isinstance", f"isinstance({text}, {name})"
    yield from _entry(node)
    if node.type == "not_operator":
        inner = bare(children_of(node)[0])
        if inner.type in ATOMS and not is_boolean(inner):
            spelt = text_of(inner)
            yield f"Test whether {spelt} is None, not whether it is empty", f"{spelt} is None"
            yield f"Test the length of {spelt} == 0", f"len({spelt}) == 0"
            if inner.type != "call" and arguments.words & _CALLABLE:
                yield f"Test whether {spelt} is callable: not callable({spelt})", f"not callable({spelt})"
            if arguments.words & _BLANK:
                yield f"Test whether {spelt} is blank, nothing but whitespace", f"not {spelt}.strip()"
    sides = comparison(node)
    if sides is not None and sides[1] in ("is", "is not", "==", "!=") and sides[2].type == "none":
        yield from _of_kind(text_of(sides[0]), sides[1] in ("is", "=="), arguments)
    yield from _spellings(node)


def _of_kind(left: str, negated: bool, arguments: Arguments) -> Iterator[tuple[str, str]]:
    """What something has to be, and not only there: callable, of a type that is named."""
    sign = "not " if negated else ""
    if arguments.words & _CALLABLE:
        yield f"Test whether {left} is {sign}callable, not just there", f"{sign}callable({left})"
    for type in (kind for kind in spoken_types(arguments) if kind not in ("object", "Any")):
        yield (
            f"Test whether {left} is {sign}a {type}, not just there: isinstance",
            f"{sign}isinstance({left}, {type})",
        )


def _counting(arguments: Arguments) -> str:
    """What counts that did not: a word of the instruction."""
    said = [word for word in ("0", "zero") if word in arguments.words]
    return f", so {said[0]} counts, too" if said else ""


def _entry(node: Node) -> Iterator[tuple[str, str]]:
    """Whether a mapping has an entry, which may be None or empty, in place of what `get` finds."""
    call = bare(children_of(node)[0]) if node.type == "not_operator" else node
    method = method_of(call) if call.type == "call" else None
    given = (positional(call) or []) if method is not None else []
    if method is not None and text_of(method[1]) == "get" and len(given) == 1:
        sign = "in" if call == node else "not in"
        made = f"{text_of(given[0])} {sign} {text_of(method[0])}"
        yield f"Test whether there is an entry, which may be None or empty: {made}", made


def _de_morgan(node: Node) -> Iterator[tuple[str, str]]:
    for word, swapped in (("and", "or"), ("or", "and")):
        parts = operands(node, word)
        if len(parts) > 1:
            others = [_opposite(bare(part)) for part in parts]
            if all(others):
                inner = f" {swapped} ".join(f"({o})" if o and level_of(o) < 4 else str(o) for o in others)
                yield f"Apply De Morgan's law, not ({inner}): one negation of the condition", f"not ({inner})"
    if node.type == "not_operator":
        negated = bare(children_of(node)[0])
        for word, swapped in (("and", "or"), ("or", "and")):
            parts = operands(negated, word)
            others = [_opposite(bare(part)) for part in parts]
            if len(parts) > 1 and all(others):
                made = f" {swapped} ".join(str(other) for other in others)
                yield f"Apply De Morgan's law, without the outer not: {made}", made


def _opposite(node: Node) -> str | None:
    return opposite(node) or (f"not {text_of(node)}" if node.type in ATOMS else None)


def _spellings(node: Node) -> Iterator[tuple[str, str]]:
    """The same test as Python has it, or one nearly the same."""
    sides = comparison(node)
    if sides is not None:
        left, sign, right = (text_of(sides[0]), sides[1], text_of(sides[2]))
        measured = left[4:-1] if left.startswith("len(") and callee(sides[0]) == "len" else None
        none, some = (
            f"Rely on truthiness: not {left}, empty, falsy",
            f"Rely on truthiness: {left}, not empty, truthy",
        )
        if measured is not None and (sign, right) in ((">", "0"), ("!=", "0"), (">=", "1")):
            yield f"Rely on truthiness, without len: {measured} not empty", measured
            yield f"Rely on truthiness, without len: bool({measured})", f"bool({measured})"
        elif measured is not None and (sign, right) in (("==", "0"), ("<", "1"), ("<=", "0")):
            yield f"Rely on truthiness, without len: {measured} empty", f"not {measured}"
        if sign in ("in", "not in") and sides[2].type in NAMES:
            made = f"{right}.get({left}) is {'not ' * (sign == 'in')}None"
            yield f"Treat None like a missing entry: {made}", made
            if sides[0].type == "string":
                made = f"{'not ' * (sign == 'not in')}{right}.get({left})"
                yield f"Test whether the entry is empty, too: {made}", made
        method = method_of(sides[0]) if sides[0].type == "call" and right == "None" else None
        given = positional(sides[0]) if method is not None and text_of(method[1]) == "get" else None
        if method is not None and given is not None and len(given) == 1 and sign in ("is", "is not"):
            made = f"{text_of(given[0])} {'not ' * (sign == 'is')}in {text_of(method[0])}"
            yield f"Test whether there is an entry, which may be None: {made}", made
        counted = measured is not None and right == "0"  # which is said without `len`
        if sign in ("==", "is") and (right in _EMPTY or right in ("None", "False", "0")) and not counted:
            yield none, f"not {left}"
        if (sign, right) == (">=", "1") and measured is None:
            yield some, left
        if (sign, right) == ("<", "1") and measured is None:
            yield none, f"not {left}"
        if sign in ("==", "is") and right == "True":
            yield some, left
        if (
            sign in ("!=", "is not", ">")
            and (right in _EMPTY or right in ("None", "False", "0"))
            and not counted
        ):
            yield some, left
        if sign in ("!=", "is not") and right == "True":
            yield none, f"not {left}"
        if right == "None":
            for word in {"==": ("is",), "!=": ("is not",)}.get(sign, ()):
                yield f"Compare {left} with None by identity: {word}", f"{left} {word} None"
        if sign in ("is", "is not", "==", "!=") and right != "None" and right in (*_EMPTY, "False", "0"):
            yield f"Test whether {left} is None", f"{left} {'is' if sign in ('is', '==') else 'is not'} None"
        if sign in ("in", "not in"):
            negated = "not " if sign == "not in" else ""
            yield (
                f"Use startswith, not in, at the start: {right}.startswith({left})",
                f"{negated}{right}.startswith({left})",
            )
            yield (
                f"Use endswith, not in, at the end: {right}.endswith({left})",
                f"{negated}{right}.endswith({left})",
            )
            keys = method_of(sides[2]) if sides[2].type == "call" else None
            if keys is not None and text_of(keys[1]) == "keys":
                yield (
                    f"Drop keys(): {left} {sign} {text_of(keys[0])}, membership",
                    f"{left} {sign} {text_of(keys[0])}",
                )
        if sign in ("==", "!=") and sides[0].type == "subscript":
            negated = "not " if sign == "!=" else ""
            owner = text_of(children_of(sides[0])[0])
            index = text_of(children_of(sides[0])[1])
            if index == "0" or index.startswith(":"):
                yield f"Use startswith: {owner}.startswith({right})", f"{negated}{owner}.startswith({right})"
            if index == "-1" or (index.startswith("-") and index.endswith(":")):
                yield f"Use endswith: {owner}.endswith({right})", f"{negated}{owner}.endswith({right})"
        typed = callee(sides[0]) == "type" and sides[0].type == "call"
        if (typed or left.endswith(".__class__")) and sign in ("is", "==", "in", "is not", "!=", "not in"):
            negated = "not " if "not" in sign or sign == "!=" else ""
            subject = left[5:-1] if typed else left.removesuffix(".__class__")
            right = _TYPE_OF.get(right, right)
            yield (
                f"Use isinstance: isinstance({subject}, {right})",
                f"{negated}isinstance({subject}, {right})",
            )
    if node.type == "call" and callee(node) == "isinstance":
        given = positional(node)
        if given is not None and len(given) == 2:
            subject, kind = map(text_of, given)
            if kind.rpartition(".")[2] == "Callable":
                yield f"Use callable: callable({subject})", f"callable({subject})"
            elif given[1].type in ATOMS:
                yield f"Compare the exact type: type({subject}) is {kind}", f"type({subject}) is {kind}"
            yield f"Use issubclass: issubclass({subject}, {kind})", f"issubclass({subject}, {kind})"
    if node.type == "call":
        method = method_of(node)
        given = positional(node)
        if (
            method is not None
            and given is not None
            and len(given) == 1
            and text_of(method[1]) in ("startswith", "endswith")
        ):
            owner, one = text_of(method[0]), text_of(given[0])
            if given[0].type != "tuple":
                yield f"Test whether {owner} contains {one}: in", f"{one} in {owner}"
                yield f"Test whether {owner} equals {one}: ==", f"{owner} == {one}"
        if (
            method is not None
            and given is not None
            and len(given) == 1
            and text_of(method[1]) in ("has_key", "__contains__")
        ):
            yield (
                f"Use in: {text_of(given[0])} in {text_of(method[0])}",
                f"{text_of(given[0])} in {text_of(method[0])}",
            )


CHANGE_TEST = Refactoring("change_test", "refactor.rewrite.changeTest", _propose, everywhere=True)
