"""A value through a function or method, or without the one it goes through."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import stands_alone, statements_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, delete_lines, replace_lines
from copydesk.refactorings.expressions import (
    ATOMS,
    COLLECTIONS,
    NAMES,
    callee,
    children_of,
    comparison,
    is_mentioned,
    is_value,
    level_of,
    mentioned,
    method_of,
    positional,
    replace_expression,
    replace_expressions,
    single_line,
    values,
)  # fmt: skip
from copydesk.syntax.tree import rows, text_of

_FUNCTIONS = {
    "sorted": "sort sorted order ordered alphabetical alphabetically stable deterministic",
    "list": "list lists copy mutate mutated mutates iterator generator snapshot modified twice changed changes",
    "tuple": "tuple tuples immutable hashable frozen",
    "set": "set sets unique duplicate duplicates dedupe twice",
    "frozenset": "frozenset frozen immutable",
    "dict": "dict copy mutate",
    "str": "str string strings text path paths object objects name float number",
    "int": "int integer number integers ints whole fraction fractions string strings float floats",
    "float": "float floats",
    "bool": "bool boolean truth true false",
    "len": "len length count size many",
    "abs": "abs absolute negative sign",
    "reversed": "reversed reverse backwards last back latest newest innermost bottom",
    "repr": "repr quote quotes quoted",
    "sum": "sum total",
    "max": "max maximum least",
    "min": "min minimum most",
    "any": "any",
    "all": "all",
    "iter": "iter iterator",
    "next": "next first",
    "enumerate": "enumerate index",
    "bytes": "bytes",
    "round": "round rounded",
    "type": "type class",
    "tuple(sorted": "sorted",
    "list(sorted": "sorted",
    "list(reversed": "reversed reverse",
    "list(set": "unique duplicates",
    "sorted(set": "unique duplicates",
    "list(dict.fromkeys": "unique duplicates duplicate dedupe twice order",
    "dict.fromkeys": "unique duplicates duplicate dedupe twice once order",
    "os.fspath": "fspath path paths",
    "os.path.expanduser": "home tilde expanduser",
    "os.path.expandvars": "variables environment expandvars",
    "np.asarray": "array arrays list lists nested plain asarray",
}
_METHODS = {
    "strip": "strip whitespace space spaces blank blanks trim pasted newline newlines stripped padding",
    "rstrip": "trailing newline newlines rstrip right",
    "lstrip": "leading lstrip left",
    "lower": "lower case insensitive insensitively lowercase upper uppercase mixed capital capitals capitalized spelled letters",
    "casefold": "casefold",
    "upper": "upper uppercase case small lower lowercase letters mixed",
    "copy": "copy mutate mutated mutates shallow caller callers changes changing overwritten untouched spoil parent shared",
    "items": "items pairs",
    "keys": "keys",
    "values": "values",
    "splitlines": "lines splitlines",
    "split": "split words",
    "decode": "decode bytes",
    "encode": "encode bytes",
    "title": "title",
    "capitalize": "capitalize capital capitalized",
    "resolve": "resolve symlinks absolute",
    "exists": "exists",
}
"""What a function or method makes of a value, by the words that may ask for it."""
_OF_TEXTS = frozenset({
    "strip", "rstrip", "lstrip", "lower", "casefold", "upper", "splitlines", "split", "decode", "encode", "title", "capitalize",
    "resolve", "exists",
})  # fmt: skip
"""Methods that no collection has."""
_OF_SEVERAL = frozenset(
    {"sorted", "list", "tuple", "set", "frozenset", "dict", "reversed", "iter", "enumerate"}
)
"""What is made of several values, and not of one."""
_CASES = ("lower", "upper", "casefold")
_COPIES = ("list", "tuple")
"""One of them round the other is as good as the outer one alone."""
_SPELT = re.compile(r"[A-Za-z]\w+")
_BUILTIN = frozenset(_FUNCTIONS) | {"map", "filter", "range", "id", "hash"}


def _wrap(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    functions = list(_asked_for(context, arguments))
    functions += [n for n in (*arguments.dotted, *arguments.names) if _is_function(n, context, arguments)]
    methods = [name for name, words in _METHODS.items() if arguments.words & set(words.split())]
    methods += _other_cases(context, arguments)
    methods += [name for name in arguments.names if _is_method(name, arguments)]
    if arguments.words & {"negate", "sign", "minus", "negative", "flip", "-"}:
        for node in mentioned(_places(context), arguments):
            if node.type in ATOMS and is_value(node) and is_mentioned(node, arguments):
                yield (
                    f"Negate the sign, minus: -{text_of(node)}",
                    replace_expression(context, node, f"-{text_of(node)}"),
                )
    if not functions and not methods:
        return
    alike = "lower" in methods and not arguments.words & {"upper", "uppercase"}
    either = [name for name in methods if name != "upper" or not alike]  # both come to the same
    for node in mentioned(context.walk("comparison_operator"), arguments):
        sides = comparison(node)
        if sides is not None and sides[1] in ("==", "!=", "in", "not in", "is", "is not"):
            if sides[1] in ("in", "not in") and sides[0].type in ATOMS and _is_collection(sides[2]):
                for name in (one for one in either if one in _CASES):
                    made = f"{text_of(sides[0])}.{name}() {sides[1]} {text_of(sides[2])}"
                    title = f"Compare {text_of(sides[0])} through one call{_asked(name, arguments)}: {made}"
                    yield title, replace_expression(context, node, made)
            for name, made in _both(sides, functions, either):
                title = f"Compare both through the same call{_asked(name, arguments)}: {made}"
                yield title, replace_expression(context, node, made)
    for node in mentioned(_places(context), arguments):
        text = text_of(node)
        if node.type in (
            *ATOMS,
            "string",
            "list_comprehension",
            "generator_expression",
            *COLLECTIONS,
            "parenthesized_expression",
        ):
            for name in dict.fromkeys(methods):
                several = node.type in (*COLLECTIONS, "list_comprehension", "generator_expression", "string")
                if (several and name in _OF_TEXTS) or (name in _CASES and _one_of_both(node, arguments)):
                    continue
                if not text.endswith(f".{name}()"):
                    inner = f"({text})" if level_of(text) < 10 else text
                    yield (
                        f"Call {name}() on {text}{_asked(name, arguments)}",
                        replace_expression(context, node, f"{inner}.{name}()"),
                    )
        for name in dict.fromkeys(functions):
            if (
                callee(node) != name
                and is_value(node)
                and not (name in _COPIES and _copied_by(node) in _COPIES)
            ):
                end = ")" * (1 + name.count("("))
                inner = text[1:-1] if node.type == "generator_expression" and text.startswith("(") else text
                if (
                    node.type == "generator_expression"
                    and node.parent is not None
                    and node.parent.type == "call"
                ):
                    yield (
                        f"Wrap {text} in {name}()",
                        replace_expression(context, node, f"({name}({inner}{end})"),
                    )
                    continue
                yield (
                    f"Wrap {text} in {name}(){_asked(name, arguments)}",
                    replace_expression(context, node, f"{name}({inner}{end}"),
                )


def _copied_by(node: Node) -> str:
    """What is called with a value alone."""
    call = node.parent.parent if node.parent is not None and node.parent.type == "argument_list" else None
    given = positional(call) if call is not None and call.type == "call" else None
    return callee(call) if call is not None and given is not None and len(given) == 1 else ""


def _asked_for(context: RefactoringContext, arguments: Arguments) -> Iterator[str]:
    """The functions that an instruction may want, as far as the document has their modules."""
    for name, words in _FUNCTIONS.items():
        known = "." not in name or "(" in name or context.knows(name.partition(".")[0])
        if known and arguments.words & set(words.split()):
            yield name


def _other_cases(context: RefactoringContext, arguments: Arguments) -> list[str]:
    """How texts would have to be spelt to be what the code compares with: `XML` in an instruction, "xml" in the code."""
    code = "".join(context.lines[number - 1] for number in context.numbers())
    spelt = set(_SPELT.findall(arguments.instruction))
    if len({piece.lower() for piece in spelt}) < len(spelt):
        return ["lower"]  # "Tap and tap are the same"
    said = {piece for piece in spelt if piece not in code}
    cases = {"lower": str.lower, "upper": str.upper}
    return [
        name
        for name, case in cases.items()
        if any(case(piece) in code for piece in said if case(piece) != piece)
    ]


def _asked(name: str, arguments: Arguments) -> str:
    """The words of an instruction that may ask for a function or method: a title has them."""
    words = f"{_FUNCTIONS.get(name, '')} {_METHODS.get(name, '')}".split()
    said = [word for word in words if word in arguments.words and word != name]
    return f", {' '.join(said)}" if said else ""


def _places(context: RefactoringContext) -> list[Node]:
    """Values, and the objects whose methods are called."""
    found = [
        n
        for n in values(context)
        if n.type not in ("none", "true", "false", "lambda", "expression_list", "keyword_argument")
    ]
    for call in context.walk("call"):
        method = method_of(call)
        if method is not None and method[0].type in ATOMS:
            found.append(method[0])
    return found


def _both(
    sides: tuple[Node, str, Node], functions: list[str], methods: list[str]
) -> Iterator[tuple[str, str]]:
    """Functions and methods, and the comparison with both sides called through them."""
    left, sign, right = text_of(sides[0]), sides[1], text_of(sides[2])
    for name in dict.fromkeys(methods):
        if sides[0].type in (*ATOMS, "string"):
            if sides[2].type == "string" and name in ("lower", "upper", "casefold"):
                lowered = right.upper() if name == "upper" else right.lower()
                yield name, f"{left}.{name}() {sign} {lowered}"
            elif sides[2].type in ATOMS and not (sign in ("in", "not in") and _is_collection(sides[2])):
                yield name, f"{left}.{name}() {sign} {right}.{name}()"
    for name in dict.fromkeys(functions):
        if "(" not in name:
            yield name, f"{name}({left}) {sign} {name}({right})"


def _one_of_both(node: Node, arguments: Arguments) -> bool:
    """Whether it is compared with another value whose letters may be of either case as well, and the instruction means both."""
    sides = comparison(node.parent) if node.parent is not None else None
    if sides is None or sides[1] not in ("==", "!=") or any(side.type not in ATOMS for side in sides[::2]):
        return False
    return is_mentioned(sides[0], arguments) == is_mentioned(sides[2], arguments)


def _is_collection(node: Node) -> bool:
    """Whether a variable holds a list, a tuple, a set or a dict, as far as the file or its name tells."""
    root = node
    while root.parent is not None:
        root = root.parent
    name = re.escape(text_of(node))
    last = text_of(node).rpartition(".")[2]
    plural = node.type in NAMES and last.endswith("s") and not last.endswith(("ss", "us", "is"))
    return (plural or last.isupper()) or (
        re.search(
            rf"(?<![\w.]){name} *(?::[^=\n]*)?= *(?:[\[{{(]|(?:set|list|tuple|frozenset|dict)\()",
            text_of(root),
        )
        is not None
    )


def _is_function(name: str, context: RefactoringContext, arguments: Arguments) -> bool:
    called = f"{name}(" in arguments.instruction
    if name == "callable" and not called:
        return False  # which is a test, and `change_test` has it
    return (called and context.knows(name)) or (
        callable(getattr(builtins, name, None)) and name not in _FUNCTIONS and (not name[0].isupper())
    )


def _is_method(name: str, arguments: Arguments) -> bool:
    if name in _METHODS:
        return False
    known = any(hasattr(kind, name) for kind in (str, list, dict, set, bytes))
    return known or f"{name}()" in arguments.instruction


def _unwrap(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    alike: dict[str, list[tuple[Node, str]]] = {}
    for node in context.walk("call"):
        given, called = positional(node), callee(node)
        if called in _BUILTIN and called in arguments.words and given is not None and len(given) == 1:
            if is_value(node) and given[0].type != "generator_expression":
                alike.setdefault(called, []).append((node, text_of(given[0])))
    for called, pairs in alike.items():
        if len(pairs) > 1:
            apart = all(single_line(node) for node, _ in pairs)
            title = f"Remove {called}() everywhere, the call is not needed"
            yield title, replace_expressions(context, pairs) if apart else None
    said = re.sub(r"\W", "", arguments.instruction.lower())  # "a deep copy" is `deepcopy`
    for node in mentioned(context.walk("call"), arguments):
        given, called, method = positional(node), callee(node), method_of(node)
        if node.parent is not None and node.parent.type == "expression_statement":
            continue
        meant = (
            called in _BUILTIN or called.rpartition(".")[2].lower() in said or is_mentioned(node, arguments)
        )
        if given is not None and len(given) == 1 and meant:
            inner = text_of(given[0])
            if given[0].type != "generator_expression":
                as_it_is = ", as is" if arguments.words & {"is", "plain", "itself", "directly"} else ""
                yield f"Remove {called}() round {inner}{as_it_is}", _in_place(context, node, inner)
        if given is not None and len(given) == 1 and called in _BUILTIN:
            for name in _asked_for(context, arguments):
                if name != called and (name in _OF_SEVERAL) is (called in _OF_SEVERAL):
                    end = ")" * (1 + name.count("("))
                    yield (
                        f"Use {name}() instead of {called}()",
                        replace_expression(context, node, f"{name}({text_of(given[0])}{end}"),
                    )
        if method is not None and given is not None and not given:
            owner = text_of(method[0])
            yield f"Remove .{text_of(method[1])}(): only {owner}", _in_place(context, node, owner)
        elif method is not None and is_mentioned(method[1], arguments):
            owner = text_of(method[0])
            yield (
                f"Remove the call of .{text_of(method[1])}: only {owner}",
                replace_expression(context, node, owner),
            )
        if given is not None and len(given) > 1 and is_mentioned(node, arguments):
            for inner in (text_of(given[0]), text_of(given[-1])):
                yield f"Remove the call of {called}: only {inner}", replace_expression(context, node, inner)
    for node in context.walk("list", "tuple"):
        entries = children_of(node)
        if len(entries) == 1 and entries[0].type == "list_splat" and is_value(node):
            inner = text_of(entries[0])[1:]
            yield f"Remove the copy of {inner}", replace_expression(context, node, inner)


def _in_place(context: RefactoringContext, node: Node, inner: str) -> Edits | None:
    """`inner` in place of a value, and no statement at all where that would give a variable its own value."""
    holder = node.parent
    statement = holder.parent if holder is not None and holder.type == "assignment" else None
    left = holder.child_by_field_name("left") if holder is not None and statement is not None else None
    if statement is None or left is None or text_of(left) != inner or not stands_alone(context, statement):
        return replace_expression(context, node, inner)
    if statements_of(statement.parent) == [statement]:
        return replace_lines(*rows(statement), [f"{context.indent(statement)}pass\n"])
    return delete_lines(*rows(statement))


WRAP_VALUE = Refactoring("wrap_value", "refactor.rewrite.wrapValue", _wrap, everywhere=True)
UNWRAP_VALUE = Refactoring("unwrap_value", "refactor.rewrite.unwrapValue", _unwrap, everywhere=True)
